/* Collector hwmon: sensors by chip and device, limits, broken sensors, chips of drives and sleeping
 * devices that are not read, hostile values. */
#include "tests/unit/collector_fixture.h"

#define I2C "sys/devices/platform/soc@0/30a30000.i2c/i2c-1/"

static void put_chip(const struct fixture *f, const char *dir, int n, const char *name)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "%s/hwmon/hwmon%d/name", dir, n);
	put(f, path, name);
	snprintf(path, sizeof(path), "%s/hwmon/hwmon%d/device", dir, n);
	put_link(f, path, "../..");
	snprintf(path, sizeof(path), "sys/class/hwmon/hwmon%d", n);
	snprintf(target, sizeof(target), "../../../%s/hwmon/hwmon%d", dir, n);
	put_link(f, path, target);
}

static void board(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_chip(&f, I2C "1-0048", 0, "tmp102\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp1_input", "47312\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp1_max", "80000\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp1_label", "nvme-slot\n");
	put_chip(&f, I2C "1-0049", 1, "tmp102\n");
	put(&f, I2C "1-0049/hwmon/hwmon1/temp1_input", "25000\n");
	put(&f, I2C "1-0049/hwmon/hwmon1/temp1_fault", "1\n");
	put_chip(&f, I2C "1-0040", 2, "ina226\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/in1_input", "3296\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/in1_min", "3135\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/in1_alarm", "0\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/curr1_input", "412\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/power1_average", "1375000\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/energy1_input", "88120331\n");
	put(&f, I2C "1-0040/hwmon/hwmon2/fan2_input", "2610\n");
	assert_int_equal(fixture_probe(&f, "hwmon", false), 0);
	check_outcome(&f, "tmp102@1-0048", OUTCOME_OK);
	check_outcome(&f, "ina226@1-0040", OUTCOME_OK);

	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "tmp102@1-0048/temp1", "input", 47312);
	check_value(&f, "tmp102@1-0048/temp1", "max", 80000);
	check_absent(&f, "tmp102@1-0048/temp1", "min");
	check_absent(&f, "tmp102@1-0048/temp1", "alarm");
	check_text(&f, "tmp102@1-0048/temp1", "label", "nvme-slot");
	check_text(&f, "tmp102@1-0048/temp1", "chip", "tmp102");
	assert_string_equal(row_of(&f, "tmp102@1-0048/temp1")->identity,
			    "name:tmp102@platform/soc@0/30a30000.i2c/i2c-1/1-0048/temp1");
	check_value(&f, "tmp102@1-0049/temp1", "fault", 1);
	check_flag(&f, "tmp102@1-0049/temp1", "input", FLAG_IMPLAUSIBLE);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, "ina226@1-0040/in1", "input", 3296);
	check_value(&f, "ina226@1-0040/in1", "min", 3135);
	check_value(&f, "ina226@1-0040/in1", "alarm", 0);
	assert_int_equal(fixture_sample(&f, 2), 0);
	check_value(&f, "ina226@1-0040/curr1", "input", 412);
	assert_int_equal(fixture_sample(&f, 3), 0);
	check_value(&f, "ina226@1-0040/power1", "input", 1375000);
	assert_int_equal(fixture_sample(&f, 4), 0);
	check_value(&f, "ina226@1-0040/energy1", "input", 88120331);
	assert_int_equal(fixture_sample(&f, 5), 0);
	check_value(&f, "ina226@1-0040/fan2", "input", 2610);
	fixture_end(&f);
}

static void count_reads(void *arg, const char *path, bool contents)
{
	size_t *n = arg;

	*n += contents && (strstr(path, "temp") || strstr(path, "in0"));
}

/* Each read of these would be a command, or wake somebody. */
static void left_alone(void **unused)
{
	struct fixture f;
	size_t n = 0;

	(void)unused;
	fixture_start(&f);
	put_chip(&f, "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0", 0, "nvme\n");
	put(&f, "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/hwmon/hwmon0/temp1_input", "1\n");
	put_chip(&f, "sys/devices/ata1/host0/target0:0:0/0:0:0:0", 1, "other\n");
	put(&f, "sys/devices/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon1/temp1_input", "1\n");
	put_chip(&f, "sys/devices/platform/1d84000.ufs", 2, "ufs\n");
	put(&f, "sys/devices/platform/1d84000.ufs/hwmon/hwmon2/temp1_input", "1\n");
	put_chip(&f, "sys/devices/pci0000:00/0000:03:00.0", 3, "amdgpu\n");
	put(&f, "sys/devices/pci0000:00/0000:03:00.0/hwmon/hwmon3/in0_input", "712\n");
	put(&f, "sys/devices/pci0000:00/0000:03:00.0/power/runtime_status", "suspended\n");
	put(&f, "sys/devices/virtual/thermal/thermal_zone0/hwmon4/name", "cpu_thermal\n");
	put(&f, "sys/devices/virtual/thermal/thermal_zone0/hwmon4/temp1_input", "1\n");
	put_link(&f, "sys/class/hwmon/hwmon4",
		 "../../devices/virtual/thermal/thermal_zone0/hwmon4");
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	f.collector = catalog_find_collector(registry(), "hwmon");
	assert_int_equal(probe_init(&f.probe), 0);
	assert_int_equal(sink_init(&f.sink), 0);
	hw_trace(f.hw, count_reads, &n);
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), -ENOENT);
	assert_int_equal(n, 0);
	check_outcome(&f, "nvme@nvme0", OUTCOME_UNSUPPORTED);
	assert_non_null(strstr(item_of(&f, "nvme@nvme0")->reason, "nvme_smart"));
	check_outcome(&f, "other@0:0:0:0", OUTCOME_UNSUPPORTED);
	check_outcome(&f, "ufs@1d84000.ufs", OUTCOME_UNSUPPORTED);
	check_outcome(&f, "amdgpu@0000:03:00.0", OUTCOME_DISABLED);
	check_outcome(&f, "cpu_thermal@hwmon4", OUTCOME_DISABLED);
	fixture_end(&f);
}

