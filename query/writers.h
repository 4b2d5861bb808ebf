/* Who has written in a window of time, added up over whole hours. */
#pragma once

#include <stdint.h>

#include "model/writers.h"
#include "store/reader.h"

/* What a cgroup has more than its processes is told from this on: below, it is what a file system
 * writes for itself, and what was made dirty before the window. */
#define WRITERS_UNSEEN_LEAST_BYTES INT64_C(1048576)

/* Of the hours that touch from..to (wall clock). WRITERS_BY_ANY becomes the first account that
 * there is: processes, units, users. The caller releases with writers_report_done(). Errors as
 * those of the reader. */
MUST_CHECK int query_writers(struct reader *reader, enum writers_by by, int64_t from_wall_ms,
			     int64_t to_wall_ms, struct writers_report *ret);
