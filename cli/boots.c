/* flashscope boots: when each boot began, how long it lasted, how it ended. */
#include "cli/boots.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "export/api.h"
#include "export/tree.h"
#include "query/boots.h"

#define DOC_MAX_BYTES (8 * 1024 * 1024)
#define OWN_ID        "made up, as the kernel's could not be read"

static const char help[] =
	"Usage: flashscope boots [--db FILE | --socket PATH | --url URL] [--json] [BOOT]\n"
	"\n"
	"The boots that are recorded: when each began, how long it was up at least, which is as\n"
	"far as it is recorded, and how it ended, as the next boot concluded it. With the number\n"
	"of one BOOT: all that was concluded from, and the last lines of its kernel.\n"
	"\n"
	"  --json          as GET /api/v1/boots has them\n"
	"  --db FILE       read a database file instead of asking the daemon\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n";

struct boots_args {
	struct client_target target;
	const char *db;
	bool json;
	int64_t boot; /* 0: all */
};

/* What somebody has who asks for the boots of a tree, or of a file. */
static int not_a_boot(const char *text)
{
	struct stat st;

	if (stat(text, &st) < 0)
		return cli_wrong_usage("boots", "\"%s\" is no number of a boot", text);
	if (!S_ISDIR(st.st_mode))
		return cli_wrong_usage(
			"boots", "\"%s\" is no number of a boot; a database: --db %s", text, text);
	return cli_wrong_usage(
		"boots",
		"\"%s\" is no number of a boot; boots are in a database: flashscoped "
		"--root %s --db FILE records the tree of a machine, then --db FILE here",
		text, text);
}

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct boots_args *args)
{
	const char *root = NULL;
	const struct cli_option options[] = {
		{"json", .flag = &args->json},
		{"db", .text = &args->db},
		{"socket", .text = &args->target.socket},
		{"url", .text = &args->target.url},
		{"root", .text = &root},
	};
	int r = cli_options("boots", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (root)
		return cli_wrong_usage("boots",
				       "boots are in a database, not in a tree: flashscoped "
				       "--root %s --db FILE records it, then --db FILE here",
				       root);
	if (optind < argc && (parse_i64(argv[optind], &args->boot) < 0 || args->boot < 1))
		return not_a_boot(argv[optind]);
	if (optind + 1 < argc)
		return cli_wrong_usage("boots", "takes no argument \"%s\"", argv[optind + 1]);
	return cli_one_source("boots", args->db, &args->target);
}

int boots_add(const struct boot_story *story, void *arg)
{
	struct api_boot boot = {
		.boot = story->boot->id,
		.boot_id = story->boot->boot_id,
		.kernel = story->boot->kernel,
		.first_ms = story->boot->first_ms,
		.last_ms = story->boot->last_ms,
		.wall_offset_ms = story->boot->wall_offset_ms,
		.current = story->boot->current,
		.id_is_own = story->id_is_own,
		.note = story->note,
	};

	if (story->end) {
		boot.cause = story->end->cause;
		boot.certainty = story->end->certainty;
		boot.how = story->end->text;
		boot.detail = story->with_evidence ? story->end->evidence : "null";
	}
	api_boot(arg, &boot);
	return doc_error(arg);
}

static int get_from_file(const char *path, char **ret)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(doc_done) struct doc doc;
	size_t len;
	int r;

	doc_init(&doc, DOC_MAX_BYTES);
	if (cli_open_file("boots", path, &reader) < 0)
		return EXIT_FAILED;
	doc_array(&doc, NULL);
	r = query_boots(reader, boots_add, &doc);
	doc_end(&doc);
	if (r == 0)
		r = doc_error(&doc);
	if (r == 0) {
		*ret = doc_take(&doc, &len);
		return EXIT_DONE;
	}
	return cli_file_failed("boots", path, reader, r);
}

/* Returns the exit status. */
static int get(struct boots_args *args, char **ret)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int r;

	if (args->db)
		return get_from_file(args->db, ret);
	r = client_get(&args->target, "/api/v1/boots", &reply);
	if (r == -ECONNREFUSED && !args->target.socket && !args->target.url) {
		args->db = cli_usual_file("boots");
		if (args->db)
			return get_from_file(args->db, ret);
	}
	if (r < 0) {
		fprintf(stderr, "flashscope boots: %s\n", reply.error);
		return EXIT_FAILED;
	}
	*ret = reply.body;
	reply.body = NULL;
	return EXIT_DONE;
}

static const char *ended(struct tree *boot)
{
	if (tree_bool(boot, "current"))
		return "goes on";
	return *tree_text(boot, "end.cause") ? tree_text(boot, "end.cause") : "not known";
}

static const char *why(struct tree *boot)
{
	return *tree_text(boot, "end.text") ? tree_text(boot, "end.text")
					    : tree_text(boot, "end_note");
}

static int add_line(struct table *table, struct tree *boot)
{
	char number[32], lasted[64] = "";
	struct text text = TEXT_IN(lasted);
	int r = table_line(table);

	snprintf(number, sizeof(number), "%lld", (long long)tree_i64(boot, "boot"));
	text_span(&text, tree_i64(boot, "last_ms"));

	const char *cells[] = {number,      tree_text(boot, "t_start"),       lasted,
			       ended(boot), tree_text(boot, "end.certainty"), why(boot)};

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(cells); i++)
		r = table_cell(table, cells[i]);
	return r;
}

