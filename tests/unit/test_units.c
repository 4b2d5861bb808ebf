/* Units, exact decimals, counters, rows, and what every table of a collector has to keep to. */
#include "tests/unit/collector_fixture.h"

#include <ctype.h>

#include "base/text.h"
#include "model/counter.h"
#include "model/decimal.h"

static void base_units(void **unused)
{
	static const struct {
		enum unit unit;
		int64_t value;
		const char *expected;
	} cases[] = {
		{UNIT_SECTORS, 60129413264, "30786259591168"},
		{UNIT_SECTORS, INT64_MAX, "9223372036854775807"}, /* no measurement; no overflow */
		{UNIT_KIBIBYTES, 3, "3072"},
		{UNIT_MILLISECONDS, 1168, "1.168"},
		{UNIT_MICROSECONDS, 111749368752, "111749.368752"},
		{UNIT_MILLICELSIUS, -44000, "-44"},
		{UNIT_MILLICELSIUS, 57727, "57.727"},
		{UNIT_HERTZ, 403000000, "403000000"},
		{UNIT_KILOHERTZ, 3392691, "3392691000"},
		{UNIT_BYTES_PER_SECOND, 25000000, "25000000"},
		{UNIT_MEGATRANSFERS, 2500, "2500000000"},
		{UNIT_BITS_PER_SECOND, 1500000, "1500000"},
		{UNIT_PERCENT_X100, 265, "0.0265"},
		{UNIT_PERCENT, 80, "0.8"},
		{UNIT_HUNDREDTHS, 7, "0.07"},
		{UNIT_COUNT, 5, "5"},
		{UNIT_NANOSECONDS, -123456, "-0.000123456"},
		{UNIT_CENTISECONDS, 250, "2.5"},
		{UNIT_MILLIVOLTS, 3296, "3.296"},
		{UNIT_MILLIAMPERES, 412, "0.412"},
		{UNIT_MICROVOLTS, 2504000, "2.504"},
		{UNIT_MICROAMPERES, 570000, "0.57"},
		{UNIT_MICROWATTS, 1375000, "1.375"},
		{UNIT_MICROJOULES, 88120331, "88.120331"},
		{UNIT_RPM, 2610, "2610"},
	};
	char buf[64];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text text = TEXT_IN(buf);

		unit_text_base(&text, cases[i].unit, cases[i].value, 0);
		assert_string_equal(buf, cases[i].expected);
	}
	assert_string_equal(unit_name(UNIT_MILLISECONDS), "milliseconds");
	assert_string_equal(unit_base(UNIT_SECTORS), "bytes");
	assert_string_equal(unit_base_symbol(UNIT_MILLICELSIUS), "degC");
}

static void quotients(void **unused)
{
	struct decimal d;

	(void)unused;
	assert_true(decimal_quotient(923, 790, &d));
	assert_int_equal(d.value, 1168354);
	assert_int_equal(d.decimals, 6);
	assert_true(decimal_quotient(-1, 3, &d));
	assert_int_equal(d.value, -333333);
	assert_true(decimal_quotient(2, -3, &d));
	assert_int_equal(d.value, -666667);
	assert_true(decimal_quotient(INT64_MAX, 1, &d)); /* gives up places, not the number */
	assert_int_equal(d.value, INT64_MAX);
	assert_int_equal(d.decimals, 0);
	assert_false(decimal_quotient(1, 0, &d));
	assert_false(decimal_quotient((wide_int)INT64_MAX * 4, 1, &d));
	assert_true(decimal_compare(decimal_of(1), (struct decimal){1000001, 6}) < 0);
	assert_int_equal(decimal_compare(decimal_of(-2), (struct decimal){-200, 2}), 0);
}

static void counters(void **unused)
{
	static const struct {
		int64_t before, after;
		unsigned bits;
		bool grew;
		int64_t increase;
	} cases[] = {
		{5, 5, 0, true, 0},
		{5, 8, 0, true, 3},
		{4294967290, 10, 32, true, 16},
		{4294967290, 10, 0, false, 0},
		{49701, 49601, 0, false, 0},  /* a fall is a reset */
		{49701, 49601, 32, false, 0}, /* also of a short counter */
		{3000000000, 100, 32, true, 1294967396},
		{2147483648, 0, 32, false, 0},       /* half of the range: not to be told */
		{4294967296, 1, 32, false, 0},       /* never was a 32-bit value */
		{INT64_MIN, INT64_MAX, 0, false, 0}, /* no overflow */
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int64_t increase = 0;
		bool grew =
			counter_increase(cases[i].before, cases[i].after, cases[i].bits, &increase);

		if (grew != cases[i].grew || (grew && increase != cases[i].increase))
			fail_msg("%zu: %d, %lld", i, grew, (long long)increase);
	}
}

