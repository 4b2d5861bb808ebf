/* What is noticed of a clock that is set, and of a sleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/clock_watch.h"
#include "base/macros.h"

#define TODAY_MS INT64_C(1796097922763)

static struct clock_watch watch;
static struct clock_reading now;
static struct clock_news news;

static void begin(int64_t offset_ms)
{
	now = (struct clock_reading){.boot_ms = 5000, .wall_offset_ms = offset_ms};
	clock_watch_begin(&watch, &now, NULL);
}

static void look(int64_t offset_ms)
{
	now.boot_ms += 1000;
	now.wall_offset_ms = offset_ms;
	clock_watch_look(&watch, &now, &news);
}

static void steps(void **state)
{
	(void)state;
	begin(TODAY_MS);
	look(TODAY_MS);
	assert_false(news.stepped || news.moved || news.slept_ms);
	look(TODAY_MS + CLOCK_STEP_MS);
	assert_true(news.stepped && news.moved && !news.first && !news.refused);
	assert_int_equal(news.before_ms, TODAY_MS);
	assert_int_equal(news.after_ms, TODAY_MS + CLOCK_STEP_MS);
	assert_int_equal(watch.known_ms, TODAY_MS + CLOCK_STEP_MS);
	look(TODAY_MS - 3600000);
	assert_true(news.stepped && news.moved);
	assert_int_equal(watch.known_ms, TODAY_MS - 3600000);
	look(TODAY_MS - 3600000);
	assert_false(news.stepped || news.moved);
}

static void the_first_time(void **state)
{
	(void)state;
	begin(0);
	look(100000);
	assert_true(news.stepped && news.moved && !news.first && !news.refused);
	look(TODAY_MS);
	assert_true(news.stepped && news.first && news.moved);
	look(TODAY_MS + 5000);
	assert_true(news.stepped && !news.first);
}

/* Set to 1970 by mistake: what was known is better. */
static void nonsense_is_refused(void **state)
{
	(void)state;
	begin(TODAY_MS);
	look(0);
	assert_true(news.stepped && news.refused && !news.moved && !news.first);
	assert_int_equal(watch.known_ms, TODAY_MS);
	look(100);
	assert_false(news.stepped || news.moved);
	look(TODAY_MS + 50);
	assert_true(news.stepped && !news.refused && news.moved && !news.first);
	assert_int_equal(watch.known_ms, TODAY_MS + 50);
}

/* A run before has found the time, and the clock was lost since. */
static void what_a_run_before_knew(void **state)
{
	static const int64_t better = TODAY_MS, older = 5000;

	(void)state;
	now = (struct clock_reading){.boot_ms = 5000, .wall_offset_ms = 7000};
	clock_watch_begin(&watch, &now, &better);
	assert_int_equal(watch.known_ms, TODAY_MS);
	look(7000);
	assert_false(news.stepped || news.moved);
	now.wall_offset_ms = TODAY_MS;
	clock_watch_begin(&watch, &now, &older);
	assert_int_equal(watch.known_ms, TODAY_MS);
}

/* 500 ppm for an hour of looks once a second: 1.8 s in all, and never a step. */
static void drifts(void **state)
{
	int n = 0;

	(void)state;
	begin(TODAY_MS);
	for (int64_t us = 0; us <= 1800000; us += 500) {
		look(TODAY_MS + us / 1000);
		assert_false(news.stepped);
		n += news.moved;
	}
	assert_int_equal(n, 1800 / CLOCK_DRIFT_MS);
}

/* The timer ends at a resume as well, and then the clocks stand as they stood. */
static void sleeps(void **state)
{
	(void)state;
	begin(TODAY_MS);
	now.asleep_ms += 3600000;
	now.boot_ms += 3600000;
	look(TODAY_MS + 20);
	assert_false(news.stepped || news.moved);
	assert_int_equal(news.slept_ms, 3600000);
	assert_int_equal(news.slept_from_ms, 5000);
	now.asleep_ms += CLOCK_SLEEP_MS - 1;
	look(TODAY_MS);
	assert_int_equal(news.slept_ms, 0);
	/* Set while it slept, which is both. */
	now.asleep_ms += 10000;
	look(TODAY_MS + 7200000);
	assert_true(news.stepped);
	assert_int_equal(news.slept_ms, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps),
		cmocka_unit_test(the_first_time),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(what_a_run_before_knew),
		cmocka_unit_test(drifts),
		cmocka_unit_test(sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
