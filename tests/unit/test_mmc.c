/* Texts and registers of MMC and SD cards. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "model/mmc.h"

static void life_times(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t a, b;
	} cases[] = {
		{"0x06 0x04", 0, 6, 4},
		{"0x0b 0x02", 0, 11, 2},
		{"0x0A 0x0B", 0, 10, 11},
		{"03 0a", 0, 3, 10}, /* without the 0x it is hexadecimal all the same */
		{"0x00 0x00", 0, 0, 0},
		{"\t0x01   0x03 ", 0, 1, 3},
		{"0xff 0xff", 0, 255, 255},
		{"", -EINVAL, 0, 0},
		{"0x03", -EINVAL, 0, 0},
		{"0x03 0x03 0x03", -EINVAL, 0, 0},
		{"0x03,0x03", -EINVAL, 0, 0},
		{"0x 0x", -EINVAL, 0, 0},
		{"-1 0x01", -EINVAL, 0, 0},
		{"0x01 worn", -EINVAL, 0, 0},
		{"0x01 0x0000000000000001", -EINVAL, 0, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t a = -7, b = -7;
		int r = mmc_life_time(cases[i].text, &a, &b);

		if (r != cases[i].r || (r == 0 && (a != cases[i].a || b != cases[i].b)) ||
		    (r < 0 && (a != -7 || b != -7)))
			fail_msg("'%s': %d, %lld %lld", cases[i].text, r, (long long)a,
				 (long long)b);
	}
}

static void life_ranges(void **unused)
{
	struct mmc_used used = {0};

	(void)unused;
	assert_false(mmc_life_used(0, &used)); /* not defined is not "new" */
	assert_false(mmc_life_used(12, &used));
	assert_false(mmc_life_used(-1, &used));
	for (int64_t code = 1; code <= 10; code++) {
		assert_true(mmc_life_used(code, &used));
		assert_int_equal(used.low_percent, (code - 1) * 10);
		assert_true(used.has_high);
		assert_int_equal(used.high_percent, code * 10);
	}
	assert_true(mmc_life_used(MMC_LIFE_EXCEEDED, &used));
	assert_int_equal(used.low_percent, 100);
	assert_false(used.has_high); /* never 110 % */
}

/* 64 bytes as hex with some of them set. */
static void ssr_text(char text[129], const unsigned char (*set)[2], size_t n)
{
	memset(text, '0', 128);
	text[128] = '\0';
	for (size_t i = 0; i < n; i++) {
		char hex[3];

		snprintf(hex, sizeof(hex), "%02x", set[i][1]);
		memcpy(text + (size_t)set[i][0] * 2, hex, 2);
	}
}

static void sd_status(void **unused)
{
	static const unsigned char fast[][2] = {{8, 4}, {14, 0x39}, {15, 30}, {21, 0xf2}};
	static const unsigned char slow[][2] = {{8, 2}};
	static const unsigned char strange[][2] = {{8, 5}, {14, 0x20}, {15, 7}, {21, 3}};
	struct mmc_ssr ssr = {0};
	char text[130];

	(void)unused;
	ssr_text(text, fast, ARRAY_SIZE(fast));
	assert_int_equal(mmc_ssr(text, &ssr), 0);
	assert_int_equal(ssr.speed_class, 10);
	assert_int_equal(ssr.uhs_grade, 3);
	assert_int_equal(ssr.video_class, 30);
	assert_int_equal(ssr.app_class, 2);
	ssr_text(text, slow, ARRAY_SIZE(slow));
	assert_int_equal(mmc_ssr(text, &ssr), 0);
	assert_int_equal(ssr.speed_class, 4);
	assert_int_equal(ssr.uhs_grade, 0);
	ssr_text(text, strange, ARRAY_SIZE(strange));
	assert_int_equal(mmc_ssr(text, &ssr), 0);
	assert_int_equal(ssr.speed_class, MMC_ODD);
	assert_int_equal(ssr.uhs_grade, MMC_ODD);
	assert_int_equal(ssr.video_class, MMC_ODD);
	assert_int_equal(ssr.app_class, MMC_ODD);
	ssr_text(text, NULL, 0);
	assert_int_equal(mmc_ssr(text, &ssr), -ENODATA);
	text[5] = 'g';
	assert_int_equal(mmc_ssr(text, &ssr), -EINVAL);
	text[127] = '\0';
	assert_int_equal(mmc_ssr(text, &ssr), -EINVAL);
	assert_int_equal(mmc_ssr("", &ssr), -EINVAL);
}