/* Two of these may be one boot. */
static void print_own_ids(struct tree *boots)
{
	size_t n = 0;

	for (size_t i = 0; i < tree_n(boots); i++) {
		struct tree *boot = tree_at(boots, i);

		if (tree_bool(boot, "boot_id_is_own"))
			printf("%s%lld", n++ ? ", " : "boot id " OWN_ID ": boot ",
			       (long long)tree_i64(boot, "boot"));
	}
	if (n)
		putchar('\n');
}

static int print_table(struct tree *boots)
{
	static const struct {
		const char *name;
		enum table_column column;
	} columns[] = {
		{"BOOT", TABLE_NUMBER}, {"BEGAN", TABLE_TEXT},   {"UP AT LEAST", TABLE_NUMBER},
		{"ENDED", TABLE_TEXT},  {"CERTAIN", TABLE_TEXT}, {"BY", TABLE_WRAP},
	};
	CLEANUP(table_closep) struct table *table = NULL;
	int r = table_open(&table);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(columns); i++)
		r = table_column(table, columns[i].name, columns[i].column);
	for (size_t i = 0; r == 0 && i < tree_n(boots); i++)
		r = add_line(table, tree_at(boots, i));
	if (r == 0)
		r = table_print(table, stdout);
	if (r == 0)
		print_own_ids(boots);
	return r;
}

static void print_pair(const char *name, const char *value)
{
	if (!*value)
		return;
	printf("%-10s ", name);
	cli_put_text(stdout, value);
	putchar('\n');
}

static void print_reasons(struct tree *evidence)
{
	struct tree *reasons = tree_get(evidence, "reasons");

	for (size_t i = 0; i < tree_n(reasons); i++) {
		struct tree *reason = tree_at(reasons, i);

		printf("%-10s ", i ? "" : "because");
		cli_put_text(stdout, tree_text(reason, "text"));
		fputs(" -> ", stdout);
		cli_put_text(stdout, tree_text(reason, "cause"));
		fputs(", ", stdout);
		cli_put_text(stdout, tree_text(reason, "certainty"));
		putchar('\n');
	}
}

static void print_lines(struct tree *evidence)
{
	struct tree *lines = tree_get(evidence, "last_lines.lines");

	if (!tree_n(lines))
		return;
	if (!strcmp(tree_text(evidence, "last_lines.from"), "events")) {
		fputs("\nwhat the recorder kept of the kernel's log:\n", stdout);
	} else {
		fputs("\nthe last lines of its kernel, from ", stdout);
		cli_put_text(stdout, tree_text(evidence, "last_lines.from"));
		fputs(":\n", stdout);
	}
	for (size_t i = 0; i < tree_n(lines); i++) {
		cli_put_text(stdout, tree_text(tree_at(lines, i), ""));
		putchar('\n');
	}
}

static void print_one(struct tree *boot)
{
	struct tree *evidence = tree_get(boot, "end.evidence");

	printf("%-10s %lld, ", "boot", (long long)tree_i64(boot, "boot"));
	cli_put_text(stdout, tree_text(boot, "boot_id"));
	putchar('\n');
	if (tree_bool(boot, "boot_id_is_own"))
		print_pair("boot id", OWN_ID);
	print_pair("kernel", tree_text(boot, "kernel"));
	print_pair("began", tree_text(boot, "t_start"));
	print_pair("recorded", tree_text(boot, "t_first"));
	print_pair("to", tree_text(boot, "t_last"));
	print_pair("ended", ended(boot));
	print_pair("certain", tree_text(boot, "end.certainty"));
	print_pair("by", tree_text(boot, "end.text"));
	print_pair("note", tree_text(boot, "end_note"));
	print_reasons(evidence);
	print_lines(evidence);
}

static int show(const struct boots_args *args, const char *json)
{
	CLEANUP(tree_freep) struct tree *boots = NULL;
	int r = tree_parse(json, strlen(json), &boots);

	if (r == 0 && !args->boot)
		r = print_table(boots);
	if (r < 0) {
		fprintf(stderr, "flashscope boots: %s\n", strerror(-r));
		return EXIT_FAILED;
	}
	for (size_t i = 0; args->boot && i < tree_n(boots); i++)
		if (tree_i64(tree_at(boots, i), "boot") == args->boot) {
			print_one(tree_at(boots, i));
			return EXIT_DONE;
		}
	if (!args->boot)
		return EXIT_DONE;
	fprintf(stderr, "flashscope boots: there is no boot %lld\n", (long long)args->boot);
	return EXIT_USAGE;
}

int command_boots(int argc, char **argv)
{
	struct boots_args args = {0};
	CLEANUP(freep) char *json = NULL;
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	r = get(&args, &json);
	if (r != EXIT_DONE)
		return r;
	if (args.json)
		printf("%s\n", json);
	else
		r = show(&args, json);
	return r == EXIT_DONE && cli_flush() < 0 ? EXIT_FAILED : r;
}
