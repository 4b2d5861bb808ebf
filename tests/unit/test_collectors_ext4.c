/* Collector ext4: errors that are old and errors that are new, a file system that has failed while
 * its mount says rw, what never was written, and file systems that come and go. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#include "model/counter.h"
#include "model/derive.h"

#define SDA "sys/fs/ext4/sda2/"

static const char mounts[] = "28 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw\n";
static const char options[] = "rw\nbsddf\nbarrier\nerrors=remount-ro\ncommit=5\ndata=ordered\n";

static void put_error(const struct fixture *f, const char *dir, const char *which, const char *time,
		      const char *code, const char *number, const char *func)
{
	static const char *const numbers[] = {"line", "ino", "block"};
	char path[256];

	snprintf(path, sizeof(path), "%s%s_error_time", dir, which);
	put(f, path, time);
	snprintf(path, sizeof(path), "%s%s_error_errcode", dir, which);
	put(f, path, code);
	snprintf(path, sizeof(path), "%s%s_error_func", dir, which);
	put(f, path, func);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(path, sizeof(path), "%s%s_error_%s", dir, which, numbers[i]);
		put(f, path, number);
	}
}

static void put_no_errors(const struct fixture *f, const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%serrors_count", dir);
	put(f, path, "0\n");
	put_error(f, dir, "first", "0\n", "0\n", "0\n", "\n");
	put_error(f, dir, "last", "0\n", "0\n", "0\n", "\n");
}

static void start(struct fixture *f)
{
	fixture_start(f);
	put(f, "proc/self/mountinfo", mounts);
	put(f, "proc/fs/ext4/sda2/options", options);
	put(f, "sys/fs/ext4/features/lazy_itable_init", "supported\n");
	put(f, "sys/devices/sda/sda2/partition", "2\n");
	put(f, "sys/devices/sda/sda2/uevent", "DEVNAME=sda2\nPARTUUID=5e1f-02\n");
	put_link(f, "sys/class/block/sda2", "../../devices/sda/sda2");
	put_link(f, "sys/dev/block/8:2", "../../devices/sda/sda2");
	put(f, SDA "lifetime_write_kbytes", "1000\n");
	put(f, SDA "session_write_kbytes", "40\n");
	put(f, SDA "delayed_allocation_blocks", "12\n");
	put(f, SDA "warning_count", "1\n");
	put(f, SDA "msg_count", "2\n");
	put_no_errors(f, SDA);
}

static void sample(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "ext4", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

/* What no error has is 0 in the kernel, and no value here. */
static void a_sound_file_system(void **unused)
{
	static const char *const fields[] = {"time", "errcode", "line", "ino", "block", "func"};
	struct fixture f;
	char name[64];

	(void)unused;
	start(&f);
	sample(&f);
	assert_int_equal(f.sink.n_rows, 1);
	check_outcome(&f, "sda2", OUTCOME_OK);
	assert_string_equal(item_of(&f, "sda2")->reason, "on /");
	check_value(&f, "sda2", "state", 0);
	check_value(&f, "sda2", "lifetime_write", 1000);
	check_value(&f, "sda2", "session_write", 40);
	check_value(&f, "sda2", "delayed_allocation_blocks", 12);
	check_value(&f, "sda2", "errors_count", 0);
	check_value(&f, "sda2", "warning_count", 1);
	check_value(&f, "sda2", "msg_count", 2);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(name, sizeof(name), "first_error_%s", fields[i]);
		check_absent(&f, "sda2", name);
		snprintf(name, sizeof(name), "last_error_%s", fields[i]);
		check_absent(&f, "sda2", name);
	}
	check_text(&f, "sda2", "errors_behavior", "remount-ro");
	check_text(&f, "sda2", "options", "bsddf,barrier,errors=remount-ro,commit=5,data=ordered");
	check_text(&f, "sda2", "mount_point", "/");
	assert_true(strstr(row_of(&f, "sda2")->identity, "5e1f-02") != NULL);
	fixture_end(&f);
}

