#include "query/bucket.h"

static void add_extreme(struct bucket *bucket, struct decimal value)
{
	if (!bucket->has_extremes || decimal_compare(value, bucket->min) < 0)
		bucket->min = value;
	if (!bucket->has_extremes || decimal_compare(value, bucket->max) > 0)
		bucket->max = value;
	bucket->has_extremes = true;
}

static void set_last(struct bucket *bucket, struct decimal value, uint8_t flag, int64_t t_ms)
{
	bucket->last = value;
	bucket->last_ms = t_ms;
	bucket->has_last = true;
	bucket->last_flag = flag;
}

static bool wants_extremes(const struct query_plan *plan)
{
	return plan->agg == AGG_MIN || plan->agg == AGG_MAX;
}

void bucket_add_value(struct bucket *bucket, const struct query_plan *plan,
		      const struct derive_point *point, uint8_t flag)
{
	struct decimal value;

	if (!wants_extremes(plan) && plan->agg != AGG_LAST) {
		if (!flag_keeps_out((enum flag)flag))
			derive_add_value(&bucket->sum, &plan->metric, point);
	} else if (derive_value(&plan->metric, point, &value)) {
		if (plan->agg == AGG_LAST)
			set_last(bucket, value, flag, point->t_ms);
		else if (!flag_keeps_out((enum flag)flag))
			add_extreme(bucket, value);
	}
	if (flag)
		bucket->flag = flag;
}

void bucket_add_step(struct bucket *bucket, const struct query_plan *plan,
		     const struct derive_point *before, const struct derive_point *after,
		     uint8_t flag)
{
	struct derive_sum one = {0};
	struct decimal value;

	if (flag)
		bucket->flag = flag;
	/* As one that fell, which it may have made up for since. */
	if (flag == FLAG_RESET) {
		bucket->sum.n_reset++;
		return;
	}
	if (!wants_extremes(plan) && plan->agg != AGG_LAST) {
		derive_add_step(&bucket->sum, &plan->metric, before, after);
		return;
	}
	if (derive_add_step(&one, &plan->metric, before, after) != DERIVE_ADDED ||
	    !derive_rate(&plan->metric, &one, &value))
		return;
	if (plan->agg == AGG_LAST)
		set_last(bucket, value, flag, after->t_ms);
	else if (!flag_keeps_out((enum flag)flag))
		add_extreme(bucket, value);
}

/* A counter's last is its count, which is no increase. */
static bool last_value(const struct metric *metric, const struct rollup *rollup,
		       struct decimal *ret)
{
	const struct derive_sum count = {.a = rollup->last.num, .n = 1};

	if (!rollup->has_last)
		return false;
	if (metric->kind == KIND_COUNTER)
		return derive_mean(metric, &count, ret);
	return rollup_value(metric, rollup->last, ret);
}

static void add_sums(struct bucket *bucket, const struct rollup *rollup)
{
	bucket->lost |= rollup->lost;
	bucket->sum.a += rollup->a;
	bucket->sum.b += rollup->b;
	bucket->sum.n += rollup->n;
	bucket->sum.span_ms += rollup->span_ms;
}

void bucket_add_rollup(struct bucket *bucket, const struct query_plan *plan,
		       const struct rollup *rollup, int64_t end_ms)
{
	const struct metric *metric = &plan->metric;
	bool counts = metric->kind == KIND_COUNTER && plan->agg == AGG_LAST;
	uint8_t flag = metric_is_delta(metric) && !counts ? rollup->step_flag : rollup->flag;
	struct decimal value;

	if (flag)
		bucket->flag = flag;
	if (plan->agg == AGG_LAST) {
		if (last_value(metric, rollup, &value))
			set_last(bucket, value, rollup->last_flag, end_ms);
	} else if (!wants_extremes(plan)) {
		add_sums(bucket, rollup);
	} else if (rollup->has_extremes) {
		if (rollup_value(metric, rollup->min, &value))
			add_extreme(bucket, value);
		if (rollup_value(metric, rollup->max, &value))
			add_extreme(bucket, value);
	}
}

static bool value_of(const struct bucket *bucket, const struct query_plan *plan,
		     struct decimal *ret)
{
	const struct metric *metric = &plan->metric;

	if (bucket->lost)
		return false;
	switch (plan->agg) {
	case AGG_DEFAULT:
		return false;
	case AGG_MIN:
	case AGG_MAX:
		*ret = plan->agg == AGG_MIN ? bucket->min : bucket->max;
		return bucket->has_extremes;
	case AGG_LAST:
		*ret = bucket->last;
		return bucket->has_last;
	case AGG_RATE:
		return derive_rate(metric, &bucket->sum, ret);
	case AGG_INCREASE:
		return derive_increase(metric, &bucket->sum, ret);
	case AGG_MEAN:
		return metric_is_delta(metric) ? derive_rate(metric, &bucket->sum, ret)
					       : derive_mean(metric, &bucket->sum, ret);
	case AGG_SUM:
		return metric_is_delta(metric) ? derive_increase(metric, &bucket->sum, ret)
					       : derive_total(metric, &bucket->sum, ret);
	}
	return false;
}

bool bucket_result(const struct bucket *bucket, const struct query_plan *plan,
		   struct points_item *ret)
{
	ret->has_value = value_of(bucket, plan, &ret->value);
	ret->flag = plan->agg == AGG_LAST ? bucket->last_flag : bucket->flag;
	return ret->has_value || ret->flag;
}
