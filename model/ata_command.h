/* Commands to an ATA disk behind libata: whether it spins, what it says of itself, and its SMART
 * pages.
 * Kernel: include/scsi/sg.h, drivers/ata/libata-scsi.c; ATA PASS-THROUGH (16) of SAT-4; ATA/ATAPI
 * Command Set (ACS-3), feature set SMART.
 *
 * They go through the SG_IO of the disk's own node and need CAP_SYS_RAWIO. The kernel's own
 * time-out holds (60 s). All but the first may spin up a disk that is in standby. Opening the node
 * resumes a disk that the kernel has suspended, so that has to be known before (ata_disk_ready()).
 * A disk that was put to SLEEP by somebody's command is woken by any, and nothing tells.
 *
 * In a recorded tree the answers are files: COMMANDS/sda/check-power with the mode ("0xff"),
 * identify, smart-data and smart-thresholds with the bytes of the page, smart-status with the
 * registers LBA high and mid ("0xc24f"); or, with the suffix .status, a file with what the disk
 * answered instead: its error and status register ("0x0451"), or an errno (model/command_record.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/ata_identify.h"

struct hw;

/* Whether this process has the capability; a recorded tree asks for none. */
bool ata_may_command(struct hw *hw);

/* -ENOENT when a recorded tree has no answer of a disk; else 0. */
int ata_may_answer(struct hw *hw, const char *disk);

/* 0 when the kernel has not suspended the SCSI device at run time; -EHOSTDOWN when it has, or does
 * it now; -EIO in an error of its power management, -ENODEV when the disk is gone, -errno when
 * nothing can be read. dir: of the SCSI device. */
int ata_disk_ready(struct hw *hw, const char *dir);

/* What all of the commands below return: 0; -errno of the ioctl (-EACCES or -EPERM without the
 * capability, -ENODEV when the disk is gone); what stood between (-ETIMEDOUT, -EIO); or, with the
 * registers error and status of the disk in *ret_status (else 0): -EINVAL when it aborted the
 * command, which it does with those that it does not know or that are switched off, and -EIO for
 * all else. -EOPNOTSUPP when libata does not pass it on. -ENOENT without a record, -EBADMSG for one
 * that is none, or for an answer without what was asked for, with a flaw in *ret_status.
 * disk: its name, "sda". */

/* CHECK POWER MODE: *ret_is_standby when the disk would have to spin up. */
MUST_CHECK int ata_check_power(struct hw *hw, const char *disk, bool *ret_is_standby,
			       int *ret_status);

/* IDENTIFY DEVICE, SMART READ DATA, SMART READ THRESHOLDS. */
MUST_CHECK int ata_read_identify(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES],
				 int *ret_status);
MUST_CHECK int ata_read_smart(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES],
			      int *ret_status);
MUST_CHECK int ata_read_thresholds(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES],
				   int *ret_status);

/* SMART RETURN STATUS: *ret_is_failing when the disk says that a threshold was exceeded. -EBADMSG
 * when it says neither that nor the opposite. */
MUST_CHECK int ata_smart_status(struct hw *hw, const char *disk, bool *ret_is_failing,
				int *ret_status);
