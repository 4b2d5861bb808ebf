/* The register EXT_CSD: what each revision has, and what it never tells. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/ext_csd.h"
#include "model/mmc.h"

static struct ext_csd decoded(const uint8_t *bytes)
{
	struct ext_csd csd;

	assert_int_equal(ext_csd_decode(bytes, &csd), 0);
	return csd;
}

static void says_nothing(void **unused)
{
	static const uint8_t alike[] = {0x00, 0xff, 0x55, 0x07};
	uint8_t bytes[EXT_CSD_BYTES];
	struct ext_csd csd = {.rev = -7};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(alike); i++) {
		memset(bytes, alike[i], sizeof(bytes));
		assert_int_equal(ext_csd_decode(bytes, &csd), -ENODATA);
		assert_int_equal(csd.rev, -7);
	}
	bytes[511] = 0;
	assert_int_equal(ext_csd_decode(bytes, &csd), 0);
}

/* All bytes set: what is reserved at a revision is not told whatever stands in it. */
static void revisions(void **unused)
{
	(void)unused;
	for (int rev = 0; rev < 256; rev++) {
		uint8_t bytes[EXT_CSD_BYTES];
		struct ext_csd csd;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(0xf1 + 2 * (i % 4));
		bytes[192] = (uint8_t)rev;
		csd = decoded(bytes);
		assert_int_equal(csd.rev, rev);
		assert_int_equal(csd.sectors >= 0, rev >= 2);
		assert_int_equal(csd.bkops_status >= 0, rev >= 5);
		assert_int_equal(csd.bkops_manual >= 0, rev >= 5);
		assert_int_equal(csd.bkops_auto >= 0, rev >= 8);
		assert_int_equal(csd.exceptions >= 0, rev >= 6);
		assert_int_equal(csd.cache_bytes >= 0, rev >= 6);
		assert_int_equal(csd.power_off_notification >= 0, rev >= 6);
		assert_int_equal(csd.life_time_a >= 0, rev >= 7);
		assert_int_equal(csd.life_time_b >= 0, rev >= 7);
		assert_int_equal(csd.pre_eol_info >= 0, rev >= 7);
		assert_int_equal(csd.firmware[0] != 0, rev >= 7);
		assert_int_equal(csd.health[0] != 0, rev >= 7);
		assert_int_equal(csd.cmdq_depth >= 0, rev >= 8);
		assert_int_equal(csd.cmdq_on >= 0, rev >= 8);
	}
}

static void numbers(void **unused)
{
	uint8_t bytes[EXT_CSD_BYTES] = {0};
	struct ext_csd csd;

	(void)unused;
	bytes[192] = 8;
	memset(bytes + 212, 0xff, 4);
	memset(bytes + 249, 0xff, 4);
	bytes[54] = 0x03, bytes[55] = 0x80;
	bytes[502] = 1, bytes[246] = 2, bytes[163] = 3;
	bytes[33] = 1;
	bytes[307] = 0xff, bytes[308] = 1, bytes[15] = 1;
	bytes[185] = 0x43, bytes[183] = 0x86;
	bytes[61] = 1;
	bytes[34] = 2;
	csd = decoded(bytes);
	assert_int_equal(csd.sectors, UINT32_MAX);
	assert_int_equal(csd.cache_bytes, INT64_C(0xffffffff) * 128);
	assert_int_equal(csd.cache_on, 1);
	assert_int_equal(csd.exceptions, 0x8003);
	assert_int_equal(csd.bkops_status, 2);
	assert_int_equal(csd.bkops_manual, 1);
	assert_int_equal(csd.bkops_auto, 1);
	assert_int_equal(csd.cmdq_depth, 32);
	assert_int_equal(csd.cmdq_on, 1);
	assert_int_equal(csd.timing, 3);
	assert_int_equal(csd.driver_strength, 4);
	assert_int_equal(csd.bus_width, 8);
	assert_int_equal(csd.bus_both_edges, 1);
	assert_int_equal(csd.sector_bytes, 4096);
	assert_int_equal(csd.power_off_notification, 2);
	/* Not the same as zero. */
	assert_int_equal(csd.life_time_a, 0);
	assert_string_equal(csd.health, "");
	memset(bytes + 212, 0, 4);
	memset(bytes + 249, 0, 4);
	bytes[502] = 0xfe, bytes[308] = 0xfe, bytes[61] = 2;
	csd = decoded(bytes);
	assert_int_equal(csd.sectors, MMC_MISSING);
	assert_int_equal(csd.cache_bytes, 0);
	assert_int_equal(csd.cache_on, MMC_MISSING);
	assert_int_equal(csd.bkops_status, MMC_MISSING);
	assert_int_equal(csd.bkops_auto, MMC_MISSING);
	assert_int_equal(csd.cmdq_depth, MMC_MISSING);
	assert_int_equal(csd.sector_bytes, MMC_MISSING);
}

