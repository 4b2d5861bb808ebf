/* Tables for people. Piped, they are printed in full. On a terminal nothing is cut: columns of text
 * are broken between words; where too little room is left for them they stand below their line, and
 * a table of short columns is continued below. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/macros.h"

struct table;

#define TABLE_DEPTH_MAX 32

enum table_column {
	TABLE_TEXT,
	TABLE_NUMBER, /* stands at the right */
	TABLE_WRAP,   /* text that may be broken into lines on a narrow terminal */
	TABLE_TREE,   /* lines are drawn below the one that they belong to; the first column only */
};

MUST_CHECK int table_open(struct table **ret);
void table_close(struct table *table);
void table_closep(struct table **table);

/* Adds a column. Names are copied; all columns come before the first line. */
int table_column(struct table *table, const char *name, enum table_column column);

/* Starts a line, then fills its cells from left to right; text is copied. */
int table_line(struct table *table);
/* The same with a tree: below the last line of depth - 1. depth < TABLE_DEPTH_MAX. */
int table_line_at(struct table *table, unsigned depth);
int table_cell(struct table *table, const char *text);

int table_print(struct table *table, FILE *out);
