/* Collector diskstats: columns, odd values, the choice of nodes, hotplug. */
#include "tests/unit/collector_fixture.h"

#define PATH "proc/diskstats"

static void columns_are_a_matter_of_the_line(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    " 104 0 cciss/c0d0 847389 32332 0 2982364 1619046 4086174 0 52598252 0 12069816 5\n"
	    " 104 1 cciss/c0d0p1 554 52382 7 20\n"
	    "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
	    "   8 16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n"
	    "   8 32 sdc 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n"
	    "   8 48 sdd 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20\n"
	    "   8 64 sde 1 2 3 4 5 6 7\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 7);
	check_value(&f, "cciss/c0d0", "reads_merged", 32332);
	check_value(&f, "cciss/c0d0", "read_sectors", 0);
	check_flag(&f, "cciss/c0d0", "read_sectors", FLAG_IMPLAUSIBLE);
	check_absent(&f, "cciss/c0d0", "discards");
	check_value(&f, "cciss/c0d0p1", "reads", 554);
	check_value(&f, "cciss/c0d0p1", "read_sectors", 52382);
	check_value(&f, "cciss/c0d0p1", "writes", 7);
	check_value(&f, "cciss/c0d0p1", "write_sectors", 20);
	check_absent(&f, "cciss/c0d0p1", "reads_merged");
	check_absent(&f, "cciss/c0d0p1", "in_flight");
	check_value(&f, "sda", "discard_time", 15);
	check_absent(&f, "sda", "flushes");
	check_value(&f, "sdb", "discard_sectors", 14);
	check_absent(&f, "sdb", "discard_time");
	check_value(&f, "sdc", "flush_time", 17);
	check_value(&f, "sdd", "flush_time", 17);
	check_fault(&f, "sde", "reads", EBADMSG);
	check_fault(&f, "sde", "weighted_io_time", EBADMSG);
	check_absent(&f, "sde", "discards");
	fixture_end(&f);
}

static void odd_values(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "8 0 sda 9223372036854775807 9223372036854775808 -1 x 1 1 60129413264 1 0 1 1\n"
	    "8 1 sda1 1 1 1 1 1 1 1 1 4294967064 7 4293424691\n"
	    "8 2 sda2 1 1 1 1 1 1 1 1 232 7 1562390\n"
	    "8 3 sda3 1 1 1 1 1 1 1 1 0 7 8\n"
	    "8 16 sdb 1 1 1 1 1 1 1 1 18446744073709551384 1 1\n"
	    "8 32 sdc 1 1 1 1 1 1 1 1 502 1 1\n"
	    "garbage\n\n8\n8 0\n8 x sdd 1 1 1 1\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 6);
	check_value(&f, "sda", "reads", INT64_MAX);
	check_fault(&f, "sda", "reads_merged", ERANGE);
	check_fault(&f, "sda", "read_sectors", EINVAL);
	check_fault(&f, "sda", "read_time", EINVAL);
	check_value(&f, "sda", "writes", 1);
	check_value(&f, "sda", "write_sectors", 60129413264);
	check_flag(&f, "sda", "in_flight", FLAG_NONE);
	check_value(&f, "sda1", "in_flight", -232);
	check_flag(&f, "sda1", "in_flight", FLAG_IMPLAUSIBLE);
	check_flag(&f, "sda1", "weighted_io_time", FLAG_IMPLAUSIBLE);
	check_value(&f, "sda2", "in_flight", 232);
	check_flag(&f, "sda2", "in_flight", FLAG_IMPLAUSIBLE);
	check_flag(&f, "sda2", "io_time", FLAG_IMPLAUSIBLE);
	check_flag(&f, "sda3", "io_time", FLAG_NONE);
	check_fault(&f, "sdb", "in_flight", ERANGE);
	check_value(&f, "sdc", "in_flight", 502);
	check_flag(&f, "sdc", "in_flight", FLAG_NONE);
	fixture_end(&f);
}

