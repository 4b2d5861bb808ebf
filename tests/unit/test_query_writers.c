/* Who has written, asked of a real store: hostile rows, the first tick, and no byte twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/sink.h"
#include "query/writers.h"
#include "sampling/registry.h"
#include "store/store.h"

#define OFFSET_MS INT64_C(1796000000000)
#define MINUTE_MS INT64_C(60000)
#define HOUR_MS   INT64_C(3600000)
#define MIB       INT64_C(1048576)

struct world {
	char folder[64], path[80];
	struct store *store;
	struct sink sink;
	const struct group *group;
};

static void open_store(struct world *w)
{
	struct store_options options = {
		.path = w->path,
		.boot_id = "boot-one",
		.kernel = "test",
		.wall_offset_ms = OFFSET_MS,
		.size_max_bytes = 16 << 20,
		.tail_max_bytes = 1 << 20,
		.commit_ms = 60000,
		.mirror_dir = w->folder,
		.digest = 4711,
	};

	assert_int_equal(store_open(&options, registry(), &w->store), 0);
}

static int start(void **state)
{
	static struct world w;
	const struct collector *collector;

	w = (struct world){.folder = "/tmp/test_query_writers.XXXXXX"};
	assert_non_null(mkdtemp(w.folder));
	snprintf(w.path, sizeof(w.path), "%s/f.db", w.folder);
	collector = catalog_find_collector(registry(), "writers");
	assert_non_null(collector);
	w.group = &collector->groups[0];
	assert_string_equal(w.group->name, "writers_top");
	assert_int_equal(sink_init(&w.sink), 0);
	open_store(&w);
	*state = &w;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;
	char command[128];

	store_close(w->store);
	sink_done(&w->sink);
	snprintf(command, sizeof(command), "rm -rf '%s'", w->folder);
	return system(command);
}

static void begin_tick(struct world *w)
{
	sink_reset(&w->sink, w->group);
}

static void add(struct world *w, enum writer_source source, const char *name, const char *unit,
		int64_t written)
{
	struct writer writer = {.source = source, .id = -1, .n = 1, .io = {.written = written}};

	snprintf(writer.name, sizeof(writer.name), "%s", name);
	snprintf(writer.unit, sizeof(writer.unit), "%s", unit);
	writer_to_row(&writer, &w->sink);
}

static void end_tick(struct world *w, int64_t t_ms)
{
	store_add(w->store, w->group, t_ms, 0, MINUTE_MS, &w->sink);
}

static void ask(struct world *w, enum writers_by by, struct writers_report *ret)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;

	assert_int_equal(reader_open(w->path, w->store, registry(), &reader), 0);
	assert_int_equal(query_writers(reader, by, OFFSET_MS, OFFSET_MS + 100 * HOUR_MS, ret), 0);
}

/* -1: no such row; name and unit, the latter NULL for any. */
static int64_t written_by(const struct writers_report *report, const char *name, const char *unit)
{
	int64_t sum = -1;

	for (size_t i = 0; i < report->n; i++)
		if (!strcmp(report->rows[i].name, name) &&
		    (!unit || !strcmp(report->rows[i].unit, unit)))
			sum = MAX(sum, INT64_C(0)) + report->rows[i].io.written;
	return sum;
}

#define HOSTILE 20000

/* A file of somebody else: more rows than there may be, of those that call themselves others too,
 * each with a unit, a number and a disk of its own. */
static void hostile_rows_are_bounded(void **state)
{
	static const char *const sources[] = {"process", "cgroup", "uid", "device"};
	struct world *w = *state;
	CLEANUP(writers_report_done) struct writers_report report = {0};
	sqlite3 *conn;
	char sql[1024];

	begin_tick(w);
	end_tick(w, MINUTE_MS);
	assert_int_equal(store_commit(w->store, MINUTE_MS, true), 0);
	store_close(w->store);
	w->store = NULL;
	assert_int_equal(sqlite3_open(w->path, &conn), SQLITE_OK);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO writer(boot,t,since,n,until,source,name,unit,device,id,"
			 "processes,written,read,cancelled,syncs) WITH RECURSIVE k(n) AS (SELECT 0 "
			 "UNION ALL SELECT n+1 FROM k WHERE n<%d) SELECT (SELECT min(id) FROM "
			 "boot),0,0,%zu*1000000+n,60000,'%s',iif(n<4500 AND %zu=0,'p'||n,'%s'),"
			 "'u'||n,'d'||n,n,0,1,0,0,0 FROM k",
			 HOSTILE - 1, i, sources[i], i, WRITER_OTHERS);
		assert_int_equal(sqlite3_exec(conn, sql, NULL, NULL, NULL), SQLITE_OK);
	}
	sqlite3_close(conn);
	open_store(w);

	ask(w, WRITERS_BY_PROCESS, &report);
	assert_in_range(report.n, WRITERS_ROWS_MAX, WRITERS_ROWS_MAX + 1);
	assert_int_equal(report.total.written, HOSTILE);
	assert_int_equal(written_by(&report, WRITER_OTHERS, ""), HOSTILE - WRITERS_ROWS_MAX);
	assert_int_equal(report.written.written, HOSTILE);
	assert_int_equal(report.n_devices, 1);
	writers_report_done(&report);
	ask(w, WRITERS_BY_UID, &report);
	assert_int_equal(report.n, 1);
	assert_int_equal(report.rows[0].id, -1);
	assert_int_equal(report.total.written, HOSTILE);
}

