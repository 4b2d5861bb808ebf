#include "model/derive.h"

#include "model/counter.h"

static bool has_values(const struct metric *metric, const struct derive_point *point)
{
	return point->has_a && (metric->a == metric->b || point->has_b);
}

static bool value_of(const struct row *row, size_t field, int64_t *ret)
{
	const struct value *value = &row->values[field];

	if (value->type != VALUE_INT)
		return false;
	*ret = value->i;
	return true;
}

struct derive_point derive_point_of(const struct metric *metric, const struct row *row,
				    int64_t t_ms)
{
	struct derive_point point = {.t_ms = t_ms};

	point.has_a = value_of(row, metric->a, &point.a);
	point.has_b = value_of(row, metric->b, &point.b);
	return point;
}

bool derive_has_reset(const struct group *group, const struct row *before, const struct row *after)
{
	for (size_t i = 0; i < group->n_fields; i++) {
		const struct field *field = &group->fields[i];
		int64_t old, new, increase;

		if (field->kind != KIND_COUNTER || !value_of(after, i, &new))
			continue;
		if (after->values[i].flag == FLAG_RESET ||
		    (value_of(before, i, &old) &&
		     !counter_increase(old, new, field->bits, &increase)))
			return true;
	}
	return false;
}

enum derive_step derive_add_step(struct derive_sum *sum, const struct metric *metric,
				 const struct derive_point *before,
				 const struct derive_point *after)
{
	const struct field *fields = metric->group->fields;
	int64_t a = 0, b = 0;

	if (!has_values(metric, before) || !has_values(metric, after) ||
	    after->t_ms <= before->t_ms)
		return DERIVE_NO_DATA;
	if (!counter_increase(before->a, after->a, fields[metric->a].bits, &a) ||
	    (metric->b != metric->a &&
	     !counter_increase(before->b, after->b, fields[metric->b].bits, &b))) {
		sum->n_reset++;
		return DERIVE_RESET;
	}
	sum->a += a;
	sum->b += metric->b == metric->a ? a : b;
	sum->span_ms += after->t_ms - before->t_ms;
	sum->n++;
	return DERIVE_ADDED;
}

bool derive_add_value(struct derive_sum *sum, const struct metric *metric,
		      const struct derive_point *point)
{
	if (!has_values(metric, point))
		return false;
	sum->a += point->a;
	sum->b += metric->b == metric->a ? point->a : point->b;
	sum->n++;
	return true;
}

/* What is linear in its fields: numerator and denominator of the field itself, of its scaling, of a
 * difference. false for the other forms. */
static bool linear(const struct metric *metric, wide_int a, wide_int b, wide_int *ret_num,
		   wide_int *ret_den)
{
	const struct derived *d = metric->derived;

	if (!d) {
		*ret_num = a;
		*ret_den = 1;
		return true;
	}
	if (d->how != DERIVE_SCALE && d->how != DERIVE_DIFF)
		return false;
	if (d->how == DERIVE_DIFF)
		a -= b;
	*ret_den = d->den;
	return !__builtin_mul_overflow(a, (wide_int)d->num, ret_num);
}

/* a * num / (b * den) */
static bool quotient(const struct derived *d, wide_int a, wide_int b, struct decimal *ret)
{
	wide_int num, den;

	return !__builtin_mul_overflow(a, (wide_int)d->num, &num) &&
	       !__builtin_mul_overflow(b, (wide_int)d->den, &den) &&
	       decimal_quotient(num, den, ret);
}

static struct decimal clamped(struct decimal d)
{
	if (decimal_compare(d, decimal_of(1)) > 0)
		return decimal_of(1);
	return d.value < 0 ? decimal_of(0) : d;
}

static bool per_second(const struct metric *metric, const struct derive_sum *sum,
		       struct decimal *ret)
{
	wide_int num, den;

	return linear(metric, sum->a, sum->b, &num, &den) &&
	       !__builtin_mul_overflow(num, (wide_int)1000, &num) &&
	       !__builtin_mul_overflow(den, (wide_int)sum->span_ms, &den) &&
	       decimal_quotient(num, den, ret);
}

bool derive_rate(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret)
{
	const struct derived *d = metric->derived;
	struct decimal share;

	if (!sum->n || sum->span_ms <= 0)
		return false;
	if (!d)
		return per_second(metric, sum, ret);
	switch (d->how) {
	case DERIVE_SCALE:
	case DERIVE_DIFF:
		return per_second(metric, sum, ret);
	case DERIVE_MEAN:
		return quotient(d, sum->a, sum->b, ret);
	case DERIVE_AVERAGE:
		return quotient(d, sum->a, sum->span_ms, ret);
	case DERIVE_SHARE:
		if (!quotient(d, sum->a, sum->span_ms, &share))
			return false;
		*ret = clamped(share);
		return true;
	case DERIVE_QUOTIENT:
	case DERIVE_REST:
		return false;
	}
	return false;
}

bool derive_increase(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret)
{
	wide_int num, den;

	return sum->n && linear(metric, sum->a, sum->b, &num, &den) &&
	       decimal_quotient(num, den, ret);
}

bool derive_total(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret)
{
	return derive_increase(metric, sum, ret);
}

bool derive_mean(const struct metric *metric, const struct derive_sum *sum, struct decimal *ret)
{
	wide_int num, den;

	if (!sum->n)
		return false;
	if (metric->derived && metric->derived->how == DERIVE_QUOTIENT)
		return quotient(metric->derived, sum->a, sum->b, ret);
	if (metric->derived && metric->derived->how == DERIVE_REST)
		return quotient(metric->derived, sum->b - sum->a, sum->b, ret);
	return linear(metric, sum->a, sum->b, &num, &den) &&
	       !__builtin_mul_overflow(den, (wide_int)sum->n, &den) &&
	       decimal_quotient(num, den, ret);
}

bool derive_value(const struct metric *metric, const struct derive_point *point,
		  struct decimal *ret)
{
	struct derive_sum one = {0};

	return derive_add_value(&one, metric, point) && derive_mean(metric, &one, ret);
}
