/* A query's answer for people: one line for each time, one column for each node. */
#pragma once

#include <stdio.h>

#include "model/catalog.h"
#include "model/points.h"

/* next and source as for points_stream(). metric is that of the head, for the names of states; NULL
 * when this build does not know it. is_here: of the machine that it is shown on. 0, -E2BIG when the
 * answer is too long for a table, or -errno.
 */
int query_table_print(const struct points_head *head, const struct metric *metric, bool is_here,
		      int (*next)(void *source, struct points_item *ret), void *source, FILE *out);
