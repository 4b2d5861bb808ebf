/* flashscope events: what happened, with the marks, in the order of boots and of time. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/ambiguous.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/records.h"
#include "cli/table.h"
#include "export/tree.h"

static const char help[] =
	"Usage: flashscope events [--from TIME] [--to TIME] [--db FILE | --socket PATH | --url "
	"URL]\n"
	"                         [--json]\n"
	"\n"
	"What happened, the newest last: starts, boots, devices that came and went, what failed,\n"
	"and the marks that were set. Boots are in their order, whatever their clocks showed.\n"
	"\n"
	"  --from TIME     start of the window, default the beginning\n"
	"  --to TIME       its end\n"
	"  --json          {\"events\", \"marks\"}, as GET /api/v1/events and /api/v1/marks have "
	"them,\n"
	"                  with \"ambiguous\" where times of the window are\n"
	"  --db FILE       read a database file instead of asking the daemon\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n"
	"\n"
	"Times are those of flashscope query.\n";

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct records_source *source, bool *json)
{
	const struct cli_option options[] = {
		{"from", .text = &source->from},
		{"to", .text = &source->to},
		{"json", .flag = json},
		{"db", .text = &source->db},
		{"socket", .text = &source->target.socket},
		{"url", .text = &source->target.url},
	};
	int r = cli_options("events", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind < argc)
		return cli_wrong_usage("events", "takes no argument \"%s\"", argv[optind]);
	return cli_one_source("events", source->db, &source->target);
}

/* Of an incident of the kernel's log t_end is its newest message so far. */
static bool is_open(struct tree *record)
{
	return !*tree_text(record, "t_end") || tree_bool(record, "evidence.open");
}

/* What both have: from when to when. */
static int add_line(struct table *table, struct tree *record, const char *severity,
		    const char *kind, const char *about, const char *text)
{
	const char *t = tree_text(record, "t"), *t_end = tree_text(record, "t_end");
	char boot[32];
	const char *cells[] = {
		t,        boot, is_open(record) ? "open" : strcmp(t, t_end) != 0 ? t_end : "",
		severity, kind, about,
		text};
	int r = table_line(table);

	snprintf(boot, sizeof(boot), "%lld", (long long)tree_i64(record, "boot"));
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(cells); i++)
		r = table_cell(table, cells[i]);
	return r;
}

static int add_event(struct table *table, struct tree *event)
{
	char buf[512];
	struct text about = TEXT_IN(buf);

	text_str(&about, tree_text(event, "collector"));
	if (*tree_text(event, "node"))
		text_printf(&about, "%s%s", about.len ? " " : "", tree_text(event, "node"));
	return add_line(table, event, tree_text(event, "severity"), tree_text(event, "kind"), buf,
			tree_text(event, "text"));
}

static int add_mark(struct table *table, struct tree *mark)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%lld", (long long)tree_i64(mark, "id"));
	return add_line(table, mark, "", "mark", buf, tree_text(mark, "label"));
}

/* The boot that no commit has brought into the file yet is the last. */
static int64_t boot_of(struct tree *record)
{
	int64_t boot = tree_i64(record, "boot");

	return boot ? boot : INT64_MAX;
}

static bool is_before(struct tree *a, struct tree *b)
{
	int64_t boot_a = boot_of(a), boot_b = boot_of(b);

	return boot_a != boot_b ? boot_a < boot_b
				: tree_i64(a, "boot_ms") <= tree_i64(b, "boot_ms");
}

/* Both lists are in the order of boots and their clocks. */
static int fill(struct table *table, struct tree *events, struct tree *marks)
{
	size_t n_events = tree_n(events), n_marks = tree_n(marks), e = 0, m = 0;
	int r = 0;

	while (r == 0 && (e < n_events || m < n_marks)) {
		struct tree *event = e < n_events ? tree_at(events, e) : NULL;
		struct tree *mark = m < n_marks ? tree_at(marks, m) : NULL;

		if (!mark || (event && is_before(event, mark))) {
			r = add_event(table, event);
			e++;
		} else {
			r = add_mark(table, mark);
			m++;
		}
	}
	return r;
}

static int print_records(struct tree *events, struct tree *marks)
{
	static const struct {
		const char *name;
		enum table_column column;
	} columns[] = {
		{"TIME", TABLE_TEXT},     {"BOOT", TABLE_NUMBER}, {"UNTIL", TABLE_TEXT},
		{"SEVERITY", TABLE_TEXT}, {"KIND", TABLE_TEXT},   {"ABOUT", TABLE_WRAP},
		{"TEXT", TABLE_WRAP},
	};
	CLEANUP(table_closep) struct table *table = NULL;
	int r = table_open(&table);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(columns); i++)
		r = table_column(table, columns[i].name, columns[i].column);
	if (r == 0)
		r = fill(table, events, marks);
	return r < 0 ? r : table_print(table, stdout);
}

/* JSON texts. */
struct records {
	char *events, *marks, *ambiguous;
};

static void texts_done(struct records *records)
{
	free(records->events);
	free(records->marks);
	free(records->ambiguous);
}

static int show(const struct records *records)
{
	CLEANUP(tree_freep) struct tree *events = NULL;
	CLEANUP(tree_freep) struct tree *marks = NULL;
	CLEANUP(tree_freep) struct tree *ambiguous = NULL;
	int r = tree_parse(records->events, strlen(records->events), &events);

	if (r == 0)
		r = tree_parse(records->marks, strlen(records->marks), &marks);
	if (r == 0)
		r = tree_parse(records->ambiguous, strlen(records->ambiguous), &ambiguous);
	if (r == 0 && !tree_n(events) && !tree_n(marks))
		puts("nothing happened in this window, or nothing was recorded");
	else if (r == 0)
		r = print_records(events, marks);
	if (r == 0)
		ambiguous_print_tree(stdout, "", ambiguous);
	else
		fprintf(stderr, "flashscope events: %s\n", strerror(-r));
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

static void print_json(const struct records *records)
{
	printf("{\"events\":%s,\"marks\":%s", records->events, records->marks);
	if (strcmp(records->ambiguous, "[]") != 0)
		printf(",\"ambiguous\":%s", records->ambiguous);
	puts("}");
}

int command_events(int argc, char **argv)
{
	CLEANUP(records_done) struct records_source source = {.command = "events"};
	CLEANUP(texts_done) struct records records = {0};
	bool json = false;
	int r = parse_args(argc, argv, &source, &json);

	if (r >= 0)
		return r;
	r = records_get(&source, false, &records.events);
	if (r == EXIT_DONE)
		r = records_get(&source, true, &records.marks);
	if (r == EXIT_DONE)
		r = records_ambiguous(&source, &records.ambiguous);
	if (r != EXIT_DONE)
		return r;
	if (json)
		print_json(&records);
	else
		r = show(&records);
	return r == EXIT_DONE && cli_flush() < 0 ? EXIT_FAILED : r;
}