/* A helper outlives the daemon: what it tells first goes back to a daemon before this one. */
static void the_first_tick_is_a_baseline(void **state)
{
	struct world *w = *state;
	CLEANUP(writers_report_done) struct writers_report report = {0};

	begin_tick(w);
	add(w, WRITER_PROCESS, "six hours", "a.service", 700 * MIB);
	end_tick(w, HOUR_MS + MINUTE_MS);
	begin_tick(w);
	add(w, WRITER_PROCESS, "a minute", "a.service", MIB);
	end_tick(w, HOUR_MS + 2 * MINUTE_MS);
	ask(w, WRITERS_BY_ANY, &report);
	assert_int_equal(report.total.written, MIB);
	assert_int_equal(written_by(&report, "six hours", NULL), -1);
	assert_int_equal(report.from_ms, OFFSET_MS + HOUR_MS + MINUTE_MS);
	assert_int_equal(report.to_ms, OFFSET_MS + HOUR_MS + 2 * MINUTE_MS);
	assert_int_equal(report.state, WRITERS_COUNTED);
	/* What was before the first look, nobody counted. */
	assert_int_equal(report.n_gaps, 1);
	assert_int_equal(report.gaps[0].from_ms, OFFSET_MS);
	assert_int_equal(report.gaps[0].to_ms, OFFSET_MS + HOUR_MS + MINUTE_MS);
	assert_int_equal(report.uncounted_ms, HOUR_MS + MINUTE_MS);

	/* The next hour begins where the one before ended, and counts at once. */
	begin_tick(w);
	add(w, WRITER_PROCESS, "a minute", "a.service", 2 * MIB);
	end_tick(w, 2 * HOUR_MS + MINUTE_MS);
	writers_report_done(&report);
	ask(w, WRITERS_BY_ANY, &report);
	assert_int_equal(report.total.written, 3 * MIB);
}

/* Those beyond the largest have no unit any more, but their cgroups have what they wrote. */
static void others_are_not_unseen_too(void **state)
{
	struct world *w = *state;
	CLEANUP(writers_report_done) struct writers_report report = {0};

	begin_tick(w);
	end_tick(w, MINUTE_MS);
	begin_tick(w);
	add(w, WRITER_PROCESS, "large", "a.service", 100 * MIB);
	add(w, WRITER_PROCESS, WRITER_OTHERS, "", 70 * MIB);
	add(w, WRITER_CGROUP, "a.service", "/system.slice/a.service", 150 * MIB);
	add(w, WRITER_CGROUP, "b.service", "/system.slice/b.service", 40 * MIB);
	end_tick(w, 2 * MINUTE_MS);
	ask(w, WRITERS_BY_PROCESS, &report);
	assert_int_equal(report.total.written, 190 * MIB);
	assert_int_equal(written_by(&report, WRITER_OTHERS, NULL), 70 * MIB);
	assert_int_equal(written_by(&report, WRITER_UNSEEN, "a.service"), -1);
	assert_int_equal(written_by(&report, WRITER_UNSEEN, "b.service"), 20 * MIB);
	writers_report_done(&report);

	/* More of others than of cgroups: nothing is below 0. */
	begin_tick(w);
	add(w, WRITER_PROCESS, WRITER_OTHERS, "", 500 * MIB);
	end_tick(w, 3 * MINUTE_MS);
	ask(w, WRITERS_BY_PROCESS, &report);
	assert_int_equal(report.total.written, 670 * MIB);
	assert_int_equal(written_by(&report, WRITER_UNSEEN, NULL), -1);
}

#define SECOND_MS INT64_C(1000)

static void count_second(struct world *w, int64_t t_ms, int64_t written)
{
	begin_tick(w);
	if (written)
		add(w, WRITER_PROCESS, "one", "a.service", written);
	end_tick(w, t_ms);
}

static void assert_written(struct world *w, int64_t written)
{
	CLEANUP(writers_report_done) struct writers_report report = {0};

	ask(w, WRITERS_BY_PROCESS, &report);
	assert_int_equal(report.total.written, written);
}