static void rows(void **unused)
{
	struct sink sink;
	struct row *row;
	char text[2 * INFO_TEXT_MAX];

	(void)unused;
	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, NULL);
	row = sink_row(&sink, "n", "id");
	assert_false(row_has_value(row, SINK_FIELDS_MAX));
	row_result(row, 0, -ENOENT, 5);
	assert_int_equal(row->values[0].type, VALUE_ABSENT);
	row_result(row, 0, -EIO, 5);
	assert_int_equal(row_first_fault(row, SINK_FIELDS_MAX), EIO);
	assert_false(row_has_value(row, SINK_FIELDS_MAX));
	row_result(row, 1, 0, 5);
	assert_true(row_has_value(row, SINK_FIELDS_MAX));
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	row_text(&sink, row, 2, text);
	assert_int_equal(strlen(sink_text(&sink, &row->values[2])), INFO_TEXT_MAX - 1);
	for (size_t i = 0; i < SINK_ROWS_MAX; i++)
		row = sink_row(&sink, text, text);
	assert_true(sink.overflow);
	assert_int_equal(sink.n_rows, SINK_ROWS_MAX);
	row_set(row, 0, 1); /* dropped, but not NULL */
	sink_reset(&sink, NULL);
	assert_false(sink.overflow);
	row = sink_row(&sink, "again", "");
	assert_int_equal(row->values[1].type, VALUE_ABSENT);
	sink_done(&sink);
}

static void check_name(const char *name)
{
	assert_true(islower((unsigned char)name[0]));
	for (const char *p = name; *p; p++)
		assert_true(islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_');
}

static void check_help(const char *name, const char *help)
{
	size_t len = strlen(help);

	if (!len || help[len - 1] != '.' ||
	    (!isupper((unsigned char)help[0]) && !isdigit((unsigned char)help[0])))
		fail_msg("%s: '%s' is no sentence", name, help);
}

static void check_group(const struct collector *collector, const struct group *group)
{
	struct metric metric, other;

	check_name(group->name);
	check_help(group->name, group->help);
	assert_true(group->n_fields > 0 && group->n_fields <= SINK_FIELDS_MAX);
	assert_true(group->period_ms >= 1000);
	for (size_t i = 0; metric_at(collector, group, i, &metric) == 0; i++) {
		check_name(metric.name);
		check_help(metric.name, metric.help);
		for (size_t k = 0; k < i; k++)
			if (metric_at(collector, group, k, &other) == 0)
				assert_string_not_equal(metric.name, other.name);
		if (!metric.derived)
			continue;
		assert_true(metric.derived->num > 0 && metric.derived->den > 0);
		if (metric_is_delta(&metric))
			assert_int_equal(group->fields[metric.a].kind, KIND_COUNTER);
		assert_int_equal(group->fields[metric.a].kind, group->fields[metric.b].kind);
	}
	for (size_t i = 0; i < group->n_fields; i++) {
		const struct field *field = &group->fields[i];

		assert_true(field->kind != KIND_STATE || field->states);
		assert_true(!field->bits || field->kind == KIND_COUNTER);
	}
	assert_int_equal(metric_at(collector, group, group->n_fields + group->n_derived, &metric),
			 -ENOENT);
}

/* A name that a derived quantity refers to and that is no field would end metric_at() early. */
static void tables(void **unused)
{
	const struct catalog *catalog = registry();
	const struct collector *collector;
	const struct group *group;
	struct metric metric;

	(void)unused;
	for (size_t i = 0; (group = catalog_group_at(catalog, i, &collector)); i++) {
		check_group(collector, group);
		for (size_t k = 0; k < group->n_fields + group->n_derived; k++)
			assert_int_equal(metric_at(collector, group, k, &metric), 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(group->name,
						catalog_group_at(catalog, k, NULL)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_units), cmocka_unit_test(quotients),
		cmocka_unit_test(counters),   cmocka_unit_test(rows),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
