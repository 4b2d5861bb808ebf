/* The cells of a table, and how they are laid out on a terminal. For table*.c alone. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/table.h"

struct column {
	char *name;
	enum table_column kind;
	size_t natural; /* width of the widest cell or the name */
	size_t word;    /* that of the longest piece that is not broken, or the name */
	size_t width;   /* what it was given */
};

struct table {
	struct column *columns;
	size_t n_columns;
	char **cells; /* n_lines * n_columns; NULL is empty */
	unsigned *depths;
	size_t n_lines, n_alloc, n_cells;
};

static inline const char *table_at(const struct table *table, size_t line, size_t column)
{
	const char *cell = table->cells[line * table->n_columns + column];

	return cell ? cell : "";
}

/* A text with line feeds where it has to be broken to fit into width. NULL without memory; the
 * caller frees it. */
char *table_broken(const char *text, size_t width);

/* Sets natural and word of each column; returns the width of the whole table. */
size_t table_measure(struct table *table);
/* Gives each column a width so that all fit; false when the columns of text would get too little.
 */
bool table_share(struct table *table, size_t width);
bool table_has_text(const struct table *table);

/* Each line, and below it its columns of text. */
void table_print_list(const struct table *table, unsigned width, FILE *out);
/* Columns [first, end), the first column of all before them. */
int table_print_columns(const struct table *table, size_t first, size_t end, FILE *out);
