#include "store/sql.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "store/sql_process.h"

void stmt_closep(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}

int sql_errno(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return -EACCES;
	case SQLITE_CORRUPT:
		return -EUCLEAN;
	case SQLITE_NOTADB:
		return -EMEDIUMTYPE;
	case SQLITE_CONSTRAINT:
		return -EEXIST;
	default:
		return -EIO;
	}
}

int sql_open(const char *path, int flags, sqlite3 **ret)
{
	sql_process_begin();
	return sql_errno(sqlite3_open_v2(path, ret, flags | SQLITE_OPEN_NOMUTEX, NULL));
}

static char *format(const char *fmt, va_list args)
{
	return sqlite3_vmprintf(fmt, args);
}

int sql_exec(sqlite3 *conn, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *sql = format(fmt, args);
	va_end(args);
	if (!sql)
		return -ENOMEM;

	int r = sql_errno(sqlite3_exec(conn, sql, NULL, NULL, NULL));

	sqlite3_free(sql);
	return r;
}

int sql_prepare(sqlite3 *conn, sqlite3_stmt **ret, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *sql = format(fmt, args);
	va_end(args);
	if (!sql)
		return -ENOMEM;

	int r = sql_errno(sqlite3_prepare_v2(conn, sql, -1, ret, NULL));

	sqlite3_free(sql);
	return r;
}

int sql_step(sqlite3_stmt *stmt)
{
	int code = sqlite3_step(stmt);

	if (code == SQLITE_ROW)
		return 1;
	sqlite3_reset(stmt);
	return sql_errno(code);
}

int sql_run(sqlite3_stmt *stmt)
{
	int r = sql_step(stmt);

	if (r > 0)
		sqlite3_reset(stmt);
	return MIN(r, 0);
}

int sql_int(sqlite3 *conn, int64_t *ret, const char *fmt, ...)
{
	sqlite3_stmt *stmt = NULL;
	va_list args;

	va_start(args, fmt);
	char *sql = format(fmt, args);
	va_end(args);
	if (!sql)
		return -ENOMEM;

	int r = sql_errno(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL));

	sqlite3_free(sql);
	if (r < 0)
		return r;
	r = sql_step(stmt);
	if (r > 0 && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
		*ret = sqlite3_column_int64(stmt, 0);
	else if (r >= 0)
		r = -ENOENT;
	sqlite3_finalize(stmt);
	return MIN(r, 0);
}

void bind_int(sqlite3_stmt *stmt, int i, int64_t value)
{
	sqlite3_bind_int64(stmt, i, value);
}

void bind_text(sqlite3_stmt *stmt, int i, const char *text)
{
	sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
}

const char *column_text(sqlite3_stmt *stmt, int i)
{
	const char *text = (const char *)sqlite3_column_text(stmt, i);

	return text ? text : "";
}

char *sql_uri(const char *path, const char *query)
{
	sqlite3_str *uri;

	sql_process_begin();
	uri = sqlite3_str_new(NULL);

	sqlite3_str_appendall(uri, "file:");
	for (const char *p = path; *p; p++) {
		if (strchr("%?#", *p))
			sqlite3_str_appendf(uri, "%%%02X", (unsigned char)*p);
		else
			sqlite3_str_append(uri, p, 1);
	}
	sqlite3_str_appendf(uri, "?%s", query);
	return sqlite3_str_finish(uri);
}
