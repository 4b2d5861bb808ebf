/* Collector mounts: nodes, stacks of devices, space, changes. And what self says of a tree. */
#include "tests/unit/collector_fixture.h"

#define PATH "proc/self/mountinfo"

static void nodes(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "1 0 8:2 / / rw,relatime - ext4 /dev/root rw\n"
	    "2 1 0:5 / /proc rw - proc proc rw\n"
	    "odd line\n"
	    "3 1 0:17 /@ /srv ro shared:9 - btrfs /dev/sdd3 rw,ssd\n"
	    "4 1 0:18 / /tmp rw - tmpfs - rw\n"
	    "5 1 0:19 / /net rw - nfs4 host:/x rw\n"
	    "6 1 0:20 / /boot rw - autofs systemd-1 rw\n"
	    "7 6 8:1 / /boot rw - vfat /dev/sda1 ro,emergency_ro\n"
	    "8 6 8:3 / /boot ro - ext4 /dev/sda3 rw\n");
	put(&f, "proc/diskstats", "8 2 sda2 1 1 1 1\n8 1 sda1 1 1 1 1\n8 3 sda3 1 1 1 1\n");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_non_null(strstr(item_of(&f, "")->reason, "2 pseudo"));
	assert_non_null(strstr(item_of(&f, "")->reason, "1 lines make no sense"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 5);
	check_text(&f, "/", "device", "sda2");
	check_text(&f, "/", "partition", "sda2");
	check_text(&f, "/", "disk", "sda");
	check_absent(&f, "/", "stack");
	check_value(&f, "/", "ro", 0);
	check_text(&f, "/srv", "device", "sdd3");
	check_text(&f, "/srv", "disk", "sdd");
	check_text(&f, "/srv", "number", "0:17");
	check_text(&f, "/srv", "root", "/@");
	check_text(&f, "/srv", "propagation", "shared:9");
	check_value(&f, "/srv", "ro", 1);
	check_value(&f, "/srv", "super_ro", 0);
	check_absent(&f, "/tmp", "disk");
	check_text(&f, "/tmp", "source", "-");
	check_absent(&f, "/net", "disk");
	check_text(&f, "/boot", "device", "sda3"); /* what covers the others */

	assert_int_equal(fixture_probe(&f, "mounts", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_non_null(row_of(&f, "/proc"));
	fixture_end(&f);
}

static void stacks(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "1 0 253:1 / / rw - ext4 /dev/mapper/root rw\n"
	    "2 1 253:2 / /ring rw - ext4 /dev/mapper/ring rw\n"
	    "3 1 7:0 / /apex rw - ext4 /dev/block/loop0 rw\n"
	    "4 1 0:9 / /none rw - btrfs /dev/nonexistent rw\n"
	    "5 1 0:9 / /dots rw - btrfs /dev/../../etc/passwd rw\n");
	put(&f, "proc/diskstats", "253 1 dm-1 1 1 1 1\n253 2 dm-2 1 1 1 1\n7 0 loop0 1 1 1 1\n");
	put(&f, "sys/class/block/dm-1/dm/name", "root\n");
	put(&f, "sys/class/block/dm-1/dm/uuid", "LVM-x\n");
	put(&f, "sys/class/block/dm-1/slaves/dm-0/x", "");
	put(&f, "sys/class/block/dm-1/slaves/sdb/x", "");
	put(&f, "sys/class/block/dm-0/dm/name", "secret\n");
	put(&f, "sys/class/block/dm-0/dm/uuid", "CRYPT-LUKS2-x\n");
	put(&f, "sys/class/block/dm-0/slaves/sda2/x", "");
	put(&f, "sys/devices/sda/sda2/partition", "2\n");
	put_link(&f, "sys/class/block/sda2", "../../devices/sda/sda2");
	put(&f, "sys/class/block/sdb/dev", "8:16\n");
	put(&f, "sys/class/block/dm-2/dm/name", "ring\n");
	put(&f, "sys/class/block/dm-2/slaves/dm-2/x", "");
	put(&f, "sys/class/block/loop0/loop/backing_file", "/data/a.apex\n");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "/", "stack", "dm-1 root (lvm) -> (dm-0 secret (crypt) -> sda2 + sdb)");
	check_text(&f, "/", "partition", "sda2");
	check_text(&f, "/", "disk", "sda sdb");
	assert_string_equal(row_of(&f, "/")->identity, "dm:LVM-x on /");
	check_absent(&f, "/ring", "disk");
	check_text(&f, "/apex", "stack", "loop0 (/data/a.apex)");
	check_absent(&f, "/none", "device");
	check_absent(&f, "/dots", "device");
	fixture_end(&f);
}

