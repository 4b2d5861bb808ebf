/* One engine for daemon and CLI: a metric over a window in steps, streamed.
 *
 * A window is wall-clock time. Inside of it each boot of a node is a series of its own. A step is a
 * bucket (from + i * step, from + (i+1) * step]; an increase between two samples counts in the
 * bucket of the later one, and a rate divides by the time that its increases really span. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/decimal.h"
#include "store/reader.h"

#define QUERY_POINTS_MAX 11000

enum agg { AGG_DEFAULT, AGG_RATE, AGG_INCREASE, AGG_SUM, AGG_MIN, AGG_MEAN, AGG_MAX, AGG_LAST };

const char *agg_name(enum agg agg);

/* As given by a user; NULL or "" takes the default. */
struct query_params {
	const char *metric; /* "diskstats.read_bytes" */
	const char *node;   /* default: all nodes */
	const char *from;   /* default -1h; see query_time() */
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

struct query;

/* -EINVAL with *ret_problem when a parameter is wrong (also: more than QUERY_POINTS_MAX points),
 * else the error of the reader. */
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

enum query_item_type { QUERY_SERIES, QUERY_POINT, QUERY_SERIES_END };

struct query_item {
	enum query_item_type type;
	/* QUERY_SERIES, and the same until its end */
	const struct series_key *series;
	const struct boot *boot;
	/* QUERY_POINT: the end of the bucket */
	int64_t wall_ms;
	int64_t boot_ms;
	bool has_value; /* false: no sample in this bucket */
	struct decimal value;
	uint8_t flag; /* enum flag of the values */
};

/* Streams the result: 1 with *ret, 0 at the end, -errno. Memory is bounded by one chunk; nothing of
 * the database is held between calls. */
int query_next(struct query *query, struct query_item *ret);
