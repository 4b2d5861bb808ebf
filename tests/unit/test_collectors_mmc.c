/* Collectors mmc and mmc_host: what is told from what, wear that is not known, cards that change.
 */
#include "tests/unit/collector_fixture.h"
#include "tests/unit/scarce_probe.h"

/* A card with its disk: /sys/block/mmcblkN, /sys/class/mmc_host/mmcN and what they lead to. */
static void put_card(const struct fixture *f, int number, const char *type, const char *cid)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/devices/host%d/mmc_host/mmc%d/mmc%d:0001/type", number,
		 number, number);
	put(f, path, type);
	snprintf(path, sizeof(path), "sys/devices/host%d/mmc_host/mmc%d/mmc%d:0001/cid", number,
		 number, number);
	put(f, path, cid);
	snprintf(path, sizeof(path),
		 "sys/devices/host%d/mmc_host/mmc%d/mmc%d:0001/block/mmcblk%d/size", number, number,
		 number, number);
	put(f, path, "1000\n");
	snprintf(path, sizeof(path),
		 "sys/devices/host%d/mmc_host/mmc%d/mmc%d:0001/block/mmcblk%d/device", number,
		 number, number, number);
	snprintf(target, sizeof(target), "../../../mmc%d:0001", number);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "sys/block/mmcblk%d", number);
	snprintf(target, sizeof(target),
		 "../devices/host%d/mmc_host/mmc%d/mmc%d:0001/block/mmcblk%d", number, number,
		 number, number);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "sys/devices/host%d/mmc_host/mmc%d/device", number, number);
	snprintf(target, sizeof(target), "../../../host%d", number);
	put_link(f, path, target);
	snprintf(path, sizeof(path), "sys/class/mmc_host/mmc%d", number);
	snprintf(target, sizeof(target), "../../devices/host%d/mmc_host/mmc%d", number, number);
	put_link(f, path, target);
}

static void put_attr(const struct fixture *f, int number, const char *attr, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/devices/host%d/mmc_host/mmc%d/mmc%d:0001/%s", number,
		 number, number, attr);
	put(f, path, text);
}

#define CID_A "13014e47314d31354c1201b2c3d47c00\n"
#define CID_B "035344534e36344780a1b2c3d4014a00\n"

static void probe_cards(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "mmc", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

static void wear(void **unused)
{
	static const struct {
		const char *rev, *life;
		int64_t a, b, low, high; /* -1: absent */
		enum flag flag_a;
	} cases[] = {
		{"0x8\n", "0x06 0x04\n", 6, 4, 50, 60, FLAG_CACHED_AT_BOOT},
		{"0x7\n", "0x01 0x03\n", 1, 3, 20, 30, FLAG_CACHED_AT_BOOT},
		{"0x7\n", "0x0b 0x02\n", 11, 2, 100, -1, FLAG_CACHED_AT_BOOT},
		{"0x7\n", "0x02 0x0b\n", 2, 11, 100, -1, FLAG_CACHED_AT_BOOT},
		{"0x7\n", "0x00 0x02\n", -1, 2, 10, 20, FLAG_NONE},
		{"0x7\n", "0x03 0x00\n", 3, -1, 20, 30, FLAG_CACHED_AT_BOOT},
		{"0x8\n", "0x00 0x00\n", -1, -1, -1, -1, FLAG_NONE},
		{"0x8\n", "0x0c 0x02\n", 12, 2, 10, -1, FLAG_IMPLAUSIBLE},
		{"0x8\n", "0x02 0x0c\n", 2, 12, 10, -1, FLAG_CACHED_AT_BOOT},
		{"0x8\n", "0xff 0xff\n", 255, 255, -1, -1, FLAG_IMPLAUSIBLE},
		{"0x6\n", "0x06 0x04\n", -1, -1, -1, -1, FLAG_NONE}, /* reserved bytes */
		{"0x6\n", "rubbish\n", -1, -1, -1, -1, FLAG_NONE},
		{"new\n", "0x06 0x04\n", 6, 4, 50, 60, FLAG_CACHED_AT_BOOT},
		{"\n", "0x06 0x04\n", 6, 4, 50, 60, FLAG_CACHED_AT_BOOT},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "MMC\n", CID_A);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct {
			const char *name;
			int64_t value;
		} wanted[] = {{"life_time_a", cases[i].a},
			      {"life_time_b", cases[i].b},
			      {"used_low", cases[i].low},
			      {"used_high", cases[i].high}};

		put_attr(&f, 0, "rev", cases[i].rev);
		put_attr(&f, 0, "life_time", cases[i].life);
		probe_cards(&f);
		for (size_t k = 0; k < ARRAY_SIZE(wanted); k++) {
			if (wanted[k].value < 0)
				check_absent(&f, "mmcblk0", wanted[k].name);
			else
				check_value(&f, "mmcblk0", wanted[k].name, wanted[k].value);
		}
		check_flag(&f, "mmcblk0", "life_time_a", cases[i].flag_a);
	}
	put_attr(&f, 0, "rev", "0x8\n");
	put_attr(&f, 0, "life_time", "0x06\n");
	probe_cards(&f);
	check_fault(&f, "mmcblk0", "life_time_a", EINVAL);
	check_fault(&f, "mmcblk0", "life_time_b", EINVAL);
	check_absent(&f, "mmcblk0", "used_low");
	put_attr(&f, 0, "life_time", "\n");
	probe_cards(&f);
	check_fault(&f, "mmcblk0", "life_time_a", ENODATA);
	fixture_end(&f);
}