/* Killed before the hour was written, and again before the next daemon's first tick. */
static void a_kill_loses_no_account(void **state)
{
	struct world *w = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/mirror.writers", w->folder);
	count_second(w, SECOND_MS, 0);
	count_second(w, 2 * SECOND_MS, MIB);
	assert_int_equal(store_commit(w->store, 3 * SECOND_MS, false), 0);
	count_second(w, 4 * SECOND_MS, 2 * MIB);
	for (int i = 0; i < 2; i++) {
		store_close(w->store);
		open_store(w);
		assert_written(w, 3 * MIB);
	}
	/* The next one goes on, is killed too, and the third writes all of it once. */
	count_second(w, 10 * SECOND_MS, 100 * MIB);
	count_second(w, 11 * SECOND_MS, 4 * MIB);
	assert_int_equal(store_commit(w->store, 12 * SECOND_MS, false), 0);
	store_close(w->store);
	open_store(w);
	assert_written(w, 7 * MIB);
	assert_int_equal(store_commit(w->store, 13 * SECOND_MS, true), 0);
	assert_written(w, 7 * MIB);
	store_close(w->store);
	assert_int_equal(access(path, F_OK), -1);
	open_store(w);
	assert_written(w, 7 * MIB);
}

static void ask_in(struct world *w, int64_t from_ms, int64_t to_ms, struct writers_report *ret)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;

	assert_int_equal(reader_open(w->path, w->store, registry(), &reader), 0);
	assert_int_equal(query_writers(reader, WRITERS_BY_PROCESS, OFFSET_MS + from_ms,
				       OFFSET_MS + to_ms, ret),
			 0);
}

