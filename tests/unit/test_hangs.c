/* What is remembered of hangs when there are more of them than places. Time is an argument here,
 * and process 1 none of ours, so it counts as gone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sampling/hangs.h"

static int add(struct hangs *hangs, int n, int64_t now_ms)
{
	struct lane_place place = {.collector = 0, .group = 0};
	const struct hang *hang;

	snprintf(place.path, sizeof(place.path), "sys/n%d/temp", n);
	snprintf(place.node, sizeof(place.node), "n%d", n);
	return hangs_add(hangs, &place, 1, now_ms, &hang);
}

static void what_is_tried_again_gives_way(void **state)
{
	static struct hangs hangs;
	const char *paths[HANGS_MAX];

	(void)state;
	hangs = (struct hangs){.first_ms = 1000};
	for (int i = 0; i < HANGS_MAX; i++)
		assert_int_equal(add(&hangs, i, 0), 0);
	assert_true(hangs_are_full(&hangs));
	assert_int_equal(add(&hangs, HANGS_MAX, 0), -ENOSPC);

	/* The wait is over: a lane is needed to try them, so they must not stand in its way. */
	hangs_reap(&hangs, 10);
	assert_true(hangs_lift(&hangs, 1000));
	assert_false(hangs_are_full(&hangs));
	assert_int_equal(hangs_paths(&hangs, paths), 0);

	assert_int_equal(add(&hangs, HANGS_MAX, 1000), 0);
	assert_int_equal(hangs_paths(&hangs, paths), 1);
	assert_string_equal(paths[0], "sys/n8/temp");
	assert_true(hangs_have(&hangs, 0, "n8"));
	/* One that was known keeps its place. */
	assert_int_equal(add(&hangs, 0, 1000), 0);
	assert_int_equal(hangs_paths(&hangs, paths), 2);
}

static void what_is_not_there_any_more_is_forgotten(void **state)
{
	static struct hangs hangs;

	(void)state;
	hangs = (struct hangs){.first_ms = 1000};
	assert_int_equal(add(&hangs, 1, 0), 0);
	hangs_forget(&hangs, 0);
	assert_true(hangs_have(&hangs, 0, "n1"));
	hangs_reap(&hangs, 10);
	assert_true(hangs_lift(&hangs, 1000));
	hangs_forget(&hangs, 1);
	assert_true(hangs_have(&hangs, 0, "n1"));
	/* Another one is avoided, and what is avoided may be what a probe cannot find. */
	assert_int_equal(add(&hangs, 2, 1000), 0);
	hangs_forget(&hangs, 0);
	assert_true(hangs_have(&hangs, 0, "n1"));
	hangs_reap(&hangs, 1010);
	assert_true(hangs_lift(&hangs, 2000));
	hangs_forget(&hangs, 0);
	assert_false(hangs_have(&hangs, 0, "n1"));
	assert_false(hangs_have(&hangs, 0, "n2"));
}

/* Held for two seconds and let go, over and over. */
static void what_is_let_go_waits_the_second_time(void **state)
{
	static struct hangs hangs;

	(void)state;
	hangs = (struct hangs){.first_ms = 10000};
	assert_int_equal(add(&hangs, 1, 0), 0);
	hangs_reap(&hangs, 2000);
	assert_int_equal(hangs_next_ms(&hangs, 2000), 2000);
	assert_true(hangs_lift(&hangs, 2000));

	assert_int_equal(add(&hangs, 1, 3000), 0);
	hangs_reap(&hangs, 5000);
	assert_int_equal(hangs_next_ms(&hangs, 5000), 23000);
	assert_false(hangs_lift(&hangs, 22999));
	assert_true(hangs_lift(&hangs, 23000));

	assert_int_equal(add(&hangs, 1, 24000), 0);
	hangs_reap(&hangs, 26000);
	assert_int_equal(hangs_next_ms(&hangs, 26000), 64000);
	assert_true(hangs_lift(&hangs, 64000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_tried_again_gives_way),
		cmocka_unit_test(what_is_not_there_any_more_is_forgotten),
		cmocka_unit_test(what_is_let_go_waits_the_second_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
