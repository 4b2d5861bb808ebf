#include "cli/sample_table.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "cli/table.h"
#include "model/derive.h"
#include "model/people.h"

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

static int add_column(const struct sample_table *t, struct table *table,
		      const struct metric *metric)
{
	const char *unit = metric->derived ? "" : unit_symbol(metric->unit);
	bool rate = has_before(t) && metric->kind == KIND_COUNTER;
	char name[128];
	struct text text = TEXT_IN(name);

	text_str(&text, metric->name);
	if (unit[0] || (rate && !metric->derived))
		text_printf(&text, " [%s%s]", unit[0] ? unit : "1", rate ? "/s" : "");
	return table_column(table, name, metric->kind == KIND_INFO ? TABLE_TEXT : TABLE_NUMBER);
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

/* A field in the unit of its column, what is made from fields for people. A rate is rounded. */
static void put_number(const struct sample_table *t, const struct metric *metric,
		       struct decimal number, struct text *text)
{
	bool rate = has_before(t) && metric->kind == KIND_COUNTER;

	if (metric->derived)
		people_value(text, number, metric->unit, rate);
	else if (rate)
		people_value(text, number, UNIT_NONE, false);
	else
		text_fixed(text, number.value, number.decimals);
}

static const char *state_name(const struct field *field, const struct value *value)
{
	if (field->kind != KIND_STATE || !field->states || value->i < 0)
		return NULL;
	for (int64_t i = 0; field->states[i]; i++)
		if (i == value->i)
			return field->states[i];
	return NULL;
}

static void put_value(const struct sample_table *t, size_t row, const struct metric *metric,
		      struct text *text)
{
	const struct value *value = &t->now->rows[row]->values[metric->a];
	const char *state =
		metric->derived ? NULL : state_name(&metric->group->fields[metric->a], value);
	struct decimal number;

	if (value->type == VALUE_ABSENT) {
		text_char(text, '-');
	} else if (value->type == VALUE_FAULT) {
		text_str(text, metric->derived ? "?" : errno_name((int)value->i));
	} else if (value->type == VALUE_TEXT) {
		text_str(text, sink_text(t->now, value));
	} else if (state) {
		text_str(text, state);
	} else if (value_at(t, row, metric, &number)) {
		put_number(t, metric, number, text);
		if (value->flag && !metric->derived)
			text_printf(text, " (%s)", flag_name(value->flag));
	} else {
		text_char(text, '?');
	}
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
	for (size_t i = 0; r == 0 && metric_at(t->collector, t->now->group, i, &metric) == 0; i++)
		if (has_column(t, &metric))
			r = add_column(t, table, &metric);
	for (size_t i = 0; r == 0 && i < t->now->n_rows; i++)
		r = add_line(t, table, i);
	return r < 0 ? r : table_print(table, out);
}
