/* Collector ufs: where hosts are found, words and numbers of the driver, what is let alone. */
#include <fcntl.h>
#include <sys/inotify.h>

#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

enum { LINK, LU, HOST };

#define SOC "sys/devices/platform/soc@0/1d84000.ufs"
#define PCI "sys/devices/pci0000:00/0000:00:05.0"

/* A file below the host's directory. */
static void put_at(const struct fixture *f, const char *dir, const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	put(f, path, text);
}

/* A UFS host with its SCSI host, the device W-LUN and one unit with a disk. */
static void put_host(const struct fixture *f, const char *dir, int number, const char *disk)
{
	char path[256], target[512];

	put_at(f, dir, "rpm_lvl", "3\n");
	put_at(f, dir, "power_info/gear", "HS_GEAR4\n");
	snprintf(path, sizeof(path), "host%d/scsi_host/host%d/state", number, number);
	put_at(f, dir, path, "running\n");
	snprintf(path, sizeof(path), "sys/class/scsi_host/host%d", number);
	snprintf(target, sizeof(target), "../../../%s/host%d/scsi_host/host%d", dir, number,
		 number);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "host%d/target%d:0:0/%d:0:0:49488/power/runtime_status",
		 number, number, number);
	put_at(f, dir, path, "active\n");
	snprintf(path, sizeof(path), "host%d/target%d:0:0/%d:0:0:0/ioerr_cnt", number, number,
		 number);
	put_at(f, dir, path, "0x3\n");
	snprintf(path, sizeof(path), "host%d/target%d:0:0/%d:0:0:0/block/%s/dev", number, number,
		 number, disk);
	put_at(f, dir, path, "8:0\n");
}

static void hosts_by_number_with_stable_identity(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 10, "sdb");
	put_host(&f, PCI, 2, "sda");
	/* A SCSI host that is no UFS. */
	put(&f, "sys/devices/pci0000:00/0000:00:07.0/usb1/host0/scsi_host/host0/proc_name",
	    "usb-storage\n");
	put_link(&f, "sys/class/scsi_host/host0",
		 "../../../sys/devices/pci0000:00/0000:00:07.0/usb1/host0/scsi_host/host0");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, LINK), 0);
	assert_int_equal(f.sink.n_rows, 2);
	assert_string_equal(f.sink.rows[0]->node, "0000:00:05.0");
	assert_string_equal(f.sink.rows[1]->node, "1d84000.ufs");
	assert_string_equal(f.sink.rows[1]->identity, "path:platform/soc@0/1d84000.ufs");
	check_value(&f, "1d84000.ufs", "runtime_status", 2);
	check_value(&f, "1d84000.ufs", "host_state", 2);
	assert_int_equal(fixture_sample(&f, LU), 0);
	assert_int_equal(f.sink.n_rows, 4);
	assert_string_equal(row_of(&f, "sdb")->identity, "path:platform/soc@0/1d84000.ufs/0:0:0");
	assert_string_equal(row_of(&f, "1d84000.ufs:device")->identity,
			    "path:platform/soc@0/1d84000.ufs/0:0:49488");

	/* The driver was bound anew: another number, another disk name, the same device. */
	take_away(&f, SOC);
	take_away(&f, "sys/class/scsi_host/host10");
	take_away(&f, "sys/class/scsi_host/host0");
	put_host(&f, SOC, 0, "sdc");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, LINK), 0);
	assert_string_equal(f.sink.rows[0]->node, "1d84000.ufs");
	assert_string_equal(f.sink.rows[0]->identity, "path:platform/soc@0/1d84000.ufs");
	assert_int_equal(fixture_sample(&f, LU), 0);
	assert_string_equal(row_of(&f, "sdc")->identity, "path:platform/soc@0/1d84000.ufs/0:0:0");
	fixture_end(&f);
}

