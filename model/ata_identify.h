/* What an ATA device says of itself: the page of IDENTIFY DEVICE, 256 words of 16 bits, the low
 * byte of each first. ATA/ATAPI Command Set (ACS-3), IDENTIFY DEVICE.
 *
 * libata keeps the page of its last IDENTIFY and prints it in the file id of the device
 * (drivers/ata/libata-transport.c), so most of it costs no command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define ATA_PAGE_BYTES 512

struct ata_identify {
	/* Without the blanks around; what is not printable is '?'; "" when not given. */
	char model[41], serial[21], firmware[9];
	int rotation_rate; /* per minute; 1: does not rotate; 0: not said */
	bool smart_supported, smart_enabled;
};

void ata_identify_parse(const uint8_t page[ATA_PAGE_BYTES], struct ata_identify *ret);

/* The page from the text of the file id: words in hex. -EBADMSG for anything else. */
MUST_CHECK int ata_identify_of_text(const char *text, uint8_t page[ATA_PAGE_BYTES]);

/* Whether the bytes of a page add up to 0, as those of SMART pages have to, and those of IDENTIFY
 * DEVICE where its last word says so (is_identify). */
bool ata_page_is_sound(const uint8_t page[ATA_PAGE_BYTES], bool is_identify);
