/* One row of rollups as cells. What follows from other cells is left out, which schema/FORMAT.md
 * tells as well. */
#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "store/rollup.h"

enum cell_of {
	AT_COUNT,
	AT_SUM,
	AT_SUM2,
	AT_SPAN,
	AT_MIN,
	AT_MIN2,
	AT_MAX,
	AT_MAX2,
	AT_FIRST,
	AT_LAST,
	AT_LAST2,
	AT_FLAG,
};

#define FLAG_FACTOR 16

const struct resolution_spec resolution_specs[] = {
	[RESOLUTION_MINUTE] = {"minute", MINUTE_MS, 60},
	[RESOLUTION_HOUR] = {"hour", HOUR_MS, 24},
};

int rollup_id(enum resolution resolution, int64_t boot, int64_t end_ms, int64_t node, int64_t num,
	      int64_t *ret)
{
	const struct resolution_spec *spec = &resolution_specs[resolution];
	int64_t slot = (end_ms - 1) / (spec->point_ms * (int64_t)spec->n);

	if (boot < 1 || boot > FORMAT_BOOTS_MAX || end_ms < 1 || slot > ROLLUP_SLOT_MAX ||
	    node < 0 || node > FORMAT_NODES_MAX || num < 0 || num > MEASURE_NUM_MAX)
		return -ERANGE;
	*ret = boot * FORMAT_BOOT_FACTOR + slot * ROLLUP_SLOT_FACTOR + node * ROLLUP_NODE_FACTOR +
	       num;
	return 0;
}

static bool has_pair(const struct measure *m)
{
	return m->metric.a != m->metric.b;
}

static bool is_plain_delta(const struct measure *m)
{
	return metric_is_delta(&m->metric) && !has_pair(m);
}

static bool is_quotient(const struct measure *m)
{
	const struct derived *d = m->metric.derived;

	return d && (d->how == DERIVE_QUOTIENT || d->how == DERIVE_REST);
}

static bool has_denominator(const struct measure *m)
{
	return metric_is_delta(&m->metric) || is_quotient(m);
}

/* Nothing happened, so all rates are 0. */
static bool is_idle(const struct measure *m, const struct rollup *p)
{
	return is_plain_delta(m) && p->n && !p->a && !p->lost && !p->step_flag;
}

static bool fits(wide_int value)
{
	return value >= INT64_MIN && value <= INT64_MAX;
}

static bool has_sums(const struct rollup *p)
{
	return p->n && !p->lost && fits(p->a) && fits(p->b);
}

/* The value of a cell at a point; false when it is absent. */
static bool cell_of_point(const struct measure *m, const struct rollup *p, enum cell_of cell,
			  int64_t *ret)
{
	bool extremes = p->has_extremes && !is_idle(m, p);
	bool delta = metric_is_delta(&m->metric), den = has_denominator(m);

	switch (cell) {
	case AT_COUNT:
		*ret = (int64_t)p->n;
		return p->n && !m->is_state;
	case AT_SUM:
		*ret = (int64_t)p->a;
		return has_sums(p);
	case AT_SUM2:
		*ret = (int64_t)p->b;
		return has_pair(m) && has_sums(p);
	case AT_SPAN:
		*ret = p->span_ms;
		return delta && p->n;
	case AT_MIN:
		*ret = p->min.num;
		return extremes;
	case AT_MIN2:
		*ret = p->min.den;
		return extremes && den;
	case AT_MAX:
		*ret = p->max.num;
		return extremes;
	case AT_MAX2:
		*ret = p->max.den;
		return extremes && den;
	case AT_FIRST:
		*ret = p->first;
		return p->has_last && !delta;
	case AT_LAST:
		*ret = p->last.num;
		return p->has_last;
	case AT_LAST2:
		*ret = p->last.den;
		return p->has_last && den && m->metric.kind != KIND_COUNTER;
	case AT_FLAG:
		*ret = p->flag + FLAG_FACTOR * (p->last_flag + FLAG_FACTOR * p->step_flag);
		return *ret != 0;
	}
	return false;
}

/* The count of a counter is what it came to at the end of the row, less what was added since: one
 * number is enough when that is so everywhere. */
static bool follows_from_sums(const struct measure *m, const struct rollup_row *row, int64_t *ret)
{
	wide_int count = 0;
	bool any = false;

	if (m->metric.kind != KIND_COUNTER || has_pair(m))
		return false;
	for (size_t i = row->n; i-- > 0;) {
		const struct rollup *p = &row->points[i];

		if (p->has_last != (p->n > 0) || (p->n && !has_sums(p)))
			return false;
		if (!p->n)
			continue;
		if (!any)
			*ret = p->last.num;
		if (any && count != p->last.num)
			return false;
		any = true;
		count = (wide_int)p->last.num - p->a;
	}
	return any;
}

static void bind_cell(sqlite3_stmt *stmt, int at, const int64_t *values, const uint8_t *absent,
		      size_t n)
{
	uint8_t blob[(ROLLUP_N_MAX + 2) * 10];
	size_t len;
	int64_t constant;

	switch (series_encode(values, absent, n, blob, &len, &constant)) {
	case CELL_ABSENT:
		sqlite3_bind_null(stmt, at);
		break;
	case CELL_CONSTANT:
		sqlite3_bind_int64(stmt, at, constant);
		break;
	case CELL_BLOB:
		sqlite3_bind_blob(stmt, at, blob, (int)len, SQLITE_TRANSIENT);
		break;
	}
}

