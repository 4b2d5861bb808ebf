/* The reference page of metrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "export/reference.h"

static const char *const states[] = {"off", "on", NULL};

/* clang-format off */
static const struct field fields[] = {
	{"reads", UNIT_COUNT, KIND_COUNTER, "Reads | requests.", NULL, 0, NULL},
	{"power", UNIT_NONE, KIND_STATE, "Power.", NULL, 0, states, "5.13", "an | old device"},
	{"model", UNIT_NONE, KIND_INFO, "Model.", "device/model", 0, NULL},
};

static const struct derived derived[] = {
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "reads", NULL, 512, 1, "Bytes."},
};
/* clang-format on */

static const struct group groups[] = {{
	.name = "disk",
	.help = "Some disks.",
	.cost = COST_L,
	.period_ms = 1500,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
	.derived = derived,
	.n_derived = ARRAY_SIZE(derived),
	.node = "disk",
	.since = "4.8",
	.absence = "no disk",
}};

static const struct collector collector = {
	.name = "disks", .help = "Disks.", .groups = groups, .n_groups = 1};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static void writes_tables(void **state)
{
	static const char end[] =
		"\n## disks\n\nDisks.\n"
		"\n### Group `disk`\n\nSome disks. Cost L, every 1.5 s by default. Node: disk. "
		"Absent: no disk.\n\n"
		"| field | kind | unit | since | Prometheus | |\n|---|---|---|---|---|---|\n"
		"| `reads` | counter | count | 4.8 | `flashscope_disk_reads_total` | "
		"Reads \\| requests. |\n"
		"| `power` | state | none | 5.13 | `flashscope_disk_power` | Power. (0 off, 1 on) "
		"Absent: an \\| old device. |\n"
		"| `model` | info | text | 4.8 | `flashscope_disk_model_info` | Model. File "
		"`device/model`. |\n"
		"\n| derived | kind | unit | made of | |\n|---|---|---|---|---|\n"
		"| `read_bytes` | counter | bytes | reads * 512 | Bytes. |\n";
	CLEANUP(stream_closep) struct stream *stream = NULL;
	char buf[8192];
	ssize_t n;

	(void)state;
	assert_int_equal(reference_stream(&catalog, &stream), 0);
	n = stream_read(stream, buf, sizeof(buf) - 1);
	assert_true(n > (ssize_t)sizeof(end));
	buf[n] = '\0';
	assert_int_equal(stream_read(stream, buf + n, 1), 0);
	assert_string_equal(buf + n - (sizeof(end) - 1), end);
}

static void writes_formulas(void **state)
{
	static const struct {
		struct derived derived;
		const char *text;
	} table[] = {
		{{"x", UNIT_NONE, DERIVE_SCALE, "a", NULL, 1, 1000, ""}, "a / 1000"},
		{{"x", UNIT_NONE, DERIVE_DIFF, "a", "b", 1, 1, ""}, "(a - b)"},
		{{"x", UNIT_NONE, DERIVE_QUOTIENT, "a", "b", 100, 1, ""}, "a / b * 100"},
		{{"x", UNIT_NONE, DERIVE_REST, "a", "b", 1, 1, ""}, "(b - a) / b"},
		{{"x", UNIT_NONE, DERIVE_MEAN, "a", "b", 512, 3, ""}, "d(a) / d(b) * 512 / 3"},
		{{"x", UNIT_NONE, DERIVE_SHARE, "a", NULL, 1, 1000, ""},
		 "d(a) / interval / 1000, at most 1"},
		{{"x", UNIT_NONE, DERIVE_AVERAGE, "a", NULL, 1, 1, ""}, "d(a) / interval"},
	};
	char buf[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct text text = TEXT_IN(buf);

		reference_formula(&text, &table[i].derived);
		assert_string_equal(buf, table[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_tables),
		cmocka_unit_test(writes_formulas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
