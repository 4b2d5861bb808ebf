#include "daemon/summary.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/durable.h"

#define LINE_MAX_BYTES 800
#define NAMES_SHOWN    8
#define REASONS_MAX    64

static void list_nodes(struct text *line, const struct board_collector *c)
{
	size_t n = 0;

	for (size_t i = 1; i < board_n_items(c->probe); i++) {
		const struct probe_item *item = board_item(c->probe, i);

		if (item->outcome != OUTCOME_OK)
			continue;
		if (n++ < NAMES_SHOWN)
			text_printf(line, " %s", item->node);
	}
	if (n > NAMES_SHOWN)
		text_printf(line, " and %zu more", n - NAMES_SHOWN);
}

static bool is_sampled(const struct board_collector *c)
{
	return c->enabled && board_n_items(c->probe) &&
	       board_item(c->probe, 0)->outcome == OUTCOME_OK;
}

static void log_sampled(const struct board_view *view)
{
	char buf[LINE_MAX_BYTES];

	for (size_t i = 0; i < view->n_collectors; i++) {
		struct text line = TEXT_IN(buf);

		if (!is_sampled(&view->collectors[i]))
			continue;
		text_printf(&line, "samples %s:", view->collectors[i].collector->name);
		list_nodes(&line, &view->collectors[i]);
		if (line.p[line.len - 1] == ':')
			text_str(&line, " no node yet");
		log_about(LOG_LEVEL_INFO, view->collectors[i].collector->name, "", "%s", buf);
	}
}

/* What is not sampled, one line for each reason. */
struct reason {
	const struct probe_item *item; /* the first one with it */
	char names[LINE_MAX_BYTES / 2];
	size_t n;
};

struct reasons {
	struct reason v[REASONS_MAX];
	size_t n;
};

static struct reason *find_reason(struct reasons *reasons, const struct probe_item *item)
{
	for (size_t i = 0; i < reasons->n; i++)
		if (!strcmp(reasons->v[i].item->reason, item->reason) &&
		    !strcmp(reasons->v[i].item->advice, item->advice))
			return &reasons->v[i];
	if (reasons->n == REASONS_MAX)
		return NULL;
	reasons->v[reasons->n] = (struct reason){.item = item};
	return &reasons->v[reasons->n++];
}

static void add_reason(struct reasons *reasons, const struct collector *collector,
		       const struct probe_item *item)
{
	struct reason *reason = find_reason(reasons, item);

	if (!reason)
		return;

	size_t len = strlen(reason->names);

	if (reason->n++ < NAMES_SHOWN)
		snprintf(reason->names + len, sizeof(reason->names) - len, "%s%s%s%s",
			 len ? ", " : "", collector->name, *item->node ? " " : "", item->node);
}

static void collect(struct reasons *reasons, const struct board_collector *c)
{
	if (!c->enabled || !board_n_items(c->probe))
		return;
	if (!is_sampled(c))
		add_reason(reasons, c->collector, board_item(c->probe, 0));
	if (!is_sampled(c) && !board_tells_nodes(c->probe))
		return;
	for (size_t i = 1; i < board_n_items(c->probe); i++)
		if (board_item(c->probe, i)->outcome != OUTCOME_OK)
			add_reason(reasons, c->collector, board_item(c->probe, i));
}

static void log_not_sampled(const struct board_view *view)
{
	/* Said once, before the loop runs. */
	static struct reasons reasons;

	for (size_t i = 0; i < view->n_collectors; i++)
		collect(&reasons, &view->collectors[i]);
	for (size_t i = 0; i < reasons.n; i++) {
		const struct reason *r = &reasons.v[i];
		char more[32] = "";

		if (r->n > NAMES_SHOWN)
			snprintf(more, sizeof(more), " and %zu more", r->n - NAMES_SHOWN);
		log_info("leaves out %s%s: %s%s%s", r->names, more,
			 *r->item->reason ? r->item->reason : outcome_name(r->item->outcome),
			 *r->item->advice ? "; " : "", r->item->advice);
	}
}

