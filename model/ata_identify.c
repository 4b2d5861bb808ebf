#include "model/ata_identify.h"

#include <errno.h>
#include <stddef.h>

#include "base/parse.h"

enum {
	WORD_SERIAL = 10,
	WORD_FIRMWARE = 23,
	WORD_MODEL = 27,
	WORD_SUPPORTED = 82, /* and 83: bits 15:14 are 01 when both are valid */
	WORD_ENABLED = 85,   /* and 87, the same */
	WORD_ROTATION_RATE = 217,
	WORD_INTEGRITY = 255,
	INTEGRITY_SIGNATURE = 0xa5,
	ROTATION_NONE = 1,
	ROTATION_MIN = 0x401,
	ROTATION_MAX = 0xfffe,
};

static unsigned word(const uint8_t *page, size_t i)
{
	return page[2 * i] | (unsigned)page[2 * i + 1] << 8;
}

/* Texts have the first character in the high byte. ret has n characters and a NUL. */
static void take_text(const uint8_t *page, size_t first, size_t n, char *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c = (char)page[(2 * first + i) ^ 1];

		if (!c || (c == ' ' && !len))
			continue;
		if ((unsigned char)c < ' ' || (unsigned char)c >= 0x7f)
			c = '?';
		ret[len++] = c;
	}
	while (len && ret[len - 1] == ' ')
		len--;
	ret[len] = '\0';
}

static bool is_valid(unsigned word)
{
	return word >> 14 == 1;
}

void ata_identify_parse(const uint8_t page[ATA_PAGE_BYTES], struct ata_identify *ret)
{
	unsigned rate = word(page, WORD_ROTATION_RATE);

	*ret = (struct ata_identify){0};
	take_text(page, WORD_MODEL, sizeof(ret->model) - 1, ret->model);
	take_text(page, WORD_SERIAL, sizeof(ret->serial) - 1, ret->serial);
	take_text(page, WORD_FIRMWARE, sizeof(ret->firmware) - 1, ret->firmware);
	if (rate == ROTATION_NONE || (rate >= ROTATION_MIN && rate <= ROTATION_MAX))
		ret->rotation_rate = (int)rate;
	ret->smart_supported =
		is_valid(word(page, WORD_SUPPORTED + 1)) && word(page, WORD_SUPPORTED) & 1;
	ret->smart_enabled = is_valid(word(page, WORD_ENABLED + 2)) && word(page, WORD_ENABLED) & 1;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Four digits. */
static int take_word(struct slice token, uint8_t bytes[2])
{
	unsigned value = 0;

	if (token.len != 4)
		return -EBADMSG;
	for (size_t i = 0; i < 4; i++) {
		int digit = hex_digit(token.p[i]);

		if (digit < 0)
			return -EBADMSG;
		value = value << 4 | (unsigned)digit;
	}
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
	return 0;
}

int ata_identify_of_text(const char *text, uint8_t page[ATA_PAGE_BYTES])
{
	struct slice rest = slice_of(text), line, token;
	size_t n = 0;

	while (slice_line(&rest, &line)) {
		while (slice_token(&line, &token)) {
			if (n == ATA_PAGE_BYTES || take_word(token, &page[n]) < 0)
				return -EBADMSG;
			n += 2;
		}
	}
	return n == ATA_PAGE_BYTES ? 0 : -EBADMSG;
}

bool ata_page_is_sound(const uint8_t page[ATA_PAGE_BYTES], bool is_identify)
{
	unsigned sum = 0;

	if (is_identify && page[2 * WORD_INTEGRITY] != INTEGRITY_SIGNATURE)
		return true;
	for (size_t i = 0; i < ATA_PAGE_BYTES; i++)
		sum += page[i];
	return (sum & 0xff) == 0;
}
