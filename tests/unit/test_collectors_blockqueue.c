/* Queues of disks, on trees of a few files. */
#include "tests/unit/collector_fixture.h"

#include "base/macros.h"

#define SDA "sys/devices/pci/block/sda"

static void put_disk(const struct fixture *f, const char *dir, const char *name)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "%s/size", dir);
	put(f, path, "8192\n");
	snprintf(path, sizeof(path), "sys/block/%s", name);
	snprintf(target, sizeof(target), "../../%s", dir);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../../%s", dir);
	put_link(f, path, target);
}

static void start(struct fixture *f)
{
	fixture_start(f);
	put_disk(f, SDA, "sda");
	put(f, SDA "/ro", "0\n");
	put(f, SDA "/queue/scheduler", "none [mq-deadline] kyber bfq \n");
	put(f, SDA "/queue/nr_requests", "126\n");
	put(f, SDA "/queue/write_cache", "write back\n");
	put(f, SDA "/queue/wbt_lat_usec", "2000\n");
	put(f, SDA "/queue/zoned", "none\n");
	put(f, SDA "/queue/max_hw_sectors_kb", "1024\n");
	put(f, SDA "/mq/0/nr_tags", "63\n");
	put(f, SDA "/mq/1/nr_tags", "63\n");
	put(f, SDA "/mq/10/nr_tags", "63\n");
	put(f, SDA "/mq/cpu_list", "0\n");
}

static void begin(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "blockqueue", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

static void values(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	check_outcome(&f, "sda", OUTCOME_OK);
	check_text(&f, "sda", "scheduler", "mq-deadline");
	check_text(&f, "sda", "schedulers", "none mq-deadline kyber bfq");
	check_text(&f, "sda", "write_cache", "write back");
	check_text(&f, "sda", "zoned", "none");
	check_value(&f, "sda", "nr_requests", 126);
	check_value(&f, "sda", "wbt_lat", 2000);
	check_value(&f, "sda", "size", 8192);
	check_value(&f, "sda", "hw_queues", 3);
	check_value(&f, "sda", "hw_queue_depth", 63);
	check_value(&f, "sda", "max_hw_sectors", 1024);
	check_value(&f, "sda", "partitions", 0);
	check_absent(&f, "sda", "partition_table");
	check_absent(&f, "sda", "crypto_modes");
	check_absent(&f, "sda", "dax");
	/* What is switched shows at the next sample. */
	put(&f, SDA "/queue/scheduler", "[none] mq-deadline kyber bfq \n");
	put(&f, SDA "/queue/nr_requests", "63\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_text(&f, "sda", "scheduler", "none");
	check_value(&f, "sda", "nr_requests", 63);
	fixture_end(&f);
}

static void scheduler_lines(void **unused)
{
	static const struct {
		const char *line, *scheduler, *schedulers;
	} cases[] = {
		{"noop deadline [cfq] \n", "cfq", "noop deadline cfq"},
		{"none\n", "none", "none"},
		{"[none]\n", "none", "none"},
		{"[mq-deadline] none\n", "mq-deadline", "mq-deadline none"},
		{"none kyber\n", NULL, "none kyber"},
		{"[]\n", NULL, ""},
		{"[none [mq] ]x[ []\n", "none", "none mq x"},
		{"a [b] [c]\n", "b", "a b c"},
	};
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, SDA "/queue/scheduler", cases[i].line);
		assert_int_equal(fixture_sample(&f, 0), 0);
		if (cases[i].scheduler)
			check_text(&f, "sda", "scheduler", cases[i].scheduler);
		else
			check_fault(&f, "sda", "scheduler", EBADMSG);
		check_text(&f, "sda", "schedulers", cases[i].schedulers);
	}
	put(&f, SDA "/queue/scheduler", "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "sda", "scheduler", ENODATA);
	check_fault(&f, "sda", "schedulers", ENODATA);
	fixture_end(&f);
}

static void no_throttling_is_no_fault(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS", SDA "/queue/wbt_lat_usec\tread\tEINVAL\n");
	begin(&f);
	check_absent(&f, "sda", "wbt_lat");
	/* Left out and tried again, and then another error is one. */
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, "sda", "wbt_lat");
	put(&f, "ERRORS", SDA "/queue/wbt_lat_usec\tread\tEIO\n");
	begin(&f);
	check_fault(&f, "sda", "wbt_lat", EIO);
	fixture_end(&f);
}

