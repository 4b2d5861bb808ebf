/* What is left in a ring after a restart: as bytes, and as a record whose key and sum are right,
 * between others that are cut. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/ring_log.h"
#include "sampling/registry.h"

static struct ring_log_origin origin;

static void read_all(const uint8_t *bytes, size_t len, struct sink *sink)
{
	static struct ring_log_reader reader;
	struct tick_log_item item;
	size_t n = 0;

	ring_log_open(&reader, &origin, bytes, len);
	for (; ring_log_next(&reader, registry(), INT64_C(1) << 50, sink, &item) > 0; n++)
		if (item.type == TICK_LOG_TICK &&
		    (item.group >= catalog_n_groups(registry()) || sink->n_rows > SINK_ROWS_MAX))
			abort();
	if (reader.at != len || n > len / RING_LOG_HEAD_BYTES)
		abort();
}

/* The record of an event, with what the fuzzer wants in front of it and behind. */
static void put_between(const uint8_t *data, size_t size, struct sink *sink)
{
	static struct ring_log_writer writer;
	const struct event event = {.t_ms = 1, .t_end_ms = 1, .kind = "kind"};
	size_t cut = size / 2;
	uint8_t *bytes;

	ring_log_begin(&writer, &origin);
	if (ring_log_event(&writer, &event) < 0)
		abort();
	bytes = malloc(size + writer.len);
	if (!bytes)
		return;
	memcpy(bytes, data, cut);
	memcpy(bytes + cut, writer.buf, writer.len);
	memcpy(bytes + cut + writer.len, data + cut, size - cut);
	read_all(bytes, size + writer.len, sink);
	free(bytes);
}

/* As a record with the right sums. */
static void read_sealed(const uint8_t *data, size_t size, struct sink *sink)
{
	uint32_t head[2] = {(uint32_t)size, tick_log_sum(data, size)};
	static uint8_t bytes[RING_LOG_RECORD_MAX];

	if (size > sizeof(bytes) - RING_LOG_HEAD_BYTES - sizeof(head))
		return;
	memcpy(bytes + RING_LOG_HEAD_BYTES, head, sizeof(head));
	memcpy(bytes + RING_LOG_HEAD_BYTES + sizeof(head), data, size);
	ring_log_seal(bytes, &origin);
	read_all(bytes, RING_LOG_HEAD_BYTES + sizeof(head) + size, sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sink sink;
	static bool is_made;

	if (size > 65536 || (!is_made && sink_init(&sink) < 0))
		return 0;
	is_made = true;
	ring_log_origin(&origin, "boot", 1);
	read_all(data, size, &sink);
	put_between(data, size, &sink);
	read_sealed(data, size, &sink);
	return 0;
}
