/* Machines whose clocks do what clocks do, from the injected clock to the answer of a query. */
#include "analysis/clock_watch.h"
#include "daemon/clock_events.h"
#include "daemon/own_boot_id.h"
#include "query/query.h"
#include "tests/support/store_world.h"

#define TODAY_MS INT64_C(1796097600000) /* 2026-12-01T04:00:00Z */
#define HOUR_MS  INT64_C(3600000)
#define WRAP_MS  (INT64_C(1) << 32) /* 49.7 days */
#define TICK_MS  60000

/* The machine: its boot clock, and what the others show more. */
static int64_t boot_ms, asleep_ms, wall_offset_ms;
static struct clock_watch watch;
static struct store *store;
static struct sink sink;

static int machine_clock(clockid_t id, struct timespec *ret)
{
	int64_t ms = boot_ms;

	if (id == CLOCK_REALTIME)
		ms += wall_offset_ms;
	if (id == CLOCK_MONOTONIC)
		ms -= asleep_ms;
	*ret = (struct timespec){ms / 1000, ms % 1000 * 1000000};
	return 0;
}

static void tick(void)
{
	struct clock_reading now;
	struct clock_news news;

	clock_read(&now);
	clock_watch_look(&watch, &now, &news);
	clock_events_tell(store, &now, &news);
	sink_reset(&sink, &world_groups[0]);
	row_set(sink_row(&sink, "sd0", "id0"), READS, boot_ms / 1000);
	store_add(store, &world_groups[0], boot_ms, 0, TICK_MS, &sink);
}

/* With a sample at its start. */
static void power_on(const char *boot_id, int64_t now_ms, int64_t offset_ms)
{
	struct store_options options = world_options(boot_id);
	struct clock_reading now;

	boot_ms = now_ms;
	asleep_ms = 0;
	wall_offset_ms = offset_ms;
	clock_read(&now);
	clock_watch_begin(&watch, &now, NULL);
	options.wall_offset_ms = watch.known_ms;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	tick();
}

/* Samples n times, once a minute. */
static void run(int n)
{
	for (int i = 0; i < n; i++) {
		boot_ms += TICK_MS;
		tick();
		if (i % 60 == 59)
			assert_int_equal(store_commit(store, boot_ms, false), 0);
	}
}

static void power_off(void)
{
	assert_int_equal(store_commit(store, boot_ms, true), 0);
	store_close(store);
	store = NULL;
}

struct answer {
	int n_values, n_shown, n_series; /* n_shown: of the values, those as shown */
	int64_t first_ms, last_ms;       /* boot clock, of all values */
	int64_t boots;                   /* bits of them */
	struct points_ambiguity ambiguous[POINTS_AMBIGUITIES_MAX];
	size_t n_ambiguous;
};

static void take_point(struct answer *answer, const struct points_item *item)
{
	if (!item->has_value)
		return;
	answer->n_values++;
	answer->n_shown += item->series->as_shown;
	answer->first_ms =
		answer->n_values == 1 ? item->boot_ms : MIN(answer->first_ms, item->boot_ms);
	answer->last_ms = MAX(answer->last_ms, item->boot_ms);
	assert_int_equal(item->wall_ms, item->boot_ms + item->series->wall_offset_ms);
}

static struct answer ask(int64_t from_wall_ms, int64_t to_wall_ms)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(store);
	CLEANUP(query_closep) struct query *query = NULL;
	char from[32], to[32];
	const struct query_params params = {
		.metric = "disk.reads", .agg = "last", .from = from, .to = to, .step = "1min"};
	struct problem problem = {0};
	struct points_item item;
	struct points_head head;
	struct answer answer = {0};
	int r;

	snprintf(from, sizeof(from), "%lld", (long long)from_wall_ms / 1000);
	snprintf(to, sizeof(to), "%lld", (long long)to_wall_ms / 1000);
	r = query_open(reader, &world_catalog, &params, to_wall_ms, &query, &problem);
	if (r < 0)
		fail_msg("%d %s: %s", r, problem.parameter, problem.detail);
	query_head(query, &head);
	answer.n_ambiguous = head.n_ambiguous;
	memcpy(answer.ambiguous, head.ambiguous, sizeof(answer.ambiguous));
	while ((r = query_next(query, &item)) > 0) {
		if (item.type == POINTS_SERIES) {
			answer.n_series++;
			answer.boots |= INT64_C(1) << item.series->boot;
		}
		if (item.type == POINTS_POINT)
			take_point(&answer, &item);
	}
	assert_int_equal(r, 0);
	return answer;
}