static void falls_asleep(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_chip(&f, "sys/devices/pci0000:00/0000:03:00.0", 3, "amdgpu\n");
	put(&f, "sys/devices/pci0000:00/0000:03:00.0/hwmon/hwmon3/in0_input", "712\n");
	put(&f, "sys/devices/pci0000:00/0000:03:00.0/power/runtime_status", "active\n");
	assert_int_equal(fixture_probe(&f, "hwmon", false), 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, "amdgpu@0000:03:00.0/in0", "input", 712);
	put(&f, "sys/devices/pci0000:00/0000:03:00.0/power/runtime_status", "suspended\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_true(row_of(&f, "amdgpu@0000:03:00.0/in0")->suspended);
	check_absent(&f, "amdgpu@0000:03:00.0/in0", "input");
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_chip(&f, I2C "1-0048", 0, "bad\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp1_input", "<unknown>\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp2_input", "-274000\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp2_max", "x\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp3_input", "");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp_input", "1\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp12345_input", "1\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp4_input_x", "1\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/fan1_input", "-7\n");
	put(&f, "ERRORS", I2C "1-0048/hwmon/hwmon0/temp2_label\tread\tEIO\n");
	put(&f, I2C "1-0048/hwmon/hwmon0/temp2_label", "");
	put(&f, "sys/class/hwmon/hwmon1/temp1_input", "1\n");
	put_link(&f, "sys/class/hwmon/hwmon9", "hwmon9");
	assert_int_equal(fixture_probe(&f, "hwmon", false), 0);
	check_outcome(&f, "hwmon1", OUTCOME_UNSUPPORTED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 3);
	check_fault(&f, "bad@1-0048/temp1", "input", EINVAL);
	check_flag(&f, "bad@1-0048/temp2", "input", FLAG_IMPLAUSIBLE);
	check_absent(&f, "bad@1-0048/temp2", "max");
	check_fault(&f, "bad@1-0048/temp2", "label", EIO);
	check_fault(&f, "bad@1-0048/temp3", "input", ENODATA);
	assert_int_equal(fixture_sample(&f, 5), 0);
	check_flag(&f, "bad@1-0048/fan1", "input", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

static void nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "# CONFIG_HWMON is not set\n");
	assert_int_equal(fixture_probe(&f, "hwmon", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	fixture_end(&f);
}

/* A chip that claims more sensors than there can be costs no more than the bound. */
static void bounded(void **unused)
{
	struct fixture f;
	char path[256];

	(void)unused;
	fixture_start(&f);
	put_chip(&f, I2C "1-0048", 0, "many\n");
	for (int i = 1; i <= 200; i++) {
		snprintf(path, sizeof(path), I2C "1-0048/hwmon/hwmon0/temp%d_input", i);
		put(&f, path, "1000\n");
	}
	assert_int_equal(fixture_probe(&f, "hwmon", false), 0);
	check_outcome(&f, "more", OUTCOME_UNSUPPORTED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 192);
	fixture_end(&f);
}

static void bounded_chips(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	for (int i = 0; i < 70; i++) {
		char dir[128], path[192];

		snprintf(dir, sizeof(dir), I2C "%d-0048", i);
		put_chip(&f, dir, i, "tmp102\n");
		snprintf(path, sizeof(path), "%s/hwmon/hwmon%d/temp1_input", dir, i);
		put(&f, path, "47312\n");
	}
	assert_int_equal(fixture_probe(&f, "hwmon", false), 0);
	check_outcome(&f, "more chips", OUTCOME_UNSUPPORTED);
	assert_non_null(strstr(item_of(&f, "more chips")->reason, "7 chips"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 63);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(board),         cmocka_unit_test(left_alone),
		cmocka_unit_test(falls_asleep),  cmocka_unit_test(hostile),
		cmocka_unit_test(nothing),       cmocka_unit_test(bounded),
		cmocka_unit_test(bounded_chips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
