/* Lines of text for people, broken between words to the width of a terminal. */
#pragma once

#include <stdio.h>

/* Columns of the terminal at out, 80 where it does not tell; 0 for what is no terminal: there a
 * line stays whole, so that grep finds all of it. */
unsigned wrap_width(FILE *out);

/* Bytes of s up to where a line may end: before a blank, or behind a comma. */
size_t wrap_piece(const char *s);

/* Prints head as it is, then the words of text; further lines are indented by hang blanks. No word
 * is cut but behind a comma: one that is wider than a line has a line of its own. Control
 * characters come out as "?". width 0: one line. */
void wrap_print(FILE *out, unsigned width, unsigned hang, const char *head, const char *text);
