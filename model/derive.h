/* Computing what is derived: rates of counters, and the derived quantities of a group. Everything
 * that shows a number goes through here, so that every interface shows the same one.
 *
 * Quantities made from increases (metric_is_delta()) are gathered step by step in a derive_sum and
 * then divided once: over one step, or over all steps of a bucket. The others have a value at each
 * sample; their sum divides into a mean. Nothing is rounded before the last division.
 *
 * Results are in the unit of the metric, a rate in that unit per second. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/decimal.h"
#include "model/sink.h"

/* The fields of a metric at one time. With one field b is the same as a. */
struct derive_point {
	int64_t t_ms; /* when it was really sampled */
	int64_t a, b;
	bool has_a, has_b; /* false: absent or failed */
};

struct derive_sum {
	wide_int a, b;    /* of increases, or of values */
	int64_t span_ms;  /* the time that the increases really span */
	uint64_t n;       /* steps or values in it */
	uint64_t n_reset; /* steps left out because a counter fell back */
};

enum derive_step {
	DERIVE_ADDED,
	DERIVE_NO_DATA, /* a field has no value at one end, or no time went by */
	DERIVE_RESET,   /* a counter fell, and not by a wrap: the later point is only a baseline */
};

/* The point of a metric in a row of its group. */
struct derive_point derive_point_of(const struct metric *metric, const struct row *row,
				    int64_t t_ms);

/* Whether a counter of the group fell from one row of a node to the next, and not by a wrap, or the
 * collector flagged one as reset: then the node began anew, and no counter of it has an increase
 * over this step, also one that has overtaken its old value by now. */
bool derive_has_reset(const struct group *group, const struct row *before, const struct row *after);

/* For quantities made from increases: adds the step between two points of one run of a node. On
 * anything but DERIVE_ADDED only n_reset changes. A later point that is flagged as reset is no
 * step, which the caller sees to: points have no flags. */
enum derive_step derive_add_step(struct derive_sum *sum, const struct metric *metric,
				 const struct derive_point *before,
				 const struct derive_point *after);

/* For the others: adds the value at a point. false, and nothing added, when it has none. */
bool derive_add_value(struct derive_sum *sum, const struct metric *metric,
		      const struct derive_point *point);

/* Of increases: a counter per second; a mean, share or average itself. false when there is no
 * data: no step, or nothing to divide by (no request, no latency). */
bool derive_rate(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret);

/* Of increases: what a counter grew by. false without a step, or for a mean, share or average. */
bool derive_increase(const struct metric *metric, const struct derive_sum *sum,
		     struct decimal *ret);

/* Of values: the sum, and the mean. A quotient is taken of the sums of both fields, so the mean of
 * a quotient weighs its samples by what they divide by; it has no sum (false). */
bool derive_total(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret);
bool derive_mean(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret);

/* The value at one point: the field itself, or scaled, or the difference or quotient of two. Also
 * for counters, where it is the count since the start. false when a field has no value, on a
 * division by 0, and for a mean, share or average, which need a step. */
bool derive_value(const struct metric *metric, const struct derive_point *point,
		  struct decimal *ret);
