#include "model/mmc.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "model/sysfs_nodes.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int mmc_hex(struct slice text, int64_t *ret)
{
	static const size_t max_digits = 15;
	int64_t value = 0;

	if (text.len > 2 && text.p[0] == '0' && (text.p[1] == 'x' || text.p[1] == 'X')) {
		text.p += 2;
		text.len -= 2;
	}
	if (!text.len || text.len > max_digits)
		return -EINVAL;
	for (size_t i = 0; i < text.len; i++) {
		int digit = digit_of(text.p[i]);

		if (digit < 0)
			return -EINVAL;
		value = value * 16 + digit;
	}
	*ret = value;
	return 0;
}

int mmc_life_time(const char *text, int64_t *ret_a, int64_t *ret_b)
{
	struct slice rest = slice_of(text), first, second, more;
	int64_t a, b;

	if (!slice_token(&rest, &first) || !slice_token(&rest, &second) ||
	    slice_token(&rest, &more) || mmc_hex(first, &a) < 0 || mmc_hex(second, &b) < 0)
		return -EINVAL;
	*ret_a = a;
	*ret_b = b;
	return 0;
}

bool mmc_life_used(int64_t code, struct mmc_used *ret)
{
	if (code < 1 || code > MMC_LIFE_EXCEEDED)
		return false;
	*ret = (struct mmc_used){(code - 1) * 10, code * 10, code < MMC_LIFE_EXCEEDED};
	return true;
}

#define SSR_BYTES 64

static bool is_video_class(int code)
{
	static const int classes[] = {0, 6, 10, 30, 60, 90};

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i] == code)
			return true;
	return false;
}

int mmc_ssr(const char *text, struct mmc_ssr *ret)
{
	static const int classes[] = {0, 2, 4, 6, 10}, grades[] = {0, 1, MMC_ODD, 3};
	unsigned char bytes[SSR_BYTES];
	bool empty = true;

	if (strlen(text) != SSR_BYTES * 2)
		return -EINVAL;
	for (size_t i = 0; i < SSR_BYTES; i++) {
		int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		bytes[i] = (unsigned char)(high << 4 | low);
		empty = empty && !bytes[i];
	}
	if (empty)
		return -ENODATA;
	/* Bit 511 comes first: SPEED_CLASS 447:440, UHS_SPEED_GRADE 399:396, VIDEO_SPEED_CLASS
	 * 391:384, APP_PERF_CLASS 339:336. */
	*ret = (struct mmc_ssr){
		.speed_class = bytes[8] < ARRAY_SIZE(classes) ? classes[bytes[8]] : MMC_ODD,
		.uhs_grade =
			bytes[14] >> 4 < (int)ARRAY_SIZE(grades) ? grades[bytes[14] >> 4] : MMC_ODD,
		.video_class = is_video_class(bytes[15]) ? bytes[15] : MMC_ODD,
		.app_class = (bytes[21] & 0x0f) <= 2 ? bytes[21] & 0x0f : MMC_ODD,
	};
	return 0;
}

const char *const mmc_timing_words[MMC_N_TIMINGS + 1] = {
	[MMC_TIMING_LEGACY] = "legacy",        [MMC_TIMING_MMC_HS] = "mmc high-speed",
	[MMC_TIMING_SD_HS] = "sd high-speed",  [MMC_TIMING_SDR12] = "sd uhs SDR12",
	[MMC_TIMING_SDR25] = "sd uhs SDR25",   [MMC_TIMING_SDR50] = "sd uhs SDR50",
	[MMC_TIMING_SDR104] = "sd uhs SDR104", [MMC_TIMING_DDR50] = "sd uhs DDR50",
	[MMC_TIMING_DDR52] = "mmc DDR52",      [MMC_TIMING_HS200] = "mmc HS200",
	[MMC_TIMING_HS400] = "mmc HS400",      [MMC_TIMING_HS400_ES] = "mmc HS400 enhanced strobe",
	[MMC_TIMING_OTHER] = STATE_OTHER,
};

const char *const mmc_power_words[] = {"off", "up", "on", NULL};
const char *const mmc_voltage_words[] = {"3.30 V", "1.80 V", "1.20 V", NULL};

/* Takes "label:" off the front of a line, and the blanks behind it. */
static bool take_label(struct slice *line, struct slice *ret_label)
{
	if (!slice_until(line, ':', ret_label))
		return false;
	while (line->len && (*line->p == ' ' || *line->p == '\t')) {
		line->p++;
		line->len--;
	}
	return true;
}

/* The first word as a number that is not negative. */
static int64_t number_of(struct slice value)
{
	struct slice token;
	int64_t number;

	return slice_token(&value, &token) && parse_i64_slice(token, &number) == 0 && number >= 0
		       ? number
		       : MMC_ODD;
}

/* What stands in the brackets behind the number. */
static bool take_brackets(struct slice value, struct slice *ret)
{
	struct slice before;

	return slice_until(&value, '(', &before) && slice_until(&value, ')', ret);
}

static int word_of(struct slice value, const char *const *words)
{
	struct slice word;

	if (!take_brackets(value, &word))
		return MMC_ODD;
	for (int i = 0; words[i]; i++)
		if (slice_is(word, words[i]) || !strcmp(words[i], STATE_OTHER))
			return i;
	return MMC_ODD;
}

