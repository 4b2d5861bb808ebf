/* flashscope writers: who has written, by process, unit or user. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/ambiguous.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/records.h"
#include "cli/table.h"
#include "export/tree.h"
#include "export/writers.h"
#include "model/people.h"
#include "query/writers.h"

#define LIMIT_DEFAULT 20
#define LIMIT_MAX     10000
#define DEFAULT_FROM  "-1d"

static const char help[] =
	"Usage: flashscope writers [--from TIME] [--to TIME] [--by WORD] [--limit N]\n"
	"                          [--json | --csv] [--db FILE | --socket PATH | --url URL]\n"
	"\n"
	"Who has written, the most first, with what the disks have written in the same hours.\n"
	"Writers are counted by the hour: an hour that the window cuts counts whole.\n"
	"\n"
	"  --from TIME     start of the window, default a day before now\n"
	"  --to TIME       its end, default now; with --db, now is the newest sample in the file\n"
	"  --by WORD       process, unit (cgroups) or uid (Android); default the first that is\n"
	"                  counted here\n"
	"  --limit N       so many of them, default 20; 0 is all\n"
	"  --json, --csv   for programs: exact bytes\n"
	"  --root TREE     is refused: a recorded tree is one moment, nothing is counted in it\n"
	"  --db FILE       read a database file instead of asking the daemon\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n"
	"\n"
	"Times are those of flashscope query.\n";

struct writers_args {
	struct records_source source;
	const char *by_word, *limit_word, *root;
	enum writers_by by;
	int64_t limit;
	bool json, csv;
};

static int check_args(struct writers_args *args)
{
	if (args->json && args->csv)
		return cli_wrong_usage("writers", "--json or --csv, not both");
	if (writers_by_named(args->by_word, &args->by) < 0)
		return cli_wrong_usage("writers", "--by %s: process, unit or uid", args->by_word);
	args->limit = args->json || args->csv ? 0 : LIMIT_DEFAULT;
	if (args->limit_word && (parse_i64(args->limit_word, &args->limit) < 0 || args->limit < 0 ||
				 args->limit > LIMIT_MAX))
		return cli_wrong_usage("writers", "--limit %s: 0 to %d", args->limit_word,
				       LIMIT_MAX);
	if (!args->limit)
		args->limit = LIMIT_MAX;
	return -1;
}

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct writers_args *args)
{
	struct records_source *source = &args->source;
	const struct cli_option options[] = {
		{"from", .text = &source->from},      {"to", .text = &source->to},
		{"by", .text = &args->by_word},       {"limit", .text = &args->limit_word},
		{"json", .flag = &args->json},        {"csv", .flag = &args->csv},
		{"db", .text = &source->db},          {"socket", .text = &source->target.socket},
		{"url", .text = &source->target.url}, {"root", .text = &args->root},
	};
	int r = cli_options("writers", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (args->root)
		return cli_wrong_usage("writers",
				       "--root: a recorded tree is one moment, and who writes is "
				       "counted between two; flashscope sample --root %s writers",
				       args->root);
	if (optind < argc)
		return cli_wrong_usage("writers", "takes no argument \"%s\"", argv[optind]);
	r = check_args(args);
	return r >= 0 ? r : cli_one_source("writers", source->db, &source->target);
}

static int make(struct reader *reader, int64_t from_ms, int64_t to_ms, struct doc *doc, void *arg)
{
	CLEANUP(writers_report_done) struct writers_report report = {0};
	const struct writers_args *args = arg;
	int r = query_writers(reader, args->by, from_ms, to_ms, &report);

	if (r == 0)
		api_writers(doc, &report, (size_t)args->limit);
	return r;
}

static int get(struct writers_args *args, char **ret)
{
	char path[128];
	const struct records_document document = {
		.path = path, .default_from = DEFAULT_FROM, .make = make, .arg = args};

	snprintf(path, sizeof(path), "/api/v1/writers?limit=%lld", (long long)args->limit);
	if (args->by != WRITERS_BY_ANY)
		snprintf(path, sizeof(path), "/api/v1/writers?limit=%lld&by=%s",
			 (long long)args->limit, writers_by_name(args->by));
	return records_document(&args->source, &document, ret);
}

static void put_bytes(struct text *text, int64_t bytes)
{
	people_value(text, decimal_of(bytes), UNIT_BYTES, false);
}

static int add_bytes(struct table *table, int64_t bytes)
{
	char buf[32];
	struct text text = TEXT_IN(buf);

	put_bytes(&text, bytes);
	return table_cell(table, buf);
}

/* A share with one decimal, in percent; little is not nothing. */
static int add_share(struct table *table, int64_t part, int64_t all)
{
	char buf[32] = "";
	struct text text = TEXT_IN(buf);

	if (all > 0) {
		int64_t thousandths = (int64_t)(((wide_int)part * 1000 + all / 2) / all);

		if (part > 0 && !thousandths)
			text_str(&text, "<0.1");
		else
			text_fixed(&text, thousandths, 1);
		text_str(&text, " %");
	}
	return table_cell(table, buf);
}

