/* GET /api/v1/status and /api/v1/collectors: how the daemon itself is doing. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errno_name.h"
#include "daemon/api.h"
#include "daemon/committer.h"
#include "daemon/summary.h"
#include "export/api.h"

/* A moment of this boot, or null for 0: never. */
static void add_moment(struct doc *doc, const char *key, int64_t t_ms, int64_t offset_ms)
{
	if (!t_ms) {
		doc_null(doc, key);
		return;
	}
	doc_object(doc, key);
	doc_time(doc, "t", t_ms + offset_ms);
	doc_i64(doc, "boot_ms", t_ms);
	doc_i64(doc, "age_ms", MAX(clock_boot_ms() - t_ms, 0));
	doc_end(doc);
}

static void add_boot(struct api *api, struct doc *doc, int64_t boot, int64_t offset_ms)
{
	doc_object(doc, "boot");
	if (boot)
		doc_i64(doc, "boot", boot);
	else
		doc_null(doc, "boot");
	doc_string_or_null(doc, "boot_id", api->boot_id);
	doc_bool(doc, "boot_id_is_own", api->boot_id_is_own);
	doc_string_or_null(doc, "kernel", api->kernel);
	doc_time(doc, "t_start", offset_ms);
	doc_end(doc);
}

/* When it commits, and what that does to the disk. */
static void add_commits(struct api *api, struct doc *doc)
{
	static const char *const whys[COMMIT_WHYS] = {"asked", "bound", "rides", "urgent",
						      "critical"};
	struct committer_status s;

	committer_get_status(api->committer, &s);
	doc_i64(doc, "commit_bound_ms", s.bound_in_force_ms);
	doc_i64_or_null(doc, "flash_budget_bytes", s.budget_bytes > 0, s.budget_bytes);
	doc_i64_or_null(doc, "spent_bytes", s.writes.bytes_known, s.spent_bytes);
	doc_bool(doc, "budget_widens", s.is_widened);
	doc_object(doc, "commits");
	for (size_t i = 0; i < COMMIT_WHYS; i++)
		doc_u64(doc, whys[i], s.n_by_why[i]);
	doc_end(doc);
	doc_i64(doc, "commit_time_us", s.writes.commit_time_us);
	doc_i64_or_null(doc, "commit_bytes", s.writes.bytes_known, s.writes.commit_bytes);
	doc_i64_or_null(doc, "commit_sectors", s.writes.sectors_known, s.writes.commit_sectors);
	doc_i64_or_null(doc, "disk_wakes", s.writes.sleep_known, s.writes.disk_wakes);
	doc_string_or_null(doc, "disk", s.disk);
	doc_i64_or_null(doc, "disk_write_sectors", s.disk_write_sectors >= 0, s.disk_write_sectors);
}

static const char *pmsg_reason(const struct api *api, const struct store_status *s)
{
	if (s->in_ring)
		return "";
	if (!strcmp(config_text(api->settings->config, OPTION_PMSG), "none"))
		return "the configuration names none";
	return api->pmsg_error ? api->pmsg_error : "there is no boot id";
}

/* What each resolution takes, and how many days of sampling its share has room for. */
static void add_kept(struct doc *doc, const struct store_status *s, int64_t now_wall_ms)
{
	doc_array(doc, "kept");
	for (size_t i = 0; i < STORE_N_KEPT && s->kept[i].name; i++) {
		const struct store_kept *k = &s->kept[i];
		const struct api_kept kept = {.what = k->name,
					      .bytes = k->bytes,
					      .share_bytes = k->share_bytes,
					      .oldest_wall_ms = k->oldest_wall_ms,
					      .newest_wall_ms = now_wall_ms,
					      .bytes_per_day = k->bytes_per_day};

		api_kept(doc, &kept);
	}
	doc_end(doc);
}

