#include "model/mmc_life.h"

#include <stdbool.h>

#include "model/mmc.h"

enum { N_PRE_EOL = 4 };

const char *const mmc_pre_eol_states[N_PRE_EOL + 1] = {"undefined", "normal", "warning", "urgent",
						       NULL};

static void set(struct row *row, const struct mmc_life_fields *fields, size_t field, int64_t value)
{
	row_set(row, field, value);
	row_flag(row, field, fields->flag);
}

static void set_code(struct row *row, const struct mmc_life_fields *fields, size_t field,
		     size_t low, int64_t code)
{
	struct mmc_used used;

	if (!code)
		return;
	set(row, fields, field, code);
	if (!mmc_life_used(code, &used)) {
		row_flag(row, field, FLAG_IMPLAUSIBLE);
		return;
	}
	set(row, fields, low, used.low_percent);
	if (used.has_high)
		set(row, fields, low + 1, used.high_percent);
}

/* It says nothing, or what it says has a range. */
static bool is_bounded(const struct row *row, size_t code_field, size_t low)
{
	return row->values[code_field].type == VALUE_ABSENT || row->values[low].type == VALUE_INT;
}

static void set_worse(struct row *row, const struct mmc_life_fields *fields)
{
	const struct value *a = &row->values[fields->used_a], *b = &row->values[fields->used_b];
	size_t worse = a->type != VALUE_INT || (b->type == VALUE_INT && b->i > a->i)
			       ? fields->used_b
			       : fields->used_a;

	if (row->values[worse].type != VALUE_INT)
		return;
	set(row, fields, fields->used, row->values[worse].i);
	if (row->values[worse + 1].type == VALUE_INT &&
	    is_bounded(row, fields->life_time_a, fields->used_a) &&
	    is_bounded(row, fields->life_time_b, fields->used_b))
		set(row, fields, fields->used + 1, row->values[worse + 1].i);
}

void mmc_life_set(struct row *row, const struct mmc_life_fields *fields, int64_t a, int64_t b)
{
	set_code(row, fields, fields->life_time_a, fields->used_a, a);
	set_code(row, fields, fields->life_time_b, fields->used_b, b);
	set_worse(row, fields);
}

void mmc_pre_eol_set(struct row *row, const struct mmc_life_fields *fields, int64_t code)
{
	if (!code)
		return;
	set(row, fields, fields->pre_eol_info, code);
	if (code >= N_PRE_EOL)
		row_flag(row, fields->pre_eol_info, FLAG_IMPLAUSIBLE);
}
