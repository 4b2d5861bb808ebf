/* flashscope status: how the daemon is doing, or what a file holds. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/options.h"
#include "cli/status.h"
#include "cli/table.h"
#include "export/tree.h"

static const char help[] =
	"Usage: flashscope status [--socket PATH | --url URL | --db FILE] [--json]\n"
	"\n"
	"How the daemon is doing: what it samples, what not and why, and its database.\n"
	"\n"
	"  --socket PATH  of the daemon (default var/run/flashscoped.sock, then\n"
	"                 " DEFAULT_RUNTIME_DIR "/flashscoped.sock)\n"
	"  --url URL      of the daemon, such as http://127.0.0.1:9750\n"
	"  --db FILE      no daemon: what a database holds\n"
	"  --json         the same as a document\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

void status_bytes(struct text *text, int64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	size_t unit = 0;
	int64_t tenths = bytes * 10;

	while (tenths >= 10240 && unit + 1 < ARRAY_SIZE(units)) {
		tenths /= 1024;
		unit++;
	}
	text_fixed(text, tenths, 1);
	text_printf(text, " %s", units[unit]);
}

/* Each one that is served; of an older daemon the first. */
static void print_addresses(struct tree *status)
{
	struct tree *listeners = tree_get(status, "listeners");

	for (size_t i = 0; i < tree_n(listeners); i++) {
		struct tree *place = tree_at(listeners, i);
		const char *address = tree_text(place, "address");
		bool is_path = strchr(address, '/');

		printf("address   %s%s%s%s\n", is_path ? "" : "http://", address,
		       is_path ? "" : "/",
		       tree_bool(place, "token") ? ", for who has the token" : "");
	}
	if (!tree_n(listeners) && *tree_text(status, "listen"))
		printf("address   http://%s/\n", tree_text(status, "listen"));
}

static void print_daemon(struct tree *status)
{
	char buf[256];
	struct text text = TEXT_IN(buf);

	text_span(&text, tree_i64(status, "uptime_ms"));
	printf("flashscoped %s, process %lld, up %s\n", tree_text(status, "version"),
	       (long long)tree_i64(status, "pid"), buf);
	print_addresses(status);
	printf("socket    %s\n", tree_text(status, "socket"));
	if (tree_get(status, "uid") && tree_i64(status, "uid") == 0)
		puts("user      root, without capabilities; what belongs to root is open to it: "
		     "set user "
		     "in [daemon]");
	printf("root      %s\n", tree_text(status, "root"));
	printf("boot      %lld, kernel %s, since %s\n", (long long)tree_i64(status, "boot.boot"),
	       tree_text(status, "boot.kernel"), tree_text(status, "boot.t_start"));
}

static void print_listeners(struct tree *listeners)
{
	for (size_t i = 0; i < tree_n(listeners); i++) {
		struct tree *place = tree_at(listeners, i);

		if (tree_bool(place, "elsewhere") && !tree_bool(place, "token"))
			printf("warning   http://%s/ can be reached from elsewhere, and everybody "
			       "may read without a token\n",
			       tree_text(place, "address"));
	}
}

/* How much a loss of power or a kill costs, and what the promise costs the disk. */
static void print_commits(struct tree *store)
{
	int64_t over = tree_i64(store, "spent_bytes") - tree_i64(store, "flash_budget_bytes");
	char buf[384];
	struct text text = TEXT_IN(buf);

	if (!tree_get(store, "commit_bound_ms"))
		return;
	text_str(&text, "commits   each ");
	text_span(&text, tree_i64(store, "commit_bound_ms"));
	if (tree_get(store, "spent_bytes")) {
		text_str(&text, ", ");
		status_bytes(&text, tree_i64(store, "spent_bytes"));
		text_str(&text, " written in 24 h");
	}
	if (tree_get(store, "flash_budget_bytes")) {
		text_str(&text, ", flash_budget ");
		status_bytes(&text, tree_i64(store, "flash_budget_bytes"));
	}
	if (tree_i64(store, "flash_budget_bytes") > 0 && over >= 0) {
		text_str(&text, ": exceeded by ");
		status_bytes(&text, over);
		text_str(&text, ", so commits are as rare as they may be and marks wait for one; "
				"what is critical or finds no room is still written");
	} else if (tree_bool(store, "budget_widens")) {
		text_str(&text, ": rarer than configured, so that it is kept");
	}
	puts(buf);
}

