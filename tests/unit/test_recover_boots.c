/* The page of the boots is lost: their times and names come from what else tells of them. */
#include "tests/support/recover_world.h"

#define END_MS 300000

static void expect(const char *sql, const char *expected)
{
	char answer[256];

	bad_world_ask(sql, answer, sizeof(answer));
	assert_string_equal(answer, expected);
}

static int start(void **state)
{
	int r = world_start(state);

	bad_world_start();
	bad_world_fill("boot-a", END_MS, 1, END_MS);
	/* Which moves what the first one left in open pages. */
	bad_world_fill("boot-b", 1000, 1, END_MS);
	bad_world_change(world_path, "DELETE FROM boot WHERE id=1; DELETE FROM event;"
				     "DELETE FROM clock_step;");
	return r;
}

/* Makes a file of it with a few rows more, and recovers that. */
static void recover_with(const char *sql)
{
	bad_world_copy();
	bad_world_change(bad_path, sql);
	bad_world_recover();
	assert_int_equal(report.n_made_up, 1);
}

#define STEP "INSERT INTO clock_step VALUES(1,1,5000,0,1790000000111);"
#define EVENT(evidence)                                                                            \
	"INSERT INTO event VALUES(1,1,0,0,'info','boot',NULL,NULL,'','" evidence "');"
#define BEGUN           EVENT("{\"kernel\":\"6.1.0\",\"boot_id\":\"a-b\",\"wall_offset_ms\":1790000000222}")
/* 300 s after 1790000000. */
#define ENDED(evidence) "INSERT INTO boot_end VALUES(1,'unknown','possible','','" evidence "');"
#define LAST            ENDED("{\"recorder\":{\"last\":\"2026-09-21T14:18:20Z\"}}")

static void time_and_name(void **state)
{
	static const struct {
		const char *sql, *boot;
		int64_t n_without_time;
	} cases[] = {
		{"", "||0", 1},
		{STEP BEGUN LAST, "a-b|6.1.0|1790000000111", 0},
		{BEGUN LAST, "a-b|6.1.0|1790000000222", 0},
		{LAST, "||1790000000000", 0},
		/* The last that is known of it is an event, later than its samples. */
		{LAST "INSERT INTO event VALUES(1,1,310000,0,'info','stop',NULL,NULL,'','');",
		 "||1789999990000", 0},
		/* What makes no sense is not taken. */
		{EVENT("{\"kernel\":7,\"boot_id\":8,\"wall_offset_ms\":\"x\"}"), "||0", 1},
		{EVENT("{\"wall_offset_ms\":9223372036854775807}"), "||0", 1},
		{EVENT("{") ENDED("{"), "||0", 1},
		{ENDED("{\"recorder\":{\"last\":\"yesterday\"}}"), "||0", 1},
		{ENDED("{\"recorder\":7}"), "||0", 1},
		{"INSERT INTO clock_step VALUES(1,1,5000,0,-1);" BEGUN, "a-b|6.1.0|1790000000222",
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		recover_with(cases[i].sql);
		expect("SELECT boot_id||'|'||kernel||'|'||wall_offset_ms FROM boot WHERE id=1",
		       cases[i].boot);
		assert_int_equal(report.n_boots_without_time, cases[i].n_without_time);
	}
}

/* So that its samples are found by the time that they were taken. */
static void samples_have_their_time(void **state)
{
	(void)state;
	recover_with(BEGUN);
	expect("SELECT min(wall)||' '||max(wall) FROM disk WHERE boot=1",
	       "2026-09-21T14:13:21.222Z 2026-09-21T14:18:20.222Z");
}

/* A boot whose samples no fold has taken yet has them in the tail alone. */
static void boot_of_the_tail(void **state)
{
	(void)state;
	bad_world_copy();
	bad_world_change(bad_path, "DELETE FROM boot WHERE id=2; INSERT INTO boot_end VALUES(2,"
				   "'unknown','possible','',"
				   "'{\"recorder\":{\"last\":\"2026-09-21T13:13:21Z\"}}');");
	bad_world_recover();
	assert_int_equal(report.n_made_up, 2);
	expect("SELECT first_ms||' '||last_ms||' '||wall_offset_ms FROM boot WHERE id=2",
	       "1000 1000 1789996400000");
	expect("SELECT min(wall)||' '||max(wall) FROM disk WHERE boot=2",
	       "2026-09-21T13:13:21.000Z 2026-09-21T13:13:21.000Z");
	/* What its page says may be no time. */
	bad_world_change(bad_path, "UPDATE tail SET dir='{\"disk\":{\"t0\":1e300,\"step\":\"x\","
				   "\"n\":[],\"nodes\":[]},\"x\":7}'");
	bad_world_recover();
	expect("SELECT count(*) FROM boot WHERE last_ms>1000000", "0");
}

/* Steps of SQLite, in hundreds. */
static int64_t n_steps;

static int count_steps(void *arg)
{
	(void)arg;
	n_steps++;
	return 0;
}

static int watch(sqlite3 *conn, char **error, const void *api)
{
	(void)error;
	(void)api;
	sqlite3_progress_handler(conn, 100, count_steps, NULL);
	return SQLITE_OK;
}

static int64_t steps_with_boots(int n)
{
	char sql[1024];

	bad_world_copy();
	snprintf(sql, sizeof(sql),
		 "WITH RECURSIVE i(n) AS (SELECT 10 UNION ALL SELECT n+1 FROM i WHERE n<%d)"
		 " INSERT INTO boot SELECT n,'','',NULL,NULL,0 FROM i;"
		 "INSERT INTO event SELECT NULL,id,0,0,'info','boot',NULL,NULL,'','{}' FROM boot;"
		 "INSERT INTO clock_step SELECT NULL,id,5000,0,-1 FROM boot;"
		 "INSERT OR IGNORE INTO boot_end SELECT id,'unknown','possible','','{}' FROM boot;",
		 n);
	bad_world_change(bad_path, sql);
	n_steps = 0;
	bad_world_recover();
	return n_steps;
}

/* Four times as many boots may take four times as long, not sixteen times. */
static void many_boots(void **state)
{
	int64_t few, many;

	(void)state;
	assert_int_equal(sqlite3_auto_extension((void (*)(void))watch), SQLITE_OK);
	few = steps_with_boots(1000);
	many = steps_with_boots(4000);
	sqlite3_reset_auto_extension();
	assert_true(few > 0);
	if (many > 6 * few)
		fail_msg("%lld steps for 1000 boots, %lld for 4000", (long long)few * 100,
			 (long long)many * 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_and_name),
		cmocka_unit_test(samples_have_their_time),
		cmocka_unit_test(boot_of_the_tail),
		cmocka_unit_test(many_boots),
	};

	return cmocka_run_group_tests(tests, start, world_stop);
}
