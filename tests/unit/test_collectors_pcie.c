/* Collector pcie: which functions, links and what limits them, errors, devices that sleep or are
 * gone, and that nothing of the link of a sleeping device is opened. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/descriptors.h"
#include "tests/unit/scarce_probe.h"

#include <sys/inotify.h>

#define HOST  "sys/devices/platform/soc/1.pcie/"
#define PORT  HOST "pci0000:00/0000:00:00.0"
#define DRIVE PORT "/0000:01:00.0"

#define PORT_NODE  "0000:00:00.0"
#define DRIVE_NODE "0000:01:00.0"

static void put_at(const struct fixture *f, const char *dir, const char *file, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	put(f, path, text);
}

static void put_function(const struct fixture *f, const char *dir, const char *class)
{
	char path[512], target[512];

	put_at(f, dir, "class", class);
	put_at(f, dir, "vendor", "0x144d\n");
	put_at(f, dir, "device", "0xa80a\n");
	put_at(f, dir, "power_state", "D0\n");
	put_at(f, dir, "power/runtime_status", "active\n");
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", strrchr(dir, '/') + 1);
	snprintf(target, sizeof(target), "/%s", dir);
	put_link(f, path, target);
}

static void put_link_state(const struct fixture *f, const char *dir, const char *speed,
			   const char *width, const char *max_speed, const char *max_width)
{
	put_at(f, dir, "current_link_speed", speed);
	put_at(f, dir, "current_link_width", width);
	put_at(f, dir, "max_link_speed", max_speed);
	put_at(f, dir, "max_link_width", max_width);
}

/* A drive that can do 16 GT/s x4 in a slot of 8 GT/s x1. */
static void put_machine(const struct fixture *f)
{
	put_function(f, PORT, "0x060400\n");
	put_link_state(f, PORT, "8.0 GT/s PCIe\n", "1\n", "8.0 GT/s PCIe\n", "1\n");
	put_function(f, DRIVE, "0x010802\n");
	put_link_state(f, DRIVE, "8.0 GT/s PCIe\n", "1\n", "16.0 GT/s PCIe\n", "4\n");
	put_function(f, "sys/devices/pci0001:00/0001:00:05.0", "0x030000\n");
}

static void put_generation(const struct fixture *f, const char *path, const char cell[4],
			   size_t size)
{
	char full[512];
	FILE *file;

	put(f, path, "");
	snprintf(full, sizeof(full), "%s/%s", f->root, path);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(cell, 1, size, file), size);
	fclose(file);
}

static void start(struct fixture *f)
{
	fixture_start(f);
	put_machine(f);
}

static void sample_links(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "pcie", false), 0);
	assert_int_equal(fixture_sample(f, 1), 0);
}

static void a_narrow_slot_is_no_degradation(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	sample_links(&f);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, DRIVE_NODE, "current_link_speed", 8000);
	check_value(&f, DRIVE_NODE, "max_link_speed", 16000);
	check_value(&f, DRIVE_NODE, "port_max_link_speed", 8000);
	check_value(&f, DRIVE_NODE, "attainable_link_speed", 8000);
	check_value(&f, DRIVE_NODE, "max_link_width", 4);
	check_value(&f, DRIVE_NODE, "port_max_link_width", 1);
	check_value(&f, DRIVE_NODE, "attainable_link_width", 1);
	check_absent(&f, DRIVE_NODE, "dt_max_link_speed");
	check_absent(&f, PORT_NODE, "attainable_link_speed");
	check_value(&f, PORT_NODE, "current_link_width", 1);
	/* As older kernels print it. */
	put_link_state(&f, DRIVE, "2.5 GT/s\n", "1\n", "16 GT/s\n", "4\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, DRIVE_NODE, "current_link_speed", 2500);
	check_value(&f, DRIVE_NODE, "attainable_link_speed", 8000);
	fixture_end(&f);
}

