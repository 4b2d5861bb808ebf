/* A file of the store world, a bad copy of it, and what recover() makes of that. */
#pragma once

#include <sqlite3.h>

#include "store/recover.h"
#include "tests/support/store_world.h"

static char bad_path[128], new_path[128];
static struct recover_report report;

static inline void bad_world_start(void)
{
	snprintf(bad_path, sizeof(bad_path), "%s/bad.db", world_folder);
	snprintf(new_path, sizeof(new_path), "%s/new.db", world_folder);
}

/* A tick each second up to end_ms, with a commit after each of commit_ms and a clean end. */
static inline void bad_world_fill(const char *boot_id, int64_t end_ms, size_t n_nodes,
				  int64_t commit_ms)
{
	struct store *store = world_open(boot_id);
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= end_ms; t += 1000) {
		world_tick(store, &sink, t, n_nodes);
		if (t % commit_ms == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_int_equal(store_commit(store, end_ms, true), 0);
	store_close(store);
	sink_done(&sink);
}

/* The bad file begins as a copy of the good one. */
static inline void bad_world_copy(void)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -f '%s' '%s'-* && cp '%s' '%s'", bad_path, bad_path,
		 world_path, bad_path);
	assert_int_equal(system(command), 0);
}

static inline void bad_world_change(const char *path, const char *sql)
{
	sqlite3 *conn = NULL;
	char *error = NULL;

	assert_int_equal(sqlite3_open(path, &conn), SQLITE_OK);
	sqlite3_db_config(conn, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	if (sqlite3_exec(conn, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
	assert_int_equal(sqlite3_close(conn), SQLITE_OK);
}

static inline void bad_world_recover(void)
{
	unlink(new_path);
	assert_int_equal(recover(bad_path, new_path, &world_catalog, &report), 0);
}

/* The first column of the first row that the new file has to say; the good one is o. */
static inline void bad_world_ask(const char *sql, char *answer, size_t size)
{
	sqlite3 *conn = NULL;
	sqlite3_stmt *stmt = NULL;
	char text[256];

	assert_int_equal(sqlite3_open(new_path, &conn), SQLITE_OK);
	snprintf(text, sizeof(text), "ATTACH '%s' AS o", world_path);
	assert_int_equal(sqlite3_exec(conn, text, NULL, NULL, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL) != SQLITE_OK ||
	    sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(conn));

	const unsigned char *value = sqlite3_column_text(stmt, 0);

	snprintf(answer, size, "%s", value ? (const char *)value : "");
	sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_close(conn), SQLITE_OK);
}
