/* Collectors ata and usb: which nodes of the driver belong to which disk, words that are no
 * numbers, what is missing, and that no path of a disk is read that takes a lock. */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

#include "model/ata_identify.h"

#define PORT     "sys/devices/pci0000:00/0000:00:17.0/ata1/"
#define USB      "sys/devices/pci0000:00/0000:00:14.0/usb2/2-3/2-3.1/"
#define USB_DISK USB "2-3.1:1.0/host2/target2:0:0/2:0:0:0/"

/* A disk with its link in sys/class/block. dir: of its SCSI device. */
static void put_disk(const struct fixture *f, const char *dir, const char *name)
{
	char path[512], target[512];

	snprintf(path, sizeof(path), "%sblock/%s/dev", dir, name);
	put(f, path, "8:0\n");
	snprintf(path, sizeof(path), "%sblock/%s/device", dir, name);
	put_link(f, path, "../..");
	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "/%sblock/%s", dir, name);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "%sioerr_cnt", dir);
	put(f, path, "0x5\n");
	snprintf(path, sizeof(path), "%sstate", dir);
	put(f, path, "running\n");
}

static void set_word(uint8_t page[ATA_PAGE_BYTES], size_t i, unsigned value)
{
	page[2 * i] = (uint8_t)value;
	page[2 * i + 1] = (uint8_t)(value >> 8);
}

static void set_text(uint8_t page[ATA_PAGE_BYTES], size_t word, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		page[(2 * word + i) ^ 1] = (uint8_t)(*text ? *text++ : ' ');
}

static void put_page(const struct fixture *f, const char *path, const uint8_t *page)
{
	char text[5 * 256 + 1];

	for (size_t i = 0; i < 256; i++)
		snprintf(text + 5 * i, 6, "%04x%c", page[2 * i] | (unsigned)page[2 * i + 1] << 8,
			 (i + 1) & 7 ? ' ' : '\n');
	put(f, path, text);
}

/* Where the port has no multiplier, the id is the device's number. */
#define DEVICE PORT "link1/dev1.0/ata_device/dev1.0/"
#define LINK   PORT "link1/ata_link/link1/"

static void start_ata(struct fixture *f)
{
	uint8_t page[ATA_PAGE_BYTES] = {0};

	fixture_start(f);
	put_disk(f, PORT "host0/target0:0:0/0:0:0:0/", "sda");
	put(f, LINK "sata_spd", "6.0 Gbps\n");
	put(f, LINK "sata_spd_limit", "<unknown>\n");
	put(f, DEVICE "class", "ata\n");
	put(f, DEVICE "spdn_cnt", "2\n");
	put(f, DEVICE "ering", "");
	set_text(page, 10, 20, "        Z1E0ABCD");
	set_text(page, 23, 8,
		 "CC\x01"
		 "7");
	set_text(page, 27, 40, "ST2000DM001-1CH164");
	set_word(page, 217, 7200);
	put_page(f, DEVICE "id", page);
}

