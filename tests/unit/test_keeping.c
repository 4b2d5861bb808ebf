/* The cap over months: samples go before minutes, minutes before hours, hours before health and
 * events; and a file of the format before there were rollups. */
/* label: long single */
/* timeout: 300 */
#include <sqlite3.h>
#include <sys/stat.h>

#include "tests/support/store_world.h"

#define FOUR_MIB  (4 * MIB)
#define HOUR_MS   INT64_C(3600000)
#define DAY_MS    (24 * HOUR_MS)
#define STEP_MS   5000
#define COMMIT_MS 1800000
#define N_DAYS    45

static uint64_t seed = 88172645463325252U;

static int64_t next_random(int64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int64_t)(seed % (uint64_t)n);
}

static int64_t size_of(const char *suffix)
{
	char name[128];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", world_path, suffix);
	return stat(name, &st) < 0 ? 0 : st.st_size;
}

static void add_tick(struct store *store, struct sink *sink, int64_t t_ms)
{
	static int64_t reads[3], temp[3];

	sink_reset(sink, &world_groups[0]);
	for (size_t i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sd%zu", i);
		struct row *row = sink_row(sink, name, "");

		reads[i] += next_random(5000);
		temp[i] += next_random(2001) - 1000;
		row_set(row, READS, reads[i] % INT32_MAX);
		row_set(row, TEMP, temp[i]);
		row_set(row, MODE, t_ms / DAY_MS % 2);
	}
	store_add(store, &world_groups[0], t_ms, 0, STEP_MS, sink);
	if (t_ms % HOUR_MS)
		return;
	sink_reset(sink, &world_groups[1]);
	row_set(sink_row(sink, "sd0", ""), 0, t_ms / DAY_MS);
	store_add(store, &world_groups[1], t_ms, 0, HOUR_MS, sink);
}

static void add_event(struct store *store, int64_t t_ms)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms, .severity = SEVERITY_INFO};

	snprintf(event.kind, sizeof(event.kind), "day");
	snprintf(event.text, sizeof(event.text), "a day is over");
	store_event(store, &event);
}

static int64_t oldest_day(const struct store_status *status, size_t what)
{
	const struct store_kept *k = &status->kept[what];

	return k->oldest_wall_ms ? (k->oldest_wall_ms - WALL_OFFSET_MS) / DAY_MS : -1;
}

static void the_cap_holds(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;
	int64_t largest = 0, gone[4] = {-1, -1, -1, -1};
	char answer[128];

	(void)state;
	options.size_max_bytes = FOUR_MIB;
	options.commit_ms = COMMIT_MS;
	options.shares = (struct store_shares){60, 25, 2};
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = STEP_MS; t <= N_DAYS * DAY_MS; t += STEP_MS) {
		add_tick(store, &sink, t);
		if (t % DAY_MS == 0)
			add_event(store, t);
		if (t % COMMIT_MS)
			continue;
		assert_int_equal(store_commit(store, t, false), 0);
		largest = MAX(largest, size_of("") + size_of("-wal") + size_of("-shm"));
		if (t % DAY_MS)
			continue;
		store_get_status(store, &status);
		for (size_t i = 0; i < 4; i++)
			if (gone[i] < 0 && oldest_day(&status, i) > 1)
				gone[i] = t / DAY_MS;
	}
	sink_done(&sink);
	store_get_status(store, &status);
	store_close(store);
	print_message(
		"largest %lld; first gone on day: raw %lld, minute %lld, hour %lld, slow %lld\n",
		(long long)largest, (long long)gone[0], (long long)gone[1], (long long)gone[2],
		(long long)gone[3]);
	for (size_t i = 0; i < 4; i++)
		print_message(
			"%s: %lld of %lld bytes, from day %lld, %lld a day\n", status.kept[i].name,
			(long long)status.kept[i].bytes, (long long)status.kept[i].share_bytes,
			(long long)oldest_day(&status, i), (long long)status.kept[i].bytes_per_day);
	assert_in_range(largest, FOUR_MIB / 2, FOUR_MIB);
	assert_int_equal(status.n_failed_commits, 0);
	assert_true(gone[0] > 0 && gone[1] >= gone[0] && gone[2] > gone[1]);
	assert_true(oldest_day(&status, 0) > oldest_day(&status, 1));
	assert_true(oldest_day(&status, 1) > oldest_day(&status, 2));
	assert_true(gone[3] < 0);
	world_shell("SELECT count(*), min(t) FROM event WHERE kind='day'", answer, sizeof(answer));
	assert_string_equal(answer, "45|86400000");
	world_shell("SELECT min(t) FROM disk_health", answer, sizeof(answer));
	assert_string_equal(answer, "3600000");
	world_shell("PRAGMA integrity_check", answer, sizeof(answer));
	assert_string_equal(answer, "ok");
}

/* The file alone says what the store said of it. */
static void check_file_says(const struct store_status *status)
{
	struct reader *reader = world_reader(NULL);
	struct store_kept kept[STORE_N_KEPT];
	int64_t size_max_bytes = 0;

	assert_int_equal(reader_kept(reader, kept, STORE_N_KEPT, &size_max_bytes), 0);
	assert_int_equal(size_max_bytes, status->size_max_bytes);
	for (size_t i = 0; i < STORE_N_KEPT; i++) {
		assert_string_equal(kept[i].name, status->kept[i].name);
		assert_int_equal(kept[i].bytes, status->kept[i].bytes);
		assert_int_equal(kept[i].share_bytes, status->kept[i].share_bytes);
		assert_int_equal(kept[i].oldest_wall_ms, status->kept[i].oldest_wall_ms);
		assert_int_equal(kept[i].bytes_per_day, status->kept[i].bytes_per_day);
	}
	reader_close(reader);
}

