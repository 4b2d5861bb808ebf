/* Numbers of the pages that an NVMe controller answers: little-endian, up to 128 bits wide, in
 * units of the specification. A table says which number of a page is which field. NVM Express Base
 * Specification 2.0: SMART / Health Information, Identify Controller. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/sink.h"

enum nvme_number_kind {
	NVME_PLAIN,
	NVME_KELVIN,        /* to m degC; 0 is a value that is not there now, the fault ENODATA */
	NVME_KELVIN_OR_NONE /* to m degC; 0 is a sensor or limit that does not exist: absent */
};

struct nvme_number {
	size_t field;
	uint16_t offset;
	uint8_t bytes; /* 1, 2, 4 or 16 */
	enum nvme_number_kind kind;
};

/* Sets the fields of the numbers. What needs more than 63 bits is INT64_MAX, flagged saturated. */
void nvme_page_fill(struct row *row, const uint8_t *page, const struct nvme_number *numbers,
		    size_t n);
