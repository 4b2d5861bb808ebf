/* libata's own nodes of a disk: the link to it and the device as the driver sees it.
 * Kernel: drivers/ata/libata-transport.c (the nodes), drivers/ata/libata-scsi.c (which device a
 * SCSI address is)
 *
 * Each of their files prints variables of the driver without a command or a lock, id included: it
 * is the page of the last IDENTIFY DEVICE. */
#pragma once

#include "base/hw.h"
#include "model/ata_identify.h"
#include "model/scsi_disks.h"

struct ata_device {
	char link_dir[HW_PATH_MAX];   /* ".../ata1/link1/ata_link/link1" */
	char device_dir[HW_PATH_MAX]; /* ".../ata1/link1/dev1.0/ata_device/dev1.0" */
};

/* The nodes of a disk behind libata. -ENOENT when it has none: on kernels without them, or where
 * another driver than libata's own lies between (SAS); or want of descriptors. */
int ata_device_find(struct hw *hw, const struct scsi_disk *disk, struct ata_device *ret);

/* What the driver remembers that the device said. Errors of hw_read(), -EBADMSG. */
int ata_device_identify(struct hw *hw, const struct ata_device *device, struct ata_identify *ret);
