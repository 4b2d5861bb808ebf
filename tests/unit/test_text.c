/* Bounded texts, exact decimals, JSON strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/text.h"

static void what_does_not_fit_is_dropped(void **unused)
{
	char buf[6];
	struct text text = TEXT_IN(buf);

	(void)unused;
	text_str(&text, "abc");
	text_i64(&text, -12);
	assert_string_equal(buf, "abc-1");
	assert_true(text.truncated);
	text_rewind(&text, 3);
	assert_false(text.truncated);
	text_printf(&text, "%s", "defgh");
	assert_string_equal(buf, "abcde");
	assert_true(text.truncated);
	text_char(&text, 'x');
	text_printf(&text, "y");
	assert_string_equal(buf, "abcde");
	text_reset(&text);
	assert_string_equal(buf, "");
}

static void numbers(void **unused)
{
	static const struct {
		int64_t value;
		unsigned decimals;
		const char *expected;
	} cases[] = {
		{0, 0, "0"},
		{0, 3, "0"},
		{47312, 3, "47.312"},
		{-44000, 3, "-44"},
		{-40, 3, "-0.04"},
		{5, 6, "0.000005"},
		{120, 2, "1.2"},
		{INT64_MAX, 0, "9223372036854775807"},
		{INT64_MIN, 0, "-9223372036854775808"},
		{INT64_MIN, 18, "-9.223372036854775808"},
		{INT64_MAX, 6, "9223372036854.775807"},
	};
	char buf[64];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text text = TEXT_IN(buf);

		text_fixed(&text, cases[i].value, cases[i].decimals);
		assert_string_equal(buf, cases[i].expected);
		if (cases[i].decimals)
			continue;
		text_reset(&text);
		text_i64(&text, cases[i].value);
		assert_string_equal(buf, cases[i].expected);
	}
}

static void json(void **unused)
{
	static const struct {
		const char *s, *expected;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"\n\t\x01\x1b\x7f", "\"\\n\\t\\u0001\\u001b\\u007f\""},
		{"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe",
		 "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xbe\""},
		{"\xff", "\"\xef\xbf\xbd\""},                 /* no UTF-8 at all */
		{"\xc3", "\"\xef\xbf\xbd\""},                 /* cut short */
		{"\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""}, /* longer than need be */
		{"\xed\xa0\x80x", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx\""}, /* half a pair */
		{"\xf4\x90\x80\x80",
		 "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* past U+10FFFF */
	};
	char buf[128];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text text = TEXT_IN(buf);

		text_json(&text, cases[i].s);
		assert_string_equal(buf, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_is_dropped),
		cmocka_unit_test(numbers),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
