/* flashscope fields: every metric that this build knows. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "export/api.h"
#include "export/reference.h"
#include "sampling/registry.h"

#define FIELDS_MAX_BYTES (4 * 1024 * 1024)

static const char help[] =
	"Usage: flashscope fields [--json | --markdown] [COLLECTOR...]\n"
	"\n"
	"Lists the metrics that can be asked for: fields and what is derived from them.\n"
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

static int add_collector(struct table *table, const struct collector *collector)
{
	struct metric metric;
	int r = 0;

	for (size_t g = 0; g < collector->n_groups && r == 0; g++)
		for (size_t i = 0;
		     r == 0 && metric_at(collector, &collector->groups[g], i, &metric) == 0; i++)
			r = add_metric(table, &metric);
	return r;
}

static int print_table(const bool *wanted)
{
	CLEANUP(table_closep) struct table *table = NULL;
	const struct catalog *catalog = registry();
	int r = table_open(&table);

	if (r < 0)
		return r;
	table_column(table, "METRIC", TABLE_TEXT);
	table_column(table, "KIND", TABLE_TEXT);
	table_column(table, "UNIT", TABLE_TEXT);
	table_column(table, "MADE OF", TABLE_WRAP);
	table_column(table, "MEANING", TABLE_WRAP);
	for (size_t i = 0; i < catalog->n_collectors && r == 0; i++)
		if (wanted[i])
			r = add_collector(table, catalog->collectors[i]);
	return r < 0 ? r : table_print(table, stdout);
}

static int print_json(const bool *wanted)
{
	const struct catalog *catalog = registry();
	CLEANUP(doc_done) struct doc doc;

	doc_init(&doc, FIELDS_MAX_BYTES);
	doc_array(&doc, NULL);
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (wanted[i])
			api_fields(&doc, catalog, catalog->collectors[i]->name);
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
	CLEANUP(freep) bool *wanted = calloc(registry()->n_collectors + 1, sizeof(*wanted));
	int form = 0;

	if (!wanted)
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
	if (cli_wanted("fields", argc - optind, argv + optind, wanted) < 0)
		return EXIT_USAGE;

	int r = form == 'm'   ? print_markdown()
		: form == 'j' ? print_json(wanted)
			      : print_table(wanted);

	return r < 0 || fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
