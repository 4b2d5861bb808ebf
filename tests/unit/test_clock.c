/* RFC 3339 times, read and written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/text.h"

static void test_good(void **state)
{
	static const struct {
		const char *text;
		int64_t wall_ms;
	} cases[] = {
		{"1970-01-01", 0},
		{"1970-01-01T00:00Z", 0},
		{"1970-01-01T00:00:01.5Z", 1500},
		{"1970-01-01T00:00:00.123999Z", 123},
		{"1970-01-01t01:00:00+01:00", 0},
		{"1970-01-01 00:00:00-0030", 1800000},
		{"2000-02-29T12:00:00Z", 951825600000},
		{"2016-12-31T23:59:60Z", 1483228800000},
		{"9999-12-31T23:59:59.999Z", 253402300799999},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t wall_ms = -1;

		assert_int_equal(clock_parse_rfc3339(cases[i].text, &wall_ms), 0);
		assert_int_equal(wall_ms, cases[i].wall_ms);
	}
}

static void test_bad(void **state)
{
	static const char *const cases[] = {
		"",
		"2026",
		"2026-1-01",
		"2026- 1- 1",
		"2026-+1-01",
		"2026-00-01",
		"2026-13-01",
		"2026-02-29",
		"2100-02-29",
		"1969-12-31",
		"2026-01-01x",
		"2026-01-01T",
		"2026-01-01T24:00Z",
		"2026-01-01T12:60Z",
		"2026-01-01T12:00:61Z",
		"2026-01-01T 1:00Z",
		"2026-01-01T12:00:-1Z",
		"2026-01-01T12:00:00+24:00",
		"2026-01-01T12:00:00+1:00",
		"2026-01-01T12:00:00+-1:00",
		"2026-01-01T12:00:00+01:00x",
		"2026-01-01T12:00:00Zulu",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t wall_ms = -1;

		assert_int_equal(clock_parse_rfc3339(cases[i], &wall_ms), -EINVAL);
		assert_int_equal(wall_ms, -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
