/* The objects of `flashscope sample` and `flashscope probe`, byte for byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "export/document.h"

enum { READS, TIME, GAUGE, NAME };

static const struct field fields[] = {
	[READS] = {"reads", UNIT_COUNT, KIND_COUNTER, ""},
	[TIME] = {.name = "time", .unit = UNIT_MILLISECONDS, .kind = KIND_COUNTER, .bits = 32},
	[GAUGE] = {"gauge", UNIT_COUNT, KIND_GAUGE, ""},
	[NAME] = {"name", UNIT_NONE, KIND_INFO, ""},
};

static const struct derived derived[] = {
	{"latency", UNIT_MILLISECONDS, DERIVE_MEAN, "time", "reads", 1, 1, ""},
	{"half", UNIT_COUNT, DERIVE_SCALE, "gauge", NULL, 1, 2, ""},
	{"bytes", UNIT_BYTES, DERIVE_SCALE, "reads", NULL, 512, 1, ""},
};

static const struct group group = {
	.name = "g",
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
	.derived = derived,
	.n_derived = ARRAY_SIZE(derived),
};

static const struct collector collector = {.name = "c", .groups = &group, .n_groups = 1};

static struct sink sink;

static struct row *new_row(int64_t reads, int64_t time_ms, int64_t gauge)
{
	struct row *row = sink_row(&sink, "n", "");

	row_set(row, READS, reads);
	row_set(row, TIME, time_ms);
	row_set(row, GAUGE, gauge);
	return row;
}

static void check(const struct row *row, const struct row *before, bool in_series,
		  const char *expected)
{
	static char buf[4096];
	struct text text = TEXT_IN(buf);
	struct document_sample sample = {
		.collector = &collector,
		.sink = &sink,
		.row = row,
		.in_series = in_series,
		.t_ms = 2000,
		.at_ms = 5000,
		.before_ms = 3000,
		.before = before,
	};

	document_sample(&text, &sample);
	assert_string_equal(buf, expected);
}

static int set_up(void **state)
{
	(void)state;
	if (sink_init(&sink) < 0)
		return -1;
	sink_reset(&sink, &group);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sink_done(&sink);
	return 0;
}

#define HEAD "\"collector\":\"c\",\"group\":\"g\",\"node\":\"n\","

static void values_faults_and_absence(void **state)
{
	struct row *row = sink_row(&sink, "n", "id");

	(void)state;
	check(row, NULL, false, "{" HEAD "\"fields\":{},\"faults\":{},\"flags\":{},\"info\":{}}");
	row_set(row, READS, INT64_MIN);
	row_flag(row, READS, FLAG_IMPLAUSIBLE);
	row_fault(row, GAUGE, -EIO);
	row_text(&sink, row, NAME, "a \"b\"\n\xff");
	check(row, NULL, false,
	      "{" HEAD "\"fields\":{\"reads\":-9223372036854775808,\"gauge\":null},"
	      "\"faults\":{\"gauge\":\"EIO\"},\"flags\":{\"reads\":\"implausible\"},"
	      "\"info\":{\"name\":\"a \\\"b\\\"\\n\xef\xbf\xbd\"}}");
}

static void a_sleeper_says_so(void **state)
{
	struct row *row = sink_row(&sink, "n", "id");

	(void)state;
	row->suspended = true;
	check(row, NULL, false,
	      "{" HEAD "\"state\":\"suspended\","
	      "\"fields\":{},\"faults\":{},\"flags\":{},\"info\":{}}");
}

static void rates_over_the_real_interval(void **state)
{
	(void)state;
	check(new_row(13, 20, 3), new_row(10, 16, 9), true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":13,\"time\":20,\"gauge\":3},\"faults\":{},"
	      "\"flags\":{},\"info\":{},\"rates\":{\"reads\":1.5,\"time\":2},"
	      "\"derived\":{\"latency\":1.333333,\"half\":1.5,\"bytes\":768}}");
}

static void no_requests_no_latency(void **state)
{
	(void)state;
	check(new_row(10, 16, 3), new_row(10, 16, 9), true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":10,\"time\":16,\"gauge\":3},\"faults\":{},"
	      "\"flags\":{},\"info\":{},\"rates\":{\"reads\":0,\"time\":0},"
	      "\"derived\":{\"latency\":null,\"half\":1.5,\"bytes\":0}}");
}

/* One counter fell, the other has overtaken its old value: both began anew. */
static void a_reset_has_no_rates(void **state)
{
	(void)state;
	check(new_row(9, 17, 4), new_row(10, 16, 4), true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":9,\"time\":17,\"gauge\":4},\"faults\":{},"
	      "\"flags\":{\"reads\":\"reset\",\"time\":\"reset\"},\"info\":{},"
	      "\"rates\":{\"reads\":null,\"time\":null},"
	      "\"derived\":{\"latency\":null,\"half\":2,\"bytes\":null}}");
}

