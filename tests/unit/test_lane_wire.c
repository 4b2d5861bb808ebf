/* Packets between sampler and lane: what goes in comes out, and nothing else is taken. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "sampling/wire.h"

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_COUNTER, ""},
	{"b", UNIT_COUNT, KIND_GAUGE, ""},
	{"c", UNIT_NONE, KIND_INFO, ""},
};

static const struct group groups[] = {
	{.name = "one", .fields = fields, .n_fields = ARRAY_SIZE(fields)},
	{.name = "two", .fields = fields, .n_fields = 2},
};

static const struct collector collector = {.name = "c", .groups = groups, .n_groups = 2};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static uint8_t packet[WIRE_MESSAGE_MAX];

static void assert_same_rows(const struct sink *a, const struct sink *b)
{
	assert_int_equal(a->n_rows, b->n_rows);
	for (size_t i = 0; i < a->n_rows; i++) {
		const struct row *x = a->rows[i], *y = b->rows[i];

		assert_string_equal(x->node, y->node);
		assert_string_equal(x->identity, y->identity);
		assert_int_equal(x->suspended, y->suspended);
		for (size_t k = 0; k < a->group->n_fields; k++) {
			assert_int_equal(x->values[k].type, y->values[k].type);
			assert_int_equal(x->values[k].flag, y->values[k].flag);
			if (x->values[k].type == VALUE_TEXT)
				assert_string_equal(sink_text(a, &x->values[k]),
						    sink_text(b, &y->values[k]));
			else
				assert_int_equal(x->values[k].i, y->values[k].i);
		}
	}
}

static void fill_rows(struct sink *sink, size_t n_rows)
{
	char name[NODE_NAME_MAX], text[INFO_TEXT_MAX];

	sink_reset(sink, &groups[0]);
	for (size_t i = 0; i < n_rows; i++) {
		snprintf(name, sizeof(name), "node%zu", i);

		struct row *row = sink_row(sink, name, i % 2 ? "id" : "");

		row->suspended = i % 4 == 1;
		if (i % 3)
			row_set(row, 0, i % 2 ? INT64_MIN : INT64_MAX);
		row_flag(row, 0, i % 3 == 1 ? FLAG_IMPLAUSIBLE : FLAG_NONE);
		row_fault(row, 1, -ETIMEDOUT);
		memset(text, 'x', sizeof(text) - 1);
		text[i % (sizeof(text) - 1)] = '\0';
		if (i < 80)
			row_text(sink, row, 2, text);
	}
}

/* Sends all packets of a sink into another. Returns how many there were. */
static size_t carry_rows(const struct sink *from, struct sink *to)
{
	struct wire_rows head = {
		.group = 0, .t_ms = 7000, .at_ms = 7003, .duration_us = 55, .error = -ENODEV};
	struct wire_rows got;
	size_t next = 0, n = 0;

	do {
		size_t len = wire_put_rows(packet, &head, from, &next);

		assert_int_equal(wire_type(packet, len), WIRE_ROWS);
		assert_int_equal(wire_get_rows(packet, len, &catalog, &got, to), 0);
		assert_int_equal(got.first, n == 0);
		assert_int_equal(got.last, head.last);
		n++;
	} while (!head.last);
	assert_int_equal(got.t_ms, 7000);
	assert_int_equal(got.at_ms, 7003);
	assert_int_equal(got.duration_us, 55);
	assert_int_equal(got.error, -ENODEV);
	return n;
}

static void rows_come_out_as_they_went_in(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 80, SINK_ROWS_MAX};
	struct sink from, to;

	(void)state;
	assert_int_equal(sink_init(&from), 0);
	assert_int_equal(sink_init(&to), 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill_rows(&from, sizes[i]);
		carry_rows(&from, &to);
		assert_same_rows(&from, &to);
	}
	sink_done(&from);
	sink_done(&to);
}

static void long_answers_take_several_packets(void **state)
{
	static struct field many[SINK_FIELDS_MAX];
	static const struct group wide = {
		.name = "wide", .fields = many, .n_fields = SINK_FIELDS_MAX};
	static const struct collector wide_collector = {
		.name = "w", .groups = &wide, .n_groups = 1};
	static const struct collector *const list[] = {&wide_collector};
	static const struct catalog wide_catalog = {list, 1};
	struct wire_rows head = {.group = 0}, got;
	struct sink from, to;
	size_t next = 0, n_packets = 0;

	(void)state;
	assert_int_equal(sink_init(&from), 0);
	assert_int_equal(sink_init(&to), 0);
	sink_reset(&from, &wide);
	for (int64_t i = 0; i < SINK_ROWS_MAX; i++) {
		struct row *row = sink_row(&from, "n", "");

		for (size_t k = 0; k < SINK_FIELDS_MAX; k++)
			row_set(row, k, i * 1000 + (int64_t)k);
	}
	do {
		size_t len = wire_put_rows(packet, &head, &from, &next);

		assert_int_equal(wire_get_rows(packet, len, &wide_catalog, &got, &to), 0);
		n_packets++;
	} while (!got.last);
	assert_true(n_packets > 1);
	assert_same_rows(&from, &to);
	sink_done(&from);
	sink_done(&to);
}

