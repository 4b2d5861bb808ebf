/* Collector devfreq: devices and buses, their units, hostile values, reasons. */
#include "tests/unit/collector_fixture.h"

#define UFS "sys/devices/platform/soc@0/1d84000.ufs/"

static void devices(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, UFS "devfreq/1d84000.ufs/cur_freq", "300000000\n");
	put(&f, UFS "devfreq/1d84000.ufs/target_freq", "300000000\n");
	put(&f, UFS "devfreq/1d84000.ufs/governor", "simple_ondemand\n");
	put_link(&f, UFS "devfreq/1d84000.ufs/device", "../..");
	put_link(&f, "sys/class/devfreq/1d84000.ufs",
		 "../../devices/platform/soc@0/1d84000.ufs/devfreq/1d84000.ufs");
	put(&f, "sys/devices/system/cpu/bus_dcvs/DDR/cur_freq", "2092000\n");
	put(&f, "sys/devices/system/cpu/bus_dcvs/DDR/hw_max_freq", "5300000\n");
	put(&f, "sys/devices/system/cpu/bus_dcvs/DDR/soc:qcom,memlat:ddr:gold/min_freq", "1\n");
	put(&f, "sys/devices/system/cpu/bus_dcvs/readme", "\n");
	assert_int_equal(fixture_probe(&f, "devfreq", false), 0);
	check_outcome(&f, "1d84000.ufs", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs")->reason, "simple_ondemand"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "1d84000.ufs", "cur_freq", 300000000);
	check_text(&f, "1d84000.ufs", "governor", "simple_ondemand");
	check_absent(&f, "1d84000.ufs", "max_freq");
	assert_string_equal(row_of(&f, "1d84000.ufs")->identity,
			    "device:platform/soc@0/1d84000.ufs");
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "DDR", "cur_freq", 2092000);
	check_value(&f, "DDR", "hw_max_freq", 5300000);
	check_absent(&f, "DDR", "boost_freq");
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/devfreq/a/cur_freq", "<unknown>\n");
	put(&f, "sys/class/devfreq/a/min_freq", "-5\n");
	put(&f, "sys/class/devfreq/a/max_freq", "18446744073709551615\n");
	put(&f, "sys/class/devfreq/a/governor", "");
	put(&f, "sys/class/devfreq/b/cur_freq", "1\n");
	put(&f, "sys/class/devfreq/c/governor", "of none\n");
	put(&f, "ERRORS", "sys/class/devfreq/b/cur_freq\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "devfreq", false), 0);
	check_outcome(&f, "a", OUTCOME_FAILED);
	check_outcome(&f, "b", OUTCOME_DENIED);
	assert_null(item_of(&f, "c"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "a", "cur_freq", EINVAL);
	check_flag(&f, "a", "min_freq", FLAG_IMPLAUSIBLE);
	check_fault(&f, "a", "max_freq", ERANGE);
	check_fault(&f, "b", "cur_freq", EACCES);
	fixture_end(&f);
}

static void nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	assert_int_equal(fixture_probe(&f, "devfreq", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "boot/config-6.1", "# CONFIG_PM_DEVFREQ is not set\n");
	assert_int_equal(fixture_probe(&f, "devfreq", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	/* Where sysfs itself is missing, nothing is known of the hardware. */
	take_away(&f, "sys");
	assert_int_equal(fixture_probe(&f, "devfreq", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	fixture_end(&f);
}

/* No more than a lane can bear. */
static void bounded(void **unused)
{
	struct fixture f;
	char path[128];

	(void)unused;
	fixture_start(&f);
	for (int i = 0; i < 70; i++) {
		snprintf(path, sizeof(path), "sys/class/devfreq/devfreq%d/cur_freq", i);
		put(&f, path, "1\n");
	}
	assert_int_equal(fixture_probe(&f, "devfreq", false), 0);
	check_outcome(&f, "more", OUTCOME_UNSUPPORTED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 64);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices),
		cmocka_unit_test(hostile),
		cmocka_unit_test(nothing),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
