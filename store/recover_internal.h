/* What the files of recover() share. */
#pragma once

#include "store/db.h"
#include "store/raw.h"
#include "store/recover.h"

#define NAME_BYTES (NODE_NAME_MAX + 8)
#define NO_TABLE   INT16_C(-1)
#define FREE_PAGE  INT16_C(-2)
#define INNER_PAGE INT16_C(-3)
#define SCHEMA     INT16_C(-4) /* the table of tables */
#define TABLES_MAX 1024
#define PAIRS_MAX  65536

/* A fixed table: what its columns are. Letters: a NULL for the rowid, i integer, t text, b blob, x
 * a cell of samples; I, T the same or NULL. */
struct shape {
	const char *table, *columns;
	bool is_copied; /* into the new file */
	bool is_index;  /* WITHOUT ROWID: its rows are those of an index, inner pages have some too
			 */
};

struct rec_table {
	char name[NAME_BYTES]; /* of a group: without _chunk */
	bool is_chunk;
	const struct shape *shape; /* NULL of chunks */
	uint32_t root;
	char (*columns)[NODE_NAME_MAX];
	size_t n_columns;
	sqlite3_stmt *insert;
};

/* Which nodes a group has, as sound pages tell. */
struct rec_pair {
	int16_t table;
	int64_t node;
};

struct recovery {
	struct raw *raw;
	uint32_t n_pages;
	struct db db; /* the new file */
	const struct catalog *catalog;
	int16_t *owner; /* of each page: its table, NO_TABLE, INNER_PAGE or FREE_PAGE */
	struct rec_table tables[TABLES_MAX];
	size_t n_tables;
	struct rec_pair *pairs;
	size_t n_pairs;
	struct raw_row *row;
	int64_t *values;
	uint8_t *absent;
	struct recover_report *report;
	bool stray;     /* rows are of stray pages now */
	int64_t folded; /* -1: not known */
};

/* recover_shape.c */
const struct shape *shape_named(const char *table);
/* Whether a row can be one of a fixed table. */
bool shape_fits(const struct shape *shape, const struct raw_row *row);
/* Whether a row can be one of samples. */
bool chunk_fits(const struct raw_row *row);
/* The table of a page that no tree leads to, one of samples or a fixed one; NO_TABLE when it cannot
 * be told. */
int16_t guess_table(struct recovery *rec, uint32_t page, bool chunks);

/* recover_tree.c. Calls leaf for each sound leaf below a root of the old file, with the ids that it
 * has: more than after, at most last. What is not sound is noted as a gap of the table. */
typedef int (*leaf_fn)(struct recovery *rec, int16_t table, uint32_t page, int64_t after,
		       int64_t last);
MUST_CHECK int walk_tree(struct recovery *rec, int16_t table, uint32_t root, leaf_fn leaf);
void note_gap(struct recovery *rec, int16_t table, int64_t after, int64_t last);
/* The tables of the old file with their roots, and all fixed ones; -errno. */
MUST_CHECK int find_tables(struct recovery *rec);
/* Groups of this program that the old file's schema, as far as it is there, has no table of. */
MUST_CHECK int add_known_groups(struct recovery *rec);
struct rec_table *rec_table_named(struct recovery *rec, const char *name, bool is_chunk);

/* recover_rows.c. The rows of a leaf into the new file. */
MUST_CHECK int take_leaf(struct recovery *rec, int16_t table, uint32_t page, int64_t after,
			 int64_t last);
/* recover_boots.c. Time and name of boots that were made up, where the rest of the file tells. */
MUST_CHECK int recover_boots(struct recovery *rec);
MUST_CHECK int note_pair(struct recovery *rec, int16_t table, int64_t node);
