/* The SQL of the file: schema/generated.sql is what the program makes, names need no quotes, and
 * the views of every group that is built in can be asked.
 *
 * After a change of the format: FLASHSCOPE_UPDATE=1 build/dev/tests/test_store_schema */
#include <sqlite3.h>

#include "tests/support/store_world.h"

#include "sampling/registry.h"

#define GENERATED        TEST_SOURCE_DIR "/../schema/generated.sql"
#define SQL_BYTES        (512 * 1024)
#define SCHEMA_BYTES_MAX (224 * 1024)

static void make_file(const struct catalog *catalog)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;

	assert_int_equal(store_open(&options, catalog, &store), 0);
	assert_int_equal(store_commit(store, 1000, true), 0);
	store_close(store);
}

static sqlite3 *open_file(void)
{
	sqlite3 *conn = NULL;

	assert_int_equal(sqlite3_open(world_path, &conn), SQLITE_OK);
	return conn;
}

static void dump(char *sql)
{
	sqlite3 *conn = open_file();
	sqlite3_stmt *stmt = NULL;
	struct text text = text_in(sql, SQL_BYTES);

	text_str(&text,
		 "-- All tables and views of a file whose only group is `load`; made by\n"
		 "-- tests/unit/test_store_schema.c, which also holds it against the program.\n");
	assert_int_equal(sqlite3_prepare_v2(conn,
					    "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
					    " ORDER BY rowid",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		text_printf(&text, "\n%s;\n", sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_close(conn);
	assert_false(text.truncated);
}

static void generated(void **state)
{
	const struct collector *load = catalog_find_collector(registry(), "load");
	const struct catalog catalog = {&load, 1};
	CLEANUP(freep) char *sql = malloc(SQL_BYTES), *expected = calloc(1, SQL_BYTES);
	CLEANUP(fclosep) FILE *f = NULL;

	(void)state;
	make_file(&catalog);
	dump(sql);
	if (getenv("FLASHSCOPE_UPDATE")) {
		f = fopen(GENERATED, "we");
		assert_non_null(f);
		fputs(sql, f);
		return;
	}
	f = fopen(GENERATED, "re");
	assert_non_null(f);
	assert_true(fread(expected, 1, SQL_BYTES - 1, f) > 0);
	if (strcmp(sql, expected) != 0)
		fail_msg("schema/generated.sql is old: FLASHSCOPE_UPDATE=1 %s",
			 "test_store_schema");
}

/* Columns that every chunk or view has. */
static const char *const taken[] = {"id",   "boot", "node", "t0",   "step", "n",
				    "late", "wall", "t",    "part", "value"};

/* Some keywords are names as well where no keyword can stand ("temp"). */
static bool needs_quotes(const char *name)
{
	sqlite3 *conn = NULL;
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "CREATE TABLE x(a, %s); CREATE VIEW y AS SELECT %s, 1 AS %s FROM x c WHERE c.%s>1"
		 " AND %s>1; SELECT y.%s FROM y WHERE %s=1; CREATE TABLE %s(a);",
		 name, name, name, name, name, name, name, name);
	assert_int_equal(sqlite3_open(":memory:", &conn), SQLITE_OK);

	int code = sqlite3_exec(conn, sql, NULL, NULL, NULL);

	sqlite3_close(conn);
	return code != SQLITE_OK;
}

static void check_name(const char *name)
{
	if (needs_quotes(name))
		fail_msg("%s is a keyword of SQL", name);
	for (const char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", *p))
			fail_msg("%s is no plain name", name);
}

static void names(void **state)
{
	const struct group *group;

	(void)state;
	assert_true(needs_quotes("group"));
	assert_false(needs_quotes("reads"));
	for (size_t i = 0; (group = catalog_group_at(registry(), i, NULL)); i++) {
		check_name(group->name);
		for (size_t f = 0; f < group->n_fields; f++) {
			if (group->fields[f].kind == KIND_INFO) /* no column */
				continue;
			check_name(group->fields[f].name);
			for (size_t t = 0; t < ARRAY_SIZE(taken); t++)
				if (!strcmp(taken[t], group->fields[f].name))
					fail_msg("%s.%s is a column of every view", group->name,
						 group->fields[f].name);
		}
	}
}

static void ask(sqlite3 *conn, const char *name)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);

	if (sqlite3_exec(conn, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", name, sqlite3_errmsg(conn));
	sqlite3_free(sql);
}

static void all_views(void **state)
{
	sqlite3 *conn;
	sqlite3_stmt *stmt = NULL;
	int64_t size = 0;

	(void)state;
	make_file(registry());
	conn = open_file();
	assert_int_equal(sqlite3_prepare_v2(conn,
					    "SELECT name, length(sql) FROM sqlite_master"
					    " WHERE type IN ('view','table')",
					    -1, &stmt, NULL),
			 SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		size += sqlite3_column_int64(stmt, 1);
		ask(conn, (const char *)sqlite3_column_text(stmt, 0));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(conn);
	/* The shell reads all of it when it opens the file. */
	assert_in_range(size, 10000, SCHEMA_BYTES_MAX);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(generated), TEST(names), TEST(all_views)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
