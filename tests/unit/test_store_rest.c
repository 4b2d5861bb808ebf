/* What a commit must not do: keep memory until the next one, hold the lock over I/O, leave traces
 * when it fails. */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "store/sql_process.h"
#include "tests/support/store_world.h"

#define REST_MAX_BYTES 50000
#define DEADLOCK_S     30

static void add_ticks(struct store *store, int64_t from_ms, int64_t to_ms, size_t n_nodes)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_ms; t < to_ms; t += 1000)
		world_tick(store, &sink, t, n_nodes);
	sink_done(&sink);
}

static void commit_ticks(struct store *store, int64_t from_ms, int64_t to_ms)
{
	add_ticks(store, from_ms, to_ms, 2);
	assert_int_equal(store_commit(store, to_ms, false), 0);
}

/* The parsed schema alone is more than this. */
static void memory_between_commits(void **state)
{
	CLEANUP(store_closep) struct store *store = world_open("boot-a");
	struct world_seen seen = {.next_ms = 1000};
	struct reader *reader;

	(void)state;
	for (int64_t t = 1000; t < 301000; t += 60000) {
		commit_ticks(store, t, t + 60000);
		assert_true(sqlite3_memory_used() < REST_MAX_BYTES);
	}
	reader = world_reader(store);
	world_check(reader, 1, 0, INT64_MAX / 2, &seen);
	assert_int_equal(seen.n_ticks, 300);
	assert_int_equal(seen.n_bad, 0);
	reader_close(reader);
}

/* The end of a checkpoint sets the size, and costs the file system nothing where it is right. */
static void a_size_that_is_right(void **state)
{
	CLEANUP(closep) int fd = open(world_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	int (*truncate_file)(int, off_t);
	struct stat st;

	(void)state;
	sql_process_begin();
	truncate_file = (int (*)(int, off_t))sqlite3_vfs_find("unix")->xGetSystemCall(
		sqlite3_vfs_find("unix"), "ftruncate");
	assert_true(fd >= 0);
	assert_int_equal(truncate_file(fd, 4096), 0);
	assert_int_equal(futimens(fd, long_ago), 0);
	assert_int_equal(truncate_file(fd, 4096), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mtim.tv_sec, 1);
	assert_int_equal(truncate_file(fd, 100), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 100);
	assert_int_equal(truncate_file(-1, 100), -1);
}

static struct store *traced;
static size_t n_traced;

/* Stands still for ever when the caller holds the lock; the alarm ends that. */
static int take_the_lock(unsigned what, void *arg, void *p, void *x)
{
	(void)what;
	(void)arg;
	(void)p;
	(void)x;
	if (traced)
		(void)store_urgent(traced);
	n_traced++;
	return 0;
}

static int trace_connection(sqlite3 *conn, const char **error, const void *api)
{
	(void)error;
	(void)api;
	return sqlite3_trace_v2(conn, SQLITE_TRACE_STMT, take_the_lock, NULL);
}

static void no_lock_over_io(void **state)
{
	struct store *store = NULL;

	(void)state;
	assert_int_equal(sqlite3_auto_extension((void (*)(void))trace_connection), SQLITE_OK);
	store = world_open("boot-a");
	traced = store;
	alarm(DEADLOCK_S);
	for (int64_t t = 1000; t < 8000000; t += 400000)
		commit_ticks(store, t, t + 400000);
	store_event(store, &(struct event){.kind = "x", .severity = SEVERITY_WARNING});
	assert_int_equal(store_mark_start(store, "m", 8000000) > 0, 1);
	assert_int_equal(store_commit(store, 8001000, true), 0);
	alarm(0);
	assert_true(n_traced > 100);
	traced = NULL;
	store_close(store);
	sqlite3_reset_auto_extension();
}

static bool refuse;

static int refuse_commit(void *arg)
{
	(void)arg;
	return refuse;
}

static int hook_connection(sqlite3 *conn, const char **error, const void *api)
{
	(void)error;
	(void)api;
	sqlite3_commit_hook(conn, refuse_commit, NULL);
	return SQLITE_OK;
}

/* A node goes on where an earlier run of the program left it, at the second attempt as well. */
static void same_run_after_failure(void **state)
{
	struct store *store = world_open("boot-a");
	char answer[64];

	(void)state;
	add_ticks(store, 1000, 3000, 2);
	add_ticks(store, 3000, 5000, 1);
	commit_ticks(store, 5000, 10000);
	store_close(store);
	assert_int_equal(sqlite3_auto_extension((void (*)(void))hook_connection), SQLITE_OK);
	store = world_open("boot-a");
	refuse = true;
	add_ticks(store, 12000, 20000, 2);
	assert_true(store_commit(store, 20000, false) < 0);
	refuse = false;
	assert_int_equal(store_commit(store, 21000, true), 0);
	store_close(store);
	sqlite3_reset_auto_extension();
	world_shell("SELECT name, run, gone FROM node ORDER BY id", answer, sizeof(answer));
	assert_string_equal(answer, "sd0|1|0\nsd1|1|1\nsd1|2|0");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(memory_between_commits),
		TEST(a_size_that_is_right),
		TEST(no_lock_over_io),
		TEST(same_run_after_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