/* An older daemon does not say it. */
static void print_mirror(struct tree *store)
{
	if (tree_get(store, "mirrored") && !tree_bool(store, "mirrored"))
		printf("mirror    none, so a daemon that is killed loses what is not committed: "
		       "%s\n",
		       tree_text(store, "mirror_reason"));
}

static void put_room(struct text *text, struct tree *kept)
{
	int64_t days = tree_i64(kept, "days"), rate = tree_i64(kept, "bytes_per_day");

	/* Nothing is known yet, or of a file that knows no share. */
	if (!tree_get(kept, "days") || rate <= 0)
		return;
	if (days >= 2)
		text_printf(text, ", room for %lld days", (long long)days);
	else
		text_printf(text, ", room for %lld h",
			    (long long)(tree_i64(kept, "share_bytes") * 24 / rate));
}

/* "raw 4.1 MiB of 66.9 MiB, back 3 d, room for 14 days" for each resolution */
void status_kept(struct tree *kept)
{
	char buf[640];
	struct text text = TEXT_IN(buf);

	if (!tree_n(kept))
		return;
	text_str(&text, "kept      ");
	for (size_t i = 0; i < tree_n(kept); i++) {
		struct tree *k = tree_at(kept, i);

		text_printf(&text, "%s%s ", i ? "; " : "", tree_text(k, "what"));
		status_bytes(&text, tree_i64(k, "bytes"));
		if (tree_get(k, "share_bytes")) {
			text_str(&text, " of ");
			status_bytes(&text, tree_i64(k, "share_bytes"));
		}
		if (tree_get(k, "reach_ms")) {
			text_str(&text, ", back ");
			text_span(&text, tree_i64(k, "reach_ms"));
		}
		put_room(&text, k);
	}
	puts(buf);
}

static void print_store(struct tree *store)
{
	char buf[512];
	struct text text = TEXT_IN(buf);

	text_printf(&text, "database  %s: ", tree_text(store, "path"));
	if (!tree_bool(store, "attached"))
		text_str(&text, "not open, samples stay in memory, ");
	status_bytes(&text, tree_i64(store, "file_bytes") + tree_i64(store, "wal_bytes"));
	text_str(&text, " of ");
	status_bytes(&text, tree_i64(store, "size_max_bytes"));
	if (tree_get(store, "last_commit.t")) {
		text_str(&text, ", last commit ");
		text_span(&text, tree_i64(store, "last_commit.age_ms"));
		text_str(&text, " ago");
	} else {
		text_str(&text, ", no commit yet");
	}
	puts(buf);
	status_kept(tree_get(store, "kept"));
	if (tree_bool(store, "in_memory"))
		puts("warning   the database lies in memory (tmpfs or ramfs) and will not survive "
		     "a "
		     "restart of the machine");
	if (*tree_text(store, "error"))
		printf("trouble   %s\n", tree_text(store, "error"));
	if (tree_i64(store, "n_dropped_ticks") || tree_i64(store, "n_dropped_events"))
		printf("lost      %lld ticks, %lld events\n",
		       (long long)tree_i64(store, "n_dropped_ticks"),
		       (long long)tree_i64(store, "n_dropped_events"));
}

static void print_sampling(struct tree *sampling)
{
	char buf[256];
	struct text text = TEXT_IN(buf);

	text_printf(&text, "sampling  %lld ticks, %lld missed, at most %lld ms late, CPU ",
		    (long long)tree_i64(sampling, "n_ticks"),
		    (long long)tree_i64(sampling, "n_missed_ticks"),
		    (long long)tree_i64(sampling, "late_max_ms"));
	text_fixed(&text, tree_i64(sampling, "cpu_us"), 3);
	text_str(&text, " ms, lane ");
	text_fixed(&text, tree_i64(sampling, "lane_cpu_us"), 3);
	text_str(&text, " ms");
	puts(buf);
}

static void print_discovery(struct tree *discovery)
{
	char buf[384];
	struct text text = TEXT_IN(buf);

	text_str(&text, "discovery ");
	if (*tree_text(discovery, "reason")) {
		text_printf(&text, "%lld rescans, each ",
			    (long long)tree_i64(discovery, "n_rescans"));
		text_span(&text, tree_i64(discovery, "rescan_interval_ms"));
		text_printf(&text, "; %s", tree_text(discovery, "reason"));
	} else {
		text_printf(&text, "%lld uevents, %lld of them for us, %lld rescans",
			    (long long)tree_i64(discovery, "n_uevents"),
			    (long long)tree_i64(discovery, "n_concerning"),
			    (long long)tree_i64(discovery, "n_rescans"));
	}
	if (tree_i64(discovery, "n_overruns"))
		text_printf(&text, ", %lld overruns", (long long)tree_i64(discovery, "n_overruns"));
	puts(buf);
}

