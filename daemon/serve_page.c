/* GET /: a short page in plain HTML: what this is, what it samples now, where everything lies. */
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "daemon/api.h"
#include "export/api.h"

#define PAGE_MAX_BYTES  (72 * 1024)
/* What stands below the table, and what a row becomes that does not fit. */
#define REST_BYTES      4096
/* The ages of slow values. */
#define AGES_BYTES      8192
#define SLOW_MS         60000
#define SHORT_ROW_BYTES 192
#define SHORT_ROWS_MAX  32
/* More of a collector than that says less than the count. */
#define ROW_NODES_MAX   64
#define ROW_LACKING_MAX 16

static void html(struct text *text, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '&':
			text_str(text, "&amp;");
			break;
		case '<':
			text_str(text, "&lt;");
			break;
		case '>':
			text_str(text, "&gt;");
			break;
		case '"':
			text_str(text, "&quot;");
			break;
		case '\'':
			text_str(text, "&#39;");
			break;
		default:
			text_char(text, *s);
		}
	}
}

static void cell(struct text *text, const char *s)
{
	text_str(text, "<td>");
	html(text, s);
	text_str(text, "</td>");
}

static void head(struct text *text)
{
	text_str(text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		       "<title>flashscope</title>"
		       "<style>body{font:15px/1.4 sans-serif;max-width:60em;margin:2em auto;"
		       "padding:0 1em}table{border-collapse:collapse}td,th{text-align:left;"
		       "padding:.2em .8em .2em 0;vertical-align:top}code{font-size:14px}</style>"
		       "</head><body>\n<h1>flashscope " FLASHSCOPE_VERSION "</h1>\n"
		       "<p>A flight recorder for storage: it samples what this kernel tells of "
		       "disks, flash and what surrounds them, and keeps it in a database.</p>\n");
}

static void why_not(struct text *text, const struct probe_item *item)
{
	html(text, item->reason);
	if (!item->advice[0])
		return;
	text_str(text, "; ");
	html(text, item->advice);
}

static void and_more(struct text *text, size_t n_left_out)
{
	if (n_left_out)
		text_printf(text, "and %zu more, see /api/v1/collectors", n_left_out);
}

static void sampled_nodes(struct text *text, const struct board_collector *c)
{
	size_t n = 0;

	for (size_t i = 1; i < board_n_items(c->probe); i++) {
		if (board_item(c->probe, i)->outcome != OUTCOME_OK || n++ >= ROW_NODES_MAX)
			continue;
		html(text, board_item(c->probe, i)->node);
		text_char(text, ' ');
	}
	and_more(text, n - MIN(n, (size_t)ROW_NODES_MAX));
}

/* What is left out on purpose (disabled) would be a long list. */
static void lacking_nodes(struct text *text, const struct board_collector *c)
{
	size_t n = 0;

	for (size_t i = 1; i < board_n_items(c->probe); i++) {
		const struct probe_item *item = board_item(c->probe, i);

		if (item->outcome == OUTCOME_OK || item->left_out || n++ >= ROW_LACKING_MAX)
			continue;
		text_str(text, "<br>");
		html(text, item->node);
		text_printf(text, ": %s, ", outcome_name(item->outcome));
		why_not(text, item);
	}
	if (n > ROW_LACKING_MAX)
		text_str(text, "<br>");
	and_more(text, n - MIN(n, (size_t)ROW_LACKING_MAX));
}

static void sampled_row(struct text *text, const struct board_collector *c)
{
	const struct probe_item *own = board_item(c->probe, 0);
	bool ok = c->enabled && own->outcome == OUTCOME_OK;

	text_str(text, "<tr>");
	cell(text, c->collector->name);
	cell(text, !c->enabled ? "switched off"
		   : ok        ? node_state_name(c->state)
			       : outcome_name(own->outcome));
	text_str(text, "<td>");
	if (ok) {
		sampled_nodes(text, c);
		lacking_nodes(text, c);
	} else {
		why_not(text, own);
		if (c->enabled && board_tells_nodes(c->probe))
			lacking_nodes(text, c);
	}
	text_str(text, "</td></tr>\n");
}

/* In room of its own, so that a collector with much to say hides no other. */
static void short_row(struct text *text, const struct board_collector *c)
{
	size_t before = text->len;

	text->size = MIN(text->size + SHORT_ROW_BYTES,
			 PAGE_MAX_BYTES - (size_t)(REST_BYTES + AGES_BYTES));
	text_str(text, "<tr>");
	cell(text, c->collector->name);
	text_str(text, "<td></td><td>too much for this page, see /api/v1/collectors</td></tr>\n");
	if (text->truncated)
		text_rewind(text, before);
}

static void sampled(struct text *text, const struct board_view *view)
{
	text_str(text, "<h2>What is sampled</h2>\n<table><tr><th>collector</th><th>state</th>"
		       "<th>nodes, or why not</th></tr>\n");
	for (size_t i = 0; i < view->n_collectors; i++) {
		size_t before = text->len;

		if (!board_n_items(view->collectors[i].probe))
			continue;
		sampled_row(text, &view->collectors[i]);
		if (text->truncated) {
			text_rewind(text, before);
			short_row(text, &view->collectors[i]);
		}
	}
	text_str(text, "</table>\n");
}

