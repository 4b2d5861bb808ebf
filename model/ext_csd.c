#include "model/ext_csd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "model/mmc.h"
#include "model/mmc_life.h"

/* Places in the register, by the names of the standard. */
enum {
	CMDQ_MODE_EN = 15,
	CACHE_CTRL = 33,
	POWER_OFF_NOTIFICATION = 34,
	EXCEPTION_EVENTS_STATUS = 54, /* 2 bytes */
	DATA_SECTOR_SIZE = 61,
	BKOPS_EN = 163,
	BUS_WIDTH = 183,
	HS_TIMING = 185,
	EXT_CSD_REV = 192,
	SEC_COUNT = 212, /* 4 bytes */
	BKOPS_STATUS = 246,
	CACHE_SIZE = 249,       /* 4 bytes */
	FIRMWARE_VERSION = 254, /* 8 bytes */
	PRE_EOL_INFO = 267,
	DEVICE_LIFE_TIME_EST_TYP_A = 268,
	DEVICE_LIFE_TIME_EST_TYP_B = 269,
	VENDOR_PROPRIETARY_HEALTH_REPORT = 270, /* 32 bytes */
	CMDQ_DEPTH = 307,
	CMDQ_SUPPORT = 308,
	BKOPS_SUPPORT = 502,
};

enum {
	FIRMWARE_BYTES = 8,
	HEALTH_BYTES = 32,
	KILOBIT_BYTES = 128,
	/* First revisions with what is looked at. */
	REV_SECTORS = 2,
	REV_BKOPS = 5,
	REV_CACHE = 6,
	REV_CMDQ = 8,
};

const char *const ext_csd_bkops_states[] = {"none due", "due", "due and slowing it", "urgent",
					    NULL};
const char *const ext_csd_timing_states[] = {"legacy", "high-speed", "HS200", "HS400", NULL};
const char *const ext_csd_power_off_states[] = {"not used",       "powered on", "power off short",
						"power off long", "sleep",      NULL};
const char *const ext_csd_exceptions[EXT_CSD_N_EXCEPTIONS] = {
	"urgent background operations", "dynamic capacity needed",  "system pool exhausted",
	"packed command failed",        "extended security failed",
};

static int64_t little_endian(const uint8_t *p, size_t n)
{
	int64_t value = 0;

	while (n-- > 0)
		value = value << 8 | p[n];
	return value;
}

static bool are_alike(const uint8_t *p, size_t n)
{
	return !memcmp(p, p + 1, n - 1);
}

static void print_hex(char buf[EXT_CSD_TEXT_MAX], const char *prefix, const uint8_t *p, size_t n)
{
	struct text text = text_in(buf, EXT_CSD_TEXT_MAX);

	text_str(&text, prefix);
	for (size_t i = 0; i < n; i++)
		text_printf(&text, "%02x", p[i]);
}

