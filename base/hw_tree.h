/* What a recorded tree says in place of the machine: planned errors and free space.
 * Used by hw.c alone. */
#pragma once

#include <stddef.h>

#include "base/hw.h"

struct hw_tree;

/* Reads ERRORS and STATVFS below root_fd; both may be missing. -EINVAL on a malformed line of
 * ERRORS, or when one of them is no file; a malformed line of STATVFS counts as not recorded.
 * -EFBIG beyond 4 MiB. */
int hw_tree_load(int root_fd, struct hw_tree **ret);
void hw_tree_free(struct hw_tree *tree);

/* Negative errno planned for the path, 1 if it shall read as empty, 0 if nothing is planned. */
int hw_tree_error(const struct hw_tree *tree, const char *path);
int hw_tree_space(const struct hw_tree *tree, const char *mount_point, struct hw_space *ret);
