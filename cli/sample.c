/* flashscope sample: one tick, or a few, without a daemon. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/sample_table.h"
#include "cli/wanted.h"
#include "export/document.h"
#include "sampling/registry.h"
#include "sampling/runner.h"

static const char help[] =
	"Usage: flashscope sample [--root DIR]... [--json] [--interval TIME] [--count N]\n"
	"                         [--partitions] [COLLECTOR | GROUP | METRIC]...\n"
	"\n"
	"Samples all collectors, or what is named, once; with --interval or --count again, and\n"
	"shows rates. With --json fields are in the unit of the kernel.\n"
	"What sends a command to a device (nvme_smart and ata_smart as root, nvme_hwmon,\n"
	"ufs_health) is sampled when it is named, once a minute at most, and what risks more\n"
	"(mmc_health; once an hour at most) only then.\n"
	"Exits with 1 when nothing could be read.\n"
	"\n"
	"  --root DIR       a recorded tree instead of this machine; several are ticks of a\n"
	"                   series, with rates from one to the next\n"
	"  --json           print an array with one object for each node\n"
	"  --interval TIME  time between samples (1s, 500ms), 1s by default\n"
	"  --count N        number of samples; 2 when --interval is given, else 1\n"
	"  --partitions     also the nodes that are left out by default\n";

#define ROOTS_MAX      1024
#define COUNT_MAX      1000000
#define COMMAND_GAP_MS 60000U

struct sample_args {
	const char **roots; /* ROOTS_MAX */
	size_t n_roots;
	bool json, all_nodes, named;
	bool *wanted;         /* collectors */
	struct wanted fields; /* of their groups */
	int64_t interval_ms;  /* 0: not given */
	int64_t count;        /* 0: not given */
};

/* A group, and what it gave one tick earlier. */
struct history {
	struct sink now, before;
	int64_t now_ms, before_ms;
};

struct session {
	const struct sample_args *args;
	struct history *histories; /* by index of the group */
	size_t n_groups;
	bool in_series, explained; /* explained: why there is nothing */
	size_t n_shown;            /* rows */
	size_t n_with_value;       /* of them */
	char *line;                /* DOCUMENT_LINE_MAX */
	const char *separator;
};

static int take_interval(const char *text, void *arg)
{
	struct sample_args *args = arg;
	int r = parse_duration_ms(text, &args->interval_ms);

	if (r == 0 && args->interval_ms > 0 && args->interval_ms <= 86400000)
		return 0;
	fprintf(stderr, "flashscope sample: --interval %s: 1ms to 1d\n", text);
	return -EINVAL;
}

static int take_count(const char *text, void *arg)
{
	struct sample_args *args = arg;
	int r = parse_i64(text, &args->count);

	if (r == 0 && args->count >= 1 && args->count <= COUNT_MAX)
		return 0;
	fprintf(stderr, "flashscope sample: --count %s: 1 to %d\n", text, COUNT_MAX);
	return -EINVAL;
}

static int add_root(const char *root, void *arg)
{
	struct sample_args *args = arg;

	if (args->n_roots == ROOTS_MAX) {
		fprintf(stderr, "flashscope sample: more than %d times --root\n", ROOTS_MAX);
		return -EINVAL;
	}
	args->roots[args->n_roots++] = root;
	return 0;
}

/* Nobody gets what risks something who did not ask for it by name. */
static int take_words(struct sample_args *args, int n, char **words)
{
	const struct catalog *catalog = registry();

	args->named = n > 0;
	for (int i = 0; i < n; i++)
		if (wanted_take(&args->fields, "sample", words[i]) < 0)
			return -EINVAL;
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		if (!args->named && !catalog->collectors[i]->opt_in)
			wanted_take_collector(&args->fields, i);
		args->wanted[i] = wanted_has_collector(&args->fields, i);
	}
	return 0;
}

