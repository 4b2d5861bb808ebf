#include "model/flaw.h"

#include <errno.h>
#include <string.h>

int flaw_check_page(const uint8_t *page, size_t size, int *ret_flaw)
{
	if (memcmp(page, page + 1, size - 1) != 0)
		return 0;
	*ret_flaw = FLAW_ALIKE(page[0]);
	return -ENODATA;
}

void flaw_text(struct text *out, int flaw, size_t page_bytes)
{
	(void)page_bytes;
	if (flaw == FLAW_ALIKE(0))
		text_str(out, "the page is all zeros");
	else if (flaw < FLAW_ALIKE(0) && flaw >= FLAW_ALIKE(UINT8_MAX))
		text_printf(out, "all bytes of the page are %02Xh",
			    (unsigned)FLAW_ALIKE(0) - (unsigned)flaw);
}