static void space(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "1 0 8:2 / / rw - ext4 /dev/sda2 rw\n2 1 8:2 /x /bind rw - ext4 /dev/sda2 rw\n"
	    "3 1 8:3 / /a\\040b rw - vfat /dev/sda3 rw\n4 1 8:4 / /big rw - xfs /dev/sda4 rw\n"
	    "5 1 8:5 / /unrecorded rw - xfs /dev/sda5 rw\n6 1 0:9 / /net rw - nfs x:/y rw\n");
	put(&f, "proc/diskstats",
	    "8 2 sda2 1 1 1 1\n8 3 sda3 1 1 1 1\n8 4 sda4 1 1 1 1\n8 5 sda5 1 1 1 1\n");
	put(&f, "STATVFS",
	    "/\t4096\t1000\t500\t400\t100\t90\n/bind\t4096\t1000\t500\t400\t100\t90\n"
	    "/a\\040b\t512\t10\t0\t0\t0\t0\n/big\t4096\t9223372036854775807\t1\t1\t1\t1\n"
	    "/net\t1\t1\t1\t1\t1\t1\n");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 3);
	check_value(&f, "/", "size", 4096000);
	check_value(&f, "/", "free", 2048000);
	check_value(&f, "/", "available", 1638400);
	check_value(&f, "/", "inodes", 100);
	check_value(&f, "/", "free_inodes", 90);
	check_value(&f, "/a b", "size", 5120);
	check_value(&f, "/a b", "free", 0);
	check_absent(&f, "/a b", "inodes");
	check_fault(&f, "/big", "size", ERANGE);
	check_value(&f, "/big", "free", 4096);
	fixture_end(&f);
}

static void changes(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH, "1 0 8:2 / / rw - ext4 /dev/sda2 rw\n");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "/", "ro", 0);
	put(&f, PATH, "1 0 8:2 / / ro - ext4 /dev/sda2 rw\n2 1 0:2 / /tmp rw - tmpfs t rw\n");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	check_value(&f, "/", "ro", 1);
	assert_non_null(row_of(&f, "/tmp"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	fixture_end(&f);
}

static void long_names_stay_apart(void **unused)
{
	struct fixture f;
	char line[1024], point[200];

	(void)unused;
	memset(point, 'a', sizeof(point));
	point[0] = '/';
	point[sizeof(point) - 1] = '\0';
	snprintf(line, sizeof(line),
		 "1 0 0:2 / %s/x rw - tmpfs t rw\n2 0 0:3 / %s/y rw - tmpfs t rw\n", point, point);
	fixture_start(&f);
	put(&f, PATH, line);
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	assert_int_equal(strlen(f.sink.rows[0]->node), NODE_NAME_MAX - 1);
	assert_string_not_equal(f.sink.rows[0]->node, f.sink.rows[1]->node);
	fixture_end(&f);
}

static void self_is_live_only(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "self", false), -EOPNOTSUPP);
	check_outcome(&f, "", OUTCOME_UNSUPPORTED);
	fixture_end(&f);

	fixture_start_at(&f, "/");
	assert_int_equal(fixture_probe(&f, "self", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_true(value_of(&f, "self", "rss")->i > 100000);
	check_value(&f, "self", "threads", 1);
	assert_int_equal(value_of(&f, "self", "cpu_time")->type, VALUE_INT);
	fixture_end(&f);
}

/* btrfs on device mapper shows neither number nor kernel name of its device. */
static void mapped_sources(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "1 0 0:31 / / rw - btrfs /dev/mapper/luks-1 rw\n"
	    "2 1 0:32 / /up rw - btrfs /dev/mapper/../mapper/luks-1 rw\n"
	    "3 1 0:33 / /out rw - btrfs /dev/mapper/out rw\n");
	put(&f, "sys/class/block/sda2/partition", "2\n");
	put(&f, "sys/class/block/dm-0/dm/name", "luks-1\n");
	put(&f, "sys/class/block/dm-0/slaves/sda2", "");
	put(&f, "dev/dm-0", "");
	put_link(&f, "dev/mapper/luks-1", "../dm-0");
	put_link(&f, "dev/mapper/out", "../../proc/self/mountinfo");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "/", "device", "dm-0");
	check_text(&f, "/", "stack", "dm-0 luks-1 -> sda2");
	check_absent(&f, "/up", "device");
	check_absent(&f, "/out", "device");
	fixture_end(&f);
}