/* Returns an exit status, -1 to go on. */
static int parse_args(int argc, char **argv, struct sample_args *args)
{
	const struct cli_option options[] = {
		{"root", .take = add_root, .arg = args},
		{"json", .flag = &args->json},
		{"interval", .take = take_interval, .arg = args},
		{"count", .take = take_count, .arg = args},
		{"partitions", .flag = &args->all_nodes},
	};
	int r = cli_options("sample", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (take_words(args, argc - optind, argv + optind) < 0)
		return EXIT_USAGE;
	if (args->n_roots > 1 && args->count > 1) {
		fputs("flashscope sample: --count is for one root; several are a series already\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (!args->n_roots)
		args->roots[args->n_roots++] = "/";
	if (!args->count)
		args->count = args->interval_ms && args->n_roots == 1 ? 2 : 1;
	if (!args->interval_ms)
		args->interval_ms = 1000;
	return -1;
}

static int session_open(struct session *session, const struct sample_args *args)
{
	*session = (struct session){.args = args, .separator = "[\n"};
	session->n_groups = catalog_n_groups(registry());
	session->in_series = args->n_roots > 1 || args->count > 1;
	session->histories = calloc(session->n_groups + 1, sizeof(*session->histories));
	session->line = malloc(DOCUMENT_LINE_MAX);
	if (!session->histories || !session->line)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_groups; i++)
		if (sink_init(&session->histories[i].now) < 0 ||
		    sink_init(&session->histories[i].before) < 0)
			return -ENOMEM;
	return 0;
}

static void session_done(struct session *session)
{
	for (size_t i = 0; session->histories && i < session->n_groups; i++) {
		sink_done(&session->histories[i].now);
		sink_done(&session->histories[i].before);
	}
	free(session->histories);
	free(session->line);
}

/* The row of the same run of the node. Rows mostly keep their places. */
static const struct row *find_before(const struct history *history, size_t index)
{
	const struct row *row = history->now.rows[index];
	const struct sink *before = &history->before;

	for (size_t i = 0; i < before->n_rows; i++) {
		const struct row *other = before->rows[(index + i) % before->n_rows];

		if (!strcmp(row->node, other->node) && !strcmp(row->identity, other->identity))
			return other;
	}
	return NULL;
}

static void print_objects(struct session *session, const struct collector *collector,
			  const struct history *history, int64_t t_ms)
{
	for (size_t i = 0; i < history->now.n_rows; i++) {
		struct document_sample sample = {
			.collector = collector,
			.sink = &history->now,
			.row = history->now.rows[i],
			.in_series = session->in_series,
			.t_ms = t_ms,
			.at_ms = history->now_ms,
			.before_ms = history->before_ms,
			.before = find_before(history, i),
		};
		struct text text = text_in(session->line, DOCUMENT_LINE_MAX);

		document_sample(&text, &sample);
		printf("%s%s", session->separator, text.p);
		session->separator = ",\n";
	}
}

/* Leaves of the rows what was asked for, and what explains why it is not there. */
static void keep_wanted(struct sink *sink, const bool *wanted)
{
	for (size_t i = 0; i < sink->n_rows; i++)
		for (size_t f = 0; f < sink->group->n_fields; f++)
			if (!wanted[f] && !sink->group->fields[f].explains)
				sink->rows[i]->values[f] = (struct value){0};
}

/* A text that explains why there is no value is none. */
static size_t count_with_value(const struct sink *sink)
{
	size_t n = 0;

	for (size_t i = 0; i < sink->n_rows; i++) {
		bool has = false;

		for (size_t f = 0; f < sink->group->n_fields && !has; f++) {
			const struct value *value = &sink->rows[i]->values[f];

			has = value->type == VALUE_INT ||
			      (value->type == VALUE_TEXT && !sink->group->fields[f].explains);
		}
		n += has;
	}
	return n;
}

static int print_group(struct session *session, const struct collector *collector,
		       const struct history *history, int64_t t_ms)
{
	struct sample_table table = {
		.collector = collector,
		.now = &history->now,
		.now_ms = history->now_ms,
		.before_ms = history->before_ms,
	};

	session->n_shown += history->now.n_rows;
	session->n_with_value += count_with_value(&history->now);
	if (session->args->json) {
		print_objects(session, collector, history, t_ms);
		return 0;
	}
	if (!history->now.n_rows)
		return 0;
	table.before = calloc(history->now.n_rows, sizeof(struct row *));
	if (!table.before)
		return -ENOMEM;
	for (size_t i = 0; i < history->now.n_rows; i++)
		table.before[i] = find_before(history, i);
	printf("%s", session->separator[0] == '[' ? "" : "\n");
	session->separator = "";

	int r = sample_table_print(&table, stdout);

	free(table.before);
	return r;
}

static void swap_sinks(struct history *history)
{
	struct sink earlier = history->before;

	history->before = history->now;
	history->before_ms = history->now_ms;
	history->now = earlier;
}

/* Nobody's disk is woken by somebody who asked for everything, and none is kept awake: a command a
 * minute is what the daemon's periods have at the least. A recorded tree has no disk. */
static bool may_command(const struct sample_args *args, struct runner *runner,
			const struct group *group, const struct history *history)
{
	int64_t gap_ms = MAX(COMMAND_GAP_MS, group->least_period_ms);

	return !hw_is_live(runner_hw(runner)) ||
	       (args->named && (!history->now_ms || clock_boot_ms() - history->now_ms >= gap_ms));
}

/* t_ms: since the first tick; clock_ms: of the tick in a recorded tree, -1 to read the clock. */
static int take_tick(struct session *session, struct runner *runner, int64_t t_ms, int64_t clock_ms)
{
	const struct catalog *catalog = registry();
	const struct collector *collector;
	const struct group *group;

	for (size_t i = 0; (group = catalog_group_at(catalog, i, &collector)); i++) {
		struct history *history = &session->histories[i];
		int r;

		if (!wanted_has_group(&session->args->fields, i) ||
		    !runner_wants(runner, runner_collector_of(runner, i)) ||
		    (group->cost == COST_Q && !may_command(session->args, runner, group, history)))
			continue;
		swap_sinks(history);
		history->now_ms = clock_ms < 0 ? clock_boot_ms() : clock_ms;
		r = runner_sample(runner, i, history->now_ms, &history->now);
		keep_wanted(&history->now, session->args->fields.fields[i]);
		if (r < 0 && r != -ENXIO && !history->now.n_rows)
			fprintf(stderr, "flashscope sample: %s: %s\n", group->name, strerror(-r));
		r = print_group(session, collector, history, t_ms);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_root(const struct sample_args *args, const char *root, struct runner **ret)
{
	struct runner_options options = {
		.root = root, .wanted = args->wanted, .all_nodes = args->all_nodes};
	int r = runner_open(&options, registry(), ret);

	if (r < 0) {
		fprintf(stderr, "flashscope sample: %s: %s\n", root, hw_open_problem(r));
		return r;
	}
	cli_check_root("sample", root);
	for (size_t i = 0; i < registry()->n_collectors; i++)
		if (runner_wants(*ret, i))
			runner_probe(*ret, i);
	return 0;
}

/* Says why a collector that was asked for by name gives nothing, or all when none gives anything.
 */
static bool explain_missing(struct runner *runner)
{
	const struct catalog *catalog = registry();
	bool explained = false;

	for (size_t i = 0; i < catalog->n_collectors; i++) {
		const struct probe *probe = runner_probe_of(runner, i);

		if (!probe || probe->items[0].outcome == OUTCOME_OK)
			continue;
		fprintf(stderr, "flashscope sample: %s: %s%s%s\n", catalog->collectors[i]->name,
			outcome_name(probe->items[0].outcome),
			probe->items[0].reason[0] ? ": " : "", probe->items[0].reason);
		explained = true;
	}
	return explained;
}

static int sample_one_root(struct session *session)
{
	const struct sample_args *args = session->args;
	CLEANUP(runner_closep) struct runner *runner = NULL;
	int r = open_root(args, args->roots[0], &runner);
	int64_t start_ms = clock_boot_ms();

	if (r < 0)
		return r;
	if (args->named)
		session->explained = explain_missing(runner);
	for (int64_t i = 0; r == 0 && i < args->count; i++) {
		if (i > 0)
			clock_sleep_until(start_ms + i * args->interval_ms);
		r = take_tick(session, runner, i ? clock_boot_ms() - start_ms : 0, -1);
		fflush(stdout);
	}
	if (r == 0 && !session->n_shown && !args->named)
		session->explained = explain_missing(runner);
	return r;
}

/* The times of the trees by their own clocks when all have one, else on the interval. */
static void tree_times(const struct sample_args *args, int64_t *times_ms)
{
	bool known = true;

	for (size_t i = 0; i < args->n_roots && known; i++) {
		struct hw *hw;

		known = hw_open(args->roots[i], &hw) == 0;
		if (!known)
			break;
		known = hw_boot_ms(hw, &times_ms[i]) == 0;
		hw_close(hw);
	}
	for (size_t i = 0; i < args->n_roots && !known; i++)
		times_ms[i] = (int64_t)i * args->interval_ms;
}

static int sample_series(struct session *session)
{
	const struct sample_args *args = session->args;
	CLEANUP(freep) int64_t *times_ms = calloc(args->n_roots, sizeof(*times_ms));
	int r = times_ms ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	tree_times(args, times_ms);
	for (size_t i = 0; r == 0 && i < args->n_roots; i++) {
		CLEANUP(runner_closep) struct runner *runner = NULL;

		r = open_root(args, args->roots[i], &runner);
		if (r == 0)
			r = take_tick(session, runner, times_ms[i] - times_ms[0], times_ms[i]);
	}
	return r;
}

static void args_done(struct sample_args *args)
{
	wanted_done(&args->fields);
}

static unsigned time_limit_s(const struct sample_args *args)
{
	return (unsigned)(60 + args->count * args->interval_ms / 1000 + (int64_t)args->n_roots);
}

int command_sample(int argc, char **argv)
{
	CLEANUP(freep) const char **roots = calloc(ROOTS_MAX, sizeof(*roots));
	CLEANUP(freep) bool *wanted = calloc(registry()->n_collectors + 1, sizeof(*wanted));
	CLEANUP(args_done) struct sample_args args = {.roots = roots, .wanted = wanted};
	CLEANUP(session_done) struct session session = {0};
	int r = roots && wanted && wanted_open(&args.fields) == 0 ? parse_args(argc, argv, &args)
								  : EXIT_FAILED;

	if (r >= 0)
		return r;
	cli_time_limit(time_limit_s(&args));
	limits_raise_files();
	r = session_open(&session, &args);
	if (r == 0)
		r = args.n_roots > 1 ? sample_series(&session) : sample_one_root(&session);
	if (r < 0)
		return EXIT_FAILED;
	if (args.json)
		printf("%s\n]\n", session.separator[0] == '[' ? "[" : "");
	if (!session.n_shown && !session.explained)
		fputs("flashscope sample: there is nothing to show\n", stderr);
	else if (session.n_shown && !session.n_with_value)
		fputs("flashscope sample: nothing of it could be read\n", stderr);
	return cli_flush() < 0 || !session.n_with_value ? EXIT_FAILED : EXIT_DONE;
}