static void a_disk(void **unused)
{
	struct fixture f;

	(void)unused;
	start_ata(&f);
	assert_int_equal(fixture_probe(&f, "ata", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda", "ioerr_cnt", 5);
	check_value(&f, "sda", "sata_spd", 6000000000);
	check_absent(&f, "sda", "sata_spd_limit");
	check_absent(&f, "sda", "hw_sata_spd_limit");
	check_absent(&f, "sda", "iotmo_cnt");
	check_value(&f, "sda", "spdn_cnt", 2);
	check_value(&f, "sda", "ering_entries", 0);
	check_absent(&f, "sda", "last_error");
	check_text(&f, "sda", "model", "ST2000DM001-1CH164");
	check_text(&f, "sda", "serial", "Z1E0ABCD");
	check_text(&f, "sda", "firmware", "CC?7");
	check_value(&f, "sda", "rotation_rate", 7200);
	check_text(&f, "sda", "port", "ata1");

	put(&f, DEVICE "ering", "[   71.000000]DeviceError, Timeout\n[    9.000000]BusError\n");
	put(&f, LINK "sata_spd", "1.5 Gbps\n");
	put(&f, PORT "host0/target0:0:0/0:0:0:0/state", "offline\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda", "ering_entries", 2);
	check_text(&f, "sda", "last_error", "[   71.000000]DeviceError, Timeout");
	check_value(&f, "sda", "sata_spd", 1500000000);
	check_value(&f, "sda", "state", 6);
	fixture_end(&f);
}

/* What no kernel prints is a fault, and what it does not say is absent. */
static void hostile(void **unused)
{
	static const struct {
		const char *file, *text, *field;
		int64_t answer;
	} cases[] = {
		{LINK "sata_spd", "", "sata_spd", -ENODATA},
		{LINK "sata_spd", "6.0\n", "sata_spd", -EINVAL},
		{LINK "sata_spd", "Gbps 6.0\n", "sata_spd", -EINVAL},
		{LINK "sata_spd", "6.0 GT/s\n", "sata_spd", -EINVAL},
		{LINK "sata_spd", "99999999999999 Gbps\n", "sata_spd", -ERANGE},
		{DEVICE "spdn_cnt", "many\n", "spdn_cnt", -EINVAL},
		{DEVICE "ering", "\n\n", "ering_entries", 2},
		{PORT "host0/target0:0:0/0:0:0:0/ioerr_cnt", "0x\n", "ioerr_cnt", -EINVAL},
		{PORT "host0/target0:0:0/0:0:0:0/ioerr_cnt", "-1\n", "ioerr_cnt", -1},
	};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start_ata(&f);
		put(&f, cases[i].file, cases[i].text);
		assert_int_equal(fixture_probe(&f, "ata", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		if (!strcmp(cases[i].text, "-1\n"))
			check_flag(&f, "sda", cases[i].field, FLAG_IMPLAUSIBLE);
		else
			check_answer(&f, "sda", cases[i].field, cases[i].answer);
		fixture_end(&f);
	}
}

/* Without a page that can be read, SCSI's words are taken, and there is no serial. */
static void bad_pages(void **unused)
{
	static const char *const texts[] = {"", "0000\n", "zz00 0000\n", "00000 0000\n"};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i <= ARRAY_SIZE(texts); i++) {
		start_ata(&f);
		put(&f, PORT "host0/target0:0:0/0:0:0:0/model", "ST2000DM001-1CH1\n");
		if (i < ARRAY_SIZE(texts))
			put(&f, DEVICE "id", texts[i]);
		else
			take_away(&f, DEVICE);
		assert_int_equal(fixture_probe(&f, "ata", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_text(&f, "sda", "model", "ST2000DM001-1CH1");
		check_absent(&f, "sda", "serial");
		check_absent(&f, "sda", "rotation_rate");
		fixture_end(&f);
	}
}

/* Behind a port multiplier the channel tells the link; on PATA the id tells the device. */
static void several_of_a_port(void **unused)
{
	static const char multiplied[] = PORT "host0/target0:1:0/0:1:0:0/";
	static const char slave[] = PORT "host0/target0:0:1/0:0:1:0/";
	struct fixture f;

	(void)unused;
	start_ata(&f);
	put_disk(&f, slave, "sdb");
	put(&f, PORT "link1/dev1.1/ata_device/dev1.1/spdn_cnt", "7\n");
	assert_int_equal(fixture_probe(&f, "ata", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda", "spdn_cnt", 2);
	check_value(&f, "sdb", "spdn_cnt", 7);
	check_value(&f, "sdb", "sata_spd", 6000000000);

	put_disk(&f, multiplied, "sdc");
	put(&f, PORT "link1.0/dev1.0.0/ata_device/dev1.0.0/spdn_cnt", "3\n");
	put(&f, PORT "link1.1/dev1.1.0/ata_device/dev1.1.0/spdn_cnt", "4\n");
	put(&f, PORT "link1.1/ata_link/link1.1/sata_spd", "3.0 Gbps\n");
	assert_int_equal(fixture_probe(&f, "ata", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sda", "spdn_cnt", 3);
	check_value(&f, "sdc", "spdn_cnt", 4);
	check_value(&f, "sdc", "sata_spd", 3000000000);
	fixture_end(&f);
}

/* Disks of others are none, and neither are partitions. */
static void whose_disks(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_disk(&f, USB_DISK, "sdb");
	put_disk(&f, "sys/devices/pci0000:00/0000:00:05.0/host5/target5:0:0/5:0:0:0/", "sdc");
	put_link(&f, "sys/class/block/sdd", "nowhere");
	assert_int_equal(fixture_probe(&f, "ata", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put_disk(&f, PORT "host0/target0:0:0/0:0:0:0/", "sda");
	put(&f, PORT "host0/target0:0:0/0:0:0:0/block/sda/sda1/partition", "1\n");
	put_link(&f, "sys/class/block/sda1", "/" PORT "host0/target0:0:0/0:0:0:0/block/sda/sda1");
	assert_int_equal(fixture_probe(&f, "ata", false), 0);
	check_outcome(&f, "sda", OUTCOME_OK);
	check_outcome(&f, "sda link", OUTCOME_NO_NODE);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_absent(&f, "sda", "sata_spd");
	check_absent(&f, "sda", "ering_entries");
	assert_int_equal(fixture_probe(&f, "usb", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	take_away(&f, "sys/class/block/sdb");
	assert_int_equal(fixture_probe(&f, "usb", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

static void start_usb(struct fixture *f)
{
	fixture_start(f);
	put_disk(f, USB_DISK, "sdb");
	put(f, USB_DISK "vendor", "Generic \n");
	put(f, USB "speed", "5000\n");
	put(f, USB "version", " 3.20\n");
	put(f, USB "idVendor", "152d\n");
	put(f, USB "idProduct", "0578\n");
	put(f, USB "serial", "0123456789\n");
	put(f, "sys/bus/usb/drivers/uas/module", "");
	put_link(f, USB "2-3.1:1.0/driver", "/sys/bus/usb/drivers/uas");
}

static void a_stick(void **unused)
{
	struct fixture f;

	(void)unused;
	start_usb(&f);
	assert_int_equal(fixture_probe(&f, "usb", false), 0);
	check_outcome(&f, "sdb", OUTCOME_OK);
	assert_string_equal(item_of(&f, "sdb")->reason, "152d:0578 at 2-3.1, driver uas");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "sdb", "ioerr_cnt", 5);
	check_value(&f, "sdb", "speed", 5000000000);
	check_value(&f, "sdb", "behind_hub", 1);
	check_text(&f, "sdb", "driver", "uas");
	check_text(&f, "sdb", "port", "2-3.1");
	check_text(&f, "sdb", "version", "3.20");
	check_text(&f, "sdb", "vendor", "Generic");
	check_absent(&f, "sdb", "model");
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_text(&f, "sdb", "serial", "0123456789");
	check_absent(&f, "sdb", "product");
	fixture_end(&f);
}

static void speeds(void **unused)
{
	static const struct {
		const char *text;
		int64_t answer;
	} cases[] = {
		{"1.5\n", 1500000},       {"12\n", 12000000},    {"480\n", 480000000},
		{"20000\n", 20000000000}, {"", -ENODATA},        {"fast\n", -EINVAL},
		{"unknown\n", -ENOENT},   {"5000 M\n", -EINVAL},
	};
	struct fixture f;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start_usb(&f);
		put(&f, USB "speed", cases[i].text);
		assert_int_equal(fixture_probe(&f, "usb", false), 0);
		assert_int_equal(fixture_sample(&f, 0), 0);
		if (cases[i].answer == -ENOENT)
			check_absent(&f, "sdb", "speed");
		else
			check_answer(&f, "sdb", "speed", cases[i].answer);
		fixture_end(&f);
	}
}

static void count_strings(void *arg, const char *path, bool contents)
{
	size_t *n = arg;

	*n += contents && (strstr(path, "2-3.1/serial") || strstr(path, "2-3.1/product") ||
			   strstr(path, "2-3.1/manufacturer"));
}

/* Not even while they are opened: each of them takes the lock of a device. */
static void strings_have_a_group(void **unused)
{
	struct fixture f;
	size_t n = 0;

	(void)unused;
	start_usb(&f);
	assert_int_equal(fixture_probe(&f, "usb", false), 0);
	hw_trace(f.hw, count_strings, &n);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(n, 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	assert_true(n > 0);
	fixture_end(&f);
}

static void gone(void **unused)
{
	struct fixture f;

	(void)unused;
	start_ata(&f);
	put(&f, "ERRORS",
	    PORT "host0/target0:0:0/0:0:0:0/ioerr_cnt\tread\tENODEV\n" PORT
		 "host0/target0:0:0/0:0:0:0/state\tread\tENODEV\n" DEVICE
		 "spdn_cnt\tread\tENODEV\n");
	assert_int_equal(fixture_probe(&f, "ata", false), 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	fixture_end(&f);
}

static void want_of_descriptors(void **unused)
{
	struct fixture f;

	(void)unused;
	start_ata(&f);
	put_disk(&f, USB_DISK, "sdb");
	put(&f, PORT "host0/target0:0:0/0:0:0:0/block/sda/sda1/partition", "1\n");
	put_link(&f, "sys/class/block/sda1", "/" PORT "host0/target0:0:0/0:0:0:0/block/sda/sda1");
	check_scarce_probes(&f, "ata");
	check_scarce_probes(&f, "usb");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk),      cmocka_unit_test(hostile),
		cmocka_unit_test(bad_pages),   cmocka_unit_test(several_of_a_port),
		cmocka_unit_test(whose_disks), cmocka_unit_test(a_stick),
		cmocka_unit_test(speeds),      cmocka_unit_test(strings_have_a_group),
		cmocka_unit_test(gone),        cmocka_unit_test(want_of_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
