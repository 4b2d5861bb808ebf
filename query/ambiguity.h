/* Which wall times of a window stand for more than one moment. Private to query/. */
#pragma once

#include "model/points.h"
#include "query/query.h"

#define AMBIGUITY_SPANS_MAX 32

/* A stretch of a boot in which the clock showed other times than those that hold now. */
struct shown_span {
	int64_t boot;
	int64_t from_ms, to_ms; /* boot clock, the samples behind from and up to to */
	int64_t shown_offset_ms, wall_offset_ms; /* as it was, and as it holds */
};

struct ambiguity {
	struct points_ambiguity items[POINTS_AMBIGUITIES_MAX]; /* what is past them is left out */
	size_t n;
	struct shown_span spans[AMBIGUITY_SPANS_MAX];
	size_t n_spans;
};

/* Times of the window that the clock of a boot has shown twice, between its first and its last
 * sample. spans: what was sampled while the clock showed a time of the window, before it was set
 * back, and does not lie in it by the offset that holds. 0 or the error of the reader. */
MUST_CHECK int ambiguity_of_steps(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
				  struct ambiguity *ret);

/* Boots whose times overlap within the window: boots are those of which there are series, each
 * once. */
MUST_CHECK int ambiguity_of_boots(struct reader *reader, const int64_t *boots, size_t n_boots,
				  int64_t from_wall_ms, int64_t to_wall_ms, struct ambiguity *ret);