static int add_number(struct table *table, struct tree *writer, const char *key)
{
	char buf[32] = "";

	if (*tree_json(tree_get(writer, key)) != 'n')
		snprintf(buf, sizeof(buf), "%lld", (long long)tree_i64(writer, key));
	return table_cell(table, buf);
}

static bool is_by(struct tree *report, enum writers_by by)
{
	return !strcmp(tree_text(report, "by"), writers_by_name(by));
}

static int add_line(struct table *table, struct tree *report, struct tree *writer)
{
	const char *name = tree_text(writer, "name");
	int64_t written = tree_i64(writer, "written");
	int r = table_line(table);

	if (r == 0)
		r = add_bytes(table, written);
	if (r == 0)
		r = add_share(table, written, tree_i64(report, "written"));
	if (r == 0)
		r = add_bytes(table, tree_i64(writer, "read"));
	if (r == 0 && is_by(report, WRITERS_BY_PROCESS))
		r = add_bytes(table, tree_i64(writer, "cancelled"));
	if (r == 0)
		r = table_cell(table, *name ? name : "-");
	if (r == 0 && is_by(report, WRITERS_BY_PROCESS))
		r = table_cell(table, tree_text(writer, "unit"));
	if (r == 0 && is_by(report, WRITERS_BY_PROCESS))
		r = add_number(table, writer, "pid");
	if (r == 0 && is_by(report, WRITERS_BY_UNIT))
		r = table_cell(table, tree_text(writer, "device"));
	if (r == 0 && is_by(report, WRITERS_BY_UNIT))
		r = table_cell(table, tree_text(writer, "cgroup"));
	if (r == 0 && is_by(report, WRITERS_BY_UID))
		r = add_number(table, writer, "uid");
	if (r == 0 && is_by(report, WRITERS_BY_UID))
		r = add_number(table, writer, "syncs");
	return r;
}

static int add_columns(struct table *table, struct tree *report)
{
	static const struct {
		const char *name;
		enum table_column column;
		enum writers_by by; /* WRITERS_BY_ANY: of all */
	} columns[] = {
		{"WRITTEN", TABLE_NUMBER, WRITERS_BY_ANY},
		{"SHARE", TABLE_NUMBER, WRITERS_BY_ANY},
		{"READ", TABLE_NUMBER, WRITERS_BY_ANY},
		{"CANCELLED", TABLE_NUMBER, WRITERS_BY_PROCESS},
		{"NAME", TABLE_TEXT, WRITERS_BY_ANY},
		{"UNIT", TABLE_TEXT, WRITERS_BY_PROCESS},
		{"PID", TABLE_NUMBER, WRITERS_BY_PROCESS},
		{"DISK", TABLE_TEXT, WRITERS_BY_UNIT},
		{"CGROUP", TABLE_WRAP, WRITERS_BY_UNIT},
		{"UID", TABLE_NUMBER, WRITERS_BY_UID},
		{"FSYNCS", TABLE_NUMBER, WRITERS_BY_UID},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(columns); i++)
		if (columns[i].by == WRITERS_BY_ANY || is_by(report, columns[i].by))
			r = table_column(table, columns[i].name, columns[i].column);
	return r;
}

static int print_table(struct tree *report)
{
	CLEANUP(table_closep) struct table *table = NULL;
	struct tree *writers = tree_get(report, "writers");
	int r = table_open(&table);

	if (r == 0)
		r = add_columns(table, report);
	for (size_t i = 0; r == 0 && i < tree_n(writers); i++)
		r = add_line(table, report, tree_at(writers, i));
	return r < 0 ? r : table_print(table, stdout);
}

static void print_sums(struct tree *report)
{
	char written[32], disks[32], rest[32];
	struct text w = TEXT_IN(written), d = TEXT_IN(disks), n = TEXT_IN(rest);
	int64_t of_all = tree_i64(report, "written"),
		of_disks = tree_i64(report, "devices_written");

	put_bytes(&w, of_all);
	put_bytes(&d, of_disks);
	put_bytes(&n, tree_i64(report, "not_attributed"));
	if (*tree_json(tree_get(report, "devices_written")) == 'n')
		printf("\n%s written by all of them; what the disks have written is not known\n",
		       written);
	else if (of_disks >= of_all)
		printf("\n%s written by all of them, %s by the disks: %s not attributed\n", written,
		       disks, rest);
	else
		printf("\n%s written by all of them, %s by the disks so far: the rest waits in "
		       "memory, was dropped, or went elsewhere\n",
		       written, disks);
}

