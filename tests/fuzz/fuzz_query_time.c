/* Times of requests come from anybody who reaches the port. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "query/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct boot boots[] = {
		{.id = 1, .wall_offset_ms = 1796000000000},
		{.id = 2, .wall_offset_ms = INT64_MAX},
		{.id = 3, .wall_offset_ms = INT64_MIN},
	};
	struct problem problem;
	int64_t wall_ms = -1;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';

	int r = query_time(text, 1796097600250, boots, ARRAY_SIZE(boots), &wall_ms, &problem);

	/* A time is one that the rest can compute with; a refusal says why and leaves no time. */
	if (r == 0 && (wall_ms < 0 || wall_ms > INT64_C(253402300799999)))
		abort();
	if (r < 0 && (wall_ms != -1 || !problem.detail[0]))
		abort();
	free(text);
	return 0;
}
