/* The IO path from the newest values of the collectors: which layers a read of a file passes, down
 * to the device, and what is known of each. A pure function: nothing is read here, so it says the
 * same of a running machine, a recorded tree and the file of a dead unit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/facts.h"
#include "model/iopath.h"

/* Whether the rows of a group are of use here, and of these a field. */
bool iopath_needs(const char *group);
bool iopath_needs_field(const char *group, const char *field);

#define IOPATH_PROBLEM_MAX 512

/* The metrics that are made use of, for tests of their names. false past the end. */
bool iopath_metric(size_t index, const char **ret_group, const char **ret_field);

/* of: "" for all paths of the machine, else a mount point or an absolute path in it, or the name of
 * a device: disk, partition, dm device (also by its dm name), controller, with or without /dev in
 * front: then all paths that it is a part of, or else its own way down. A path in a mount is taken
 * from its name, whether the file is there or not; then taken_from says so.
 *
 * -ENOENT when of names nothing that is known, with ret_problem telling what is; -ENODATA when
 * there are no rows to say anything from; -ENOMEM. On error *ret is empty. The caller releases *ret
 * with iopaths_done(). */
MUST_CHECK int iopath_find(const struct facts *facts, const char *of, struct iopaths *ret,
			   char ret_problem[IOPATH_PROBLEM_MAX]);
