/* What a ring has left of its records comes out of it, wherever its beginning was written over. */
#include "model/ring_log.h"
#include "tests/support/store_world.h"

#include "tests/bench/stream.h"

#define RING_BYTES 4096

static struct ring_log_writer writer;
static struct ring_log_reader reader;
static struct ring_log_origin origin;
static struct sink in, out;

/* As the kernel keeps it: a place that goes round. */
static uint8_t ring[RING_BYTES], linear[RING_BYTES];
static size_t n_written;

static void put(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		ring[n_written++ % RING_BYTES] = p[i];
}

/* Oldest byte first, as the next kernel shows it. */
static size_t left(void)
{
	size_t len = MIN(n_written, (size_t)RING_BYTES), from = n_written - len;

	for (size_t i = 0; i < len; i++)
		linear[i] = ring[(from + i) % RING_BYTES];
	return len;
}

static int start(void **state)
{
	(void)state;
	n_written = 0;
	ring_log_origin(&origin, "boot 1", 7);
	ring_log_begin(&writer, &origin);
	assert_int_equal(sink_init(&in), 0);
	return sink_init(&out);
}

static int stop(void **state)
{
	(void)state;
	sink_done(&in);
	sink_done(&out);
	return 0;
}

static void make_rows(size_t n)
{
	sink_reset(&in, &world_groups[0]);
	for (size_t i = 0; i < n; i++) {
		char name[32];
		struct row *row;

		snprintf(name, sizeof(name), "sd%zu", i);
		row = sink_row(&in, name, "an identity");
		row_set(row, READS, (int64_t)i * 1000);
		row_text(&in, row, MODEL, "X-1");
	}
}

static void put_tick(int64_t t_ms)
{
	assert_int_equal(ring_log_tick(&writer, 0, t_ms, 0, 1000, &in), 0);
	put(writer.buf, writer.len);
}

/* The times of what is read: how many there are, and the last; they follow each other. */
static int read_ticks(const uint8_t *bytes, size_t len, int64_t *ret_last_ms)
{
	struct tick_log_item item;
	int n = 0;

	*ret_last_ms = 0;
	ring_log_open(&reader, &origin, bytes, len);
	while (ring_log_next(&reader, &world_catalog, INT64_C(1) << 40, &out, &item) > 0) {
		assert_int_equal(item.type, TICK_LOG_TICK);
		assert_true(!n || item.t_ms == *ret_last_ms + 1000);
		assert_int_equal(out.n_rows, in.n_rows);
		for (size_t i = 0; i < out.n_rows; i++) {
			assert_string_equal(out.rows[i]->node, in.rows[i]->node);
			assert_string_equal(out.rows[i]->identity, "an identity");
			assert_int_equal(out.rows[i]->values[READS].i, i * 1000);
			assert_string_equal(sink_text(&out, &out.rows[i]->values[MODEL]), "X-1");
		}
		*ret_last_ms = item.t_ms;
		n++;
	}
	return n;
}

/* Every place at which a ring can be cut: so many ticks that its end wanders over all of a record.
 */
static void overwritten(void **state)
{
	int64_t last_ms;
	size_t len;

	(void)state;
	make_rows(3);
	for (int64_t t = 2001000; t <= 3000000; t += 1000) {
		put_tick(t);
		len = left();
		assert_int_equal(read_ticks(linear, len, &last_ms), len / writer.len);
		assert_int_equal(last_ms, t);
	}
	len = left();
	for (size_t from = 0; from <= len; from++) {
		assert_int_equal(read_ticks(linear + from, len - from, &last_ms),
				 (len - from) / writer.len);
		/* And at its end, as what was not written in whole. */
		assert_true(read_ticks(linear, from, &last_ms) <= (int)(from / writer.len));
	}
}

/* Any byte that is another one costs the record that has it, and no more. */
static void damaged(void **state)
{
	struct tick_log_item item;

	(void)state;
	make_rows(3);
	for (int64_t t = 1000; t <= 3000; t += 1000)
		put_tick(t);
	for (size_t at = writer.len; at < 2 * writer.len; at++) {
		ring[at] ^= 0x55;
		ring_log_open(&reader, &origin, ring, n_written);
		assert_int_equal(ring_log_next(&reader, &world_catalog, 9000, &out, &item), 1);
		assert_int_equal(item.t_ms, 1000);
		assert_int_equal(ring_log_next(&reader, &world_catalog, 9000, &out, &item), 1);
		assert_int_equal(item.t_ms, 3000);
		assert_int_equal(ring_log_next(&reader, &world_catalog, 9000, &out, &item), 0);
		ring[at] ^= 0x55;
	}
	/* A time that cannot be. */
	ring_log_open(&reader, &origin, ring, n_written);
	assert_int_equal(ring_log_next(&reader, &world_catalog, 999, &out, &item), 0);
}

