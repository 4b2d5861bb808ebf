/* flashscope query: a metric over a window of time. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/paths.h"
#include "cli/ambiguous.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/options.h"
#include "cli/query_table.h"
#include "cli/records.h"
#include "export/points_document.h"
#include "export/tree.h"
#include "model/probe.h"
#include "query/query.h"
#include "sampling/registry.h"

#define BOOTS_MAX 1024

static const char help[] =
	"Usage: flashscope query METRIC [OPTION...]\n"
	"\n"
	"Shows a metric over a window of time, one column for each node. `flashscope fields` "
	"lists\n"
	"the metrics. A counter is shown as its rate.\n"
	"\n"
	"  --node NODE     one node alone, by its name or identity\n"
	"  --from TIME     start of the window, default an hour before its end, or\n"
	"                  three periods of the group\n"
	"  --to TIME       its end, default now; with --db, now is the newest sample in the file\n"
	"  --mark MARK     the window of a mark, by its id or label, in place of --from and --to\n"
	"  --step TIME     length of a step, default window / 300 on whole seconds; a line has "
	"the\n"
	"                  time at which its step ends\n"
	"  --agg WORD      what a step shows: rate, increase, sum, min, mean, max, last\n"
	"  --json, --csv   for programs: exact values in the unit of the metric\n"
	"  --db FILE       read a database file instead of asking the daemon\n"
	"  --socket PATH   of the daemon (default var/run/flashscoped.sock, then\n"
	"                  " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL       of the daemon, as http://127.0.0.1:9750\n"
	"\n"
	"Times: 2026-12-01T04:13:20Z, seconds since 1970, now, -90s, -1h, -2d (before now), or\n"
	"BOOT+MILLISECONDS.\n";

struct query_args {
	struct query_params params;
	struct client_target target;
	const char *db, *mark;
	bool json, csv;
};

/* What contradicts itself. */
static int check_args(const struct query_args *args)
{
	if (args->json && args->csv)
		return cli_wrong_usage("query", "--json or --csv, not both");
	if (args->mark && (args->params.from || args->params.to))
		return cli_wrong_usage("query", "--mark is a window: no --from and no --to");
	return cli_one_source("query", args->db, &args->target);
}

/* Returns -1 to go on, else the exit status. */
static int parse_args(int argc, char **argv, struct query_args *args)
{
	const struct cli_option options[] = {
		{"node", .text = &args->params.node},
		{"from", .text = &args->params.from},
		{"to", .text = &args->params.to},
		{"mark", .text = &args->mark},
		{"step", .text = &args->params.step},
		{"agg", .text = &args->params.agg},
		{"json", .flag = &args->json},
		{"csv", .flag = &args->csv},
		{"db", .text = &args->db},
		{"socket", .text = &args->target.socket},
		{"url", .text = &args->target.url},
	};
	int r = cli_options("query", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind == argc)
		return cli_wrong_usage("query", "which METRIC? flashscope fields lists them");
	if (optind + 1 < argc)
		return cli_wrong_usage("query", "one METRIC at a time, not also \"%s\"",
				       argv[optind + 1]);
	args->params.metric = argv[optind];
	return check_args(args);
}

/* What the clock showed then, in one boot up to one step. */
struct shown_lines {
	int64_t boot, wall_offset_ms, first_ms, last_ms; /* boot clock */
};

#define SHOWN_LINES_MAX 32

/* Passes the items on and counts the points among them. */
struct counted {
	int (*next)(void *source, struct points_item *ret);
	void *source;
	size_t n_points;
	struct shown_lines shown[SHOWN_LINES_MAX];
	size_t n_shown;
};

static void count_shown(struct counted *counted, const struct points_item *item)
{
	const struct points_series *series = item->series;
	struct shown_lines *lines = counted->shown;
	size_t i = 0;

	while (i < counted->n_shown &&
	       (lines[i].boot != series->boot || lines[i].wall_offset_ms != series->wall_offset_ms))
		i++;
	if (i == SHOWN_LINES_MAX)
		return;
	if (i == counted->n_shown) {
		lines[i] = (struct shown_lines){series->boot, series->wall_offset_ms, item->boot_ms,
						item->boot_ms};
		counted->n_shown++;
	}
	lines[i].first_ms = MIN(lines[i].first_ms, item->boot_ms);
	lines[i].last_ms = MAX(lines[i].last_ms, item->boot_ms);
}

static int next_counted(void *arg, struct points_item *ret)
{
	struct counted *counted = arg;
	int r = counted->next(counted->source, ret);

	if (r <= 0 || ret->type != POINTS_POINT)
		return r;
	counted->n_points++;
	if (ret->series->as_shown)
		count_shown(counted, ret);
	return r;
}

/* CSV has no place for it. */
static void say_ambiguous(const struct points_head *head, const struct counted *counted)
{
	fflush(stdout);
	ambiguous_print(stderr, "flashscope query: ", head->ambiguous, head->n_ambiguous);
	for (size_t i = 0; i < counted->n_shown; i++)
		fprintf(stderr,
			"flashscope query: boot %lld, boot_ms %lld to %lld, where wall is boot_ms "
			"+ %lld: at the time that the clock showed then, not the one that it "
			"really was\n",
			(long long)counted->shown[i].boot, (long long)counted->shown[i].first_ms,
			(long long)counted->shown[i].last_ms,
			(long long)counted->shown[i].wall_offset_ms);
}

