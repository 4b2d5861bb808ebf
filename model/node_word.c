#include "model/node_word.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void node_word_read(struct hw *hw, struct node_word *ret, const char *path_fmt, ...)
{
	char path[HW_PATH_MAX];
	va_list args;
	int r;

	va_start(args, path_fmt);
	r = vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	*ret = (struct node_word){0};
	r = r < 0 || (size_t)r >= sizeof(path)
		    ? -ENAMETOOLONG
		    : hw_read_line(hw, ret->text, sizeof(ret->text), "%s", path);
	ret->error = r < 0 ? r : 0;
}

void node_word_set(struct node_word *ret, const char *text)
{
	*ret = (struct node_word){.error = *text ? 0 : -ENOENT};
	snprintf(ret->text, sizeof(ret->text), "%s", text);
}

void node_word_put(const struct node_word *word, struct sink *sink, struct row *row, size_t field)
{
	if (word->error && word->error != -ENODATA)
		row_result(row, field, word->error, 0);
	else if (!word->error)
		row_text(sink, row, field, word->text);
}