/* What is known of a device by its first mount holds for the others. */
static void a_device_in_several_places(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, PATH,
	    "1 0 8:2 / / rw - ext4 /dev/sda2 rw\n"
	    "2 1 0:30 / /t rw - tmpfs - rw\n"
	    "3 1 8:2 /x /x rw - ext4 /dev/sda2 rw\n");
	put(&f, "sys/class/block/sda2/partition", "2\n");
	put(&f, "sys/class/block/sda2/uevent", "PARTUUID=aa-02\n");
	put_link(&f, "sys/dev/block/8:2", "../../class/block/sda2");
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "/", "device", "sda2");
	check_text(&f, "/x", "device", "sda2");
	check_absent(&f, "/x", "stack");
	check_absent(&f, "/t", "device");
	assert_string_equal(row_of(&f, "/")->identity, "partuuid:aa-02 on /");
	assert_string_equal(row_of(&f, "/x")->identity, "partuuid:aa-02 on /x");
	assert_string_equal(row_of(&f, "/t")->identity, "");
	fixture_end(&f);
}

/* What stands at the cut path is another file system. */
static void a_cut_path_is_not_asked_for_space(void **unused)
{
	char point[HW_PATH_MAX + 16], text[2 * HW_PATH_MAX + 256];
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	memset(point, 'a', sizeof(point));
	point[0] = '/';
	point[sizeof(point) - 1] = '\0';
	snprintf(text, sizeof(text),
		 "1 0 0:18 / %s rw - tmpfs - rw\n2 0 0:19 / /b rw - tmpfs - rw\n", point);
	put(&f, PATH, text);
	point[HW_PATH_MAX - 1] = '\0';
	snprintf(text, sizeof(text), "%s 1 9 9 9 9 9\n/b 1 8 8 8 8 8\n", point);
	put(&f, "STATVFS", text);
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "/b", "size", 8);
	fixture_end(&f);
}

/* The start of a machine: none of the mounts is lost for the time until the next probe. */
static void many_may_come_at_once(void **unused)
{
	static char buf[32768];
	struct text text = TEXT_IN(buf);
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	text_str(&text, "1 0 0:18 / /tmp rw - tmpfs - rw\n");
	put(&f, PATH, buf);
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	for (unsigned i = 2; i <= 400; i++)
		text_printf(&text, "%u 0 0:%u / /m%u rw - tmpfs - rw\n", i, i + 100, i);
	put(&f, PATH, buf);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_int_equal(f.sink.n_rows, 400);
	assert_int_equal(fixture_sample(&f, 0), 0);
	fixture_end(&f);
}

/* A machine full of containers: the last mount is described as well as the first. */
static void many_mounts_have_room(void **unused)
{
	static char text[1024 * 1024];
	struct text out = TEXT_IN(text);
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	for (unsigned i = 0; i < SINK_ROWS_MAX; i++)
		text_printf(&out,
			    "%u 0 0:%u / /var/lib/containers/storage/overlay/%0500u/merged rw - "
			    "overlay overlay rw,lowerdir=/%0300u\n",
			    i + 1, i + 100, i, i);
	put(&f, PATH, text);
	assert_int_equal(fixture_probe(&f, "mounts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, SINK_ROWS_MAX);
	assert_false(f.sink.overflow);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes),
		cmocka_unit_test(stacks),
		cmocka_unit_test(space),
		cmocka_unit_test(changes),
		cmocka_unit_test(long_names_stay_apart),
		cmocka_unit_test(mapped_sources),
		cmocka_unit_test(a_device_in_several_places),
		cmocka_unit_test(a_cut_path_is_not_asked_for_space),
		cmocka_unit_test(many_may_come_at_once),
		cmocka_unit_test(many_mounts_have_room),
		cmocka_unit_test(self_is_live_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
