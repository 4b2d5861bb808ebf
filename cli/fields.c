/* flashscope fields: every metric that this build knows. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/table.h"
#include "export/reference.h"
#include "sampling/registry.h"

static const char help[] =
	"Usage: flashscope fields [--markdown] [COLLECTOR...]\n"
	"\n"
	"Lists the metrics that can be asked for: fields and what is derived from them.\n"
	"\n"
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
	table_column(table, "MADE OF", TABLE_TEXT);
	table_column(table, "MEANING", TABLE_WRAP);
	for (size_t i = 0; i < catalog->n_collectors && r == 0; i++)
		if (wanted[i])
			r = add_collector(table, catalog->collectors[i]);
	return r < 0 ? r : table_print(table, stdout);
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
		{"markdown", no_argument, NULL, 'm'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	CLEANUP(freep) bool *wanted = calloc(registry()->n_collectors + 1, sizeof(*wanted));
	bool markdown = false;

	if (!wanted)
		return EXIT_FAILED;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'm') {
			markdown = true;
			continue;
		}
		fputs(help, c == 'h' ? stdout : stderr);
		return c == 'h' ? EXIT_DONE : EXIT_USAGE;
	}
	if (cli_wanted("fields", argc - optind, argv + optind, wanted) < 0)
		return EXIT_USAGE;

	int r = markdown ? print_markdown() : print_table(wanted);

	return r < 0 || fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}