/* One of before, which nobody with a cap has written to yet; and what nobody can have written. */
static void check_other_files_say(void)
{
	struct reader *reader;
	struct store_kept kept[STORE_N_KEPT];
	int64_t size_max_bytes = 1;
	char answer[16];

	world_shell("UPDATE cap SET bytes=-5 WHERE what='raw'; DELETE FROM cap WHERE what='hour';"
		    "UPDATE kept SET pages=9223372036854775807, made_bytes=9223372036854775807,"
		    " made_ms=1; UPDATE boot SET wall_offset_ms=9223372036854775807",
		    answer, sizeof(answer));
	reader = world_reader(NULL);
	assert_int_equal(reader_kept(reader, kept, STORE_N_KEPT, &size_max_bytes), 0);
	assert_int_equal(kept[0].share_bytes, -1);
	assert_true(kept[1].share_bytes > 0 && kept[2].share_bytes == -1);
	assert_int_equal(kept[0].bytes, (INT64_C(1) << 32) * 4096);
	assert_true(kept[0].oldest_wall_ms > 0);
	reader_close(reader);
	world_shell("DROP TABLE cap", answer, sizeof(answer));
	reader = world_reader(NULL);
	assert_int_equal(reader_kept(reader, kept, STORE_N_KEPT, &size_max_bytes), 0);
	assert_int_equal(size_max_bytes, 0);
	for (size_t i = 0; i < STORE_N_KEPT; i++)
		assert_int_equal(kept[i].share_bytes, -1);
	reader_close(reader);
}

/* What kept says is what the tables take. */
static void pages_are_counted(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;
	struct sink sink;
	char answer[128];

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = STEP_MS; t <= 2 * DAY_MS; t += STEP_MS) {
		add_tick(store, &sink, t);
		if (t % COMMIT_MS == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_int_equal(store_commit(store, 2 * DAY_MS, true), 0);
	sink_done(&sink);
	store_get_status(store, &status);
	store_close(store);
	check_file_says(&status);
	world_shell(
		"SELECT what, pages FROM kept WHERE pages<>coalesce((SELECT count(*)-1 FROM dbstat"
		" WHERE name=CASE what WHEN 'raw' THEN 'disk_chunk' WHEN 'slow' THEN"
		" 'disk_health_chunk' ELSE what END),0)",
		answer, sizeof(answer));
	if (!strstr(answer, "no such table"))
		assert_string_equal(answer, "");
	check_other_files_say();
}

static void ask_shell(const char *sql, const char *expected)
{
	char answer[256];

	world_shell(sql, answer, sizeof(answer));
	assert_string_equal(answer, expected);
}

/* As the version before left it: without the tables, and with its number. */
static void make_old(void)
{
	ask_shell("DROP TABLE minute; DROP TABLE hour; DROP TABLE measure; DROP TABLE baseline;"
		  "DROP TABLE kept; PRAGMA user_version=1",
		  "");
}

static void add_hours(struct store *store, int64_t from_ms, int64_t to_ms)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_ms + 1000; t <= to_ms; t += 1000) {
		world_tick(store, &sink, t, 1);
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	sink_done(&sink);
}

static void a_file_of_before(void **state)
{
	struct store *store = world_open("boot-a");
	struct world_seen seen = {.next_ms = 1000};
	struct reader *reader;

	(void)state;
	add_hours(store, 0, 2 * HOUR_MS);
	store_close(store);
	make_old();
	reader = world_reader(NULL);
	world_check(reader, 1, 0, 2 * HOUR_MS, &seen);
	assert_int_equal(seen.n_ticks, 7200);
	assert_int_equal(seen.n_bad, 0);
	reader_close(reader);

	store = world_open("boot-a");
	add_hours(store, 2 * HOUR_MS, 5 * HOUR_MS);
	assert_int_equal(store_commit(store, 5 * HOUR_MS, true), 0);
	reader = world_reader(store);
	seen = (struct world_seen){.next_ms = 1000};
	world_check(reader, 1, 0, 5 * HOUR_MS, &seen);
	assert_int_equal(seen.n_ticks, 18000);
	assert_int_equal(seen.n_bad, 0);

	const struct metric metric = {.collector = &world_collector,
				      .group = &world_groups[0],
				      .name = "reads",
				      .kind = KIND_COUNTER};
	struct series_key key = {.boot = 1, .node = "sd0", .identity = "id0"};
	struct series_extent extent;

	assert_int_equal(reader_extent(reader, &metric, &key, &extent), 0);
	assert_int_equal(extent.raw_from_ms, 1000);
	assert_in_range(extent.rolled_from_ms, HOUR_MS, 2 * HOUR_MS);
	assert_in_range(extent.minute_to_ms, 4 * HOUR_MS, 5 * HOUR_MS);
	reader_close(reader);
	store_close(store);
	ask_shell("PRAGMA user_version; SELECT count(*)>0 FROM minute", "2\n1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(the_cap_holds), TEST(pages_are_counted),
					   TEST(a_file_of_before)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
