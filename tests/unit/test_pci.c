/* What sysfs says of PCI functions: addresses, speeds, widths, error counters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/pci.h"

static void addresses(void **unused)
{
	static const char *const good[] = {"0000:01:00.0", "ffff:ff:1f.7", "10000:e1:00.0"};
	static const char *const bad[] = {
		"",
		"0000",
		"000:01:00.0",
		"0000:01:00",
		"0000:01:00.",
		"0000:01:00.10",
		"0000:1:00.0",
		"0000:01:00:0",
		"000g:01:00.0",
		"0000:01:00.0 ",
		" 0000:01:00.0",
		"pci0000:00",
		"000000000:01:00.0",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(pci_is_address(slice_of(good[i])));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (pci_is_address(slice_of(bad[i])))
			fail_msg("%s is an address", bad[i]);
}

static void speeds(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t mtps;
	} cases[] = {
		{"2.5 GT/s PCIe", 0, 2500},
		{"2.5 GT/s", 0, 2500},
		{"5 GT/s", 0, 5000},
		{"8 GT/s", 0, 8000},
		{"8.0 GT/s PCIe", 0, 8000},
		{"64.0 GT/s PCIe", 0, 64000},
		{"133 MHz PCI-X", -EINVAL, 0},
		{"Unknown", -ENODATA, 0},
		{"Unknown speed", -ENODATA, 0},
		{"", -ENODATA, 0},
		{"8.0", -EINVAL, 0},
		{"0 GT/s", -EINVAL, 0},
		{"-8 GT/s", -EINVAL, 0},
		{"8.x GT/s", -EINVAL, 0},
		{"99999999999999999999 GT/s", -EINVAL, 0},
		{"1000000000 GT/s", -EINVAL, 0},
		{"GT/s 8", -EINVAL, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t mtps = 0;
		int r = pci_parse_speed(cases[i].text, &mtps);

		if (r != cases[i].r || mtps != cases[i].mtps)
			fail_msg("'%s': %d, %lld", cases[i].text, r, (long long)mtps);
	}
	assert_int_equal(pci_speed_of_generation(0), 0);
	assert_int_equal(pci_speed_of_generation(1), 2500);
	assert_int_equal(pci_speed_of_generation(3), 8000);
	assert_int_equal(pci_speed_of_generation(6), 64000);
	assert_int_equal(pci_speed_of_generation(7), 0);
	assert_int_equal(pci_speed_of_generation(UINT32_MAX), 0);
}

static void widths(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t lanes;
	} cases[] = {
		{"0", 0, 0},
		{"1", 0, 1},
		{"32", 0, 32},
		{"63", -ENODEV, 0},
		{"255", -ENODATA, 0},
		{"Unknown", -ENODATA, 0},
		{"33", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"x4", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"4 lanes", -EINVAL, 0},
		{"99999999999999999999", -EINVAL, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t lanes = 0;
		int r = pci_parse_width(cases[i].text, &lanes);

		if (r != cases[i].r || lanes != cases[i].lanes)
			fail_msg("'%s': %d, %lld", cases[i].text, r, (long long)lanes);
	}
}

static void error_counters(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t total;
		const char *kinds;
	} cases[] = {
		{"RxErr 0\nBadTLP 0\nTOTAL_ERR_COR 0\n", 0, 0, ""},
		{"RxErr 3\nBadTLP 0\nTimeout 1\nTOTAL_ERR_COR 4\n", 0, 4, "RxErr, Timeout"},
		/* Bits that the kernel has no name for. */
		{"DLP 0\nUnknown Error Bit[31] 2\nTOTAL_ERR_FATAL 2\n", 0, 2,
		 "Unknown Error Bit[31]"},
		{"TOTAL_ERR_NONFATAL 9223372036854775807", 0, INT64_MAX, ""},
		{"TOTAL_ERR_COR 9223372036854775808\n", -EBADMSG, 0, ""},
		{"RxErr 3\n", -EBADMSG, 0, "RxErr"},
		{"TOTAL_ERR_COR\n", -EBADMSG, 0, ""},
		{"TOTAL_ERR_COR -1\n", -EBADMSG, 0, ""},
		{"7\n\n \nTOTAL_ERR_COR 1  \n", 0, 1, ""},
		{"", -EBADMSG, 0, ""},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[64];
		struct text kinds = TEXT_IN(buf);
		int64_t total = 0;
		int r = pci_parse_aer(slice_of(cases[i].text), &total, &kinds);

		if (r != cases[i].r || total != cases[i].total || strcmp(buf, cases[i].kinds) != 0)
			fail_msg("'%s': %d, %lld, %s", cases[i].text, r, (long long)total, buf);
	}
}

static void the_chosen_word(void **unused)
{
	static const char *const bad[] = {"", "default performance", "[", "]", "[]", "default] [x"};
	struct slice word;

	(void)unused;
	assert_int_equal(pci_parse_chosen(slice_of("default [powersave] x\n"), &word), 0);
	assert_true(slice_is(word, "powersave"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(pci_parse_chosen(slice_of(bad[i]), &word), -EINVAL);
}

static void power(void **unused)
{
	static const struct {
		const char *state, *status;
		int awake;
	} cases[] = {
		{"D0", "active", 1},
		{"D0", "unsupported", 1},
		{"D0", NULL, 1},
		{NULL, "active", 1},
		{NULL, NULL, 1},
		{"D3cold", "active", 0},
		{"D3hot", "unsupported", 0},
		{"D1", NULL, 0},
		{"D2", "suspended", 0},
		{"D0", "suspended", 0},
		{NULL, "suspending", 0},
		{"D0", "resuming", 0},
		{"unknown", "active", -ENODATA},
		{"error", NULL, -ENODATA},
		{"d0", "active", -ENODATA},
		{"D0", "error", -ENODATA},
		{"", "active", -ENODATA},
		{"D0", "", -ENODATA},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(pci_is_awake(cases[i].state, cases[i].status), cases[i].awake);
}

static void identities(void **unused)
{
	char buf[64];

	(void)unused;
	pci_identity("sys/devices/pci0000:00/0000:00:1c.0/0000:07:00.1", "8086:1", buf,
		     sizeof(buf));
	assert_string_equal(buf, "path:pci0000:00/1c.0/00.1@8086:1");
	pci_identity("elsewhere//0000:00:1c.0", "", buf, sizeof(buf));
	assert_string_equal(buf, "path:elsewhere//1c.0");
	pci_identity("", "", buf, sizeof(buf));
	assert_string_equal(buf, "path:");
	/* What is cut would be that of other slots, or of what was in the slot before. */
	pci_identity("sys/devices/pci0000:00/0000:00:1c.0/0000:07:00.1", "8086:1", buf, 33);
	assert_string_equal(buf, "path:pci0000:00/1c.0/00.1@8086:1");
	pci_identity("sys/devices/pci0000:00/0000:00:1c.0/0000:07:00.1", "8086:1", buf, 32);
	assert_string_equal(buf, "");
	pci_identity("sys/devices/pci0000:00/0000:00:1c.0/0000:07:00.1", "8086:1", buf, 20);
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),       cmocka_unit_test(speeds),
		cmocka_unit_test(widths),          cmocka_unit_test(error_counters),
		cmocka_unit_test(the_chosen_word), cmocka_unit_test(power),
		cmocka_unit_test(identities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