/* A part of an identity would be that of others as well. */
static void an_identity_that_does_not_fit_is_none(void **unused)
{
	static const struct {
		unsigned n_chars; /* of "path:..." of the host */
		bool host, unit;  /* has an identity */
	} cases[] = {
		{NODE_IDENTITY_MAX - 10, true, true}, /* with "/0:0:49488" it is one too many */
		{NODE_IDENTITY_MAX - 1, true, false},
		{NODE_IDENTITY_MAX, false, false},
		{NODE_IDENTITY_MAX + 40, false, false},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static const char head[] = "path:soc/", tail[] = "/1d84000.ufs";
		char dir[512] = "sys/devices/soc/";
		size_t n = cases[i].n_chars - strlen(head) - strlen(tail), len = strlen(dir);
		struct fixture f;

		memset(dir + len, 'x', n);
		snprintf(dir + len + n, sizeof(dir) - len - n, "%s", tail);
		fixture_start(&f);
		put_host(&f, dir, 0, "sda");
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, LINK), 0);
		assert_int_equal(f.sink.rows[0]->identity[0] != 0, cases[i].host);
		assert_int_equal(fixture_sample(&f, LU), 0);
		assert_int_equal(f.sink.n_rows, 2);
		assert_int_equal(row_of(&f, "sda")->identity[0] != 0, cases[i].unit);
		assert_string_equal(row_of(&f, "1d84000.ufs:device")->identity, "");
		fixture_end(&f);
	}
}

/* Each way that leads to a host, alone. */
static void every_way_to_a_host(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f); /* the disk */
	put(&f, "sys/devices/a/b/c/vendor.ufshci/spm_lvl", "5\n");
	put(&f, "sys/devices/a/b/c/vendor.ufshci/power_info/gear", "PWM_GEAR1\n");
	put(&f, "sys/devices/a/b/c/vendor.ufshci/host7/target7:0:0/7:0:0:0/block/sdq/dev", "");
	put_link(&f, "sys/devices/a/b/c/vendor.ufshci/host7/target7:0:0/7:0:0:0/block/sdq/device",
		 "../..");
	put_link(&f, "sys/block/sdq",
		 "../devices/a/b/c/vendor.ufshci/host7/target7:0:0/7:0:0:0/block/sdq");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, LINK), 0);
	check_text(&f, "vendor.ufshci", "gear_word", "PWM_GEAR1");
	assert_int_equal(fixture_sample(&f, LU), 0);
	assert_non_null(row_of(&f, "sdq"));
	fixture_end(&f);

	fixture_start(&f); /* the nodes, on both levels */
	put(&f, "sys/devices/platform/13200000.ufs/monitor/monitor_enable", "0\n");
	put(&f, "sys/devices/platform/soc/112b0000.ufshci/rpm_lvl", "1\n");
	put(&f, "sys/devices/platform/soc/serial/uevent", "\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, HOST), 0);
	check_absent(&f, "13200000.ufs", "rpm_lvl");
	check_value(&f, "112b0000.ufshci", "rpm_lvl", 1);
	fixture_end(&f);

	fixture_start(&f); /* the nodes, of whatever lies on a bus */
	put(&f, "sys/devices/platform/a/b/c/d/vendor-ufs/rpm_lvl", "1\n");
	put_link(&f, "sys/bus/platform/devices/vendor-ufs",
		 "../../../devices/platform/a/b/c/d/vendor-ufs");
	put(&f, PCI "/monitor/monitor_enable", "0\n");
	put_link(&f, "sys/bus/pci/devices/0000:00:05.0", "../../../../" PCI);
	put(&f, "sys/devices/platform/serial/uevent", "\n");
	put_link(&f, "sys/bus/platform/devices/serial", "../../../devices/platform/serial");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, HOST), 0);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "vendor-ufs", "rpm_lvl", 1);
	assert_string_equal(row_of(&f, "0000:00:05.0")->identity, "path:pci0000:00/0000:00:05.0");
	fixture_end(&f);

	fixture_start(&f); /* the driver's name, of a kernel without any node */
	put(&f, SOC "/host3/scsi_host/host3/proc_name", "ufshcd\n");
	put_link(&f, "sys/class/scsi_host/host3", "../../../" SOC "/host3/scsi_host/host3");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	check_outcome(&f, "1d84000.ufs", OUTCOME_OK);
	fixture_end(&f);

	fixture_start(&f); /* two with the same name */
	put(&f, "sys/devices/platform/a/ufs/rpm_lvl", "1\n");
	put(&f, "sys/devices/platform/b/ufs/rpm_lvl", "2\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, HOST), 0);
	check_value(&f, "a/ufs", "rpm_lvl", 1);
	check_value(&f, "b/ufs", "rpm_lvl", 2);
	fixture_end(&f);
}