void mmc_ios(struct slice text, struct mmc_ios *ret)
{
	struct slice line, label, bits;

	*ret = (struct mmc_ios){MMC_MISSING, MMC_MISSING, MMC_MISSING,
				MMC_MISSING, MMC_MISSING, MMC_MISSING};
	while (slice_line(&text, &line)) {
		if (!take_label(&line, &label))
			continue;
		if (slice_is(label, "clock"))
			ret->clock_hz = number_of(line);
		else if (slice_is(label, "actual clock"))
			ret->actual_clock_hz = number_of(line);
		else if (slice_is(label, "power mode"))
			ret->power_mode = word_of(line, mmc_power_words);
		else if (slice_is(label, "timing spec"))
			ret->timing = word_of(line, mmc_timing_words);
		else if (slice_is(label, "signal voltage"))
			ret->voltage = word_of(line, mmc_voltage_words);
		else if (slice_is(label, "bus width"))
			ret->bus_width = take_brackets(line, &bits) ? number_of(bits) : MMC_ODD;
	}
}

int64_t mmc_ios_bytes_per_second(const struct mmc_ios *ios)
{
	static const int64_t max_clock_hz = 10000000000, max_width = 64;
	int64_t clock = ios->actual_clock_hz > 0 ? ios->actual_clock_hz : ios->clock_hz;
	bool both_edges = ios->timing == MMC_TIMING_DDR50 || ios->timing == MMC_TIMING_DDR52 ||
			  ios->timing == MMC_TIMING_HS400 || ios->timing == MMC_TIMING_HS400_ES;

	if (clock <= 0 || clock > max_clock_hz || ios->bus_width <= 0 ||
	    ios->bus_width > max_width || ios->timing < 0 || ios->timing == MMC_TIMING_OTHER)
		return 0;
	return clock * ios->bus_width * (both_edges ? 2 : 1) / 8;
}

static const char *const error_labels[MMC_N_ERRORS] = {
	[MMC_ERROR_CMD_TIMEOUT] = "Command Timeout Occurred",
	[MMC_ERROR_CMD_CRC] = "Command CRC Errors Occurred",
	[MMC_ERROR_DATA_TIMEOUT] = "Data Timeout Occurred",
	[MMC_ERROR_DATA_CRC] = "Data CRC Errors Occurred",
	[MMC_ERROR_AUTO_CMD] = "Auto-Cmd Error Occurred",
	[MMC_ERROR_ADMA] = "ADMA Error Occurred",
	[MMC_ERROR_TUNING] = "Tuning Error Occurred",
	[MMC_ERROR_CMDQ_RED] = "CMDQ RED Errors",
	[MMC_ERROR_CMDQ_GCE] = "CMDQ GCE Errors",
	[MMC_ERROR_CMDQ_ICCE] = "CMDQ ICCE Errors",
	[MMC_ERROR_REQUEST_TIMEOUT] = "Request Timedout",
	[MMC_ERROR_CMDQ_REQUEST_TIMEOUT] = "CMDQ Request Timedout",
	[MMC_ERROR_ICE_CONFIG] = "ICE Config Errors",
	[MMC_ERROR_CONTROLLER_TIMEOUT] = "Controller Timedout errors",
	[MMC_ERROR_UNEXPECTED_IRQ] = "Unexpected IRQ errors",
};

static int64_t count_of(struct slice value)
{
	static const int64_t range = (int64_t)1 << 32;
	struct slice token, more;
	int64_t count;

	if (!slice_token(&value, &token) || slice_token(&value, &more) ||
	    parse_i64_slice(token, &count) < 0 || count < INT32_MIN || count >= range)
		return MMC_ODD;
	return count < 0 ? count + range : count;
}

size_t mmc_err_stats(struct slice text, int64_t ret[MMC_N_ERRORS])
{
	struct slice line, label;
	size_t n = 0;

	for (size_t i = 0; i < MMC_N_ERRORS; i++)
		ret[i] = MMC_MISSING;
	while (slice_line(&text, &line)) {
		if (line.len < 2 || memcmp(line.p, "# ", 2) != 0)
			continue;
		line.p += 2;
		line.len -= 2;
		if (!take_label(&line, &label))
			continue;
		for (size_t i = 0; i < MMC_N_ERRORS; i++)
			if (slice_is(label, error_labels[i]))
				ret[i] = count_of(line);
	}
	for (size_t i = 0; i < MMC_N_ERRORS; i++)
		n += ret[i] >= 0;
	return n;
}

/* What the clocks differ by without a sleep. */
#define SLEEP_MIN_MS 1000

int64_t mmc_init_ms(int64_t now_ms, int64_t asleep_ms, int64_t active_ms, int64_t suspended_ms)
{
	int64_t age_ms;

	if (asleep_ms >= SLEEP_MIN_MS || active_ms < 0 || suspended_ms < 0 ||
	    __builtin_add_overflow(active_ms, suspended_ms, &age_ms))
		return -1;
	return age_ms && age_ms <= now_ms - asleep_ms ? now_ms - asleep_ms - age_ms : -1;
}
