#include "cli/cells.h"

#include "model/people.h"
#include "model/sink.h"

/* A whole number may come with decimals that are zero. */
static bool whole_number(struct decimal value, int64_t *ret)
{
	for (; value.decimals; value.decimals--, value.value /= 10)
		if (value.value % 10)
			return false;
	*ret = value.value;
	return true;
}

static const char *state_name(const struct metric *metric, struct decimal value)
{
	const char *const *states;
	int64_t number;

	if (!metric || metric->kind != KIND_STATE || metric->derived ||
	    !whole_number(value, &number) || number < 0)
		return NULL;
	states = metric->group->fields[metric->a].states;
	for (int64_t i = 0; states && states[i]; i++)
		if (i == number)
			return states[i];
	return NULL;
}

/* 308 K is 34.85 degC, but was measured as 308 K: 35 degC. */
static struct decimal whole_units(struct decimal value, enum unit unit)
{
	struct decimal whole = {.value = value.value};
	unsigned drop = value.decimals + unit_decimals(unit);

	for (; drop > 1; drop--)
		whole.value /= 10;
	if (drop)
		whole.value = (whole.value + (whole.value < 0 ? -5 : 5)) / 10;
	for (unsigned i = 0; i < unit_decimals(unit); i++)
		if (__builtin_mul_overflow(whole.value, 10, &whole.value))
			return value;
	return whole;
}

static bool is_whole(const struct metric *metric)
{
	return metric && !metric->derived && metric->group->fields[metric->a].is_whole;
}

void cell_value(struct text *text, const struct metric *metric, struct decimal value,
		enum unit unit, bool per_second)
{
	const char *state = state_name(metric, value);

	if (state)
		text_str(text, state);
	else
		people_value(text, is_whole(metric) ? whole_units(value, unit) : value, unit,
			     per_second);
}

void cell_flag(struct text *text, uint8_t flag)
{
	if (flag)
		text_printf(text, " (%s)", flag_name((enum flag)flag));
}