static void log_switched_off(const struct board_view *view)
{
	char buf[LINE_MAX_BYTES];
	struct text line = TEXT_IN(buf);

	for (size_t i = 0; i < view->n_collectors; i++)
		if (!view->collectors[i].enabled)
			text_printf(&line, " %s", view->collectors[i].collector->name);
	if (line.len)
		log_info("switched off:%s", buf);
}

static void log_discovery(struct api *api, const struct board_view *view)
{
	const struct discovery_stats *s = &view->stats.discovery;
	int64_t rescan_s = config_number(api->settings->config, OPTION_RESCAN_INTERVAL) / 1000;

	if (s->uevents)
		log_info("hears of new and vanished devices by uevents");
	else
		log_info("looks for new and vanished devices each %lld s: %s", (long long)rescan_s,
			 s->reason);
}

static const char *access_words(const struct api *api, size_t place)
{
	if (!api->places[place].elsewhere)
		return "";
	return access_wants_token(api->access) ? ", for who has the token"
					       : ", for everybody, without a token";
}

const char *summary_mirror_reason(const struct api *api, const struct store_status *s)
{
	if (s->mirrored)
		return "";
	if (!config_bool(api->settings->config, OPTION_MIRROR))
		return "the configuration says so";
	return s->mirror_error ? strerror(-s->mirror_error)
			       : "the runtime folder is not in memory: writing there would wear";
}

static void log_places(struct api *api)
{
	const struct config *config = api->settings->config;
	struct store_status status;

	store_get_status(api->store, &status);
	log_info("database %s%s%s", config_text(config, OPTION_DATABASE),
		 status.attached ? "" : " (not open yet, samples stay in memory): ",
		 status.attached ? "" : status.error);
	if (api->in_memory)
		log_warning("the database " DURABLE_MEMORY_WORDS);
	log_info("runtime folder %s", config_text(config, OPTION_RUNTIME_DIR));
	if (!status.mirrored && status.mirror_error)
		log_warning("no mirror, so a daemon that is killed loses what is not committed: %s",
			    summary_mirror_reason(api, &status));
	else if (!status.mirrored)
		log_info("no mirror, so a daemon that is killed loses what is not committed: %s",
			 summary_mirror_reason(api, &status));
	log_info("socket %s", api->socket_path);
	for (size_t i = 0; i < api->n_places; i++) {
		if (api->places[i].absent)
			log_warning("%s is no address of this machine now; it is served once it is",
				    api->places[i].name);
		log_info("listens on %s%s", api->places[i].name, access_words(api, i));
	}
	if (*api->listen)
		log_info("open http://%s/ or http://%s/api/v1/status", api->listen, api->listen);
}

void summary_log(struct api *api)
{
	struct board_view view;

	if (board_view(api->board, &view) < 0)
		return;
	log_sampled(&view);
	log_not_sampled(&view);
	log_switched_off(&view);
	log_discovery(api, &view);
	board_view_done(&view);
	log_places(api);
}

void summary_no_http(const char *what, int error)
{
	bool is_path = what[0] == '/' || !strncmp(what, "unix:", 5);

	if (error == -EADDRINUSE)
		log_error("%s is in use by another program; give another one by --listen", what);
	else if (error == -EACCES && is_path)
		log_error("%s cannot be made: user %u may not write there; chown its folder, set "
			  "user in [daemon], or give another --runtime-dir (flashscoped gives up "
			  "root's right to write everywhere)",
			  what, geteuid());
	else if (error == -EACCES)
		log_error("HTTP cannot start: %s: %s; user %u may not have this port, ports from "
			  "1024 on are for everybody",
			  what, strerror(-error), geteuid());
	else
		log_error("HTTP cannot start: %s: %s", what, strerror(-error));
}
