/* Collector f2fs: flags by name, words and numbers of the garbage collector's mode, what older
 * kernels lack, and that nothing of debugfs or of the tables of segments is touched. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#define DM "sys/fs/f2fs/dm-47/"

static const char mounts[] = "70 1 254:47 / /data rw,noatime - f2fs /dev/block/dm-47 rw\n"
			     "71 70 254:47 /media /mnt/x rw - f2fs /dev/block/dm-47 rw\n";

static void start(struct fixture *f)
{
	fixture_start(f);
	put(f, "proc/self/mountinfo", mounts);
	put(f, "sys/fs/f2fs/features/verity", "supported\n");
	put(f, "sys/fs/f2fs/tuning/reclaim_caches_kb", "0\n");
	put(f, "sys/devices/virtual/block/dm-47/dm/name", "userdata\n");
	put(f, "sys/devices/virtual/block/dm-47/dm/uuid", "CRYPT-1\n");
	put_link(f, "sys/class/block/dm-47", "../../devices/virtual/block/dm-47");
	put_link(f, "sys/dev/block/254:47", "../../devices/virtual/block/dm-47");
	put(f, DM "lifetime_write_kbytes", "8120331204\n");
	put(f, DM "free_segments", "148202\n");
	put(f, DM "gc_foreground_calls", "2\n");
	put(f, DM "moved_blocks_background", "402311\n");
	put(f, DM "pending_discard", "3120\n");
	put(f, DM "gc_urgent", "0\n");
	put(f, DM "gc_mode", "GC_NORMAL\n");
	put(f, DM "mounted_time_sec", "9\n");
	put(f, DM "unusable", "5120443\n");
	put(f, DM "avg_vblocks", "288\n");
	put(f, DM "features", "encryption, verity, pin_file\n");
	put(f, DM "feature_list/encryption", "supported\n");
	put(f, DM "feature_list/verity", "supported\n");
	put(f, DM "feature_list/readonly", "unsupported\n");
	put(f, DM "stat/sb_status", "1\n");
	put(f, DM "stat/cp_status", "1c5\n");
	put(f, DM "stat/issued_discard", "81220\n");
}

static void sample(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "f2fs", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

static void a_sound_file_system(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	sample(&f);
	assert_int_equal(f.sink.n_rows, 1);
	check_outcome(&f, "dm-47", OUTCOME_OK);
	assert_string_equal(item_of(&f, "dm-47")->reason, "on /data");
	check_value(&f, "dm-47", "lifetime_write", 8120331204);
	check_value(&f, "dm-47", "free_segments", 148202);
	check_value(&f, "dm-47", "gc_foreground_calls", 2);
	check_value(&f, "dm-47", "moved_blocks_background", 402311);
	check_absent(&f, "dm-47", "moved_blocks_foreground");
	check_value(&f, "dm-47", "pending_discard", 3120);
	check_value(&f, "dm-47", "issued_discard", 81220);
	check_absent(&f, "dm-47", "queued_discard");
	check_value(&f, "dm-47", "gc_urgent", 0);
	check_value(&f, "dm-47", "gc_mode", 0);
	check_value(&f, "dm-47", "mounted_time", 9);
	check_value(&f, "dm-47", "cp_error", 0);
	check_value(&f, "dm-47", "shutdown", 0);
	check_value(&f, "dm-47", "need_fsck", 0);
	check_value(&f, "dm-47", "cp_disabled", 0);
	check_value(&f, "dm-47", "sb_status", 1);
	check_value(&f, "dm-47", "cp_status", 0x1c5);
	check_absent(&f, "dm-47", "flags");
	check_text(&f, "dm-47", "features", "encryption, verity");
	check_text(&f, "dm-47", "mount_point", "/data");
	assert_string_equal(row_of(&f, "dm-47")->identity, "dm:CRYPT-1");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, "dm-47", "unusable", 5120443);
	check_value(&f, "dm-47", "avg_vblocks", 288);
	fixture_end(&f);
}

/* Answers: cp_error, shutdown, need_fsck, cp_disabled; or -errno for the flags that they are of. */
static void flags(void **unused)
{
	static const struct {
		const char *sb, *cp;
		int64_t cp_error, shutdown, need_fsck, cp_disabled;
		const char *names;
	} cases[] = {
		{"0\n", "45\n", 0, 0, 0, 0, NULL},
		{"4\n", "9d\n", 1, 0, 1, 0, "need_fsck, cp_error, cp_fsck"},
		{"41\n", "44\n", 0, 1, 0, 0, "shutdown"},
		{"1000\n", "800\n", 0, 0, 1, 0, "quota_need_repair, cp_quota_need_fsck"},
		{"100\n", "1000\n", 0, 0, 0, 1, "cp_disabled"},
		/* Those that come and go. */
		{"8c2f\n", "37c7\n", 0, 0, 1, 0, "need_fsck"},
		{"7fffffffffffffff\n", "0\n", 0, 1, 1, 1,
		 "need_fsck, need_sb_write, shutdown, recovered, cp_disabled, cp_disabled_quick, "
		 "quota_need_repair, resizefs, freezing"},
		{"ffffffffffffffff\n", "8\n", 1, -ERANGE, -ERANGE, -ERANGE, "cp_error"},
		{"0x4\n", "zz\n", -EINVAL, -EINVAL, -EINVAL, -EINVAL, NULL},
		{"-1\n", "1 2\n", -EINVAL, -EINVAL, -EINVAL, -EINVAL, NULL},
		{"\n", "", -ENODATA, -ENODATA, -ENODATA, -ENODATA, NULL},
		{"00000000000000000000000000000000004\n", "IS_DIRTY: no\n", -EINVAL, -ERANGE,
		 -ERANGE, -ERANGE, NULL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, DM "stat/sb_status", cases[i].sb);
		put(&f, DM "stat/cp_status", cases[i].cp);
		sample(&f);
		if (cases[i].cp_error >= 0)
			check_value(&f, "dm-47", "cp_error", cases[i].cp_error);
		else
			check_fault(&f, "dm-47", "cp_status", (int)-cases[i].cp_error);
		if (cases[i].shutdown >= 0) {
			check_value(&f, "dm-47", "shutdown", cases[i].shutdown);
			check_value(&f, "dm-47", "need_fsck", cases[i].need_fsck);
			check_value(&f, "dm-47", "cp_disabled", cases[i].cp_disabled);
		} else {
			check_fault(&f, "dm-47", "sb_status", (int)-cases[i].shutdown);
			check_absent(&f, "dm-47", "shutdown");
		}
		if (cases[i].names)
			check_text(&f, "dm-47", "flags", cases[i].names);
		else
			check_absent(&f, "dm-47", "flags");
		fixture_end(&f);
	}
}

