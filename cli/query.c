/* flashscope query: a metric over a window of time. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/macros.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/query_table.h"
#include "export/points_document.h"
#include "query/query.h"
#include "sampling/registry.h"

static const char help[] =
	"Usage: flashscope query METRIC [OPTION...]\n"
	"\n"
	"Shows a metric over a window of time, one column for each node. `flashscope fields` "
	"lists\n"
	"the metrics. A counter is shown as its rate.\n"
	"\n"
	"  --node NODE     one node alone\n"
	"  --from TIME     start of the window, default an hour before its end\n"
	"  --to TIME       its end, default now\n"
	"  --step TIME     length of a step, default window / 300 on whole seconds\n"
	"  --agg WORD      what a step shows: rate, increase, sum, min, mean, max, last\n"
	"  --json, --csv   for programs: exact values in the unit of the metric\n"
	"  --db FILE       read a database file instead of asking the daemon\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  /run/flashscope/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n"
	"\n"
	"Times: 2026-12-01T04:13:20Z, seconds since 1970, now, -90s, -1h, -2d, or "
	"BOOT+MILLISECONDS.\n";

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_CSV };

struct query_args {
	struct query_params params;
	struct client_target target;
	const char *db;
	enum format format;
};

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct query_args *args)
{
	static const struct option options[] = {
		{"node", required_argument, NULL, 'n'}, {"from", required_argument, NULL, 'f'},
		{"to", required_argument, NULL, 't'},   {"step", required_argument, NULL, 's'},
		{"agg", required_argument, NULL, 'a'},  {"db", required_argument, NULL, 'd'},
		{"json", no_argument, NULL, 'j'},       {"csv", no_argument, NULL, 'c'},
		{"url", required_argument, NULL, 'u'},  {"socket", required_argument, NULL, 'S'},
		{"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
	};

	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		switch (c) {
		case 'n':
			args->params.node = optarg;
			break;
		case 'f':
			args->params.from = optarg;
			break;
		case 't':
			args->params.to = optarg;
			break;
		case 's':
			args->params.step = optarg;
			break;
		case 'a':
			args->params.agg = optarg;
			break;
		case 'd':
			args->db = optarg;
			break;
		case 'u':
			args->target.url = optarg;
			break;
		case 'S':
			args->target.socket = optarg;
			break;
		case 'j':
			args->format = FORMAT_JSON;
			break;
		case 'c':
			args->format = FORMAT_CSV;
			break;
		default:
			return c == 'h' ? EXIT_DONE : EXIT_USAGE;
		}
	}
	if (optind + 1 != argc)
		return EXIT_USAGE;
	args->params.metric = argv[optind];
	return -1;
}

static int print_answer(const struct query_args *args, const struct points_head *head,
			int (*next)(void *source, struct points_item *ret), void *source)
{
	CLEANUP(stream_closep) struct stream *stream = NULL;
	struct metric metric;
	int r;

	if (args->format == FORMAT_TABLE) {
		bool known = metric_find(registry(), head->metric, &metric) == 0;

		return query_table_print(head, known ? &metric : NULL, next, source, stdout);
	}
	r = points_stream(args->format == FORMAT_JSON ? POINTS_JSON : POINTS_CSV, head, next,
			  source, &stream);
	if (r < 0)
		return r;
	r = cli_print_stream(stream);
	if (r == 0 && args->format == FORMAT_JSON)
		putchar('\n');
	return r;
}

static int complain(int r, const char *what)
{
	if (r == -E2BIG)
		fprintf(stderr, "flashscope query: too long for a table: take --csv, or a longer "
				"step\n");
	else
		fprintf(stderr, "flashscope query: %s\n", what && *what ? what : strerror(-r));
	return EXIT_FAILED;
}

static int query_file(const struct query_args *args)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(query_closep) struct query *query = NULL;
	struct problem problem = {0};
	struct points_head head;
	int r = reader_open(args->db, NULL, registry(), &reader);

	if (r < 0) {
		fprintf(stderr, "flashscope query: %s: %s\n", args->db,
			r == -EMEDIUMTYPE ? "is no flashscope database"
			: r == -EPROTO    ? "was written by a newer flashscope"
					  : strerror(-r));
		return EXIT_FAILED;
	}
	cli_tell_lack(reader, args->db);
	r = query_open(reader, registry(), &args->params, clock_wall_ms(), &query, &problem);
	if (r == -EINVAL) {
		fprintf(stderr, "flashscope query: %s: ", problem.parameter);
		cli_put_text(stderr, problem.detail);
		fputc('\n', stderr);
		return EXIT_USAGE;
	}
	if (r < 0)
		return complain(r, reader_error(reader));
	query_head(query, &head);
	r = print_answer(args, &head, query_next, query);
	return r < 0 ? complain(r, reader_error(reader)) : EXIT_DONE;
}

/* The path of the request; params that are not given are left to the daemon. */
static int request_path(const struct query_params *params, struct text *path)
{
	const struct {
		const char *name, *value;
	} table[] = {
		{"metric", params->metric}, {"node", params->node}, {"from", params->from},
		{"to", params->to},         {"step", params->step}, {"agg", params->agg},
	};
	char separator = '?';

	text_str(path, "/api/v1/query");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		CLEANUP(freep) char *value = NULL;

		if (!table[i].value)
			continue;
		value = client_escape(table[i].value);
		if (!value)
			return -ENOMEM;
		text_printf(path, "%c%s=%s", separator, table[i].name, value);
		separator = '&';
	}
	return path->truncated ? -ENAMETOOLONG : 0;
}

static int show_document(const struct query_args *args, const char *body)
{
	CLEANUP(points_document_freep) struct points_document *document = NULL;
	struct points_head head;
	int r = points_document_parse(body, &document);

	if (r == 0) {
		points_document_head(document, &head);
		r = print_answer(args, &head, points_document_next, document);
	}
	if (r == -EBADMSG)
		return complain(r, "the daemon's answer is no answer to a query");
	return r < 0 ? complain(r, NULL) : EXIT_DONE;
}

static const char *default_file(void)
{
	static const char *const files[] = {"var/flashscope.db",
					    "/var/lib/flashscope/flashscope.db"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (access(files[i], R_OK) == 0)
			return files[i];
	return NULL;
}

/* Without a daemon the usual file is read, unless a daemon was named. */
static int query_daemon(struct query_args *args)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	char buf[2048];
	struct text path = TEXT_IN(buf);
	int r = request_path(&args->params, &path);

	if (r < 0)
		return complain(r, NULL);
	r = client_get(&args->target, buf, &reply);
	if (r == 0)
		return show_document(args, reply.body);
	if (r == -ECONNREFUSED && !args->target.url && !args->target.socket) {
		args->db = default_file();
		if (args->db) {
			fprintf(stderr, "flashscope query: no daemon answers; this is %s\n",
				args->db);
			return query_file(args);
		}
	}
	complain(r, reply.error);
	return reply.status == 400 ? EXIT_USAGE : EXIT_FAILED;
}

int command_query(int argc, char **argv)
{
	struct query_args args = {0};
	int r = parse_args(argc, argv, &args);

	if (r >= 0) {
		fputs(help, r == EXIT_DONE ? stdout : stderr);
		return r;
	}
	r = args.db ? query_file(&args) : query_daemon(&args);
	return r == EXIT_DONE && fflush(stdout) ? EXIT_FAILED : r;
}
