/* Readers while the loop adds and the store thread commits: every tick once, without a hole, at any
 * moment. ThreadSanitizer watches. */
/* label: long */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/support/store_world.h"

#define RUN_MS 2500

struct race {
	struct store *store;
	_Atomic int64_t added_ms; /* the newest tick that is in */
	atomic_bool stop;
	atomic_int n_reads, n_bad;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void *add(void *arg)
{
	struct race *race = arg;
	struct timespec pause = {.tv_nsec = 200000};
	struct sink sink;

	if (sink_init(&sink) < 0)
		return NULL;
	for (int64_t t = 1000; !race->stop; t += 1000) {
		world_tick(race->store, &sink, t, 2);
		race->added_ms = t;
		if (t % 50000 == 0)
			(void)store_mark_end(race->store, store_mark_start(race->store, "m", t),
					     t + 1);
		nanosleep(&pause, NULL);
	}
	sink_done(&sink);
	return NULL;
}

static void *commit(void *arg)
{
	struct race *race = arg;
	struct store_status status;

	while (!race->stop) {
		if (store_commit(race->store, race->added_ms, false) < 0)
			race->n_bad++;
		store_get_status(race->store, &status);
	}
	return NULL;
}

static int count(const struct event *event, const struct boot *boot, void *arg)
{
	(void)event;
	(void)boot;
	++*(int *)arg;
	return 0;
}

static int see_key(const struct series_key *key, const struct boot *boot, void *arg)
{
	(void)boot;
	*(int *)arg += !strcmp(key->node, "sd0");
	return 0;
}

static int latest(const struct latest_row *row, void *arg)
{
	*(int64_t *)arg = row->values[READS].value.i;
	return 0;
}

/* No assertion of cmocka outside of its own thread. */
static void read_once(struct race *race, struct reader *reader)
{
	struct series_key key = {.boot = 1, .node = "sd0", .identity = "id0"};
	const size_t field = READS;
	struct cursor *cursor = NULL;
	struct span span;
	int64_t next_ms = 1000, before_ms = race->added_ms, value;
	int n_events = 0, n_series = 0, r;

	if (cursor_open(reader, &world_groups[0], &key, &field, 1, 0, INT64_MAX / 4, &cursor) < 0) {
		race->n_bad++;
		return;
	}
	while ((r = cursor_next(cursor, &span)) > 0) {
		for (size_t i = 0; i < span.n; i++) {
			int64_t t_ms = span.t0_ms + (int64_t)i * span.step_ms;

			if (span.absent[0][i] || t_ms != next_ms ||
			    span.values[0][i] != world_reads(t_ms))
				race->n_bad++;
			next_ms = t_ms + 1000;
		}
	}
	cursor_close(cursor);
	if (r < 0 || next_ms <= before_ms)
		race->n_bad++;
	if (reader_events(reader, 0, INT64_MAX, 10, count, &n_events) < 0 ||
	    reader_series(reader, &world_groups[0], "sd0", 0, INT64_MAX, see_key, &n_series) < 0 ||
	    n_series != 1)
		race->n_bad++;
	store_latest(race->store, latest, &value);
	race->n_reads++;
}

static void *read_all(void *arg)
{
	struct race *race = arg;
	struct reader *reader = NULL;

	while (race->added_ms < 5000)
		;
	if (reader_open(world_path, race->store, &world_catalog, &reader) < 0) {
		race->n_bad++;
		return NULL;
	}
	while (!race->stop)
		read_once(race, reader);
	reader_close(reader);
	return NULL;
}

static void readers(void **state)
{
	struct race race = {.store = world_open("boot-a")};
	void *(*const threads[])(void *) = {add, commit, read_all, read_all};
	pthread_t ids[ARRAY_SIZE(threads)];
	int64_t end_ms = now_ms() + RUN_MS;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&ids[i], NULL, threads[i], &race), 0);
	while (now_ms() < end_ms && !race.n_bad)
		usleep(10000);
	race.stop = true;
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(ids[i], NULL);
	store_close(race.store);
	assert_int_equal(race.n_bad, 0);
	assert_true(race.n_reads > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(readers, world_start, world_stop)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
