/* What is written into a log of ticks comes out of it, and nothing else does. */
#include "model/tick_log.h"
#include "tests/support/store_world.h"

static uint8_t buf[TICK_LOG_RECORD_MAX], bytes[1 << 20];
static size_t len;
static struct tick_log_writer writer = {.buf = buf};
static struct tick_log_reader reader;
static struct sink in, out;

static void take(int made)
{
	assert_int_equal(made, 0);
	assert_true(len + writer.len <= sizeof(bytes));
	memcpy(bytes + len, buf, writer.len);
	len += writer.len;
}

static int start(void **state)
{
	(void)state;
	len = 0;
	tick_log_begin(&writer);
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

static void make_rows(int64_t t_ms, size_t n)
{
	sink_reset(&in, &world_groups[0]);
	for (size_t i = 0; i < n; i++) {
		char name[32];
		struct row *row;

		snprintf(name, sizeof(name), "sd%zu", i);
		row = sink_row(&in, name, "an identity");
		row_set(row, READS, i ? -t_ms : INT64_MAX);
		row_flag(row, READS, FLAG_FILTERED);
		row_fault(row, TEMP, ENODATA);
		row_text(&in, row, MODEL, "X-1");
		row->suspended = i == 1;
	}
}

static void assert_rows(const struct sink *sink)
{
	assert_int_equal(sink->n_rows, in.n_rows);
	for (size_t i = 0; i < sink->n_rows; i++) {
		const struct row *a = in.rows[i], *b = sink->rows[i];

		assert_string_equal(a->node, b->node);
		assert_string_equal(a->identity, b->identity);
		assert_int_equal(a->suspended, b->suspended);
		for (size_t f = 0; f < 4; f++) {
			assert_int_equal(a->values[f].type, b->values[f].type);
			assert_int_equal(a->values[f].flag, b->values[f].flag);
			if (a->values[f].type != VALUE_TEXT)
				assert_int_equal(a->values[f].i, b->values[f].i);
			else
				assert_string_equal(sink_text(&in, &a->values[f]),
						    sink_text(sink, &b->values[f]));
		}
	}
}

static void ticks(void **state)
{
	struct tick_log_item item;
	size_t first;

	(void)state;
	make_rows(7, 3);
	in.partial = true;
	take(tick_log_tick(&writer, 0, 60000, -3, 1000, &in));
	first = len;
	take(tick_log_tick(&writer, 0, 61000, 0, 1000, &in));
	/* Texts that came before are numbers. */
	assert_true(len - first < first - 20);
	tick_log_open(&reader, bytes, len);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tick_log_next(&reader, &world_catalog, 100000, &out, &item), 1);
		assert_int_equal(item.type, TICK_LOG_TICK);
		assert_int_equal(item.t_ms, 60000 + 1000 * i);
		assert_int_equal(item.late_ms, i ? 0 : -3);
		assert_int_equal(item.step_ms, 1000);
		assert_true(out.partial && !out.overflow);
		assert_rows(&out);
	}
	assert_int_equal(tick_log_next(&reader, &world_catalog, 100000, &out, &item), 0);
	/* A time that has not come yet. */
	tick_log_open(&reader, bytes, len);
	assert_int_equal(tick_log_next(&reader, &world_catalog, 59999, &out, &item), -EBADMSG);
}

static void events_and_nodes(void **state)
{
	const struct event event = {.t_ms = 5,
				    .t_end_ms = TIME_OPEN,
				    .severity = SEVERITY_ERROR,
				    .kind = "kind",
				    .node = "sda",
				    .text = "it \"broke\"",
				    .evidence = "{\"a\":1}"};
	struct tick_log_item item;

	(void)state;
	take(tick_log_event(&writer, &event));
	take(tick_log_gone(&writer, "disk", "sd0", 9));
	tick_log_open(&reader, bytes, len);
	assert_int_equal(tick_log_next(&reader, &world_catalog, 100, &out, &item), 1);
	assert_int_equal(item.type, TICK_LOG_EVENT);
	assert_int_equal(item.event.t_end_ms, TIME_OPEN);
	assert_int_equal(item.event.severity, SEVERITY_ERROR);
	assert_string_equal(item.event.kind, "kind");
	assert_string_equal(item.event.collector, "");
	assert_string_equal(item.event.text, event.text);
	assert_string_equal(item.event.evidence, event.evidence);
	assert_int_equal(tick_log_next(&reader, &world_catalog, 100, &out, &item), 1);
	assert_int_equal(item.type, TICK_LOG_GONE);
	assert_string_equal(item.collector, "disk");
	assert_string_equal(item.node, "sd0");
	assert_int_equal(tick_log_next(&reader, &world_catalog, 100, &out, &item), 0);
}

/* Cut anywhere, or with any byte changed, it ends there, and what came before is whole. */
static void damage(void **state)
{
	struct tick_log_item item;
	size_t first;

	(void)state;
	make_rows(7, 2);
	take(tick_log_tick(&writer, 0, 1000, 0, 1000, &in));
	first = len;
	take(tick_log_tick(&writer, 0, 2000, 0, 1000, &in));
	for (size_t cut = first + 1; cut < len; cut++) {
		tick_log_open(&reader, bytes, cut);
		assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item), 1);
		assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item),
				 -EBADMSG);
	}
	for (size_t at = first; at < len; at++) {
		bytes[at] ^= 0x11;
		tick_log_open(&reader, bytes, len);
		assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item), 1);
		assert_rows(&out);
		assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item),
				 -EBADMSG);
		bytes[at] ^= 0x11;
	}
}

/* One that did not fit, or was not written, leaves no texts behind. */
static void what_is_dropped(void **state)
{
	struct tick_log_item item;

	(void)state;
	make_rows(7, 2);
	assert_int_equal(tick_log_tick(&writer, 0, 1000, 0, 1000, &in), 0);
	tick_log_drop(&writer);
	take(tick_log_tick(&writer, 0, 2000, 0, 1000, &in));
	/* Past the texts that can have numbers. */
	for (int i = 0; i < 3000; i += 10) {
		sink_reset(&in, &world_groups[0]);
		for (int k = 0; k < 10; k++) {
			char name[32];

			snprintf(name, sizeof(name), "node%d", i + k);
			row_set(sink_row(&in, name, name), READS, i);
		}
		take(tick_log_tick(&writer, 0, 3000 + i, 0, 1000, &in));
	}
	take(tick_log_tick(&writer, 0, 9000, 0, 1000, &in));
	tick_log_open(&reader, bytes, len);
	for (int i = 0; i < 302; i++)
		assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item), 1);
	assert_rows(&out);
	assert_int_equal(tick_log_next(&reader, &world_catalog, 9000, &out, &item), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ticks, start, stop),
		cmocka_unit_test_setup_teardown(events_and_nodes, start, stop),
		cmocka_unit_test_setup_teardown(damage, start, stop),
		cmocka_unit_test_setup_teardown(what_is_dropped, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