static void end_of_life(void **unused)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: absent */
		int error;
		enum flag flag;
	} cases[] = {
		{"0x01\n", 1, 0, FLAG_CACHED_AT_BOOT},
		{"01\n", 1, 0, FLAG_CACHED_AT_BOOT},
		{"0x03\n", 3, 0, FLAG_CACHED_AT_BOOT},
		{"0x00\n", -1, 0, FLAG_NONE},
		{"00\n", -1, 0, FLAG_NONE},
		{"0x04\n", 4, 0, FLAG_IMPLAUSIBLE},
		{"0a\n", 10, 0, FLAG_IMPLAUSIBLE},
		{"0x01 0x01\n", 0, EINVAL, FLAG_NONE},
		{"\n", 0, ENODATA, FLAG_NONE},
		{"-1\n", 0, EINVAL, FLAG_NONE},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "MMC\n", CID_A);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_attr(&f, 0, "pre_eol_info", cases[i].text);
		probe_cards(&f);
		if (cases[i].error)
			check_fault(&f, "mmcblk0", "pre_eol_info", cases[i].error);
		else if (cases[i].value < 0)
			check_absent(&f, "mmcblk0", "pre_eol_info");
		else
			check_value(&f, "mmcblk0", "pre_eol_info", cases[i].value);
		check_flag(&f, "mmcblk0", "pre_eol_info", cases[i].flag);
	}
	fixture_end(&f);
}

static void sizes_and_areas(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "MMC\n", CID_A);
	put(&f, "sys/class/block/mmcblk0/x", "");
	put(&f, "sys/class/block/mmcblk0/size", "61071360\n");
	put(&f, "sys/class/block/mmcblk0boot0/size", "8192\n");
	put(&f, "sys/class/block/mmcblk0boot1/size", "-1\n");
	put_link(&f, "sys/class/block/mmcblk0/device",
		 "../../../devices/host0/mmc_host/mmc0/mmc0:0001");
	put_attr(&f, 0, "raw_rpmb_size_mult", "0x20\n");
	put_attr(&f, 0, "rel_sectors", "0x1\n");
	/* Not set up: -EINVAL without its sign. */
	put_attr(&f, 0, "enhanced_area_offset", "18446744073709551594\n");
	put_attr(&f, 0, "enhanced_area_size", "4294967274\n");
	probe_cards(&f);
	check_value(&f, "mmcblk0", "size", 61071360);
	check_value(&f, "mmcblk0", "boot0_size", 8192);
	check_absent(&f, "mmcblk0", "boot1_size");
	check_value(&f, "mmcblk0", "raw_rpmb_size_mult", 32);
	check_value(&f, "mmcblk0", "rel_sectors", 1);
	check_absent(&f, "mmcblk0", "enhanced_area_offset");
	check_absent(&f, "mmcblk0", "enhanced_area_size");
	check_absent(&f, "mmcblk0", "init_time"); /* no clock in a recorded tree */
	put_attr(&f, 0, "enhanced_area_offset", "0\n");
	put_attr(&f, 0, "enhanced_area_size", "4096\n");
	probe_cards(&f);
	check_value(&f, "mmcblk0", "enhanced_area_offset", 0);
	check_value(&f, "mmcblk0", "enhanced_area_size", 4096);
	put_attr(&f, 0, "enhanced_area_size", "4294967274\n");
	probe_cards(&f);
	check_absent(&f, "mmcblk0", "enhanced_area_offset");
	check_absent(&f, "mmcblk0", "enhanced_area_size");
	fixture_end(&f);
}

