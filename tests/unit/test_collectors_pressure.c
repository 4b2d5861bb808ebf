/* Collector pressure: lines, widths, and the ways to be switched off. */
#include "tests/unit/collector_fixture.h"

static void lines(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/pressure/cpu", "some avg10=2.65 avg60=2.78 avg300=2.92 total=111749368752\n");
	put(&f, "proc/pressure/memory",
	    "  some avg10=0.00 avg60=0.00 avg300=0.00 total=3559632828\n"
	    "  full avg10=0.00 avg60=100.00 avg300=0.1 total=3300487258\n");
	put(&f, "proc/pressure/io",
	    "some avg10=x avg60=1.00 avg300= total=-3\nfull total=7 new=1\nodd\n");
	put(&f, "proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 4);
	check_value(&f, "cpu", "some_avg10", 265);
	check_value(&f, "cpu", "some_avg300", 292);
	check_value(&f, "cpu", "some_total", 111749368752);
	check_absent(&f, "cpu", "full_total");
	check_absent(&f, "cpu", "full_avg10");
	check_value(&f, "memory", "some_total", 3559632828);
	check_value(&f, "memory", "full_avg60", 10000);
	check_value(&f, "memory", "full_avg300", 10);
	check_value(&f, "memory", "full_total", 3300487258);
	check_fault(&f, "io", "some_avg10", EINVAL);
	check_value(&f, "io", "some_avg60", 100);
	check_fault(&f, "io", "some_avg300", EINVAL);
	check_fault(&f, "io", "some_total", EINVAL);
	check_value(&f, "io", "full_total", 7);
	check_absent(&f, "io", "full_avg10");
	check_absent(&f, "irq", "some_total");
	check_value(&f, "irq", "full_total", 9);
	fixture_end(&f);
}

static void switched_off(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/pressure/cpu", "");
	put(&f, "proc/pressure/io", "");
	put(&f, "ERRORS",
	    "proc/pressure/cpu\tread\tEOPNOTSUPP\nproc/pressure/io\tread\tEOPNOTSUPP\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), -EOPNOTSUPP);
	check_outcome(&f, "", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(&f, "")->advice, "psi=1"));
	assert_int_equal(f.probe.n_items, 1); /* said once, not for each resource */

	put(&f, "ERRORS", "proc/pressure/cpu\tread\tEACCES\nproc/pressure/io\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), -EACCES);
	check_outcome(&f, "", OUTCOME_DENIED);
	fixture_end(&f);
}

static void not_there(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "boot/config-6.1", "# CONFIG_PSI is not set\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	put(&f, "boot/config-6.1", "CONFIG_PSI=y\nCONFIG_PSI_DEFAULT_DISABLED=y\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_DISABLED);
	fixture_end(&f);
}

static void one_resource_fails(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/pressure/cpu", "some total=1\n");
	put(&f, "proc/pressure/io", "");
	put(&f, "ERRORS", "proc/pressure/cpu\tread\tEIO\n");
	assert_int_equal(fixture_probe(&f, "pressure", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "cpu", "some_total", EIO);
	check_fault(&f, "io", "some_total", ENODATA);
	assert_null(row_of(&f, "irq"));
	check_outcome(&f, "irq", OUTCOME_NO_NODE);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(switched_off),
		cmocka_unit_test(not_there),
		cmocka_unit_test(one_resource_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
