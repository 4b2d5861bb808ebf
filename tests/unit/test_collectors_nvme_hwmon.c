/* Collector nvme_hwmon: which files are read, each of which is a command, and when none is. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#define NVME  "sys/class/nvme/nvme0/"
#define HWMON NVME "hwmon3/"

/* Reads of the files that send a command. */
struct reads {
	const struct fixture *f;
	size_t n;
};

static void count_command(void *arg, const char *path, bool contents)
{
	struct reads *reads = arg;
	const char *name = strrchr(path, '/');
	char full[HW_PATH_MAX];

	if (!contents || !name || strncmp(name, "/temp", 5) != 0 || strstr(name, "_label") ||
	    strstr(name, "_crit"))
		return;
	snprintf(full, sizeof(full), "%s/%s", reads->f->root, path);
	/* Nobody is asked for what the drive does not have. */
	if (access(full, F_OK) == 0)
		reads->n++;
}

static void start(struct fixture *f)
{
	fixture_start(f);
	put(f, NVME "state", "live\n");
	put(f, NVME "serial", "S1\n");
	put(f, HWMON "name", "nvme\n");
	put(f, HWMON "temp1_input", "38850\n");
	put(f, HWMON "temp1_alarm", "0\n");
	put(f, HWMON "temp1_max", "81850\n");
	put(f, HWMON "temp1_min", "-5150\n");
	put(f, HWMON "temp1_crit", "84850\n");
	put(f, HWMON "temp1_label", "Composite\n");
	put(f, HWMON "temp3_label", "Sensor 2\n");
	put(f, HWMON "temp3_input", "40850\n");
}

/* The number of commands of a sample. */
static size_t commands_of(struct fixture *f, int r)
{
	struct reads reads = {.f = f};

	hw_trace(f->hw, count_command, &reads);
	assert_int_equal(fixture_sample(f, 0), r);
	hw_trace(f->hw, NULL, NULL);
	return reads.n;
}

static void limits(void **unused)
{
	struct fixture f;
	struct reads reads = {.f = &f};

	(void)unused;
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	check_outcome(&f, "nvme0", OUTCOME_OK);
	/* Nothing is asked by a probe. */
	scarce_start(&f);
	hw_trace(f.hw, count_command, &reads);
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
	hw_trace(f.hw, NULL, NULL);
	assert_int_equal(reads.n, 0);
	/* Alarm, max and min; temperatures are not read here. */
	assert_int_equal(commands_of(&f, 0), 3);
	check_value(&f, "nvme0", "temp1_alarm", 0);
	check_value(&f, "nvme0", "temp1_max", 81850);
	check_value(&f, "nvme0", "temp1_min", -5150);
	check_value(&f, "nvme0", "temp1_crit", 84850);
	check_text(&f, "nvme0", "labels", "1 Composite, 3 Sensor 2");
	check_absent(&f, "nvme0", "problem");
	fixture_end(&f);
}

/* 0 K is no limit, as is the greatest number of kelvin. */
static void no_limits(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, HWMON "temp1_alarm", "1\n");
	put(&f, HWMON "temp1_min", "-273150\n");
	put(&f, HWMON "temp1_max", "65261850\n");
	take_away(&f, HWMON "temp1_crit");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "nvme0", "temp1_alarm", 1);
	check_absent(&f, "nvme0", "temp1_min");
	check_absent(&f, "nvme0", "temp1_max");
	check_absent(&f, "nvme0", "temp1_crit");
	check_absent(&f, "nvme0", "problem");
	take_away(&f, HWMON "temp1_alarm");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, "nvme0", "temp1_alarm");
	check_text(&f, "nvme0", "problem", "no value of it is recorded in this tree");
	put(&f, HWMON "temp1_min", "-273149\n");
	put(&f, HWMON "temp1_max", "65261849\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "nvme0", "temp1_min", -273149);
	check_value(&f, "nvme0", "temp1_max", 65261849);
	fixture_end(&f);
}

/* A sensor has the files that the drive has, and each of them is a command. */
static void sensors(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, HWMON "temp2_max", "65261850\n");
	put(&f, HWMON "temp2_min", "-273150\n");
	put(&f, HWMON "temp3_max", "94850\n");
	put(&f, HWMON "temp9_min", "-20150\n");
	put(&f, HWMON "temp9_max", "hot\n");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	assert_int_equal(commands_of(&f, 0), 3 + 5);
	check_absent(&f, "nvme0", "temp2_max");
	check_absent(&f, "nvme0", "temp2_min");
	check_value(&f, "nvme0", "temp3_max", 94850);
	check_absent(&f, "nvme0", "temp3_min");
	check_absent(&f, "nvme0", "temp4_max");
	check_value(&f, "nvme0", "temp9_min", -20150);
	check_fault(&f, "nvme0", "temp9_max", EINVAL);
	check_text(&f, "nvme0", "problem", "temp9_max: Invalid argument");
	/* What failed is left out, for itself. */
	assert_int_equal(commands_of(&f, 0), 3 + 4);
	check_value(&f, "nvme0", "temp9_min", -20150);
	fixture_end(&f);
}

