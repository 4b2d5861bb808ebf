/* Plain tables into a file of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/plain.h"
#include "store/sql.h"

struct writer {
	struct reader *reader;
	sqlite3 *conn;
	int64_t from_ms, to_ms;
	int64_t n_damaged;
};

static void conn_closep(sqlite3 **conn)
{
	sqlite3_close(*conn);
}

static int describe(struct writer *w, const char *table, const struct plain_column *c)
{
	return sql_exec(w->conn,
			"INSERT INTO columns VALUES(%Q,%Q,nullif(%Q,''),nullif(%Q,''),%Q,%Q)",
			table, c->name, c->unit, c->kind, c->states, c->help);
}

/* A record has columns of both types; there the value tells. */
static const char *type_of(const struct plain_column *c)
{
	if (!strcmp(c->kind, "text"))
		return " TEXT";
	return *c->kind || !strncmp(c->name, "boot", 4) ? " INTEGER" : "";
}

static int make_table(struct writer *w, const char *table, const struct plain_column *columns,
		      size_t n, sqlite3_stmt **ret)
{
	sqlite3_str *sql = sqlite3_str_new(w->conn), *put = sqlite3_str_new(w->conn);
	int r = 0;

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\"", table);
	sqlite3_str_appendf(put, "INSERT INTO \"%w\" VALUES", table);
	for (size_t i = 0; i < n; i++) {
		sqlite3_str_appendf(sql, "%s\"%w\"%s", i ? ", " : "(", columns[i].name,
				    type_of(&columns[i]));
		sqlite3_str_appendall(put, i ? ",?" : "(?");
	}
	sqlite3_str_appendall(sql, ")");
	sqlite3_str_appendall(put, ")");

	char *sql_text = sqlite3_str_finish(sql), *put_text = sqlite3_str_finish(put);

	r = sql_text && put_text ? sql_exec(w->conn, "%s", sql_text) : -ENOMEM;
	if (!r)
		r = sql_prepare(w->conn, ret, "%s", put_text);
	sqlite3_free(sql_text);
	sqlite3_free(put_text);
	for (size_t i = 0; i < n && !r; i++)
		r = describe(w, table, &columns[i]);
	return r;
}

static int put_row(sqlite3_stmt *put, const struct plain_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int at = (int)i + 1;

		if (values[i].type == PLAIN_INT)
			bind_int(put, at, values[i].i);
		else if (values[i].type == PLAIN_TEXT)
			bind_text(put, at, values[i].text);
		else
			sqlite3_bind_null(put, at);
	}
	return sql_run(put);
}

static int write_table(const char *table, void *arg)
{
	CLEANUP(plain_closep) struct plain *plain = NULL;
	CLEANUP(stmt_closep) sqlite3_stmt *put = NULL;
	CLEANUP(freep) struct plain_value *values = NULL;
	struct writer *w = arg;
	size_t n = 0;
	int r = plain_open(w->reader, table, w->from_ms, w->to_ms, &plain);

	if (r < 0)
		return r;

	const struct plain_column *columns = plain_columns(plain, &n);

	values = calloc(n + 1, sizeof(*values));
	r = values ? make_table(w, table, columns, n, &put) : -ENOMEM;
	while (!r && (r = plain_next(plain, values)) > 0)
		r = put_row(put, values, n);
	w->n_damaged += plain_n_damaged(plain);
	return r;
}

int plain_to_sqlite(struct reader *reader, const char *path, const char *const *tables, size_t n,
		    int64_t from_wall_ms, int64_t to_wall_ms, int64_t *ret_n_damaged)
{
	CLEANUP(conn_closep) sqlite3 *conn = NULL;
	struct writer w = {.reader = reader, .from_ms = from_wall_ms, .to_ms = to_wall_ms};
	int r = sql_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &conn);

	w.conn = conn;
	if (!r)
		r = sql_exec(conn, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
				   "PRAGMA cache_size=-2048; BEGIN;"
				   "CREATE TABLE columns(\"table\" TEXT, name TEXT, unit TEXT,"
				   " kind TEXT, states TEXT, help TEXT)");
	for (size_t i = 0; i < n && !r; i++)
		r = write_table(tables[i], &w);
	if (!n && !r)
		r = plain_tables(reader, write_table, &w);
	*ret_n_damaged = w.n_damaged;
	return r ? r : sql_exec(conn, "COMMIT");
}
