/* Identities of block devices. */
#include "tests/unit/collector_fixture.h"

#include "base/cleanup.h"
#include "model/block.h"

static const char *identity(struct hw *hw, const char *name)
{
	static char buf[192];

	buf[0] = '\0';
	block_identity(hw, name, false, buf, sizeof(buf));
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
	block_identity(hw, "mmcblk3", true, buf, sizeof(buf));
	assert_string_equal(buf, "path:soc/1.mmc");
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
		cmocka_unit_test(paths_of_multipath),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
