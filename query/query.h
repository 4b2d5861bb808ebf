/* One engine for daemon and CLI: a metric over a window in steps, streamed.
 *
 * A window is wall-clock time. Inside of it each boot of a node is a series of its own. A step is a
 * bucket (from + i * step, from + (i+1) * step], the last one cut at the end of the window. A
 * sample stands in the bucket of its planned time, so that jitter does not move it; a rate divides
 * by the time that its increases really span. An increase between two samples counts in the bucket
 * of the later one, also across a gap.
 *
 * Aggregates, by what the metric is:
 * - counter, and what scales it:  rate (default; mean is the same), min and max of the rates
 * between two samples, increase (sum is the same), last (the count itself).
 * - gauge, and what scales it:    mean (default), min, max, sum, last.
 * - quotient or rest of two gauges: mean (default; of the sums of both), min, max, last.
 * - mean, share, average:         mean (default; over all that increased in the bucket), min, max,
 *   last (between the last two samples).
 * - state, and a gauge without a unit (a code, bits, a switch): last (default), min, max. They have
 * no mean.
 *
 * A wall time may stand for two moments: a clock that was set back may have shown it twice, and two
 * boots may have the same times; the head names these. What the clock showed as a time of the
 * window before it was set back comes along, as series of their own (as_shown).
 *
 * Where a counter fell or a node came anew there is no increase. A value whose flag keeps it out
 * (flag_keeps_out()) is not in min, mean, max and sum of gauges nor in min and max of rates; an
 * implausible one is in nothing that is made from increases. last shows it. The point carries the
 * flag.
 *
 * Of a group that is read once a minute or less often, what each node had last before the window
 * comes after the series: of at most QUERY_BEFORE_MS before, and not of what is made from increases
 * alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/points.h"
#include "store/reader.h"

#define QUERY_POINTS_MAX 11000
#define QUERY_BEFORE_MS  INT64_C(2592000000) /* 30 days */

enum agg { AGG_DEFAULT, AGG_RATE, AGG_INCREASE, AGG_SUM, AGG_MIN, AGG_MEAN, AGG_MAX, AGG_LAST };

const char *agg_name(enum agg agg);

/* As given by a user; NULL or "" takes the default. */
struct query_params {
	const char *metric; /* "diskstats.read_bytes" */
	const char *node;   /* name or identity; default: all nodes */
	const char *from;   /* default an hour before to, or three periods of the group, a week at
			     * most; see query_time() */
	const char *to;     /* default now */
	const char *step; /* default window / 300, on whole seconds, not below the group's period */
	const char *agg;  /* default by kind: rate, mean, last */
};

/* Why a request cannot be answered; parameter names the one at fault. */
struct problem {
	char parameter[32];
	char detail[256];
};

/* Reads a time: RFC 3339, seconds since 1970 (with optional fraction), "now", "-1h" (before now),
 * or BOOT+MS ("3+120000": boot 3 of the file, 120 s after its start). boots as reader_boots() gives
 * them. -EINVAL with *ret_problem otherwise. */
int query_time(const char *text, int64_t now_wall_ms, const struct boot *boots, size_t n_boots,
	       int64_t *ret_wall_ms, struct problem *ret_problem);

#define QUERY_AMBIGUOUS_MAX 32

/* What is to be known of a window that lists are made for: its times that stand for more than one
 * moment, and when the clock showed times of it that are not in it (POINTS_AS_SHOWN). Returns how
 * many, at most max, or the error of the reader. */
MUST_CHECK int query_ambiguous(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
			       struct points_ambiguity *ret, size_t max);

struct query;

/* -EINVAL with *ret_problem when a parameter is wrong (also: more than QUERY_POINTS_MAX points, a
 * node that the collector never had), else the error of the reader. The catalog and the reader have
 * to outlive the query. */
int query_open(struct reader *reader, const struct catalog *catalog,
	       const struct query_params *params, int64_t now_wall_ms, struct query **ret,
	       struct problem *ret_problem);
void query_close(struct query *query);
void query_closep(struct query **query);

/* What was understood. */
struct query_plan {
	struct metric metric;
	enum agg agg;
	enum unit unit; /* of the results; a rate is this per second */
	bool per_second;
	int64_t from_wall_ms, to_wall_ms, step_ms;
};

const struct query_plan *query_plan(const struct query *query);

/* The same for the writers of export/. */
void query_head(const struct query *query, struct points_head *ret);

/* Streams the result: 1 with *ret, 0 at the end, -errno. Memory is bounded by one chunk; nothing of
 * the database is held between calls. What *ret points to is valid until the next call. self is a
 * struct query *, so that this is a source of points_stream(). */
int query_next(void *self, struct points_item *ret);
