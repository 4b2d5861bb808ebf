/* Rates and derived quantities, checked against numbers worked out by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/derive.h"

enum { READS, TIME, GAUGE, LIMIT };

static const struct field fields[] = {
	[READS] = {"reads", UNIT_COUNT, KIND_COUNTER, "Reads."},
	[TIME] = {.name = "time", .unit = UNIT_MILLISECONDS, .kind = KIND_COUNTER, .bits = 32},
	[GAUGE] = {"used", UNIT_KIBIBYTES, KIND_GAUGE, "Used."},
	[LIMIT] = {"size", UNIT_KIBIBYTES, KIND_GAUGE, "Size."},
};

static const struct derived derived[] = {
	{"bytes", UNIT_BYTES, DERIVE_SCALE, "reads", NULL, 512, 1, ""},
	{"latency", UNIT_MILLISECONDS, DERIVE_MEAN, "time", "reads", 1, 1, ""},
	{"busy", UNIT_RATIO, DERIVE_SHARE, "time", NULL, 1, 1, ""},
	{"queue", UNIT_NONE, DERIVE_AVERAGE, "time", NULL, 1, 1, ""},
	{"free", UNIT_KIBIBYTES, DERIVE_DIFF, "size", "used", 1, 1, ""},
	{"usage", UNIT_RATIO, DERIVE_QUOTIENT, "used", "size", 1, 1, ""},
	{"difference", UNIT_COUNT, DERIVE_DIFF, "time", "reads", 1, 1, ""},
};

static const struct group group = {
	.name = "g",
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
	.derived = derived,
	.n_derived = ARRAY_SIZE(derived),
};

static struct metric metric_named(const char *name)
{
	static const struct collector collector = {.groups = &group, .n_groups = 1};
	static const struct collector *const collectors[] = {&collector};
	static const struct catalog catalog = {collectors, 1};
	struct metric metric;
	char path[64];
	struct text text = TEXT_IN(path);

	text_printf(&text, "g.%s", name);
	assert_int_equal(metric_find(&catalog, path, &metric), 0);
	return metric;
}

static struct derive_point point(int64_t t_ms, int64_t a, int64_t b)
{
	return (struct derive_point){.t_ms = t_ms, .a = a, .b = b, .has_a = true, .has_b = true};
}

static void assert_decimal(struct decimal d, const char *expected)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	decimal_text(&text, d);
	assert_string_equal(buf, expected);
}

static void test_steps(void **state)
{
	static const struct {
		const char *metric;
		struct derive_point before, after;
		enum derive_step step;
		const char *rate; /* NULL: no data */
	} rows[] = {
		{"reads", {0, 100, 100, true, true}, {1000, 150, 150, true, true}, 0, "50"},
		{"reads", {0, 0, 0, true, true}, {3000, 1, 1, true, true}, 0, "0.333333"},
		{"reads", {0, 5, 5, true, true}, {1000, 5, 5, true, true}, 0, "0"},
		{"reads", {0, 100, 100, true, true}, {1000, 99, 99, true, true}, 2, NULL},
		{"reads", {0, 0, 0, false, false}, {1000, 99, 99, true, true}, 1, NULL},
		{"reads", {7, 1, 1, true, true}, {7, 2, 2, true, true}, 1, NULL},
		{"reads", {9, 1, 1, true, true}, {8, 2, 2, true, true}, 1, NULL},
		{"bytes", {0, 10, 10, true, true}, {500, 11, 11, true, true}, 0, "1024"},
		{"bytes", {0, 0, 0, true, true}, {1, INT64_MAX, 1, true, true}, 0, NULL},
		{"latency", {0, 100, 10, true, true}, {1000, 297, 176, true, true}, 0, "1.186747"},
		{"latency", {0, 100, 10, true, true}, {1000, 100, 10, true, true}, 0, NULL},
		{"latency", {0, 100, 10, true, true}, {1000, 200, 9, true, true}, 2, NULL},
		{"latency", {0, 4294967295, 1, true, true}, {1000, 9, 3, true, true}, 0, "5"},
		{"busy", {0, 0, 0, true, true}, {1000, 792, 792, true, true}, 0, "0.792"},
		{"busy", {0, 0, 0, true, true}, {1000, 1200, 0, true, true}, 0, "1"},
		{"queue", {0, 0, 0, true, true}, {1000, 1200, 0, true, true}, 0, "1.2"},
		{"difference", {0, 0, 0, true, true}, {1000, 3, 5, true, true}, 0, "-2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric metric = metric_named(rows[i].metric);
		struct derive_sum sum = {0};
		struct decimal rate = {0};
		bool ok;

		assert_int_equal(derive_add_step(&sum, &metric, &rows[i].before, &rows[i].after),
				 rows[i].step);
		ok = derive_rate(&metric, &sum, &rate);
		assert_int_equal(ok, rows[i].rate != NULL);
		if (ok)
			assert_decimal(rate, rows[i].rate);
		assert_int_equal(sum.n_reset, rows[i].step == DERIVE_RESET);
	}
}

