#include "cli/table.h"

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>

#include "base/cleanup.h"

struct table {
	struct libscols_table *scols;
	struct libscols_line *line, *at[TABLE_DEPTH_MAX];
	size_t n_cells;
};

int table_open(struct table **ret)
{
	CLEANUP(table_closep) struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->scols = scols_new_table();
	if (!table->scols)
		return -ENOMEM;
	*ret = table;
	table = NULL;
	return 0;
}

void table_close(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table);
}

void table_closep(struct table **table)
{
	table_close(*table);
}

int table_column(struct table *table, const char *name, enum table_column column)
{
	static const int flags[] = {
		[TABLE_TEXT] = 0,
		[TABLE_NUMBER] = SCOLS_FL_RIGHT,
		[TABLE_WRAP] = SCOLS_FL_WRAP,
		[TABLE_TREE] = SCOLS_FL_TREE,
	};

	return scols_table_new_column(table->scols, name, 0, flags[column]) ? 0 : -ENOMEM;
}

int table_line(struct table *table)
{
	table->line = scols_table_new_line(table->scols, NULL);
	table->n_cells = 0;
	return table->line ? 0 : -ENOMEM;
}

int table_line_at(struct table *table, unsigned depth)
{
	if (depth >= TABLE_DEPTH_MAX)
		return -E2BIG;
	table->line = scols_table_new_line(table->scols, depth ? table->at[depth - 1] : NULL);
	table->at[depth] = table->line;
	table->n_cells = 0;
	return table->line ? 0 : -ENOMEM;
}

int table_cell(struct table *table, const char *text)
{
	return scols_line_set_data(table->line, table->n_cells++, text);
}

int table_print(struct table *table, FILE *out)
{
	scols_table_set_stream(table->scols, out);
	return scols_print_table(table->scols);
}