static void bus_widths(void **unused)
{
	static const struct {
		uint8_t code;
		int64_t lines, both_edges;
	} cases[] = {
		{0x00, MMC_MISSING, MMC_MISSING},
		{0x01, 4, 0},
		{0x02, 8, 0},
		{0x03, MMC_MISSING, MMC_MISSING},
		{0x04, MMC_MISSING, MMC_MISSING},
		{0x05, 4, 1},
		{0x06, 8, 1},
		{0x07, MMC_MISSING, MMC_MISSING},
		{0x86, 8, 1},
		{0x0f, MMC_MISSING, MMC_MISSING},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t bytes[EXT_CSD_BYTES] = {0};
		struct ext_csd csd;

		bytes[192] = 5;
		bytes[183] = cases[i].code;
		csd = decoded(bytes);
		assert_int_equal(csd.bus_width, cases[i].lines);
		assert_int_equal(csd.bus_both_edges, cases[i].both_edges);
	}
}

static void firmwares(void **unused)
{
	static const struct {
		const char bytes[9], *text;
	} cases[] = {
		{"\x02\0\0\0\0\0\0\0", "0x0200000000000000"},
		{"\0\0\0\0\0\0\0\0", "0x0000000000000000"},
		{"0410PK01", "0410PK01"},
		{"BJNB    ", "BJNB"},
		{"10\0\0\0\0\0\0", "10"},
		{"1\0 2\0\0\0\0", "0x3100203200000000"},
		{"a\n\0\0\0\0\0\0", "0x610a000000000000"},
		{"        ", "0x2020202020202020"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff", "0xffffffffffffffff"},
		{"a\x1b[2J\0\0\0", "0x611b5b324a000000"},
		{"\0AB\0\0\0\0\0", "0x0041420000000000"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t bytes[EXT_CSD_BYTES] = {0};
		struct ext_csd csd;

		bytes[192] = 7;
		memcpy(bytes + 254, cases[i].bytes, 8);
		csd = decoded(bytes);
		assert_string_equal(csd.firmware, cases[i].text);
	}
}

static void health_report(void **unused)
{
	uint8_t bytes[EXT_CSD_BYTES] = {0};
	char expected[EXT_CSD_TEXT_MAX] = "";
	struct ext_csd csd;

	(void)unused;
	bytes[192] = 7;
	bytes[301] = 1;
	csd = decoded(bytes);
	assert_int_equal(strlen(csd.health), 64);
	assert_string_equal(csd.health + 62, "01");
	memset(bytes + 270, 0xff, 32);
	memset(expected, 'f', 64);
	csd = decoded(bytes);
	assert_string_equal(csd.health, expected);
}

/* The register of an eMMC that died in the field: every value of the table of that case. */
static void worn_card(void **unused)
{
	CLEANUP(fclosep)
	FILE *file = fopen(TEST_SOURCE_DIR
			   "/cases/11-emmc-extcsd-life-a-0b-pre-eol-normal/input/ext_csd.bin",
			   "r");
	uint8_t bytes[EXT_CSD_BYTES];
	struct ext_csd csd;

	(void)unused;
	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
	csd = decoded(bytes);
	assert_int_equal(csd.rev, 7);
	assert_int_equal(csd.pre_eol_info, 1);
	assert_int_equal(csd.life_time_a, 0x0b);
	assert_int_equal(csd.life_time_b, 2);
	assert_int_equal(csd.sectors * 512, 7902068736);
	assert_int_equal(csd.cache_bytes, 131072);
	assert_string_equal(csd.firmware, "0x0200000000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_nothing), cmocka_unit_test(revisions),
		cmocka_unit_test(numbers),      cmocka_unit_test(bus_widths),
		cmocka_unit_test(firmwares),    cmocka_unit_test(health_report),
		cmocka_unit_test(worn_card),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
