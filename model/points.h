/* The answer to a query as a sequence of items: what the query layer gives and the writers take. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/decimal.h"
#include "model/unit.h"

/* Wall times of the window that stand for more than one moment. */
enum points_why {
	POINTS_CLOCK_STEP, /* the clock was set back, and showed them twice */
	POINTS_TWO_BOOTS,  /* two boots have them, since one of their clocks was wrong */
	/* The clock showed times of the window at these, which lie outside of it, before it was set
	 * back. Of a query these are series of their own. */
	POINTS_AS_SHOWN,
};

#define POINTS_AMBIGUITIES_MAX 16

struct points_ambiguity {
	enum points_why why;
	int64_t boot, other_boot; /* other_boot: of two boots */
	int64_t at_ms;            /* boot clock of the step */
	int64_t from_wall_ms, to_wall_ms;
};

/* What was asked for, as it was understood. The strings live as long as the catalog, metric as long
 * as the query. */
struct points_head {
	const char *metric; /* "diskstats.read_bytes" */
	const char *agg, *kind, *help;
	enum unit unit;
	bool per_second; /* the values are the unit per second */
	int64_t from_wall_ms, to_wall_ms, step_ms;
	const struct points_ambiguity *ambiguous; /* they live as long as the query */
	size_t n_ambiguous;
};

/* Up to when a resolution answers: "hour", "minute", "raw". */
struct points_source {
	const char *resolution;
	int64_t until_wall_ms;
};

#define POINTS_SOURCES_MAX 8

/* One node in one boot. */
struct points_series {
	const char *node, *identity;
	int64_t boot; /* its number in the file */
	const char *boot_id;
	int64_t wall_offset_ms;                           /* wall = boot clock + this */
	struct points_source sources[POINTS_SOURCES_MAX]; /* in the order of time */
	size_t n_sources;
	bool as_shown; /* by the clock as it was before it was set back: the offset that holds
			* puts these samples elsewhere */
};

enum points_type {
	POINTS_SERIES,     /* a series begins */
	POINTS_POINT,      /* one bucket of it */
	POINTS_SERIES_END, /* the series is over */
	/* After all series, of a group that is read seldom: the last good value that a node had
	 * before the window. A counter has its count. wall_ms and boot_ms: when it was read. */
	POINTS_BEFORE,
	POINTS_DAMAGE, /* a piece of the file could not be read; what it held is missing */
};

struct points_item {
	enum points_type type;
	/* POINTS_SERIES, and the same until its end; POINTS_BEFORE */
	const struct points_series *series;
	/* POINTS_POINT: the end of the bucket, on both clocks */
	int64_t wall_ms, boot_ms;
	bool has_value; /* false: no sample in this bucket, or none that counts */
	struct decimal value;
	uint8_t flag; /* enum flag of the values in it */
};
