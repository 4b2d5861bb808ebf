/* The end of a boot is decided without what the helper has to say, and again when it has. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/hw.h"
#include "daemon/events.h"
#include "daemon/last_boot.h"
#include "model/crash_records.h"
#include "tests/support/store_world.h"

#define LAST_MS  100000
#define START_MS 1000
#define WAIT_MS  60000

static struct store *store;
static struct hw *hw;
static struct last_boot *last;
static char root[128];

static int start_behind(bool committed)
{
	struct store_options options;
	CLEANUP(reader_closep) struct reader *reader = NULL;

	assert_int_equal(world_start(NULL), 0);
	options = world_options("boot-a");
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	event_add(store, LAST_MS, SEVERITY_INFO, "start", "{}", "started");
	if (committed)
		assert_int_equal(store_commit(store, LAST_MS, true), 0);
	store_close(store);
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), 0);
	snprintf(root, sizeof(root), "%s/root", world_folder);
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(hw_open(root, &hw), 0);
	assert_int_equal(last_boot_new(reader, "boot-b", &last), 0);
	last_boot_look(last, hw, true);
	options = world_options("boot-b");
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	return 0;
}

static int start(void **state)
{
	(void)state;
	return start_behind(true);
}

/* A machine that crashes seconds after its start leaves no more than that it began. */
static int start_behind_nothing(void **state)
{
	(void)state;
	return start_behind(false);
}

static int stop(void **state)
{
	(void)state;
	last_boot_free(last);
	store_close(store);
	hw_close(hw);
	return world_stop(NULL);
}

/* What a helper passes: the record of a panic, of a time that nobody knows. */
static int records(void)
{
	static const char text[] = "Panic#1 Part1\n<0>[ 99.0] Kernel panic - not syncing: x\n";
	int fd = memfd_create("records", MFD_CLOEXEC);

	assert_true(fd >= 0);
	dprintf(fd, "%zu 0 1234 %zu %zu sys/fs/pstore/dmesg-ramoops-0\n%s%s", strlen(text),
		strlen(text), strlen(text), text, text);
	return fd;
}

static void turns(int64_t from_ms)
{
	for (int64_t t = from_ms; t <= from_ms + WAIT_MS; t += 1000)
		last_boot_turn(last, hw, store, t);
}

static struct last_boot_status status(void)
{
	struct last_boot_status ret;

	last_boot_get_status(last, &ret);
	return ret;
}

static int count_ended(const struct event *event, const struct boot *boot, void *arg)
{
	(void)boot;
	*(int *)arg += !strcmp(event->kind, "boot_ended");
	return 0;
}

static int n_events(void)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	int n = 0;

	assert_int_equal(store_commit(store, START_MS, true), 0);
	assert_int_equal(reader_open(world_path, store, &world_catalog, &reader), 0);
	assert_true(reader_events(reader, 0, INT64_MAX, 100, count_ended, &n) >= 0);
	return n;
}

static void in_time(void **state)
{
	(void)state;
	assert_true(last_boot_wants_records(last));
	last_boot_turn(last, hw, store, START_MS);
	assert_int_equal(status().boot, 0);
	last_boot_take(last, records(), 0);
	assert_false(last_boot_wants_records(last));
	last_boot_turn(last, hw, store, START_MS + 1000);
	assert_int_equal(status().cause, BOOT_END_KERNEL_CRASH);
	assert_int_equal(n_events(), 1);
}

static void late(void **state)
{
	(void)state;
	turns(START_MS);
	assert_int_equal(status().cause, BOOT_END_RESET_OR_POWER_CUT);
	assert_int_equal(n_events(), 1);
	assert_true(last_boot_wants_records(last));
	last_boot_take(last, records(), 0);
	turns(START_MS + 10 * WAIT_MS);
	assert_int_equal(status().cause, BOOT_END_KERNEL_CRASH);
	assert_int_equal(n_events(), 2);
	/* Once, and no more. */
	assert_false(last_boot_wants_records(last));
	last_boot_take(last, records(), 0);
	turns(START_MS + 20 * WAIT_MS);
	assert_int_equal(n_events(), 2);
}

