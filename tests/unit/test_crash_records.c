/* What a kernel left behind: which records there are, of which kind, and what is damaged. */
#include "tests/unit/collector_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "model/crash_records.h"

#define CRASHED_AT 1796000000

static struct fixture fixture;
static char gathered[CRASH_GATHERED_MAX];
static size_t gathered_len;
static struct crash_record records[CRASH_FILES_MAX + 1];

static void put_record(const char *path, const char *text)
{
	const struct timespec at[2] = {{.tv_sec = CRASHED_AT}, {.tv_sec = CRASHED_AT}};
	char full[1024];

	put(&fixture, path, text);
	snprintf(full, sizeof(full), "%s/%s", fixture.root, path);
	assert_int_equal(utimensat(AT_FDCWD, full, at, 0), 0);
}

static size_t gather(void)
{
	CLEANUP(closep) int fd = memfd_create("records", MFD_CLOEXEC);
	CLEANUP(hw_closep) struct hw *hw = NULL;
	size_t n = 0;

	assert_int_equal(hw_open(fixture.root, &hw), 0);

	int r = crash_records_gather(hw, fd);
	ssize_t len = pread(fd, gathered, sizeof(gathered), 0);
	struct slice rest = {gathered, (size_t)len};

	gathered_len = rest.len;
	assert_true(len >= 0 && len <= (ssize_t)sizeof(gathered));
	while (n < ARRAY_SIZE(records) && crash_records_next(&rest, &records[n]))
		n++;
	assert_int_equal(rest.len, 0);
	if (r >= 0)
		assert_int_equal(r, n);
	return r < 0 ? 0 : n;
}

static int start(void **state)
{
	(void)state;
	fixture_start(&fixture);
	return 0;
}

static int stop(void **state)
{
	char command[512];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture.root);
	return system(command);
}