static void words_are_states(void **unused)
{
	static const struct {
		const char *file, *field, *text;
		int64_t state; /* as check_answer() */
	} cases[] = {
		{"gear", "gear", "UNKNOWN\n", 0},
		{"gear", "gear", "HS_GEAR1\n", 1},
		{"gear", "gear", "HS_GEAR4\n", 4},
		{"gear", "gear", "HS_GEAR5\n", 5},
		{"gear", "gear", "PWM_GEAR1\n", 11},
		{"gear", "gear", "PWM_GEAR7\n", 17},
		{"gear", "gear", "HS_GEAR12\n", 10},
		{"gear", "gear", "4\n", 10},
		{"gear", "gear", "\n", -ENODATA},
		{"gear", "gear", "", -ENODATA},
		{"mode", "mode", "FAST_MODE\n", 2},
		{"mode", "mode", "SLOWAUTO_MODE\n", 5},
		{"mode", "mode", "UNKNOWN\n", 0},
		{"rate", "rate", "HS_RATE_B\n", 3},
		{"rate", "rate", "HS_RATE_C\n", 1},
		{"link_state", "link_state", "HIBERN8\n", 4},
		{"link_state", "link_state", "BROKEN\n", 5},
		{"dev_pm", "dev_pm", "DEEPSLEEP\n", 5},
		{"lane", "lanes", "2\n", 2},
		{"lane", "lanes", "two\n", -EINVAL},
		{"lane", "lanes", "99999999999999999999\n", -ERANGE},
	};
	char path[256];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		fixture_start(&f);
		put_host(&f, SOC, 0, "sda");
		snprintf(path, sizeof(path), "power_info/%s", cases[i].file);
		put_at(&f, SOC, path, cases[i].text);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, LINK), 0);
		check_answer(&f, "1d84000.ufs", cases[i].field, cases[i].state);
		if (!strcmp(cases[i].text, "HS_GEAR12\n"))
			check_text(&f, "1d84000.ufs", "gear_word", "HS_GEAR12");
		fixture_end(&f);
	}
}

static void counters_of_units(void **unused)
{
	static const struct {
		const char *text;
		int64_t value; /* as check_answer() */
	} cases[] = {
		{"0x0\n", 0},        {"0x3\n", 3},
		{"0x39b\n", 0x39b},  {"0xffffffff\n", 4294967295},
		{"17\n", 17},        {"0x\n", -EINVAL},
		{"\n", -ENODATA},    {"0x1 0x2\n", -EINVAL},
		{"none\n", -EINVAL},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, SOC "/host0/target0:0:0/0:0:0:0/iotmo_cnt", cases[i].text);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, LU), 0);
		check_answer(&f, "sda", "iotmo_cnt", cases[i].value);
		check_absent(&f, "sda", "iodone_cnt");
		check_value(&f, "sda", "ioerr_cnt", 3);
	}
	/* Blanks are what the device has been given, not a fault. */
	put(&f, SOC "/host0/target0:0:0/0:0:0:0/rev", "    \n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:0/model", "MT128GBCAV2U31AI\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:0/state", "transport-offline\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:49476/ioerr_cnt", "0x1\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:49456/ioerr_cnt", "0x2\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:9/ioerr_cnt", "0x9\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:9/queue_depth", "-1\n");
	put(&f, SOC "/host0/target0:0:0/power/runtime_status", "active\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:x/ioerr_cnt", "0x7\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_int_equal(fixture_sample(&f, LU), 0);
	assert_int_equal(f.sink.n_rows, 5);
	check_absent(&f, "sda", "rev");
	check_text(&f, "sda", "model", "MT128GBCAV2U31AI");
	check_value(&f, "sda", "state", 7);
	check_value(&f, "1d84000.ufs:rpmb", "ioerr_cnt", 1);
	check_value(&f, "1d84000.ufs:boot", "ioerr_cnt", 2);
	check_value(&f, "1d84000.ufs:lun9", "ioerr_cnt", 9);
	check_flag(&f, "1d84000.ufs:lun9", "queue_depth", FLAG_IMPLAUSIBLE);
	fixture_end(&f);
}

