/* flashscope export: samples and records as plain rows. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/ambiguous.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/options.h"
#include "cli/records.h"
#include "query/query.h"
#include "store/plain.h"
#include "store/reader.h"

#define FOREVER_MS (INT64_MAX / 4)

static const char help[] =
	"Usage: flashscope export TABLE --csv [OPTION...]\n"
	"       flashscope export [TABLE...] --json [OPTION...]\n"
	"       flashscope export [TABLE...] --sqlite FILE [OPTION...]\n"
	"\n"
	"Plain rows, one for each sample of a node, as other programs read them. A TABLE is a "
	"group\n"
	"(diskstats, thermal), or events, marks, boots, nodes, infos, flags, faults, outcomes;\n"
	"without one it is all of them. Values are the kernel's integers.\n"
	"\n"
	"  --csv           with a line of names, which have their unit in brackets\n"
	"  --json          one object in each line; what a sample has not has no key\n"
	"  --sqlite FILE   a new file with these tables, and one that describes their columns\n"
	"  --from TIME     start of the window, default the beginning\n"
	"  --to TIME       its end\n"
	"  --db DATABASE   read a database file instead of asking the daemon; it may be in use\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n"
	"\n"
	"A daemon is asked for a snapshot, which lies in TMPDIR for as long as this takes.\n"
	"Times are those of flashscope query.\n";

struct export_args {
	struct client_target target;
	const char *db, *sqlite, *from, *to;
	bool csv, json;
	const char *const *tables;
	size_t n_tables;
	struct reader *reader;
	int64_t from_ms, to_ms;
	int64_t n_damaged;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct export_args *ret)
{
	const struct cli_option options[] = {
		{"csv", .flag = &ret->csv},
		{"json", .flag = &ret->json},
		{"sqlite", .text = &ret->sqlite},
		{"from", .text = &ret->from},
		{"to", .text = &ret->to},
		{"db", .text = &ret->db},
		{"socket", .text = &ret->target.socket},
		{"url", .text = &ret->target.url},
	};
	int r = cli_options("export", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	ret->tables = (const char *const *)argv + optind;
	ret->n_tables = (size_t)(argc - optind);
	if (ret->csv + ret->json + (ret->sqlite != NULL) != 1)
		return cli_wrong_usage("export", "one of --csv, --json and --sqlite");
	if (ret->csv && ret->n_tables != 1)
		return cli_wrong_usage("export",
				       "--csv takes one table: each has columns of its own");
	return cli_one_source("export", ret->db, &ret->target);
}

static int complain(const char *what, const char *words)
{
	fprintf(stderr, "flashscope export: %s: %s\n", what, words);
	return EXIT_FAILED;
}

/* A text with what CSV asks to be in quotes in quotes. */
static void put_csv_text(const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		fputs(s, stdout);
		return;
	}
	putchar('"');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	putchar('"');
}

static void put_csv_names(const struct plain_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			putchar(',');
		put_csv_text(columns[i].name);
		if (*columns[i].unit)
			printf("[%s]", columns[i].unit);
	}
	putchar('\n');
}

static void put_csv(const struct plain_value *values, size_t n)
{
	char buf[32];

	for (size_t i = 0; i < n; i++) {
		struct text text = TEXT_IN(buf);

		if (i)
			putchar(',');
		if (values[i].type == PLAIN_TEXT)
			put_csv_text(values[i].text);
		if (values[i].type != PLAIN_INT)
			continue;
		text_i64(&text, values[i].i);
		fputs(buf, stdout);
	}
	putchar('\n');
}

static int put_json_text(const char *s)
{
	size_t size = 6 * strlen(s) + 3;
	CLEANUP(freep) char *buf = malloc(size);

	if (!buf)
		return -ENOMEM;

	struct text text = text_in(buf, size);

	text_json(&text, s);
	fputs(buf, stdout);
	return 0;
}

static int put_json(const char *table, const struct plain_column *columns,
		    const struct plain_value *values, size_t n)
{
	int r;

	fputs("{\"table\":", stdout);
	r = put_json_text(table);
	for (size_t i = 0; i < n && !r; i++) {
		if (values[i].type == PLAIN_NULL)
			continue;
		putchar(',');
		r = put_json_text(columns[i].name);
		putchar(':');
		if (values[i].type == PLAIN_INT)
			printf("%lld", (long long)values[i].i);
		else if (!r)
			r = put_json_text(values[i].text);
	}
	puts("}");
	return r;
}