static void modes(void **unused)
{
	static const struct {
		const char *urgent, *mode; /* NULL: no such file */
		int64_t number, state;     /* -1: absent; or -errno */
	} cases[] = {
		{"0\n", "GC_NORMAL\n", 0, 0},
		{"4\n", "GC_URGENT_HIGH\n", 4, 4},
		{"GC_URGENT_HIGH\n", "GC_URGENT_HIGH\n", -1, 4},
		{"GC_URGENT_LOW\n", NULL, -1, 5},
		{"GC_NEW\n", NULL, -1, 7},
		{"GC_NEW\n", "GC_NEW\n", -1, 7},
		{"1\n", NULL, 1, -1},
		{NULL, NULL, -1, -1},
		{"OTHER\n", NULL, -EINVAL, -1},
		{"-1\n", NULL, -1, -1},
		{"\n", NULL, -ENODATA, -1},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		take_away(&f, DM "gc_urgent");
		take_away(&f, DM "gc_mode");
		if (cases[i].urgent)
			put(&f, DM "gc_urgent", cases[i].urgent);
		if (cases[i].mode)
			put(&f, DM "gc_mode", cases[i].mode);
		sample(&f);
		if (cases[i].urgent && !strcmp(cases[i].urgent, "-1\n"))
			check_flag(&f, "dm-47", "gc_urgent", FLAG_IMPLAUSIBLE);
		else if (cases[i].number == -1)
			check_absent(&f, "dm-47", "gc_urgent");
		else
			check_answer(&f, "dm-47", "gc_urgent", cases[i].number);
		if (cases[i].state < 0)
			check_absent(&f, "dm-47", "gc_mode");
		else
			check_value(&f, "dm-47", "gc_mode", cases[i].state);
		fixture_end(&f);
	}
}