/* Each unit of a device says the same, and it does not change while the unit is there. */
static void what_a_unit_is_is_read_once(void **unused)
{
	static const char *const names[] = {"vendor", "model", "rev"};
	int fd = inotify_init1(IN_NONBLOCK);
	struct fixture f;
	char path[512], events[4096];

	(void)unused;
	assert_true(fd >= 0);
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		put_at(&f, SOC "/host0/target0:0:0/0:0:0:0", names[i], "A B  \n");
		put_at(&f, SOC "/host0/target0:0:0/0:0:0:49488", names[i], "W\n");
	}
	put(&f, "ERRORS", SOC "/host0/target0:0:0/0:0:0:49488/model\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/" SOC "/host0/target0:0:0/0:0:0:0/%s", f.root,
			 names[i]);
		assert_true(inotify_add_watch(fd, path, IN_OPEN | IN_ACCESS) >= 0);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fixture_sample(&f, LU), 0);
		for (size_t k = 0; k < ARRAY_SIZE(names); k++)
			check_text(&f, "sda", names[k], "A B");
		check_text(&f, "1d84000.ufs:device", "rev", "W");
		check_fault(&f, "1d84000.ufs:device", "model", EACCES);
	}
	assert_int_equal(read(fd, events, sizeof(events)), -1);
	/* Other firmware comes with a new probe. */
	put_at(&f, SOC "/host0/target0:0:0/0:0:0:0", "rev", "C\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	assert_true(read(fd, events, sizeof(events)) > 0);
	assert_int_equal(fixture_sample(&f, LU), 0);
	check_text(&f, "sda", "rev", "C");
	close(fd);
	fixture_end(&f);
}

static void levels_of_old_and_new_kernels(void **unused)
{
	static const char old[] =
		"\nCurrent Runtime PM level [5] => dev_state [UFS_POWERDOWN_PWR_MODE] link_state "
		"[OFF]\n"
		"\nAll available Runtime PM levels info:\n"
		"\tRuntime PM level [0] => dev_state [UFS_ACTIVE_PWR_MODE] link_state [ACTIVE]\n";
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {
		{"0\n", 0},        {"6\n", 6},        {old, 5},         {"[\n", -EINVAL},
		{"[5\n", -EINVAL}, {"[]\n", -EINVAL}, {"\n", -ENODATA}, {"high\n", -EINVAL},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, SOC "/spm_lvl", cases[i].text);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, HOST), 0);
		check_answer(&f, "1d84000.ufs", "spm_lvl", cases[i].value);
		check_value(&f, "1d84000.ufs", "rpm_lvl", 3);
	}
	fixture_end(&f);
}

static void a_sleeping_controller_is_not_woken(void **unused)
{
	static const struct {
		const char *controller, *unit, *link;
		bool read;
	} cases[] = {
		{"active\n", "active\n", "ACTIVE\n", true},
		{"unsupported\n", "active\n", "ACTIVE\n", true},
		{"suspended\n", "suspended\n", "HIBERN8\n", false},
		{"suspended\n", "active\n", "ACTIVE\n", false},
		{"active\n", "suspended\n", "ACTIVE\n", false},
		{"active\n", "suspending\n", "ACTIVE\n", false},
		{"active\n", "resuming\n", "ACTIVE\n", false},
		{"active\n", "active\n", "HIBERN8\n", false},
		{"active\n", "active\n", "BROKEN\n", false},
		{"active\n", "active\n", "\n", false},
		{"error\n", "active\n", "ACTIVE\n", false},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	put(&f, SOC "/auto_hibern8", "150000\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, SOC "/power/runtime_status", cases[i].controller);
		put(&f, SOC "/host0/target0:0:0/0:0:0:49488/power/runtime_status", cases[i].unit);
		put(&f, SOC "/power_info/link_state", cases[i].link);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, HOST), 0);
		if (cases[i].read)
			check_value(&f, "1d84000.ufs", "auto_hibern8", 150000);
		else
			check_absent(&f, "1d84000.ufs", "auto_hibern8");
		check_value(&f, "1d84000.ufs", "rpm_lvl", 3);
	}
	fixture_end(&f);
}

/* Before 6.8 there is no state of the link, and before its scan has ended no unit of the device:
 * then nothing says that a read wakes nobody. */
