/* The Prometheus text: a golden one, hostile names, and the names of all fields that are built in.
 * promtool reads it too where it is installed. */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "export/prometheus.h"
#include "sampling/registry.h"

enum { READS, READ_SECTORS, SOME_TOTAL, TEMP, POWER, MODEL };

static const char *const power_states[] = {"off", "on", NULL};

/* clang-format off */
static const struct field fields[] = {
	[READS]        = {"reads", UNIT_COUNT, KIND_COUNTER, "Reads.", NULL, 0, NULL},
	[READ_SECTORS] = {"read_sectors", UNIT_SECTORS, KIND_COUNTER, "Read.", NULL, 0, NULL},
	[SOME_TOTAL]   = {"some_total", UNIT_MICROSECONDS, KIND_COUNTER, "Waited.", NULL, 0, NULL},
	[TEMP]         = {"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "A \\ and\na line.", NULL, 0, NULL},
	[POWER]        = {"power", UNIT_NONE, KIND_STATE, "Power.", NULL, 0, power_states},
	[MODEL]        = {"model", UNIT_NONE, KIND_INFO, "Model.", NULL, 0, NULL},
};
/* clang-format on */

static const struct group groups[] = {
	{.name = "disk", .help = "Disks.", .fields = fields, .n_fields = ARRAY_SIZE(fields)},
	{.name = "other", .help = "Others.", .fields = fields, .n_fields = 1},
};

static const struct collector collector = {.name = "disk", .groups = groups, .n_groups = 2};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static char document[256 * 1024];

static void add_int(struct prometheus *p, size_t field, int64_t i, enum flag flag)
{
	struct value value = {.i = i, .type = VALUE_INT, .flag = (uint8_t)flag};

	assert_int_equal(prometheus_value(p, field, &value, NULL, 0), 0);
}

static void add_text(struct prometheus *p, size_t field, const char *text)
{
	struct value value = {.type = VALUE_TEXT};

	assert_int_equal(prometheus_value(p, field, &value, text, 0), 0);
}

static void add_fault(struct prometheus *p, size_t field, int error)
{
	struct value value = {.i = 42, .type = VALUE_INT};

	assert_int_equal(prometheus_value(p, field, &value, NULL, error), 0);
}

static const char *read_all(struct prometheus *p, size_t piece)
{
	CLEANUP(stream_closep) struct stream *stream = NULL;
	size_t len = 0;
	ssize_t r;

	assert_int_equal(prometheus_stream(p, &stream), 0);
	while ((r = stream_read(stream, document + len, MIN(piece, sizeof(document) - 1 - len))) >
	       0)
		len += (size_t)r;
	assert_int_equal(r, 0);
	document[len] = '\0';
	return document;
}

static struct prometheus *sample(void)
{
	struct prometheus *p = NULL;

	assert_int_equal(prometheus_new(&catalog, &p), 0);
	assert_int_equal(prometheus_row(p, 0, "vda", "virtio-1"), 0);
	add_int(p, READS, 12, FLAG_NONE);
	add_int(p, READ_SECTORS, 3, FLAG_NONE);
	add_int(p, SOME_TOTAL, 1500001, FLAG_NONE);
	add_int(p, TEMP, -47312, FLAG_NONE);
	add_int(p, POWER, 1, FLAG_NONE);
	add_text(p, MODEL, "QEMU");
	assert_int_equal(prometheus_row(p, 0, "b\"\\\n\xff", ""), 0);
	add_int(p, READS, INT64_MAX, FLAG_FILTERED);
	add_int(p, TEMP, 1, FLAG_IMPLAUSIBLE);
	add_fault(p, POWER, -EIO);
	assert_int_equal(prometheus_row(p, 1, "vda", ""), 0);
	add_int(p, READS, 0, FLAG_NONE);
	assert_int_equal(prometheus_row(p, 1, "hung", ""), 0);
	add_int(p, READS, 77, FLAG_FILTERED);
	prometheus_age(p, 185250);
	prometheus_stale(p);
	return p;
}

static const char golden[] =
	"# HELP flashscope_build_info What answers here.\n"
	"# TYPE flashscope_build_info gauge\n"
	"flashscope_build_info{version=\"" FLASHSCOPE_VERSION "\"} 1\n"
	"# HELP flashscope_disk_reads_total Reads.\n"
	"# TYPE flashscope_disk_reads_total counter\n"
	"flashscope_disk_reads_total{node=\"vda\"} 12\n"
	"flashscope_disk_reads_total{node=\"b\\\"\\\\\\n\xef\xbf\xbd\"} 9223372036854775807\n"
	"# HELP flashscope_disk_read_bytes_total Read.\n"
	"# TYPE flashscope_disk_read_bytes_total counter\n"
	"flashscope_disk_read_bytes_total{node=\"vda\"} 1536\n"
	"# HELP flashscope_disk_some_seconds_total Waited.\n"
	"# TYPE flashscope_disk_some_seconds_total counter\n"
	"flashscope_disk_some_seconds_total{node=\"vda\"} 1.500001\n"
	"# HELP flashscope_disk_temp_celsius A \\\\ and\\na line.\n"
	"# TYPE flashscope_disk_temp_celsius gauge\n"
	"flashscope_disk_temp_celsius{node=\"vda\"} -47.312\n"
	"# HELP flashscope_disk_power Power. 0 = off, 1 = on.\n"
	"# TYPE flashscope_disk_power gauge\n"
	"flashscope_disk_power{node=\"vda\"} 1\n"
	"# HELP flashscope_disk_model_info Model.\n"
	"# TYPE flashscope_disk_model_info gauge\n"
	"flashscope_disk_model_info{node=\"vda\",model=\"QEMU\"} 1\n"
	"# HELP flashscope_other_reads_total Reads.\n"
	"# TYPE flashscope_other_reads_total counter\n"
	"flashscope_other_reads_total{node=\"vda\"} 0\n"
	"# HELP flashscope_field_fault Fields that exist and could not be read.\n"
	"# TYPE flashscope_field_fault gauge\n"
	"flashscope_field_fault{group=\"disk\",node=\"b\\\"\\\\\\n\xef\xbf\xbd\",field=\"power\","
	"error=\"EIO\"} 1\n"
	"# HELP flashscope_field_flag Values that are there but not to be trusted.\n"
	"# TYPE flashscope_field_flag gauge\n"
	"flashscope_field_flag{group=\"disk\",node=\"b\\\"\\\\\\n\xef\xbf\xbd\",field=\"reads\","
	"flag=\"filtered\"} 1\n"
	"flashscope_field_flag{group=\"disk\",node=\"b\\\"\\\\\\n\xef\xbf\xbd\",field=\"temp\","
	"flag=\"implausible\"} 1\n"
	"# HELP flashscope_node_stale Nodes whose newest sample is older than it should be.\n"
	"# TYPE flashscope_node_stale gauge\n"
	"flashscope_node_stale{group=\"other\",node=\"hung\"} 1\n"
	"# HELP flashscope_sample_age_seconds How long ago a node was sampled, where that is done "
	"seldom or is late.\n"
	"# TYPE flashscope_sample_age_seconds gauge\n"
	"flashscope_sample_age_seconds{group=\"other\",node=\"hung\"} 185.25\n"
	"# HELP flashscope_node_info What a node is, whatever its name.\n"
	"# TYPE flashscope_node_info gauge\n"
	"flashscope_node_info{group=\"disk\",node=\"vda\",identity=\"virtio-1\"} 1\n";

static void writes_the_text(void **state)
{
	(void)state;
	assert_string_equal(read_all(sample(), 16384), golden);
	assert_string_equal(read_all(sample(), 1), golden);
}

static void nothing_sampled_is_no_family(void **state)
{
	struct prometheus *p = NULL;

	(void)state;
	assert_int_equal(prometheus_new(&catalog, &p), 0);
	assert_null(strstr(read_all(p, 100), "disk"));
}

static void rows_come_in_order(void **state)
{
	struct prometheus *p = NULL;

	(void)state;
	assert_int_equal(prometheus_new(&catalog, &p), 0);
	assert_int_equal(prometheus_row(p, 1, "vda", ""), 0);
	assert_int_equal(prometheus_row(p, 0, "vda", ""), -EINVAL);
	assert_int_equal(prometheus_row(p, 2, "vda", ""), -EINVAL);
	prometheus_free(p);
}

static void hostile_texts_stay_in_their_piece(void **state)
{
	char node[NODE_NAME_MAX], info[INFO_TEXT_MAX];
	struct prometheus *p = NULL;

	(void)state;
	memset(node, '\xff', sizeof(node) - 1);
	node[sizeof(node) - 1] = '\0';
	memset(info, '\xff', sizeof(info) - 1);
	info[sizeof(info) - 1] = '\0';
	assert_int_equal(prometheus_new(&catalog, &p), 0);
	for (size_t i = 0; i < 50; i++) {
		assert_int_equal(prometheus_row(p, 0, node, node), 0);
		add_text(p, MODEL, info);
		add_fault(p, TEMP, EIO);
	}
	assert_non_null(strstr(read_all(p, 16384), "_node_info{"));
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static void lint_name(const struct field *field, const char *name)
{
	static const char *const reserved[] = {"_count", "_sum", "_bucket"};
	bool counter = field->kind == KIND_COUNTER;
	size_t len = strlen(field->help);

	for (const char *c = name; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
			fail_msg("%s: '%c' in a name", name, *c);
	if (ends_with(name, "_total") != counter)
		fail_msg("%s: only counters end in _total", name);
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (ends_with(name, reserved[i]))
			fail_msg("%s: %s is for histograms", name, reserved[i]);
	if (!len || field->help[len - 1] != '.')
		fail_msg("%s: the help is no sentence", name);
}

static void names_of_the_built_in_fields(void **state)
{
	static char names[2048][128];
	size_t n = 0;
	const struct group *group;

	(void)state;
	for (size_t g = 0; (group = catalog_group_at(registry(), g, NULL)); g++)
		for (size_t f = 0; f < group->n_fields; f++) {
			struct text text = TEXT_IN(names[n]);

			prometheus_name(&text, group, &group->fields[f]);
			assert_false(text.truncated);
			lint_name(&group->fields[f], names[n]);
			for (size_t i = 0; i < n; i++)
				assert_string_not_equal(names[i], names[n]);
			assert_true(++n < ARRAY_SIZE(names));
		}
	assert_true(n > 0);
}

/* A value in every field that is built in. */
static struct prometheus *full(void)
{
	struct prometheus *p = NULL;
	const struct group *group;

	assert_int_equal(prometheus_new(registry(), &p), 0);
	for (size_t g = 0; (group = catalog_group_at(registry(), g, NULL)); g++) {
		assert_int_equal(prometheus_row(p, g, "a\"b\\c\nd", "id"), 0);
		for (size_t f = 0; f < group->n_fields; f++)
			if (group->fields[f].kind == KIND_INFO)
				add_text(p, f, "some \"text\"");
			else
				add_int(p, f, 1, f ? FLAG_NONE : FLAG_STALE);
		assert_int_equal(prometheus_row(p, g, "broken", ""), 0);
		add_fault(p, 0, EIO);
	}
	return p;
}

static void promtool_agrees(void **state)
{
	const char *promtool = getenv("PROMTOOL");
	char command[512];
	FILE *pipe;

	(void)state;
	promtool = promtool ? promtool : "promtool";
	snprintf(command, sizeof(command), "command -v %s >/dev/null", promtool);
	if (system(command)) {
		print_message("promtool is not installed (Debian package prometheus)\n");
		skip();
	}
	snprintf(command, sizeof(command), "%s check metrics", promtool);
	pipe = popen(command, "w");
	assert_non_null(pipe);
	fputs(read_all(full(), 16384), pipe);
	assert_int_equal(pclose(pipe), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_text),
		cmocka_unit_test(nothing_sampled_is_no_family),
		cmocka_unit_test(rows_come_in_order),
		cmocka_unit_test(hostile_texts_stay_in_their_piece),
		cmocka_unit_test(names_of_the_built_in_fields),
		cmocka_unit_test(promtool_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
