/* flashscope probe: what this kernel gives, what it does not, why, and what to do about it. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/probe_list.h"
#include "cli/table.h"
#include "cli/wanted.h"
#include "export/document.h"
#include "sampling/registry.h"
#include "sampling/runner.h"

static const char help[] =
	"Usage: flashscope probe [--root DIR] [--all] [--json] [--partitions] [NAME...]\n"
	"\n"
	"Says of each collector whether it can be sampled, and which of its nodes cannot, why\n"
	"not, and what can be done about it. NAME is a collector, or one of its groups.\n"
	"\n"
	"  --root DIR    look at a recorded tree instead of this machine\n"
	"  --all         a table of every node, those that are well included\n"
	"  --json        print an array of {collector, node, state, reason, advice}\n"
	"  --partitions  take also the nodes that are left out by default\n";

struct probe_args {
	struct runner_options runner;
	bool json, all;
	bool *wanted; /* collectors */
};

static int take_words(struct probe_args *args, int n, char **words)
{
	CLEANUP(wanted_done) struct wanted wanted = {0};

	if (wanted_open(&wanted) < 0)
		return EXIT_FAILED;
	if (wanted_take_words(&wanted, "probe", n, words) < 0)
		return EXIT_USAGE;
	for (size_t i = 0; i < registry()->n_collectors; i++)
		args->wanted[i] = wanted_has_collector(&wanted, i);
	return -1;
}

static int parse_args(int argc, char **argv, struct probe_args *args)
{
	const struct cli_option options[] = {
		{"root", .text = &args->runner.root},
		{"all", .flag = &args->all},
		{"json", .flag = &args->json},
		{"partitions", .flag = &args->runner.all_nodes},
	};
	int r = cli_options("probe", help, options, ARRAY_SIZE(options), argc, argv);

	return r >= 0 ? r : take_words(args, argc - optind, argv + optind);
}

static int print_json(struct runner *runner)
{
	CLEANUP(freep) char *buf = malloc(DOCUMENT_LINE_MAX);
	const struct catalog *catalog = registry();
	const char *separator = "[\n";

	if (!buf)
		return -ENOMEM;
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		const struct probe *probe = runner_probe_of(runner, i);

		for (size_t k = 0; probe && k < probe->n_items; k++) {
			struct text text = text_in(buf, DOCUMENT_LINE_MAX);
			const struct probe_item shown =
				probe_shown(catalog->collectors[i], &probe->items[k]);

			document_probe_item(&text, catalog->collectors[i], &shown);
			printf("%s%s", separator, text.p);
			separator = ",\n";
		}
	}
	printf("%s\n]\n", separator[0] == '[' ? "[" : "");
	return 0;
}

static int add_line(struct table *table, const char *collector, const struct probe_item *item)
{
	int r = table_line(table);

	if (r < 0)
		return r;
	table_cell(table, collector);
	table_cell(table, item->node[0] ? item->node : "-");
	table_cell(table, outcome_name(item->outcome));
	table_cell(table, item->reason);
	table_cell(table, item->advice);
	return 0;
}

static int print_table(struct runner *runner)
{
	CLEANUP(table_closep) struct table *table = NULL;
	const struct catalog *catalog = registry();
	int r = table_open(&table);

	if (r < 0)
		return r;
	table_column(table, "COLLECTOR", TABLE_TEXT);
	table_column(table, "NODE", TABLE_TEXT);
	table_column(table, "STATE", TABLE_TEXT);
	table_column(table, "REASON", TABLE_WRAP);
	table_column(table, "ADVICE", TABLE_WRAP);
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		const struct probe *probe = runner_probe_of(runner, i);

		for (size_t k = 0; probe && k < probe->n_items; k++) {
			const struct probe_item shown =
				probe_shown(catalog->collectors[i], &probe->items[k]);

			r = add_line(table, catalog->collectors[i]->name, &shown);
			if (r < 0)
				return r;
		}
	}
	return table_print(table, stdout);
}

int command_probe(int argc, char **argv)
{
	const struct catalog *catalog = registry();
	CLEANUP(freep) bool *wanted = calloc(catalog->n_collectors + 1, sizeof(*wanted));
	struct probe_args args = {.runner = {.root = "/", .wanted = wanted}, .wanted = wanted};
	CLEANUP(runner_closep) struct runner *runner = NULL;
	int r = wanted ? parse_args(argc, argv, &args) : EXIT_FAILED;

	if (r >= 0)
		return r;
	cli_time_limit(60);
	r = runner_open(&args.runner, catalog, &runner);
	if (r < 0) {
		fprintf(stderr, "flashscope probe: %s: %s\n", args.runner.root, hw_open_problem(r));
		return EXIT_FAILED;
	}
	cli_check_root("probe", args.runner.root);
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (runner_wants(runner, i))
			runner_probe(runner, i);
	if (args.json)
		r = print_json(runner);
	else if (args.all)
		r = print_table(runner);
	else
		probe_list(stdout, runner);
	return r < 0 || cli_flush() < 0 ? EXIT_FAILED : EXIT_DONE;
}
