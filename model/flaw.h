/* What is wrong with an answer that came and is none. It is a negative number that stands in the
 * place of a device's own status (model/asking.h), so it is told for as long as the error is. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
	FLAW_CHECKSUM = -1,
	FLAW_NO_REGISTERS = -2, /* those that were asked for */
	FLAW_NO_JUDGEMENT = -3, /* neither good nor failing */
	/* Of records (model/command_record.h). */
	FLAW_NO_STATUS = -4,
	FLAW_NO_FAILURE = -5, /* a status that says that all went well */
	FLAW_NO_NUMBER = -6,
	FLAW_NO_FILE = -7,
};

/* All bytes are this one. */
#define FLAW_ALIKE(byte) (-0x100 - (byte))

/* So many bytes came. */
#define FLAW_LENGTH(bytes) (-0x10000 - (bytes))

/* Whether a page is an answer at all: what a device or bridge did not understand, or is not there,
 * reads as all zeros or all ones, and all ones even have the right checksum. 0; or -ENODATA when
 * all bytes are alike, with *ret_flaw. */
MUST_CHECK int flaw_check_page(const uint8_t *page, size_t size, int *ret_flaw);

/* The words for it; nothing for a number that is no flaw. page_bytes: of the answer as it should
 * be. */
void flaw_text(struct text *out, int flaw, size_t page_bytes);