static void kinds_of_cards(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 10, "MMC\n", CID_A);
	put_card(&f, 2, "SD\n", CID_B);
	/* An SDIO card has no disk; a combined one and a card that nobody has taken are there. */
	put(&f, "sys/class/mmc_host/mmc3/mmc3:0001/type", "SDIO\n");
	put(&f, "sys/class/mmc_host/mmc4/mmc4:b368/type", "SDcombo\n");
	put(&f, "sys/class/mmc_host/mmc4/mmc4:b368/cid", "1" CID_B);
	put(&f, "sys/block/mmcblk2boot0/size", "1\n");
	put(&f, "sys/block/mmcblk2rpmb/size", "1\n");
	put(&f, "sys/block/mmcblk/size", "1\n");
	probe_cards(&f);
	assert_int_equal(f.sink.n_rows, 3);
	assert_string_equal(f.sink.rows[0]->node, "mmcblk2");
	assert_string_equal(f.sink.rows[1]->node, "mmcblk10");
	assert_string_equal(f.sink.rows[2]->node, "mmc4:b368");
	assert_string_equal(f.sink.rows[2]->identity, "cid:1035344534e36344780a1b2c3d4014a00");
	check_text(&f, "mmcblk2", "type", "SD");
	check_text(&f, "mmcblk10", "type", "MMC");
	check_outcome(&f, "mmc3:0001", OUTCOME_UNSUPPORTED);
	assert_non_null(strstr(item_of(&f, "mmc4:b368")->advice, "CONFIG_MMC_BLOCK"));
	assert_non_null(strstr(item_of(&f, "mmcblk2")->reason, "no life estimate"));
	check_outcome(&f, "mmcblk10", OUTCOME_OK);
	check_outcome(&f, "mmcblk10 life_time", OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, "mmcblk10 life_time")->advice, "4.10"));
	fixture_end(&f);
}

static void why_there_is_no_wear(void **unused)
{
	static const struct {
		const char *rev, *life, *error;
		enum outcome outcome;
		const char *said; /* NULL: nothing is missing */
	} cases[] = {
		{"0x8\n", "0x01 0x02\n", NULL, OUTCOME_OK, NULL},
		{"0x8\n", "0x00 0x02\n", NULL, OUTCOME_OK, NULL},
		{"0x6\n", "0x01 0x02\n", NULL, OUTCOME_UNSUPPORTED, "revision 6"},
		{"0x6\n", "rubbish\n", NULL, OUTCOME_UNSUPPORTED, "revision 6"},
		{"0x8\n", "0x00 0x00\n", NULL, OUTCOME_UNSUPPORTED, "not defined"},
		{"0x8\n", "rubbish\n", NULL, OUTCOME_FAILED, "Invalid argument"},
		{"0x8\n", "\n", NULL, OUTCOME_FAILED, "No data"},
		{"0x8\n", "", "EACCES", OUTCOME_DENIED, "may not be read"},
	};
	struct fixture f;
	char errors[512];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_start(&f);
		put_card(&f, 0, "MMC\n", CID_A);
		put_attr(&f, 0, "rev", cases[i].rev);
		put_attr(&f, 0, "life_time", cases[i].life);
		if (cases[i].error) {
			snprintf(errors, sizeof(errors),
				 "sys/block/mmcblk0/device/life_time\topen\t%s\n", cases[i].error);
			put(&f, "ERRORS", errors);
		}
		assert_int_equal(fixture_probe(&f, "mmc", false), 0);
		check_outcome(&f, "mmcblk0", OUTCOME_OK);
		if (cases[i].said) {
			check_outcome(&f, "mmcblk0 life_time", cases[i].outcome);
			assert_non_null(
				strstr(item_of(&f, "mmcblk0 life_time")->reason, cases[i].said));
		} else {
			assert_null(item_of(&f, "mmcblk0 life_time"));
		}
		fixture_end(&f);
	}
}

