/* A machine that ends without a last commit, and the next boot, which has what the ring kept. */
#include <fcntl.h>

#include "tests/support/store_world.h"

#define DIGEST 4711

static struct sink sink;
static char ring_path[128];
static uint8_t left[1 << 20];

static struct store *open_with(const char *boot_id, int fd)
{
	struct store_options options = world_options(boot_id);
	struct store *store = NULL;

	options.ring_fd = fd;
	options.digest = DIGEST;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	return store;
}

/* A boot that ends at 100 s, with 60 s of it committed. */
static void end_a_boot(void)
{
	int fd = open(ring_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct store *store;
	struct store_status status;

	assert_true(fd > 0);
	store = open_with("a", fd);
	world_ticks(&sink, store, 1000, 50000);
	world_event(store, 50000, "one");
	world_ticks(&sink, store, 50000, 60000);
	assert_int_equal(store_commit(store, 60000, false), 0);
	world_ticks(&sink, store, 60000, 100000);
	world_event(store, 99500, "two");
	store_get_status(store, &status);
	assert_true(status.in_ring && status.ring_bytes > 0 && !status.n_not_in_ring);
	store_close(store);
	close(fd);
}

static struct store_past what_is_left(int64_t last_ms)
{
	int fd = open(ring_path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, left, sizeof(left));

	close(fd);
	assert_true(n > 0 && n < (ssize_t)sizeof(left));
	return (struct store_past){.bytes = left, .len = (size_t)n, .last_ms = last_ms};
}

static int take(const char *boot_id, struct store_past *past)
{
	struct store_options options = world_options(boot_id);

	options.digest = DIGEST;
	return store_take_past(&options, &world_catalog, past);
}

static int64_t last_ms_of_boot(void)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(NULL);
	struct boot boots[8];

	assert_true(reader_boots(reader, boots, 8) > 0);
	return boots[0].last_ms;
}

static int n_boots(void)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(NULL);
	struct boot boots[8];

	return reader_boots(reader, boots, 8);
}

static int count_events(const struct event *event, const struct boot *boot, void *arg)
{
	(void)boot;
	*(int *)arg += !strcmp(event->kind, "one") || !strcmp(event->kind, "two");
	return 0;
}

static int n_events(void)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(NULL);
	int n = 0;

	assert_int_equal(reader_events(reader, 0, INT64_MAX / 4, 1000, count_events, &n), 0);
	return n;
}

static int start(void **state)
{
	int r = world_start(state);

	snprintf(ring_path, sizeof(ring_path), "%s/ring", world_folder);
	return r < 0 ? r : sink_init(&sink);
}

static int stop(void **state)
{
	sink_done(&sink);
	return world_stop(state);
}

static void what_no_commit_held(void **state)
{
	struct store_past past;
	struct store *store;

	(void)state;
	end_a_boot();
	assert_int_equal(last_ms_of_boot(), 59000);
	past = what_is_left(59000);
	assert_int_equal(take("a", &past), 0);
	assert_int_equal(past.n_ticks, 40);
	assert_int_equal(past.n_events, 1);
	assert_int_equal(last_ms_of_boot(), 99000);
	assert_int_equal(n_events(), 2);
	world_assert_file(1000, 100000);
	/* And the boot after goes on as if nothing had been. */
	store = open_with("b", 0);
	world_ticks(&sink, store, 1000, 30000);
	assert_int_equal(store_commit(store, 30000, true), 0);
	store_close(store);
	assert_int_equal(n_boots(), 2);
	world_assert_file(1000, 100000);
}

/* Taken again, it adds nothing, and does not even open the file. */
static void twice(void **state)
{
	struct store_past past;

	(void)state;
	end_a_boot();
	past = what_is_left(59000);
	assert_int_equal(take("a", &past), 0);
	assert_int_equal(take("a", &past), 0);
	assert_int_equal(past.n_ticks + past.n_events, 0);
	assert_int_equal(n_events(), 2);
	world_assert_file(1000, 100000);
	past = what_is_left(99500);
	assert_int_equal(rename(world_path, ring_path), 0);
	assert_int_equal(take("a", &past), 0);
	assert_int_equal(access(world_path, F_OK), -1);
}

/* A ring that holds less than what was lost leaves a hole, and what is behind it is there. */
static void overwritten(void **state)
{
	struct store_past past;

	(void)state;
	end_a_boot();
	past = what_is_left(59000);
	past.bytes += past.len - past.len / 10;
	past.len /= 10;
	assert_int_equal(take("a", &past), 0);
	assert_true(past.n_ticks >= 5 && past.n_ticks < 40);
	assert_int_equal(last_ms_of_boot(), 99000);
	world_assert_file(100000 - 1000 * (int64_t)past.n_ticks, 100000);
}

static void of_another_boot(void **state)
{
	struct store_past past;

	(void)state;
	end_a_boot();
	past = what_is_left(59000);
	assert_int_equal(take("b", &past), 0);
	assert_int_equal(past.n_ticks + past.n_events, 0);
	assert_int_equal(take("", &past), 0);
	assert_int_equal(n_boots(), 1);
	assert_int_equal(last_ms_of_boot(), 59000);
	/* More than a day behind all that is known of it. */
	past = what_is_left(99000 - 25 * 3600 * INT64_C(1000));
	assert_int_equal(take("a", &past), 0);
	assert_int_equal(past.n_ticks, 0);
}

/* What it does not take is counted, and costs nothing else. */
static void one_that_refuses(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct store *store = open_with("a", fd);
	struct store_status status;

	(void)state;
	world_ticks(&sink, store, 1000, 11000);
	store_get_status(store, &status);
	assert_int_equal(status.n_not_in_ring, 10);
	assert_int_equal(store_commit(store, 11000, true), 0);
	store_close(store);
	close(fd);
	world_assert_file(1000, 11000);
	store = open_with("", 1);
	store_get_status(store, &status);
	assert_false(status.in_ring);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_no_commit_held, start, stop),
		cmocka_unit_test_setup_teardown(twice, start, stop),
		cmocka_unit_test_setup_teardown(overwritten, start, stop),
		cmocka_unit_test_setup_teardown(of_another_boot, start, stop),
		cmocka_unit_test_setup_teardown(one_that_refuses, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