void rollup_bind(const struct measure *m, const struct rollup_row *row, sqlite3_stmt *stmt)
{
	int64_t values[ROLLUP_N_MAX], count = 0;
	uint8_t absent[ROLLUP_N_MAX];
	bool follows = follows_from_sums(m, row, &count);

	for (int cell = AT_COUNT; cell <= AT_FLAG; cell++) {
		if (cell == AT_LAST && follows) {
			sqlite3_bind_null(stmt, 2 + cell);
			continue;
		}
		if (cell == AT_LAST2 && follows) {
			sqlite3_bind_int64(stmt, 2 + cell, count);
			continue;
		}
		for (size_t i = 0; i < row->n; i++) {
			values[i] = 0;
			absent[i] =
				!cell_of_point(m, &row->points[i], (enum cell_of)cell, &values[i]);
		}
		bind_cell(stmt, 2 + cell, values, absent, row->n);
	}
}

/* What a cell says of a point; rows of files may say anything. */
static void take_cell(struct rollup *p, enum cell_of cell, int64_t value)
{
	switch (cell) {
	case AT_COUNT:
		p->n = (uint64_t)MAX(MIN(value, INT32_MAX), 0);
		break;
	case AT_SUM:
		p->a = value;
		p->lost = false;
		break;
	case AT_SUM2:
		p->b = value;
		break;
	case AT_SPAN:
		p->span_ms = MAX(MIN(value, FORMAT_TIME_MAX_MS), 0);
		break;
	case AT_MIN:
		p->min.num = value;
		p->has_extremes = true;
		break;
	case AT_MIN2:
		p->min.den = value;
		break;
	case AT_MAX:
		p->max.num = value;
		break;
	case AT_MAX2:
		p->max.den = value;
		break;
	case AT_FIRST:
		p->first = value;
		break;
	case AT_LAST:
		p->last.num = value;
		p->has_last = true;
		break;
	case AT_LAST2:
		p->last.den = value;
		break;
	case AT_FLAG:
		p->flag = (uint8_t)(value % FLAG_FACTOR);
		p->last_flag = (uint8_t)(value / FLAG_FACTOR % FLAG_FACTOR);
		p->step_flag = (uint8_t)(value / FLAG_FACTOR / FLAG_FACTOR % FLAG_FACTOR);
		break;
	}
}

static uint8_t known_flag(uint8_t flag)
{
	return flag > FLAG_SATURATED ? FLAG_NONE : flag;
}

/* What was left out. */
static void complete(const struct measure *m, struct rollup *p)
{
	if (m->is_state)
		p->n = !p->lost;
	p->lost = p->lost && p->n;
	if (!has_pair(m))
		p->b = p->a;
	p->flag = known_flag(p->flag);
	p->last_flag = known_flag(p->last_flag);
	p->step_flag = known_flag(p->step_flag);
	if (is_idle(m, p))
		p->has_extremes = true;
}

static void counts_from_sums(struct rollup_row *row, int64_t count)
{
	wide_int at = count;

	for (size_t i = row->n; i-- > 0;) {
		struct rollup *p = &row->points[i];

		p->has_last = p->n > 0;
		p->last = (struct rollup_fraction){fits(at) ? (int64_t)at : 0, 1};
		if (p->n)
			at -= p->a;
	}
}

static int load_cell(sqlite3_stmt *stmt, int column, size_t n, int64_t *values, uint8_t *absent)
{
	int type = sqlite3_column_type(stmt, column);

	if (type == SQLITE_BLOB)
		return series_decode(sqlite3_column_blob(stmt, column),
				     (size_t)sqlite3_column_bytes(stmt, column), n, values, absent);
	if (type != SQLITE_INTEGER && type != SQLITE_NULL)
		return -EBADMSG;
	memset(absent, type == SQLITE_NULL, n);
	for (size_t i = 0; i < n; i++)
		values[i] = sqlite3_column_int64(stmt, column);
	return 0;
}

int rollup_load(const struct measure *m, sqlite3_stmt *stmt, int column, size_t n,
		struct rollup_row *ret)
{
	int64_t values[ROLLUP_N_MAX];
	uint8_t absent[ROLLUP_N_MAX];
	bool from_sums = m->metric.kind == KIND_COUNTER && !has_pair(m) &&
			 sqlite3_column_type(stmt, column + AT_LAST2) == SQLITE_INTEGER;

	ret->n = n;
	for (size_t i = 0; i < n; i++)
		ret->points[i] =
			(struct rollup){.lost = true, .min.den = 1, .max.den = 1, .last.den = 1};
	for (int cell = AT_COUNT; cell <= AT_FLAG; cell++) {
		if (sqlite3_column_type(stmt, column + cell) == SQLITE_NULL ||
		    (cell == AT_LAST2 && from_sums))
			continue;

		int r = load_cell(stmt, column + cell, n, values, absent);

		if (r < 0)
			return r;
		for (size_t i = 0; i < n; i++)
			if (!absent[i])
				take_cell(&ret->points[i], (enum cell_of)cell, values[i]);
	}
	for (size_t i = 0; i < n; i++)
		complete(m, &ret->points[i]);
	if (from_sums)
		counts_from_sums(ret, sqlite3_column_int64(stmt, column + AT_LAST2));
	return 0;
}
