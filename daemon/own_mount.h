/* The mount that a file lies in, by the id that the kernel gives of an open file: a device number
 * does not tell where several mounts or the parts of one file system (btrfs) have one of their own.
 * Kernel: Documentation/filesystems/proc.rst sections 3.5 (mountinfo) and 3.8 (fdinfo) */
#pragma once

#include <limits.h>
#include <stdio.h>

#include "base/macros.h"
#include "model/mountinfo.h"

struct own_mount {
	struct mount mount; /* points into line */
	char *line;         /* owned */
};

/* Opens what is at the path, or the nearest folder above it that is there, to ask of it only
 * (O_PATH). The descriptor, or -errno: what is there cannot be seen. */
MUST_CHECK int own_mount_open(const char *path);

/* Of a file, or of the nearest folder above it that is there. -ENOENT: not in the table, or the
 * kernel gives no id (before 3.15); -ENOMEM, or the -errno of what was opened. */
MUST_CHECK int own_mount_find(const char *path, struct own_mount *ret);

/* The line with this id in a table. -ENOENT, -ENOMEM */
MUST_CHECK int own_mount_read(FILE *table, int64_t id, struct own_mount *ret);

void own_mount_done(struct own_mount *mount);

/* The folder that takes what is written to an overlay, as it was given to mount. false: no overlay,
 * or one that cannot be written. */
MUST_CHECK bool own_mount_upper(const struct mount *mount, char path[PATH_MAX]);
