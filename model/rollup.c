#include "model/rollup.h"

uint8_t rollup_flag_of_two(uint8_t a, uint8_t b)
{
	if (b == FLAG_RESET && a != FLAG_IMPLAUSIBLE)
		return FLAG_RESET;
	return a ? a : b;
}

enum rollup_step rollup_step(struct rollup_state *state, const struct derive_point *point,
			     uint8_t flag, struct derive_point *ret_before)
{
	bool had = state->has_baseline;

	if (!point->has_a || !point->has_b) {
		state->has_baseline = had && flag != FLAG_RESET;
		return ROLLUP_NOTHING;
	}
	if (flag == FLAG_IMPLAUSIBLE)
		return ROLLUP_FLAGGED;
	*ret_before = state->baseline;
	state->baseline = *point;
	state->has_baseline = true;
	return had ? ROLLUP_STEP : ROLLUP_NOTHING;
}

static bool is_of_two(const struct metric *metric, enum derive a, enum derive b)
{
	return metric->derived && (metric->derived->how == a || metric->derived->how == b);
}

/* As fractions, denominators above 0 in all that comes from steps. */
static int compare(struct rollup_fraction x, struct rollup_fraction y)
{
	if (x.den == y.den && x.den > 0)
		return (x.num > y.num) - (x.num < y.num);

	wide_int a = (wide_int)x.num * y.den, b = (wide_int)y.num * x.den;
	int order = (a > b) - (a < b);

	return (x.den < 0) != (y.den < 0) ? -order : order;
}

static void add_extreme(struct rollup *rollup, struct rollup_fraction value)
{
	if (!rollup->has_extremes || compare(value, rollup->min) < 0)
		rollup->min = value;
	if (!rollup->has_extremes || compare(value, rollup->max) > 0)
		rollup->max = value;
	rollup->has_extremes = true;
}

static void set_last(struct rollup *rollup, int64_t first, struct rollup_fraction last,
		     uint8_t flag)
{
	if (!rollup->has_last)
		rollup->first = first;
	rollup->last = last;
	rollup->has_last = true;
	rollup->last_flag = flag;
}

static bool is_pair(const struct metric *metric)
{
	return metric->a != metric->b;
}

static int64_t difference(int64_t a, int64_t b)
{
	int64_t d;

	return __builtin_sub_overflow(a, b, &d) ? a > b ? INT64_MAX : INT64_MIN : d;
}

/* The fraction that a value is; false when it is divided by 0. */
static bool fraction_of_value(const struct metric *metric, const struct derive_point *p,
			      struct rollup_fraction *ret)
{
	if (!is_pair(metric))
		*ret = (struct rollup_fraction){p->a, 1};
	else if (is_of_two(metric, DERIVE_QUOTIENT, DERIVE_REST))
		*ret = (struct rollup_fraction){p->a, p->b};
	else
		*ret = (struct rollup_fraction){difference(p->a, p->b), 1};
	return ret->den != 0;
}

static bool fraction_of_step(const struct metric *metric, const struct derive_sum *one,
			     struct rollup_fraction *ret)
{
	int64_t a = (int64_t)one->a, b = (int64_t)one->b;

	if (is_of_two(metric, DERIVE_MEAN, DERIVE_MEAN))
		*ret = (struct rollup_fraction){a, b};
	else
		*ret = (struct rollup_fraction){is_pair(metric) ? difference(a, b) : a,
						one->span_ms};
	return ret->den != 0;
}

static void add_step(struct rollup *rollup, const struct metric *metric,
		     const struct derive_point *before, const struct derive_point *after,
		     uint8_t flag)
{
	struct derive_sum one = {0};
	struct rollup_fraction value;

	if (flag)
		rollup->step_flag = flag;
	/* As one that fell, which it may have made up for since. */
	if (flag == FLAG_RESET || derive_add_step(&one, metric, before, after) != DERIVE_ADDED)
		return;
	rollup->n++;
	rollup->a += one.a;
	rollup->b += one.b;
	rollup->span_ms += one.span_ms;
	if (!fraction_of_step(metric, &one, &value))
		return;
	if (!flag_keeps_out((enum flag)flag))
		add_extreme(rollup, value);
	if (metric->kind != KIND_COUNTER)
		set_last(rollup, 0, value, flag);
}

static void add_value(struct rollup *rollup, const struct metric *metric,
		      const struct derive_point *point, uint8_t flag)
{
	struct rollup_fraction value;
	bool counts = !flag_keeps_out((enum flag)flag) && metric->kind != KIND_COUNTER;

	if (flag)
		rollup->flag = flag;
	if (counts) {
		rollup->n++;
		rollup->a += point->a;
		rollup->b += point->b;
	}
	if (!fraction_of_value(metric, point, &value))
		return;
	if (counts)
		add_extreme(rollup, value);
	set_last(rollup, point->a, value, flag);
}

void rollup_add(struct rollup *rollup, struct rollup_state *state, const struct metric *metric,
		const struct derive_point *point, uint8_t flag)
{
	bool delta = metric_is_delta(metric);
	struct derive_point before;

	/* A counter has both: its count, and its steps. */
	if (rollup && point->has_a && point->has_b && (!delta || metric->kind == KIND_COUNTER))
		add_value(rollup, metric, point, flag);
	if (!delta)
		return;
	switch (rollup_step(state, point, flag, &before)) {
	case ROLLUP_NOTHING:
		break;
	case ROLLUP_FLAGGED:
		if (rollup)
			rollup->step_flag = flag;
		break;
	case ROLLUP_STEP:
		if (rollup)
			add_step(rollup, metric, &before, point, flag);
		break;
	}
}

void rollup_merge(struct rollup *rollup, const struct rollup *later)
{
	rollup->n += later->n;
	rollup->a += later->a;
	rollup->b += later->b;
	rollup->span_ms += later->span_ms;
	rollup->lost |= later->lost;
	if (later->has_extremes) {
		add_extreme(rollup, later->min);
		add_extreme(rollup, later->max);
	}
	if (later->has_last)
		set_last(rollup, later->first, later->last, later->last_flag);
	if (later->flag)
		rollup->flag = later->flag;
	if (later->step_flag)
		rollup->step_flag = later->step_flag;
}

bool rollup_is_empty(const struct rollup *rollup)
{
	return !rollup->n && !rollup->has_last && !rollup->flag && !rollup->step_flag;
}

bool rollup_value(const struct metric *metric, struct rollup_fraction fraction, struct decimal *ret)
{
	struct derive_sum one = {.a = fraction.num, .n = 1, .span_ms = 1};

	if (!metric_is_delta(metric)) {
		one.b = fraction.den;
		if (is_pair(metric) && !is_of_two(metric, DERIVE_QUOTIENT, DERIVE_REST))
			one.b = 0;
		return derive_mean(metric, &one, ret);
	}
	if (is_of_two(metric, DERIVE_MEAN, DERIVE_MEAN)) {
		one.b = fraction.den;
	} else {
		one.b = 0;
		one.span_ms = fraction.den;
	}
	return derive_rate(metric, &one, ret);
}
