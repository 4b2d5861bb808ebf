/* Block devices and what they lie on. */
#include "tests/unit/collector_fixture.h"

#define PCI "sys/devices/pci0000:00/0000:00:06.0/0000:01:00.0"

/* A disk at a path below sys/devices, with its link in sys/class/block. */
static void put_disk(const struct fixture *f, const char *path, const char *name)
{
	char at[512], target[600];

	snprintf(at, sizeof(at), "%s/size", path);
	put(f, at, "2048\n");
	snprintf(at, sizeof(at), "%s/dev", path);
	put(f, at, "8:0\n");
	snprintf(at, sizeof(at), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../../%s", path);
	put_link(f, at, target);
}

static void sample(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "topology", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

/* Each bus by the form of its path. */
static void buses(void **unused)
{
	static const struct {
		const char *path, *name, *transport, *controller;
	} cases[] = {
		{PCI "/nvme/nvme0/nvme0n1", "nvme0n1", "nvme", "nvme0"},
		{"sys/devices/platform/soc/1d84000.ufshc/host0/target0:0:0/0:0:0:0/block/sda",
		 "sda", "ufs", "1d84000.ufshc"},
		{"sys/devices/pci0000:00/0000:00:17.0/ata1/host1/target1:0:0/1:0:0:0/block/sdb",
		 "sdb", "ata", "ata1"},
		{"sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3.1/2-3.1:1.0/host2/target2:0:0/"
		 "2:0:0:0/block/sdc",
		 "sdc", "usb", "2-3.1"},
		{"sys/devices/pci0000:00/0000:00:05.0/virtio2/host3/target3:0:0/3:0:0:0/block/sdd",
		 "sdd", "virtio", "virtio2"},
		{"sys/devices/pci0000:00/0000:00:05.0/virtio1/block/vda", "vda", "virtio",
		 "virtio1"},
		{"sys/devices/pci0000:00/0000:00:08.0/host4/target4:0:0/4:0:0:0/block/sde", "sde",
		 "scsi", "0000:00:08.0"},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		put_disk(&f, cases[i].path, cases[i].name);
	put_disk(&f, "sys/devices/virtual/block/zram0", "zram0");
	put_disk(&f, "sys/devices/virtual/block/nullb0", "nullb0");
	sample(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		check_text(&f, cases[i].name, "type", "disk");
		check_text(&f, cases[i].name, "transport", cases[i].transport);
		check_text(&f, cases[i].name, "on", cases[i].controller);
		check_text(&f, cases[i].controller, "type", "controller");
	}
	check_text(&f, "nvme0", "on", "0000:01:00.0");
	check_text(&f, "0000:01:00.0", "directory", PCI);
	/* A host that is the PCI function does not hang on itself. */
	check_absent(&f, "0000:00:08.0", "on");
	check_absent(&f, "1d84000.ufshc", "on");
	check_text(&f, "zram0", "type", "zram");
	check_absent(&f, "nullb0", "transport");
	check_absent(&f, "nullb0", "on");
	fixture_end(&f);
}

static void cards(void **unused)
{
#define CARD "sys/devices/platform/30b60000.mmc/mmc_host/mmc2/mmc2:0001"
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_disk(&f, CARD "/block/mmcblk2", "mmcblk2");
	put_disk(&f, CARD "/block/mmcblk2/mmcblk2boot0", "mmcblk2boot0");
	put_link(&f, CARD "/block/mmcblk2/device", "../../../mmc2:0001");
	put_link(&f, CARD "/block/mmcblk2/mmcblk2boot0/device", "../../mmcblk2");
	put(&f, CARD "/type", "MMC\n");
	put(&f, CARD "/name", "G1M15L\n");
	put(&f, CARD "/rev", "0x8\n");
	sample(&f);
	for (int i = 0; i < 2; i++) {
		const char *node = i ? "mmcblk2boot0" : "mmcblk2";

		check_text(&f, node, "transport", "emmc");
		check_text(&f, node, "on", "mmc2");
		check_text(&f, node, "model", "G1M15L");
		check_text(&f, node, "specification", "eMMC 5.1");
	}
	put(&f, CARD "/type", "SD\n");
	put(&f, CARD "/rev", "0x63\n");
	sample(&f);
	check_text(&f, "mmcblk2", "transport", "sd");
	check_absent(&f, "mmcblk2", "specification");
	put(&f, CARD "/rev", "-1\n");
	sample(&f);
	check_absent(&f, "mmcblk2", "specification");
	fixture_end(&f);
}

static void layers(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/sda/dev", "8:0\n");
	put(&f, "sys/class/block/dm-0/dm/name", "userdata\n");
	put(&f, "sys/class/block/dm-0/slaves/sda1/x", "");
	put(&f, "sys/class/block/dm-1/dm/name", "cry\n");
	put(&f, "sys/class/block/dm-1/dm/uuid", "CRYPT-LUKS2-12-cry\n");
	put(&f, "sys/class/block/dm-1/slaves/dm-0/x", "");
	put(&f, "sys/class/block/dm-2/dm/uuid", "LVM-12\n");
	put(&f, "sys/class/block/dm-2/slaves/dm-3/x", "");
	put(&f, "sys/class/block/dm-2/slaves/dm-4/x", "");
	put(&f, "sys/class/block/dm-3/dm/name", "vg-lv_rimage_0\n");
	put(&f, "sys/class/block/md0/md/level", "raid1\n");
	put(&f, "sys/class/block/md0/slaves/cciss!c0d0/x", "");
	put(&f, "sys/class/block/loop0/size", "8\n");
	put(&f, "sys/class/block/loop0/loop/backing_file", "/a b\n");
	put(&f, "sys/class/block/loop1/size", "0\n");
	put(&f, "sys/class/block/ram0/size", "8\n");
	put(&f, "sys/class/block/nvme0c0n1/hidden", "1\n");
	put(&f, "sys/class/block/sda1/partition", "1\n");
	put(&f, "sys/class/block/sda1/uevent", "PARTN=1\nPARTNAME=userdata\n");
	sample(&f);
	check_text(&f, "dm-0", "likely_target", "default-key");
	check_absent(&f, "dm-0", "target");
	check_text(&f, "dm-0", "on", "sda1");
	check_text(&f, "dm-1", "target", "crypt");
	check_text(&f, "dm-1", "format", "LUKS2");
	check_text(&f, "dm-2", "target", "lvm raid");
	check_text(&f, "dm-2", "on", "dm-3 dm-4");
	check_text(&f, "md0", "target", "raid1");
	check_text(&f, "md0", "on", "cciss/c0d0");
	check_text(&f, "loop0", "label", "/a b");
	check_text(&f, "loop0", "size", "4096");
	check_text(&f, "sda1", "label", "userdata");
	assert_null(row_of(&f, "loop1"));
	assert_null(row_of(&f, "ram0"));
	assert_null(row_of(&f, "nvme0c0n1"));
	fixture_end(&f);
}

static void a_namespace_with_two_ways(void **unused)
{
#define SUBSYSTEM "sys/devices/virtual/nvme-subsystem/nvme-subsys0"
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_disk(&f, SUBSYSTEM "/nvme0n1", "nvme0n1");
	put(&f, "sys/devices/pci0000:00/0000:00:04.0/nvme/nvme0/model", "x\n");
	put(&f, "sys/devices/pci0000:00/0000:00:05.0/nvme/nvme1/model", "x\n");
	put_link(&f, SUBSYSTEM "/nvme0", "../../../pci0000:00/0000:00:04.0/nvme/nvme0");
	put_link(&f, SUBSYSTEM "/nvme1", "../../../pci0000:00/0000:00:05.0/nvme/nvme1");
	put_link(&f, SUBSYSTEM "/nvme2", "../../../gone");
	sample(&f);
	check_text(&f, "nvme0n1", "on", "nvme0 nvme1");
	check_text(&f, "nvme1", "on", "0000:00:05.0");
	fixture_end(&f);
}

static const char *identity_of(const struct fixture *f, const char *node)
{
	const struct row *row = row_of(f, node);

	assert_non_null(row);
	return row->identity;
}

/* Two disks that claim to be the same are two, and the same two as in the collectors of I/O. */
static void twins(void **unused)
{
	static const char *const disks[] = {"sda", "sdb", "sdc"};
	struct fixture topology, disk;

	(void)unused;
	fixture_start(&topology);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		char path[128], wwid[160];

		snprintf(path, sizeof(path),
			 "sys/devices/pci0000:00/0000:00:08.0/host0/target0:0:0/0:0:0:%zu/block/%s",
			 i, disks[i]);
		put_disk(&topology, path, disks[i]);
		snprintf(wwid, sizeof(wwid), "%s/wwid", path);
		put(&topology, wwid, i < 2 ? "naa.500\n" : "naa.501\n");
	}
	put(&topology, "proc/diskstats",
	    "8 0 sda 1 1 1 1 1 1 1 1 0 1 1\n8 16 sdb 1 1 1 1 1 1 1 1 0 1 1\n"
	    "8 32 sdc 1 1 1 1 1 1 1 1 0 1 1\n");
	sample(&topology);
	fixture_start_at(&disk, topology.root);
	assert_int_equal(fixture_probe(&disk, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&disk, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)
		assert_string_equal(identity_of(&topology, disks[i]), identity_of(&disk, disks[i]));
	assert_string_not_equal(identity_of(&topology, "sda"), identity_of(&topology, "sdb"));
	assert_string_equal(identity_of(&topology, "sdc"), "wwid:naa.501");
	assert_string_equal(identity_of(&topology, "0000:00:08.0"), "");
	fixture_end(&disk);
	fixture_end(&topology);
}

static void hostile_texts(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/sda/size", "-5\n");
	put(&f, "sys/class/block/sdb/size", "99999999999999999999\n");
	put(&f, "sys/class/block/sdc/size", "9223372036854775807\n");
	put(&f, "sys/class/block/sdd/size", "");
	put(&f, "sys/class/block/dm-0/dm/name", "");
	put(&f, "sys/class/block/dm-0/dm/uuid", "CRYPT-");
	put(&f, "sys/class/block/dm-1/dm/name", "\033[2J\n");
	put(&f, "sys/class/block/dm-1/dm/uuid", "\xff\xfe\n");
	put(&f, "ERRORS", "sys/class/block/dm-1/dm/uuid\tread\tEIO\n");
	sample(&f);
	check_fault(&f, "sda", "size", ERANGE);
	check_fault(&f, "sdb", "size", ERANGE);
	check_fault(&f, "sdc", "size", ERANGE);
	check_fault(&f, "sdd", "size", ENODATA);
	check_fault(&f, "dm-0", "label", ENODATA);
	check_text(&f, "dm-0", "target", "crypt");
	check_fault(&f, "dm-1", "target", EIO);
	check_text(&f, "dm-1", "label", "\033[2J");
	fixture_end(&f);
}

static void a_change_asks_for_a_probe(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/class/block/sda/dev", "8:0\n");
	put(&f, "proc/partitions", "major minor  #blocks  name\n\n   8 0 1 sda\n");
	sample(&f);
	assert_int_equal(fixture_sample(&f, 0), 0);
	put(&f, "proc/partitions", "major minor  #blocks  name\n\n   8 0 2 sda\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_non_null(row_of(&f, "sda"));
	/* Unreadable is no change. */
	take_away(&f, "proc/partitions");
	sample(&f);
	fixture_end(&f);
}

static void no_hardware(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "topology", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "sys/class/block/.keep", "");
	take_away(&f, "sys/class/block/.keep");
	assert_true(fixture_probe(&f, "topology", false) < 0);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buses),
		cmocka_unit_test(cards),
		cmocka_unit_test(layers),
		cmocka_unit_test(a_namespace_with_two_ways),
		cmocka_unit_test(twins),
		cmocka_unit_test(hostile_texts),
		cmocka_unit_test(a_change_asks_for_a_probe),
		cmocka_unit_test(no_hardware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
