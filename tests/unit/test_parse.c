/* Strict conversion: the whole text or nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/parse.h"

static void integers(void **unused)
{
	static const struct {
		const char *text;
		int r;
		int64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"-0", 0, 0},
		{"42\n", 0, 42},
		{"42 \t\n\n", 0, 42},
		{"+7", 0, 7},
		{"-44000", 0, -44000},
		{"0x1F", 0, 31},
		{"0Xff", 0, 255},
		{"-0x10", 0, -16},
		{"9223372036854775807", 0, INT64_MAX},
		{"-9223372036854775808", 0, INT64_MIN},
		{"9223372036854775808", -ERANGE, 0},
		{"-9223372036854775809", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"0xffffffffffffffffff", -ERANGE, 0},
		{"", -ENODATA, 0},
		{" \n", -ENODATA, 0},
		{"-", -EINVAL, 0},
		{"+", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"--1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 2", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"12abc", -EINVAL, 0},
		{"0x12g", -EINVAL, 0},
		{"<unknown>", -EINVAL, 0},
		{"\xff", -EINVAL, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t value = 12345;
		int r = parse_i64(cases[i].text, &value);

		if (r != cases[i].r || value != (r < 0 ? 12345 : cases[i].value))
			fail_msg("'%s': %d, %lld", cases[i].text, r, (long long)value);
	}
}

static void fixed_point(void **unused)
{
	static const struct {
		const char *text;
		unsigned decimals;
		int r;
		int64_t value;
	} cases[] = {
		{"2.65", 2, 0, 265},
		{"3", 2, 0, 300},
		{"3.1", 2, 0, 310},
		{"3.149", 2, 0, 314},
		{"-0.5", 2, 0, -50},
		{"100.00", 2, 0, 10000},
		{"12345.67", 3, 0, 12345670},
		{"1.", 2, -EINVAL, 0},
		{".5", 2, -EINVAL, 0},
		{"1.x", 2, -EINVAL, 0},
		{"1.2x", 1, -EINVAL, 0},
		{"1.2.3", 2, -EINVAL, 0},
		{"1.-2", 2, -EINVAL, 0},
		{"", 2, -EINVAL, 0},
		{"9223372036854775807", 0, 0, INT64_MAX},
		{"9223372036854775807", 1, -ERANGE, 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t value = 12345;
		int r = parse_fixed_slice(slice_of(cases[i].text), cases[i].decimals, &value);

		if (r != cases[i].r || value != (r < 0 ? 12345 : cases[i].value))
			fail_msg("'%s': %d, %lld", cases[i].text, r, (long long)value);
	}
}

static void durations_and_sizes(void **unused)
{
	int64_t value;

	(void)unused;
	assert_int_equal(parse_duration_ms("90s", &value), 0);
	assert_int_equal(value, 90000);
	assert_int_equal(parse_duration_ms("250ms", &value), 0);
	assert_int_equal(value, 250);
	assert_int_equal(parse_duration_ms("10min", &value), 0);
	assert_int_equal(value, 600000);
	assert_int_equal(parse_duration_ms("2d", &value), 0);
	assert_int_equal(value, 172800000);
	assert_int_equal(parse_duration_ms("7", &value), 0);
	assert_int_equal(value, 7000);
	assert_int_equal(parse_duration_ms("-1s", &value), -EINVAL);
	assert_int_equal(parse_duration_ms("1 s", &value), -EINVAL);
	assert_int_equal(parse_duration_ms("s", &value), -EINVAL);
	assert_int_equal(parse_duration_ms("", &value), -EINVAL);
	assert_int_equal(parse_duration_ms("9223372036854775807d", &value), -ERANGE);
	assert_int_equal(parse_size_bytes("128MiB", &value), 0);
	assert_int_equal(value, 134217728);
	assert_int_equal(parse_size_bytes("10MB", &value), 0);
	assert_int_equal(value, 10000000);
	assert_int_equal(parse_size_bytes("512", &value), 0);
	assert_int_equal(value, 512);
	assert_int_equal(parse_size_bytes("1mib", &value), -EINVAL);
	assert_int_equal(parse_size_bytes("99999999999GiB", &value), -ERANGE);
}

static void slices(void **unused)
{
	struct slice rest = slice_of("  a\tbc  \n\nlast"), line, token;
	char buf[3];

	(void)unused;
	assert_true(slice_line(&rest, &line));
	assert_true(slice_token(&line, &token) && slice_is(token, "a"));
	assert_true(slice_token(&line, &token) && slice_is(token, "bc"));
	assert_int_equal(slice_copy(token, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "bc");
	assert_int_equal(slice_copy(slice_of("bcd"), buf, sizeof(buf)), -ENAMETOOLONG);
	assert_string_equal(buf, "bc");
	assert_false(slice_token(&line, &token));
	assert_true(slice_line(&rest, &line));
	assert_int_equal(line.len, 0);
	assert_true(slice_line(&rest, &line) && slice_is(line, "last"));
	assert_false(slice_line(&rest, &line));

	rest = slice_of("key=value=x");
	assert_true(slice_until(&rest, '=', &token) && slice_is(token, "key"));
	assert_true(slice_is(rest, "value=x"));
	assert_false(slice_until(&rest, ':', &token));
	assert_true(slice_is(rest, "value=x"));
	rest = (struct slice){NULL, 0};
	assert_false(slice_until(&rest, ':', &token));
	assert_false(slice_line(&rest, &line));
	assert_false(slice_token(&rest, &token));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(fixed_point),
		cmocka_unit_test(durations_and_sizes),
		cmocka_unit_test(slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