static void what_may_sleep_is_not_woken(void **unused)
{
	static const char *const witnesses[] = {
		SOC "/power_info",
		SOC "/host0/target0:0:0/0:0:0:49488",
		SOC "/power/runtime_status",
	};
	struct fixture f;
	char path[512], events[4096];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(witnesses); i++) {
		int fd = inotify_init1(IN_NONBLOCK);

		assert_true(fd >= 0);
		fixture_start(&f);
		put_host(&f, SOC, 0, "sda");
		put(&f, SOC "/auto_hibern8", "150000\n");
		put(&f, SOC "/power/runtime_status", "active\n");
		put(&f, SOC "/power_info/link_state", "ACTIVE\n");
		snprintf(path, sizeof(path), "%s/" SOC "/auto_hibern8", f.root);
		assert_true(inotify_add_watch(fd, path, IN_ACCESS) >= 0);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, HOST), 0);
		check_value(&f, "1d84000.ufs", "auto_hibern8", 150000);
		assert_true(read(fd, events, sizeof(events)) > 0);
		take_away(&f, witnesses[i]);
		assert_int_equal(fixture_probe(&f, "ufs", false), 0);
		assert_int_equal(fixture_sample(&f, HOST), 0);
		check_absent(&f, "1d84000.ufs", "auto_hibern8");
		assert_int_equal(read(fd, events, sizeof(events)), -1);
		close(fd);
		fixture_end(&f);
	}
}

static void what_is_missing_and_what_is_refused_is_told(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	put(&f, "proc/sys/kernel/osrelease", "6.8.0\n");
	put(&f, SOC "/wb_on", "");
	put(&f, SOC "/clkgate_enable", "1\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:0/iotmo_cnt", "");
	put(&f, "ERRORS",
	    SOC "/wb_on\topen\tEACCES\n" SOC "/rpm_lvl\topen\tEACCES\n" SOC
		"/host0/target0:0:0/0:0:0:0/iotmo_cnt\topen\tEPERM\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	check_outcome(&f, "1d84000.ufs", OUTCOME_OK);
	check_outcome(&f, "1d84000.ufs nodes", OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs nodes")->reason, "6.8.0: "));
	assert_non_null(strstr(item_of(&f, "1d84000.ufs nodes")->reason,
			       "device_lvl_exceptions (since 6.16), clkgate_delay, "
			       "clkscale_enable, "));
	assert_null(strstr(item_of(&f, "1d84000.ufs nodes")->reason, "gear"));
	assert_null(strstr(item_of(&f, "1d84000.ufs nodes")->reason, "wb_on"));
	check_outcome(&f, "1d84000.ufs files", OUTCOME_DENIED);
	assert_string_equal(item_of(&f, "1d84000.ufs files")->reason, "may not be read: wb_on");
	assert_non_null(strstr(item_of(&f, "1d84000.ufs files")->advice, "chmod a+r"));
	check_outcome(&f, "1d84000.ufs rpm_lvl", OUTCOME_DENIED);
	assert_null(item_of(&f, "1d84000.ufs spm_lvl"));
	check_outcome(&f, "sda files", OUTCOME_DENIED);
	assert_string_equal(item_of(&f, "sda files")->reason, "may not be read: iotmo_cnt");
	fixture_end(&f);
}

static void refused_is_absent_and_failed_is_a_fault(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	put(&f, SOC "/auto_hibern8", "");
	put(&f, SOC "/power/runtime_status", "active\n");
	put(&f, SOC "/power_info/link_state", "ACTIVE\n");
	put(&f, SOC "/device_lvl_exception_count", "");
	put(&f, SOC "/critical_health", "");
	put(&f, SOC "/spm_lvl", "");
	put(&f, "ERRORS",
	    SOC "/auto_hibern8\tread\tEOPNOTSUPP\n" SOC
		"/device_lvl_exception_count\tread\tEOPNOTSUPP\n" SOC
		"/critical_health\tread\tEIO\n" SOC "/spm_lvl\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fixture_sample(&f, LINK), 0);
		check_absent(&f, "1d84000.ufs", "device_lvl_exceptions");
		check_fault(&f, "1d84000.ufs", "critical_health", EIO);
		check_absent(&f, "1d84000.ufs", "wb_on");
		assert_int_equal(fixture_sample(&f, HOST), 0);
		check_absent(&f, "1d84000.ufs", "auto_hibern8");
		check_fault(&f, "1d84000.ufs", "spm_lvl", EACCES);
	}
	fixture_end(&f);
}

static void what_the_probe_says(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "ufs", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "# CONFIG_SCSI_UFSHCD is not set\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	assert_non_null(strstr(item_of(&f, "")->reason, "CONFIG_SCSI_UFSHCD"));

	put_host(&f, SOC, 0, "sda");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	check_outcome(&f, "1d84000.ufs", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs")->reason, "2 units, 1 with a disk"));
	assert_non_null(strstr(item_of(&f, "1d84000.ufs")->reason, "specification_version"));
	assert_null(item_of(&f, "1d84000.ufs power_info"));
	assert_null(item_of(&f, "1d84000.ufs runtime_status"));

	put(&f, "ERRORS", SOC "/power_info/gear\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	check_outcome(&f, "1d84000.ufs power_info", OUTCOME_DENIED);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs power_info")->advice, "udev"));
	assert_non_null(strstr(item_of(&f, "1d84000.ufs power_info")->advice, "genfs_contexts"));

	take_away(&f, "ERRORS");
	take_away(&f, SOC "/power_info");
	take_away(&f, SOC "/host0/target0:0:0/0:0:0:49488");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	check_outcome(&f, "1d84000.ufs power_info", OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs power_info")->reason, "6.8"));
	check_outcome(&f, "1d84000.ufs runtime_status", OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, "1d84000.ufs runtime_status")->reason, "W-LUN"));
	assert_int_equal(fixture_sample(&f, LINK), 0);
	check_absent(&f, "1d84000.ufs", "gear");
	check_absent(&f, "1d84000.ufs", "runtime_status");
	fixture_end(&f);
}

