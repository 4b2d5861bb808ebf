#include "model/flaw.h"

#include <errno.h>
#include <string.h>

static const char *const texts[] = {
	[-FLAW_CHECKSUM] = "the page has a wrong checksum",
	[-FLAW_NO_REGISTERS] = "the answer came without the disk's registers",
	[-FLAW_NO_JUDGEMENT] = "the answer is neither that of a good disk nor of a failing one",
	[-FLAW_NO_STATUS] = "the file .status that is recorded of it cannot be read as a status",
	[-FLAW_NO_FAILURE] = "the file .status that is recorded of it says that all went well",
	[-FLAW_NO_NUMBER] = "what is recorded of it is no number of 16 bits",
	[-FLAW_NO_FILE] = "what is recorded of it is no regular file",
};

int flaw_check_page(const uint8_t *page, size_t size, int *ret_flaw)
{
	if (memcmp(page, page + 1, size - 1) != 0)
		return 0;
	*ret_flaw = FLAW_ALIKE(page[0]);
	return -ENODATA;
}

static void length_text(struct text *out, size_t bytes, size_t page_bytes)
{
	if (bytes > page_bytes)
		text_printf(out, "the answer is longer than %zu bytes", page_bytes);
	else
		text_printf(out, "the answer is %zu of %zu bytes", bytes, page_bytes);
}

void flaw_text(struct text *out, int flaw, size_t page_bytes)
{
	if (flaw >= 0)
		return;
	if (flaw > -(int)ARRAY_SIZE(texts))
		text_str(out, texts[-flaw]);
	else if (flaw == FLAW_ALIKE(0))
		text_str(out, "the page is all zeros");
	else if (flaw < FLAW_ALIKE(0) && flaw >= FLAW_ALIKE(UINT8_MAX))
		text_printf(out, "all bytes of the page are %02Xh",
			    (unsigned)(FLAW_ALIKE(0) - flaw));
	else if (flaw <= FLAW_LENGTH(0))
		length_text(out, (size_t)((int64_t)FLAW_LENGTH(0) - flaw), page_bytes);
}