static void hostile(void **unused)
{
	static const struct {
		const char *text;
		int fault;
	} cases[] = {
		{"", ENODATA},     {"\n", ENODATA},        {"hot\n", EINVAL},
		{"1 2\n", EINVAL}, {"\xff\xfe\n", EINVAL}, {"0x12\n", 0},
		{"1e9\n", EINVAL}, {"-\n", EINVAL},        {"9223372036854775808\n", ERANGE},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put(&f, HWMON "temp1_alarm", cases[i].text);
		assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		if (cases[i].fault)
			check_fault(&f, "nvme0", "temp1_alarm", cases[i].fault);
		check_value(&f, "nvme0", "temp1_max", 81850);
		fixture_end(&f);
	}
}

static void not_asked(void **unused)
{
	static const struct {
		const char *state;
		int fault;
	} states[] = {{"resetting", EAGAIN},
		      {"new", EAGAIN},
		      {"dead", ESHUTDOWN},
		      {"deleting", ESHUTDOWN}};
	static const char *const sleeping[] = {"suspended", "suspending", "resuming"};
	struct fixture f;

	(void)unused;
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		char why[128];

		put(&f, NVME "state", states[i].state);
		snprintf(why, sizeof(why), "the controller is not live, its state is %s",
			 states[i].state);
		assert_int_equal(commands_of(&f, 0), 0);
		check_fault(&f, "nvme0", "temp1_alarm", states[i].fault);
		check_text(&f, "nvme0", "problem", why);
		assert_false(row_of(&f, "nvme0")->suspended);
	}
	put(&f, NVME "state", "live\n");
	for (size_t i = 0; i < ARRAY_SIZE(sleeping); i++) {
		put(&f, NVME "device/power/runtime_status", sleeping[i]);
		assert_int_equal(commands_of(&f, 0), 0);
		assert_true(row_of(&f, "nvme0")->suspended);
		check_absent(&f, "nvme0", "temp1_crit");
	}
	put(&f, NVME "device/power/runtime_status", "error\n");
	assert_int_equal(commands_of(&f, 0), 0);
	assert_false(row_of(&f, "nvme0")->suspended);
	check_fault(&f, "nvme0", "temp1_alarm", EIO);
	put(&f, NVME "device/power/runtime_status", "active\n");
	assert_int_equal(commands_of(&f, 0), 3);
	take_away(&f, HWMON);
	assert_int_equal(commands_of(&f, -ENODEV), 0);
	take_away(&f, NVME);
	assert_int_equal(commands_of(&f, -ENODEV), 0);
	fixture_end(&f);
}

static void fall_asleep(void *arg, const char *path, bool contents)
{
	if (contents && strstr(path, "/temp1_max"))
		put(arg, NVME "device/power/runtime_status", "suspending\n");
}

/* It falls asleep between two commands: what it said until then stands, and it is asked no more. */
static void asleep_on_the_way(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	hw_trace(f.hw, fall_asleep, &f);
	assert_int_equal(fixture_sample(&f, 0), 0);
	hw_trace(f.hw, NULL, NULL);
	check_value(&f, "nvme0", "temp1_max", 81850);
	check_absent(&f, "nvme0", "temp1_min");
	check_absent(&f, "nvme0", "problem");
	assert_true(row_of(&f, "nvme0")->suspended);
	assert_int_equal(commands_of(&f, 0), 0);
	fixture_end(&f);
}

/* What fails is left out for a while, each file for itself. */
static void back_off(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, HWMON "temp1_min", "hot\n");
	/* A read with a planned error is none that is seen. */
	put(&f, "ERRORS", HWMON "temp1_max\tread\tEOPNOTSUPP\n");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	assert_int_equal(commands_of(&f, 0), 2);
	check_fault(&f, "nvme0", "temp1_min", EINVAL);
	check_fault(&f, "nvme0", "temp1_max", EOPNOTSUPP);
	check_text(&f, "nvme0", "problem", "temp1_max: Operation not supported; not asked again");
	assert_int_equal(commands_of(&f, 0), 1);
	check_fault(&f, "nvme0", "temp1_min", EINVAL);
	assert_int_equal(commands_of(&f, 0), 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(commands_of(&f, 0), 1);
	put(&f, HWMON "temp1_min", "0\n");
	assert_int_equal(commands_of(&f, 0), 2);
	check_value(&f, "nvme0", "temp1_min", 0);
	check_value(&f, "nvme0", "temp1_alarm", 0);
	fixture_end(&f);
}

