/* flashscope latest: the newest values of every node, and how old they are. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/latest.h"
#include "cli/options.h"
#include "cli/sample_table.h"
#include "cli/wanted.h"
#include "export/tree.h"
#include "query/query.h"
#include "sampling/registry.h"

static const char help[] =
	"Usage: flashscope latest [OPTION...] [COLLECTOR | GROUP | METRIC]...\n"
	"\n"
	"The newest values of every node that the running daemon has, without asking a device: a\n"
	"table for each group, with the age of each row. What could not be read is shown as its\n"
	"error, and the last good value with its age.\n"
	"\n"
	"  --node NODE     one node alone, by its name or identity\n"
	"  --json          the rows as GET /api/v1/latest has them\n"
	"  --db FILE       read a database file instead: as it was at its end, ages too\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n";

struct latest_args {
	struct client_target target;
	const char *db, *node;
	bool json;
	struct wanted wanted;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct latest_args *args)
{
	const struct cli_option options[] = {
		{"node", .text = &args->node},      {"json", .flag = &args->json},
		{"db", .text = &args->db},          {"socket", .text = &args->target.socket},
		{"url", .text = &args->target.url},
	};
	int r = cli_options("latest", help, options, ARRAY_SIZE(options), argc, argv);

	if (r < 0)
		r = cli_one_source("latest", args->db, &args->target);
	if (r >= 0)
		return r;
	return wanted_take_words(&args->wanted, "latest", argc - optind, argv + optind) < 0
		       ? EXIT_USAGE
		       : -1;
}

/* What was asked for of a group; NULL when the row is to be left out. */
static const bool *wanted_of(const struct latest_args *args, struct tree *row,
			     const struct group **ret_group)
{
	size_t index;

	if (catalog_find_group(registry(), tree_text(row, "group"), &index) < 0)
		return NULL;
	*ret_group = catalog_group_at(registry(), index, NULL);
	return wanted_has_group(&args->wanted, index) ? args->wanted.fields[index] : NULL;
}

static void put_field(struct sink *sink, struct row *row, struct sample_past *past,
		      struct tree *document, size_t field)
{
	const char *name = sink->group->fields[field].name;
	struct tree *fields = tree_get(document, "fields"), *infos = tree_get(document, "info");
	struct tree *good = tree_get(tree_get(document, "last_good"), name);
	const char *fault = tree_text(tree_get(document, "faults"), name);

	if (*fault) {
		row_fault(row, field, errno_value(fault));
		if (good && past)
			past->good[field] = (struct sample_good){true, tree_i64(good, "value"),
								 tree_i64(good, "age_ms")};
	} else if (tree_get(infos, name)) {
		row_text(sink, row, field, tree_text(infos, name));
	} else if (tree_get(fields, name)) {
		row_set(row, field, tree_i64(fields, name));
		row_flag(row, field, flag_of_name(tree_text(tree_get(document, "flags"), name)));
	}
}

/* The rows of one group, which stand together in the document. Returns their number. */
static size_t take_rows(const struct latest_args *args, struct tree *rows, size_t first,
			struct sink *sink, struct sample_past *past)
{
	const char *name = tree_text(tree_at(rows, first), "group");
	const struct group *group = NULL;
	const bool *wanted = wanted_of(args, tree_at(rows, first), &group);
	size_t i = first;

	for (; i < tree_n(rows) && !strcmp(tree_text(tree_at(rows, i), "group"), name); i++) {
		struct tree *document = tree_at(rows, i);
		struct sample_past *p;
		struct row *row;

		if (!wanted)
			continue;
		row = sink_row(sink, tree_text(document, "node"), tree_text(document, "identity"));
		p = sink->n_rows && row == sink->rows[sink->n_rows - 1] ? &past[sink->n_rows - 1]
									: NULL;
		if (p)
			*p = (struct sample_past){.age_ms = tree_i64(document, "age_ms"),
						  .stale = tree_bool(document, "stale")};
		for (size_t f = 0; f < group->n_fields; f++)
			if (wanted[f])
				put_field(sink, row, p, document, f);
	}
	return i - first;
}

struct tables {
	struct sink sink;
	struct sample_past *past;
	const struct row **before; /* of none */
	size_t n_rows, n_dropped;
};

static void tables_done(struct tables *tables)
{
	sink_done(&tables->sink);
	free(tables->past);
	free(tables->before);
}

static int tables_open(struct tables *tables)
{
	tables->past = calloc(SINK_ROWS_MAX, sizeof(*tables->past));
	tables->before = calloc(SINK_ROWS_MAX, sizeof(*tables->before));
	return tables->past && tables->before ? sink_init(&tables->sink) : -ENOMEM;
}