static void identities(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "SD\n", CID_B);
	put_card(&f, 1, "MMC\n", CID_A);
	probe_cards(&f);
	assert_string_equal(row_of(&f, "mmcblk0")->identity,
			    "cid:035344534e36344780a1b2c3d4014a00");
	assert_string_equal(row_of(&f, "mmcblk1")->identity,
			    "cid:13014e47314d31354c1201b2c3d47c00");

	/* Two that claim the same are told apart by their hosts, whatever numbers these have. */
	put_card(&f, 2, "SD\n", CID_B);
	probe_cards(&f);
	assert_string_equal(row_of(&f, "mmcblk0")->identity, "path:host0");
	assert_string_equal(row_of(&f, "mmcblk2")->identity, "path:host2");
	assert_string_equal(row_of(&f, "mmcblk1")->identity,
			    "cid:13014e47314d31354c1201b2c3d47c00");

	/* Zeros are no identity. */
	put_attr(&f, 2, "cid", "00000000000000000000000000000000\n");
	probe_cards(&f);
	assert_string_equal(row_of(&f, "mmcblk2")->identity, "path:host2");
	assert_string_equal(row_of(&f, "mmcblk0")->identity,
			    "cid:035344534e36344780a1b2c3d4014a00");

	/* And diskstats says the same. */
	put(&f, "proc/diskstats",
	    "179 0 mmcblk0 1 2 3 4 5 6 7 8 9 10 11\n"
	    "179 8 mmcblk2 1 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(fixture_probe(&f, "diskstats", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_string_equal(row_of(&f, "mmcblk0")->identity,
			    "cid:035344534e36344780a1b2c3d4014a00");
	assert_string_equal(row_of(&f, "mmcblk2")->identity, "path:host2");
	fixture_end(&f);
}

/* Two slots of one controller with copies of one card: nothing tells them apart, so the second has
 * no identity. */
static void copies_in_one_place(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "SD\n", CID_B);
	put(&f, "sys/devices/host0/mmc_host/mmc1/mmc1:0001/type", "SD\n");
	put(&f, "sys/devices/host0/mmc_host/mmc1/mmc1:0001/cid", CID_B);
	put(&f, "sys/devices/host0/mmc_host/mmc1/mmc1:0001/block/mmcblk1/size", "1000\n");
	put_link(&f, "sys/devices/host0/mmc_host/mmc1/mmc1:0001/block/mmcblk1/device",
		 "../../../mmc1:0001");
	put_link(&f, "sys/block/mmcblk1", "../devices/host0/mmc_host/mmc1/mmc1:0001/block/mmcblk1");
	put_link(&f, "sys/devices/host0/mmc_host/mmc1/device", "../../../host0");
	put_link(&f, "sys/class/mmc_host/mmc1", "../../devices/host0/mmc_host/mmc1");
	probe_cards(&f);
	assert_string_equal(row_of(&f, "mmcblk0")->identity, "path:host0");
	assert_string_equal(row_of(&f, "mmcblk1")->identity, "");
	fixture_end(&f);
}

static void another_card_in_the_slot(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "SD\n", CID_A);
	probe_cards(&f);
	assert_int_equal(fixture_sample(&f, 0), 0);
	put_attr(&f, 0, "cid", CID_B);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV); /* asks for a new probe */
	probe_cards(&f);
	assert_string_equal(row_of(&f, "mmcblk0")->identity,
			    "cid:035344534e36344780a1b2c3d4014a00");
	fixture_end(&f);
}

static void speed_of_sd(void **unused)
{
	struct fixture f;
	char ssr[130];

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "SD\n", CID_B);
	memset(ssr, '0', 128);
	memcpy(ssr + 128, "\n", 2);
	put_attr(&f, 0, "ssr", ssr);
	probe_cards(&f);
	check_absent(&f, "mmcblk0", "speed_class"); /* all zero: not read */
	check_absent(&f, "mmcblk0", "uhs_speed_grade");
	ssr[17] = '4';
	ssr[28] = '3';
	ssr[43] = '1';
	put_attr(&f, 0, "ssr", ssr);
	probe_cards(&f);
	check_value(&f, "mmcblk0", "speed_class", 10);
	check_value(&f, "mmcblk0", "uhs_speed_grade", 3);
	check_value(&f, "mmcblk0", "app_perf_class", 1);
	assert_non_null(strstr(item_of(&f, "mmcblk0")->reason, "speed class 10, U3, A1"));
	fixture_end(&f);
}