/* An error of years ago has no increase; the one that comes has. It is not about a block. */
static void old_and_new_errors(void **unused)
{
	struct row before;
	struct fixture f;
	int64_t grown;

	(void)unused;
	start(&f);
	put(&f, SDA "errors_count", "26\n");
	/* Without a newline, as kernels of some years print it. */
	put_error(&f, SDA, "first", "1529034124", "2\n", "1312\n", "ext4_find_entry\n");
	put_error(&f, SDA, "last", "1529054176", "5\n", "1312\n", "ext4_find_entry\n");
	sample(&f);
	check_value(&f, "sda2", "errors_count", 26);
	check_value(&f, "sda2", "first_error_time", 1529034124);
	check_value(&f, "sda2", "first_error_errcode", 2);
	check_value(&f, "sda2", "first_error_line", 1312);
	check_text(&f, "sda2", "first_error_func", "ext4_find_entry");
	check_value(&f, "sda2", "last_error_errcode", 5);
	assert_string_equal(item_of(&f, "sda2")->reason, "on /; 26 errors since the last fsck");
	before = *row_of(&f, "sda2");

	put(&f, SDA "errors_count", "27\n");
	put_error(&f, SDA, "last", "1784038321\n", "3\n", "0\n", "ext4_mb_init\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda2", "first_error_time", 1529034124);
	check_value(&f, "sda2", "last_error_time", 1784038321);
	check_absent(&f, "sda2", "last_error_block");
	check_text(&f, "sda2", "last_error_func", "ext4_mb_init");
	assert_true(counter_increase(26, value_of(&f, "sda2", "errors_count")->i, 32, &grown));
	assert_int_equal(grown, 1);
	assert_false(derive_has_reset(f.group, &before, row_of(&f, "sda2")));

	/* fsck, and mounted again at once: a baseline, and no increase of 2^32 - 27. */
	before = *row_of(&f, "sda2");
	put_no_errors(&f, SDA);
	put(&f, SDA "session_write_kbytes", "3\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda2", "errors_count", 0);
	check_absent(&f, "sda2", "last_error_func");
	assert_true(derive_has_reset(f.group, &before, row_of(&f, "sda2")));
	fixture_end(&f);
}

static void what_the_options_say(void **unused)
{
	static const struct {
		const char *text;
		int64_t state; /* or -errno */
		const char *behavior;
	} cases[] = {
		{"rw\nerrors=continue\n", 0, "continue"},
		{"ro\nerrors=panic\n", 1, "panic"},
		{"rw\n", 0, NULL},
		{"rw", 0, NULL},
		{"rw\nerrors=remount-ro\nemergency_ro\n", 2, "remount-ro"},
		{"rw\nshutdown\n", 3, NULL},
		{"rw\nemergency_ro\nshutdown\n", 3, NULL},
		{"rw\nshutdown\nemergency_ro\n", 3, NULL},
		{"rw\nemergency_ro2\n", 0, NULL},
		{"", -EBADMSG, NULL},
		{"\n", -EBADMSG, NULL},
		{"emergency_ro\n", -EBADMSG, NULL},
		{"rw,relatime\n", -EBADMSG, NULL},
		{"rw\nerrors=0123456789012345678901234567890123456789\n", -EBADMSG, NULL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, "proc/fs/ext4/sda2/options", cases[i].text);
		sample(&f);
		check_answer(&f, "sda2", "state", cases[i].state);
		if (cases[i].behavior)
			check_text(&f, "sda2", "errors_behavior", cases[i].behavior);
		else
			check_absent(&f, "sda2", "errors_behavior");
		fixture_end(&f);
	}
}

static void without_options(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, "proc/fs");
	sample(&f);
	check_absent(&f, "sda2", "state");
	check_absent(&f, "sda2", "options");
	check_value(&f, "sda2", "lifetime_write", 1000);
	check_outcome(&f, "sda2 options", OUTCOME_NO_NODE);
	put(&f, "proc/fs/ext4/sda2/options", "");
	put(&f, "ERRORS", "proc/fs/ext4/sda2/options\topen\tEACCES\n");
	sample(&f);
	check_fault(&f, "sda2", "state", EACCES);
	check_outcome(&f, "sda2 options", OUTCOME_DENIED);
	fixture_end(&f);
}

/* The kernel subtracts sectors: where the disk's counter began anew, half of 2^64 comes out. */
static void what_was_never_written(void **unused)
{
	static const struct {
		const char *text;
		int64_t answer;
	} cases[] = {
		{"18446744073709551000\n", -ERANGE},
		{"9223372036854775000\n", -ERANGE},
		{"1125899906842625\n", -ERANGE},
		{"1125899906842624\n", 1125899906842624},
		{"0\n", 0},
		{"\n", -ENODATA},
		{"", -ENODATA},
		{"12 34\n", -EINVAL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, SDA "lifetime_write_kbytes", cases[i].text);
		put(&f, SDA "session_write_kbytes", cases[i].text);
		sample(&f);
		check_answer(&f, "sda2", "lifetime_write", cases[i].answer);
		check_answer(&f, "sda2", "session_write", cases[i].answer);
		put(&f, SDA "delayed_allocation_blocks", "-7\n");
		sample(&f);
		check_value(&f, "sda2", "delayed_allocation_blocks", -7);
		check_flag(&f, "sda2", "delayed_allocation_blocks", FLAG_IMPLAUSIBLE);
		fixture_end(&f);
	}
}

