/* Block devices in sysfs: where they are, what they lie on, and an identity that survives
 * renumbering. Names are those of /proc/diskstats; a slash in them ("cciss/c0d0") is "!" in sysfs.
 * Kernel: Documentation/ABI/stable/sysfs-block, block/genhd.c, lib/kobject.c */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"

#define BLOCK_NAME_MAX 64

/* Turns the "!" of a name in sysfs into the "/" that it stands for. */
void block_name_of_kobject(char *name);

/* The directory of a device ("sys/class/block/sda"). -ENOENT, also for a name that cannot be one;
 * or the error when there was no descriptor or memory to look with. */
int block_dir(struct hw *hw, const char *name, char *buf, size_t size);

/* The name of a device number, by sysfs or else by /proc/diskstats. -ENOENT; always for major 0,
 * which several devices share. */
int block_name_of(struct hw *hw, int64_t major, int64_t minor, char name[BLOCK_NAME_MAX]);

/* Whether name is how the kernel names a partition of disk: sda1 of sda, mmcblk0p1 of mmcblk0. */
bool block_is_partition_of(const char *name, const char *disk);

/* The disk that a partition lies on, else the name itself. Sysfs decides, the form of the name
 * where sysfs does not know the device. */
void block_disk_of(struct hw *hw, const char *name, char disk[BLOCK_NAME_MAX]);

/* Whether the name is that of an NVMe namespace: a disk (nvme0n1), or the hidden path of multipath
 * that leads to it through controller 2 (nvme0c2n1). disk takes the name of the disk. */
bool block_nvme_name(const char *name, char disk[BLOCK_NAME_MAX]);

/* Whether it is such a path, by its name unless sysfs says that it is not hidden, and the disk that
 * it leads to. Its I/O counts at the disk as well. */
bool block_is_path(struct hw *hw, const char *name, char disk[BLOCK_NAME_MAX]);

/* Whether the name is that of a device without hardware (ram, loop, zram, nbd): machines have many
 * that were never used, and these are left out by default. */
bool block_is_pseudo(const char *name);

/* The best identity that sysfs gives, with its kind in front: wwid, cid, serial, dm, partuuid,
 * path; "" when there is none. by_path takes where the device is plugged in, for devices that claim
 * the same identity (the logical units of some UFS devices). 0; or, for want of descriptors or
 * memory (is_want()), the error, with "" for an identity: a worse one would pass for another
 * device. */
MUST_CHECK int block_identity(struct hw *hw, const char *name, bool by_path, char *buf,
			      size_t size);

/* Of several devices, names[i] with identities[i]: those that claim the same identity are told
 * apart by where they are plugged in, and what is still the same is none. A name that is no block
 * device (a card without a disk: "") has no place. Each identity has size bytes. Errors as those of
 * block_identity(). */
MUST_CHECK int block_tell_apart(struct hw *hw, const char *const *names, char *const *identities,
				size_t n, size_t size);

/* The identities of several devices as they are stored: block_identity() of each, told apart. */
MUST_CHECK int block_identities(struct hw *hw, const char *const *names, char *const *identities,
				size_t n, size_t size);
