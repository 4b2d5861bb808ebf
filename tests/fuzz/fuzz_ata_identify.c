/* The page of IDENTIFY DEVICE as libata prints it, and as bytes. The first byte chooses. Texts keep
 * to their lengths and are printable, and a page that was printed comes back as it was. */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/ata_identify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t max)
{
	size_t len = strlen(text);

	if (len > max || text[0] == ' ' || (len && text[len - 1] == ' '))
		abort();
	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)text[i]))
			abort();
}

static void check_page(const uint8_t page[ATA_PAGE_BYTES])
{
	char text[5 * 256 + 1];
	uint8_t again[ATA_PAGE_BYTES];
	struct ata_identify identify;

	ata_identify_parse(page, &identify);
	check_text(identify.model, sizeof(identify.model) - 1);
	check_text(identify.serial, sizeof(identify.serial) - 1);
	check_text(identify.firmware, sizeof(identify.firmware) - 1);
	if (identify.rotation_rate < 0 || identify.rotation_rate > 0xfffe)
		abort();
	ata_page_is_sound(page, true);
	for (size_t i = 0; i < 256; i++)
		snprintf(text + 5 * i, 6, "%04x%c", page[2 * i] | (unsigned)page[2 * i + 1] << 8,
			 (i + 1) & 7 ? ' ' : '\n');
	if (ata_identify_of_text(text, again) < 0 || memcmp(page, again, ATA_PAGE_BYTES) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t page[ATA_PAGE_BYTES] = {0};
	char *text;

	if (size < 1)
		return 0;
	if (data[0] & 1) {
		memcpy(page, data + 1, MIN(size - 1, sizeof(page)));
		check_page(page);
		return 0;
	}
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (ata_identify_of_text(text, page) == 0)
		check_page(page);
	free(text);
	return 0;
}
