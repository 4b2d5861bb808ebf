/* Identities of block devices. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#include "base/cleanup.h"
#include "model/block.h"

static const char *identity(struct hw *hw, const char *name)
{
	static char buf[192];

	buf[0] = '\0';
	assert_int_equal(block_identity(hw, name, false, buf, sizeof(buf)), 0);
	return buf;
}

/* A virtio disk is asked for its serial by a command, which it may never answer. */
static void a_device_is_asked_for_its_serial_once(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/vda/diskseq", "7\n");
	put(&f, "sys/class/block/vda/serial", "A1\n");
	put(&f, "sys/class/block/vdb/serial", "B1\n");

	CLEANUP(hw_closep) struct hw *hw = NULL;

	assert_int_equal(hw_open(f.root, &hw), 0);
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	assert_string_equal(identity(hw, "vdb"), "serial:B1");
	put(&f, "sys/class/block/vda/serial", "A2\n");
	put(&f, "sys/class/block/vdb/serial", "B2\n");
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	/* Without a sequence number nothing tells the next device from this one. */
	assert_string_equal(identity(hw, "vdb"), "serial:B2");
	put(&f, "sys/class/block/vda/diskseq", "8\n");
	assert_string_equal(identity(hw, "vda"), "serial:A2");
	fixture_end(&f);
}

static void count_serials(void *arg, const char *path, bool contents)
{
	size_t *n = arg;
	size_t len = strlen(path), tail = strlen("/serial");

	*n += contents && len > tail && !strcmp(path + len - tail, "/serial") &&
	      !strstr(path, "/device/");
}

/* No other driver has that attribute of the disk. */
static void only_virtio_disks_are_asked_for_a_serial(void **unused)
{
	static const char *const names[] = {"loop0", "zram0", "dm-0",    "md0",  "nbd0",
					    "sda",   "vd",    "mmcblk0", "vd0a", "nvme0n1"};
	struct fixture f;
	char path[128];
	size_t n_asked = 0;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/vda/diskseq", "1\n");
	put(&f, "sys/class/block/vda/serial", "A1\n");

	CLEANUP(hw_closep) struct hw *hw = NULL;

	assert_int_equal(hw_open(f.root, &hw), 0);
	hw_trace(hw, count_serials, &n_asked);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "sys/class/block/%s/diskseq", names[i]);
		put(&f, path, "2\n");
		identity(hw, names[i]);
	}
	assert_int_equal(n_asked, 0);
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	assert_int_equal(n_asked, 1);
	/* A loop device that is attached again and again takes nothing away from it. */
	put(&f, "sys/class/block/vda/serial", "A2\n");
	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof(path), "%d\n", i + 3);
		put(&f, "sys/class/block/loop0/diskseq", path);
		identity(hw, "loop0");
		put(&f, "sys/class/block/vdz/diskseq", path);
		identity(hw, "vdz");
	}
	assert_string_equal(identity(hw, "vda"), "serial:A1");
	fixture_end(&f);
}

/* Zeros are no CID; then the controller counts, without the numbers that change: of the host, and
 * the address that an SD card draws each time. */
static void a_card_without_a_cid(void **unused)
{
	struct fixture f;
	char buf[192] = "";

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/devices/soc/1.mmc/mmc_host/mmc3/mmc3:b368/cid",
	    "00000000000000000000000000000000\n");
	put(&f, "sys/class/block/mmcblk3/size", "1\n");
	put(&f, "sys/class/block/mmcblk3boot0/size", "1\n");
	put_link(&f, "sys/class/block/mmcblk3/device",
		 "../../../devices/soc/1.mmc/mmc_host/mmc3/mmc3:b368");

	CLEANUP(hw_closep) struct hw *hw = NULL;

	assert_int_equal(hw_open(f.root, &hw), 0);
	assert_string_equal(identity(hw, "mmcblk3"), "path:soc/1.mmc");
	put(&f, "sys/devices/soc/1.mmc/mmc_host/mmc3/mmc3:b368/cid",
	    "00000000000000000000000000000100\n");
	assert_string_equal(identity(hw, "mmcblk3"), "cid:00000000000000000000000000000100");
	assert_int_equal(block_identity(hw, "mmcblk3", true, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "path:soc/1.mmc");
	fixture_end(&f);
}

/* Each look without a descriptor: the error, and never a worse identity. */
static void check_without_descriptors(const struct fixture *f, const char *name, bool by_path)
{
	char expected[192] = "", buf[192];
	size_t n_failed = 0;

	for (size_t at = 0, length = 0;; at += length, length = 1) {
		struct scarcity scarcity = {.at = at, .length = length};
		CLEANUP(hw_closep) struct hw *hw = NULL;
		int r;

		assert_int_equal(hw_open(f->root, &hw), 0);
		if (length)
			hw_trace(hw, take_at_touch, &scarcity);
		snprintf(buf, sizeof(buf), "before");
		r = block_identity(hw, name, by_path, buf, sizeof(buf));
		hw_trace(hw, NULL, NULL);
		if (scarcity.n)
			give_back(scarcity.fds, scarcity.n, &scarcity.limit);
		if (!length)
			memcpy(expected, buf, sizeof(expected));
		if (r != -EMFILE && r != 0)
			fail_msg("%s at touch %zu: %s", name, at, strerror(-r));
		assert_string_equal(buf, r ? "" : expected);
		n_failed += r < 0;
		if (length && scarcity.n_touched <= at)
			break;
	}
	assert_true(expected[0] && n_failed > 0);
}

