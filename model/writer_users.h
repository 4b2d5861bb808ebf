/* What users have written and read, by /proc/uid_io/stats of Android's kernels: each app is a user
 * there. The kernel counts what has ended, too. drivers/misc/uid_sys_stats.c */
#pragma once

#include <stddef.h>

#include "model/writer_top.h"

struct hw;
struct writer_users;
struct writer_packages;

#define WRITER_USERS_MAX    1024
#define WRITER_PACKAGES_MAX 1024

/* Kept by hw. NULL without memory. */
struct writer_users *writer_users_of(struct hw *hw);

/* What each has written since the look before, into top. packages may be NULL. */
MUST_CHECK int writer_users_look(struct writer_users *users, struct hw *hw,
				 const struct writer_packages *packages, struct writer_top *top);

struct writer_users_stats {
	size_t n_known, n_left_out; /* for want of room */
	struct writer_io io;        /* of all since the start */
};

void writer_users_get(const struct writer_users *users, struct writer_users_stats *ret);

/* Which package is which user, by /data/system/packages.list, which is on a disk: read once.
 * -ENOENT where there is none, -EACCES. free() releases it. */
MUST_CHECK int writer_packages_read(struct hw *hw, struct writer_packages **ret);
