/* Lists from the database: boots, nodes, events, marks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "daemon/api.h"
#include "daemon/committer.h"
#include "export/api.h"
#include "export/writers.h"
#include "query/boots.h"
#include "query/writers.h"

#define BOOTS_MAX      1024
#define LIMIT_DEFAULT  1000
#define LIMIT_MAX      10000
#define CLOCK_ERROR_MS 100

struct boot_list {
	struct boot *v;
	size_t n;
};

static void boot_list_done(struct boot_list *list)
{
	free(list->v);
}

static int read_boots(struct reader *reader, struct boot_list *ret)
{
	ret->v = calloc(BOOTS_MAX, sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;

	int n = reader_boots(reader, ret->v, BOOTS_MAX);

	if (n < 0)
		return n;
	ret->n = (size_t)n;
	return 0;
}

static int add_boot(const struct boot_story *story, void *arg)
{
	struct api_boot b = {
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
		b.cause = story->end->cause;
		b.certainty = story->end->certainty;
		b.how = story->end->text;
		b.detail = story->with_evidence ? story->end->evidence : "null";
	}
	api_boot(arg, &b);
	return doc_error(arg);
}

/* Ends a list: the document, or what the reader said. */
static void finish(struct api *api, struct answer *ret, struct doc *doc, int r)
{
	if (r < 0) {
		doc_done(doc);
		api_reader_failed(api, ret, r);
		return;
	}
	doc_end(doc);
	answer_doc(ret, doc);
}

static void begin(struct doc *doc)
{
	doc_init(doc, API_DOC_MAX_BYTES);
	doc_array(doc, NULL);
}

static void reader_releasep(struct api_reader **shared)
{
	api_reader_release(*shared);
}

void serve_boots(struct api *api, const struct request *request, struct answer *ret)
{
	CLEANUP(reader_releasep) struct api_reader *shared = NULL;
	struct reader *reader = api_reader_acquire(api, ret, &shared);
	struct doc doc;

	(void)request;
	if (!reader)
		return;
	begin(&doc);

	int r = query_boots(reader, add_boot, &doc);

	finish(api, ret, &doc, doc_error(&doc) ? 0 : r);
}

static int add_node(const struct node_info *node, void *arg)
{
	struct api_node n = {
		.collector = node->collector,
		.node = node->name,
		.identity = node->identity,
		.run = node->run,
		.boot = node->boot,
		.first_ms = node->first_ms,
		.last_ms = node->last_ms,
		.gone = node->gone,
	};

	api_node(arg, &n);
	return doc_error(arg);
}

void serve_nodes(struct api *api, const struct request *request, struct answer *ret)
{
	CLEANUP(reader_releasep) struct api_reader *shared = NULL;
	const char *collector = request_param(request, "collector");
	struct doc doc;

	if (*collector && !catalog_find_collector(api->catalog, collector)) {
		answer_problem(ret, 400, "collector", "no such collector: %s", collector);
		return;
	}

	struct reader *reader = api_reader_acquire(api, ret, &shared);

	if (!reader)
		return;
	begin(&doc);

	int r = reader_nodes(reader, *collector ? collector : NULL, add_node, &doc);

	finish(api, ret, &doc, doc_error(&doc) ? 0 : r);
}

/* from, to and limit of a request. */
struct window {
	int64_t from_wall_ms, to_wall_ms;
	size_t limit;
};

static bool read_limit(const struct request *request, struct answer *ret, size_t *ret_limit)
{
	const char *text = request_param(request, "limit");
	int64_t limit = LIMIT_DEFAULT;

	if (*text &&
	    (parse_i64_slice(slice_of(text), &limit) < 0 || limit < 1 || limit > LIMIT_MAX)) {
		answer_problem(ret, 400, "limit", "allowed: 1 to %d", LIMIT_MAX);
		return false;
	}
	*ret_limit = (size_t)limit;
	return true;
}

/* By the offset that holds, which is not what the clock shows when it was set to nonsense. */
static int64_t now_wall_ms(const struct api *api)
{
	return clock_boot_ms() + store_wall_offset_ms(api->store);
}

static bool read_time(struct api *api, const char *name, const char *text,
		      const struct boot_list *boots, struct answer *ret, int64_t *ret_wall_ms)
{
	struct problem problem = {0};

	if (query_time(text, now_wall_ms(api), boots->v, boots->n, ret_wall_ms, &problem) == 0)
		return true;
	answer_problem(ret, 400, name, "%s", problem.detail);
	return false;
}

/* default_from "": from the beginning. */
static bool read_window(struct api *api, const struct request *request, const char *default_from,
			const struct boot_list *boots, struct answer *ret,
			struct window *ret_window)
{
	const char *from = request_param(request, "from"), *to = request_param(request, "to");
	struct window w = {INT64_MIN / 4, INT64_MAX / 4, 0};