static void add_store(struct api *api, struct doc *doc, const struct store_status *s,
		      int64_t offset_ms)
{
	const struct config *config = api->settings->config;

	doc_object(doc, "store");
	doc_string(doc, "path", config_text(config, OPTION_DATABASE));
	doc_bool(doc, "in_memory", api->in_memory);
	doc_bool(doc, "attached", s->attached);
	doc_string_or_null(doc, "error", s->error);
	add_moment(doc, "last_commit", s->last_commit_ms, offset_ms);
	doc_i64(doc, "commit_interval_ms", config_number(config, OPTION_COMMIT_INTERVAL));
	doc_u64(doc, "n_commits", s->n_commits);
	doc_u64(doc, "n_failed_commits", s->n_failed_commits);
	doc_i64(doc, "commit_cpu_us", s->commit_cpu_us);
	doc_i64(doc, "file_bytes", s->file_bytes);
	doc_i64(doc, "wal_bytes", s->wal_bytes);
	doc_i64(doc, "size_max_bytes", s->size_max_bytes);
	doc_i64(doc, "tail_bytes", s->tail_bytes);
	doc_i64(doc, "tail_max_bytes", s->tail_max_bytes);
	doc_u64(doc, "n_dropped_ticks", s->n_dropped_ticks);
	doc_u64(doc, "n_dropped_events", s->n_dropped_events);
	if (api->committer)
		add_commits(api, doc);
	doc_bool(doc, "mirrored", s->mirrored);
	doc_string_or_null(doc, "mirror_reason", summary_mirror_reason(api, s));
	doc_i64(doc, "mirror_bytes", s->mirror_bytes);
	doc_u64(doc, "n_not_mirrored", s->n_not_mirrored);
	doc_bool(doc, "in_pmsg", s->in_ring);
	doc_string_or_null(doc, "pmsg_reason", pmsg_reason(api, s));
	doc_i64(doc, "pmsg_bytes", s->ring_bytes);
	doc_u64(doc, "n_not_in_pmsg", s->n_not_in_ring);
	doc_u64(doc, "n_recovered_ticks", s->n_recovered_ticks);
	doc_u64(doc, "n_recovered_events", s->n_recovered_events);
	if (s->oldest_wall_ms)
		doc_time(doc, "oldest", s->oldest_wall_ms);
	else
		doc_null(doc, "oldest");
	add_kept(doc, s, clock_boot_ms() + offset_ms);
	doc_end(doc);
}

static void add_sampling(struct doc *doc, const struct board_view *view)
{
	const struct sampler_stats *s = &view->stats;

	doc_object(doc, "sampling");
	doc_u64(doc, "n_ticks", s->n_ticks);
	doc_u64(doc, "n_missed_ticks", s->n_missed_ticks);
	doc_u64(doc, "n_lane_missed_ticks", s->n_lane_missed_ticks);
	doc_i64(doc, "late_max_ms", s->late_max_ms);
	doc_i64(doc, "cpu_us", s->cpu_us);
	doc_i64(doc, "loop_cpu_us", view->loop.cpu_us);
	doc_u64(doc, "n_wakeups", view->loop.n_wakeups);
	doc_i64(doc, "lane_cpu_us", s->lane_cpu_us);
	doc_u64(doc, "n_lane_restarts", s->n_lane_restarts);
	doc_u64(doc, "n_clock_steps", view->loop.n_clock_steps);
	doc_end(doc);
}

static void add_clock(struct doc *doc, const struct board_view *view)
{
	doc_object(doc, "clock");
	doc_bool(doc, "set", view->loop.clock_is_set);
	doc_i64(doc, "wall_offset_ms", view->loop.wall_offset_ms);
	doc_u64(doc, "n_steps", view->loop.n_clock_steps);
	doc_u64(doc, "n_suspends", view->loop.n_suspends);
	doc_i64(doc, "suspended_ms", view->loop.suspended_ms);
	doc_end(doc);
}

static void add_discovery(struct api *api, struct doc *doc, const struct board_view *view)
{
	const struct discovery_stats *s = &view->stats.discovery;

	doc_object(doc, "discovery");
	doc_bool(doc, "uevents", s->uevents);
	doc_string_or_null(doc, "reason", s->reason);
	doc_i64(doc, "rescan_interval_ms",
		config_number(api->settings->config, OPTION_RESCAN_INTERVAL));
	doc_u64(doc, "n_uevents", s->n_uevents);
	doc_u64(doc, "n_concerning", s->n_concerning);
	doc_u64(doc, "n_malformed", s->n_malformed);
	doc_u64(doc, "n_foreign", s->n_foreign);
	doc_u64(doc, "n_overruns", s->n_overruns);
	doc_u64(doc, "n_rescans", s->n_rescans);
	add_moment(doc, "last_rescan", s->last_rescan_ms, view->loop.wall_offset_ms);
	doc_end(doc);
}

