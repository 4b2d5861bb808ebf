/* The rows of several workers become one sample: in full, or of those that came in time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helper/gather.h"

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_COUNTER, ""},
	{"b", UNIT_COUNT, KIND_GAUGE, ""},
	{"c", UNIT_NONE, KIND_INFO, ""},
};
static const struct group group = {.name = "g", .fields = fields, .n_fields = ARRAY_SIZE(fields)};

static struct gather gather;
static struct sink sink;

static int set_up(void **state)
{
	(void)state;
	return sink_init(&sink);
}

static int tear_down(void **state)
{
	(void)state;
	sink_done(&sink);
	gather_done(&gather);
	gather_done(&gather); /* nothing is released twice */
	return 0;
}

static void begin(size_t n, int64_t t_ms, int64_t now_ms)
{
	assert_int_equal(gather_open(&gather, &group, 4, t_ms, n, now_ms), 0);
}

/* The answer of a worker with one row. */
static bool take(const char *node, int64_t t_ms, int error, int64_t duration_us)
{
	struct wire_rows head = {.group = 4,
				 .t_ms = t_ms,
				 .at_ms = t_ms + 3,
				 .error = error,
				 .duration_us = duration_us};

	sink_reset(&sink, &group);
	if (*node) {
		struct row *row = sink_row(&sink, node, "serial");

		row_set(row, 0, INT64_MIN);
		row_flag(row, 0, FLAG_IMPLAUSIBLE);
		row_fault(row, 1, -EIO);
		row_text(&sink, row, 2, node);
		row->suspended = node[0] == 's';
	}
	return gather_take(&gather, &head, &sink);
}

static void all_answer(void **state)
{
	static const char *const names[] = {"sda", "nvme0", "nvme1"};

	(void)state;
	begin(3, 5000, 5010);
	assert_false(take("sda", 5000, 0, 10));
	assert_false(take("nvme0", 5000, 0, 30));
	assert_false(gather_is_over(&gather, 5011));
	assert_true(take("nvme1", 5000, 0, 20));
	assert_true(gather_is_over(&gather, 5011));
	assert_int_equal(gather.head.group, 4);
	assert_int_equal(gather.head.t_ms, 5000);
	assert_int_equal(gather.head.at_ms, 5010);
	assert_int_equal(gather.head.duration_us, 30); /* they work at the same time */
	assert_int_equal(gather.head.error, 0);
	assert_int_equal(gather.sink.n_rows, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct row *row = gather.sink.rows[i];

		assert_string_equal(row->node, names[i]);
		assert_string_equal(row->identity, "serial");
		assert_int_equal(row->suspended, i == 0);
		assert_int_equal(row->values[0].type, VALUE_INT);
		assert_int_equal(row->values[0].i, INT64_MIN);
		assert_int_equal(row->values[0].flag, FLAG_IMPLAUSIBLE);
		assert_int_equal(row->values[1].type, VALUE_FAULT);
		assert_int_equal(row->values[1].i, EIO);
		/* The text is the gather's own: the sink of the worker has another by now. */
		assert_string_equal(sink_text(&gather.sink, &row->values[2]), names[i]);
	}
}

static void the_first_error_stays(void **state)
{
	(void)state;
	begin(3, 1, 1);
	assert_false(take("", 1, -EIO, 1));
	assert_false(take("sda", 1, 0, 1));
	assert_true(gather_miss(&gather, -ETIMEDOUT));
	assert_int_equal(gather.head.error, -EIO);
	assert_int_equal(gather.sink.n_rows, 1);
}

static void what_is_late_belongs_to_no_other(void **state)
{
	(void)state;
	begin(2, 1000, 1000);
	assert_false(take("sda", 1000, 0, 1));
	assert_false(gather_is_over(&gather, 1000 + GATHER_MS - 1));
	assert_true(gather_is_over(&gather, 1000 + GATHER_MS));
	gather.open = false;
	assert_false(take("nvme0", 1000, 0, 1));
	assert_false(gather_miss(&gather, -EIO));
	assert_int_equal(gather.sink.n_rows, 1);

	begin(2, 61000, 61000);
	assert_int_equal(gather.sink.n_rows, 0);
	assert_false(take("nvme0", 1000, -EIO, 1)); /* an answer to the sample before */
	assert_int_equal(gather.sink.n_rows, 0);
	assert_int_equal(gather.head.error, 0);
	assert_false(take("nvme0", 61000, 0, 1));
	assert_true(take("sda", 61000, 0, 1));
}

/* More workers than a sample has place for rows: dropped, and told. */
static void too_many_rows(void **state)
{
	char name[32];

	(void)state;
	begin(SINK_ROWS_MAX + 1, 1, 1);
	for (size_t i = 0; i <= SINK_ROWS_MAX; i++) {
		snprintf(name, sizeof(name), "n%zu", i);
		assert_int_equal(take(name, 1, 0, 1), i == SINK_ROWS_MAX);
	}
	assert_int_equal(gather.sink.n_rows, SINK_ROWS_MAX);
	assert_true(gather.sink.overflow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_error_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_late_belongs_to_no_other, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(too_many_rows, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