static void codes_of_errors(void **unused)
{
	static const struct {
		const char *text;
		int64_t answer;
	} cases[] = {
		{"1\n", 1},        {"17\n", 17},       {"18\n", -EINVAL}, {"255\n", -EINVAL},
		{"-1\n", -EINVAL}, {"EIO\n", -EINVAL}, {"\n", -ENODATA},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, SDA "errors_count", "1\n");
		put(&f, SDA "last_error_errcode", cases[i].text);
		sample(&f);
		check_answer(&f, "sda2", "last_error_errcode", cases[i].answer);
		fixture_end(&f);
	}
}

/* A mount sends no uevent: the table of mounts says that there is one more, or one less. */
static void mounted_and_unmounted(void **unused)
{
	struct fixture f;
	char text[512];

	(void)unused;
	start(&f);
	sample(&f);
	snprintf(text, sizeof(text), "%s40 28 8:3 / /mnt/a\\040b rw - ext3 /dev/sda3 rw\n", mounts);
	put(&f, "proc/self/mountinfo", text);
	put(&f, "sys/devices/sda/sda3/partition", "3\n");
	put_link(&f, "sys/class/block/sda3", "../../devices/sda/sda3");
	put_link(&f, "sys/dev/block/8:3", "../../devices/sda/sda3");
	put(&f, "sys/fs/ext4/sda3/lifetime_write_kbytes", "5\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	sample(&f);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "sda3", "lifetime_write", 5);
	check_text(&f, "sda3", "mount_point", "/mnt/a b");
	assert_int_equal(fixture_sample(&f, 0), 0);

	/* Options, and file systems of others, are none of its business. */
	snprintf(text, sizeof(text),
		 "%s40 28 8:3 / /mnt/a\\040b ro - ext3 /dev/sda3 ro\n41 28 8:4 / /x rw - xfs /d "
		 "rw\n",
		 mounts);
	put(&f, "proc/self/mountinfo", text);
	assert_int_equal(fixture_sample(&f, 0), 0);

	put(&f, "proc/self/mountinfo", mounts);
	take_away(&f, "sys/fs/ext4/sda3");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	sample(&f);
	assert_int_equal(f.sink.n_rows, 1);
	fixture_end(&f);
}

/* Of a part of a file system that is mounted elsewhere, and of one in another namespace. */
static void where_it_is_mounted(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "proc/self/mountinfo",
	    "50 1 8:2 /log /var/log rw - ext4 /dev/sda2 rw\n"
	    "51 1 8:2 / /data rw - ext4 /dev/sda2 rw\n52 1 8:2 / /again rw - ext4 /dev/sda2 rw\n");
	sample(&f);
	check_text(&f, "sda2", "mount_point", "/data");
	put(&f, "proc/self/mountinfo", "50 1 8:2 /log /var/log rw - ext4 /dev/sda2 rw\n");
	sample(&f);
	check_absent(&f, "sda2", "mount_point");
	take_away(&f, "proc/self");
	sample(&f);
	check_absent(&f, "sda2", "mount_point");
	check_value(&f, "sda2", "lifetime_write", 1000);
	fixture_end(&f);
}

static void why_there_is_none(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/self/mountinfo", "28 1 8:2 / / rw - xfs /dev/sda2 rw\n");
	assert_int_equal(fixture_probe(&f, "ext4", false), 0);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "sys/fs/xfs/stats/stats", "1\n");
	assert_int_equal(fixture_probe(&f, "ext4", false), 0);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	/* The first mount brings the module. */
	put(&f, "proc/self/mountinfo", mounts);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);

	put(&f, "proc/sys/kernel/osrelease", "6.1.0\n");
	put(&f, "boot/config-6.1.0", "# CONFIG_EXT4_FS is not set\n");
	assert_int_equal(fixture_probe(&f, "ext4", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);

	put(&f, "sys/fs/ext4/features/encryption", "supported\n");
	put(&f, "sys/fs/ext4/not_a_directory", "1\n");
	put(&f, "sys/fs/ext4/tuning/lifetime", "1\n");
	assert_int_equal(fixture_probe(&f, "ext4", false), 0);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_string_equal(item_of(&f, "")->reason, "no ext4 file system is mounted");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	fixture_end(&f);
}

static void want_of_descriptors(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	check_scarce_probes(&f, "ext4");
	check_scarce_identities(&f, "ext4", 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_file_system),    cmocka_unit_test(old_and_new_errors),
		cmocka_unit_test(what_the_options_say),   cmocka_unit_test(without_options),
		cmocka_unit_test(what_was_never_written), cmocka_unit_test(codes_of_errors),
		cmocka_unit_test(mounted_and_unmounted),  cmocka_unit_test(where_it_is_mounted),
		cmocka_unit_test(why_there_is_none),      cmocka_unit_test(want_of_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
