/* label: nosan */
/* A steady tick takes nothing from the heap: the allocator of this program counts. The first ticks,
 * and the first after the first commit, make the blocks. */
#include <stdatomic.h>

#include <sqlite3.h>

#include "model/sink.h"
#include "model/writers.h"
#include "sampling/registry.h"
#include "tests/support/store_world.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static atomic_ulong n_allocations;

void *malloc(size_t size)
{
	n_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	n_allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	n_allocations++;
	return __libc_realloc(p, size);
}

static void steady(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	unsigned long before, n = 0;
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 600000; t += 1000) {
		before = n_allocations;
		world_tick(store, &sink, t, 5);
		if (t > 180000)
			n += n_allocations - before;
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_true(n_allocations > 0);
	assert_int_equal(n, 0);
	sink_done(&sink);
}

/* Names of each kind, each of which writes less than the one before. */
#define N_ROWS  120
#define HOUR_MS INT64_C(3600000)

static void add_rows(struct sink *sink, const struct group *group, int64_t scale)
{
	static const enum writer_source sources[] = {WRITER_PROCESS, WRITER_CGROUP, WRITER_UID};

	sink_reset(sink, group);
	for (size_t s = 0; s < ARRAY_SIZE(sources); s++)
		for (int64_t i = 0; i < N_ROWS; i++) {
			/* In no order of their size. */
			int64_t place = i * 67 % N_ROWS;
			struct writer writer = {.source = sources[s],
						.id = -1,
						.n = 1,
						.io = {.written = (N_ROWS - place) * scale}};

			snprintf(writer.name, sizeof(writer.name), "w%03d", (int)place);
			writer_to_row(&writer, sink);
		}
}

static int64_t number_of(sqlite3 *conn, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t number;

	assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return number;
}

/* Also the tick in which an hour is over, whose largest are kept: those that wrote most, in this
 * order, and behind them what the others wrote in all. */
static void hours(void **state)
{
	const struct collector *collector = catalog_find_collector(registry(), "writers");
	CLEANUP(store_closep) struct store *store = NULL;
	struct store_options options = world_options("boot-a");
	unsigned long before, n = 0;
	struct sink sink;
	sqlite3 *conn;

	(void)state;
	assert_non_null(collector);
	assert_int_equal(store_open(&options, registry(), &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 60000; t <= 5 * HOUR_MS + 60000; t += 60000) {
		add_rows(&sink, &collector->groups[0], 1000);
		before = n_allocations;
		store_add(store, &collector->groups[0], t, 0, 60000, &sink);
		if (t > 180000)
			n += n_allocations - before;
		assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_int_equal(n, 0);
	assert_int_equal(store_commit(store, 5 * HOUR_MS + 120000, true), 0);
	sink_done(&sink);
	assert_int_equal(sqlite3_open(options.path, &conn), SQLITE_OK);
	/* 60 minutes, in each of which the first row of a kind has written 120 thousand bytes. */
	assert_int_equal(number_of(conn, "SELECT count(*) FROM writer WHERE t=3600000"), 3 * 33);
	assert_int_equal(number_of(conn, "SELECT count(*) FROM (SELECT name, written, "
					 "row_number() OVER (PARTITION BY source ORDER BY n) - 1 "
					 "AS k FROM writer WHERE t=3600000) WHERE k < 32 AND "
					 "name = printf('w%03d', k) AND written = (120-k)*60000"),
			 3 * 32);
	assert_int_equal(number_of(conn, "SELECT sum(written) FROM writer WHERE t=3600000 AND "
					 "source='uid' AND name='(others)'"),
			 88 * 89 / 2 * INT64_C(60000));
	sqlite3_close(conn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(steady, world_start, world_stop),
		cmocka_unit_test_setup_teardown(hours, world_start, world_stop)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
