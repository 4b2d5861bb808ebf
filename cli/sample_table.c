#include "cli/sample_table.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "cli/cells.h"
#include "cli/table.h"
#include "model/derive.h"

#define CELL_MAX (INFO_TEXT_MAX + 16)

static bool has_before(const struct sample_table *t)
{
	for (size_t i = 0; i < t->now->n_rows; i++)
		if (t->before[i])
			return true;
	return false;
}

/* Whether any row has something to show: a column of nothing is left out. */
static bool has_column(const struct sample_table *t, const struct metric *metric)
{
	if (metric->derived && metric_is_delta(metric) && !has_before(t))
		return false;
	for (size_t i = 0; i < t->now->n_rows; i++)
		if (t->now->rows[i]->values[metric->a].type != VALUE_ABSENT &&
		    t->now->rows[i]->values[metric->b].type != VALUE_ABSENT)
			return true;
	return false;
}

static int add_column(struct table *table, const struct metric *metric)
{
	return table_column(table, metric->name,
			    metric->kind == KIND_INFO ? TABLE_TEXT : TABLE_NUMBER);
}

static bool value_at(const struct sample_table *t, size_t row, const struct metric *metric,
		     struct decimal *ret)
{
	struct derive_point before, now = derive_point_of(metric, t->now->rows[row], t->now_ms);
	struct derive_sum sum = {0};

	if (!metric_is_delta(metric) || !has_before(t))
		return derive_value(metric, &now, ret);
	if (!t->before[row] || derive_has_reset(t->now->group, t->before[row], t->now->rows[row]))
		return false;
	before = derive_point_of(metric, t->before[row], t->before_ms);
	derive_add_step(&sum, metric, &before, &now);
	return derive_rate(metric, &sum, ret);
}

/* What stands where the newest read failed: the error, and of how long ago the last good value is.
 */
static void put_fault(const struct sample_table *t, size_t row, const struct metric *metric,
		      struct text *text)
{
	const struct value *value = &t->now->rows[row]->values[metric->a];
	const struct sample_good *good = t->past ? &t->past[row].good[metric->a] : NULL;

	if (metric->derived) {
		text_char(text, '?');
		return;
	}
	text_str(text, errno_name((int)value->i));
	if (!good || !good->is_known)
		return;
	text_str(text, ", ");
	cell_value(text, metric, (struct decimal){.value = good->value}, metric->unit, false);
	text_char(text, ' ');
	text_span(text, good->age_ms);
	text_str(text, " ago");
}

static void put_value(const struct sample_table *t, size_t row, const struct metric *metric,
		      struct text *text)
{
	const struct value *value = &t->now->rows[row]->values[metric->a];
	bool rate = metric->kind == KIND_COUNTER && has_before(t);
	struct decimal number;

	if (value->type == VALUE_ABSENT) {
		text_char(text, '-');
	} else if (value->type == VALUE_FAULT) {
		put_fault(t, row, metric, text);
	} else if (value->type == VALUE_TEXT) {
		text_str(text, sink_text(t->now, value));
	} else if (value_at(t, row, metric, &number)) {
		cell_value(text, metric, number, metric->unit, rate);
		if (!metric->derived)
			cell_flag(text, value->flag);
	} else {
		text_char(text, '?');
	}
}

static int add_age(const struct sample_table *t, struct table *table, size_t row)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	text_span(&text, t->past[row].age_ms);
	if (t->past[row].stale)
		text_str(&text, " (stale)");
	return table_cell(table, buf);
}

static int add_line(const struct sample_table *t, struct table *table, size_t row)
{
	struct metric metric;
	char buf[CELL_MAX], node_buf[NODE_NAME_MAX + 16];
	struct text node = TEXT_IN(node_buf);
	int r = table_line(table);

	if (r < 0)
		return r;
	text_printf(&node, "%s%s", t->now->rows[row]->node,
		    t->now->rows[row]->suspended ? " (suspended)" : "");
	r = table_cell(table, node.p);
	if (r == 0 && t->past)
		r = add_age(t, table, row);
	for (size_t i = 0; r == 0 && metric_at(t->collector, t->now->group, i, &metric) == 0; i++) {
		struct text text = TEXT_IN(buf);

		if (!has_column(t, &metric))
			continue;
		put_value(t, row, &metric, &text);
		r = table_cell(table, text.p);
	}
	return r;
}

int sample_table_print(const struct sample_table *t, FILE *out)
{
	CLEANUP(table_closep) struct table *table = NULL;
	struct metric metric;
	int r = table_open(&table);

	if (r < 0)
		return r;
	r = table_column(table, t->now->group->name, TABLE_TEXT);
	if (r == 0 && t->past)
		r = table_column(table, "AGE", TABLE_NUMBER);
	for (size_t i = 0; r == 0 && metric_at(t->collector, t->now->group, i, &metric) == 0; i++)
		if (has_column(t, &metric))
			r = add_column(table, &metric);
	for (size_t i = 0; r == 0 && i < t->now->n_rows; i++)
		r = add_line(t, table, i);
	return r < 0 ? r : table_print(table, out);
}