static void nothing_there(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "mmc", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "sys/class/mmc_host/mmc0/x", "");
	assert_int_equal(fixture_probe(&f, "mmc", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	assert_non_null(strstr(item_of(&f, "")->reason, "1 host"));
	take_away(&f, "sys/class");
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "CONFIG_BLOCK=y\n");
	assert_int_equal(fixture_probe(&f, "mmc", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	assert_int_equal(fixture_probe(&f, "mmc_host", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	fixture_end(&f);
}

#define IOS "sys/kernel/debug/mmc0/ios"
#define ERR "sys/kernel/debug/mmc0/err_stats"

static const char high_speed[] = "clock:\t\t50000000 Hz\nactual clock:\t49500000 Hz\n"
				 "power mode:\t2 (on)\nbus width:\t2 (4 bits)\n"
				 "timing spec:\t2 (sd high-speed)\nsignal voltage:\t0 (3.30 V)\n";

static void put_uhs_card(const struct fixture *f)
{
	char ssr[130];

	put_card(f, 0, "SD\n", CID_B);
	memset(ssr, '0', 128);
	memcpy(ssr + 128, "\n", 2);
	ssr[28] = '1';
	put_attr(f, 0, "ssr", ssr);
}

static void probe_host(struct fixture *f)
{
	assert_int_equal(fixture_probe(f, "mmc_host", false), 0);
	assert_int_equal(fixture_sample(f, 0), 0);
}

static void a_host_too_deep_has_no_identity(void **unused)
{
	static const struct {
		unsigned n_chars; /* of "path:..." */
		bool fits;
	} cases[] = {{NODE_IDENTITY_MAX - 1, true}, {NODE_IDENTITY_MAX, false}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[NODE_IDENTITY_MAX] = "", path[512];
		struct fixture f;

		memset(name, 'x', cases[i].n_chars - strlen("path:"));
		fixture_start(&f);
		put_uhs_card(&f);
		put(&f, IOS, high_speed);
		snprintf(path, sizeof(path), "sys/devices/%s/uevent", name);
		put(&f, path, "");
		take_away(&f, "sys/devices/host0/mmc_host/mmc0/device");
		snprintf(path, sizeof(path), "../../../%s", name);
		put_link(&f, "sys/devices/host0/mmc_host/mmc0/device", path);
		probe_host(&f);
		assert_int_equal(strlen(row_of(&f, "mmc0")->identity),
				 cases[i].fits ? cases[i].n_chars : 0);
		fixture_end(&f);
	}
}

static void capped_card(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_uhs_card(&f);
	put(&f, IOS, high_speed);
	probe_host(&f);
	check_value(&f, "mmc0", "bus_rate", 24750000);
	check_value(&f, "mmc0", "capped", 1);
	check_value(&f, "mmc0", "timing_spec", 2);
	check_value(&f, "mmc0", "signal_voltage", 0);
	check_absent(&f, "mmc0", "cmd_timeouts");
	check_text(&f, "mmc0", "disk", "mmcblk0");
	assert_string_equal(row_of(&f, "mmc0")->identity, "path:host0");
	assert_non_null(strstr(item_of(&f, "mmc0")->reason, "capped"));
	assert_non_null(strstr(item_of(&f, "mmc0")->advice, "1.8 V or the tuning failed"));
	put(&f, "sys/kernel/debug/mmc0/caps", "0x4000000f\n");
	probe_host(&f);
	assert_non_null(strstr(item_of(&f, "mmc0")->advice, "offers no UHS mode"));
	put(&f, "sys/kernel/debug/mmc0/caps", "0x4001000f\n"); /* SDR12, the least of them */
	probe_host(&f);
	assert_non_null(strstr(item_of(&f, "mmc0")->advice, "1.8 V or the tuning failed"));

	put(&f, IOS,
	    "clock:\t\t208000000 Hz\npower mode:\t2 (on)\nbus width:\t2 (4 bits)\n"
	    "timing spec:\t6 (sd uhs SDR104)\nsignal voltage:\t1 (1.80 V)\n");
	probe_host(&f);
	check_value(&f, "mmc0", "capped", 0);
	check_value(&f, "mmc0", "bus_rate", 104000000);
	check_absent(&f, "mmc0", "actual_clock");
	assert_null(strstr(item_of(&f, "mmc0")->reason, "capped"));

	/* Switched off while idle: the mode of the next start is not that of the card. */
	put(&f, IOS,
	    "clock:\t\t0 Hz\npower mode:\t0 (off)\nbus width:\t0 (1 bits)\n"
	    "timing spec:\t0 (legacy)\nsignal voltage:\t0 (3.30 V)\n");
	probe_host(&f);
	check_value(&f, "mmc0", "power_mode", 0);
	check_value(&f, "mmc0", "clock", 0);
	check_absent(&f, "mmc0", "timing_spec");
	check_absent(&f, "mmc0", "bus_width");
	check_absent(&f, "mmc0", "signal_voltage");
	check_absent(&f, "mmc0", "bus_rate");
	check_absent(&f, "mmc0", "capped");
	fixture_end(&f);
}

static void watch_ios(void *arg, const char *path, bool contents)
{
	size_t *n = arg;

	*n += contents && !strcmp(path, IOS);
}

/* Kernels of some vendors fetch the card for ios, and with it wake it; so nobody reads it then. */
static void a_card_that_sleeps(void **unused)
{
	struct fixture f;
	size_t n_reads = 0;

	(void)unused;
	fixture_start(&f);
	put_uhs_card(&f);
	put(&f, IOS, high_speed);
	put(&f, ERR, "# Data CRC Errors Occurred:\t 7\n");
	/* Where the tree is asked, a read fails: of the probe too. */
	put(&f, "ERRORS", IOS "\tread\tEIO\n");
	put_attr(&f, 0, "power/runtime_status", "suspended\n");
	probe_host(&f);
	check_outcome(&f, "mmc0", OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, "mmc0")->reason, "suspended, mode not known"));
	take_away(&f, "ERRORS");
	probe_host(&f);
	hw_trace(f.hw, watch_ios, &n_reads);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fixture_sample(&f, 0), 0);
		assert_true(row_of(&f, "mmc0")->suspended);
		check_absent(&f, "mmc0", "timing_spec");
		check_absent(&f, "mmc0", "capped");
		check_value(&f, "mmc0", "data_crc_errors", 7);
		check_text(&f, "mmc0", "disk", "mmcblk0");
	}
	assert_int_equal(n_reads, 0);
	/* Such a kernel wakes it also out of the way into sleep. */
	put_attr(&f, 0, "power/runtime_status", "suspending\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_true(row_of(&f, "mmc0")->suspended);
	put_attr(&f, 0, "power/runtime_status", "active\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_false(row_of(&f, "mmc0")->suspended);
	check_value(&f, "mmc0", "timing_spec", 2);
	check_value(&f, "mmc0", "capped", 1);
	fixture_end(&f);
}

/* Without a descriptor nobody knows whether it sleeps: it is not woken, and not said to sleep. */
static void want_of_descriptors_is_not_sleep(void **unused)
{
	struct fixture f;
	struct rlimit limit;
	int fds[64], r;
	size_t n;

	(void)unused;
	fixture_start(&f);
	put_uhs_card(&f);
	put(&f, IOS, high_speed);
	put_attr(&f, 0, "power/runtime_status", "active\n");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), 0);
	/* From somewhere in the probe to its end: so that some files are left to the sample. */
	for (size_t at = 0; scarce_touch(&f, at, SIZE_MAX / 2, &r); at++) {
		if (r < 0)
			continue;
		n = take_descriptors(fds, &limit);
		assert_int_equal(fixture_sample(&f, 0), 0);
		give_back(fds, n, &limit);
		assert_false(row_of(&f, "mmc0")->suspended);
		if (value_of(&f, "mmc0", "timing_spec")->type == VALUE_FAULT)
			check_fault(&f, "mmc0", "timing_spec", EMFILE);
		else
			check_value(&f, "mmc0", "timing_spec", 2);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_value(&f, "mmc0", "timing_spec", 2);
	}
	fixture_end(&f);
}