/* A file that is left alone, since it hung, has not failed: the others are read, and it is not
 * given up. */
static void avoided(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	assert_int_equal(hw_avoid(f.hw, HWMON "temp1_max"), 0);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(commands_of(&f, 0), 2);
		check_fault(&f, "nvme0", "temp1_max", ETIME);
		check_text(&f, "nvme0", "problem",
			   "temp1_max: it has not answered, and is left alone");
		check_value(&f, "nvme0", "temp1_min", -5150);
	}
	fixture_end(&f);
}

/* Where drivers have put it. */
static void places(void **unused)
{
	static const char *const dirs[] = {"hwmon0/", "hwmon/hwmon12/", "device/hwmon/hwmon1/"};
	char path[128];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct fixture f;

		fixture_start(&f);
		put(&f, NVME "state", "live\n");
		put(&f, NVME "device/hwmon/hwmon0/name", "acpitz\n");
		put(&f, NVME "device/hwmon/hwmon0/temp1_alarm", "1\n");
		snprintf(path, sizeof(path), NVME "%sname", dirs[i]);
		put(&f, path, "nvme\n");
		snprintf(path, sizeof(path), NVME "%stemp1_alarm", dirs[i]);
		put(&f, path, "0\n");
		assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_value(&f, "nvme0", "temp1_alarm", 0);
		check_absent(&f, "nvme0", "temp1_max");
		fixture_end(&f);
	}
}

static void none(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/nvme/nvme-fabrics", "");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, NVME "state", "live\n");
	put(&f, NVME "device/hwmon/hwmon0/name", "other\n");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_UNSUPPORTED);
	check_outcome(&f, "nvme0", OUTCOME_UNSUPPORTED);
	fixture_end(&f);
}

static void one_device(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "sys/class/nvme/nvme1/state", "live\n");
	put(&f, "sys/class/nvme/nvme1/hwmon1/name", "nvme\n");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	scarce_start(&f);
	f.probe.device = "nvme1";
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
	assert_null(item_of(&f, "nvme0"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	assert_string_equal(f.sink.rows[0]->node, "nvme1");
	fixture_end(&f);
}

/* The second of two that cannot be told apart has only its name, also for who takes it alone, and
 * where the first has no hwmon. */
static void identities(void **unused)
{
	static const char *const devices[] = {NULL, "nvme1", "nvme2"};
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "sys/class/nvme/nvme1/state", "live\n");
	put(&f, "sys/class/nvme/nvme1/serial", "S1\n");
	put(&f, "sys/class/nvme/nvme1/hwmon1/name", "nvme\n");
	put(&f, "sys/class/nvme/nvme2/state", "live\n");
	put(&f, "sys/class/nvme/nvme2/serial", "S2\n");
	put(&f, "sys/class/nvme/nvme2/hwmon2/name", "nvme\n");
	assert_int_equal(fixture_probe(&f, "nvme_hwmon", false), 0);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(devices); i++) {
		const char *device = devices[i % ARRAY_SIZE(devices)];

		if (i == ARRAY_SIZE(devices))
			take_away(&f, HWMON "name");
		scarce_start(&f);
		f.probe.device = device;
		assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		if (!device || !strcmp(device, "nvme1"))
			assert_string_equal(row_of(&f, "nvme1")->identity, "");
		if (!device || !strcmp(device, "nvme2"))
			assert_string_equal(row_of(&f, "nvme2")->identity, "serial:S2");
	}
	fixture_end(&f);
}

static void without_descriptors(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, NVME "hwmon1/name", "other\n");
	put(&f, NVME "transport", "pcie\n");
	put(&f, NVME "cntlid", "3\n");
	put(&f, "sys/class/nvme/nvme1/state", "live\n");
	put(&f, "sys/class/nvme/nvme1/device/hwmon/hwmon1/name", "nvme\n");
	check_scarce_probes(&f, "nvme_hwmon");
	check_scarce_identities(&f, "nvme_hwmon", 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(no_limits),
		cmocka_unit_test(sensors),
		cmocka_unit_test(hostile),
		cmocka_unit_test(not_asked),
		cmocka_unit_test(asleep_on_the_way),
		cmocka_unit_test(back_off),
		cmocka_unit_test(avoided),
		cmocka_unit_test(places),
		cmocka_unit_test(none),
		cmocka_unit_test(one_device),
		cmocka_unit_test(identities),
		cmocka_unit_test(without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