static void bus_modes(void **unused)
{
	static const struct {
		const char *text;
		struct mmc_ios ios;
		int64_t rate;
	} cases[] = {
		{"clock:\t\t200000000 Hz\nactual clock:\t200000000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\n"
		 "power mode:\t2 (on)\nbus width:\t3 (8 bits)\n"
		 "timing spec:\t10 (mmc HS400 enhanced strobe)\nsignal voltage:\t1 (1.80 V)\n",
		 {200000000, 200000000, 8, 2, MMC_TIMING_HS400_ES, 1},
		 400000000},
		/* The number of the timing has changed between kernels, the words have not. */
		{"clock:\t\t50000000 Hz\npower mode:\t2 (on)\nbus width:\t2 (4 bits)\n"
		 "timing spec:\t5 (sd uhs DDR50)\n",
		 {50000000, MMC_MISSING, 4, 2, MMC_TIMING_DDR50, MMC_MISSING},
		 50000000},
		{"clock:\t\t50000000 Hz\nbus width:\t2 (4 bits)\ntiming spec:\t2 (sd high-speed)\n",
		 {50000000, MMC_MISSING, 4, MMC_MISSING, MMC_TIMING_SD_HS, MMC_MISSING},
		 25000000},
		{"clock:\t\t0 Hz\npower mode:\t0 (off)\nbus width:\t0 (1 bits)\n"
		 "timing spec:\t0 (legacy)\nsignal voltage:\t0 (3.30 V)\n",
		 {0, MMC_MISSING, 1, 0, MMC_TIMING_LEGACY, 0},
		 0},
		{"timing spec:\t13 (invalid)\nclock:\t\tfast\nbus width:\t9\nsignal voltage:\n",
		 {MMC_ODD, MMC_MISSING, MMC_ODD, MMC_MISSING, MMC_TIMING_OTHER, MMC_ODD},
		 0},
		{"clock: 1000000 Hz\nbus width:\t0 (1 bits)\ntiming spec:\t13 UHS-II\n",
		 {1000000, MMC_MISSING, 1, MMC_MISSING, MMC_ODD, MMC_MISSING},
		 0},
		{"clock: 1000000 Hz\nbus width:\t0 (1 bits)\ntiming spec:\t13 (UHS-II)\n",
		 {1000000, MMC_MISSING, 1, MMC_MISSING, MMC_TIMING_OTHER, MMC_MISSING},
		 0},
		{"clock:-1\nactual clock:99999999999999999999 Hz\npower mode:(on\n",
		 {MMC_ODD, MMC_ODD, MMC_MISSING, MMC_ODD, MMC_MISSING, MMC_MISSING},
		 0},
		{"clock: 9223372036854775807 Hz\nbus width: 1 (9223372036854775807 bits)\n"
		 "timing spec: 0 (legacy)",
		 {INT64_MAX, MMC_MISSING, INT64_MAX, MMC_MISSING, MMC_TIMING_LEGACY, MMC_MISSING},
		 0},
		{"", {-1, -1, -1, -1, -1, -1}, 0},
		{"\n:\n::\n(on)\nclock", {-1, -1, -1, -1, -1, -1}, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mmc_ios *want = &cases[i].ios;
		struct mmc_ios ios;

		mmc_ios(slice_of(cases[i].text), &ios);
		if (ios.clock_hz != want->clock_hz ||
		    ios.actual_clock_hz != want->actual_clock_hz ||
		    ios.bus_width != want->bus_width || ios.power_mode != want->power_mode ||
		    ios.timing != want->timing || ios.voltage != want->voltage)
			fail_msg("%zu: %lld %lld %lld %d %d %d", i, (long long)ios.clock_hz,
				 (long long)ios.actual_clock_hz, (long long)ios.bus_width,
				 ios.power_mode, ios.timing, ios.voltage);
		assert_int_equal(mmc_ios_bytes_per_second(&ios), cases[i].rate);
	}
}

static void error_counters(void **unused)
{
	static const char text[] = "# Command Timeout Occurred:\t 3\n"
				   "# Data CRC Errors Occurred:\t 17\n"
				   "# CMDQ RED Errors:\t -1\n"
				   "# Request Timedout:\t many\n"
				   "# Tuning Error Occurred:\t 1 2\n"
				   "# ADMA Error Occurred:\t 4294967296\n"
				   "# Auto-Cmd Error Occurred:\t\n"
				   "# An error of the future:\t 9\n"
				   "#\n# \nData Timeout Occurred:\t 5\n"
				   "# Unexpected IRQ errors:\t 2147483647";
	int64_t counts[MMC_N_ERRORS];

	(void)unused;
	assert_int_equal(mmc_err_stats(slice_of(text), counts), 4);
	assert_int_equal(counts[MMC_ERROR_CMD_TIMEOUT], 3);
	assert_int_equal(counts[MMC_ERROR_DATA_CRC], 17);
	assert_int_equal(counts[MMC_ERROR_CMDQ_RED], 4294967295);
	assert_int_equal(counts[MMC_ERROR_UNEXPECTED_IRQ], 2147483647);
	assert_int_equal(counts[MMC_ERROR_REQUEST_TIMEOUT], MMC_ODD);
	assert_int_equal(counts[MMC_ERROR_TUNING], MMC_ODD);
	assert_int_equal(counts[MMC_ERROR_ADMA], MMC_ODD);
	assert_int_equal(counts[MMC_ERROR_AUTO_CMD], MMC_ODD);
	assert_int_equal(counts[MMC_ERROR_DATA_TIMEOUT], MMC_MISSING);
	assert_int_equal(counts[MMC_ERROR_CMD_CRC], MMC_MISSING);
	assert_int_equal(mmc_err_stats(slice_of("Not supported by driver\n"), counts), 0);
	assert_int_equal(mmc_err_stats(slice_of(""), counts), 0);
}

static void init_times(void **unused)
{
	static const struct {
		int64_t now_ms, asleep_ms, active_ms, suspended_ms, expected;
	} cases[] = {
		{100000, 0, 60000, 38000, 2000},
		{100000, 999, 60000, 37000, 2001},
		/* While the machine goes to sleep and wakes up nobody counts. */
		{100000, 1000, 60000, 37000, -1},
		{INT64_MAX, INT64_MAX, 1, 1, -1},
		{100000, 0, 100000, 0, 0},
		{100000, 0, 100001, 0, -1},
		{100000, 0, 0, 0, -1}, /* without runtime power management */
		{100000, 0, -1, 5, -1},
		{100000, 0, 5, -1, -1},
		{INT64_MAX, 0, INT64_MAX, 1, -1},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(mmc_init_ms(cases[i].now_ms, cases[i].asleep_ms,
					     cases[i].active_ms, cases[i].suspended_ms),
				 cases[i].expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_times),     cmocka_unit_test(life_ranges),
		cmocka_unit_test(sd_status),      cmocka_unit_test(bus_modes),
		cmocka_unit_test(error_counters), cmocka_unit_test(init_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
