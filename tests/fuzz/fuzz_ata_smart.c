/* Pages of SMART attributes, the thresholds behind the data: what is made of them is within its
 * bounds, and an id comes once. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/ata_smart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ata_smart *smart)
{
	int64_t value;
	uint8_t id;

	if (smart->n > ATA_ATTRIBUTES_MAX)
		abort();
	for (size_t i = 0; i < smart->n; i++) {
		const struct ata_attribute *a = &smart->v[i];

		if (!a->id || ata_smart_find(smart, a->id) != a || a->raw >> 48 ||
		    a->threshold > 253)
			abort();
		if (!a->threshold && (ata_attribute_fails(a) || ata_attribute_failed(a)))
			abort();
		if (ata_smart_count(smart, a->id, 24, &value) == 0 &&
		    (value < 0 || value >= 0xffffff))
			abort();
		if (ata_smart_count(smart, a->id, 48, &value) == 0 && value < 0)
			abort();
	}
	if (ata_smart_temperature(smart, &value) == 0 && (value < -128000 || value > 127000))
		abort();
	if (ata_smart_life_left(smart, &value, &id) == 0 &&
	    (value < 0 || value > 100 || !ata_smart_find(smart, id)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *pages = calloc(2, ATA_PAGE_BYTES);
	struct ata_smart smart;

	if (!pages)
		return 0;
	memcpy(pages, data, MIN(size, (size_t)2 * ATA_PAGE_BYTES));
	ata_smart_parse(pages, size > ATA_PAGE_BYTES ? pages + ATA_PAGE_BYTES : NULL, &smart);
	check(&smart);
	free(pages);
	return 0;
}