/* A bucket of 1 s, 2 s and a reset between them divides by the 3 s that the increases span. */
static void test_bucket(void **state)
{
	struct metric metric = metric_named("latency"), bytes = metric_named("bytes");
	struct derive_point p[] = {point(0, 0, 0), point(1000, 30, 10), point(2000, 5, 2),
				   point(4000, 15, 4)};
	struct derive_sum sum = {0};
	struct decimal result;

	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(p); i++)
		derive_add_step(&sum, &metric, &p[i - 1], &p[i]);
	assert_int_equal(sum.n, 2);
	assert_int_equal(sum.n_reset, 1);
	assert_int_equal(sum.span_ms, 3000);
	assert_true(derive_rate(&metric, &sum, &result));
	assert_decimal(result, "3.333333"); /* 40 ms / 12 requests */
	assert_false(derive_increase(&metric, &sum, &result));

	sum = (struct derive_sum){0};
	for (size_t i = 1; i < ARRAY_SIZE(p); i++)
		derive_add_step(&sum, &bytes, &p[i - 1], &p[i]);
	assert_true(derive_increase(&bytes, &sum, &result));
	assert_decimal(result, "20480");
}

static void test_values(void **state)
{
	static const struct {
		const char *metric;
		struct derive_point point;
		const char *value;
	} rows[] = {
		{"used", {0, -44, -44, true, true}, "-44"},
		{"used", {0, 1, 1, false, false}, NULL},
		{"free", {0, 100, 30, true, true}, "70"},
		{"free", {0, 100, 30, true, false}, NULL},
		{"usage", {0, 1, 3, true, true}, "0.333333"},
		{"usage", {0, 1, 0, true, true}, NULL},
		{"bytes", {0, 3, 3, true, true}, "1536"},
		{"latency", {0, 3, 3, true, true}, NULL},
		{"busy", {0, 3, 3, true, true}, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct metric metric = metric_named(rows[i].metric);
		struct decimal value = {0};
		bool ok = derive_value(&metric, &rows[i].point, &value);

		assert_int_equal(ok, rows[i].value != NULL);
		if (ok)
			assert_decimal(value, rows[i].value);
	}
}

static void test_mean_of_values(void **state)
{
	struct metric used = metric_named("used"), usage = metric_named("usage");
	struct derive_point p[] = {point(0, 1, 10), point(1, 2, 10)};
	struct derive_sum a = {0}, b = {0};
	struct decimal result;

	(void)state;
	assert_false(derive_mean(&used, &a, &result));
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		assert_true(derive_add_value(&a, &used, &p[i]));
		assert_true(derive_add_value(&b, &usage, &p[i]));
	}
	assert_true(derive_mean(&used, &a, &result));
	assert_decimal(result, "1.5");
	assert_true(derive_total(&used, &a, &result));
	assert_decimal(result, "3");
	assert_true(derive_mean(&usage, &b, &result));
	assert_decimal(result, "0.15");
	assert_false(derive_total(&usage, &b, &result));
}

static void test_point_of_row(void **state)
{
	static struct row row;
	struct metric metric = metric_named("latency");
	struct derive_point p;

	(void)state;
	row_set(&row, TIME, 7);
	row_fault(&row, READS, -EIO);
	p = derive_point_of(&metric, &row, 99);
	assert_true(p.has_a);
	assert_false(p.has_b);
	assert_int_equal(p.a, 7);
	assert_int_equal(p.t_ms, 99);
}

/* One counter that fell tells of all. */
static void test_reset_of_row(void **state)
{
	static const struct {
		int64_t reads[2], time[2], used[2];
		bool reset;
	} rows[] = {
		{{1, 2}, {1, 2}, {9, 1}, false},         {{2, 1}, {1, 2}, {1, 1}, true},
		{{1, 2}, {2, 1}, {1, 1}, true},          {{1, 2}, {4294967295, 1}, {1, 1}, false},
		{{4294967295, 1}, {1, 2}, {1, 1}, true},
	};
	static struct row before, after;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		row_set(&before, READS, rows[i].reads[0]);
		row_set(&after, READS, rows[i].reads[1]);
		row_set(&before, TIME, rows[i].time[0]);
		row_set(&after, TIME, rows[i].time[1]);
		row_set(&before, GAUGE, rows[i].used[0]);
		row_set(&after, GAUGE, rows[i].used[1]);
		assert_int_equal(derive_has_reset(&group, &before, &after), rows[i].reset);
	}
	row_set(&before, READS, 2);
	row_fault(&after, READS, -EIO);
	row_set(&before, TIME, 1);
	assert_false(derive_has_reset(&group, &before, &after));
	/* Its collector knows more than the values tell. */
	row_set(&after, READS, 3);
	assert_false(derive_has_reset(&group, &before, &after));
	row_flag(&after, READS, FLAG_RESET);
	assert_true(derive_has_reset(&group, &before, &after));
	row_flag(&after, READS, FLAG_FILTERED);
	row_flag(&after, GAUGE, FLAG_RESET);
	assert_false(derive_has_reset(&group, &before, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),        cmocka_unit_test(test_bucket),
		cmocka_unit_test(test_values),       cmocka_unit_test(test_mean_of_values),
		cmocka_unit_test(test_point_of_row), cmocka_unit_test(test_reset_of_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