/* What the device would be asked for is never opened, neither by the probe nor by a sample. */
static void no_query_is_sent(void **unused)
{
	static const char *const queries[] = {
		"device_descriptor/specification_version",
		"health_descriptor/eol_info",
		"geometry_descriptor/raw_device_capacity",
		"power_descriptor/active_icc_levels_vcc0",
		"string_descriptors/serial_number",
		"attributes/wb_avail_buf",
		"flags/wb_enable",
		"hid/state",
		"host0/target0:0:0/0:0:0:0/unit_descriptor/lu_enable",
	};
	int fd = inotify_init1(IN_NONBLOCK);
	struct fixture f;
	char path[1024], events[4096];

	(void)unused;
	assert_true(fd >= 0);
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++)
		put_at(&f, SOC, queries[i], "0x01\n");
	put(&f, SOC "/device_lvl_exception_id", "0\n");
	put(&f, SOC "/host0/target0:0:0/0:0:0:0/dyn_cap_needed_attribute", "0x0\n");
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		snprintf(path, sizeof(path), "%s/" SOC "/%s", f.root, queries[i]);
		assert_true(inotify_add_watch(fd, path, IN_OPEN | IN_ACCESS) >= 0);
	}
	snprintf(path, sizeof(path), "%s/" SOC "/device_lvl_exception_id", f.root);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	snprintf(path, sizeof(path),
		 "%s/" SOC "/host0/target0:0:0/0:0:0:0/dyn_cap_needed_attribute", f.root);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fixture_probe(&f, "ufs", true), 0);
		for (size_t group = LINK; group <= HOST; group++)
			assert_int_equal(fixture_sample(&f, group), 0);
	}
	assert_int_equal(read(fd, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);
	/* The watch does work. */
	snprintf(path, sizeof(path), "%s/" SOC "/%s", f.root, queries[0]);
	close(open(path, O_RDONLY));
	assert_true(read(fd, events, sizeof(events)) > 0);
	close(fd);
	fixture_end(&f);
}

/* By each way to a host, and the number of its units. */
static void want_of_descriptors_hides_nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_host(&f, SOC, 0, "sda");
	put_host(&f, PCI, 1, "sdb");
	check_scarce_probes(&f, "ufs");
	for (size_t n_free = 0; n_free < SCARCE_DESCRIPTORS; n_free++) {
		int r = scarce_probe(&f, n_free);

		assert_true(r == -EMFILE || r == 0);
		if (r < 0)
			continue;
		assert_int_equal(fixture_sample(&f, LU), 0);
		assert_int_equal(f.sink.n_rows, 4);
		assert_non_null(row_of(&f, "sda"));
		assert_non_null(row_of(&f, "sdb"));
	}
	take_away(&f, "sys/class");
	put_link(&f, "sys/bus/platform/devices/1d84000.ufs", "/" SOC);
	put_link(&f, "sys/bus/pci/devices/0000:00:05.0", "/" PCI);
	check_scarce_probes(&f, "ufs");
	take_away(&f, "sys/bus");
	take_away(&f, PCI);
	check_scarce_probes(&f, "ufs");
	fixture_end(&f);
}

