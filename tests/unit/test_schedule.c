/* The grid of ticks and back-off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sampling/schedule.h"

static void first_tick_stands_on_the_grid(void **state)
{
	static const struct {
		int64_t period_ms, now_ms, due_ms;
	} rows[] = {
		{1000, 0, 0},
		{1000, 1, 1000},
		{1000, 999, 1000},
		{1000, 1000, 1000},
		{10000, 123456, 130000},
		{600000, 3600001, 4200000},
		{250, 86400000 * 365LL + 1, 86400000 * 365LL + 250},
		{0, 77, SCHEDULE_NEVER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct schedule s;

		schedule_start(&s, rows[i].period_ms, rows[i].now_ms);
		assert_int_equal(schedule_due_ms(&s), rows[i].due_ms);
	}
}

static void nothing_is_due_early(void **state)
{
	struct schedule s;
	int64_t t_ms = -1;

	(void)state;
	schedule_start(&s, 1000, 1);
	assert_false(schedule_take(&s, 999, &t_ms));
	assert_int_equal(t_ms, -1);
	assert_true(schedule_take(&s, 1000, &t_ms));
	assert_int_equal(t_ms, 1000);
	assert_false(schedule_take(&s, 1000, &t_ms));
	schedule_start(&s, 0, 0);
	assert_false(schedule_take(&s, INT64_MAX, &t_ms));
}

/* Each tick comes 7 ms late; the planned times stay on the grid and none is left out. */
static void lateness_does_not_add_up(void **state)
{
	struct schedule s;
	int64_t t_ms;

	(void)state;
	schedule_start(&s, 1000, 0);
	for (int64_t i = 0; i < 10000; i++) {
		assert_true(schedule_take(&s, schedule_due_ms(&s) + 7, &t_ms));
		assert_int_equal(t_ms, i * 1000);
	}
}

static void a_suspended_machine_misses_nothing(void **state)
{
	static const struct {
		int64_t period_ms, late_ms, asleep_ms;
		uint64_t n_missed;
	} rows[] = {
		{1000, 0, 0, 0},
		{1000, 999, 0, 0},
		{1000, 1000, 0, 1},
		{1000, 3600000, 3600000, 0},
		{1000, 3600000, 3599500, 0},
		{1000, 3602500, 3600000, 2}, /* late before it slept, or after */
		{10000, 9000, 60000, 0},     /* it was not yet due */
		{1000, 5000, -1, 5},         /* two clocks, read one after the other */
		{0, 5000, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct schedule s = {.period_ms = rows[i].period_ms};

		assert_int_equal(schedule_n_missed(&s, rows[i].late_ms, rows[i].asleep_ms),
				 rows[i].n_missed);
	}
}

static void a_late_loop_takes_the_newest_only(void **state)
{
	struct schedule s;
	int64_t t_ms;

	(void)state;
	schedule_start(&s, 1000, 5000);
	assert_true(schedule_take(&s, 65432, &t_ms));
	assert_int_equal(t_ms, 65000);
	assert_int_equal(schedule_n_missed(&s, 60432, 0), 60);
	assert_int_equal(schedule_due_ms(&s), 66000);
	assert_false(schedule_take(&s, 65999, &t_ms));
	/* just on the next tick: none missed */
	assert_true(schedule_take(&s, 66999, &t_ms));
	assert_int_equal(t_ms, 66000);
	assert_int_equal(schedule_n_missed(&s, 999, 0), 0);
}

/* Groups of 1 s and 10 s fall together every 10 s. */
static void periods_share_one_grid(void **state)
{
	struct schedule a, b;
	int64_t t_a, t_b;

	(void)state;
	schedule_start(&a, 1000, 123);
	schedule_start(&b, 10000, 9876);
	for (int64_t now_ms = 10000; now_ms < 100000; now_ms += 10000) {
		assert_true(schedule_take(&b, now_ms, &t_b));
		assert_true(schedule_take(&a, now_ms, &t_a));
		assert_int_equal(t_a, t_b);
	}
}

static void backoff_doubles_to_its_limit(void **state)
{
	static const int64_t waits_ms[] = {1000, 2000, 4000, 8000, 10000, 10000};
	struct backoff b = {0};

	(void)state;
	assert_false(backoff_waits(&b, 0));
	for (size_t i = 0; i < ARRAY_SIZE(waits_ms); i++) {
		backoff_fail(&b, 50, 1000, 10000);
		assert_true(backoff_waits(&b, 50 + waits_ms[i] - 1));
		assert_false(backoff_waits(&b, 50 + waits_ms[i]));
	}
	backoff_reset(&b);
	assert_false(backoff_waits(&b, 51));
	backoff_fail(&b, 50, 1000, 10000);
	assert_false(backoff_waits(&b, 1050));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_tick_stands_on_the_grid),
		cmocka_unit_test(nothing_is_due_early),
		cmocka_unit_test(lateness_does_not_add_up),
		cmocka_unit_test(a_suspended_machine_misses_nothing),
		cmocka_unit_test(a_late_loop_takes_the_newest_only),
		cmocka_unit_test(periods_share_one_grid),
		cmocka_unit_test(backoff_doubles_to_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