static void want_of_descriptors_hides_and_wakes_nothing(void **unused)
{
	struct fixture f;
	int r;

	(void)unused;
	fixture_start(&f);
	put_uhs_card(&f);
	put(&f, IOS, high_speed);
	check_scarce_probes(&f, "mmc");
	check_scarce_probes(&f, "mmc_host");
	put_attr(&f, 0, "power/runtime_status", "suspended\n");
	check_scarce_probes(&f, "mmc_host");
	for (size_t at = 0; scarce_touch(&f, at, 1, &r); at++) {
		if (r < 0)
			continue;
		assert_int_equal(fixture_sample(&f, 0), 0);
		assert_true(row_of(&f, "mmc0")->suspended);
		check_absent(&f, "mmc0", "timing_spec");
	}
	take_away(&f, "sys/class"); /* by debugfs alone */
	check_scarce_probes(&f, "mmc_host");
	fixture_end(&f);
}

static void a_slow_card_is_not_capped(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "SD\n", CID_B); /* without SD Status nothing is promised */
	put(&f, IOS, high_speed);
	probe_host(&f);
	check_absent(&f, "mmc0", "capped");
	put(&f, IOS, "clock: 1 Hz\ntiming spec:\t16 (of the future)\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, "mmc0", "timing_spec", 12); /* OTHER: no fault, and no rate */
	check_absent(&f, "mmc0", "bus_rate");
	check_absent(&f, "mmc0", "power_mode");
	put(&f, IOS, "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "mmc0", "timing_spec", ENODATA);
	fixture_end(&f);
}

static void errors_of_a_host(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "MMC\n", CID_A);
	put(&f, ERR,
	    "# Command Timeout Occurred:\t 4\n# Data CRC Errors Occurred:\t 7\n"
	    "# CMDQ GCE Errors:\t -2\n# Tuning Error Occurred:\t no\n");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0); /* no ios: the counters alone */
	check_value(&f, "mmc0", "cmd_timeouts", 4);
	check_value(&f, "mmc0", "data_crc_errors", 7);
	check_value(&f, "mmc0", "cmdq_gce_errors", 4294967294);
	check_fault(&f, "mmc0", "tuning_errors", EINVAL);
	check_absent(&f, "mmc0", "adma_errors");
	check_absent(&f, "mmc0", "clock");
	put(&f, ERR, "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "mmc0", "adma_errors", ENODATA);
	fixture_end(&f);
}