	if (!read_limit(request, ret, &w.limit))
		return false;
	if (!*from)
		from = default_from;
	if (*from && !read_time(api, "from", from, boots, ret, &w.from_wall_ms))
		return false;
	if (*to && !read_time(api, "to", to, boots, ret, &w.to_wall_ms))
		return false;
	if (w.from_wall_ms > w.to_wall_ms) {
		answer_problem(ret, 400, "from", "the window ends before it begins");
		return false;
	}
	*ret_window = w;
	return true;
}

static int add_event(const struct event *event, const struct boot *boot, void *arg)
{
	api_event(arg, event, boot->id, boot->wall_offset_ms);
	return doc_error(arg);
}

static int add_mark(const struct mark *mark, const struct boot *boot, void *arg)
{
	api_mark(arg, mark, boot->id, boot->wall_offset_ms);
	return doc_error(arg);
}

static int read_events(struct reader *reader, const struct window *w, struct doc *doc)
{
	return reader_events(reader, w->from_wall_ms, w->to_wall_ms, w->limit, add_event, doc);
}

static int read_marks(struct reader *reader, const struct window *w, struct doc *doc)
{
	return reader_marks(reader, w->from_wall_ms, w->to_wall_ms, w->limit, add_mark, doc);
}

static void records(struct api *api, const struct request *request, struct answer *ret,
		    const char *default_from,
		    int (*read_them)(struct reader *, const struct window *, struct doc *))
{
	CLEANUP(reader_releasep) struct api_reader *shared = NULL;
	CLEANUP(boot_list_done) struct boot_list boots = {0};
	struct reader *reader = api_reader_acquire(api, ret, &shared);
	struct window window;
	struct doc doc;

	if (!reader)
		return;

	int r = read_boots(reader, &boots);

	if (r < 0) {
		api_reader_failed(api, ret, r);
		return;
	}
	if (!read_window(api, request, default_from, &boots, ret, &window))
		return;
	begin(&doc);
	r = read_them(reader, &window, &doc);
	finish(api, ret, &doc, doc_error(&doc) ? 0 : r);
}

void serve_events(struct api *api, const struct request *request, struct answer *ret)
{
	records(api, request, ret, "-1d", read_events);
}

void serve_marks(struct api *api, const struct request *request, struct answer *ret)
{
	records(api, request, ret, "", read_marks);
}

static int read_ambiguous(struct reader *reader, const struct window *w, struct doc *doc)
{
	struct points_ambiguity items[QUERY_AMBIGUOUS_MAX];
	int n = query_ambiguous(reader, w->from_wall_ms, w->to_wall_ms, items,
				MIN(w->limit, ARRAY_SIZE(items)));

	for (int i = 0; i < n; i++)
		api_ambiguous(doc, &items[i]);
	return MIN(n, 0);
}

void serve_ambiguous(struct api *api, const struct request *request, struct answer *ret)
{
	records(api, request, ret, "", read_ambiguous);
}

static int make_writers(struct reader *reader, enum writers_by by, const struct window *window,
			struct doc *doc)
{
	CLEANUP(writers_report_done) struct writers_report report = {0};
	int r = query_writers(reader, by, window->from_wall_ms, window->to_wall_ms, &report);

	if (r < 0)
		return r;
	doc_init(doc, API_DOC_MAX_BYTES);
	api_writers(doc, &report, window->limit);
	return 0;
}

void serve_writers(struct api *api, const struct request *request, struct answer *ret)
{
	CLEANUP(reader_releasep) struct api_reader *shared = NULL;
	CLEANUP(boot_list_done) struct boot_list boots = {0};
	enum writers_by by;
	struct window window;
	struct reader *reader;
	struct doc doc;
	int r;

	if (writers_by_named(request_param(request, "by"), &by) < 0) {
		answer_problem(ret, 400, "by", "allowed: process, unit, uid");
		return;
	}
	reader = api_reader_acquire(api, ret, &shared);
	if (!reader)
		return;
	r = read_boots(reader, &boots);
	if (r == 0 && !read_window(api, request, "-1d", &boots, ret, &window))
		return;
	if (r == 0)
		r = make_writers(reader, by, &window, &doc);
	if (r < 0)
		api_reader_failed(api, ret, r);
	else
		answer_doc(ret, &doc);
}

static bool wall_to_boot(struct api *api, struct reader *reader, const char *name, const char *text,
			 struct answer *ret, int64_t *ret_ms)
{
	CLEANUP(boot_list_done) struct boot_list boots = {0};
	int64_t wall_ms = 0;

	/* Without a list, times of the form BOOT+MS are refused, which is all that is lost. */
	if (reader)
		(void)read_boots(reader, &boots);
	if (!read_time(api, name, text, &boots, ret, &wall_ms))
		return false;

	int64_t now_ms = clock_boot_ms(), t_ms = wall_ms - store_wall_offset_ms(api->store);

