/* The newest values of nodes, gathered from wherever they are: rows that were just sampled, the
 * memory of a daemon, a file. What is asked of them is the same then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/collector.h"
#include "model/sink.h"

#define FACTS_ROWS_MAX       8192
#define FACTS_TEXT_BYTES_MAX (8 * 1024 * 1024)

/* A value of a field; type VALUE_ABSENT for what was never set. */
struct fact {
	uint8_t type;     /* enum value_type */
	int64_t i;        /* of VALUE_INT; a positive errno of VALUE_FAULT */
	const char *text; /* of VALUE_TEXT, valid until facts are added */
};

struct facts_row {
	const struct group *group;
	char node[NODE_NAME_MAX];
	size_t first; /* of its values */
};

struct facts {
	struct facts_row *rows;
	size_t n_rows, rows_alloc;
	uint32_t *places;     /* of rows by a hash of their names: index + 1, 0 is free */
	size_t n_places;      /* a power of two, twice as many as rows at least */
	struct value *values; /* texts by their offset, as in a sink */
	size_t n_values, values_alloc;
	char *text;
	size_t text_len, text_alloc;
	bool truncated;
};

/* Zero-initialised they are empty. */
void facts_done(struct facts *facts);

/* The row of a node, made when there is none, in a time that does not grow with the rows.
 * -ENOMEM, -ENOSPC past the bound; *ret is its index. */
MUST_CHECK int facts_row(struct facts *facts, const struct group *group, const char *node,
			 size_t *ret);

/* Sets a value; text is that of VALUE_TEXT, copied. */
MUST_CHECK int facts_set(struct facts *facts, size_t row, size_t field, const struct value *value,
			 const char *text);

/* All rows of a sink. */
MUST_CHECK int facts_add_sink(struct facts *facts, const struct sink *sink);

/* NULL when there is none. Valid until facts are added. */
const struct facts_row *facts_find(const struct facts *facts, const char *group, const char *node);

/* By the name of the field; absent also for NULL and for fields that the group does not have. */
struct fact facts_get(const struct facts *facts, const struct facts_row *row, const char *field);

/* The text of an info, "" when it has none. */
const char *facts_text(const struct facts *facts, const struct facts_row *row, const char *field);
