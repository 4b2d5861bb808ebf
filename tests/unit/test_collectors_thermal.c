/* Collector thermal: plausibility, zones that fail, trips, identities. */
#include "tests/unit/collector_fixture.h"

#define DIR "sys/class/thermal/"

static void put_zone(const struct fixture *f, int number, const char *type, const char *temp)
{
	char path[128];

	snprintf(path, sizeof(path), DIR "thermal_zone%d/temp", number);
	put(f, path, temp);
	snprintf(path, sizeof(path), DIR "thermal_zone%d/type", number);
	if (type)
		put(f, path, type);
}

static void implausible_values_are_flagged(void **unused)
{
	static const struct {
		const char *temp;
		int64_t value;
		enum flag flag;
	} cases[] = {
		{"43000\n", 43000, FLAG_NONE},
		{"31\n", 31, FLAG_IMPLAUSIBLE},
		{"0\n", 0, FLAG_IMPLAUSIBLE},
		{"199\n", 199, FLAG_IMPLAUSIBLE},
		{"-199\n", -199, FLAG_IMPLAUSIBLE},
		{"200\n", 200, FLAG_NONE},
		{"-15000\n", -15000, FLAG_NONE},
		{"-39999\n", -39999, FLAG_NONE},
		{"-40000\n", -40000, FLAG_IMPLAUSIBLE},
		{"-44000\n", -44000, FLAG_IMPLAUSIBLE},
		{"-273150\n", -273150, FLAG_IMPLAUSIBLE},
		{"-274000\n", -274000, FLAG_IMPLAUSIBLE},
		{"150000\n", 150000, FLAG_NONE},
		{"150001\n", 150001, FLAG_IMPLAUSIBLE},
		{"2147483647\n", 2147483647, FLAG_IMPLAUSIBLE},
	};
	struct fixture f;
	char node[32];

	(void)unused;
	fixture_start(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		put_zone(&f, (int)i, NULL, cases[i].temp);
	assert_int_equal(fixture_probe(&f, "thermal", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(node, sizeof(node), "thermal_zone%zu", i);
		assert_string_equal(f.sink.rows[i]->node, node); /* by number, not by text */
		check_value(&f, node, "temp", cases[i].value);
		check_flag(&f, node, "temp", cases[i].flag);
	}
	fixture_end(&f);
}

static void the_unit_is_decided_once(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_zone(&f, 0, "cpu", "45000\n");
	put_zone(&f, 1, "degrees", "99\n");
	assert_int_equal(fixture_probe(&f, "thermal", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flag(&f, "thermal_zone1", "temp", FLAG_IMPLAUSIBLE);
	put_zone(&f, 0, NULL, "150\n"); /* a frosty morning */
	put_zone(&f, 1, NULL, "101\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flag(&f, "thermal_zone0", "temp", FLAG_NONE);
	check_flag(&f, "thermal_zone1", "temp", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

static void names_that_are_no_temperature(void **unused)
{
	static const struct {
		const char *type;
		bool is_temperature;
	} cases[] = {
		{"vbat\n", false},       {"pm7250b-ibat-lvl0\n", false},
		{"socd\n", false},       {"pm8550-bcl-lvl2\n", false},
		{"soc_usr\n", false},    {"zeroc-0-step\n", false},
		{"soc-thermal\n", true}, {"cpu-1-0-step\n", true},
		{"battery\n", true},     {"vbatx\n", true},
		{"soc_thermal\n", true}, {"mdm-core0-step\n", true},
	};
	struct fixture f;
	char node[32];

	(void)unused;
	fixture_start(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		put_zone(&f, (int)i, cases[i].type, "30000\n");
	assert_int_equal(fixture_probe(&f, "thermal", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(node, sizeof(node), "thermal_zone%zu", i);
		check_outcome(&f, node, cases[i].is_temperature ? OUTCOME_OK : OUTCOME_UNSUPPORTED);
		assert_true((row_of(&f, node) != NULL) == cases[i].is_temperature);
	}
	fixture_end(&f);
}

static void one_failing_zone_is_left_alone(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_zone(&f, 0, "a\n", "\n");
	put_zone(&f, 1, "b\n", "57727\n");
	put_zone(&f, 2, "c\n", "hot\n");
	assert_int_equal(fixture_probe(&f, "thermal", false), 0);
	check_outcome(&f, "thermal_zone0", OUTCOME_FAILED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "thermal_zone0", "temp", ENODATA);
	check_value(&f, "thermal_zone1", "temp", 57727);
	check_fault(&f, "thermal_zone2", "temp", EINVAL);

	put_zone(&f, 0, "a\n", "30000\n"); /* comes back by itself, at the second sample */
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "thermal_zone0", "temp", ENODATA);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "thermal_zone0", "temp", 30000);
	fixture_end(&f);
}

static void trips_mode_and_identity(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_zone(&f, 0, "cpu-thermal\n", "45000\n");
	put(&f, DIR "thermal_zone0/mode", "enabled\n");
	put(&f, DIR "thermal_zone0/policy", "step_wise\n");
	put(&f, DIR "thermal_zone0/trip_point_0_type", "passive\n");
	put(&f, DIR "thermal_zone0/trip_point_0_temp", "85000\n");
	put(&f, DIR "thermal_zone0/trip_point_0_hyst", "2000\n");
	put(&f, DIR "thermal_zone0/trip_point_1_type", "passive\n");
	put(&f, DIR "thermal_zone0/trip_point_1_temp", "80500\n");
	put(&f, DIR "thermal_zone0/trip_point_2_type", "critical\n");
	put(&f, DIR "thermal_zone0/trip_point_2_temp", "95000\n");
	put(&f, DIR "thermal_zone0/trip_point_3_type", "hot\n");
	put(&f, DIR "thermal_zone0/trip_point_3_temp", "-274000\n");
	put_zone(&f, 1, "cpu-thermal\n", "45000\n");
	put(&f, DIR "thermal_zone1/mode", "maybe\n");
	put(&f, DIR "cooling_device0/type", "cpufreq-cpu0\n");
	put(&f, DIR "cooling_device0/cur_state", "3\n");
	put(&f, DIR "cooling_device0/max_state", "7\n");
	assert_int_equal(fixture_probe(&f, "thermal", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "thermal_zone0", "mode", 1);
	check_value(&f, "thermal_zone0", "passive_temp", 80500);
	check_value(&f, "thermal_zone0", "critical_temp", 95000);
	check_absent(&f, "thermal_zone0", "hot_temp");
	check_text(&f, "thermal_zone0", "policy", "step_wise");
	check_text(&f, "thermal_zone0", "trips", "passive 85 hyst 2, passive 80.5, critical 95");
	check_fault(&f, "thermal_zone1", "mode", EINVAL);
	assert_string_equal(row_of(&f, "thermal_zone0")->identity, "type:cpu-thermal");
	assert_string_equal(row_of(&f, "thermal_zone1")->identity, "type:cpu-thermal#2");
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "cooling_device0", "cur_state", 3);
	check_value(&f, "cooling_device0", "max_state", 7);
	check_text(&f, "cooling_device0", "type", "cpufreq-cpu0");
	fixture_end(&f);
}

static void nothing_to_read(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "thermal", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, DIR "x", "");
	assert_int_equal(fixture_probe(&f, "thermal", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(implausible_values_are_flagged),
		cmocka_unit_test(the_unit_is_decided_once),
		cmocka_unit_test(names_that_are_no_temperature),
		cmocka_unit_test(one_failing_zone_is_left_alone),
		cmocka_unit_test(trips_mode_and_identity),
		cmocka_unit_test(nothing_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
