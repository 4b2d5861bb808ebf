#include "cli/table.h"

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/table_cells.h"
#include "cli/wrap.h"

int table_open(struct table **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void table_close(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_lines * table->n_columns; i++)
		free(table->cells[i]);
	for (size_t i = 0; i < table->n_columns; i++)
		free(table->columns[i].name);
	free(table->cells);
	free(table->depths);
	free(table->columns);
	free(table);
}

void table_closep(struct table **table)
{
	table_close(*table);
}

int table_column(struct table *table, const char *name, enum table_column column)
{
	struct column *columns =
		reallocarray(table->columns, table->n_columns + 1, sizeof(*columns));

	if (!columns)
		return -ENOMEM;
	table->columns = columns;
	columns[table->n_columns] = (struct column){.name = strdup(name), .kind = column};
	if (!columns[table->n_columns].name)
		return -ENOMEM;
	table->n_columns++;
	return 0;
}

int table_line(struct table *table)
{
	return table_line_at(table, 0);
}

static int grow(struct table *table)
{
	size_t n = table->n_alloc ? 2 * table->n_alloc : 64;
	char **cells = reallocarray(table->cells, n * table->n_columns, sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	table->cells = cells;

	unsigned *depths = reallocarray(table->depths, n, sizeof(*depths));

	if (!depths)
		return -ENOMEM;
	table->depths = depths;
	table->n_alloc = n;
	return 0;
}

int table_line_at(struct table *table, unsigned depth)
{
	if (depth >= TABLE_DEPTH_MAX)
		return -E2BIG;
	if (table->n_lines == table->n_alloc && grow(table) < 0)
		return -ENOMEM;
	memset(table->cells + table->n_lines * table->n_columns, 0,
	       table->n_columns * sizeof(*table->cells));
	table->depths[table->n_lines++] = depth;
	table->n_cells = 0;
	return 0;
}

int table_cell(struct table *table, const char *text)
{
	char *copy = table->n_cells < table->n_columns ? strdup(text) : NULL;

	if (!copy)
		return table->n_cells < table->n_columns ? -ENOMEM : -E2BIG;
	table->cells[(table->n_lines - 1) * table->n_columns + table->n_cells++] = copy;
	return 0;
}

static void unref_tablep(struct libscols_table **scols)
{
	scols_unref_table(*scols);
}

static int add_column(struct libscols_table *scols, const struct column *column)
{
	static const int flags[] = {
		[TABLE_TEXT] = 0,
		[TABLE_NUMBER] = SCOLS_FL_RIGHT,
		[TABLE_WRAP] = 0,
		[TABLE_TREE] = SCOLS_FL_TREE,
	};
	bool broken = column->width < column->natural;
	struct libscols_column *new = scols_table_new_column(
		scols, column->name, 0, flags[column->kind] | (broken ? SCOLS_FL_WRAP : 0));

	if (!new)
		return -ENOMEM;
	if (!broken)
		return 0;
	scols_column_set_safechars(new, "\n");
	return scols_column_set_wrapfunc(new, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
}

static int add_cell(struct libscols_line *line, size_t place, const struct column *column,
		    const char *text)
{
	CLEANUP(freep) char *broken = NULL;

	if (column->width >= column->natural)
		return scols_line_set_data(line, place, text);
	broken = table_broken(text, column->width);
	return broken ? scols_line_set_data(line, place, broken) : -ENOMEM;
}

int table_print_columns(const struct table *table, size_t first, size_t end, FILE *out)
{
	CLEANUP(unref_tablep) struct libscols_table *scols = scols_new_table();
	struct libscols_line *at[TABLE_DEPTH_MAX] = {0};
	int r = scols ? add_column(scols, &table->columns[0]) : -ENOMEM;

	for (size_t i = first; r == 0 && i < end; i++)
		r = add_column(scols, &table->columns[i]);
	for (size_t k = 0; r == 0 && k < table->n_lines; k++) {
		unsigned depth = table->depths[k];

		at[depth] = scols_table_new_line(scols, depth ? at[depth - 1] : NULL);
		if (!at[depth])
			return -ENOMEM;
		r = add_cell(at[depth], 0, &table->columns[0], table_at(table, k, 0));
		for (size_t i = first; r == 0 && i < end; i++)
			r = add_cell(at[depth], i - first + 1, &table->columns[i],
				     table_at(table, k, i));
	}
	if (r < 0)
		return r;
	/* What fits was decided here; it would cut. */
	scols_table_set_termforce(scols, SCOLS_TERMFORCE_NEVER);
	scols_table_set_stream(scols, out);
	return scols_print_table(scols);
}

/* As many columns side by side as fit, at least one; then the rest below. */
static int print_parts(const struct table *table, size_t width, FILE *out)
{
	const struct column *columns = table->columns;
	int r = 0;

	for (size_t first = 1, end; r == 0 && first < table->n_columns; first = end) {
		size_t sum = columns[0].width + 1 + columns[first].width;

		for (end = first + 1; end < table->n_columns; end++) {
			sum += 1 + columns[end].width;
			if (sum > width)
				break;
		}
		if (first > 1)
			fputc('\n', out);
		r = table_print_columns(table, first, end, out);
	}
	return r;
}

int table_print(struct table *table, FILE *out)
{
	unsigned width = wrap_width(out);
	size_t natural = table_measure(table);

	if (!width || natural <= width || table_share(table, width))
		return table_print_columns(table, 1, table->n_columns, out);
	if (!table_has_text(table))
		return print_parts(table, width, out);
	table_print_list(table, width, out);
	return 0;
}