static void limits_of_the_device_tree(void **unused)
{
	static const struct {
		const char *path, *cell;
		size_t size;
		int64_t mtps; /* 0: no limit */
	} cases[] = {
		{HOST "of_node/max-link-speed", "\0\0\0\2", 4, 5000},
		{HOST "of_node/fsl,max-link-speed", "\0\0\0\2", 4, 5000},
		{PORT "/of_node/max-link-speed", "\0\0\0\1", 4, 2500},
		{HOST "of_node/max-link-speed", "\2\0\0\0", 4, 0}, /* the wrong way round */
		{HOST "of_node/max-link-speed", "\0\0\0\0", 4, 0},
		{HOST "of_node/max-link-speed", "\0\0\2", 3, 0},
		{HOST "of_node/max-link-speed", "\0\0\0\2\0\0\0\3", 8, 0},
		{DRIVE "/of_node/max-link-speed", "\0\0\0\1", 4, 0}, /* it is the port's to say */
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture f;

		start(&f);
		put_generation(&f, cases[i].path, cases[i].cell, cases[i].size);
		sample_links(&f);
		if (cases[i].mtps) {
			check_value(&f, DRIVE_NODE, "dt_max_link_speed", cases[i].mtps);
			check_value(&f, DRIVE_NODE, "attainable_link_speed", cases[i].mtps);
		} else {
			check_absent(&f, DRIVE_NODE, "dt_max_link_speed");
			check_value(&f, DRIVE_NODE, "attainable_link_speed", 8000);
		}
		fixture_end(&f);
	}
}

/* Root port, two functions of a switch, drive: the inner step of the switch is no link. */
static void a_switch_in_between(void **unused)
{
	static const char up[] = PORT "/0000:01:00.0", down[] = PORT "/0000:01:00.0/0000:02:04.0";
	static const char drive[] = PORT "/0000:01:00.0/0000:02:04.0/0000:05:00.0";
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_function(&f, PORT, "0x060400\n");
	put_link_state(&f, PORT, "16.0 GT/s PCIe\n", "16\n", "16.0 GT/s PCIe\n", "16\n");
	put_function(&f, up, "0x060400\n");
	put_link_state(&f, up, "8.0 GT/s PCIe\n", "16\n", "8.0 GT/s PCIe\n", "16\n");
	put_function(&f, down, "0x060400\n");
	put_link_state(&f, down, "5.0 GT/s PCIe\n", "2\n", "8.0 GT/s PCIe\n", "2\n");
	put_function(&f, drive, "0x010802\n");
	put_link_state(&f, drive, "5.0 GT/s PCIe\n", "2\n", "16.0 GT/s PCIe\n", "4\n");
	/* Holds for the first link only. */
	put_generation(&f, HOST "of_node/max-link-speed", "\0\0\0\2", 4);
	sample_links(&f);
	assert_int_equal(f.sink.n_rows, 4);
	check_value(&f, "0000:05:00.0", "attainable_link_speed", 8000);
	check_value(&f, "0000:05:00.0", "attainable_link_width", 2);
	check_absent(&f, "0000:05:00.0", "dt_max_link_speed");
	check_absent(&f, "0000:02:04.0", "attainable_link_speed");
	check_value(&f, "0000:01:00.0", "attainable_link_speed", 5000);
	check_value(&f, "0000:01:00.0", "dt_max_link_speed", 5000);
	check_absent(&f, "0000:00:00.0", "attainable_link_speed");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "0000:05:00.0", "port", "0000:02:04.0");
	check_absent(&f, "0000:00:00.0", "port");
	/* The numbers of buses are no part of it. */
	assert_string_equal(row_of(&f, "0000:05:00.0")->identity,
			    "path:platform/soc/1.pcie/pci0000:00/00.0/00.0/04.0/00.0@144d:a80a");
	fixture_end(&f);
}