/* Says nothing of a machine without UFS, unless somebody has wished for something. */
static void print_ufs_monitor(struct tree *monitor)
{
	const char *policy = tree_text(monitor, "policy"), *error = tree_text(monitor, "error");
	const char *until = tree_text(monitor, "asked_until");
	long long n_hosts = tree_i64(monitor, "n_hosts"), n_on = tree_i64(monitor, "n_on");
	char buf[256];
	struct text text = TEXT_IN(buf);

	if (!n_hosts && !strcmp(policy, "auto") && !tree_bool(monitor, "asked") && !*until)
		return;
	text_printf(&text, "UFS monitor %s", policy);
	/* What is always or never on ends with no mark. */
	if (strcmp(policy, "on") != 0 && strcmp(policy, "off") != 0) {
		if (*until || tree_bool(monitor, "asked"))
			text_str(&text, ", asked for by a mark");
		if (*until)
			text_printf(&text, " until %s at most", until);
	}
	text_str(&text, ": ");
	if (!strcmp(policy, "off"))
		text_str(&text, "left alone");
	else if (!strcmp(tree_json(tree_get(monitor, "n_on")), "null"))
		text_str(&text, "not known, for who keeps it is not there");
	else
		text_printf(&text, "on at %lld of %lld hosts", n_on, n_hosts);
	if (*error && strcmp(error, "ESRCH") != 0)
		text_printf(&text, "; cannot be switched on: %s%s", error,
			    strcmp(error, "EROFS") ? ""
						   : ": nothing is written to a recorded tree");
	puts(buf);
}

static void print_helper(struct tree *helper)
{
	char buf[512];
	struct text text = TEXT_IN(buf);
	const char *reason = tree_text(helper, "reason");

	text_printf(&text, "helper    %s", tree_text(helper, "state"));
	if (*reason)
		text_printf(&text, ": %s", reason);
	else
		text_printf(&text, ", %lld worker%s, %lld restarted",
			    (long long)tree_i64(helper, "n_workers"),
			    tree_i64(helper, "n_workers") == 1 ? "" : "s",
			    (long long)tree_i64(helper, "n_worker_restarts"));
	if (tree_i64(helper, "n_held_processes"))
		text_printf(&text, ", %lld held by the kernel: a device does not answer",
			    (long long)tree_i64(helper, "n_held_processes"));
	puts(buf);
}

static void print_kernel_log(struct tree *log)
{
	char buf[640];
	struct text text = TEXT_IN(buf);
	const char *advice = tree_text(log, "advice");

	text_str(&text, "kernel log ");
	if (!tree_bool(log, "followed"))
		text_printf(&text, "not followed: %s%s%s", tree_text(log, "reason"),
			    *advice ? "; " : "", advice);
	else
		text_printf(&text, "%lld records, %lld lost, %lld incidents, %lld of them go on",
			    (long long)tree_i64(log, "n_records"),
			    (long long)tree_i64(log, "n_lost"),
			    (long long)tree_i64(log, "n_incidents"),
			    (long long)tree_i64(log, "n_open_incidents"));
	if (tree_i64(log, "n_before") > 0)
		text_printf(&text, "; %lld records of this boot were overwritten before the start",
			    (long long)tree_i64(log, "n_before"));
	puts(buf);
}

static void print_last_boot(struct tree *last)
{
	printf("last boot  %lld: %s (%s): ", (long long)tree_i64(last, "boot"),
	       tree_text(last, "sentence"), tree_text(last, "certainty"));
	cli_put_text(stdout, tree_text(last, "text"));
	putchar('\n');
}

static int add_line(struct table *table, const char *a, const char *b, const char *c, const char *d)
{
	int r = table_line(table);

	if (r == 0)
		r = table_cell(table, a);
	if (r == 0)
		r = table_cell(table, b);
	if (r == 0)
		r = table_cell(table, c);
	return r < 0 ? r : table_cell(table, d);
}

static int add_sampled(struct table *table, struct tree *list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree_n(list); i++) {
		struct tree *item = tree_at(list, i);
		char nodes[32];

		snprintf(nodes, sizeof(nodes), "%lld", (long long)tree_i64(item, "n_nodes"));
		r = add_line(table, tree_text(item, "collector"), nodes, tree_text(item, "state"),
			     "");
	}
	return r;
}

