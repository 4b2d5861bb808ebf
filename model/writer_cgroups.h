/* What cgroups have written and read, by io.stat of version 2, in bounded memory.
 *
 * The counters of a group are those of its descendants too, and stay with its parent when it is
 * removed. What a group alone has written is what its children have not; so a group that came and
 * went between two looks stands with its parent, as WRITER_UNSEEN where that is a slice.
 * Kernel: Documentation/admin-guide/cgroup-v2.rst, "IO Interface Files" and "Writeback" */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/writer_top.h"

struct hw;
struct writer_cgroups;

#define WRITER_CGROUPS_MAX      512
#define WRITER_CGROUP_DEVICES   4 /* that one group writes to; more are not told apart from none */
#define WRITER_CGROUP_DEPTH_MAX 10

/* Where the tree of version 2 is ("sys/fs/cgroup"); NULL: there is none. *ret_v1: one of version 1
 * is. */
const char *writer_cgroups_root(struct hw *hw, bool *ret_v1);

/* Kept by hw. NULL without memory. */
struct writer_cgroups *writer_cgroups_of(struct hw *hw);

/* Looks at all groups below root; what each has written since the look before goes into top.
 * -ENOENT: no group has io.stat. */
MUST_CHECK int writer_cgroups_look(struct writer_cgroups *cgroups, struct hw *hw, const char *root,
				   struct writer_top *top);

struct writer_cgroups_stats {
	size_t n_known;
	size_t n_left_out; /* of the last look: too many, too deep, or a path that is too long; they
			    * count with what is above them */
	struct writer_io io; /* of all since the start */
};

void writer_cgroups_get(const struct writer_cgroups *cgroups, struct writer_cgroups_stats *ret);
