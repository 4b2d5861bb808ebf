/* Collector regulator: which ones feed storage, names that repeat, states, reasons. */
#include "tests/unit/collector_fixture.h"

#define CLASS "sys/class/regulator/"

static void supplies(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, CLASS "regulator.0/name", "regulator-dummy\n");
	put(&f, CLASS "regulator.0/1-0048-vcc/.keep", "");
	put(&f, CLASS "regulator.7/name", "VSD_3V3\n");
	put(&f, CLASS "regulator.7/30b50000.mmc-vmmc/.keep", "");
	put(&f, CLASS "regulator.7/30b50000.mmc-uV", "3300000\n"); /* a file is no consumer */
	put(&f, CLASS "regulator.7/state", "enabled\n");
	put(&f, CLASS "regulator.7/status", "normal\n");
	put(&f, CLASS "regulator.7/microvolts", "3300000\n");
	put(&f, CLASS "regulator.7/num_users", "1\n");
	put(&f, CLASS "regulator.7/type", "voltage\n");
	put(&f, CLASS "regulator.8/name", "VSD_3V3\n");
	put(&f, CLASS "regulator.8/1d84000.ufs-vccq/.keep", "");
	put(&f, CLASS "regulator.8/state", "unknown\n");
	assert_int_equal(fixture_probe(&f, "regulator", false), 0);
	check_outcome(&f, "regulator-dummy", OUTCOME_DISABLED);
	check_outcome(&f, "VSD_3V3", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "VSD_3V3")->reason, "30b50000.mmc-vmmc"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "VSD_3V3", "state", 1);
	check_value(&f, "VSD_3V3", "status", 4);
	check_value(&f, "VSD_3V3", "microvolts", 3300000);
	check_value(&f, "VSD_3V3", "num_users", 1);
	check_text(&f, "VSD_3V3", "type", "voltage");
	check_text(&f, "VSD_3V3", "consumers", "30b50000.mmc-vmmc");
	check_absent(&f, "VSD_3V3", "microamps");
	check_value(&f, "VSD_3V3#2", "state", 2);
	check_absent(&f, "VSD_3V3#2", "status");

	assert_int_equal(fixture_probe(&f, "regulator", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 3);
	check_absent(&f, "regulator-dummy", "state");
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, CLASS "regulator.1/a.mmc-vmmc/.keep", "");
	put(&f, CLASS "regulator.1/state", "maybe\n");
	put(&f, CLASS "regulator.1/status", "");
	put(&f, CLASS "regulator.1/microvolts", "99999999999999999999\n");
	put(&f, CLASS "regulator.1/num_users", "x\n");
	put(&f, CLASS "regulator.1/microamps", "");
	put(&f, CLASS "regulator.2/b.ufs-vcc/.keep", "");
	put(&f, CLASS "regulator.2/microvolts", "-22\n");
	put(&f, CLASS "regulator.2/microamps", "-5000\n");
	put(&f, "ERRORS", CLASS "regulator.1/microamps\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "regulator", false), 0);
	check_outcome(&f, "regulator.1 files", OUTCOME_DENIED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "regulator.1", "state", 3);
	check_fault(&f, "regulator.1", "status", ENODATA);
	check_fault(&f, "regulator.1", "microvolts", ERANGE);
	check_fault(&f, "regulator.1", "num_users", EINVAL);
	check_fault(&f, "regulator.1", "microamps", EACCES);
	check_fault(&f, "regulator.2", "microvolts", EINVAL);
	check_flag(&f, "regulator.2", "microamps", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

static void reasons(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	assert_int_equal(fixture_probe(&f, "regulator", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "boot/config-6.1", "# CONFIG_REGULATOR is not set\n");
	assert_int_equal(fixture_probe(&f, "regulator", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	put(&f, CLASS "regulator.0/name", "regulator-dummy\n");
	assert_int_equal(fixture_probe(&f, "regulator", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_non_null(strstr(item_of(&f, "")->reason, "of 1 "));
	fixture_end(&f);
}

/* Of a board with more than the bound the first ones are taken. */
static void bounded(void **unused)
{
	struct fixture f;
	char path[128];

	(void)unused;
	fixture_start(&f);
	for (int i = 0; i < 140; i++) {
		snprintf(path, sizeof(path), CLASS "regulator.%d/num_users", i);
		put(&f, path, "1\n");
	}
	assert_int_equal(fixture_probe(&f, "regulator", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 128);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(supplies),
		cmocka_unit_test(hostile),
		cmocka_unit_test(reasons),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
