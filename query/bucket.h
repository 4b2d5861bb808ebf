/* One bucket of one series while it fills. Private to query/. */
#pragma once

#include "model/rollup.h"
#include "query/query.h"

struct bucket {
	struct derive_sum sum; /* of what counts for sum, mean, rate and increase */
	struct decimal min, max;
	bool has_extremes;
	struct decimal last;
	int64_t last_ms; /* when it was read, boot clock */
	bool has_last;
	uint8_t flag;      /* the newest flag in the bucket */
	uint8_t last_flag; /* of the last value */
	bool lost;         /* a sum in it is not known */
};

/* A value that is not made from increases, or the raw value of a counter for AGG_LAST. */
void bucket_add_value(struct bucket *bucket, const struct query_plan *plan,
		      const struct derive_point *point, uint8_t flag);

/* The step between two points of one run. */
void bucket_add_step(struct bucket *bucket, const struct query_plan *plan,
		     const struct derive_point *before, const struct derive_point *after,
		     uint8_t flag);

/* What happened in a minute or an hour that ended at end_ms. */
void bucket_add_rollup(struct bucket *bucket, const struct query_plan *plan,
		       const struct rollup *rollup, int64_t end_ms);

/* Whether the bucket has something to show: sets has_value, value and flag of *ret. */
bool bucket_result(const struct bucket *bucket, const struct query_plan *plan,
		   struct points_item *ret);
