/* A line of text of a node that does not change while the node is there (its model, its serial
 * number): read by a probe, put into each row. */
#pragma once

#include <stddef.h>

#include "base/hw.h"
#include "model/sink.h"

#define NODE_WORD_MAX 128

struct node_word {
	char text[NODE_WORD_MAX];
	int error; /* of reading it, else 0 */
};

/* Reads the line, or remembers the errors of hw_read_line(). */
PRINTF_LIKE(3, 4)
void node_word_read(struct hw *hw, struct node_word *ret, const char *path_fmt, ...);

/* A word that comes from elsewhere; "" is none. */
void node_word_set(struct node_word *ret, const char *text);

/* The word, or the fault of reading it. One that is not there, or is nothing but blanks, leaves the
 * field absent. */
void node_word_put(const struct node_word *word, struct sink *sink, struct row *row, size_t field);
