/* A page that a drive answers is read within its bounds, and no number of it is a negative one. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/collector.h"
#include "model/nvme_command.h"
#include "model/nvme_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct nvme_number numbers[] = {
		{0, 0, 1, NVME_PLAIN},   {1, 1, 2, NVME_KELVIN},           {2, 48, 16, NVME_PLAIN},
		{3, 192, 4, NVME_PLAIN}, {4, 214, 2, NVME_KELVIN_OR_NONE}, {5, 496, 16, NVME_PLAIN},
	};
	static struct row row;
	uint8_t *page = calloc(1, NVME_SMART_BYTES);

	if (!page)
		return 0;
	memset(&row, 0, sizeof(row));
	memcpy(page, data, MIN(size, (size_t)NVME_SMART_BYTES));
	nvme_page_fill(&row, page, numbers, ARRAY_SIZE(numbers));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const struct value *v = &row.values[numbers[i].field];

		if (numbers[i].kind == NVME_PLAIN && (v->type != VALUE_INT || v->i < 0))
			abort();
		if (v->type == VALUE_INT && v->i < -273150)
			abort();
		if (v->flag == FLAG_SATURATED && v->i != INT64_MAX)
			abort();
	}
	free(page);
	return 0;
}