static bool same_reason(struct tree *a, struct tree *b)
{
	static const char *const keys[] = {"collector", "outcome", "reason", "advice"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(tree_text(a, keys[i]), tree_text(b, keys[i])) != 0)
			return false;
	return true;
}

/* Names of the nodes from *i on that are left out for one reason; *i is the last of them. */
static void join_nodes(struct tree *list, size_t *i, struct text *names)
{
	size_t first = *i, n = tree_n(list);

	text_str(names, tree_text(tree_at(list, first), "node"));
	for (; *i + 1 < n && same_reason(tree_at(list, first), tree_at(list, *i + 1)); ++*i)
		text_printf(names, " %s", tree_text(tree_at(list, *i + 1), "node"));
}

static int add_not_sampled(struct table *table, struct tree *list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree_n(list); i++) {
		struct tree *item = tree_at(list, i);
		const char *advice = tree_text(item, "advice");
		char why[640], nodes[1024];
		struct text names = TEXT_IN(nodes);

		join_nodes(list, &i, &names);
		snprintf(why, sizeof(why), "%s%s%s", tree_text(item, "reason"), *advice ? "; " : "",
			 advice);
		r = add_line(table, tree_text(item, "collector"), nodes, tree_text(item, "outcome"),
			     why);
	}
	return r;
}

static int add_troubles(struct table *table, struct tree *list)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < tree_n(list); i++) {
		struct tree *item = tree_at(list, i);

		r = add_line(table, tree_text(item, "collector"), tree_text(item, "node"),
			     tree_text(item, "state"), tree_text(item, "error"));
	}
	return r;
}

static int print_collectors(struct tree *status)
{
	CLEANUP(table_closep) struct table *table = NULL;
	int r = table_open(&table);

	if (r == 0)
		r = table_column(table, "COLLECTOR", TABLE_TEXT);
	if (r == 0)
		r = table_column(table, "NODES", TABLE_WRAP);
	if (r == 0)
		r = table_column(table, "STATE", TABLE_TEXT);
	if (r == 0)
		r = table_column(table, "WHY", TABLE_WRAP);
	if (r == 0)
		r = add_sampled(table, tree_get(status, "sampled"));
	if (r == 0)
		r = add_troubles(table, tree_get(status, "troubles"));
	if (r == 0)
		r = add_not_sampled(table, tree_get(status, "not_sampled"));
	return r < 0 ? r : table_print(table, stdout);
}

static int daemon_status(const struct client_target *target, bool json)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	CLEANUP(tree_freep) struct tree *status = NULL;

	if (client_get(target, "/api/v1/status", &reply) < 0) {
		fprintf(stderr, "flashscope status: %s\n", reply.error);
		return EXIT_FAILED;
	}
	if (json) {
		puts(reply.body);
		return EXIT_DONE;
	}
	if (tree_parse(reply.body ? reply.body : "", reply.len, &status) < 0) {
		fputs("flashscope status: the daemon's answer is no JSON\n", stderr);
		return EXIT_FAILED;
	}
	print_daemon(status);
	print_listeners(tree_get(status, "listeners"));
	print_store(tree_get(status, "store"));
	print_commits(tree_get(status, "store"));
	print_mirror(tree_get(status, "store"));
	print_sampling(tree_get(status, "sampling"));
	if (tree_get(status, "discovery"))
		print_discovery(tree_get(status, "discovery"));
	if (tree_get(status, "helper"))
		print_helper(tree_get(status, "helper"));
	if (tree_get(status, "ufs_monitor"))
		print_ufs_monitor(tree_get(status, "ufs_monitor"));
	if (tree_get(status, "kernel_log"))
		print_kernel_log(tree_get(status, "kernel_log"));
	if (tree_get(status, "last_boot"))
		print_last_boot(tree_get(status, "last_boot"));
	putchar('\n');
	return print_collectors(status) < 0 ? EXIT_FAILED : EXIT_DONE;
}

int command_status(int argc, char **argv)
{
	struct client_target target = {0};
	const char *db = NULL;
	bool json = false;
	const struct cli_option options[] = {
		{"socket", .text = &target.socket},
		{"url", .text = &target.url},
		{"db", .text = &db},
		{"json", .flag = &json},
	};
	int r = cli_options("status", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind < argc)
		return cli_wrong_usage("status", "takes no argument, not \"%s\"", argv[optind]);
	r = cli_one_source("status", db, &target);
	if (r >= 0)
		return r;
	return db ? status_of_file(db, json) : daemon_status(&target, json);
}
