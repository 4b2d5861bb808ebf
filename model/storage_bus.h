/* Where a disk is plugged in, by the path that its directory in sysfs has: the controller that it
 * hangs on, and the PCI function that this one is. Reads names and the presence of files only.
 * Kernel: Documentation/ABI/testing/sysfs-bus-pci, drivers/scsi/scsi_sysfs.c,
 * drivers/mmc/core/host.c, drivers/nvme/host/core.c */
#pragma once

#include "base/hw.h"

#define STORAGE_NAME_MAX        64
#define STORAGE_CONTROLLERS_MAX 8

struct storage_part {
	char name[STORAGE_NAME_MAX]; /* "1d84000.ufshc", "mmc2", "nvme0", "ata1", "2-3" */
	char dir[HW_PATH_MAX];       /* relative to the root */
};

struct storage_bus {
	const char *transport; /* "ufs", "mmc", "nvme", "ata", "usb", "virtio", "scsi"; NULL */
	/* Several only where a disk has several ways to it (NVMe multipath). */
	struct storage_part controllers[STORAGE_CONTROLLERS_MAX];
	size_t n_controllers;
};

/* name: of the disk, as in sysfs. Virtual disks have neither transport nor controller. -ENOENT when
 * sysfs does not know the disk. */
int storage_bus_of(struct hw *hw, const char *name, struct storage_bus *ret);

/* The PCI function that a directory of sysfs stands below or is. -ENOENT when there is none. */
int storage_bus_pci(const char *dir, struct storage_part *ret);