/* Printable up to its end, which blanks and NULs fill. */
static size_t text_length(const uint8_t *p, size_t n)
{
	size_t len = n;

	while (len && (!p[len - 1] || p[len - 1] == ' '))
		len--;
	for (size_t i = 0; i < len; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return 0;
	return len;
}

static void set_firmware(struct ext_csd *ret, const uint8_t *p)
{
	size_t len = text_length(p, FIRMWARE_BYTES);

	if (!len) {
		print_hex(ret->firmware, "0x", p, FIRMWARE_BYTES);
		return;
	}
	memcpy(ret->firmware, p, len);
	ret->firmware[len] = '\0';
}

/* The host writes the code, and the card need not show it: 0 is one line, or no answer. */
static void set_bus_width(struct ext_csd *ret, uint8_t code)
{
	static const uint8_t lines[] = {0, 4, 8, 0, 0, 4, 8};

	code &= 0x0f;
	if (code >= ARRAY_SIZE(lines) || !lines[code])
		return;
	ret->bus_width = lines[code];
	ret->bus_both_edges = code >= 5;
}

static void set_bkops(struct ext_csd *ret, const uint8_t *bytes)
{
	if (!(bytes[BKOPS_SUPPORT] & 1))
		return;
	ret->bkops_status = bytes[BKOPS_STATUS];
	ret->bkops_manual = bytes[BKOPS_EN] & 1;
	if (ret->rev >= REV_CMDQ)
		ret->bkops_auto = bytes[BKOPS_EN] >> 1 & 1;
}

static void set_cache(struct ext_csd *ret, const uint8_t *bytes)
{
	ret->cache_bytes = little_endian(bytes + CACHE_SIZE, 4) * KILOBIT_BYTES;
	if (ret->cache_bytes)
		ret->cache_on = bytes[CACHE_CTRL] & 1;
	ret->exceptions = little_endian(bytes + EXCEPTION_EVENTS_STATUS, 2);
	ret->power_off_notification = bytes[POWER_OFF_NOTIFICATION];
	if (bytes[DATA_SECTOR_SIZE] <= 1)
		ret->sector_bytes = bytes[DATA_SECTOR_SIZE] ? 4096 : 512;
}

static void set_life(struct ext_csd *ret, const uint8_t *bytes)
{
	const uint8_t *health = bytes + VENDOR_PROPRIETARY_HEALTH_REPORT;

	ret->pre_eol_info = bytes[PRE_EOL_INFO];
	ret->life_time_a = bytes[DEVICE_LIFE_TIME_EST_TYP_A];
	ret->life_time_b = bytes[DEVICE_LIFE_TIME_EST_TYP_B];
	set_firmware(ret, bytes + FIRMWARE_VERSION);
	if (health[0] || !are_alike(health, HEALTH_BYTES))
		print_hex(ret->health, "", health, HEALTH_BYTES);
}

static void set_cmdq(struct ext_csd *ret, const uint8_t *bytes)
{
	if (!(bytes[CMDQ_SUPPORT] & 1))
		return;
	ret->cmdq_on = bytes[CMDQ_MODE_EN] & 1;
	ret->cmdq_depth = (bytes[CMDQ_DEPTH] & 0x1f) + 1;
}

static const struct ext_csd nothing = {
	.pre_eol_info = MMC_MISSING,
	.life_time_a = MMC_MISSING,
	.life_time_b = MMC_MISSING,
	.bkops_status = MMC_MISSING,
	.bkops_manual = MMC_MISSING,
	.bkops_auto = MMC_MISSING,
	.exceptions = MMC_MISSING,
	.cache_bytes = MMC_MISSING,
	.cache_on = MMC_MISSING,
	.sectors = MMC_MISSING,
	.cmdq_on = MMC_MISSING,
	.cmdq_depth = MMC_MISSING,
	.bus_width = MMC_MISSING,
	.bus_both_edges = MMC_MISSING,
	.power_off_notification = MMC_MISSING,
	.sector_bytes = MMC_MISSING,
};

int ext_csd_decode(const uint8_t bytes[EXT_CSD_BYTES], struct ext_csd *ret)
{
	if (are_alike(bytes, EXT_CSD_BYTES))
		return -ENODATA;
	*ret = nothing;
	ret->rev = bytes[EXT_CSD_REV];
	ret->timing = bytes[HS_TIMING] & 0x0f;
	ret->driver_strength = bytes[HS_TIMING] >> 4;
	set_bus_width(ret, bytes[BUS_WIDTH]);
	if (ret->rev >= REV_SECTORS && little_endian(bytes + SEC_COUNT, 4))
		ret->sectors = little_endian(bytes + SEC_COUNT, 4);
	if (ret->rev >= REV_BKOPS)
		set_bkops(ret, bytes);
	if (ret->rev >= REV_CACHE)
		set_cache(ret, bytes);
	if (ret->rev >= MMC_LIFE_REV)
		set_life(ret, bytes);
	if (ret->rev >= REV_CMDQ)
		set_cmdq(ret, bytes);
	return 0;
}
