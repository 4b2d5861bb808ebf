/* Any bytes are either refused or a code of n ticks, and what was decoded codes back to the same
 * values. The first two bytes choose n. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void code_again(const int64_t *values, const uint8_t *absent, size_t n)
{
	static uint8_t blob[(SERIES_TICKS_MAX + 2) * 10];
	static int64_t again[SERIES_TICKS_MAX];
	static uint8_t gaps[SERIES_TICKS_MAX];
	size_t len;
	int64_t constant;

	if (series_encode(values, absent, n, blob, &len, &constant) != CELL_BLOB)
		return;
	if (series_decode(blob, len, n, again, gaps) < 0)
		abort();
	for (size_t i = 0; i < n; i++)
		if (gaps[i] != absent[i] || (!gaps[i] && again[i] != values[i]))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int64_t values[SERIES_TICKS_MAX];
	static uint8_t absent[SERIES_TICKS_MAX];

	if (size < 2)
		return 0;

	size_t n = 1 + (size_t)(data[0] << 8 | data[1]) % SERIES_TICKS_MAX;

	if (!series_decode(data + 2, size - 2, n, values, absent))
		code_again(values, absent, n);
	return 0;
}