static void what_is_gone_is_no_number(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	/* Configuration space of all ones. */
	put_link_state(&f, DRIVE, "Unknown\n", "63\n", "Unknown\n", "63\n");
	sample_links(&f);
	check_fault(&f, DRIVE_NODE, "current_link_speed", ENODEV);
	check_fault(&f, DRIVE_NODE, "current_link_width", ENODEV);
	check_fault(&f, DRIVE_NODE, "max_link_speed", ENODEV);
	check_fault(&f, DRIVE_NODE, "max_link_width", ENODEV);
	check_absent(&f, DRIVE_NODE, "attainable_link_width");
	/* The register is not there, or all zeros: no link, and nothing wrong. */
	put_link_state(&f, DRIVE, "Unknown\n", "0\n", "Unknown\n", "255\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_absent(&f, DRIVE_NODE, "current_link_speed");
	check_absent(&f, DRIVE_NODE, "current_link_width");
	check_absent(&f, DRIVE_NODE, "max_link_speed");
	check_absent(&f, DRIVE_NODE, "max_link_width");
	/* A speed that this kernel has no name for. */
	put_link_state(&f, DRIVE, "Unknown\n", "4\n", "garbage\n", "-4\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_absent(&f, DRIVE_NODE, "current_link_speed");
	check_value(&f, DRIVE_NODE, "current_link_width", 4);
	check_fault(&f, DRIVE_NODE, "max_link_speed", EINVAL);
	check_fault(&f, DRIVE_NODE, "max_link_width", EINVAL);
	fixture_end(&f);
}

/* A width that is refused is no link of zero lanes. */
static void a_width_that_fails(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_link_state(&f, DRIVE, "Unknown\n", "4\n", "Unknown\n", "garbage\n");
	put(&f, "ERRORS", DRIVE "/current_link_width\tread\tEIO\n");
	sample_links(&f);
	check_absent(&f, DRIVE_NODE, "current_link_speed");
	check_fault(&f, DRIVE_NODE, "current_link_width", EIO);
	check_absent(&f, DRIVE_NODE, "max_link_speed");
	check_fault(&f, DRIVE_NODE, "max_link_width", EINVAL);
	fixture_end(&f);
}

/* What one end can do is no more than an upper bound: no share is made of it. */
static void an_end_that_is_not_known(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_generation(&f, HOST "of_node/max-link-speed", "\0\0\0\2", 4);
	put_at(&f, PORT, "power_state", "D3hot\n");
	sample_links(&f);
	check_value(&f, DRIVE_NODE, "max_link_speed", 16000);
	check_value(&f, DRIVE_NODE, "max_link_width", 4);
	check_value(&f, DRIVE_NODE, "dt_max_link_speed", 5000);
	check_absent(&f, DRIVE_NODE, "port_max_link_speed");
	check_absent(&f, DRIVE_NODE, "attainable_link_speed");
	check_absent(&f, DRIVE_NODE, "attainable_link_width");
	put_at(&f, PORT, "power_state", "D0\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, DRIVE_NODE, "attainable_link_speed", 5000);
	check_value(&f, DRIVE_NODE, "attainable_link_width", 1);
	/* Each alone. */
	put_at(&f, PORT, "max_link_width", "garbage\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, DRIVE_NODE, "attainable_link_speed", 5000);
	check_absent(&f, DRIVE_NODE, "attainable_link_width");
	put_at(&f, DRIVE, "max_link_speed", "Unknown\n");
	put_at(&f, PORT, "max_link_width", "1\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_absent(&f, DRIVE_NODE, "attainable_link_speed");
	check_value(&f, DRIVE_NODE, "attainable_link_width", 1);
	fixture_end(&f);
}

/* How many of the link's files of a function have been opened since the last call. */
static unsigned n_opened(int fd)
{
	char buf[16384] __attribute__((aligned(8)));
	ssize_t len = read(fd, buf, sizeof(buf));
	unsigned n = 0;

	for (ssize_t at = 0; at < len;) {
		struct inotify_event event;

		memcpy(&event, buf + at, sizeof(event));
		if (event.len && strstr(buf + at + sizeof(event), "_link_"))
			n++;
		at += (ssize_t)(sizeof(event) + event.len);
	}
	return n;
}

static int watch_opens(const struct fixture *f)
{
	static const char *const dirs[] = {PORT, DRIVE};
	int fd = inotify_init1(IN_NONBLOCK);
	char path[512];

	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", f->root, dirs[i]);
		assert_true(inotify_add_watch(fd, path, IN_OPEN | IN_ACCESS) >= 0);
	}
	return fd;
}

static void check_suspended(const struct fixture *f, const char *node)
{
	const struct row *row = row_of(f, node);

	assert_non_null(row);
	assert_true(row->suspended);
	assert_false(row_has_value(row, f->group->n_fields));
	assert_int_equal(row_first_fault(row, f->group->n_fields), 0);
}

/* The kernel would resume it to read its configuration space. */
static void nothing_of_a_sleeping_device_is_opened(void **unused)
{
	static const struct {
		const char *power_state, *runtime_status;
		bool sleeps; /* else the kernel does not know, which is no sleep and no reason to
				read */
	} cases[] = {
		{"D3cold\n", "suspended\n", true}, {"D3hot\n", "suspended\n", true},
		{"D3hot\n", "active\n", true},     {"D1\n", "unsupported\n", true},
		{"D0\n", "suspended\n", true},     {"D0\n", "suspending\n", true},
		{"D0\n", "resuming\n", true},      {"unknown\n", "active\n", false},
		{"error\n", "active\n", false},    {"D9\n", "active\n", false},
		{"D0\n", "error\n", false},        {"D0\n", "garbage\n", false},
		{"\n", "active\n", false},         {"D0\n", "\n", false},
	};
	struct fixture f;
	int fd;

	(void)unused;
	start(&f);
	fd = watch_opens(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_at(&f, DRIVE, "power_state", cases[i].power_state);
		put_at(&f, DRIVE, "power/runtime_status", cases[i].runtime_status);
		put_at(&f, PORT, "power_state", cases[i].power_state);
		put_at(&f, PORT, "power/runtime_status", cases[i].runtime_status);
		sample_links(&f);
		assert_int_equal(fixture_sample(&f, 0), 0);
		assert_int_equal(fixture_sample(&f, 1), 0);
		if (cases[i].sleeps)
			check_suspended(&f, DRIVE_NODE);
		else
			assert_false(row_of(&f, DRIVE_NODE)->suspended);
		check_absent(&f, DRIVE_NODE, "current_link_width");
		assert_int_equal(n_opened(fd), 0);
	}
	/* It wakes. */
	put_at(&f, DRIVE, "power_state", "D0\n");
	put_at(&f, DRIVE, "power/runtime_status", "active\n");
	put_at(&f, PORT, "power_state", "D0\n");
	put_at(&f, PORT, "power/runtime_status", "unsupported\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_false(row_of(&f, DRIVE_NODE)->suspended);
	check_value(&f, DRIVE_NODE, "current_link_width", 1);
	assert_true(n_opened(fd) > 0);
	/* And falls asleep again, with the files open: none is read. */
	put_at(&f, DRIVE, "power_state", "D3hot\n");
	put_at(&f, PORT, "power_state", "D3hot\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_suspended(&f, DRIVE_NODE);
	check_suspended(&f, PORT_NODE);
	assert_int_equal(n_opened(fd), 0);
	close(fd);
	fixture_end(&f);
}

static void kernels_without_power_files(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, DRIVE "/power_state");
	take_away(&f, PORT "/power_state");
	sample_links(&f);
	check_value(&f, DRIVE_NODE, "current_link_width", 1);
	put_at(&f, DRIVE, "power/runtime_status", "suspended\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_suspended(&f, DRIVE_NODE);
	take_away(&f, DRIVE "/power");
	sample_links(&f);
	check_value(&f, DRIVE_NODE, "current_link_width", 1);
	put(&f, "ERRORS", DRIVE "/power/runtime_status\topen\tEACCES\n");
	put_at(&f, DRIVE, "power/runtime_status", "active\n");
	sample_links(&f);
	check_fault(&f, DRIVE_NODE, "current_link_speed", EACCES);
	check_absent(&f, DRIVE_NODE, "current_link_width");
	fixture_end(&f);
}

static void errors_and_aspm(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, DRIVE "/aer_dev_correctable", "RxErr 3\nBadTLP 1\nTOTAL_ERR_COR 4\n");
	put(&f, DRIVE "/aer_dev_nonfatal", "CmpltTO 0\nTOTAL_ERR_NONFATAL 0\n");
	put(&f, DRIVE "/aer_dev_fatal", "DLP 1\n");
	put(&f, PORT "/aer_rootport_total_err_cor", "4\n");
	put(&f, DRIVE "/link/l1_aspm", "1\n");
	put(&f, DRIVE "/link/l0s_aspm", "0\n");
	put(&f, "sys/module/pcie_aspm/parameters/policy",
	    "default performance [powersave] powersupersave \n");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, DRIVE_NODE, "aer_correctable", 4);
	check_value(&f, DRIVE_NODE, "aer_nonfatal", 0);
	check_fault(&f, DRIVE_NODE, "aer_fatal", EBADMSG);
	check_text(&f, DRIVE_NODE, "aer_kinds", "RxErr, BadTLP, DLP");
	check_value(&f, DRIVE_NODE, "l1_aspm", 1);
	check_value(&f, DRIVE_NODE, "l0s_aspm", 0);
	check_absent(&f, DRIVE_NODE, "l1_2_aspm");
	check_absent(&f, DRIVE_NODE, "rootport_correctable");
	check_value(&f, PORT_NODE, "rootport_correctable", 4);
	check_absent(&f, PORT_NODE, "aer_correctable");
	check_absent(&f, PORT_NODE, "aer_kinds");
	check_value(&f, DRIVE_NODE, "power_state", 0);
	check_text(&f, DRIVE_NODE, "function", "NVMe controller");
	check_text(&f, DRIVE_NODE, "ids", "144d:a80a");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_text(&f, DRIVE_NODE, "aspm_policy", "powersave");
	put(&f, "sys/module/pcie_aspm/parameters/policy", "default\n");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_absent(&f, DRIVE_NODE, "aspm_policy");
	fixture_end(&f);
}

/* Without the folder of the bus, as in a tree that was copied, disks lead to their functions. */
static void disks_lead_to_functions(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	take_away(&f, "sys/bus");
	put(&f, "sys/devices/pci0000:05/0000:05:14.0/usb1/1-1/host0/block/sda/dev", "8:0\n");
	put(&f, "sys/devices/virtual/block/loop0/dev", "7:0\n");
	put(&f, DRIVE "/nvme/nvme0/nvme0n1/dev", "259:0\n");
	put_link(&f, "sys/class/block/sda",
		 "/sys/devices/pci0000:05/0000:05:14.0/usb1/1-1/host0/block/sda");
	put_link(&f, "sys/class/block/loop0", "/sys/devices/virtual/block/loop0");
	put_link(&f, "sys/class/block/nvme0n1", "/" DRIVE "/nvme/nvme0/nvme0n1");
	put_link(&f, "sys/class/block/dangling", "/sys/devices/nowhere/0000:09:00.0");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	assert_string_equal(f.sink.rows[0]->node, PORT_NODE);
	assert_string_equal(f.sink.rows[1]->node, DRIVE_NODE);
	fixture_end(&f);
}

static void outcomes(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "pcie", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "proc/sys/kernel/osrelease", "6.12.0\n");
	put(&f, "boot/config-6.12.0", "CONFIG_X=y\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	assert_non_null(strstr(item_of(&f, "")->reason, "CONFIG_PCI"));
	put_function(&f, "sys/devices/pci0002:00/0002:00:05.0", "0x030000\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_non_null(strstr(item_of(&f, "")->reason, "none of 1 PCI functions"));
	put_machine(&f);
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	check_outcome(&f, DRIVE_NODE, OUTCOME_OK);
	check_outcome(&f, DRIVE_NODE " aer", OUTCOME_NO_OPTION);
	assert_non_null(strstr(item_of(&f, DRIVE_NODE " aer")->reason, "CONFIG_PCIEAER"));
	check_outcome(&f, DRIVE_NODE " aspm", OUTCOME_NO_OPTION);
	assert_non_null(strstr(item_of(&f, DRIVE_NODE " aspm")->reason, "CONFIG_PCIEASPM"));
	assert_null(item_of(&f, PORT_NODE " aspm"));
	put(&f, "boot/config-6.12.0", "CONFIG_PCIEAER=y\nCONFIG_PCIEASPM=y\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	check_outcome(&f, DRIVE_NODE " aer", OUTCOME_UNSUPPORTED);
	check_outcome(&f, DRIVE_NODE " aspm", OUTCOME_NO_NODE);
	put(&f, "proc/sys/kernel/osrelease", "4.14.0\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	check_outcome(&f, DRIVE_NODE " aer", OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, DRIVE_NODE " aer")->advice, "from 4.19 on"));
	fixture_end(&f);
}

static void put_aer(const struct fixture *f, const char *dir)
{
	static const char *const files[] = {"aer_dev_correctable", "aer_dev_nonfatal",
					    "aer_dev_fatal"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put_at(f, dir, files[i], "TOTAL_ERR 0\n");
}

static void no_config_where_nothing_is_missing(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_aer(&f, PORT);
	put_aer(&f, DRIVE);
	put(&f, "sys/module/pcie_aspm/parameters/policy", "[default] performance\n");
	put(&f, "proc/sys/kernel/osrelease", "6.12.0\n");
	put(&f, "boot/config-6.12.0", "CONFIG_X=y\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	assert_int_equal(f.n_config_looks, 0);
	assert_int_equal(f.probe.n_items, 3);
	take_away(&f, DRIVE "/aer_dev_correctable");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	check_outcome(&f, DRIVE_NODE " aer", OUTCOME_NO_OPTION);
	assert_null(item_of(&f, DRIVE_NODE " aspm"));
	fixture_end(&f);
}

static void a_drive_that_goes(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS", DRIVE "/power_state\tread\tENODEV\n");
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_int_equal(fixture_sample(&f, 1), -ENODEV);
	check_fault(&f, DRIVE_NODE, "current_link_speed", ENODEV);
	check_value(&f, PORT_NODE, "current_link_speed", 8000);
	fixture_end(&f);
}

/* The files of a link are opened by its first sample. */
static void want_of_descriptors_passes(void **unused)
{
	struct rlimit limit;
	struct fixture f;
	int fds[64];
	size_t n;

	(void)unused;
	fixture_start(&f);
	put_machine(&f);
	assert_int_equal(fixture_probe(&f, "pcie", false), 0);
	n = take_descriptors(fds, &limit);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_fault(&f, DRIVE_NODE, "current_link_speed", EMFILE);
	check_fault(&f, DRIVE_NODE, "port_max_link_width", EMFILE);
	give_back(fds, n, &limit);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, DRIVE_NODE, "current_link_speed", 8000);
	check_value(&f, DRIVE_NODE, "port_max_link_width", 1);
	fixture_end(&f);
}

static void want_of_descriptors_hides_nothing(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_machine(&f);
	check_scarce_probes(&f, "pcie");
	/* Found by its disk alone. */
	take_away(&f, "sys/bus");
	put(&f, DRIVE "/nvme/nvme0/nvme0n1/dev", "259:0\n");
	put_link(&f, "sys/class/block/nvme0n1", "/" DRIVE "/nvme/nvme0/nvme0n1");
	check_scarce_probes(&f, "pcie");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_narrow_slot_is_no_degradation),
		cmocka_unit_test(limits_of_the_device_tree),
		cmocka_unit_test(a_switch_in_between),
		cmocka_unit_test(what_is_gone_is_no_number),
		cmocka_unit_test(a_width_that_fails),
		cmocka_unit_test(an_end_that_is_not_known),
		cmocka_unit_test(nothing_of_a_sleeping_device_is_opened),
		cmocka_unit_test(kernels_without_power_files),
		cmocka_unit_test(errors_and_aspm),
		cmocka_unit_test(disks_lead_to_functions),
		cmocka_unit_test(outcomes),
		cmocka_unit_test(a_drive_that_goes),
		cmocka_unit_test(no_config_where_nothing_is_missing),
		cmocka_unit_test(want_of_descriptors_passes),
		cmocka_unit_test(want_of_descriptors_hides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
