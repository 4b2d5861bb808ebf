/* The disk that a file lies on: how busy it is, and whether it sleeps. All of it are variables of
 * the kernel; nothing here touches the disk.
 * Kernel: Documentation/block/stat.rst, Documentation/ABI/testing/sysfs-devices-power */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"

struct own_disk {
	struct hw *hw;
	char name[64]; /* of the whole disk; "" when it cannot be found */
	struct hw_file stat, runtime_status;
	bool has_status;
};

struct own_disk_counts {
	int64_t n_ios; /* reads, writes, discards and flushes that were completed */
	int64_t written_sectors;
};

/* Of a file, or of the nearest folder above it that is there. An own disk that was not found (no
 * disk, a file system of several devices, in memory) is a state, no error. -ENOMEM, -errno of /. */
MUST_CHECK int own_disk_open(const char *path, struct own_disk *ret);
void own_disk_close(struct own_disk *disk);

/* -ENOENT when it is not known. Allocates nothing. */
MUST_CHECK int own_disk_read(struct own_disk *disk, struct own_disk_counts *ret);

/* Whether it is suspended by runtime power management: 1, 0, or -ENOENT when that is not known. */
MUST_CHECK int own_disk_sleeps(struct own_disk *disk);
