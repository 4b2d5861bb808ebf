/* Tables by libsmartcols. Without it there is table_plain.c. */
#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/table_cells.h"

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