/* What is missing of a host must not pass for the host. */
static void a_long_name_leaves_room_for_its_parts(void **unused)
{
	char dir[256] = "sys/devices/platform/", *name = dir + strlen(dir);
	size_t n_of_host = 0, n_of_parts = 0;
	struct fixture f;

	(void)unused;
	memset(name, 'u', NODE_NAME_MAX - 1);
	fixture_start(&f);
	put_at(&f, dir, "rpm_lvl", "3\n");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	for (size_t i = 1; i < f.probe.n_items; i++) {
		const char *node = f.probe.items[i].node;

		n_of_host += !strcmp(node, name);
		n_of_parts += strstr(node, "u power_info") || strstr(node, "u nodes") ||
			      strstr(node, "u runtime_status");
	}
	assert_int_equal(n_of_host, 1);
	assert_int_equal(n_of_parts, 3);
	check_outcome(&f, name, OUTCOME_OK);
	fixture_end(&f);
}

/* All below an avoided directory seems to be there, nodes of ufshcd too. */
static void what_is_avoided_is_no_host(void **unused)
{
	static const char ahci[] = "sys/devices/pci0000:00/0000:00:07.0";
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_at(&f, ahci, "host5/target5:0:0/5:0:0:0/block/sdx/dev", "8:0\n");
	put_at(&f, ahci, "host5/scsi_host/host5/proc_name", "ahci\n");
	put_link(&f, "sys/bus/pci/devices/0000:00:07.0", "/sys/devices/pci0000:00/0000:00:07.0");
	put_at(&f, "sys/devices/platform/a", "b/uevent", "\n");
	for (int way = 0; way < 2; way++) {
		assert_int_equal(fixture_probe(&f, "ufs", false), -ENOENT);
		probe_done(&f.probe);
		assert_int_equal(probe_init(&f.probe), 0);
		assert_int_equal(hw_avoid(f.hw, "sys/devices/pci0000:00/0000:00:07.0/"), 0);
		assert_int_equal(hw_avoid(f.hw, "sys/devices/platform/a/"), 0);
		assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), -ENOENT);
		check_outcome(&f, "", OUTCOME_NO_HARDWARE);
		/* And by its SCSI host. */
		if (way == 0)
			put_link(&f, "sys/class/scsi_host/host5",
				 "/sys/devices/pci0000:00/0000:00:07.0/host5/scsi_host/host5");
	}
	/* One node that hangs leaves the others. */
	put_host(&f, SOC, 0, "sda");
	assert_int_equal(fixture_probe(&f, "ufs", false), 0);
	f.collector->close(f.state);
	f.state = NULL;
	assert_int_equal(hw_avoid(f.hw, SOC "/rpm_lvl"), 0);
	assert_int_equal(f.collector->probe(f.hw, &f.probe, &f.state), 0);
	check_outcome(&f, "1d84000.ufs", OUTCOME_OK);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_by_number_with_stable_identity),
		cmocka_unit_test(an_identity_that_does_not_fit_is_none),
		cmocka_unit_test(every_way_to_a_host),
		cmocka_unit_test(words_are_states),
		cmocka_unit_test(counters_of_units),
		cmocka_unit_test(what_a_unit_is_is_read_once),
		cmocka_unit_test(levels_of_old_and_new_kernels),
		cmocka_unit_test(a_sleeping_controller_is_not_woken),
		cmocka_unit_test(what_may_sleep_is_not_woken),
		cmocka_unit_test(refused_is_absent_and_failed_is_a_fault),
		cmocka_unit_test(what_the_probe_says),
		cmocka_unit_test(no_query_is_sent),
		cmocka_unit_test(what_is_missing_and_what_is_refused_is_told),
		cmocka_unit_test(want_of_descriptors_hides_nothing),
		cmocka_unit_test(what_is_avoided_is_no_host),
		cmocka_unit_test(a_long_name_leaves_room_for_its_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
