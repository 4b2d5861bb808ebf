/* Times in text, and the clocks. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/macros.h"

static void both_ways(void **unused)
{
	static const struct {
		int64_t wall_ms;
		const char *text;
	} cases[] = {
		{0, "1970-01-01T00:00:00Z"},
		{1621271964000, "2021-05-17T17:19:24Z"},
		{1550139115000, "2019-02-14T10:11:55Z"},
		{1621272415250, "2021-05-17T17:26:55.250Z"},
		{1709164800001, "2024-02-29T00:00:00.001Z"},
		{4102444799999, "2099-12-31T23:59:59.999Z"},
	};
	char buf[64];
	int64_t wall_ms;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text text = TEXT_IN(buf);

		clock_rfc3339(&text, cases[i].wall_ms);
		assert_string_equal(buf, cases[i].text);
		assert_int_equal(clock_parse_rfc3339(buf, &wall_ms), 0);
		assert_int_equal(wall_ms, cases[i].wall_ms);
	}
}

static void before_1970(void **unused)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	(void)unused;
	clock_rfc3339(&text, -1);
	assert_string_equal(buf, "1969-12-31T23:59:59.999Z");
}

static void other_forms(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t wall_ms;
	} cases[] = {
		{"2021-05-17", 0, 1621209600000},
		{"2021-05-17T17:19", 0, 1621271940000},
		{"2021-05-17 17:19:24", 0, 1621271964000},
		{"2021-05-17t19:19:24+02:00", 0, 1621271964000},
		{"2021-05-17T11:49:24-0530", 0, 1621271964000},
		{"2021-05-17T17:19:24.9999Z", 0, 1621271964999},
		{"2021-05-17T17:19:24.5Z", 0, 1621271964500},
		{"2021-02-29", -EINVAL, 0},
		{"2021-13-01", -EINVAL, 0},
		{"2021-00-01", -EINVAL, 0},
		{"2021-05-17T24:00:00Z", -EINVAL, 0},
		{"2021-05-17T17:60:00Z", -EINVAL, 0},
		{"2021-05-17T17:19:24+25:00", -EINVAL, 0},
		{"2021-05-17T17:19:24Zx", -EINVAL, 0},
		{"2021-05-17T", -EINVAL, 0},
		{"2021-5-17", -EINVAL, 0},
		{"21-05-17", -EINVAL, 0},
		{"now", -EINVAL, 0},
		{"", -EINVAL, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t wall_ms = 7;
		int r = clock_parse_rfc3339(cases[i].text, &wall_ms);

		if (r != cases[i].r || wall_ms != (r < 0 ? 7 : cases[i].wall_ms))
			fail_msg("'%s': %d, %lld", cases[i].text, r, (long long)wall_ms);
	}
}

static void clocks(void **unused)
{
	int64_t start_ms = clock_boot_ms();

	(void)unused;
	assert_int_equal(clock_sleep_until(start_ms + 20), 0);
	assert_true(clock_boot_ms() >= start_ms + 20);
	assert_int_equal(clock_sleep_until(start_ms), 0); /* already past */
	assert_true(llabs(clock_boot_ms() + clock_wall_offset_ms() - clock_wall_ms()) < 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(before_1970),
		cmocka_unit_test(other_forms),
		cmocka_unit_test(clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
