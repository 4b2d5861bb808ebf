/* The mounted file systems of one driver that has a directory in sysfs for each of them, by the
 * name of its device (/sys/fs/ext4/sda1, /sys/fs/f2fs/dm-47), and whether others are mounted by
 * now: to mount one sends no uevent, so the table of mounts has to be looked at.
 * Kernel: Documentation/admin-guide/ext4.rst, Documentation/ABI/testing/sysfs-fs-f2fs,
 * Documentation/filesystems/proc.rst section 3.5 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "model/block.h"
#include "model/sink.h"

struct fs_device {
	char name[BLOCK_NAME_MAX];        /* of the block device, as diskstats has it */
	char dir_name[BLOCK_NAME_MAX];    /* of its directory: "/" is "!" */
	char dir[HW_PATH_MAX];            /* "sys/fs/ext4/sda1" */
	char identity[NODE_IDENTITY_MAX]; /* as of block_identities() */
	char *mount_point;                /* the first; NULL when this process sees none */
};

struct fs_devices {
	struct fs_device *v;
	size_t n;
};

struct probe;

/* What tells a driver's file systems. All strings are constants. */
struct fs_driver {
	const char *name;          /* for people: "ext4" */
	const char *option;        /* of the kernel: "CONFIG_EXT4_FS" */
	const char *denied_advice; /* when dir may not be listed */
	const char *dir;           /* "sys/fs/ext4" */
	const char *const *files;  /* a directory with none of these is no file system; NULL ends */
	const char *const *fs_types; /* in mountinfo: a driver may serve several; NULL at the end */
};

/* For CLEANUP(). */
void fs_devices_done(struct fs_devices *devices);

/* What is mounted of this driver, as one number to compare. */
struct fs_watch {
	const struct fs_driver *driver;
	struct hw_file file;
	char *text;
	size_t size;
	uint64_t mark;
};

/* Remembers what is mounted now. -ENOMEM, or the error of opening or reading
 * /proc/self/mountinfo: then nothing is owned and nothing is watched. */
int fs_watch_open(struct hw *hw, struct fs_watch *ret, const struct fs_driver *driver);
/* Also for one that is zero-initialised. */
void fs_watch_close(struct fs_watch *watch);

/* Whether something was mounted or unmounted since. Allocates nothing unless mountinfo has grown
 * much; false when it cannot be read. */
bool fs_watch_changed(struct hw *hw, struct fs_watch *watch);

/* What a collector's probe begins with: watches the mounts, then finds the file systems; what is
 * mounted in between is a change. Where there are none it says why of the collector, and goes on
 * with none as long as a first mount may change that. Whether the module is loaded does not matter:
 * what is mounted has loaded it. They are sorted by name, at most SINK_ROWS_MAX. The error of
 * listing the driver's directory, or of want of memory or descriptors. The caller releases both
 * results, also after an error. */
int fs_devices_probe(struct hw *hw, struct probe *probe, const struct fs_driver *driver,
		     struct fs_watch *ret_watch, struct fs_devices *ret);