static void why_no_debugfs(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_card(&f, 0, "MMC\n", CID_A);
	assert_int_equal(fixture_probe(&f, "mmc_host", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	check_outcome(&f, "mmc0", OUTCOME_NO_NODE);
	put(&f, "sys/kernel/debug/x", "");
	take_away(&f, "sys/kernel/debug/x");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_DISABLED);
	assert_non_null(strstr(item_of(&f, "")->advice, "mount -t debugfs"));
	put(&f, "sys/kernel/debug/bdi/x", "");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), -ENOENT);
	check_outcome(&f, "mmc0", OUTCOME_NO_NODE);
	put(&f, IOS, "");
	put(&f, ERR, "");
	put(&f, "ERRORS", IOS "\topen\tEACCES\n" ERR "\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), 0);
	check_outcome(&f, "mmc0", OUTCOME_DENIED);
	assert_non_null(strstr(item_of(&f, "mmc0")->reason, "may not be read"));
	assert_non_null(strstr(item_of(&f, "mmc0")->advice, "root"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, "mmc0", "timing_spec", EACCES);
	check_fault(&f, "mmc0", "cmd_timeouts", EACCES);
	take_away(&f, "ERRORS");
	put(&f, "proc/sys/kernel/osrelease", "6.1\n");
	put(&f, "boot/config-6.1", "CONFIG_MMC=y\n");
	take_away(&f, "sys/kernel/debug");
	assert_int_equal(fixture_probe(&f, "mmc_host", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_OPTION);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wear),
		cmocka_unit_test(end_of_life),
		cmocka_unit_test(sizes_and_areas),
		cmocka_unit_test(kinds_of_cards),
		cmocka_unit_test(identities),
		cmocka_unit_test(copies_in_one_place),
		cmocka_unit_test(another_card_in_the_slot),
		cmocka_unit_test(speed_of_sd),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(a_host_too_deep_has_no_identity),
		cmocka_unit_test(capped_card),
		cmocka_unit_test(a_card_that_sleeps),
		cmocka_unit_test(want_of_descriptors_is_not_sleep),
		cmocka_unit_test(want_of_descriptors_hides_and_wakes_nothing),
		cmocka_unit_test(a_slow_card_is_not_capped),
		cmocka_unit_test(errors_of_a_host),
		cmocka_unit_test(why_no_debugfs),
		cmocka_unit_test(why_there_is_no_wear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