static void inline_encryption(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	begin(&f);
	check_outcome(&f, "queue/crypto", OUTCOME_NO_HARDWARE);
	put(&f, "proc/config.gz", "# CONFIG_BLK_INLINE_ENCRYPTION is not set\n");
	begin(&f);
	check_outcome(&f, "queue/crypto", OUTCOME_NO_OPTION);
	put(&f, SDA "/queue/crypto/num_keyslots", "32\n");
	put(&f, SDA "/queue/crypto/max_dun_bits", "64\n");
	put(&f, SDA "/queue/crypto/modes/AES-256-XTS", "0x1200\n");
	put(&f, SDA "/queue/crypto/modes/Adiantum", "0x1000\n");
	put(&f, SDA "/queue/crypto/modes/SM4-XTS", "garbage\n");
	begin(&f);
	assert_null(item_of(&f, "queue/crypto"));
	check_text(&f, "sda", "crypto_modes", "AES-256-XTS 512 4096, Adiantum 4096, SM4-XTS ?");
	check_value(&f, "sda", "crypto_keyslots", 32);
	check_value(&f, "sda", "crypto_dun_bits", 64);
	fixture_end(&f);
}

static void put_partition(const struct fixture *f, const char *name, const char *number,
			  const char *first, const char *size)
{
	char path[256];

	snprintf(path, sizeof(path), SDA "/%s/partition", name);
	put(f, path, number);
	snprintf(path, sizeof(path), SDA "/%s/start", name);
	put(f, path, first);
	snprintf(path, sizeof(path), SDA "/%s/size", name);
	put(f, path, size);
}

static void partitions(void **unused)
{
	struct fixture f;
	char name[16], number[16];

	(void)unused;
	start(&f);
	put_partition(&f, "sda10", "10\n", "4096\n", "2048\n");
	put_partition(&f, "sda2", "2\n", "2048\n", "2048\n");
	put_partition(&f, "sda3", "3\n", "x\n", "-1\n");
	put_partition(&f, "sda4", "-4\n", "1\n", "1\n");
	put_partition(&f, "sda5", "\n", "1\n", "1\n");
	/* A disk below a disk, as eMMCs have. */
	put(&f, SDA "/sdaboot0/size", "1\n");
	begin(&f);
	check_value(&f, "sda", "partitions", 3);
	check_text(&f, "sda", "partition_table", "2:2048+2048 3:?+? 10:4096+2048");
	for (int i = 11; i <= 120; i++) {
		snprintf(name, sizeof(name), "sda%d", i);
		snprintf(number, sizeof(number), "%d\n", i);
		put_partition(&f, name, number, "4096\n", "2048\n");
	}
	begin(&f);
	check_value(&f, "sda", "partitions", 113);

	const char *text = sink_text(&f.sink, value_of(&f, "sda", "partition_table"));

	assert_true(strlen(text) < INFO_TEXT_MAX);
	assert_string_equal(text + strlen(text) - 14, ":4096+2048 ...");
	fixture_end(&f);
}

