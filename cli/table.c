#include "cli/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
