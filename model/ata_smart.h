/* The attributes of an ATA disk: the pages of SMART READ DATA and SMART READ THRESHOLDS.
 *
 * ATA specifies the commands and leaves the content to the vendor; since SFF-8035i all disks have
 * the same 30 entries of 12 bytes. Of an entry the normalised value (1 to 253, 100 or so when new,
 * less is worse) and its threshold are comparable, and the meaning of an id and of its raw bytes is
 * the vendor's. Taken here is only what disks of all vendors agree on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ata_identify.h"

#define ATA_ATTRIBUTES_MAX 30

enum {
	ATA_ATTRIBUTE_REALLOCATED = 5,
	ATA_ATTRIBUTE_POWER_ON = 9,
	ATA_ATTRIBUTE_POWER_CYCLES = 12,
	ATA_ATTRIBUTE_UNCORRECTED = 187,
	ATA_ATTRIBUTE_TEMPERATURE_2 = 190,
	ATA_ATTRIBUTE_TEMPERATURE = 194,
	ATA_ATTRIBUTE_PENDING = 197,
	ATA_ATTRIBUTE_OFFLINE_UNCORRECTABLE = 198,
	ATA_ATTRIBUTE_CRC_ERRORS = 199,
	ATA_ATTRIBUTE_WRITTEN = 241,
};

struct ata_attribute {
	uint8_t id;
	bool is_prefail;        /* below its threshold the disk is about to fail, else it is old */
	uint8_t current, worst; /* normalised; 0, 254 and 255 are none */
	uint8_t threshold;      /* 0: none */
	uint64_t raw;           /* 48 bits */
};

struct ata_smart {
	struct ata_attribute v[ATA_ATTRIBUTES_MAX]; /* as in the page, ids once */
	size_t n;
};

/* thresholds: NULL when they could not be read. */
void ata_smart_parse(const uint8_t data[ATA_PAGE_BYTES], const uint8_t *thresholds,
		     struct ata_smart *ret);

/* NULL when the disk has none with this id. */
const struct ata_attribute *ata_smart_find(const struct ata_smart *smart, uint8_t id);

/* The raw value as a count, of its lowest bits. -ENOENT when the disk has no such attribute, or has
 * no value for it: all ones. */
int ata_smart_count(const struct ata_smart *smart, uint8_t id, unsigned bits, int64_t *ret);

/* In millicelsius, the lowest byte of attribute 194 or else 190: the others hold extremes, or
 * nothing. -ENOENT as above, and when all bytes are 0. */
int ata_smart_temperature(const struct ata_smart *smart, int64_t *ret_millicelsius);

/* Part of the life of an SSD that is left, in percent, and the attribute that says so. Which one it
 * is differs by vendor; on a disk that rotates they mean other things, so it is not asked of those.
 * -ENOENT when there is none, or none with a percentage. */
int ata_smart_life_left(const struct ata_smart *smart, int64_t *ret_percent, uint8_t *ret_id);

/* Whether an attribute is at or below its threshold, now or at its worst. */
bool ata_attribute_fails(const struct ata_attribute *attribute);
bool ata_attribute_failed(const struct ata_attribute *attribute);
