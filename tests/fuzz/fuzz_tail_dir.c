/* The directory of a tail page: any text is either refused or describes cells that lie within the
 * data. The input is the directory, a NUL, and the data. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/series.h"
#include "store/dir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int64_t values[SERIES_TICKS_MAX];
	static uint8_t absent[SERIES_TICKS_MAX];
	static struct dir_reader dir;
	const uint8_t *end = memchr(data, 0, size);
	size_t dir_len = end ? (size_t)(end - data) : size;
	size_t data_len = end ? size - dir_len - 1 : 0;
	/* A copy of its own, so that a read past the end is seen. */
	uint8_t *copy = malloc(data_len + 1);

	if (!copy)
		return 0;
	if (data_len)
		memcpy(copy, end + 1, data_len);
	dir_start(&dir, (struct slice){(const char *)data, dir_len}, data_len);
	while (dir_next(&dir) > 0)
		for (size_t i = 0; i < dir.node.n_cells; i++)
			(void)!dir_decode(&dir.node.cells[i], copy, dir.node.n, values, absent);
	free(copy);
	return 0;
}
