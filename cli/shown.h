/* Text of a database, a node or a disk on a terminal: how wide it is, and without what commands. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Columns that the first len bytes of s take. What the locale cannot print counts four for each
 * byte, as libsmartcols shows it: \xNN. shown_put() takes no more than that. */
size_t shown_width(const char *s, size_t len);

/* The bytes of the character that s begins with, of len > 0, and the columns that it takes; -1:
 * each byte is to be escaped as \xNN. */
size_t shown_char(const char *s, size_t len, int *ret_columns);

/* Prints len bytes of the NUL-terminated s. Control characters, which may command a terminal, come
 * out as "?": also those above ASCII, U+0080 to U+009F, as UTF-8 or as single bytes. */
void shown_put(FILE *out, const char *s, size_t len);