static int count_kind(const struct event *event, const struct boot *boot, void *arg)
{
	struct event *found = arg;

	(void)boot;
	if (!strcmp(event->kind, found->kind)) {
		*found = *event;
		return 1;
	}
	return 0;
}

/* The oldest event of a kind. */
static struct event event_of(const char *kind)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(store);
	struct event found = {0};

	snprintf(found.kind, sizeof(found.kind), "%s", kind);
	if (reader_events(reader, 0, TODAY_MS * 2, 1000, count_kind, &found) != 1)
		fail_msg("no event %s", kind);
	return found;
}

/* Without a battery: a day of 1970, then the time is known. */
static void a_day_of_1970_then_today(void **state)
{
	struct answer answer;

	(void)state;
	power_on("a", 0, 0);
	run(1440);
	wall_offset_ms = TODAY_MS;
	run(60);
	for (int committed = 0; committed < 2; committed++) {
		answer = ask(TODAY_MS, TODAY_MS + 25 * HOUR_MS);
		assert_int_equal(answer.n_values, 1500);
		assert_int_equal(answer.n_series, 1);
		assert_int_equal(answer.n_ambiguous, 0);
		assert_int_equal(ask(0, 48 * HOUR_MS).n_values, 0);
		assert_non_null(strstr(event_of("clock_step").evidence, "\"first\":true"));
		if (!committed)
			power_off();
	}
}

/* Set back by an hour, five hours after the start. */
static void a_step_back(void **state)
{
	struct answer answer;

	(void)state;
	power_on("a", 0, TODAY_MS);
	run(300);
	wall_offset_ms -= HOUR_MS;
	run(120);
	for (int committed = 0; committed < 2; committed++) {
		/* The clock has shown 8:00 to 9:00 twice: by the offset that holds it is the last
		 * hour but one, and as shown the last before the step. */
		answer = ask(TODAY_MS + 4 * HOUR_MS, TODAY_MS + 5 * HOUR_MS);
		assert_int_equal(answer.n_ambiguous, 1);
		assert_int_equal(answer.ambiguous[0].why, POINTS_CLOCK_STEP);
		assert_int_equal(answer.ambiguous[0].boot, 1);
		assert_int_equal(answer.ambiguous[0].at_ms, 301 * TICK_MS);
		assert_int_equal(answer.ambiguous[0].to_wall_ms - answer.ambiguous[0].from_wall_ms,
				 HOUR_MS);
		assert_int_equal(answer.n_series, 2);
		assert_int_equal(answer.n_values, 120);
		assert_int_equal(answer.n_shown, 60);
		assert_int_equal(answer.first_ms, 241 * TICK_MS);
		assert_int_equal(answer.last_ms, 360 * TICK_MS);
		/* All of it: what is in the window anyway does not come again. */
		answer = ask(TODAY_MS - HOUR_MS - TICK_MS, TODAY_MS + 6 * HOUR_MS);
		assert_int_equal(answer.n_values, 421); /* with the one at the start */
		assert_int_equal(answer.n_shown, 0);
		assert_int_equal(answer.n_ambiguous, 1);
		/* Long before it nothing is in doubt. */
		answer = ask(TODAY_MS, TODAY_MS + HOUR_MS);
		assert_int_equal(answer.n_values, 60);
		assert_int_equal(answer.n_ambiguous, 0);
		if (!committed)
			power_off();
	}
}

/* A day ahead for an hour, by mistake. */
static void there_and_back(void **state)
{
	struct answer answer;

	(void)state;
	power_on("a", 0, TODAY_MS);
	run(60);
	wall_offset_ms += 24 * HOUR_MS;
	run(60);
	wall_offset_ms -= 24 * HOUR_MS;
	run(60);
	answer = ask(TODAY_MS, TODAY_MS + 3 * HOUR_MS);
	assert_int_equal(answer.n_values, 180);
	assert_int_equal(answer.n_shown, 0);
	/* The hour of tomorrow that was shown, and has not been yet. */
	answer = ask(TODAY_MS + 25 * HOUR_MS, TODAY_MS + 26 * HOUR_MS);
	assert_int_equal(answer.n_ambiguous, 0);
	assert_int_equal(answer.n_values, 60);
	assert_int_equal(answer.n_shown, 60);
	power_off();
}