/* Looked and seen nobody, not looked, and looked at another time: three things. */
static int print_none(struct tree *report)
{
	const char *state = tree_text(report, "state"), *by = tree_text(report, "by");

	if (!strcmp(state, writers_state_name(WRITERS_NONE))) {
		printf("nobody was seen writing in this window (by %s)\n", by);
		return 0;
	}
	printf("not counted by %s: ", by);
	cli_put_text(stdout, tree_text(report, "reason"));
	puts("; flashscope probe writers tells what can be counted here");
	return 0;
}

#define GAPS_SHOWN 3

static void print_gaps(struct tree *report)
{
	struct tree *gaps = tree_get(report, "uncounted");
	size_t n = tree_n(gaps);

	for (size_t i = 0; i < n && i < GAPS_SHOWN; i++) {
		fputs("not counted from ", stdout);
		cli_put_text(stdout, tree_text(tree_at(gaps, i), "from"));
		fputs(" to ", stdout);
		cli_put_text(stdout, tree_text(tree_at(gaps, i), "to"));
		putchar('\n');
	}
	if (n > GAPS_SHOWN)
		printf("and %zu times more, which --json has%s\n", n - GAPS_SHOWN,
		       n == WRITERS_GAPS_MAX ? ", or more than that" : "");
	if (n)
		puts("(the first look of a daemon, within a minute of its start, only finds out "
		     "where the counters stand)");
}

/* From the first look that counts to the last: less than an hour is none. */
static void print_extent(struct tree *report)
{
	const char *from = tree_text(report, "from"), *to = tree_text(report, "to");
	char buf[32];
	struct text span = TEXT_IN(buf);
	int64_t from_ms, to_ms;

	fputs("counted from ", stdout);
	cli_put_text(stdout, from);
	fputs(" to ", stdout);
	cli_put_text(stdout, to);
	if (clock_parse_rfc3339(from, &from_ms) < 0 || clock_parse_rfc3339(to, &to_ms) < 0) {
		putchar('\n');
		return;
	}
	text_span(&span, to_ms - from_ms);
	printf(" (%s%s)\n", buf,
	       tree_bool(report, "cut") ? "; hours that the window cuts are whole" : "");
}

static int print_report(struct tree *report)
{
	int r;

	if (!tree_i64(report, "hours"))
		return print_none(report);
	print_extent(report);
	print_gaps(report);
	putchar('\n');
	if (!tree_n(tree_get(report, "writers")))
		return print_none(report);
	r = print_table(report);
	if (r == 0)
		print_sums(report);
	return r;
}

static void put_csv(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
	}
	putchar('"');
}

static void print_csv(struct tree *report)
{
	static const char *const texts[] = {"name", "unit", "cgroup", "device"};
	static const char *const numbers[] = {"pid",  "uid",       "processes", "written",
					      "read", "cancelled", "syncs"};
	struct tree *writers = tree_get(report, "writers");

	puts("by,name,unit,cgroup,device,pid,uid,processes,written,read,cancelled,syncs");
	for (size_t i = 0; i < tree_n(writers); i++) {
		struct tree *writer = tree_at(writers, i);

		fputs(tree_text(report, "by"), stdout);
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
			putchar(',');
			put_csv(tree_text(writer, texts[k]));
		}
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
			struct tree *number = tree_get(writer, numbers[k]);

			putchar(',');
			if (number && *tree_json(number) != 'n')
				printf("%lld", (long long)tree_i64(number, ""));
		}
		putchar('\n');
	}
}

static int show(const struct writers_args *args, const char *json)
{
	CLEANUP(tree_freep) struct tree *report = NULL;
	int r = tree_parse(json, strlen(json), &report);

	if (r == 0 && args->csv)
		print_csv(report);
	else if (r == 0)
		r = print_report(report);
	if (r < 0)
		fprintf(stderr, "flashscope writers: %s\n", strerror(-r));
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

/* Beside what programs read. */
static int say_ambiguous(struct writers_args *args)
{
	bool beside = args->json || args->csv;
	CLEANUP(freep) char *json = NULL;
	CLEANUP(tree_freep) struct tree *ambiguous = NULL;
	int r = records_ambiguous(&args->source, &json);

	if (r != EXIT_DONE)
		return r;
	if (tree_parse(json, strlen(json), &ambiguous) < 0)
		return EXIT_FAILED;
	fflush(stdout);
	ambiguous_print_tree(beside ? stderr : stdout, beside ? "flashscope writers: " : "",
			     ambiguous);
	return EXIT_DONE;
}

int command_writers(int argc, char **argv)
{
	struct writers_args args = {.source = {.command = "writers"}, .by_word = ""};
	CLEANUP(freep) char *json = NULL;
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	r = get(&args, &json);
	if (r == EXIT_DONE && args.json)
		printf("%s\n", json);
	else if (r == EXIT_DONE)
		r = show(&args, json);
	if (r == EXIT_DONE)
		r = say_ambiguous(&args);
	records_done(&args.source);
	return r == EXIT_DONE && cli_flush() < 0 ? EXIT_FAILED : r;
}
