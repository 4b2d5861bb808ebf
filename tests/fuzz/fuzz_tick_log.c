/* What a daemon that was killed has left in the runtime folder: as bytes, and as a record whose sum
 * is right, which comes twice so that its second one may refer to the texts of the first. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/tick_log.h"
#include "sampling/registry.h"

static void read_all(const uint8_t *bytes, size_t len, struct sink *sink)
{
	static struct tick_log_reader reader;
	struct tick_log_item item;

	tick_log_open(&reader, bytes, len);
	while (tick_log_next(&reader, registry(), INT64_C(1) << 50, sink, &item) > 0) {
		if (item.type == TICK_LOG_TICK &&
		    (item.group >= catalog_n_groups(registry()) || sink->n_rows > SINK_ROWS_MAX))
			abort();
		if (item.type == TICK_LOG_EVENT && item.event.severity > SEVERITY_CRITICAL)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t head[2] = {(uint32_t)size, tick_log_sum(data, size)};
	size_t one = sizeof(head) + size;
	uint8_t *bytes;
	static struct sink sink;
	static bool is_made;

	/* Made once: a sanitizer takes long over memory of its size. */
	if (size > 65536 || (!is_made && sink_init(&sink) < 0))
		return 0;
	is_made = true;
	read_all(data, size, &sink);
	bytes = malloc(2 * one);
	if (bytes) {
		for (size_t i = 0; i < 2; i++) {
			memcpy(bytes + i * one, head, sizeof(head));
			memcpy(bytes + i * one + sizeof(head), data, size);
		}
		read_all(bytes, 2 * one, &sink);
	}
	free(bytes);
	return 0;
}