static void set_to_nonsense(void **state)
{
	(void)state;
	power_on("a", 0, TODAY_MS);
	run(60);
	wall_offset_ms = 0;
	run(60);
	assert_int_equal(ask(TODAY_MS, TODAY_MS + 2 * HOUR_MS).n_values, 120);
	assert_int_equal(store_wall_offset_ms(store), TODAY_MS);
	assert_non_null(strstr(event_of("clock_step").evidence, "\"taken_over\":false"));
	power_off();
}

static void a_sleep(void **state)
{
	struct event event;

	(void)state;
	power_on("a", 0, TODAY_MS);
	run(60);
	boot_ms += 8 * HOUR_MS;
	asleep_ms += 8 * HOUR_MS;
	run(60);
	event = event_of("suspended");
	assert_int_equal(event.t_ms, HOUR_MS);
	assert_int_equal(event.t_end_ms, 9 * HOUR_MS + TICK_MS);
	assert_string_equal(event.evidence, "{\"suspended_ms\":28800000}");
	assert_string_equal(event.text, "the machine was suspended for 8 h 0 min");
	assert_int_equal(ask(TODAY_MS, TODAY_MS + 10 * HOUR_MS).n_values, 120);
	power_off();
}

/* A process that was stopped, or starved; not a machine that slept. */
static void a_stall(void **state)
{
	struct clock_reading seen = {0}, now;
	struct event event;

	(void)state;
	power_on("a", 0, TODAY_MS);
	run(1);
	seen.boot_ms = boot_ms;
	now = seen;
	now.boot_ms += CLOCK_STALL_MS + 4000;
	now.asleep_ms += 4001;
	clock_events_stall(store, &seen, &now, boot_ms);
	now.asleep_ms = 0;
	clock_events_stall(store, &seen, &now, boot_ms);
	event = event_of("stalled");
	assert_int_equal(event.t_ms, boot_ms);
	assert_int_equal(event.t_end_ms, now.boot_ms);
	assert_int_equal(event.severity, SEVERITY_WARNING);
	assert_string_equal(event.evidence, "{\"stalled_ms\":34000}");
	power_off();
}

/* Where 32 bits of milliseconds end, and once more. */
static void after_49_days(void **state)
{
	(void)state;
	for (int64_t n = 1; n <= 2; n++) {
		int64_t start_ms = (n * WRAP_MS / TICK_MS - 60) * TICK_MS;
		struct answer answer;

		power_on("a", start_ms, TODAY_MS);
		run(120);
		for (int committed = 0; committed < 2; committed++) {
			answer = ask(TODAY_MS + start_ms, TODAY_MS + boot_ms);
			assert_int_equal(answer.n_values, 120);
			assert_int_equal(answer.first_ms, start_ms + TICK_MS);
			assert_int_equal(answer.last_ms, boot_ms);
			assert_true(answer.last_ms > n * WRAP_MS);
			if (!committed)
				power_off();
		}
	}
}

/* A clock without a battery starts at the same time in each boot. */
static void two_boots_with_the_same_time(void **state)
{
	struct answer answer;

	(void)state;
	for (int boot = 0; boot < 2; boot++) {
		power_on(boot ? "b" : "a", 0, TODAY_MS);
		run(60);
		if (!boot)
			power_off();
	}
	for (int committed = 0; committed < 2; committed++) {
		answer = ask(TODAY_MS, TODAY_MS + HOUR_MS);
		assert_int_equal(answer.n_values, 120);
		assert_int_equal(answer.n_series, 2);
		assert_int_equal(answer.boots, 1 << 1 | 1 << 2);
		assert_int_equal(answer.n_ambiguous, 1);
		assert_int_equal(answer.ambiguous[0].why, POINTS_TWO_BOOTS);
		assert_int_equal(answer.ambiguous[0].boot, 2);
		assert_int_equal(answer.ambiguous[0].other_boot, 1);
		if (!committed)
			power_off();
	}
}

struct told {
	int64_t boots[8], t_ms[8];
	size_t n;
};

static int tell_event(const struct event *event, const struct boot *boot, void *arg)
{
	struct told *told = arg;

	if (strcmp(event->kind, "start") != 0 || told->n == ARRAY_SIZE(told->boots))
		return 0;
	told->boots[told->n] = boot->current ? 2 : boot->id;
	told->t_ms[told->n++] = event->t_ms;
	return 0;
}

static int tell_mark(const struct mark *mark, const struct boot *boot, void *arg)
{
	struct told *told = arg;

	told->boots[told->n] = boot->current ? 2 : boot->id;
	told->t_ms[told->n++] = mark->t_ms;
	return 0;
}