/* A bug of the kernel, which Android's vold knows as well: the value is past 2^63. */
static void what_was_never_written(void **unused)
{
	static const struct {
		const char *text;
		int64_t answer;
	} cases[] = {
		{"18446744073709551000\n", -ERANGE},
		{"9223372036854775800\n", -ERANGE},
		{"1125899906842624\n", 1125899906842624},
		{"0\n", 0},
		{"12k\n", -EINVAL},
		{"\n", -ENODATA},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, DM "lifetime_write_kbytes", cases[i].text);
		sample(&f);
		check_answer(&f, "dm-47", "lifetime_write", cases[i].answer);
		fixture_end(&f);
	}
}

static void what_kernels_lack(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS", DM "pending_discard\tread\tEINVAL\n");
	put(&f, DM "pending_discard", "");
	take_away(&f, DM "stat");
	take_away(&f, DM "feature_list");
	take_away(&f, DM "gc_foreground_calls");
	put(&f, "proc/sys/kernel/osrelease", "6.1.0\n");
	put(&f, "boot/config-6.1.0", "CONFIG_F2FS_FS=y\n# CONFIG_F2FS_STAT_FS is not set\n");
	sample(&f);
	check_absent(&f, "dm-47", "pending_discard");
	check_absent(&f, "dm-47", "cp_error");
	check_absent(&f, "dm-47", "need_fsck");
	check_absent(&f, "dm-47", "sb_status");
	check_text(&f, "dm-47", "features", "encryption, verity, pin_file");
	check_outcome(&f, "gc_foreground_calls", OUTCOME_NO_OPTION);
	check_outcome(&f, "stat/cp_status", OUTCOME_NO_NODE);
	fixture_end(&f);
}

static void the_directory_of_features_is_no_device(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, "sys/fs/f2fs/dm-47");
	assert_int_equal(fixture_probe(&f, "f2fs", false), 0);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_int_equal(f.probe.n_items, 1);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 0);
	/* It is mounted: there was none, and now there is. */
	put(&f, DM "lifetime_write_kbytes", "1\n");
	put(&f, "proc/self/mountinfo", "90 1 254:47 / /data rw - f2fs /dev/block/dm-47 rw\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	sample(&f);
	check_value(&f, "dm-47", "lifetime_write", 1);
	fixture_end(&f);
}

static void fail_on_dangerous(void *arg, const char *path, bool contents)
{
	size_t *n = arg;

	(void)contents;
	*n += strstr(path, "debug") != NULL || strstr(path, "proc/fs/f2fs") != NULL ||
	      strstr(path, "extension_list") != NULL;
}

static void nothing_dangerous_is_touched(void **unused)
{
	struct fixture f;
	size_t n = 0;

	(void)unused;
	start(&f);
	put(&f, "sys/kernel/debug/f2fs/status", "=====[ partition info(dm-47). ]=====\n");
	put(&f, "proc/fs/f2fs/dm-47/segment_info", "0 0|512\n");
	scarce_start(&f);
	f.collector = catalog_find_collector(registry(), "f2fs");
	hw_trace(f.hw, fail_on_dangerous, &n);
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(n, 0);
	fixture_end(&f);
}

static void want_of_descriptors(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	check_scarce_probes(&f, "f2fs");
	check_scarce_identities(&f, "f2fs", 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_file_system),
		cmocka_unit_test(flags),
		cmocka_unit_test(modes),
		cmocka_unit_test(what_was_never_written),
		cmocka_unit_test(what_kernels_lack),
		cmocka_unit_test(the_directory_of_features_is_no_device),
		cmocka_unit_test(nothing_dangerous_is_touched),
		cmocka_unit_test(want_of_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
