/* Where a boot ends in a saved log, and what time lines without a stamp have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/kernel_wall.h"
#include "analysis/log_clock.h"
#include "base/macros.h"

/* Each line of a log by a letter: B where another boot begins, . elsewhere. */
static const struct {
	const char *log, *boots;
} cases[] = {
	/* stamps fall back, by more than disorder; the version counts once */
	{"[    1.0] a\n[    9.0] b\n[    8.0] c\n[    0.0] d\n[    0.0] Linux version 6\n",
	 "...B."},
	/* a boot that lasted two seconds */
	{"[    0.0] Booting Linux on physical CPU 0x0\n[    0.0] Linux version 6\n[    2.0] a\n"
	 "[    0.0] Booting Linux on physical CPU 0x0\n[    0.0] Linux version 6\n[    2.0] a\n",
	 "...B.."},
	/* no stamps */
	{"Booting Linux on physical CPU 0x0\nLinux version 6\na\nb\n"
	 "Booting Linux on physical CPU 0x0\nLinux version 6\na\n",
	 "....B.."},
	{"Linux version 6\na\nb\nc\nLinux version 6\n", "....B"},
	/* journalctl */
	{"-- Logs begin at a --\nMay 21 18:07:14 h kernel: a\n-- Reboot --\n"
	 "May 21 18:07:14 h kernel: Linux version 6\n",
	 "..B."},
	{"-- Boot 1 --\n[    9.0] h kernel: a\n-- Boot 2 --\n[    0.0] h kernel: Linux version 6\n",
	 "..B."},
	{"May 21 18:07:14 h sh[1]: -- Boot 1 --\n", "."},
	{"May 21 18:07:14 h kernel: a\nMay 21 18:07:15 h sh[1]: -- Boot 1 --\n", ".."},
	/* a wall clock that is set back is no boot, nor is that of a process */
	{"May 21 18:07:14 h kernel: a\nMay 20 18:07:14 h kernel: b\n", ".."},
	{"[    9.0] a\n<30>[    0.0] b\n[    9.0] c\n", "..."},
	{"[    9.0] a\n<30>[    0.0] Linux version 6\n", ".."},
	/* pieces of a dump, and one log behind another one */
	{"Panic#1 Part1\n<6>[   90.0] a\nPanic#1 Part2\n<6>[   80.0] b\n", "...."},
	{"[Mon May 21 18:07:14 2018] a\n[    9.0] b\n", ".B"},
};

static void boots(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct log_clock clock = {0};
		struct slice rest = slice_of(cases[i].log);
		struct kernel_message m;
		char found[32];
		size_t n = 0;

		while (kernel_message_next(&rest, &m))
			found[n++] = log_clock_take(&clock, &m) ? 'B' : '.';
		found[n] = '\0';
		if (strcmp(found, cases[i].boots) != 0)
			fail_msg("%s of\n%s", found, cases[i].log);
	}
}

static int64_t take(struct log_clock *clock, const char *line)
{
	struct kernel_message m;

	assert_int_equal(kernel_message_line(slice_of(line), &m), 0);
	assert_false(log_clock_take(clock, &m));
	return m.t_us;
}

static void wall_in_place_of_stamps(void **unused)
{
	struct log_clock clock = {0};
	int64_t t_us;

	(void)unused;
	t_us = take(&clock, "[Mon May 21 18:07:14 2018] a");
	assert_true(clock.is_by_wall && clock.is_local && !clock.is_without_year);
	assert_int_equal(take(&clock, "[Mon May 21 18:07:16 2018] a") - t_us, 2000000);
	assert_int_equal(take(&clock, "b") < 0, true);
	/* It is set back by an hour, and time goes on. */
	assert_int_equal(take(&clock, "[Mon May 21 17:07:16 2018] a") - t_us, 2000000);
	assert_int_equal(take(&clock, "[Mon May 21 17:07:20 2018] a") - t_us, 6000000);
}

/* Lines with both tell how far one clock is from the other. */
static void both_clocks(void **unused)
{
	struct log_clock clock = {0};

	(void)unused;
	assert_int_equal(take(&clock, "May 21 18:07:14 h kernel: [   30.5] a"), 30500000);
	assert_false(clock.is_by_wall);
	assert_int_equal(take(&clock, "May 21 18:07:24 h kernel: a"), 40500000);
	assert_int_equal(take(&clock, "May 21 18:07:04 h kernel: a"), 40500000);
}

/* The year that a log does not tell changes at its end, in leap years as in others. */
static void new_year(void **unused)
{
	struct log_clock clock = {0};
	int64_t day_us = INT64_C(86400) * 1000000, t_us, later_us;

	(void)unused;
	t_us = take(&clock, "Dec 31 23:59:59 h kernel: a");
	later_us = take(&clock, "Jan  1 00:00:01 h kernel: a");
	assert_int_equal(later_us - t_us, 2000000);
	assert_true(clock.is_without_year);
	t_us = take(&clock, "Mar  1 00:00:01 h kernel: a");
	assert_int_equal(t_us - later_us, 59 * day_us);
	t_us = kernel_wall_years_later(0, 4);
	assert_int_equal(t_us, (4 * 365 + 1) * day_us);
}

/* Times that no clock shows, and a clock that is set back again and again: nothing overflows. */
static void hostile(void **unused)
{
	static const int64_t times[] = {INT64_MAX - 1, 0, 5, INT64_MIN, INT64_MAX};
	struct log_clock clock = {0}, stamps = {0};

	(void)unused;
	for (size_t i = 0; i < 200; i++) {
		struct kernel_message m = {.t_us = KERNEL_TIME_NONE, .wall_has_year = true};

		m.wall_us = i % 2 ? 0 : INT64_C(253402300799999999);
		log_clock_take(&clock, &m);
		m.t_us = times[i % ARRAY_SIZE(times)];
		m.wall_us = times[(i + 2) % ARRAY_SIZE(times)];
		log_clock_take(i % 3 ? &stamps : &clock, &m);
	}
	assert_true(clock.last_us >= 0 && clock.last_us < INT64_MAX / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boots),       cmocka_unit_test(wall_in_place_of_stamps),
		cmocka_unit_test(both_clocks), cmocka_unit_test(new_year),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