static void without_descriptors(void **unused)
{
	static const char *const names[] = {"sda",  "sda1", "sdb",      "sdb1",
					    "vda",  "dm-0", "mmcblk0",  "mmcblk0boot0",
					    "sdc1", "vdb",  "nvme0c0n1"};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/sda/wwid", "naa.1\n");
	put(&f, "sys/class/block/sda/device/serial", "S\n");
	put(&f, "sys/devices/pci0/sdb/sdb1/partition", "1\n");
	put(&f, "sys/devices/pci0/sdb/sdb1/uevent", "MAJOR=8\nPARTUUID=1-2\n");
	put(&f, "sys/devices/pci0/sdb/device/serial", "T\n");
	put_link(&f, "sys/class/block/sdb", "../../devices/pci0/sdb");
	put_link(&f, "sys/class/block/sdb1", "../../devices/pci0/sdb/sdb1");
	put(&f, "sys/devices/pci0/sda/sda1/partition", "1\n");
	put_link(&f, "sys/class/block/sda1", "../../devices/pci0/sda/sda1");
	put(&f, "sys/devices/pci0/sdc/sdc1/partition", "1\n");
	put(&f, "sys/devices/pci0/sdc/device/model", "T\n");
	put_link(&f, "sys/class/block/sdc", "../../devices/pci0/sdc");
	put_link(&f, "sys/class/block/sdc1", "../../devices/pci0/sdc/sdc1");
	put(&f, "sys/class/block/vda/diskseq", "7\n");
	put(&f, "sys/class/block/vda/serial", "A1\n");
	put(&f, "sys/class/block/vdb/serial", "B1\n");
	put(&f, "sys/class/block/dm-0/dm/name", "root\n");
	put(&f, "sys/class/block/mmcblk0/device/cid", "1\n");
	put(&f, "sys/class/block/mmcblk0boot0/device/device/cid", "1\n");
	put(&f, "sys/class/block/nvme0c0n1/nsid", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_without_descriptors(&f, names[i], false);
	check_without_descriptors(&f, "sda1", true);
	check_without_descriptors(&f, "sdc1", true);
	check_without_descriptors(&f, "mmcblk0", true);
	fixture_end(&f);
}

static void names_of_namespaces(void **unused)
{
	static const struct {
		const char *name, *disk; /* NULL: no namespace */
	} cases[] = {
		{"nvme0n1", "nvme0n1"},
		{"nvme12n34", "nvme12n34"},
		{"nvme0c1n2", "nvme0n2"},
		{"nvme10c20n30", "nvme10n30"},
		{"nvme0", NULL},
		{"nvme", NULL},
		{"nvmen1", NULL},
		{"nvme0n", NULL},
		{"nvme0cn1", NULL},
		{"nvme0c1", NULL},
		{"nvme0c1n", NULL},
		{"nvme0n1p1", NULL},
		{"nvme0c1n1p1", NULL},
		{"nvme0c1c2n1", NULL},
		{"sda", NULL},
		{"ng0n1", NULL},
		{"", NULL},
		{"nvme0 n1", NULL},
		{"nvme00000000000000000000000000000000000000000000000000000000000000n1", NULL},
	};
	char disk[BLOCK_NAME_MAX];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(block_nvme_name(cases[i].name, disk), cases[i].disk != NULL);
		if (cases[i].disk)
			assert_string_equal(disk, cases[i].disk);
	}
}

/* Sysfs decides; without the file, which old kernels lack, the name does. */
static void paths_of_multipath(void **unused)
{
	struct fixture f;
	char disk[BLOCK_NAME_MAX];

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/nvme0c1n1/hidden", "1\n");
	put(&f, "sys/class/block/nvme1c1n1/dev", "0:0\n");
	put(&f, "sys/class/block/nvme2c1n1/hidden", "0\n");
	put(&f, "sys/class/block/nvme3n1/hidden", "1\n");

	CLEANUP(hw_closep) struct hw *hw = NULL;

	assert_int_equal(hw_open(f.root, &hw), 0);
	assert_true(block_is_path(hw, "nvme0c1n1", disk));
	assert_string_equal(disk, "nvme0n1");
	assert_true(block_is_path(hw, "nvme1c1n1", disk));
	assert_false(block_is_path(hw, "nvme2c1n1", disk));
	assert_false(block_is_path(hw, "nvme3n1", disk));
	assert_true(block_is_path(hw, "nvme9c0n1", disk));
	assert_false(block_is_path(hw, "sda", disk));
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_asked_for_its_serial_once),
		cmocka_unit_test(only_virtio_disks_are_asked_for_a_serial),
		cmocka_unit_test(a_card_without_a_cid),
		cmocka_unit_test(names_of_namespaces),
		cmocka_unit_test(without_descriptors),
		cmocka_unit_test(paths_of_multipath),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