static void add_helper(struct doc *doc, const struct board_view *view)
{
	const struct link_status *s = &view->stats.helper;
	bool up = s->state == LINK_UP;

	doc_object(doc, "helper");
	doc_string(doc, "state", link_state_name(s->state));
	doc_string_or_null(doc, "reason", s->reason);
	add_moment(doc, "since", s->since_ms, view->loop.wall_offset_ms);
	doc_string_or_null(doc, "socket", s->path);
	doc_u64(doc, "n_connects", s->n_connects);
	doc_i64_or_null(doc, "n_workers", up, s->account.n_workers);
	doc_i64_or_null(doc, "n_worker_restarts", up, s->account.n_restarts);
	doc_i64_or_null(doc, "n_held_processes", up, s->account.n_left);
	doc_i64_or_null(doc, "workers_cpu_us", up, s->account.cpu_us);
	doc_end(doc);
}

static void add_ufs_monitor(struct api *api, struct doc *doc, const struct board_view *view)
{
	const struct link_status *s = &view->stats.helper;
	/* Whoever keeps the monitors may have died (-ESRCH), too. */
	bool known = s->state == LINK_UP && link_keeps_monitors(s);
	int64_t until_ms = store_ufs_until_ms(api->store, clock_boot_ms());

	doc_object(doc, "ufs_monitor");
	doc_string(doc, "policy", config_word(api->settings->config, OPTION_UFS_MONITOR));
	/* Both by the same look: what the helper was told of is a turn behind. */
	doc_bool(doc, "asked", until_ms > 0);
	if (until_ms)
		doc_time(doc, "asked_until", until_ms + view->loop.wall_offset_ms);
	else
		doc_null(doc, "asked_until");
	doc_i64_or_null(doc, "n_hosts", known, s->monitored.n_hosts);
	doc_i64_or_null(doc, "n_wanted", known, s->monitored.n_wanted);
	doc_i64_or_null(doc, "n_on", known, s->monitored.n_on);
	doc_i64_or_null(doc, "n_switched_on", known, s->monitored.n_ours);
	doc_i64_or_null(doc, "n_again", known, s->monitored.n_again);
	doc_string_or_null(doc, "error", s->monitored.error ? errno_name(s->monitored.error) : "");
	doc_end(doc);
}

static void add_kernel_log(struct doc *doc, const struct board_view *view)
{
	const struct kernel_log_status *s = &view->loop.kernel_log;

	doc_object(doc, "kernel_log");
	doc_bool(doc, "followed", s->is_followed);
	doc_string_or_null(doc, "reason", s->problem.reason);
	doc_string_or_null(doc, "advice", s->problem.advice);
	add_moment(doc, "since", s->since_ms, view->loop.wall_offset_ms);
	doc_u64(doc, "n_records", s->n_records);
	doc_u64(doc, "n_before", s->n_before);
	doc_u64(doc, "n_lost", s->n_lost);
	doc_u64(doc, "n_overruns", s->n_overruns);
	doc_u64(doc, "n_unreadable", s->n_unreadable);
	doc_u64(doc, "n_incidents", s->n_incidents);
	doc_i64(doc, "n_open_incidents", s->n_open);
	doc_end(doc);
}

/* null while it is not known, or there was none. */
static void add_last_boot(struct doc *doc, const struct board_view *view)
{
	const struct last_boot_status *s = &view->loop.last_boot;

	if (!s->boot) {
		doc_null(doc, "last_boot");
		return;
	}
	doc_object(doc, "last_boot");
	doc_i64(doc, "boot", s->boot);
	doc_string(doc, "cause", boot_end_cause_name(s->cause));
	doc_string(doc, "certainty", boot_end_certainty_name(s->certainty));
	doc_string(doc, "sentence", boot_end_sentence(s->cause));
	doc_string(doc, "text", s->text);
	doc_end(doc);
}

static const struct probe_item *own_item(const struct board_collector *c)
{
	return board_n_items(c->probe) ? board_item(c->probe, 0) : NULL;
}

static bool is_sampled(const struct board_collector *c)
{
	const struct probe_item *item = own_item(c);

	return c->enabled && item && item->outcome == OUTCOME_OK;
}

static size_t n_sampled_nodes(const struct board_collector *c)
{
	size_t n = 0;

	for (size_t i = 1; i < board_n_items(c->probe); i++)
		n += board_item(c->probe, i)->outcome == OUTCOME_OK;
	return n;
}

static void add_sampled(struct doc *doc, const struct board_view *view)
{
	doc_array(doc, "sampled");
	for (size_t i = 0; i < view->n_collectors; i++) {
		const struct board_collector *c = &view->collectors[i];

		if (!is_sampled(c))
			continue;
		doc_object(doc, NULL);
		doc_string(doc, "collector", c->collector->name);
		doc_u64(doc, "n_nodes", n_sampled_nodes(c));
		doc_string(doc, "state", node_state_name(c->state));
		doc_end(doc);
	}
	doc_end(doc);
}

