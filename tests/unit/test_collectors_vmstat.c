/* Collector vmstat: names by the whole word, sums over zones, what older kernels and options leave
 * out, and hostile input. */
#include "tests/unit/collector_fixture.h"

static void lines(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/vmstat",
	    "nr_free_pages 934840\nnr_dirty 47617\nnr_dirtied 11926188\nnr_writeback 12\n"
	    "nr_writeback_temp 99\nnr_written 9705388\nnr_dirty_threshold 1183151\n"
	    "nr_dirty_background_threshold 590853\npgpgin 15434933\npgpgout 39016680\n"
	    "pswpin 0\npswpout 3\nallocstall_dma 1\nallocstall_dma32 20\nallocstall_normal 300\n"
	    "allocstall_movable 4000\nallocstall_device 0\npgmajfault 44244\npgscan_direct 7\n"
	    "pgscan_direct_throttle 8\npgscan_kswapd 9223372036854775807\noom_kill 2\n");
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	check_outcome(&f, "system", OUTCOME_OK);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "system", "nr_dirty", 47617);
	check_value(&f, "system", "nr_writeback", 12);
	check_value(&f, "system", "nr_dirty_threshold", 1183151);
	check_value(&f, "system", "nr_dirty_background_threshold", 590853);
	check_value(&f, "system", "nr_written", 9705388);
	check_value(&f, "system", "pgpgin", 15434933);
	check_value(&f, "system", "pgpgout", 39016680);
	check_value(&f, "system", "pswpin", 0);
	check_value(&f, "system", "pswpout", 3);
	check_value(&f, "system", "allocstall", 4321);
	check_value(&f, "system", "pgscan_direct", 7);
	check_value(&f, "system", "pgscan_kswapd", INT64_MAX);
	check_value(&f, "system", "oom_kill", 2);
	check_absent(&f, "system", "nr_throttled_written");
	check_absent(&f, "system", "pgsteal_direct");
	check_absent(&f, "system", "compact_stall");
	fixture_end(&f);
}

/* Before 4.8: one allocstall, and reclaim by zones. */
static void old_kernel(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/vmstat",
	    "nr_dirty 1\npgpgin 2\npgscan_direct_dma32 5\npgscan_direct_normal 60\n"
	    "pgscan_direct_throttle 700\npgsteal_direct_high 8\nallocstall 9\n");
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "system", "pgscan_direct", 65);
	check_value(&f, "system", "pgsteal_direct", 8);
	check_value(&f, "system", "allocstall", 9);
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/vmstat",
	    "nr_dirty\nnr_writeback -1\npgpgin 1x\npgpgout 99999999999999999999\n\n \npswpin  7 8\n"
	    "allocstall_normal 9223372036854775807\nallocstall_dma 1\nallocstall_high 1\n"
	    "pgscan_direct_dma x\npgscan_direct_normal 3\nallocstall_\nzz");
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "system", "nr_dirty", EINVAL);
	check_fault(&f, "system", "nr_writeback", EINVAL);
	check_fault(&f, "system", "pgpgin", EINVAL);
	check_fault(&f, "system", "pgpgout", ERANGE);
	check_value(&f, "system", "pswpin", 7);
	check_fault(&f, "system", "allocstall", ERANGE);
	check_fault(&f, "system", "pgscan_direct", EINVAL);

	put(&f, "proc/vmstat", "nothing that anybody knows\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "system", "nr_dirty", EBADMSG);
	put(&f, "proc/vmstat", "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "system", "nr_dirty", ENODATA);
	fixture_end(&f);
}

/* One that is larger than any kernel's is refused whole. */
static void bounded(void **unused)
{
	static const char line[] = "a_line_that_fills_the_file 1234567890\n";
	size_t size = 300 * 1024;
	char *text = malloc(size + sizeof(line));
	struct fixture f;

	(void)unused;
	assert_non_null(text);
	for (size_t i = 0; i < size; i += sizeof(line) - 1)
		memcpy(text + i, line, sizeof(line));
	fixture_start(&f);
	put(&f, "proc/vmstat", text);
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	check_outcome(&f, "system", OUTCOME_FAILED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "system", "nr_dirty", E2BIG);
	fixture_end(&f);
	free(text);
}

static void reasons(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "# CONFIG_VM_EVENT_COUNTERS is not set\n");
	assert_int_equal(fixture_probe(&f, "vmstat", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "proc/vmstat", "nr_free_pages 3\nnr_dirty 1\n");
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	check_outcome(&f, "system", OUTCOME_OK);
	check_outcome(&f, "system events", OUTCOME_NO_OPTION);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "system", "nr_dirty", 1);
	check_absent(&f, "system", "pgpgin");
	put(&f, "ERRORS", "proc/vmstat\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "vmstat", false), 0);
	check_outcome(&f, "system", OUTCOME_DENIED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "system", "nr_dirty", EACCES);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),   cmocka_unit_test(old_kernel), cmocka_unit_test(hostile),
		cmocka_unit_test(bounded), cmocka_unit_test(reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