static void kinds(void **state)
{
	static const struct {
		const char *file, *text;
		enum crash_kind kind;
	} files[] = {
		{"console-ramoops-0", "[ 1.0] reboot: Restarting system\n", CRASH_CONSOLE},
		{"dmesg-ramoops-0", "Panic#1 Part1\n<0>[ 1.0] x\n", CRASH_PANIC},
		{"dmesg-ramoops-1", "Oops#2 Part1\n<0>[ 1.0] x\n", CRASH_OOPS},
		{"dmesg-efi-165", "Restart#3 Part1\n<6>[ 1.0] x\n", CRASH_ORDERLY},
		{"dmesg-efi-166", "Shutdown#3 Part1\n<6>[ 1.0] x\n", CRASH_ORDERLY},
		{"dmesg-efi-167", "Emergency#3 Part1\n<6>[ 1.0] x\n", CRASH_EMERGENCY},
		{"dmesg-efi-168", "[ 1.0] Kernel panic - not syncing: x\n", CRASH_PANIC},
		{"dmesg-ramoops-2.enc.z", "\x78\x9c", CRASH_UNREAD},
		{"pmsg-ramoops-0", "Panic#1 Part1\n", CRASH_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[128];

		snprintf(path, sizeof(path), "sys/fs/pstore/%s", files[i].file);
		put_record(path, files[i].text);
		assert_int_equal(gather(), 1);
		if (records[0].kind != files[i].kind)
			fail_msg("%s: %s", files[i].file, crash_kind_name(records[0].kind));
		assert_string_equal(records[0].name, path);
		assert_int_equal(records[0].size_bytes, strlen(files[i].text));
		assert_true(records[0].wall_ms == (files[i].kind == CRASH_CONSOLE
							   ? CRASH_TIME_NONE
							   : CRASHED_AT * INT64_C(1000)));
		assert_true(slice_is(records[0].tail, files[i].text));
		take_away(&fixture, path);
	}
}

static void moved(void **state)
{
	(void)state;
	put_record("var/lib/systemd/pstore/dmesg-ramoops-0", "Oops#1 Part1\n");
	put_record("var/lib/systemd/pstore/1796000000/001/dmesg.txt", "Panic#1 Part1\n");
	put_record("var/lib/systemd/pstore/1796000000/console-ramoops-0", "x\n");
	put_record("var/lib/systemd/pstore/a/b/c/dmesg-too-deep", "Panic#1 Part1\n");
	assert_int_equal(gather(), 3);
}

/* The folder that a dump was moved to has its time; a copy's file has its own. */
static void times_of_folders(void **state)
{
	static const struct {
		const char *path;
		int64_t wall_ms;
		bool is_copy;
	} table[] = {
		{"var/lib/systemd/pstore/1795000000/001/dmesg.txt", INT64_C(1795000000000), false},
		{"var/lib/systemd/pstore/1795000000/dmesg.txt", INT64_C(1795000000000), false},
		{"var/lib/systemd/pstore/1795000000/console-ramoops-0", CRASH_TIME_NONE, true},
		{"var/lib/systemd/pstore/dmesg-ramoops-0", CRASHED_AT * INT64_C(1000), true},
		{"var/lib/systemd/pstore/17950000000/dmesg.txt", CRASHED_AT * INT64_C(1000), true},
		{"var/lib/systemd/pstore/179500000x/dmesg.txt", CRASHED_AT * INT64_C(1000), true},
		{"var/lib/systemd/pstore/0000000001/dmesg.txt", CRASHED_AT * INT64_C(1000), true},
		{"sys/fs/pstore/dmesg-ramoops-0", CRASHED_AT * INT64_C(1000), false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		put_record(table[i].path, "Panic#1 Part1\n");
		assert_int_equal(gather(), 1);
		if (records[0].wall_ms != table[i].wall_ms ||
		    records[0].is_copy != table[i].is_copy)
			fail_msg("%s: %lld", table[i].path, (long long)records[0].wall_ms);
		take_away(&fixture, table[i].path);
	}
}

/* The end of a long one counts, and all of it in the digest. */
static void bounds(void **state)
{
	CLEANUP(freep) char *text = malloc(100001);
	uint64_t digest;

	(void)state;
	assert_int_equal(gather(), 0);
	memset(text, 'a', 100000);
	memcpy(text, "Panic#1 Part1\n", 14);
	text[100000] = '\0';
	put_record("sys/fs/pstore/dmesg-ramoops-0", text);
	assert_int_equal(gather(), 1);
	assert_int_equal(records[0].kind, CRASH_PANIC);
	assert_int_equal(records[0].tail.len, CRASH_TAIL_BYTES);
	digest = records[0].digest;
	text[50000] = 'b';
	put_record("sys/fs/pstore/dmesg-ramoops-0", text);
	assert_int_equal(gather(), 1);
	assert_true(digest != records[0].digest);
	for (int i = 1; i < 2 * CRASH_FILES_MAX; i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/fs/pstore/dmesg-ramoops-%d", i);
		put_record(path, "Oops#1 Part1\n");
	}
	assert_int_equal(gather(), CRASH_FILES_MAX);
}

/* What is gathered is bounded by its size as well, to whole records. */
static void bytes(void **state)
{
	CLEANUP(freep) char *text = malloc(CRASH_TAIL_BYTES + 1);
	size_t n;

	(void)state;
	memset(text, 'a', CRASH_TAIL_BYTES);
	text[CRASH_TAIL_BYTES] = '\0';
	for (int i = 0; i < 100; i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/fs/pstore/dmesg-ramoops-%d", i);
		put_record(path, text);
	}
	n = gather();
	assert_in_range(n, CRASH_RECORDS_MAX, 99);
	assert_string_equal(records[0].name, "sys/fs/pstore/dmesg-ramoops-99");
}

static void list(struct crash_list *ret)
{
	(void)gather();
	assert_int_equal(crash_list_read((struct slice){gathered, gathered_len}, ret), 0);
}

static void put_part(const char *dir, const char *reason, int id, int part, const char *text)
{
	char path[128], all[2048];

	snprintf(path, sizeof(path), "%s/dmesg-efi-%d", dir, id);
	snprintf(all, sizeof(all), "%s Part%d\n%s", reason, part, text);
	put_record(path, all);
}

/* A panic in EFI variables: the highest part is the oldest, and has the highest number. */
static void parts(void **state)
{
	CLEANUP(crash_list_done) struct crash_list all;

	(void)state;
	put_part("sys/fs/pstore", "Panic#2", 179601001, 1, "<0>[ 3.0] new\n<0>[ 3.1] newest\n");
	put_part("sys/fs/pstore", "Panic#2", 179602001, 2, "<0>[ 2.0] older\n");
	put_part("sys/fs/pstore", "Panic#2", 179603001, 3, "<0>[ 1.0] oldest\n");
	put_part("sys/fs/pstore", "Oops#1", 179501001, 1, "<0>[ 0.5] oops\n");
	put_part("var/lib/systemd/pstore", "Panic#2", 7, 1, "<0>[ 9.5] in another folder\n");
	list(&all);
	assert_int_equal(all.n, 3);
	assert_string_equal(all.v[0].name, "sys/fs/pstore/dmesg-efi-179601001");
	assert_int_equal(all.v[0].kind, CRASH_PANIC);
	assert_true(slice_is(all.v[0].tail, "<0>[ 1.0] oldest\n<0>[ 2.0] older\n<0>[ 3.0] new\n"
					    "<0>[ 3.1] newest\n"));
	assert_int_equal(all.v[1].kind, CRASH_OOPS);
	assert_true(slice_is(all.v[1].tail, "Oops#1 Part1\n<0>[ 0.5] oops\n"));
}

/* The same number at another time is a dump of another boot; the newest parts fill the room. */
static void many_parts(void **state)
{
	char text[1101], name[] = "sys/fs/pstore/dmesg-efi-20001";
	const struct timespec at[2] = {{.tv_sec = CRASHED_AT - 600}, {.tv_sec = CRASHED_AT - 600}};
	char full[1024];

	(void)state;
	for (int part = 1; part <= 20; part++) {
		memset(text, 'a' + part, sizeof(text) - 2);
		memcpy(text + sizeof(text) - 2, "\n", 2);
		put_part("sys/fs/pstore", "Panic#1", 30000 + part, part, text);
	}
	put_part("sys/fs/pstore", "Panic#1", 20001, 1, "the boot before\n");
	snprintf(full, sizeof(full), "%s/%s", fixture.root, name);
	assert_int_equal(utimensat(AT_FDCWD, full, at, 0), 0);
	for (int i = 0; i < 20; i++)
		put_part("sys/fs/pstore", "Oops#9", 10000 + i, 1, "twice the same part\n");

	CLEANUP(crash_list_done) struct crash_list all;

	list(&all);
	assert_int_equal(all.n, 22);
	assert_int_equal(all.v[0].tail.len, CRASH_TAIL_BYTES);
	assert_int_equal(all.v[0].tail.p[CRASH_TAIL_BYTES - 2], 'a' + 1);
	assert_int_equal(all.v[0].tail.p[0], 'a' + 8);
	assert_string_equal(all.v[1].name, name);
}

static void damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"1 2 3",
		"1 2 3 4 5 name\n",
		"1 2 3 -1 0 name\n",
		"1 2 3 0 99999999999999999999 name\nx",
		"1 2 3 0 1 name\n",
		"a 2 3 0 0 name\n",
	};
	struct crash_record record;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct slice rest = slice_of(texts[i]);

		assert_false(crash_records_next(&rest, &record));
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(kinds),      TEST(moved),  TEST(times_of_folders),
					   TEST(bounds),     TEST(bytes),  TEST(parts),
					   TEST(many_parts), TEST(damaged)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
