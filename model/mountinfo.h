/* One line of /proc/self/mountinfo, taken apart strictly.
 * Kernel: Documentation/filesystems/proc.rst section 3.5, fs/proc_namespace.c */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parse.h"
#include "model/block.h"

/* Slices of the line; text in them is still escaped. */
struct mount {
	int64_t id, parent_id;
	int64_t major, minor; /* major 0: anonymous, no block device stands behind it */
	struct slice root;    /* the part of the file system that is mounted */
	struct slice mount_point;
	struct slice options; /* of this mount */
	struct slice tags;    /* "shared:2 master:1", often empty */
	struct slice fs_type;
	struct slice source;
	struct slice super_options; /* to the end of the line: some file systems print blanks */
};

/* -EINVAL when the line is none of mountinfo. */
int mountinfo_parse(struct slice line, struct mount *ret);

/* Copies with the octal escapes undone (exactly three digits each) and NUL as "?"; cut at size - 1.
 * Returns false when it was cut. */
bool mountinfo_unescape(struct slice text, char *buf, size_t size);

/* The block device of a mount: by its number, or by the source where that is anonymous (btrfs).
 * -ENOENT when there is none. */
int mountinfo_device(struct hw *hw, const struct mount *mount, char name[BLOCK_NAME_MAX]);