static void which_disks(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_disk(&f, "sys/devices/virtual/block/loop0", "loop0");
	put_disk(&f, "sys/devices/virtual/block/loop1", "loop1");
	put_disk(&f, "sys/devices/virtual/block/zram0", "zram0");
	put_disk(&f, "sys/devices/virtual/block/dm-0", "dm-0");
	put_disk(&f, "sys/devices/pci/block/cciss!c0d0", "cciss!c0d0");
	put(&f, "proc/diskstats",
	    "7 0 loop0 5 0 0 0 0 0 0 0 0 0 0\n7 1 loop1 0 9 9 9 0 0 0 0 0 0 0\n"
	    "252 0 zram0 0 0 0 0 1 0 0 0 0 0 0\n");
	begin(&f);
	assert_int_equal(f.sink.n_rows, 5);
	assert_non_null(row_of(&f, "loop0"));
	assert_non_null(row_of(&f, "zram0"));
	assert_non_null(row_of(&f, "dm-0"));
	assert_non_null(row_of(&f, "cciss/c0d0"));
	check_outcome(&f, "dm-0", OUTCOME_NO_NODE);
	check_absent(&f, "dm-0", "hw_queues");
	check_absent(&f, "dm-0", "scheduler");
	assert_int_equal(fixture_probe(&f, "blockqueue", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_non_null(row_of(&f, "loop1"));
	fixture_end(&f);
}

/* The same identities as diskstats has, of twins too. */
static void identities(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put_disk(&f, "sys/devices/pci/block/sdb", "sdb");
	put(&f, SDA "/wwid", "naa.5\n");
	put(&f, "sys/devices/pci/block/sdb/wwid", "naa.5\n");
	put(&f, "proc/diskstats",
	    "8 0 sda 1 1 1 1 1 1 1 1 1 1 1\n8 16 sdb 1 1 1 1 1 1 1 1 1 1 1\n");
	begin(&f);

	char a[NODE_IDENTITY_MAX], b[NODE_IDENTITY_MAX];

	snprintf(a, sizeof(a), "%s", row_of(&f, "sda")->identity);
	snprintf(b, sizeof(b), "%s", row_of(&f, "sdb")->identity);
	assert_string_not_equal(a, b);
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_string_equal(row_of(&f, "sda")->identity, a);
	assert_string_equal(row_of(&f, "sdb")->identity, b);
	fixture_end(&f);
}

static void hostile(void **unused)
{
	static const struct {
		const char *text;
		int error; /* 0: a value, with the flag */
		int64_t value;
		enum flag flag;
	} cases[] = {
		{"", ENODATA, 0, FLAG_NONE},
		{"\n", ENODATA, 0, FLAG_NONE},
		{"garbage\n", EINVAL, 0, FLAG_NONE},
		{"12 13\n", EINVAL, 0, FLAG_NONE},
		{"99999999999999999999\n", ERANGE, 0, FLAG_NONE},
		{"-1\n", 0, -1, FLAG_IMPLAUSIBLE},
		{"0x40\n", 0, 64, FLAG_NONE},
		{"0\n", 0, 0, FLAG_NONE},
	};
	static const char *const attrs[][2] = {
		{"nr_requests", "nr_requests"},
		{"max_hw_sectors_kb", "max_hw_sectors"},
	};
	struct fixture f;

	(void)unused;
	start(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases) * ARRAY_SIZE(attrs); i++) {
		const char *const *attr = attrs[i % ARRAY_SIZE(attrs)];
		size_t k = i / ARRAY_SIZE(attrs);
		char path[256];

		snprintf(path, sizeof(path), SDA "/queue/%s", attr[0]);
		put(&f, path, cases[k].text);
		begin(&f);
		if (cases[k].error) {
			check_fault(&f, "sda", attr[1], cases[k].error);
			continue;
		}
		check_value(&f, "sda", attr[1], cases[k].value);
		check_flag(&f, "sda", attr[1], cases[k].flag);
	}
	fixture_end(&f);
}

static void none_at_all(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/uptime", "1 1\n");
	assert_int_equal(fixture_probe(&f, "blockqueue", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "proc/config.gz", "CONFIG_A=y\n");
	assert_int_equal(fixture_probe(&f, "blockqueue", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	put(&f, "sys/block/.keep", "");
	assert_int_equal(fixture_probe(&f, "blockqueue", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

static void denied_and_gone(void **unused)
{
	struct fixture f;

	(void)unused;
	start(&f);
	put(&f, "ERRORS", SDA "/queue/scheduler\topen\tEACCES\n");
	begin(&f);
	check_outcome(&f, "sda", OUTCOME_DENIED);
	check_fault(&f, "sda", "scheduler", EACCES);
	check_value(&f, "sda", "nr_requests", 126);
	put(&f, "ERRORS",
	    SDA "/queue/scheduler\tread\tENODEV\n" SDA "/queue/nr_requests\tread\tENODEV\n" SDA
		"/queue/write_cache\tread\tENODEV\n" SDA "/queue/wbt_lat_usec\tread\tENODEV\n" SDA
		"/size\tread\tENODEV\n" SDA "/ro\tread\tENODEV\n");
	assert_int_equal(fixture_probe(&f, "blockqueue", false), 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(scheduler_lines),
		cmocka_unit_test(no_throttling_is_no_fault),
		cmocka_unit_test(inline_encryption),
		cmocka_unit_test(partitions),
		cmocka_unit_test(which_disks),
		cmocka_unit_test(identities),
		cmocka_unit_test(hostile),
		cmocka_unit_test(none_at_all),
		cmocka_unit_test(denied_and_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