static void assert_told(const struct told *told, size_t n, const int64_t *boots)
{
	assert_int_equal(told->n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(told->boots[i], boots[i]);
	for (size_t i = 1; i < n; i++)
		assert_true(told->boots[i - 1] < told->boots[i] ||
			    told->t_ms[i - 1] < told->t_ms[i]);
}

/* The first boot was three hours ahead: what came in the second one came later all the same. */
static void a_boot_that_was_ahead(void **state)
{
	static const int64_t boots[] = {1, 1, 2, 2};

	(void)state;
	for (int boot = 0; boot < 2; boot++) {
		power_on(boot ? "b" : "a", 0, TODAY_MS + (boot ? 0 : 3 * HOUR_MS));
		for (int i = 0; i < 2; i++) {
			world_event(store, boot_ms, "start");
			store_mark_span(store, "x", boot_ms, boot_ms);
			run(1);
		}
		if (!boot)
			power_off();
	}
	for (int committed = 0; committed < 2; committed++) {
		CLEANUP(reader_closep) struct reader *reader = world_reader(store);
		struct told events = {0}, marks = {0}, newest = {0}, newest_marks = {0};

		assert_int_equal(reader_events(reader, 0, TODAY_MS * 2, 1000, tell_event, &events),
				 0);
		assert_told(&events, 4, boots);
		assert_int_equal(reader_marks(reader, 0, TODAY_MS * 2, 1000, tell_mark, &marks), 0);
		assert_told(&marks, 4, boots);
		assert_int_equal(reader_events(reader, 0, TODAY_MS * 2, 3, tell_event, &newest), 0);
		assert_told(&newest, 3, boots + 1);
		assert_int_equal(reader_marks(reader, 0, TODAY_MS * 2, 3, tell_mark, &newest_marks),
				 0);
		assert_told(&newest_marks, 3, boots + 1);
		assert_int_equal(store_commit(store, boot_ms, false), 0);
	}
	power_off();
}

static bool is_memory(const char *folder)
{
	return !strncmp(folder, "/dev/shm", 8);
}

/* The kernel's boot id cannot be read. */
static void a_boot_id_of_our_own(void **state)
{
	char folders[][40] = {"/dev/shm/test_daemon_time.XXXXXX",
			      "/var/tmp/test_daemon_time.XXXXXX"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		char first[HW_BOOT_ID_MAX] = "", second[HW_BOOT_ID_MAX] = "", path[256];
		bool kept = false;
		FILE *file;

		if (!mkdtemp(folders[i]))
			continue;
		assert_int_equal(own_boot_id(folders[i], first, &kept), 0);
		assert_int_equal(strlen(first), 36);
		/* What outlives the boot keeps nothing. */
		assert_int_equal(kept, is_memory(folders[i]));
		assert_int_equal(own_boot_id(folders[i], second, &kept), 0);
		assert_int_equal(!strcmp(first, second), is_memory(folders[i]));
		/* Garbage is no boot id. */
		snprintf(path, sizeof(path), "%s/boot_id", folders[i]);
		file = fopen(path, "we");
		assert_non_null(file);
		fputs("an id of thirty-six bytes, or even more", file);
		fclose(file);
		assert_int_equal(own_boot_id(folders[i], second, &kept), 0);
		assert_int_equal(second[14], '4');
		assert_string_not_equal(first, second);
		unlink(path);
		rmdir(folders[i]);
	}
}

static int start(void **state)
{
	clock_inject(machine_clock);
	assert_int_equal(sink_init(&sink), 0);
	return world_start(state);
}

static int stop(void **state)
{
	store_close(store);
	store = NULL;
	sink_done(&sink);
	clock_inject(NULL);
	return world_stop(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_day_of_1970_then_today, start, stop),
		cmocka_unit_test_setup_teardown(a_step_back, start, stop),
		cmocka_unit_test_setup_teardown(there_and_back, start, stop),
		cmocka_unit_test_setup_teardown(set_to_nonsense, start, stop),
		cmocka_unit_test_setup_teardown(a_sleep, start, stop),
		cmocka_unit_test_setup_teardown(a_stall, start, stop),
		cmocka_unit_test_setup_teardown(after_49_days, start, stop),
		cmocka_unit_test_setup_teardown(two_boots_with_the_same_time, start, stop),
		cmocka_unit_test_setup_teardown(a_boot_that_was_ahead, start, stop),
		cmocka_unit_test(a_boot_id_of_our_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
