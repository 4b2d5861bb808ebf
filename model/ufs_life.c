#include "model/ufs_life.h"

#include <stdbool.h>

#include "model/mmc.h"

void ufs_life_set(struct row *row, size_t code_field, size_t low, int64_t code)
{
	enum flag flag = code == MMC_LIFE_EXCEEDED ? FLAG_SATURATED : FLAG_NONE;
	struct mmc_used used; /* the same code */

	if (!code)
		return;
	row_set(row, code_field, code);
	if (!mmc_life_used(code, &used)) {
		row_flag(row, code_field, FLAG_IMPLAUSIBLE);
		return;
	}
	row_set(row, low, used.low_percent);
	row_flag(row, code_field, flag);
	row_flag(row, low, flag);
	if (used.has_high)
		row_set(row, low + 1, used.high_percent);
}

/* It says nothing, or what it says has a range. */
static bool is_bounded(const struct row *row, size_t code, size_t low)
{
	return row->values[code].type == VALUE_ABSENT || row->values[low].type == VALUE_INT;
}

void ufs_life_set_worse(struct row *row, size_t code_a, size_t low_a, size_t code_b, size_t low_b,
			size_t low)
{
	const struct value *a = &row->values[low_a], *b = &row->values[low_b];
	size_t worse =
		a->type != VALUE_INT || (b->type == VALUE_INT && b->i > a->i) ? low_b : low_a;

	row->values[low] = row->values[worse];
	if (is_bounded(row, code_a, low_a) && is_bounded(row, code_b, low_b))
		row->values[low + 1] = row->values[worse + 1];
}
