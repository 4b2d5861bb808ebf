#include "model/nvme_page.h"

#include <errno.h>

#define ZERO_CELSIUS_MILLIKELVIN 273150

/* All bytes of a number are looked at: the low half of one that is too wide would be a lie. */
static int64_t read_le(const uint8_t *p, size_t bytes, bool *ret_saturated)
{
	uint64_t low = 0;

	*ret_saturated = false;
	for (size_t i = bytes; i-- > 0;) {
		if (i < sizeof(low))
			low = low << 8 | p[i];
		else if (p[i])
			*ret_saturated = true;
	}
	*ret_saturated = *ret_saturated || low > INT64_MAX;
	return *ret_saturated ? INT64_MAX : (int64_t)low;
}

static void set_kelvin(struct row *row, const struct nvme_number *number, int64_t kelvin)
{
	if (kelvin)
		row_set(row, number->field, kelvin * 1000 - ZERO_CELSIUS_MILLIKELVIN);
	else if (number->kind == NVME_KELVIN)
		row_fault(row, number->field, ENODATA);
}

void nvme_page_fill(struct row *row, const uint8_t *page, const struct nvme_number *numbers,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool saturated;
		int64_t value = read_le(page + numbers[i].offset, numbers[i].bytes, &saturated);

		if (numbers[i].kind != NVME_PLAIN) {
			set_kelvin(row, &numbers[i], value);
			continue;
		}
		row_set(row, numbers[i].field, value);
		if (saturated)
			row_flag(row, numbers[i].field, FLAG_SATURATED);
	}
}
