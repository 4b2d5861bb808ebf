/* Tables without libsmartcols: what it prints for the same cells. */
#include <errno.h>
#include <langinfo.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shown.h"
#include "cli/table_cells.h"

#define TREE_STEP 2 /* columns that a tree is indented by */

enum branch { BRANCH_NONE, BRANCH_PASSES, BRANCH_FORKS, BRANCH_ENDS, N_BRANCHES };

static const char *const ascii[N_BRANCHES] = {"  ", "| ", "|-", "`-"};
static const char *const lines[N_BRANCHES] = {"  ", "│ ", "├─", "└─"};

struct printer {
	const struct table *table;
	const char *const *branches;
	FILE *out;
	size_t blanks; /* that are due before the next character: none end a line */
};

static void put_blanks(struct printer *p)
{
	fprintf(p->out, "%*s", (int)p->blanks, "");
	p->blanks = 0;
}

/* Whether a later line stands beside the line's ancestor, or itself, of this depth. */
static bool goes_on(const struct table *table, size_t line, unsigned depth)
{
	for (size_t k = line + 1; k < table->n_lines; k++)
		if (table->depths[k] <= depth)
			return table->depths[k] == depth;
	return false;
}

static bool has_child(const struct table *table, size_t line)
{
	return line + 1 < table->n_lines && table->depths[line + 1] > table->depths[line];
}

static void put_branch(struct printer *p, enum branch branch)
{
	if (branch == BRANCH_NONE) {
		p->blanks += TREE_STEP;
		return;
	}
	put_blanks(p);
	/* A blank at its end may be the end of the line. */
	if (branch == BRANCH_PASSES) {
		fwrite(p->branches[branch], 1, strlen(p->branches[branch]) - 1, p->out);
		p->blanks++;
	} else {
		fputs(p->branches[branch], p->out);
	}
}

/* Returns the columns that the branches take. */
static size_t put_tree(struct printer *p, size_t line, bool first_row)
{
	const struct table *table = p->table;
	unsigned depth = table->depths[line];

	for (unsigned d = 1; d <= depth; d++) {
		bool more = goes_on(table, line, d);

		if (first_row && d == depth)
			put_branch(p, more ? BRANCH_FORKS : BRANCH_ENDS);
		else
			put_branch(p, more ? BRANCH_PASSES : BRANCH_NONE);
	}
	if (first_row || !has_child(table, line))
		return (size_t)TREE_STEP * depth;
	put_branch(p, BRANCH_PASSES);
	return (size_t)TREE_STEP * (depth + 1);
}

/* The row-th piece of a text that was broken by line feeds, empty behind the last. */
static const char *piece(const char *text, size_t row, size_t *ret_len)
{
	for (; row; row--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	*ret_len = strcspn(text, "\n");
	return text;
}

/* What the locale cannot print is escaped byte by byte: it may command a terminal. */
static void put_text(FILE *out, const char *s, size_t len)
{
	int columns;
	size_t n;

	for (; len; s += n, len -= n) {
		n = shown_char(s, len, &columns);
		if (columns >= 0)
			fwrite(s, 1, n, out);
		for (size_t i = 0; columns < 0 && i < n; i++)
			fprintf(out, "\\x%02x", (unsigned char)s[i]);
	}
}

static void put_cell(struct printer *p, const struct column *column, size_t width, size_t taken,
		     const char *text, size_t len)
{
	size_t shown = shown_width(text, len), rest = taken + shown < width;

	rest = rest ? width - taken - shown : 0;
	if (column->kind == TABLE_NUMBER)
		p->blanks += rest;
	if (len) {
		put_blanks(p);
		put_text(p->out, text, len);
	}
	if (column->kind != TABLE_NUMBER)
		p->blanks += rest;
	p->blanks++; /* between columns */
}

static bool is_broken(const struct column *column)
{
	return column->width < column->natural;
}

static size_t rows_of(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static char *cell_text(const struct table *table, size_t line, size_t i)
{
	const struct column *column = &table->columns[i];
	const char *text = table_at(table, line, i);

	return is_broken(column) ? table_broken(text, column->width) : strdup(text);
}

/* The columns that are printed: the first one, then [first, end). */
static size_t column_at(size_t first, size_t k)
{
	return k ? first + k - 1 : 0;
}

static void free_texts(char **texts, size_t n)
{
	for (size_t k = 0; k < n; k++)
		free(texts[k]);
	free(texts);
}

static int print_line(struct printer *p, size_t line, size_t first, size_t n)
{
	char **texts = calloc(n, sizeof(*texts));
	size_t n_rows = 1;
	int r = texts ? 0 : -ENOMEM;

	for (size_t k = 0; r == 0 && k < n; k++) {
		texts[k] = cell_text(p->table, line, column_at(first, k));
		r = texts[k] ? 0 : -ENOMEM;
		if (r == 0 && is_broken(&p->table->columns[column_at(first, k)]))
			n_rows = MAX(n_rows, rows_of(texts[k]));
	}
	for (size_t row = 0; r == 0 && row < n_rows; row++) {
		for (size_t k = 0; k < n; k++) {
			const struct column *column = &p->table->columns[column_at(first, k)];
			bool tree = column->kind == TABLE_TREE;
			size_t taken = tree ? put_tree(p, line, row == 0) : 0;
			const char *text = row ? "" : texts[k];
			size_t len = strlen(text);

			/* Any other line feed is a character as others are. */
			if (is_broken(column))
				text = piece(texts[k], row, &len);
			put_cell(p, column, column->width, taken, text, len);
		}
		p->blanks = 0;
		fputc('\n', p->out);
	}
	free_texts(texts, texts ? n : 0);
	return r;
}

static void print_head(struct printer *p, size_t first, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const struct column *column = &p->table->columns[column_at(first, k)];

		put_cell(p, column, column->width, 0, column->name, strlen(column->name));
	}
	p->blanks = 0;
	fputc('\n', p->out);
}

int table_print_columns(const struct table *table, size_t first, size_t end, FILE *out)
{
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	struct printer printer = {.table = table, .branches = utf8 ? lines : ascii, .out = out};
	size_t n = end - first + 1;
	int r = 0;

	print_head(&printer, first, n);
	for (size_t k = 0; r == 0 && k < table->n_lines; k++)
		r = print_line(&printer, k, first, n);
	return r;
}