/* Others write there too, and so did this daemon in another boot, or with other fields. */
static void of_others(void **state)
{
	static const char *const texts[] = {"a log line\n", "fs\xf5\x7e", "fs\xf5",
					    "\nECC: No errors\n"};
	struct ring_log_origin others[2];
	int64_t last_ms;

	(void)state;
	ring_log_origin(&others[0], "boot 0", 7);
	ring_log_origin(&others[1], "boot 1", 8);
	make_rows(1);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put(texts[i], strlen(texts[i]));
		ring_log_begin(&writer, &others[i % 2]);
		put_tick(77000);
		put(texts[i], strlen(texts[i]));
		ring_log_begin(&writer, &origin);
		put_tick(1000 + 1000 * (int64_t)i);
	}
	put(texts[1], strlen(texts[1]));
	assert_true(n_written < RING_BYTES);
	assert_int_equal(read_ticks(ring, n_written, &last_ms), ARRAY_SIZE(texts));
}

static void events_and_nodes(void **state)
{
	const struct event event = {
		.t_ms = 5, .t_end_ms = TIME_OPEN, .kind = "kind", .text = "it broke"};
	struct tick_log_item item;

	(void)state;
	assert_int_equal(ring_log_event(&writer, &event), 0);
	put(writer.buf, writer.len);
	assert_int_equal(ring_log_gone(&writer, "disk", "sd0", 9), 0);
	put(writer.buf, writer.len);
	ring_log_open(&reader, &origin, ring, n_written);
	assert_int_equal(ring_log_next(&reader, &world_catalog, 100, &out, &item), 1);
	assert_int_equal(item.type, TICK_LOG_EVENT);
	assert_string_equal(item.event.text, "it broke");
	assert_int_equal(ring_log_next(&reader, &world_catalog, 100, &out, &item), 1);
	assert_int_equal(item.type, TICK_LOG_GONE);
	assert_string_equal(item.node, "sd0");
	assert_int_equal(ring_log_next(&reader, &world_catalog, 100, &out, &item), 0);
}

/* What no ring would hold is not made, and what comes then is. */
static void too_long(void **state)
{
	(void)state;
	sink_reset(&in, &world_groups[0]);
	for (int i = 0; i < SINK_ROWS_MAX; i++) {
		char name[NODE_NAME_MAX];

		snprintf(name, sizeof(name), "a node with a long name, number %d", i);
		(void)sink_row(&in, name, "");
	}
	assert_int_equal(ring_log_tick(&writer, 0, 1000, 0, 1000, &in), -E2BIG);
	assert_int_equal(writer.len, 0);
	make_rows(3);
	assert_int_equal(ring_log_tick(&writer, 0, 1000, 0, 1000, &in), 0);
	assert_true(writer.len > 0 && writer.len <= RING_LOG_RECORD_MAX);
}

struct account {
	int64_t t_ms;
	size_t n_bytes;
};

static void add_up(const struct group *group, const struct sink *sink, void *arg)
{
	struct account *a = arg;

	assert_int_equal(
		ring_log_tick(&writer, (size_t)(group - stream_groups), a->t_ms, 0, 1000, sink), 0);
	a->n_bytes += writer.len;
}

/* How much of the reference stream (156 values a second) stands in 64 KiB. */
static void seconds_in_a_ring(void **state)
{
	static struct stream stream;
	struct account a = {0};
	size_t n_seconds;

	(void)state;
	stream_start(&stream);
	for (int64_t t = 0; t < STREAM_SECONDS; t++) {
		stream_tick(&stream, t);
		a.t_ms = STREAM_START_MS + t * 1000;
		stream_rows(&stream, &in, add_up, &a);
	}
	n_seconds = (size_t)65536 * STREAM_SECONDS / a.n_bytes;
	print_message("%zu bytes a second, %zu seconds in 64 KiB\n", a.n_bytes / STREAM_SECONDS,
		      n_seconds);
	assert_in_range(n_seconds, 45, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(overwritten, start, stop),
		cmocka_unit_test_setup_teardown(damaged, start, stop),
		cmocka_unit_test_setup_teardown(of_others, start, stop),
		cmocka_unit_test_setup_teardown(events_and_nodes, start, stop),
		cmocka_unit_test_setup_teardown(too_long, start, stop),
		cmocka_unit_test_setup_teardown(seconds_in_a_ring, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