struct slow {
	struct text *text;
	int64_t now_ms;
	size_t n, n_left_out;
};

static void span_cell(struct text *text, int64_t ms)
{
	char buf[64];
	struct text span = TEXT_IN(buf);

	text_span(&span, MAX(ms, 0));
	cell(text, buf);
}

static int slow_row(const struct latest_row *row, void *arg)
{
	struct slow *slow = arg;
	struct text *text = slow->text;
	size_t before = text->len;
	int64_t age_ms = slow->now_ms - row->t_ms;
	bool stale = api_is_stale(age_ms, row->step_ms);

	if (row->gone || (!stale && row->step_ms < SLOW_MS))
		return 0;
	if (!slow->n)
		text_str(text, "<h2>How old slow values are</h2>\n<table><tr><th>group</th>"
			       "<th>node</th><th>age</th><th>sampled each</th></tr>\n");
	text_str(text, "<tr>");
	cell(text, row->group->name);
	cell(text, row->node);
	span_cell(text, age_ms);
	span_cell(text, row->step_ms);
	text_str(text, stale ? "<td>stale</td></tr>\n" : "</tr>\n");
	if (text->truncated) {
		text_rewind(text, before);
		slow->n_left_out++;
	} else {
		slow->n++;
	}
	return 0;
}

/* Values that are sampled seldom, or late: what stands in them was so then. */
static void slow_values(struct text *text, struct api *api)
{
	struct slow slow = {.text = text, .now_ms = clock_boot_ms()};

	text->size -= SHORT_ROW_BYTES;
	(void)store_latest(api->store, slow_row, &slow);
	text->size += SHORT_ROW_BYTES;
	if (!slow.n)
		return;
	text_str(text, "</table>\n<p>");
	if (slow.n_left_out)
		text_printf(text, "and %zu more, see /api/v1/latest", slow.n_left_out);
	text_str(text, "</p>\n");
}

static void place(struct text *text, const char *what, const char *path)
{
	text_str(text, "<tr>");
	cell(text, what);
	text_str(text, "<td><code>");
	html(text, path);
	text_str(text, "</code></td></tr>\n");
}

static void places(struct text *text, struct api *api)
{
	const struct config *config = api->settings->config;

	text_str(text, "<h2>Where everything lies</h2>\n<table>\n");
	place(text, "database", config_text(config, OPTION_DATABASE));
	place(text, "socket", api->socket_path);
	place(text, "root", config_text(config, OPTION_ROOT));
	text_str(text, "</table>\n");
}

static void addresses(struct text *text)
{
	static const struct {
		const char *path, *what;
	} links[] = {
		{"/api/v1/status", "how the daemon is doing, what is sampled, and what is not"},
		{"/api/v1/collectors", "every collector and node with its state"},
		{"/api/v1/latest", "the newest values"},
		{"/api/v1/query?metric=load.load1&from=-10min",
		 "one metric over a window in steps"},
		{"/api/v1/snapshot", "the whole database as one file"},
		{"/api/v1/iopath", "the layers between file systems and devices"},
		{"/api/v1/iopath?of=/", "the same of one mount, file or device"},
		{"/api/v1/fields", "all metrics with units"},
		{"/api/v1/nodes", "the nodes that the database knows"},
		{"/api/v1/events", "what happened in the last day"},
		{"/api/v1/marks", "labelled spans of time"},
		{"/api/v1/boots", "the boots that the database holds"},
		{"/metrics", "the newest values for Prometheus"},
		{"/healthz", "whether it answers"},
	};

	text_str(text, "<h2>What to open</h2>\n<table>\n");
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		text_str(text, "<tr><td><a href=\"");
		html(text, links[i].path);
		text_str(text, "\"><code>");
		html(text, links[i].path);
		text_str(text, "</code></a></td>");
		cell(text, links[i].what);
		text_str(text, "</tr>\n");
	}
	text_str(text, "</table>\n</body></html>\n");
}

void serve_page(struct api *api, const struct request *request, struct answer *ret)
{
	/* The HTTP thread is the only one here. */
	static char buf[PAGE_MAX_BYTES];
	struct text text = text_in(buf, sizeof(buf) - REST_BYTES - AGES_BYTES -
						SHORT_ROWS_MAX * SHORT_ROW_BYTES);
	struct board_view view;

	(void)request;
	if (board_view(api->board, &view) < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	head(&text);
	sampled(&text, &view);
	board_view_done(&view);
	text.size = sizeof(buf) - REST_BYTES;
	slow_values(&text, api);
	/* The rest always fits: it got room of its own. */
	text.size = sizeof(buf);
	places(&text, api);
	addresses(&text);
	answer_text(ret, "text/html; charset=utf-8", text.p, text.len);
}
