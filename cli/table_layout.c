/* What fits on a terminal: widths of columns, and the list that a table becomes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/shown.h"
#include "cli/table_cells.h"
#include "cli/wrap.h"

/* Text in a narrower column is harder to read than in lines of its own. */
#define TEXT_WIDTH_MIN 24

static size_t longest_piece(const char *s)
{
	size_t longest = 0, len;

	for (s += strspn(s, " "); *s; s += len, s += strspn(s, " ")) {
		len = wrap_piece(s);
		longest = MAX(longest, shown_width(s, len));
	}
	return longest;
}

size_t table_measure(struct table *table)
{
	size_t sum = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		struct column *column = &table->columns[i];

		column->natural = column->word = shown_width(column->name, strlen(column->name));
		for (size_t k = 0; k < table->n_lines; k++) {
			const char *cell = table_at(table, k, i);
			size_t indent = column->kind == TABLE_TREE ? 2 * table->depths[k] : 0;

			column->natural =
				MAX(column->natural, indent + shown_width(cell, strlen(cell)));
			column->word = MAX(column->word, longest_piece(cell));
		}
		column->width = column->natural;
		sum += column->natural + (i ? 1 : 0);
	}
	return sum;
}

bool table_has_text(const struct table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].kind == TABLE_WRAP)
			return true;
	return false;
}

static size_t least_width(const struct column *column)
{
	return MIN(column->natural, MAX(column->word, (size_t)TEXT_WIDTH_MIN));
}

bool table_share(struct table *table, size_t width)
{
	size_t least = table->n_columns - 1, more = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		const struct column *column = &table->columns[i];
		bool text = column->kind == TABLE_WRAP;

		least += text ? least_width(column) : column->natural;
		more += text ? column->natural - least_width(column) : 0;
	}
	if (!more || least > width)
		return false;
	for (size_t i = 0; i < table->n_columns; i++) {
		struct column *column = &table->columns[i];
		size_t min = least_width(column);

		if (column->kind == TABLE_WRAP)
			column->width = min + (column->natural - min) * (width - least) / more;
	}
	return true;
}

char *table_broken(const char *text, size_t width)
{
	/* A line feed stands where a blank stood, or behind a comma. */
	char *broken = malloc(2 * strlen(text) + 1), *p = broken;
	size_t column = 0;

	if (!broken)
		return NULL;
	for (text += strspn(text, " "); *text;) {
		size_t len = wrap_piece(text), blanks = strspn(text + len, " ");
		size_t n = shown_width(text, len);

		if (column && column + n > width) {
			while (p > broken && p[-1] == ' ')
				p--;
			*p++ = '\n';
			column = 0;
		}
		/* Only what this function puts there breaks a line. */
		for (size_t i = 0; i < len; i++)
			*p++ = (char)(text[i] == '\n' ? '?' : text[i]);
		memset(p, ' ', blanks);
		p += blanks;
		column += n + blanks;
		text += len + blanks;
	}
	*p = '\0';
	return broken;
}

/* The column's name as a label: "MADE OF" is "made of". */
static void put_label(struct text *text, const char *name)
{
	for (; *name; name++)
		text_char(text, (char)tolower((unsigned char)*name));
}

static size_t texts(const struct table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		n += table->columns[i].kind == TABLE_WRAP;
	return n;
}

static void print_short_cells(const struct table *table, size_t line, FILE *out)
{
	const char *separator = "";
	char buf[128];

	if (table->depths[line])
		fprintf(out, "%*s`-", 2 * (int)table->depths[line] - 2, "");
	for (size_t i = 0; i < table->n_columns; i++) {
		struct text label = TEXT_IN(buf);

		if (table->columns[i].kind == TABLE_WRAP || !*table_at(table, line, i))
			continue;
		fputs(separator, out);
		/* What a number is does not show by itself. */
		if (table->columns[i].kind == TABLE_NUMBER) {
			put_label(&label, table->columns[i].name);
			cli_put_text(out, buf);
			fputc(' ', out);
		}
		cli_put_text(out, table_at(table, line, i));
		separator = "  ";
	}
	fputc('\n', out);
}

static void print_item(const struct table *table, size_t line, unsigned width, FILE *out)
{
	unsigned indent = 4 + 2 * table->depths[line];
	bool labelled = texts(table) > 1;
	char buf[256];

	print_short_cells(table, line, out);
	for (size_t i = 0; i < table->n_columns; i++) {
		struct text head = TEXT_IN(buf);

		if (table->columns[i].kind != TABLE_WRAP || !*table_at(table, line, i))
			continue;
		text_printf(&head, "%*s", (int)indent, "");
		if (labelled) {
			put_label(&head, table->columns[i].name);
			text_str(&head, ": ");
		}
		wrap_print(out, width, indent + (labelled ? 2 : 0), buf, table_at(table, line, i));
	}
}

void table_print_list(const struct table *table, unsigned width, FILE *out)
{
	for (size_t k = 0; k < table->n_lines; k++)
		print_item(table, k, width, out);
}