static int print_counted(const struct query_args *args, const struct points_head *head,
			 struct counted *counted)
{
	CLEANUP(stream_closep) struct stream *stream = NULL;
	struct metric metric;
	int r;

	if (!args->json && !args->csv) {
		bool known = metric_find(registry(), head->metric, &metric) == 0;

		return query_table_print(head, known ? &metric : NULL,
					 !args->db && !args->target.url, next_counted, counted,
					 stdout);
	}
	r = points_stream(args->json ? POINTS_JSON : POINTS_CSV, head, next_counted, counted,
			  &stream);
	if (r < 0)
		return r;
	r = cli_print_stream(stream);
	if (r == 0 && args->json)
		putchar('\n');
	if (r == 0 && args->csv)
		say_ambiguous(head, counted);
	return r;
}

static int print_answer(const struct query_args *args, const struct points_head *head,
			int (*next)(void *source, struct points_item *ret), void *source,
			size_t *ret_n_points)
{
	struct counted counted = {.next = next, .source = source};
	int r = print_counted(args, head, &counted);

	*ret_n_points = counted.n_points;
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

static int file_failed(const struct query_args *args, const struct reader *reader, int r)
{
	return r == -E2BIG ? complain(r, NULL) : cli_file_failed("query", args->db, reader, r);
}

/* Where to look instead, when a window of a file holds nothing. */
static void say_span(int64_t first_ms, int64_t last_ms)
{
	char buf[128];
	struct text text = TEXT_IN(buf);

	clock_rfc3339(&text, first_ms);
	text_str(&text, " to ");
	clock_rfc3339(&text, last_ms);
	fflush(stdout);
	fprintf(stderr, "flashscope query: nothing in this window; the file holds %s\n", buf);
}

struct fault_search {
	const struct query_plan *plan;
	const char *node; /* NULL: all */
	struct boot *boots;
	int n_boots;
	size_t n_said;
};

static bool is_of(const struct info_record *record, const struct metric *metric)
{
	const struct field *fields = metric->group->fields;

	return !strcmp(record->group, metric->group->name) &&
	       (!strcmp(record->field, fields[metric->a].name) ||
		!strcmp(record->field, fields[metric->b].name));
}

static int say_fault(const struct info_record *record, void *arg)
{
	struct fault_search *search = arg;
	int64_t wall_ms = INT64_MAX;
	char buf[64];
	struct text text = TEXT_IN(buf);

	if (!*record->value || !is_of(record, &search->plan->metric) ||
	    (search->node && *search->node && strcmp(record->node, search->node) != 0))
		return 0;
	for (int i = 0; i < search->n_boots; i++)
		if (search->boots[i].id == record->boot)
			wall_ms = record->t_ms + search->boots[i].wall_offset_ms;
	if (wall_ms > search->plan->to_wall_ms)
		return 0;
	clock_rfc3339(&text, wall_ms);
	fputs("flashscope query: ", stderr);
	cli_put_text(stderr, record->node);
	fputs(": every sample failed: ", stderr);
	cli_put_text(stderr, record->value);
	fprintf(stderr, " since %s\n", buf);
	search->n_said++;
	return 0;
}

/* Whether a window has no value since the samples failed. */
static bool say_faults(const struct query_args *args, const struct query *query,
		       struct reader *reader)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	struct fault_search search = {query_plan(query), args->params.node, boots, 0, 0};

	search.n_boots = boots ? reader_boots(reader, boots, BOOTS_MAX) : 0;
	fflush(stdout);
	return reader_infos(reader, INFO_FAULTS, say_fault, &search) == 0 && search.n_said;
}

#define OUTCOMES_SHOWN 8

struct outcome_search {
	const struct query_args *args;
	const struct collector *collector;
	const struct boot *boots;
	int n_boots;
	size_t n_said;
};

static void put_when(const struct outcome_search *search, const struct info_record *record)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	fprintf(stderr, " (boot %lld", (long long)record->boot);
	for (int i = 0; i < search->n_boots; i++) {
		if (search->boots[i].id != record->boot)
			continue;
		clock_rfc3339(&text, record->t_ms + search->boots[i].wall_offset_ms);
		fprintf(stderr, ", since %s", buf);
	}
	fputs(")\n", stderr);
}

static int say_outcome(const struct info_record *record, void *arg)
{
	struct outcome_search *search = arg;
	const char *node = search->args->params.node;

	if (strcmp(record->collector, search->collector->name) != 0 || !*record->value ||
	    !strcmp(record->value, outcome_name(OUTCOME_OK)) ||
	    (node && *node && *record->node && strcmp(record->node, node) != 0))
		return 0;
	if (search->n_said++ == OUTCOMES_SHOWN) {
		fprintf(stderr, "and more: flashscope export outcomes --db %s\n", search->args->db);
		return 1;
	}
	fputs("flashscope query: ", stderr);
	cli_put_text(stderr, *record->node ? record->node : record->collector);
	fputs(" was not sampled when this was recorded: ", stderr);
	cli_put_text(stderr, record->value);
	fputs(*record->reason ? ": " : "", stderr);
	cli_put_text(stderr, record->reason);
	put_when(search, record);
	return 0;
}

