/* Collector cpufreq: policies, directories of old kernels, CPUs that are offline. */
#include "tests/unit/collector_fixture.h"

#define CPU "sys/devices/system/cpu/"

static void policies(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, CPU "cpufreq/policy0/scaling_cur_freq", "3392691\n");
	put(&f, CPU "cpufreq/policy0/scaling_max_freq", "2100000\n");
	put(&f, CPU "cpufreq/policy0/cpuinfo_cur_freq", "<unknown>\n");
	put(&f, CPU "cpufreq/policy0/stats/total_trans", "4294967295\n");
	put(&f, CPU "cpufreq/policy0/scaling_governor", "schedutil\n");
	put(&f, CPU "cpufreq/policy0/related_cpus", "0 1\n");
	put(&f, CPU "cpufreq/policy10/scaling_cur_freq", "<unsupported>\n");
	put(&f, CPU "cpufreq/policy10/related_cpus", "10-11\n");
	put(&f, CPU "cpufreq/policy2/scaling_cur_freq", "\n");
	put(&f, CPU "cpufreq/policy3/.keep", "");
	put_link(&f, CPU "cpu0/cpufreq", "../cpufreq/policy0");
	put_link(&f, CPU "cpu1/cpufreq", "../cpufreq/policy0");
	put_link(&f, CPU "cpu2/cpufreq", "../cpufreq/policy2");
	put(&f, CPU "cpu10/online", "1\n");
	put(&f, CPU "cpu12/online", "0\n");
	put(&f, CPU "offline", "4,12-255\n");
	assert_int_equal(fixture_probe(&f, "cpufreq", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 3);
	assert_string_equal(f.sink.rows[2]->node, "policy10");
	check_value(&f, "policy0", "scaling_cur_freq", 3392691);
	check_flag(&f, "policy0", "scaling_cur_freq", FLAG_NONE);
	check_value(&f, "policy0", "total_trans", 4294967295);
	check_text(&f, "policy0", "governor", "schedutil");
	check_absent(&f, "policy0", "cpuinfo_max_freq");
	check_fault(&f, "policy10", "scaling_cur_freq", EINVAL);
	check_fault(&f, "policy2", "scaling_cur_freq", ENODATA);
	check_outcome(&f, "cpu12", OUTCOME_DISABLED);
	assert_null(item_of(&f, "cpu10"));
	assert_null(item_of(&f, "policy3"));
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_fault(&f, "policy0", "cpuinfo_cur_freq", EINVAL);
	fixture_end(&f);
}

static void directories_of_cpus(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, CPU "cpu0/cpufreq/scaling_cur_freq", "1\n");
	put_link(&f, CPU "cpu1/cpufreq", "../cpu0/cpufreq");
	put(&f, CPU "cpu2/cpufreq/scaling_cur_freq", "2\n");
	put(&f, CPU "cpuidle/x", "");
	assert_int_equal(fixture_probe(&f, "cpufreq", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "cpu0", "scaling_cur_freq", 1);
	check_value(&f, "cpu2", "scaling_cur_freq", 2);
	fixture_end(&f);
}

static void all_cpus_of_a_policy_offline(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, CPU "cpufreq/policy0/scaling_cur_freq", "1\n");
	put(&f, CPU "cpufreq/policy4/scaling_cur_freq", "");
	put(&f, CPU "cpufreq/policy4/affected_cpus", "");
	put(&f, "ERRORS",
	    CPU "cpufreq/policy4/scaling_cur_freq\tread\tEBUSY\n" CPU
		"cpufreq/policy4/affected_cpus\tread\tEBUSY\n");
	assert_int_equal(fixture_probe(&f, "cpufreq", false), 0);
	check_outcome(&f, "policy4", OUTCOME_DISABLED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "policy0", "scaling_cur_freq", 1);
	check_fault(&f, "policy4", "scaling_cur_freq", EBUSY);
	fixture_end(&f);
}

static void nothing_to_read(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "cpufreq", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, CPU "cpu0/online", "1");
	assert_int_equal(fixture_probe(&f, "cpufreq", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies),
		cmocka_unit_test(directories_of_cpus),
		cmocka_unit_test(all_cpus_of_a_policy_offline),
		cmocka_unit_test(nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
