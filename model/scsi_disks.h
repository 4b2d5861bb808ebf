/* SCSI disks by what they hang on: behind libata, on USB. Reads names, links and identities only.
 * Kernel: drivers/scsi/sd.c, drivers/scsi/scsi_sysfs.c */
#pragma once

#include <stddef.h>

#include "base/hw.h"
#include "model/block.h"
#include "model/sink.h"
#include "model/storage_bus.h"

#define SCSI_DISKS_MAX 256

struct scsi_disk {
	char name[BLOCK_NAME_MAX];        /* "sda" */
	char dir[HW_PATH_MAX];            /* of its SCSI device: "sys/devices/.../0:0:0:0" */
	char identity[NODE_IDENTITY_MAX]; /* as in all other groups */
	struct storage_part controller;   /* "ata1", "2-3" */
};

struct scsi_disks {
	struct scsi_disk *v; /* in the order of their names */
	size_t n;
};

/* Finds the disks of a transport ("ata", "usb": model/storage_bus.h), no more than SCSI_DISKS_MAX.
 * None is no error. -ENOMEM, -EMFILE and others when disks may be hidden by it. The caller releases
 * with scsi_disks_done(). */
int scsi_disks_find(struct hw *hw, const char *transport, struct scsi_disks *ret);
void scsi_disks_done(struct scsi_disks *disks);

/* The numbers in the last part of a SCSI device's path: host, channel, id, LUN. -EINVAL. */
int scsi_disk_address(const struct scsi_disk *disk, int64_t ret[4]);
