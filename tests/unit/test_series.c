/* The series codec: what goes in comes out, the code is what schema/FORMAT.md says, and any bytes
 * are answered. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/series.h"

#define GAP INT64_C(-777)
#define N   16

struct code_case {
	size_t n;
	int64_t values[N];
	const char *hex; /* NULL: absent, "=": constant */
};

static const struct code_case code_cases[] = {
	{3, {7, 7, 7}, "="},
	{2, {GAP, GAP}, NULL},
	{1, {INT64_MIN}, "="},
	{4, {5, 6, 6, 4}, "A5EAC2B0"},
	{4, {1, 0, 0, 0}, "AEB2C0"},
	{2, {0, 1}, "A0EA"},
	{4, {100, 300, 300, 500}, "200A100EACA0"},
	/* the example of schema/FORMAT.md */
	{9, {100, 300, 300, 300, 300, GAP, GAP, 100, 100}, "200A100EA3C2DBC0"},
	{4, {GAP, -1, GAP, -1}, "ADFDC0"},
	{5, {GAP, GAP, 9, 9, GAP}, "A2D9ECD0"},
	{3, {INT64_MAX, INT64_MIN, INT64_MIN}, "A9223372036854775807E9223372036854775808FC"},
	{2, {-1, INT64_MAX}, "AF9223372036854775807E"},
	{2, {INT64_MIN, -1}, "9223372036854775807A9223372036854775808FA0"},
	{2, {0, INT64_MIN}, "A0E9223372036854775808F0"},
};

static void hex_of(const uint8_t *blob, size_t len, char *hex)
{
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02X", blob[i]);
}

static void check_round_trip(const int64_t *values, const uint8_t *gaps, size_t n)
{
	CLEANUP(freep) uint8_t *blob = malloc(series_bound_bytes(n));
	CLEANUP(freep) int64_t *out = malloc(n * sizeof(*out));
	CLEANUP(freep) uint8_t *absent = malloc(n);
	size_t len = 0;
	int64_t constant = 0;
	enum cell cell = series_encode(values, gaps, n, blob, &len, &constant);

	if (cell != CELL_BLOB) {
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(gaps && gaps[i], cell == CELL_ABSENT);
			assert_true(cell == CELL_ABSENT || values[i] == constant);
		}
		return;
	}
	assert_true(len <= series_bound_bytes(n));
	assert_int_equal(series_decode(blob, len, n, out, absent), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(absent[i], gaps && gaps[i]);
		assert_true(absent[i] || out[i] == values[i]);
	}
}

static void code(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(code_cases); c++) {
		const struct code_case *k = &code_cases[c];
		uint8_t gaps[N], blob[256];
		char hex[2 * sizeof(blob) + 1] = "";
		size_t len = 0;
		int64_t constant;

		for (size_t i = 0; i < k->n; i++)
			gaps[i] = k->values[i] == GAP;
		enum cell cell = series_encode(k->values, gaps, k->n, blob, &len, &constant);

		check_round_trip(k->values, gaps, k->n);
		if (!k->hex || !strcmp(k->hex, "=")) {
			assert_int_equal(cell, k->hex ? CELL_CONSTANT : CELL_ABSENT);
			continue;
		}
		assert_int_equal(cell, CELL_BLOB);
		hex_of(blob, len, hex);
		assert_string_equal(hex, k->hex);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Columns of every temper: quiet, stepping, wild, with and without gaps. */
static void random_columns(void **state)
{
	static int64_t values[SERIES_TICKS_MAX];
	static uint8_t gaps[SERIES_TICKS_MAX];
	uint64_t seed = 88172645463325252U;

	(void)state;
	for (unsigned c = 0; c < 4000; c++) {
		size_t n = 1 + next_random(&seed) % (c % 100 ? 100 : SERIES_TICKS_MAX);
		unsigned shift = (unsigned)(next_random(&seed) % 64);
		uint64_t quiet = next_random(&seed) % 4, holes = next_random(&seed) % 3;
		int64_t v = (int64_t)next_random(&seed) >> shift;

		for (size_t i = 0; i < n; i++) {
			int64_t step = (int64_t)next_random(&seed) >> shift;

			if (next_random(&seed) % 4 >= quiet)
				v = (int64_t)((uint64_t)v + (uint64_t)step);
			values[i] = v;
			gaps[i] = holes && next_random(&seed) % 5 < holes;
		}
		check_round_trip(values, gaps, n);
		check_round_trip(values, NULL, n);
	}
}

struct bad_case {
	size_t n;
	const char *hex;
};

static const struct bad_case bad_cases[] = {
	{1, ""},                         /* nothing */
	{1, "A0"},                       /* header only */
	{1, "0A1E"},                     /* divisor 0 */
	{1, "B1E0"},                     /* no header */
	{1, "AA"},                       /* a step from nowhere */
	{1, "AC"},                       /* unchanged from nowhere */
	{2, "A1E0"},                     /* too few ticks */
	{1, "A1EA"},                     /* too many */
	{3, "A1E3C0"},                   /* a run past the end */
	{1, "A1E0C0"},                   /* an empty run */
	{1, "A1E1"},                     /* digits that no letter ends */
	{2, "A9223372036854775807EA"},   /* past the end of int64 */
	{1, "A9223372036854775808E0"},   /* no int64 */
	{1, "A99999999999999999999E"},   /* 20 digits */
	{2, "2A0E9223372036854775807A"}, /* the product overflows */
	{1, "A1E000"},                   /* padding too long */
};

static size_t bytes_of(const char *hex, uint8_t *blob)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		blob[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

static void bad_code(void **state)
{
	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(bad_cases); c++) {
		uint8_t blob[64], absent[8];
		int64_t values[8];
		size_t len = bytes_of(bad_cases[c].hex, blob);

		if (series_decode(blob, len, bad_cases[c].n, values, absent) != -EBADMSG)
			fail_msg("%s is taken for a code", bad_cases[c].hex);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code),
		cmocka_unit_test(random_columns),
		cmocka_unit_test(bad_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
