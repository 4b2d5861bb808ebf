/* What is wrong with an answer that came and is none. It is a negative number that stands in the
 * place of a device's own status (model/asking.h), so it is told for as long as the error is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* All bytes are this one. */
#define FLAW_ALIKE(byte) (-0x100 - (byte))

/* Whether a page is an answer at all: what a device or bridge did not understand, or is not there,
 * reads as all zeros or all ones, and all ones even have the right checksum. 0; or -ENODATA when
 * all bytes are alike, with *ret_flaw. */
MUST_CHECK int flaw_check_page(const uint8_t *page, size_t size, int *ret_flaw);

/* The words for it; nothing for a number that is no flaw. page_bytes: of the answer as it should
 * be. */
void flaw_text(struct text *out, int flaw, size_t page_bytes);