static void a_continuation_needs_its_beginning(void **state)
{
	struct wire_rows head = {.group = 0}, got;
	struct sink from, to;
	size_t next = 1, len;

	(void)state;
	assert_int_equal(sink_init(&from), 0);
	assert_int_equal(sink_init(&to), 0);
	fill_rows(&from, 3);
	len = wire_put_rows(packet, &head, &from, &next);
	assert_int_equal(wire_get_rows(packet, len, &catalog, &got, &to), -EBADMSG);
	sink_reset(&to, &groups[1]);
	assert_int_equal(wire_get_rows(packet, len, &catalog, &got, &to), -EBADMSG);
	sink_done(&from);
	sink_done(&to);
}

/* Cut anywhere, or with a byte too many, a packet is refused. */
static void damaged_rows_are_refused(void **state)
{
	struct wire_rows head = {.group = 0}, got;
	struct sink from, to;
	size_t next = 0, len;

	(void)state;
	assert_int_equal(sink_init(&from), 0);
	assert_int_equal(sink_init(&to), 0);
	fill_rows(&from, 4);
	len = wire_put_rows(packet, &head, &from, &next);
	for (size_t i = 0; i < len; i++) {
		/* The exact size, so that a sanitizer sees a read past the end. */
		CLEANUP(freep) uint8_t *cut = malloc(i ? i : 1);

		assert_non_null(cut);
		memcpy(cut, packet, i);
		assert_int_equal(wire_get_rows(cut, i, &catalog, &got, &to), -EBADMSG);
	}
	packet[len] = 0;
	assert_int_equal(wire_get_rows(packet, len + 1, &catalog, &got, &to), -EBADMSG);
	/* Neither asleep nor awake: the byte behind the names of the first row. */
	size_t at = 1 + 2 + 3 * 8 + 2 + 4 + (2 + strlen("node0")) + 2;

	assert_int_equal(packet[at], 0);
	packet[at] = 2;
	assert_int_equal(wire_get_rows(packet, len, &catalog, &got, &to), -EBADMSG);
	packet[at] = 0;
	assert_int_equal(wire_get_rows(packet, len, &catalog, &got, &to), 0);
	packet[1] = 99; /* no such group */
	assert_int_equal(wire_get_rows(packet, len, &catalog, &got, &to), -EBADMSG);
	sink_done(&from);
	sink_done(&to);
}

static void probes_come_out_as_they_went_in(void **state)
{
	struct wire_probed head = {.collector = 0, .error = -EACCES}, got;
	struct probe from, to = {0};
	char name[32], reason[PROBE_TEXT_MAX];
	size_t next = 0, n_packets = 0;

	(void)state;
	assert_int_equal(probe_init(&from), 0);
	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	probe_collector(&from, OUTCOME_DENIED, "advice", "50%% of %s", "it");
	for (int i = 0; i < PROBE_ITEMS_MAX - 1; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		probe_node(&from, name, OUTCOME_FAILED, "", "%s", reason);
	}
	do {
		size_t len = wire_put_probed(packet, &head, &from, &next);

		assert_int_equal(wire_get_probed(packet, len, &catalog, &got, &to), 0);
		assert_int_equal(got.error, -EACCES);
		n_packets++;
	} while (!got.last);
	assert_true(n_packets > 1);
	assert_int_equal(to.n_items, from.n_items);
	for (size_t i = 0; i < from.n_items; i++) {
		assert_string_equal(to.items[i].node, from.items[i].node);
		assert_string_equal(to.items[i].reason, from.items[i].reason);
		assert_string_equal(to.items[i].advice, from.items[i].advice);
		assert_int_equal(to.items[i].outcome, from.items[i].outcome);
	}
	probe_done(&from);
	probe_done(&to);
}

static void ticks_are_checked(void **state)
{
	struct wire_tick tick = {.n_groups = 2, .groups = {{1, 7000, true}, {0, INT64_MAX, false}}},
			 got;
	size_t len = wire_put_tick(packet, &tick);

	(void)state;
	assert_int_equal(wire_get_tick(packet, len, &catalog, &got), 0);
	assert_int_equal(got.n_groups, 2);
	assert_int_equal(got.groups[0].group, 1);
	assert_int_equal(got.groups[0].t_ms, 7000);
	assert_int_equal(got.groups[1].t_ms, INT64_MAX);
	assert_true(got.groups[0].rest);
	assert_false(got.groups[1].rest);
	assert_int_equal(wire_get_tick(packet, len - 1, &catalog, &got), -EBADMSG);
	tick.groups[1].group = 2;
	len = wire_put_tick(packet, &tick);
	assert_int_equal(wire_get_tick(packet, len, &catalog, &got), -EBADMSG);
	assert_int_equal(wire_type(packet, 0), 0);
	assert_int_equal(wire_get_tick(packet, wire_put_rescan(packet), &catalog, &got), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_out_as_they_went_in),
		cmocka_unit_test(long_answers_take_several_packets),
		cmocka_unit_test(a_continuation_needs_its_beginning),
		cmocka_unit_test(damaged_rows_are_refused),
		cmocka_unit_test(probes_come_out_as_they_went_in),
		cmocka_unit_test(ticks_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
