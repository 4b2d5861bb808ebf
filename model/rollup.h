/* What a metric did within one minute or hour, so that every aggregate of it can be answered
 * without its samples. The same rules as query/query.h has for samples, and two rollups that touch
 * merge into that of both.
 *
 * Extremes and the last step are kept as the fraction that they are: numerator and denominator of
 * the value, before scaling.
 *
 *   counter, its scale, share or average   increase, ms of the step
 *   difference of two counters             difference of both increases, ms of the step
 *   mean (of two counters)                 both increases
 *   quotient or rest (of two gauges)       both values
 *   all else                               value (a difference is one), 1 */
#pragma once

#include "model/derive.h"

struct rollup_fraction {
	int64_t num, den; /* den > 0 but for a quotient of odd gauges */
};

struct rollup {
	/* Steps that were added, or values that count: those whose flag does not keep them out. */
	uint64_t n;
	wide_int a, b;   /* their sums, as in struct derive_sum */
	int64_t span_ms; /* of the steps */
	bool lost;       /* the sums went beyond 64 bits when it was kept: they are not known */
	struct rollup_fraction min, max;
	bool has_extremes;
	/* Of values, whether they count or not. A counter has its count here. */
	int64_t first;
	struct rollup_fraction last;
	bool has_last;
	uint8_t flag; /* the newest one of a value; of a derived one that is made of steps, 0 */
	uint8_t last_flag; /* of the last value or step */
	uint8_t step_flag; /* the newest one of a step */
};

/* What goes on from one sample to the next. Zeroed before the first of a run. */
struct rollup_state {
	bool has_baseline;
	struct derive_point baseline;
};

/* The flag of a metric of two fields: of two the one that weighs more, since where one field began
 * anew there is no step. */
uint8_t rollup_flag_of_two(uint8_t a, uint8_t b);

enum rollup_step { ROLLUP_NOTHING, ROLLUP_FLAGGED, ROLLUP_STEP };

/* What a point is to its series, of a metric that is made from increases: the end of a step that
 * began at *ret_before, implausible, so that all that it leaves is its flag, or nothing. A point
 * without all its fields, or with an implausible one, leaves the baseline where it is: the increase
 * that it missed comes with the next one, unless a field of it began anew. */
enum rollup_step rollup_step(struct rollup_state *state, const struct derive_point *point,
			     uint8_t flag, struct derive_point *ret_before);

/* Adds a sample. State goes on although the rollup is another one by then; NULL for *rollup: the
 * sample is only a baseline. */
void rollup_add(struct rollup *rollup, struct rollup_state *state, const struct metric *metric,
		const struct derive_point *point, uint8_t flag);

/* Adds what came later. */
void rollup_merge(struct rollup *rollup, const struct rollup *later);

/* Whether there is nothing in it. */
bool rollup_is_empty(const struct rollup *rollup);

/* The value of a fraction; false when it has none. */
bool rollup_value(const struct metric *metric, struct rollup_fraction fraction,
		  struct decimal *ret);
