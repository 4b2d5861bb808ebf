/* Tables of a file as plain rows: of a group one for each sample, of events, marks, boots and the
 * like one for each. Rows come one by one, in bounded memory; of a group no transaction is held
 * between them. Groups that this program does not know are there as well. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

struct reader;
struct plain;

#define PLAIN_NAME_MAX 72

struct plain_column {
	char name[PLAIN_NAME_MAX];
	char unit[32]; /* "" without one */
	char kind[16]; /* counter, gauge, state; text for texts; "" for the rest */
	char *states;  /* of a state: JSON array of words; NULL */
	char *help;    /* NULL: none */
};

enum plain_type { PLAIN_NULL, PLAIN_INT, PLAIN_TEXT };

struct plain_value {
	enum plain_type type;
	int64_t i;
	const char *text; /* until the next call */
};

/* The names of all tables: groups in their order, then events, marks, boots, nodes, infos, flags,
 * faults, outcomes. visit returns non-zero to stop; that is returned. -errno */
MUST_CHECK int plain_tables(struct reader *reader, int (*visit)(const char *table, void *arg),
			    void *arg);

/* Samples, events and marks of from..to (wall clock); the other tables are whole. -ENOENT: there is
 * no such table. -errno */
MUST_CHECK int plain_open(struct reader *reader, const char *table, int64_t from_wall_ms,
			  int64_t to_wall_ms, struct plain **ret);
void plain_close(struct plain *plain);
void plain_closep(struct plain **plain);

const struct plain_column *plain_columns(const struct plain *plain, size_t *ret_n);

/* The next row: 1, 0 at the end, -errno. Of a group hours come in the order of time, and within an
 * hour the nodes one after the other. Columns that do not decode are NULL, and counted. */
MUST_CHECK int plain_next(struct plain *plain, struct plain_value *values);
int64_t plain_n_damaged(const struct plain *plain);

/* Writes tables into a new SQLite file (an empty one is fine), all of them when n is 0, and beside
 * them one, "columns", that tells of each column its unit, kind and meaning. ret_n_damaged: columns
 * of samples that were left out. */
MUST_CHECK int plain_to_sqlite(struct reader *reader, const char *path, const char *const *tables,
			       size_t n, int64_t from_wall_ms, int64_t to_wall_ms,
			       int64_t *ret_n_damaged);
