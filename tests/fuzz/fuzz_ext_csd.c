/* A register that a card answers is read within its bounds; no number of it is negative, and no
 * text of it commands a terminal. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/ext_csd.h"
#include "model/mmc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t max)
{
	size_t len = strnlen(text, EXT_CSD_TEXT_MAX);

	if (len > max)
		abort();
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			abort();
}

static void check_numbers(const struct ext_csd *csd)
{
	const int64_t numbers[] = {
		csd->pre_eol_info, csd->life_time_a,
		csd->life_time_b,  csd->bkops_status,
		csd->bkops_manual, csd->bkops_auto,
		csd->exceptions,   csd->cache_bytes,
		csd->cache_on,     csd->sectors,
		csd->cmdq_on,      csd->cmdq_depth,
		csd->bus_width,    csd->bus_both_edges,
		csd->sector_bytes, csd->power_off_notification,
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i] < MMC_MISSING || numbers[i] > INT64_C(128) << 32)
			abort();
	if (csd->rev < 0 || csd->rev > 255 || csd->timing < 0 || csd->timing > 15 ||
	    csd->driver_strength < 0 || csd->driver_strength > 15 || csd->sectors == 0)
		abort();
	if (csd->rev < 7 && (csd->life_time_a >= 0 || csd->life_time_b >= 0 ||
			     csd->pre_eol_info >= 0 || csd->firmware[0] || csd->health[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = calloc(1, EXT_CSD_BYTES);
	struct ext_csd csd;

	if (!bytes)
		return 0;
	memcpy(bytes, data, MIN(size, (size_t)EXT_CSD_BYTES));
	if (ext_csd_decode(bytes, &csd) == 0) {
		check_numbers(&csd);
		check_text(csd.firmware, 18);
		check_text(csd.health, 64);
	}
	free(bytes);
	return 0;
}
