/* Minutes and hours have points for what was recorded, and for nothing before, between and behind;
 * and what the status says of the oldest of them is when it was. */
/* label: single */
#include "tests/support/store_world.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS   INT64_C(3600000)
#define DAY_MS    (24 * HOUR_MS)
#define BEGIN_MS  (9 * HOUR_MS + 20 * MINUTE_MS + 5000) /* the first sample */
#define RUN_MS    (11 * MINUTE_MS)
#define AGAIN_MS  (DAY_MS + 7 * HOUR_MS + 40 * MINUTE_MS)

static void run(struct store *store, int64_t from_ms, int64_t to_ms)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_ms; t < to_ms; t += 1000)
		world_tick(store, &sink, t, 2);
	sink_reset(&sink, &world_groups[1]);
	row_set(sink_row(&sink, "sd0", ""), 0, 3);
	store_add(store, &world_groups[1], to_ms / 600000 * 600000, 0, 600000, &sink);
	sink_done(&sink);
	assert_int_equal(store_commit(store, to_ms, true), 0);
}

static void ask(const char *sql, const char *expected)
{
	char answer[512];

	world_shell(sql, answer, sizeof(answer));
	assert_string_equal(answer, expected);
}

static int64_t oldest_ms(const struct store_status *status, size_t what)
{
	int64_t wall_ms = status->kept[what].oldest_wall_ms;

	return wall_ms ? wall_ms - WALL_OFFSET_MS : 0;
}

/* The pages of the run before are folded when the file is opened, the day is over with the third
 * run, and the fourth makes the store look at what is kept. */
static void recorded(void **state)
{
	static const int64_t from_ms[] = {BEGIN_MS, BEGIN_MS + HOUR_MS, AGAIN_MS,
					  AGAIN_MS + 2 * HOUR_MS};
	struct store_status status = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(from_ms); i++) {
		struct store *store = world_open("boot-a");

		run(store, from_ms[i], from_ms[i] + RUN_MS);
		store_get_status(store, &status);
		store_close(store);
		if (i == 1) {
			assert_int_equal(oldest_ms(&status, 0), BEGIN_MS);
			assert_int_equal(oldest_ms(&status, 1), BEGIN_MS);
			assert_int_equal(oldest_ms(&status, 2), BEGIN_MS);
		}
	}
	/* 9:20 to 9:31, 10:20 to 10:31, 31:40 to 31:51: each begins in the midst of a minute or
	 * with one, and the last tick is a second before the end. */
	ask("SELECT t/3600000, min(t)%3600000/60000, max(t)%3600000/60000, count(*) FROM minutes"
	    " WHERE node='sd0' AND name='reads' GROUP BY 1",
	    "9|21|32|12\n10|21|32|12\n31|40|51|12");
	ask("SELECT count(*) FROM minutes WHERE count IS NULL AND sum IS NULL", "0");
	ask("SELECT t/3600000, count FROM hours WHERE node='sd1' AND name='reads' ORDER BY t",
	    "10|659\n11|660");
	ask("SELECT count(*) FROM hours WHERE count IS NULL AND sum IS NULL", "0");
	/* The count at the end of a row is still told. */
	ask("SELECT DISTINCT last, last2 FROM minutes WHERE node='sd0' AND name='reads'"
	    " AND t<36000000",
	    "|102792");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(recorded)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
