/* A store that is let go without a last commit, as by a kill, and the next one. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "tests/support/store_world.h"

#define DIGEST 4711

static struct sink sink;
static char mirror_path[2][128];

static struct store *open_with(const char *boot_id, int64_t digest)
{
	struct store_options options = world_options(boot_id);
	struct store *store = NULL;

	options.mirror_dir = world_folder;
	options.digest = digest;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	return store;
}

static struct store_status status_of(struct store *store)
{
	struct store_status status;

	store_get_status(store, &status);
	return status;
}

/* A machine that is up for a day: what is ahead of its clock would be held for damage. */
static int up_for_a_day(clockid_t id, struct timespec *ret)
{
	int r = clock_gettime(id, ret);

	ret->tv_sec += id == CLOCK_REALTIME ? 0 : 24 * 3600;
	return r;
}

static int start(void **state)
{
	int r = world_start(state);

	clock_inject(up_for_a_day);
	for (int i = 0; i < 2; i++)
		snprintf(mirror_path[i], sizeof(mirror_path[i]), "%s/mirror.%d", world_folder, i);
	return r < 0 ? r : sink_init(&sink);
}

static int stop(void **state)
{
	clock_inject(NULL);
	sink_done(&sink);
	return world_stop(state);
}

static void nothing_is_lost(void **state)
{
	struct store *store = open_with("a", DIGEST);
	char answer[64];

	(void)state;
	assert_true(status_of(store).mirrored);
	world_ticks(&sink, store, 1000, 30000);
	assert_int_equal(store_commit(store, 30000, false), 0);
	world_ticks(&sink, store, 30000, 50000);
	world_event(store, 40000, "an_event");
	store_close(store); /* killed */

	store = open_with("a", DIGEST);
	assert_int_equal(status_of(store).n_recovered_ticks, 20);
	assert_int_equal(status_of(store).n_recovered_events, 1);
	world_ticks(&sink, store, 50000, 60000);
	store_close(store); /* again, before its first commit */

	store = open_with("a", DIGEST);
	assert_int_equal(status_of(store).n_recovered_ticks, 30);
	assert_int_equal(status_of(store).n_recovered_events, 1);
	assert_int_equal(store_commit(store, 60000, true), 0);
	store_close(store);
	world_assert_file(1000, 60000);
	world_shell("SELECT count(*) FROM event WHERE kind='an_event'", answer, sizeof(answer));
	assert_string_equal(answer, "1");
	/* A clean end leaves nothing behind. */
	assert_int_equal(access(mirror_path[0], F_OK), -1);
	assert_int_equal(access(mirror_path[1], F_OK), -1);
}

static void copy_file(const char *from, const char *to)
{
	char command[300];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	assert_int_equal(system(command), 0);
}

/* Killed between the commit and the emptying of what it has written: it is not written twice. */
static void what_the_file_has_already(void **state)
{
	struct store *store = open_with("a", DIGEST);
	char kept[128], answer[64];

	(void)state;
	snprintf(kept, sizeof(kept), "%s/kept", world_folder);
	world_ticks(&sink, store, 1000, 30000);
	world_event(store, 20000, "an_event");
	copy_file(mirror_path[0], kept);
	assert_int_equal(store_commit(store, 30000, false), 0);
	world_ticks(&sink, store, 30000, 40000);
	store_close(store);
	copy_file(kept, mirror_path[0]);
	store = open_with("a", DIGEST);
	assert_int_equal(status_of(store).n_recovered_ticks, 10);
	assert_int_equal(status_of(store).n_recovered_events, 0);
	assert_int_equal(store_commit(store, 40000, true), 0);
	store_close(store);
	world_assert_file(1000, 40000);
	world_shell("SELECT count(*) FROM event WHERE kind='an_event'", answer, sizeof(answer));
	assert_string_equal(answer, "1");
}

/* Of another boot, or another program: its numbers mean something else. */
static void what_is_of_others(void **state)
{
	struct store *store = open_with("a", DIGEST);

	(void)state;
	world_ticks(&sink, store, 1000, 30000);
	store_close(store);
	store = open_with("a", DIGEST + 1);
	assert_int_equal(status_of(store).n_recovered_ticks, 0);
	world_ticks(&sink, store, 1000, 30000);
	store_close(store);
	store = open_with("b", DIGEST + 1);
	assert_int_equal(status_of(store).n_recovered_ticks, 0);
	assert_int_equal(store_commit(store, 30000, true), 0);
	store_close(store);
}

/* A folder that is not there, and a trap in it. */
static void what_cannot_be_mirrored(void **state)
{
	struct store_options options = world_options("a");
	struct store *store = NULL;

	(void)state;
	options.mirror_dir = "/nonexistent/folder";
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_false(status_of(store).mirrored);
	assert_int_equal(status_of(store).mirror_error, -ENOENT);
	world_ticks(&sink, store, 1000, 5000);
	assert_int_equal(store_commit(store, 5000, true), 0);
	store_close(store);
	assert_int_equal(symlink("/dev/zero", mirror_path[0]), 0);
	assert_int_equal(mkfifo(mirror_path[1], 0600), 0);
	store = open_with("a", DIGEST);
	assert_true(status_of(store).mirrored);
	world_ticks(&sink, store, 5000, 9000);
	assert_int_equal(store_commit(store, 9000, true), 0);
	store_close(store);
	world_assert_file(1000, 9000);
}

/* The bound of the tail is that of the mirror: what is past it is counted. */
static void it_is_bounded(void **state)
{
	struct store_options options = world_options("a");
	struct store *store = NULL;
	struct stat st;

	(void)state;
	options.mirror_dir = world_folder;
	options.tail_max_bytes = 10000;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	world_ticks(&sink, store, 1000, 2000000);
	assert_true(status_of(store).n_not_mirrored > 0);
	assert_int_equal(stat(mirror_path[0], &st), 0);
	assert_true(st.st_size <= 10064);
	assert_int_equal(store_commit(store, 2000000, false), 0);
	world_ticks(&sink, store, 2000000, 2010000);
	store_close(store);
	store = open_with("a", 0);
	assert_int_equal(status_of(store).n_recovered_ticks, 10);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_lost, start, stop),
		cmocka_unit_test_setup_teardown(what_the_file_has_already, start, stop),
		cmocka_unit_test_setup_teardown(what_is_of_others, start, stop),
		cmocka_unit_test_setup_teardown(what_cannot_be_mirrored, start, stop),
		cmocka_unit_test_setup_teardown(it_is_bounded, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
