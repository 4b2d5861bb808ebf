#include "model/ata_smart.h"

#include <errno.h>

#include "base/macros.h"

enum {
	FIRST_ENTRY = 2, /* behind the revision */
	ENTRY_BYTES = 12,
	FLAG_PREFAIL = 1,
	RAW_BYTES = 6,
	RAW_BITS = 48,
	VALUE_MAX = 253,
	THRESHOLD_MAX = 253, /* 254 is for tests of the vendor, 255 fails always */
};

static uint8_t threshold_of(const uint8_t *thresholds, uint8_t id)
{
	for (size_t i = 0; thresholds && i < ATA_ATTRIBUTES_MAX; i++) {
		const uint8_t *entry = thresholds + FIRST_ENTRY + i * ENTRY_BYTES;

		if (entry[0] == id)
			return entry[1] <= THRESHOLD_MAX ? entry[1] : 0;
	}
	return 0;
}

static uint64_t raw_of(const uint8_t *bytes)
{
	uint64_t raw = 0;

	for (size_t i = RAW_BYTES; i-- > 0;)
		raw = raw << 8 | bytes[i];
	return raw;
}

void ata_smart_parse(const uint8_t data[ATA_PAGE_BYTES], const uint8_t *thresholds,
		     struct ata_smart *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < ATA_ATTRIBUTES_MAX; i++) {
		const uint8_t *entry = data + FIRST_ENTRY + i * ENTRY_BYTES;

		if (!entry[0] || ata_smart_find(ret, entry[0]))
			continue;
		ret->v[ret->n++] = (struct ata_attribute){
			.id = entry[0],
			.is_prefail = entry[1] & FLAG_PREFAIL,
			.current = entry[3],
			.worst = entry[4],
			.threshold = threshold_of(thresholds, entry[0]),
			.raw = raw_of(entry + 5),
		};
	}
}

const struct ata_attribute *ata_smart_find(const struct ata_smart *smart, uint8_t id)
{
	for (size_t i = 0; i < smart->n; i++)
		if (smart->v[i].id == id)
			return &smart->v[i];
	return NULL;
}

static uint64_t ones(unsigned bits)
{
	return ((uint64_t)1 << bits) - 1;
}

/* All ones, of the bits that count or of a word of 32. */
static bool is_unknown(uint64_t raw, unsigned bits)
{
	return (raw & ones(bits)) == ones(bits) || raw == UINT32_MAX;
}

int ata_smart_count(const struct ata_smart *smart, uint8_t id, unsigned bits, int64_t *ret)
{
	const struct ata_attribute *attribute = ata_smart_find(smart, id);

	if (!attribute || is_unknown(attribute->raw, bits))
		return -ENOENT;
	*ret = (int64_t)(attribute->raw & ones(bits));
	return 0;
}

int ata_smart_temperature(const struct ata_smart *smart, int64_t *ret_millicelsius)
{
	static const uint8_t ids[] = {ATA_ATTRIBUTE_TEMPERATURE, ATA_ATTRIBUTE_TEMPERATURE_2};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct ata_attribute *attribute = ata_smart_find(smart, ids[i]);

		if (!attribute || !attribute->raw || is_unknown(attribute->raw, RAW_BITS))
			continue;
		*ret_millicelsius = (int64_t)(int8_t)(attribute->raw & 0xff) * 1000;
		return 0;
	}
	return -ENOENT;
}

/* SandForce, Phison and others; Micron; Toshiba and Silicon Motion; Intel; Samsung; Micron of
 * old. The first that a disk has is the one that is meant so: SandForce uses 233 otherwise. */
int ata_smart_life_left(const struct ata_smart *smart, int64_t *ret_percent, uint8_t *ret_id)
{
	static const uint8_t ids[] = {231, 202, 169, 233, 177, 173};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		const struct ata_attribute *attribute = ata_smart_find(smart, ids[i]);

		if (!attribute)
			continue;
		if (attribute->current > 100)
			return -ENOENT;
		*ret_percent = attribute->current;
		*ret_id = ids[i];
		return 0;
	}
	return -ENOENT;
}

static bool is_at_or_below(uint8_t value, uint8_t threshold)
{
	return threshold && value && value <= VALUE_MAX && value <= threshold;
}

bool ata_attribute_fails(const struct ata_attribute *attribute)
{
	return is_at_or_below(attribute->current, attribute->threshold);
}

bool ata_attribute_failed(const struct ata_attribute *attribute)
{
	return is_at_or_below(attribute->worst, attribute->threshold);
}