	/* The two clocks are not read at the same moment. */
	if (t_ms >= 0 && t_ms <= now_ms + CLOCK_ERROR_MS) {
		*ret_ms = MIN(t_ms, now_ms);
		return true;
	}
	answer_problem(ret, 400, name, "a mark lies within this boot and not in the future");
	return false;
}

/* Who makes a mark counts on it from then on, within the budget. */
static void commit_now(struct api *api, struct doc *doc)
{
	doc_bool(doc, "committed_at_once", api->committer && committer_want(api->committer));
}

static void answer_mark(struct api *api, struct answer *ret, const struct mark *mark)
{
	struct store_status status;
	struct doc doc;

	store_get_status(api->store, &status);
	doc_init(&doc, API_DOC_MAX_BYTES);
	doc_object(&doc, NULL);
	api_mark_members(&doc, mark, status.boot, store_wall_offset_ms(api->store));
	commit_now(api, &doc);
	doc_end(&doc);
	answer_doc(ret, &doc);
}

static void end_mark(struct api *api, int64_t id, struct answer *ret)
{
	int64_t now_ms = clock_boot_ms();
	struct doc doc;

	if (store_mark_end(api->store, id, now_ms) < 0) {
		answer_problem(ret, 404, "end", "there is no open mark %lld in this boot",
			       (long long)id);
		return;
	}
	doc_init(&doc, API_DOC_MAX_BYTES);
	doc_object(&doc, NULL);
	doc_i64(&doc, "id", id);
	doc_time(&doc, "t_end", now_ms + store_wall_offset_ms(api->store));
	doc_i64(&doc, "boot_ms_end", now_ms);
	commit_now(api, &doc);
	doc_end(&doc);
	answer_doc(ret, &doc);
}

static int64_t add(struct api *api, const struct api_mark_request *body, const struct mark *mark)
{
	int64_t max_ms = config_number(api->settings->config, OPTION_UFS_MARK_MAX);
	int64_t ufs_ms = body->ufs_monitor_ms ? body->ufs_monitor_ms : max_ms;

	if (mark->t_end_ms != TIME_OPEN)
		return store_mark_span(api->store, body->label, mark->t_ms, mark->t_end_ms);
	if (body->ufs_monitor)
		return store_mark_start_ufs(api->store, body->label, mark->t_ms,
					    clock_boot_ms() + ufs_ms);
	return store_mark_start(api->store, body->label, mark->t_ms);
}

/* What cannot be done is not kept either: it would be carried out when the option allows it. */
static bool may_ask_for_ufs(struct api *api, const struct api_mark_request *body,
			    struct answer *ret)
{
	const struct config *config = api->settings->config;
	int64_t max_ms = config_number(config, OPTION_UFS_MARK_MAX);

	if (!body->ufs_monitor)
		return true;
	if (!strcmp(config_text(config, OPTION_UFS_MONITOR), "off")) {
		answer_problem(ret, 409, "ufs_monitor",
			       "the UFS monitor is switched off (monitor in [ufs]); there is no "
			       "mark");
		return false;
	}
	if (body->ufs_monitor_ms > max_ms) {
		answer_problem(ret, 400, "ufs_monitor_ms",
			       "it is more than mark_max in [ufs] allows, %lld s",
			       (long long)max_ms / 1000);
		return false;
	}
	return true;
}

static void start_mark(struct api *api, const struct api_mark_request *body, struct answer *ret)
{
	CLEANUP(reader_releasep) struct api_reader *shared = NULL;
	struct reader *reader = NULL;
	struct mark mark = {.t_ms = clock_boot_ms(), .t_end_ms = TIME_OPEN};

	if (!may_ask_for_ufs(api, body, ret))
		return;
	if (*body->from || *body->to) {
		reader = api_reader_acquire(api, ret, &shared);
		/* The mark itself needs no database. */
		answer_done(ret);
	}
	if (*body->from && !wall_to_boot(api, reader, "from", body->from, ret, &mark.t_ms))
		return;
	if (*body->to && !wall_to_boot(api, reader, "to", body->to, ret, &mark.t_end_ms))
		return;
	if (mark.t_end_ms != TIME_OPEN && mark.t_end_ms < mark.t_ms) {
		answer_problem(ret, 400, "to", "the mark ends before it begins");
		return;
	}
	mark.id = add(api, body, &mark);
	if (mark.id < 0) {
		answer_problem(ret, 507, "", "too many marks wait to be written");
		return;
	}
	memcpy(mark.label, body->label, sizeof(mark.label));
	answer_mark(api, ret, &mark);
}

void serve_post_mark(struct api *api, const struct request *request, struct answer *ret)
{
	struct api_mark_request body;
	const char *why, *parameter;

	if (api_parse_mark(request->body, request->body_len, &body, &why, &parameter) < 0)
		answer_problem(ret, 400, parameter, "%s", why);
	else if (body.end_id)
		end_mark(api, body.end_id, ret);
	else
		start_mark(api, &body, ret);
}