static void put_block(const struct fixture *f, const char *name, const char *device)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/devices/%s/dev", device);
	put(f, path, "0:0\n");
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s", device);
	put_link(f, path, target);
}

static void put_machine(const struct fixture *f)
{
	put(f, PATH,
	    "1 0 ram0 0 0 0 0 0 0 0 0 0 0 0\n"
	    "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
	    "7 1 loop1 5 0 10 0 0 0 0 0 0 0 0\n"
	    "8 0 sda 1 1 1 1 1 1 1 1 0 1 1\n"
	    "8 1 sda1 1 1 1 1 1 1 1 1 0 1 1\n"
	    "8 2 sda2 1 1 1 1 1 1 1 1 0 1 1\n"
	    "8 3 sda3 1 1 1 1 1 1 1 1 0 1 1\n"
	    "253 0 dm-0 1 1 1 1 1 1 1 1 0 1 1\n"
	    "0 0 nvme2c2n1 1 1 1 1 1 1 1 1 0 1 1\n");
	put_block(f, "sda", "pci/host3/target3:0:0/3:0:0:0/block/sda");
	put_block(f, "sda1", "pci/host3/target3:0:0/3:0:0:0/block/sda/sda1");
	put_block(f, "sda2", "pci/host3/target3:0:0/3:0:0:0/block/sda/sda2");
	put_block(f, "sda3", "pci/host3/target3:0:0/3:0:0:0/block/sda/sda3");
	put_block(f, "dm-0", "virtual/block/dm-0");
	put(f, "sys/class/block/sda1/partition", "1\n");
	put(f, "sys/class/block/sda2/partition", "2\n");
	put(f, "sys/class/block/sda2/uevent", "PARTN=2\nPARTUUID=1234-02\n");
	put(f, "sys/class/block/sda3/partition", "3\n");
	put_link(f, "sys/class/block/sda/device", "/sys/devices/pci/host3/target3:0:0/3:0:0:0");
	put(f, "sys/class/block/dm-0/dm/uuid", "LVM-abc\n");
	put(f, "sys/class/block/dm-0/slaves/sda3", "");
	put(f, "proc/self/mountinfo",
	    "1 0 8:2 / /boot rw - vfat /dev/root rw\n"
	    "2 1 253:0 / / rw - ext4 /dev/mapper/root rw\n"
	    "3 1 0:0 / /tmp rw - tmpfs tmpfs rw\n");
}