static int print_group(struct tables *tables)
{
	const struct group *group = tables->sink.group;
	const struct sample_table table = {
		.now = &tables->sink,
		.before = tables->before,
		.past = tables->past,
	};
	struct sample_table shown = table;
	size_t index;

	if (!tables->sink.n_rows || catalog_find_group(registry(), group->name, &index) < 0)
		return 0;
	catalog_group_at(registry(), index, &shown.collector);
	if (tables->n_rows)
		putchar('\n');
	tables->n_rows += tables->sink.n_rows;
	if (tables->sink.overflow)
		fprintf(stderr, "flashscope latest: %s: more than %d rows, see --json\n",
			group->name, SINK_ROWS_MAX);
	return sample_table_print(&shown, stdout);
}

static int print_tables(const struct latest_args *args, struct tree *rows)
{
	CLEANUP(tables_done) struct tables tables = {0};
	int r = tables_open(&tables);

	for (size_t i = 0; r == 0 && i < tree_n(rows);) {
		size_t index;
		const char *name = tree_text(tree_at(rows, i), "group");

		if (catalog_find_group(registry(), name, &index) < 0) {
			i++; /* of another version of the daemon: --json has it */
			continue;
		}
		sink_reset(&tables.sink, catalog_group_at(registry(), index, NULL));
		i += take_rows(args, rows, i, &tables.sink, tables.past);
		r = print_group(&tables);
	}
	if (r == 0 && !tables.n_rows)
		r = -ENODATA;
	return r;
}

/* Leaves the members of one of a row's objects that were asked for. */
static void keep_wanted(struct tree *object, const struct group *group, const bool *wanted)
{
	for (size_t f = 0; f < group->n_fields; f++)
		if (!wanted[f])
			tree_remove(object, group->fields[f].name);
}

static int print_json(const struct latest_args *args, struct tree *rows)
{
	static const char *const members[] = {"fields", "faults", "flags", "info", "last_good"};
	const char *separator = "[\n";

	for (size_t i = 0; i < tree_n(rows); i++) {
		struct tree *row = tree_at(rows, i);
		const struct group *group;
		const bool *wanted = wanted_of(args, row, &group);

		if (!wanted)
			continue;
		for (size_t m = 0; m < ARRAY_SIZE(members); m++)
			keep_wanted(tree_get(row, members[m]), group, wanted);
		printf("%s%s", separator, tree_json(row));
		separator = ",\n";
	}
	printf("%s\n]\n", separator[0] == '[' ? "[" : "");
	return separator[0] == '[' ? -ENODATA : 0;
}

static int get_from_daemon(const struct latest_args *args, struct client_reply *reply)
{
	CLEANUP(freep) char *node = client_escape(args->node ? args->node : "");
	char buf[1024];
	struct text path = TEXT_IN(buf);

	if (!node)
		return -ENOMEM;
	text_printf(&path, "/api/v1/latest%s%s", args->node ? "?node=" : "", node);
	if (path.truncated) {
		snprintf(reply->error, sizeof(reply->error), "the name is too long");
		return -ENAMETOOLONG;
	}
	return client_get(&args->target, buf, reply);
}

/* Without a daemon the usual file is read, unless a daemon was named. Returns the exit status. */
static int get_rows(struct latest_args *args, char **ret)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int r = args->db ? 0 : get_from_daemon(args, &reply);

	if (r == -ECONNREFUSED && !args->target.url && !args->target.socket)
		args->db = cli_usual_file("latest");
	if (args->db)
		return latest_read_file(args->db, args->node, ret);
	if (r < 0) {
		fprintf(stderr, "flashscope latest: %s\n",
			*reply.error ? reply.error : strerror(-r));
		return reply.status == 400 ? EXIT_USAGE : EXIT_FAILED;
	}
	*ret = reply.body;
	reply.body = NULL;
	return EXIT_DONE;
}

static int show(const struct latest_args *args, const char *text)
{
	CLEANUP(tree_freep) struct tree *rows = NULL;
	int r = text ? tree_parse(text, strlen(text), &rows) : -EBADMSG;

	if (r == 0)
		r = args->json ? print_json(args, rows) : print_tables(args, rows);
	if (r == -ENODATA)
		fputs("flashscope latest: there is no such sample: flashscope status tells what is "
		      "sampled, and what not\n",
		      stderr);
	else if (r < 0)
		fprintf(stderr, "flashscope latest: %s\n",
			r == -EBADMSG ? "the daemon's answer is no list of rows" : strerror(-r));
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

static void args_done(struct latest_args *args)
{
	wanted_done(&args->wanted);
}

int command_latest(int argc, char **argv)
{
	CLEANUP(freep) char *rows = NULL;
	CLEANUP(args_done) struct latest_args args = {0};
	int r = wanted_open(&args.wanted) == 0 ? parse_args(argc, argv, &args) : EXIT_FAILED;

	if (r >= 0)
		return r;
	r = get_rows(&args, &rows);
	if (r == EXIT_DONE)
		r = show(&args, rows);
	return r == EXIT_DONE && cli_flush() < 0 ? EXIT_FAILED : r;
}