/* The outcome of a collector that nobody has asked for, or that somebody does not want. */
static void add_switched_off(struct doc *doc, const struct collector *collector)
{
	char buf[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	if (collector->opt_in)
		text_printf(&text, "not unless asked for: %s", collector->opt_in);
	else
		text_str(&text, "the configuration says so");
	doc_string(doc, "outcome", "switched_off");
	doc_string(doc, "reason", buf);
	text_rewind(&text, 0);
	text_printf(&text, "enabled = yes below [collector %s]", collector->name);
	doc_string(doc, "advice", buf);
}

/* Whether it is told with the troubles: it hangs, or what its probe said holds no more. */
static bool in_trouble(const struct board_view *view, const struct board_collector *c,
		       const char *node)
{
	const struct board_trouble *trouble = board_find_trouble(view, c->collector, node);

	return trouble && board_is_news(view, trouble);
}

static void add_missing(struct doc *doc, const struct board_collector *c,
			const struct probe_item *item)
{
	doc_object(doc, NULL);
	doc_string(doc, "collector", c->collector->name);
	if (item && *item->node)
		doc_string(doc, "node", item->node);
	else
		doc_null(doc, "node");
	if (c->enabled && item)
		api_outcome(doc, item);
	else
		add_switched_off(doc, c->collector);
	doc_end(doc);
}

static void add_not_sampled(struct doc *doc, const struct board_view *view)
{
	doc_array(doc, "not_sampled");
	for (size_t i = 0; i < view->n_collectors; i++) {
		const struct board_collector *c = &view->collectors[i];

		if (!is_sampled(c))
			add_missing(doc, c, own_item(c));
		if (!is_sampled(c) && (!c->enabled || !board_tells_nodes(c->probe)))
			continue;
		for (size_t j = 1; j < board_n_items(c->probe); j++)
			if (board_item(c->probe, j)->outcome != OUTCOME_OK &&
			    !in_trouble(view, c, board_item(c->probe, j)->node))
				add_missing(doc, c, board_item(c->probe, j));
	}
	doc_end(doc);
}

static void add_trouble(struct doc *doc, const struct board_trouble *t, int64_t offset_ms)
{
	doc_string(doc, "state", node_state_name(t->state));
	if (t->error)
		doc_string(doc, "error", errno_name(t->error));
	else
		doc_null(doc, "error");
	add_moment(doc, "since", t->since_ms, offset_ms);
}

static void add_troubles(struct doc *doc, const struct board_view *view, int64_t offset_ms)
{
	doc_array(doc, "troubles");
	for (size_t i = 0; i < view->n_troubles; i++) {
		if (!board_is_news(view, &view->troubles[i]))
			continue;
		doc_object(doc, NULL);
		doc_string(doc, "collector", view->troubles[i].collector->name);
		doc_string_or_null(doc, "node", view->troubles[i].node);
		add_trouble(doc, &view->troubles[i], offset_ms);
		doc_end(doc);
	}
	doc_end(doc);
}

/* Beside the socket: where HTTP is served, and whether a token is asked for there. */
static void add_places(const struct api *api, struct doc *doc)
{
	doc_array(doc, "listeners");
	for (size_t i = 0; i < api->n_places; i++) {
		bool elsewhere = api->places[i].elsewhere;

		doc_object(doc, NULL);
		doc_string(doc, "address", api->places[i].name);
		doc_bool(doc, "elsewhere", elsewhere);
		doc_bool(doc, "token", elsewhere && api->access && access_wants_token(api->access));
		doc_end(doc);
	}
	doc_end(doc);
}

static void add_status(struct api *api, struct doc *doc, const struct board_view *view,
		       const struct store_status *store)
{
	const struct config *config = api->settings->config;
	int64_t now_ms = clock_boot_ms(), offset_ms = view->loop.wall_offset_ms;

	doc_object(doc, NULL);
	doc_string(doc, "name", "flashscope");
	doc_string(doc, "version", FLASHSCOPE_VERSION);
	doc_i64(doc, "pid", getpid());
	doc_i64(doc, "uid", geteuid());
	doc_string(doc, "root", config_text(config, OPTION_ROOT));
	doc_time(doc, "t", now_ms + offset_ms);
	doc_i64(doc, "boot_ms", now_ms);
	doc_i64(doc, "uptime_ms", now_ms - api->started_ms);
	add_boot(api, doc, store->boot, offset_ms);
	doc_string_or_null(doc, "listen", api->listen);
	add_places(api, doc);
	doc_string(doc, "socket", api->socket_path);
	doc_string(doc, "runtime_dir", config_text(config, OPTION_RUNTIME_DIR));
	add_store(api, doc, store, offset_ms);
	add_sampling(doc, view);
	add_clock(doc, view);
	add_discovery(api, doc, view);
	add_helper(doc, view);
	add_ufs_monitor(api, doc, view);
	add_kernel_log(doc, view);
	add_last_boot(doc, view);
	add_sampled(doc, view);
	add_not_sampled(doc, view);
	add_troubles(doc, view, offset_ms);
	doc_end(doc);
}

void serve_status(struct api *api, const struct request *request, struct answer *ret)
{
	struct board_view view;
	struct store_status store;
	struct doc doc;

	(void)request;
	if (board_view(api->board, &view) < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	store_get_status(api->store, &store);
	doc_init(&doc, API_DOC_MAX_BYTES);
	add_status(api, &doc, &view, &store);
	board_view_done(&view);
	answer_doc(ret, &doc);
}

static void add_group(struct api *api, struct doc *doc, const struct group *group)
{
	size_t index = 0;

	if (catalog_find_group(api->catalog, group->name, &index) < 0)
		return;
	doc_object(doc, NULL);
	doc_string(doc, "group", group->name);
	doc_string(doc, "help", group->help);
	doc_string(doc, "cost", cost_name(group->cost));
	doc_i64(doc, "period_ms", settings_period_ms(api->settings, index));
	doc_u64(doc, "n_fields", group->n_fields);
	doc_end(doc);
}

static void add_probe_node(struct doc *doc, const struct board_view *view,
			   const struct board_collector *c, const struct probe_item *item)
{
	const struct board_trouble *trouble = board_find_trouble(view, c->collector, item->node);

	doc_object(doc, NULL);
	doc_string(doc, "node", item->node);
	api_outcome(doc, item);
	if (trouble)
		add_trouble(doc, trouble, view->loop.wall_offset_ms);
	else
		doc_string_or_null(doc, "state",
				   item->outcome == OUTCOME_OK ? node_state_name(NODE_OK) : "");
	doc_end(doc);
}

static void add_account(struct doc *doc, const struct board_collector *c, int64_t offset_ms)
{
	doc_string(doc, "state", node_state_name(c->state));
	/* Of a collector that works again the old one tells nothing. */
	if (c->last_error && c->state != NODE_OK)
		doc_string(doc, "error", errno_name(c->last_error));
	else
		doc_null(doc, "error");
	add_moment(doc, "since", c->since_ms, offset_ms);
	add_moment(doc, "last_sample", c->last_sample_ms, offset_ms);
	doc_i64(doc, "last_duration_us", c->last_duration_us);
	doc_u64(doc, "n_samples", c->n_samples);
	doc_u64(doc, "n_failures", c->n_failures);
}

static void add_collector(struct api *api, struct doc *doc, const struct board_view *view,
			  const struct board_collector *c)
{
	const struct probe_item *own = own_item(c);

	doc_object(doc, NULL);
	doc_string(doc, "collector", c->collector->name);
	doc_string(doc, "help", c->collector->help);
	doc_bool(doc, "enabled", c->enabled);
	if (own) {
		api_outcome(doc, own);
	} else if (!c->enabled) {
		add_switched_off(doc, c->collector);
	} else {
		doc_null(doc, "outcome");
		doc_null(doc, "reason");
		doc_null(doc, "advice");
	}
	add_account(doc, c, view->loop.wall_offset_ms);
	doc_array(doc, "groups");
	for (size_t i = 0; i < c->collector->n_groups; i++)
		add_group(api, doc, &c->collector->groups[i]);
	doc_end(doc);
	doc_array(doc, "nodes");
	for (size_t i = 1; i < board_n_items(c->probe); i++)
		add_probe_node(doc, view, c, board_item(c->probe, i));
	doc_end(doc);
	doc_end(doc);
}

void serve_collectors(struct api *api, const struct request *request, struct answer *ret)
{
	struct board_view view;
	struct doc doc;

	(void)request;
	if (board_view(api->board, &view) < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	doc_init(&doc, API_DOC_MAX_BYTES);
	doc_array(&doc, NULL);
	for (size_t i = 0; i < view.n_collectors; i++)
		add_collector(api, &doc, &view, &view.collectors[i]);
	doc_end(&doc);
	board_view_done(&view);
	answer_doc(ret, &doc);
}