static void nodes_by_default_and_all(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_machine(&f);
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_outcome(&f, "ram0", OUTCOME_DISABLED);
	check_outcome(&f, "loop0", OUTCOME_DISABLED);
	check_outcome(&f, "loop1", OUTCOME_OK);
	check_outcome(&f, "sda1", OUTCOME_DISABLED);
	check_outcome(&f, "sda2", OUTCOME_OK);
	check_outcome(&f, "sda3", OUTCOME_OK);      /* below the device mapper */
	check_outcome(&f, "nvme2c2n1", OUTCOME_OK); /* its disk is not listed */
	assert_int_equal(f.sink.n_rows, 6);
	assert_string_equal(row_of(&f, "sda")->identity, "path:pci/0:0:0");
	assert_string_equal(row_of(&f, "sda2")->identity, "partuuid:1234-02");
	assert_string_equal(row_of(&f, "sda3")->identity, "path:pci/0:0:0-part3");
	assert_string_equal(row_of(&f, "dm-0")->identity, "dm:LVM-abc");

	assert_int_equal(fixture_probe(&f, "diskstats", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 9);
	assert_string_equal(row_of(&f, "nvme2c2n1")->identity, "");
	fixture_end(&f);
}

/* Each request on a path counts at its disk as well. */
static void hidden_paths_are_no_disks(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "259 0 nvme0c0n1 5 1 1 1 1 1 1 1 0 1 1\n259 1 nvme0n1 5 1 1 1 1 1 1 1 0 1 1\n"
	    "259 2 nvme0n1p1 5 1 1 1 1 1 1 1 0 1 1\n0 0 nvme0c1n1 5 1 1 1 1 1 1 1 0 1 1\n"
	    "0 0 nvme1c1n1 5 1 1 1 1 1 1 1 0 1 1\n");
	put(&f, "sys/class/block/nvme0c0n1/hidden", "1\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_outcome(&f, "nvme0c0n1", OUTCOME_DISABLED);
	check_outcome(&f, "nvme0c1n1", OUTCOME_DISABLED);
	check_value(&f, "nvme0n1", "reads", 5);
	check_value(&f, "nvme0n1p1", "reads", 5);
	/* The only line that has this I/O. */
	check_value(&f, "nvme1c1n1", "reads", 5);
	assert_int_equal(f.sink.n_rows, 3);
	assert_int_equal(fixture_probe(&f, "diskstats", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 5);
	fixture_end(&f);
}

static void equal_identities_are_told_apart(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "8 0 sda 1 1 1 1 1 1 1 1 0 1 1\n8 16 sdb 1 1 1 1 1 1 1 1 0 1 1\n"
	    "179 0 mmcblk0 1 1 1 1 1 1 1 1 0 1 1\n179 8 mmcblk0boot0 1 1 1 1 1 1 1 1 0 1 1\n");
	put_block(&f, "sda", "ufs/host0/target0:0:0/0:0:0:0/block/sda");
	put_block(&f, "sdb", "ufs/host0/target0:0:0/0:0:0:1/block/sdb");
	put_link(&f, "sys/class/block/sda/device", "/sys/devices/ufs/host0/target0:0:0/0:0:0:0");
	put_link(&f, "sys/class/block/sdb/device", "/sys/devices/ufs/host0/target0:0:0/0:0:0:1");
	put(&f, "sys/devices/ufs/host0/target0:0:0/0:0:0:0/wwid", "naa.500\n");
	put(&f, "sys/devices/ufs/host0/target0:0:0/0:0:0:1/wwid", "naa.500\n");
	put(&f, "sys/class/block/mmcblk0/device/cid", "15010042\n");
	put(&f, "sys/class/block/mmcblk0boot0/device/cid", "15010042\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_string_equal(row_of(&f, "sda")->identity, "path:ufs/0:0:0");
	assert_string_equal(row_of(&f, "sdb")->identity, "path:ufs/0:0:1");
	assert_string_equal(row_of(&f, "mmcblk0")->identity, "cid:15010042");
	assert_string_equal(row_of(&f, "mmcblk0boot0")->identity, "cid:15010042boot0");

	/* The paths of a namespace have its wwid too. */
	put(&f, PATH,
	    "259 0 nvme0n1 1 1 1 1 1 1 1 1 0 1 1\n0 0 nvme0c0n1 1 1 1 1 1 1 1 1 0 1 1\n"
	    "104 0 cciss/c0d0 1 1 1 1 1 1 1 1 0 1 1\n");
	put(&f, "sys/class/block/nvme0n1/wwid", "eui.01\n");
	put_block(&f, "nvme0c0n1", "pci/0000:04/nvme/nvme7/nvme0c0n1");
	put_link(&f, "sys/class/block/nvme0c0n1/device", "/sys/devices/pci/0000:04/nvme/nvme7");
	put(&f, "sys/devices/pci/0000:04/nvme/nvme7/nvme0c0n1/wwid", "eui.01\n");
	put(&f, "sys/devices/pci/0000:04/nvme/nvme7/nvme0c0n1/nsid", "1\n");
	put(&f, "sys/class/block/cciss!c0d0/device/wwid", "naa.9\n");
	assert_int_equal(fixture_probe(&f, "diskstats", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_string_equal(row_of(&f, "nvme0n1")->identity, "wwid:eui.01");
	assert_string_equal(row_of(&f, "nvme0c0n1")->identity, "path:pci/0000:04/ns1");
	assert_string_equal(row_of(&f, "cciss/c0d0")->identity, "wwid:naa.9");
	fixture_end(&f);
}

static void changes_ask_for_a_new_probe(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH, "8 0 sda 1 1 1 1 1 1 1 1 0 1 1\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);

	put(&f, PATH, "7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n8 0 sda 2 1 1 1 1 1 1 1 0 1 1\n");
	assert_int_equal(fixture_sample(&f, 0), 0); /* another order is no change */
	check_value(&f, "sda", "reads", 2);

	put(&f, PATH,
	    "8 0 sda 3 1 1 1 1 1 1 1 0 1 1\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n"
	    "8 16 sdb 1 1 1 1 1 1 1 1 0 1 1\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	check_value(&f, "sda", "reads", 3);
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);

	put(&f, PATH, "8 0 sda 3 1 1 1 1 1 1 1 0 1 1\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV); /* sdb is gone */

	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	put(&f, PATH, "8 0 sda 3 1 1 1 1 1 1 1 0 1 1\n7 0 loop0 1 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV); /* loop0 has begun to work */
	fixture_end(&f);
}

static void outcomes_without_data(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/version", "");
	assert_int_equal(fixture_probe(&f, "diskstats", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);

	put(&f, PATH, "");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);

	put(&f, "ERRORS", PATH "\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), -EACCES);
	check_outcome(&f, "", OUTCOME_DENIED);
	fixture_end(&f);
}

/* The card was changed within a second. */
static void a_counter_that_falls_asks_for_a_new_probe(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/diskstats", "179 0 mmcblk0 500 0 8 1 20 0 8 1 0 1 2\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	put(&f, "proc/diskstats", "179 0 mmcblk0 501 0 8 1 20 0 8 1 0 1 2\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	put(&f, "proc/diskstats", "179 0 mmcblk0 40 0 8 1 0 0 0 0 0 1 2\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_int_equal(f.sink.n_rows, 1);
	assert_int_equal(fixture_sample(&f, 0), 0);
	fixture_end(&f);
}

/* Two of them would be the same node. */
static void a_name_with_a_nul_is_none(void **unused)
{
	static const char text[] =
		"8 0 sd\0a 1 0 8 1 0 0 0 0 0 1 2\n8 1 sd\0b 1 0 8 1 0 0 0 0 0 1 2\n"
		"8 2 sdc 1 0 8 1 0 0 0 0 0 1 2\n";
	struct fixture f;
	char path[512];
	FILE *file;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/diskstats", "");
	snprintf(path, sizeof(path), "%s/proc/diskstats", f.root);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite(text, 1, sizeof(text) - 1, file);
	fclose(file);
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "sdc", "reads", 1);
	fixture_end(&f);
}

static void many_may_come_at_once(void **unused)
{
	char buf[16384];
	struct text text = TEXT_IN(buf);
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	text_str(&text, "8 0 sda 1 0 8 1 0 0 0 0 0 1 2\n");
	put(&f, "proc/diskstats", buf);
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	for (unsigned i = 1; i < 300; i++)
		text_printf(&text, "8 %u sd%c%c 1 0 8 1 0 0 0 0 0 1 2\n", i, 'a' + i / 20,
			    'a' + i % 20);
	put(&f, "proc/diskstats", buf);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	check_value(&f, "sda", "reads", 1);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_may_come_at_once),
		cmocka_unit_test(a_name_with_a_nul_is_none),
		cmocka_unit_test(a_counter_that_falls_asks_for_a_new_probe),
		cmocka_unit_test(columns_are_a_matter_of_the_line),
		cmocka_unit_test(odd_values),
		cmocka_unit_test(nodes_by_default_and_all),
		cmocka_unit_test(hidden_paths_are_no_disks),
		cmocka_unit_test(equal_identities_are_told_apart),
		cmocka_unit_test(changes_ask_for_a_new_probe),
		cmocka_unit_test(outcomes_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