/* Why the machine that the file is of had nothing of a collector, as its last probe found. */
static void say_outcomes(const struct query_args *args, const struct query *query,
			 struct reader *reader)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	struct outcome_search search = {args, query_plan(query)->metric.collector, boots, 0, 0};

	search.n_boots = boots ? reader_boots(reader, boots, BOOTS_MAX) : 0;
	fflush(stdout);
	(void)reader_infos(reader, INFO_OUTCOMES, say_outcome, &search);
}

/* What was recorded has its own now: its newest sample. */
static int query_file(const struct query_args *args)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(query_closep) struct query *query = NULL;
	struct problem problem = {0};
	struct points_head head;
	int64_t first_ms, last_ms, now_ms;
	size_t n_points;
	bool has_span;

	if (cli_open_file("query", args->db, &reader) < 0)
		return EXIT_FAILED;
	has_span = cli_file_span(reader, &first_ms, &last_ms) == 0;
	if (cli_file_newest(reader, &now_ms) < 0)
		now_ms = clock_wall_ms();

	int r = query_open(reader, registry(), &args->params, now_ms, &query, &problem);

	if (r == -EINVAL) {
		fprintf(stderr, "flashscope query: %s: ", problem.parameter);
		cli_put_text(stderr, problem.detail);
		fputc('\n', stderr);
		return EXIT_USAGE;
	}
	if (r < 0)
		return file_failed(args, reader, r);
	query_head(query, &head);
	r = print_answer(args, &head, query_next, query, &n_points);
	if (r == 0 && !n_points && !say_faults(args, query, reader)) {
		say_outcomes(args, query, reader);
		if (has_span)
			say_span(first_ms, last_ms);
	}
	return r < 0 ? file_failed(args, reader, r) : EXIT_DONE;
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

/* Why the daemon has nothing of a collector, when the reason is one of all its nodes. */
static void say_not_sampled(const struct client_target *target, const struct metric *metric)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	CLEANUP(tree_freep) struct tree *status = NULL;
	const char *name = metric->collector->name;
	const char *helper;
	struct tree *list;

	if (client_get(target, "/api/v1/status", &reply) < 0 ||
	    tree_parse(reply.body, reply.len, &status) < 0)
		return;
	list = tree_get(status, "not_sampled");
	for (size_t i = 0; i < tree_n(list); i++) {
		struct tree *item = tree_at(list, i);
		const char *advice = tree_text(item, "advice");

		if (strcmp(tree_text(item, "collector"), name) != 0 || *tree_text(item, "node"))
			continue;
		printf("the daemon does not sample %s: %s: %s%s%s\n", name,
		       tree_text(item, "outcome"), tree_text(item, "reason"), *advice ? "; " : "",
		       advice);
		return;
	}
	helper = tree_text(status, "helper.reason");
	if (*helper && collector_is_helped(metric->collector))
		printf("%s is sampled by the helper: %s: %s\n", name,
		       tree_text(status, "helper.state"), helper);
}

static int show_document(const struct query_args *args, const char *body)
{
	CLEANUP(points_document_freep) struct points_document *document = NULL;
	struct points_head head;
	struct metric metric;
	size_t n_points;
	int r = points_document_parse(body, &document);

	if (r == 0) {
		points_document_head(document, &head);
		r = print_answer(args, &head, points_document_next, document, &n_points);
	}
	if (r == 0 && !n_points && !args->json && !args->csv &&
	    metric_find(registry(), head.metric, &metric) == 0)
		say_not_sampled(&args->target, &metric);
	if (r == -EBADMSG)
		return complain(r, "the daemon's answer is no answer to a query");
	return r < 0 ? complain(r, NULL) : EXIT_DONE;
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
		args->db = cli_usual_file("query");
		if (args->db)
			return query_file(args);
	}
	complain(r, reply.error);
	return reply.status == 400 ? EXIT_USAGE : EXIT_FAILED;
}

/* Puts the span of the mark in the place of from and to. */
static int take_mark(struct query_args *args, struct mark_span *span)
{
	CLEANUP(records_done)
	struct records_source source = {.command = "query", .target = args->target, .db = args->db};
	int r = records_find_mark(&source, args->mark, span);

	if (r != EXIT_DONE)
		return r;
	args->db = source.db;
	args->params.from = span->from;
	args->params.to = span->to;
	return EXIT_DONE;
}

int command_query(int argc, char **argv)
{
	struct query_args args = {0};
	struct mark_span span;
	int r = parse_args(argc, argv, &args);

	if (r >= 0)
		return r;
	r = args.mark ? take_mark(&args, &span) : EXIT_DONE;
	if (r != EXIT_DONE)
		return r;
	r = args.db ? query_file(&args) : query_daemon(&args);
	return r == EXIT_DONE && cli_flush() < 0 ? EXIT_FAILED : r;
}
