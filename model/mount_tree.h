/* Which mount a path leads to, among many: the kernel walks down from the root and enters what is
 * mounted at each place that it comes by, so a mount below a place that was mounted over later
 * cannot be reached, however well its name fits.
 * Kernel: Documentation/filesystems/proc.rst section 3.5 (ids),
 * Documentation/filesystems/path-lookup.rst */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mount_place {
	int64_t id, parent_id; /* of mountinfo; -1: not known */
	const char *point;     /* absolute, unescaped */
};

/* Index of the mount that an absolute path without links and dots lies in. A mount whose parent is
 * not among them may stand anywhere below. -ENOENT when there is none. Takes n * depth steps. */
int mount_tree_find(const struct mount_place *places, size_t n, const char *path,
		    size_t *ret_index);
