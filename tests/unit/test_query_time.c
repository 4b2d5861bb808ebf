/* Times of requests, good and hostile. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"
#include "query/query.h"

#define NOW_MS INT64_C(1796097600250) /* 2026-12-01T04:00:00.250Z */

static const struct boot boots[] = {
	{.id = 2, .wall_offset_ms = 1000},
	{.id = 3, .wall_offset_ms = 1796000000000},
};

static void reads_times(void **state)
{
	static const struct {
		const char *text;
		int64_t wall_ms;
	} table[] = {
		{"now", NOW_MS},
		{"-1h", NOW_MS - 3600000},
		{"-90s", NOW_MS - 90000},
		{"-90", NOW_MS - 90000},
		{"-15min", NOW_MS - 900000},
		{"-2d", NOW_MS - 172800000},
		{"-0s", NOW_MS},
		{"0", 0},
		{"1796097600", 1796097600000},
		{"1796097600.5", 1796097600500},
		{"1796097600.1239", 1796097600123},
		{"2026-12-01T04:00:00Z", 1796097600000},
		{"2026-12-01T04:00:00.250Z", NOW_MS},
		{"2026-12-01T05:00:00+01:00", 1796097600000},
		{"2026-12-01T05:00:00 01:00", 1796097600000},
		{"2026-12-01 04:00", 1796097600000},
		{"2026-12-01", 1796083200000},
		{"3+120000", 1796000120000},
		{"3 120000", 1796000120000},
		{"2+0", 1000},
	};
	struct problem problem;
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		ms = -1;
		assert_int_equal(
			query_time(table[i].text, NOW_MS, boots, ARRAY_SIZE(boots), &ms, &problem),
			0);
		assert_int_equal(ms, table[i].wall_ms);
	}
}

static void refuses_what_is_no_time(void **state)
{
	static const char *const table[] = {
		"",
		" ",
		"-",
		"--1h",
		"-1x",
		"-1h ",
		"-99999999999h",
		"-9223372036854775808",
		"1h",
		"yesterday",
		"NOW",
		"now ",
		".",
		"1.",
		"1..2",
		"1.2.3",
		"1796097600250", /* milliseconds */
		"99999999999999999999",
		"1+0",
		"3+",
		"+3",
		"3+-5",
		"3+9223372036854775807",
		"99999999999999999999+1",
		"3+1+1",
		"2026-13-01T00:00:00Z",
		"2026-12-01T25:00:00Z",
		"2026-02-30",
		"1969-12-31T23:59:59Z",
		"2026-12-01T04:00:00+99:00",
		"1970-01-01T00:00:00+01:00",
		"2026-12-01T04:00:00Z; DROP TABLE samples",
		"2026-12-01T04:00:00.00000000000000000000000000000000000000000000000000000000000Z",
		"\xff\xfe",
	};
	struct problem problem;
	int64_t ms;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		ms = 42;
		problem.detail[0] = '\0';
		if (query_time(table[i], NOW_MS, boots, ARRAY_SIZE(boots), &ms, &problem) !=
		    -EINVAL)
			fail_msg("\"%s\" was taken as %lld", table[i], (long long)ms);
		assert_int_equal(ms, 42);
		assert_true(problem.detail[0] != '\0');
		assert_string_equal(problem.parameter, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_times),
		cmocka_unit_test(refuses_what_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