static void a_wrap_is_no_reset(void **state)
{
	(void)state;
	check(new_row(12, 4, 4), new_row(10, 4294967290, 4), true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":12,\"time\":4,\"gauge\":4},\"faults\":{},"
	      "\"flags\":{},\"info\":{},\"rates\":{\"reads\":1,\"time\":5},"
	      "\"derived\":{\"latency\":5,\"half\":2,\"bytes\":512}}");
}

static void a_first_sample_has_no_rates(void **state)
{
	(void)state;
	check(new_row(12, 4, 4), NULL, true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":12,\"time\":4,\"gauge\":4},\"faults\":{},"
	      "\"flags\":{},\"info\":{}}");
}

static void what_failed_has_no_rate(void **state)
{
	struct row *before = new_row(10, 16, 4), *row = new_row(12, 17, 4);

	(void)state;
	row_fault(row, TIME, -EIO);
	row_fault(before, READS, -EIO);
	check(row, before, true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":12,\"time\":null,\"gauge\":4},"
	      "\"faults\":{\"time\":\"EIO\"},\"flags\":{},\"info\":{},"
	      "\"rates\":{\"reads\":null,\"time\":null},"
	      "\"derived\":{\"latency\":null,\"half\":2,\"bytes\":null}}");
}

/* A field that this node does not have is in neither, and what is made of it neither. */
static void what_is_absent_stays_absent(void **state)
{
	struct row *before = sink_row(&sink, "n", ""), *row = sink_row(&sink, "n", "");

	(void)state;
	row_set(before, READS, 1);
	row_set(row, READS, 3);
	check(row, before, true,
	      "{\"t\":2000," HEAD "\"fields\":{\"reads\":3},\"faults\":{},\"flags\":{},\"info\":{},"
	      "\"rates\":{\"reads\":1},\"derived\":{\"bytes\":512}}");
}

/* The longest row that there can be fits into a line. */
static void the_longest_row_fits(void **state)
{
	static struct field wide[SINK_FIELDS_MAX];
	static const struct group wide_group = {
		.name = "g", .fields = wide, .n_fields = SINK_FIELDS_MAX};
	CLEANUP(freep) char *buf = malloc(DOCUMENT_LINE_MAX);
	char name[INFO_TEXT_MAX];
	struct document_sample sample = {.collector = &collector, .sink = &sink};
	struct text text;
	struct row *row;

	(void)state;
	assert_non_null(buf);
	memset(name, 1, sizeof(name) - 1); /* each byte becomes six */
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < SINK_FIELDS_MAX; i++)
		wide[i] = (struct field){"a_name_of_the_longest_kind_that_anybody_would_use",
					 UNIT_NONE, KIND_INFO, ""};
	sink_reset(&sink, &wide_group);
	row = sink_row(&sink, name, name);
	for (size_t i = 0; i < SINK_FIELDS_MAX; i++)
		row_text(&sink, row, i, name);
	sample.row = row;
	text = text_in(buf, DOCUMENT_LINE_MAX);
	document_sample(&text, &sample);
	assert_false(text.truncated);
}

static void a_probe_item(void **state)
{
	struct probe_item item = {"n", OUTCOME_DENIED, "it's so", "say \"please\"", false};
	char buf[1024];
	struct text text = TEXT_IN(buf);

	(void)state;
	document_probe_item(&text, &collector, &item);
	assert_string_equal(buf, "{\"collector\":\"c\",\"node\":\"n\",\"state\":\"denied\","
				 "\"reason\":\"it's so\",\"advice\":\"say \\\"please\\\"\"}");
}

int main(void)
{
#define DOCUMENT_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		DOCUMENT_TEST(values_faults_and_absence),
		DOCUMENT_TEST(a_sleeper_says_so),
		DOCUMENT_TEST(rates_over_the_real_interval),
		DOCUMENT_TEST(no_requests_no_latency),
		DOCUMENT_TEST(a_reset_has_no_rates),
		DOCUMENT_TEST(a_wrap_is_no_reset),
		DOCUMENT_TEST(a_first_sample_has_no_rates),
		DOCUMENT_TEST(what_failed_has_no_rate),
		DOCUMENT_TEST(what_is_absent_stays_absent),
		DOCUMENT_TEST(the_longest_row_fits),
		DOCUMENT_TEST(a_probe_item),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