static int print_table(const char *table, void *arg)
{
	CLEANUP(plain_closep) struct plain *plain = NULL;
	CLEANUP(freep) struct plain_value *values = NULL;
	struct export_args *args = arg;
	size_t n = 0;
	int r = plain_open(args->reader, table, args->from_ms, args->to_ms, &plain);

	if (r < 0)
		return r;

	const struct plain_column *columns = plain_columns(plain, &n);

	values = calloc(n + 1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	if (args->csv)
		put_csv_names(columns, n);
	while (r >= 0 && (r = plain_next(plain, values)) > 0) {
		if (args->csv)
			put_csv(values, n);
		else
			r = put_json(table, columns, values, n);
		if (ferror(stdout))
			return cli_flush();
	}
	args->n_damaged += plain_n_damaged(plain);
	return r;
}

static int print_tables(struct export_args *args)
{
	int r = args->n_tables ? 0 : plain_tables(args->reader, print_table, args);

	for (size_t i = 0; i < args->n_tables && !r; i++)
		r = print_table(args->tables[i], args);
	return r ? r : cli_flush();
}

static int write_sqlite(struct export_args *args)
{
	CLEANUP(new_file_drop) struct new_file file = NEW_FILE_NONE;
	int r = new_file_begin(&file, args->sqlite);

	if (!r)
		r = plain_to_sqlite(args->reader, file.part, args->tables, args->n_tables,
				    args->from_ms, args->to_ms, &args->n_damaged);
	return r ? r : new_file_keep(&file);
}

static int look_for_table(const char *table, void *arg)
{
	return !strcmp(table, arg);
}

/* Whether the tables are there; else says which are. */
static int check_tables(const struct export_args *args)
{
	for (size_t i = 0; i < args->n_tables; i++) {
		char *name = strdup(args->tables[i]);
		int r = name ? plain_tables(args->reader, look_for_table, name) : -ENOMEM;

		free(name);
		if (r > 0)
			continue;
		if (r < 0)
			return complain(args->tables[i], strerror(-r));
		complain(args->tables[i], "no such table; flashscope export --json | cut -d, -f1 | "
					  "uniq shows them");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

/* Rows are told apart by boot and its clock. */
static int say_ambiguous(const struct export_args *args)
{
	struct points_ambiguity items[QUERY_AMBIGUOUS_MAX];
	int n = query_ambiguous(args->reader, args->from_ms, args->to_ms, items, ARRAY_SIZE(items));

	if (n > 0)
		ambiguous_print(stderr, "flashscope export: ", items, (size_t)n);
	return MIN(n, 0);
}

static int export(struct export_args *args)
{
	int r = check_tables(args);

	if (r == EXIT_DONE)
		r = records_time("export", args->reader, "from", args->from, &args->from_ms);
	if (r == EXIT_DONE)
		r = records_time("export", args->reader, "to", args->to, &args->to_ms);
	if (r != EXIT_DONE)
		return r;
	r = args->sqlite ? write_sqlite(args) : print_tables(args);
	if (r == 0 && (args->from || args->to))
		r = say_ambiguous(args);
	if (r == -EEXIST && args->sqlite)
		return complain(args->sqlite, "is there already");
	/* Told when the command ends. */
	if (r < 0 && ferror(stdout))
		return EXIT_FAILED;
	if (r < 0 && *reader_error(args->reader))
		return cli_file_failed("export", "", args->reader, r);
	if (r < 0)
		return complain(args->sqlite ? args->sqlite : "stdout", strerror(-r));
	if (args->n_damaged)
		fprintf(stderr,
			"flashscope export: %lld columns of samples are damaged, left out\n",
			(long long)args->n_damaged);
	return EXIT_DONE;
}

static int write_part(void *arg, const char *p, size_t len)
{
	return new_file_write(arg, p, len);
}

/* A snapshot of the daemon, which goes as soon as it is open. */
static int open_snapshot(struct export_args *args)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	CLEANUP(new_file_drop) struct new_file file = NEW_FILE_NONE;
	const char *dir = getenv("TMPDIR");
	char path[NEW_FILE_PATH_MAX / 2];
	int r;

	snprintf(path, sizeof(path), "%s/flashscope-export-%d", dir && *dir ? dir : "/tmp",
		 (int)getpid());
	r = new_file_begin(&file, path);
	if (r < 0)
		return complain(path, strerror(-r));
	r = client_get_stream(&args->target, "/api/v1/snapshot", write_part, &file, &reply);
	if (r == -ECONNREFUSED && !args->target.socket && !args->target.url) {
		args->db = cli_usual_file("export");
		if (args->db)
			return cli_open_file("export", args->db, &args->reader) < 0 ? EXIT_FAILED
										    : EXIT_DONE;
	}
	if (r < 0) {
		fprintf(stderr, "flashscope export: %s\n", reply.error);
		return EXIT_FAILED;
	}
	return cli_open_file("export", file.part, &args->reader) < 0 ? EXIT_FAILED : EXIT_DONE;
}

int command_export(int argc, char **argv)
{
	struct export_args args = {.from_ms = -FOREVER_MS, .to_ms = FOREVER_MS};
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	if (args.db)
		r = cli_open_file("export", args.db, &args.reader) < 0 ? EXIT_FAILED : EXIT_DONE;
	else
		r = open_snapshot(&args);
	if (r == EXIT_DONE)
		r = export(&args);
	reader_closep(&args.reader);
	return r;
}
