/* What the files of the reader share. */
#pragma once

#include <sqlite3.h>

#include "store/dir.h"
#include "store/internal.h"
#include "store/raw.h"
#include "store/reader.h"

#define BOOTS_MAX 4096
/* Ends of windows are kept within this, so that they add up. */
#define WINDOW_MS (INT64_C(1) << 60)

struct reader {
	char *path;
	struct store *store;
	const struct catalog *catalog;
	sqlite3 *conn;         /* NULL: no file yet */
	uint64_t attach_count; /* of the store when the connection was made */
	bool has_rollups;      /* its format has them */
	bool immutable;        /* nothing but the file itself is read */
	bool own_index;        /* with its journal, but without the index of a living one */
	struct raw_size size;  /* of a file without a store */
	char error[256];
};

/* Sets the text of reader_error() from the connection and returns r. */
int reader_failed(struct reader *reader, int r);

/* Whether the index of its journal lies beside a file: somebody has it open, or had. */
bool reader_has_index(const char *path);

/* Whether a file without its damaged journal is newer than with what can be read of it. */
bool reader_left_journal(const char *path, const struct raw_size *size);

/* Begins a read transaction: 1, or 0 when there is no file to read. -errno */
MUST_CHECK int reader_begin(struct reader *reader);
void reader_end(struct reader *reader);

/* A time of the file, kept within what adds up without overflow. */
int64_t reader_time(sqlite3_stmt *stmt, int column);

/* Calls visit for each node on each live tail page, in the order of time, within a transaction.
 * Damaged pages end early. */
MUST_CHECK int reader_tail(struct reader *reader,
			   int (*visit)(int64_t boot, const struct dir_node *node,
					const uint8_t *data, void *arg),
			   void *arg);

/* The number of the running boot in the file (0 while it has none), with the lock held by the
 * caller. */
void reader_current_boot(const struct reader *reader, struct boot *ret);

/* The column of a field in the file, from 1; 0 when it has none. -errno */
MUST_CHECK int reader_column(struct reader *reader, const struct group *group, const char *field,
			     int64_t *ret);
/* Whether the file has a table of the group. 1, 0, -errno */
MUST_CHECK int reader_has_group(struct reader *reader, const struct group *group);

const struct collector *reader_collector(const struct reader *reader, const struct group *group);
