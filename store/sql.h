/* SQLite in the manner of this project: 0 or negative errno. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

void stmt_closep(sqlite3_stmt **stmt);

/* The errno of a result code: -EUCLEAN for a damaged file, -EMEDIUMTYPE for no database, -ENOSPC,
 * -EIO, -EROFS, -EBUSY, -EACCES, -ENOMEM. */
int sql_errno(int code);

/* Opens a connection for one thread at a time; flags are those of sqlite3_open_v2(). On failure too
 * there may be one, for its message: sqlite3_close() it. */
MUST_CHECK int sql_open(const char *path, int flags, sqlite3 **ret);

/* printf forms are those of sqlite3_mprintf(): %Q, %w. */
MUST_CHECK int sql_exec(sqlite3 *conn, const char *fmt, ...);
MUST_CHECK int sql_prepare(sqlite3 *conn, sqlite3_stmt **ret, const char *fmt, ...);

/* 1 with a row, 0 at the end, -errno. At the end and after an error the statement is reset. */
MUST_CHECK int sql_step(sqlite3_stmt *stmt);
/* Runs a statement that gives no rows and resets it. */
MUST_CHECK int sql_run(sqlite3_stmt *stmt);

/* The integer of a query; -ENOENT without a row or for NULL. */
MUST_CHECK int sql_int(sqlite3 *conn, int64_t *ret, const char *fmt, ...);

/* Binding by position from 1; the text must live until the statement is reset. */
void bind_int(sqlite3_stmt *stmt, int i, int64_t value);
void bind_text(sqlite3_stmt *stmt, int i, const char *text);

/* "" for NULL. */
const char *column_text(sqlite3_stmt *stmt, int i);

/* "file:PATH?QUERY" with the path escaped; sqlite3_free() it. NULL without memory. */
char *sql_uri(const char *path, const char *query);