static int64_t rows_of(const struct world *w, int64_t t_ms)
{
	char sql[96];
	sqlite3_stmt *stmt = NULL;
	sqlite3 *conn;
	int64_t n;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM writer WHERE t=%lld", (long long)t_ms);
	assert_int_equal(sqlite3_open(w->path, &conn), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(conn);
	return n;
}

/* As the collector tells of an account that it has looked at, in which nobody had written. */
static void count_nobody(struct world *w, int64_t t_ms)
{
	begin_tick(w);
	add(w, WRITER_PROCESS, WRITER_OTHERS, "", 0);
	end_tick(w, t_ms);
}

/* An hour in which nobody wrote was counted, in memory, in the file and after a kill. */
static void quiet_hours_are_counted(void **state)
{
	struct world *w = *state;
	CLEANUP(writers_report_done) struct writers_report report = {0};

	count_second(w, SECOND_MS, 0);
	count_second(w, HOUR_MS, MIB);
	for (int64_t t = HOUR_MS + MINUTE_MS; t <= 2 * HOUR_MS; t += MINUTE_MS)
		count_nobody(w, t);
	count_second(w, 3 * HOUR_MS, MIB);
	for (int i = 0; i < 3; i++) {
		ask_in(w, SECOND_MS, 2 * HOUR_MS + MINUTE_MS, &report);
		assert_int_equal(report.n, 1);
		assert_int_equal(report.total.written, MIB);
		assert_int_equal(report.n_hours, 2);
		assert_int_equal(report.uncounted_ms, 0);
		writers_report_done(&report);
		ask_in(w, HOUR_MS + 10 * MINUTE_MS, 2 * HOUR_MS - 10 * MINUTE_MS, &report);
		assert_int_equal(report.state, WRITERS_NONE);
		assert_int_equal(report.n, 0);
		assert_int_equal(report.uncounted_ms, 0);
		writers_report_done(&report);
		if (i == 0) {
			assert_int_equal(store_commit(w->store, 3 * HOUR_MS, false), 0);
		} else {
			store_close(w->store);
			open_store(w);
		}
	}
	/* One who writes in an hour takes the place of what only tells of a look. */
	count_nobody(w, 4 * HOUR_MS + MINUTE_MS);
	count_nobody(w, 4 * HOUR_MS + 2 * MINUTE_MS);
	count_second(w, 4 * HOUR_MS + 3 * MINUTE_MS, MIB);
	assert_int_equal(store_commit(w->store, 4 * HOUR_MS + 4 * MINUTE_MS, true), 0);
	assert_int_equal(rows_of(w, 4 * HOUR_MS), 1);
	assert_int_equal(rows_of(w, HOUR_MS), 1);
}

static int64_t size_of(const struct world *w, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", w->folder, name);
	return stat(path, &st) == 0 ? st.st_size : 0;
}

static int64_t mirrored(const struct world *w)
{
	struct store_status status;

	store_get_status(w->store, &status);
	return status.mirror_bytes;
}

/* The accounts take memory as what stands beside them does. The heads of the two logs are not
 * counted. */
static void its_bytes_are_counted(void **state)
{
	struct world *w = *state;
	int64_t small, large;

	count_second(w, SECOND_MS, 0);
	small = mirrored(w);
	assert_true(size_of(w, "mirror.writers") > 0);
	assert_true(small >= size_of(w, "mirror.writers"));
	begin_tick(w);
	add(w, WRITER_PROCESS, "one", "a.service", MIB);
	add(w, WRITER_PROCESS, "two", "b.service", MIB);
	end_tick(w, 2 * SECOND_MS);
	large = size_of(w, "mirror.writers");
	assert_true(mirrored(w) >= large && large > small);
	/* A commit that leaves the present hour takes only what stands beside it. */
	assert_int_equal(store_commit(w->store, 3 * SECOND_MS, false), 0);
	assert_int_equal(mirrored(w), large);
	store_close(w->store);
	open_store(w);
	assert_int_equal(mirrored(w), large);
}

/* Whatever stands there: none of it is taken but what a run before has written. */
static void a_foreign_mirror_is_passed_over(void **state)
{
	struct world *w = *state;
	char command[256];

	for (int at = 0; at < 1000; at += 37) {
		count_second(w, SECOND_MS, 0);
		count_second(w, 2 * SECOND_MS, MIB);
		store_close(w->store);
		snprintf(command, sizeof(command),
			 "rm %s; printf X | dd of=%s/mirror.writers bs=1 seek=%d conv=notrunc "
			 "status=none",
			 w->path, w->folder, at);
		assert_int_equal(system(command), 0);
		open_store(w);
		assert_written(w, 0);
		store_close(w->store);
		snprintf(command, sizeof(command), "rm -f %s %s/mirror.*; touch %s/mirror.writers",
			 w->path, w->folder, w->folder);
		assert_int_equal(system(command), 0);
		open_store(w);
	}
}

/* As the collector shows that it looks. */
static void look(struct world *w, const char *source, int64_t t_ms)
{
	const struct group *group = w->group + 1;

	assert_string_equal(group->name, "writers");
	sink_reset(&w->sink, group);
	row_set(sink_row(&w->sink, source, ""), 0, 0);
	store_add(w->store, group, t_ms, 0, MINUTE_MS, &w->sink);
}

/* Nobody who wrote, nobody who looked, and looked at another time: three answers. */
static void none_is_told_apart(void **state)
{
	struct world *w = *state;
	CLEANUP(writers_report_done) struct writers_report report = {0};

	ask(w, WRITERS_BY_ANY, &report);
	assert_int_equal(report.state, WRITERS_NOT_COUNTED);
	assert_non_null(strstr(report.reason, "not looked at yet"));
	writers_report_done(&report);

	store_outcome(w->store, "writers", "process", 0, "no_option", "no such account");
	assert_int_equal(store_commit(w->store, SECOND_MS, false), 0);
	ask(w, WRITERS_BY_ANY, &report);
	assert_int_equal(report.state, WRITERS_NOT_COUNTED);
	assert_string_equal(report.reason, "no_option: no such account");
	writers_report_done(&report);

	look(w, "process", HOUR_MS);
	assert_int_equal(store_commit(w->store, HOUR_MS, false), 0);
	ask(w, WRITERS_BY_ANY, &report);
	assert_int_equal(report.state, WRITERS_NOT_COUNTED);
	assert_non_null(strstr(report.reason, "no second one yet"));
	writers_report_done(&report);

	look(w, "process", HOUR_MS + MINUTE_MS);
	assert_int_equal(store_commit(w->store, HOUR_MS + MINUTE_MS, false), 0);
	ask_in(w, HOUR_MS, 2 * HOUR_MS, &report);
	assert_int_equal(report.state, WRITERS_NOT_COUNTED);
	assert_non_null(strstr(report.reason, "written when it is over"));
	writers_report_done(&report);

	ask_in(w, 3 * HOUR_MS, 4 * HOUR_MS, &report);
	assert_int_equal(report.state, WRITERS_OUTSIDE);
	assert_non_null(strstr(report.reason, "not in this window"));
	writers_report_done(&report);

	/* Of another account nobody knows, whoever wrote. */
	ask(w, WRITERS_BY_UID, &report);
	assert_int_equal(report.state, WRITERS_NOT_COUNTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hostile_rows_are_bounded, start, end),
		cmocka_unit_test_setup_teardown(the_first_tick_is_a_baseline, start, end),
		cmocka_unit_test_setup_teardown(others_are_not_unseen_too, start, end),
		cmocka_unit_test_setup_teardown(none_is_told_apart, start, end),
		cmocka_unit_test_setup_teardown(a_kill_loses_no_account, start, end),
		cmocka_unit_test_setup_teardown(quiet_hours_are_counted, start, end),
		cmocka_unit_test_setup_teardown(its_bytes_are_counted, start, end),
		cmocka_unit_test_setup_teardown(a_foreign_mirror_is_passed_over, start, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