/* Late, and nothing that is new. */
static void late_and_empty(void **state)
{
	(void)state;
	turns(START_MS);
	last_boot_take(last, -1, -ENOENT);
	turns(START_MS + 10 * WAIT_MS);
	assert_false(last_boot_wants_records(last));
	assert_int_equal(status().cause, BOOT_END_RESET_OR_POWER_CUT);
	assert_int_equal(n_events(), 1);
}

/* No helper answers, but the daemon may read them by itself. */
static void none_answers(void **state)
{
	/* A moment after the end. */
	const time_t s = (WALL_OFFSET_MS + LAST_MS) / 1000 + 1;
	const struct timespec at[2] = {{.tv_sec = s}, {.tv_sec = s}};
	char path[256];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "mkdir -p %s/sys/fs/pstore", root);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/sys/fs/pstore/dmesg-ramoops-0", root);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs("Panic#1 Part1\n<0>[ 99.0] Kernel panic - not syncing: x\n", f);
	fclose(f);
	assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
	last_boot_look(last, hw, true);
	last_boot_turn(last, hw, store, START_MS);
	assert_int_equal(status().boot, 0);
	turns(START_MS + 1000);
	assert_int_equal(status().cause, BOOT_END_KERNEL_CRASH);
	assert_int_equal(status().certainty, BOOT_END_CERTAIN);
}

/* What a helper passes: one record of a text, under a name, with the time of its file. */
static void take_record(const char *name, int64_t wall_ms, const char *text)
{
	int fd = memfd_create("records", MFD_CLOEXEC);

	assert_true(fd >= 0);
	dprintf(fd, "%zu %lld 1234 %zu %zu %s\n%s%s", strlen(text), (long long)wall_ms,
		strlen(text), strlen(text), name, text, text);
	last_boot_take(last, fd, 0);
}

/* The text says what the kernel said. */
static void reason_of_a_panic(void **state)
{
	(void)state;
	take_record("sys/fs/pstore/dmesg-ramoops-0", 0,
		    "Panic#1 Part1\n<1>[ 99.0] BUG: kernel NULL pointer dereference, address: 8\n"
		    "<0>[ 99.0] Kernel panic - not syncing: Fatal exception\n");
	last_boot_turn(last, hw, store, START_MS);
	turns(START_MS + 1000);
	assert_int_equal(status().cause, BOOT_END_KERNEL_CRASH);
	assert_non_null(strstr(status().text, ": BUG: kernel NULL pointer dereference"));
}

/* systemd-pstore has moved it after the next start: the folder has the time of the dump. */
static void time_of_a_folder(void **state)
{
	char name[128];
	int64_t end_s = (WALL_OFFSET_MS + LAST_MS) / 1000;

	(void)state;
	snprintf(name, sizeof(name), "var/lib/systemd/pstore/%lld/001/dmesg.txt",
		 (long long)end_s + 1);
	take_record(name, (end_s + 100) * 1000,
		    "Panic#1 Part1\n<0>[ 99.0] Kernel panic - not syncing: x\n");
	turns(START_MS);
	assert_int_equal(status().cause, BOOT_END_KERNEL_CRASH);
	assert_int_equal(status().certainty, BOOT_END_CERTAIN);
}

/* Its stamps end long before the boot does, and it has no time: another boot's, as likely as not.
 */
static void stamps_of_a_panic(void **state)
{
	(void)state;
	take_record("sys/fs/pstore/dmesg-ramoops-0", 0,
		    "Panic#1 Part1\n<0>[ 9.0] Kernel panic - not syncing: x\n");
	turns(START_MS);
	assert_int_equal(status().certainty, BOOT_END_POSSIBLE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_time),
		TEST(late),
		TEST(late_and_empty),
		TEST(none_answers),
		TEST(reason_of_a_panic),
		TEST(time_of_a_folder),
		TEST(stamps_of_a_panic),
		cmocka_unit_test_setup_teardown(in_time, start_behind_nothing, stop)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
