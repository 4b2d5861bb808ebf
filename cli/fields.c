/* flashscope fields: every metric that this build knows. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "cli/wanted.h"
#include "export/api.h"
#include "export/reference.h"
#include "sampling/registry.h"

#define FIELDS_MAX_BYTES (4 * 1024 * 1024)

static const char help[] =
	"Usage: flashscope fields [--json | --markdown] [NAME...]\n"
	"\n"
	"Lists the metrics that can be asked for: fields and what is derived from them.\n"
	"NAME is a collector, a group, or a metric.\n"
	"\n"
	"  --json       print an array with one object for each metric\n"
	"  --markdown   print docs/METRICS.md, for all collectors\n";

static int add_metric(struct table *table, const struct metric *metric)
{
	char buf[256];
	struct text text = TEXT_IN(buf);
	int r = table_line(table);

	if (r < 0)
		return r;
	text_printf(&text, "%s.%s", metric->group->name, metric->name);
	table_cell(table, buf);
	table_cell(table, kind_name(metric->kind));
	table_cell(table, metric->kind == KIND_INFO ? "text" : unit_name(metric->unit));
	text_reset(&text);
	if (metric->derived)
		reference_formula(&text, metric->derived);
	table_cell(table, buf);
	return table_cell(table, metric->help);
}

/* One that is derived, when all that it is made of is wanted. */
static bool is_wanted(const struct wanted *wanted, size_t group, const struct metric *metric)
{
	return wanted->fields[group][metric->a] && wanted->fields[group][metric->b];
}

static int add_group(struct table *table, const struct wanted *wanted, size_t index)
{
	const struct collector *collector;
	const struct group *group = catalog_group_at(registry(), index, &collector);
	struct metric metric;
	int r = 0;

	for (size_t i = 0; r == 0 && metric_at(collector, group, i, &metric) == 0; i++)
		if (is_wanted(wanted, index, &metric))
			r = add_metric(table, &metric);
	return r;
}

static int print_table(const struct wanted *wanted)
{
	CLEANUP(table_closep) struct table *table = NULL;
	int r = table_open(&table);

	if (r < 0)
		return r;
	table_column(table, "METRIC", TABLE_TEXT);
	table_column(table, "KIND", TABLE_TEXT);
	table_column(table, "UNIT", TABLE_TEXT);
	table_column(table, "MADE OF", TABLE_WRAP);
	table_column(table, "MEANING", TABLE_WRAP);
	for (size_t i = 0; i < catalog_n_groups(registry()) && r == 0; i++)
		r = add_group(table, wanted, i);
	return r < 0 ? r : table_print(table, stdout);
}

static int print_json(const struct wanted *wanted)
{
	const struct collector *collector;
	const struct group *group;
	CLEANUP(doc_done) struct doc doc;
	struct metric metric;

	doc_init(&doc, FIELDS_MAX_BYTES);
	doc_array(&doc, NULL);
	for (size_t i = 0; (group = catalog_group_at(registry(), i, &collector)); i++)
		for (size_t k = 0; metric_at(collector, group, k, &metric) == 0; k++)
			if (is_wanted(wanted, i, &metric))
				api_metric(&doc, &metric);
	doc_end(&doc);
	if (doc_error(&doc) < 0)
		return doc_error(&doc);
	puts(doc.p);
	return 0;
}

static int print_markdown(void)
{
	CLEANUP(stream_closep) struct stream *stream = NULL;
	int r = reference_stream(registry(), &stream);

	return r < 0 ? r : cli_print_stream(stream);
}

int command_fields(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"markdown", no_argument, NULL, 'm'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	CLEANUP(wanted_done) struct wanted wanted = {0};
	int form = 0;

	if (wanted_open(&wanted) < 0)
		return EXIT_FAILED;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (c == 'h') {
			fputs(help, stdout);
			return EXIT_DONE;
		}
		if (c == '?')
			return cli_wrong_usage("fields", NULL);
		if (form && form != c)
			return cli_wrong_usage("fields", "--json or --markdown, not both");
		form = c;
	}
	if (form == 'm' && optind < argc)
		return cli_wrong_usage("fields", "--markdown prints all collectors, not \"%s\"",
				       argv[optind]);
	if (wanted_take_words(&wanted, "fields", argc - optind, argv + optind) < 0)
		return EXIT_USAGE;

	int r = form == 'm'   ? print_markdown()
		: form == 'j' ? print_json(&wanted)
			      : print_table(&wanted);

	return r < 0 || cli_flush() < 0 ? EXIT_FAILED : EXIT_DONE;
}
