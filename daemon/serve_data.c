/* GET /api/v1/latest, /api/v1/query and /metrics: the samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/api.h"
#include "export/api.h"
#include "export/points.h"

struct latest {
	struct doc doc;
	const struct catalog *catalog;
	const char *collector, *node; /* "" for all; a node by name or identity */
	int64_t boot, now_ms, wall_offset_ms;
	bool nobody_asks; /* the devices that are asked by commands */
};

static struct api_value get_value(const void *arg, size_t field)
{
	const struct latest_row *row = arg;
	const struct latest_value *v = &row->values[field];

	return (struct api_value){v->value, v->text, v->fault, v->t_ms};
}

static int add_row(const struct latest_row *row, void *arg)
{
	struct latest *latest = arg;
	struct api_row r = {
		.group = row->group,
		.node = row->node,
		.identity = row->identity,
		.boot = latest->boot,
		.t_ms = row->t_ms,
		.wall_offset_ms = latest->wall_offset_ms,
		.now_ms = latest->now_ms,
		.step_ms = row->step_ms,
		.stale = latest->nobody_asks && row->group->cost == COST_Q,
	};

	catalog_group_at(latest->catalog, row->group_index, &r.collector);
	if (row->gone || !r.collector)
		return 0;
	if (*latest->collector && strcmp(latest->collector, r.collector->name) != 0)
		return 0;
	if (*latest->node && strcmp(latest->node, row->node) != 0 &&
	    strcmp(latest->node, row->identity) != 0)
		return 0;
	api_row(&latest->doc, &r, get_value, row);
	return 0;
}

static bool nobody_asks(struct api *api)
{
	CLEANUP(board_view_done) struct board_view view = {0};

	return board_view(api->board, &view) == 0 && view.stats.helper.state != LINK_UP;
}

void serve_latest(struct api *api, const struct request *request, struct answer *ret)
{
	struct store_status status;
	struct latest latest = {
		.catalog = api->catalog,
		.collector = request_param(request, "collector"),
		.node = request_param(request, "node"),
		.now_ms = clock_boot_ms(),
		.wall_offset_ms = store_wall_offset_ms(api->store),
		.nobody_asks = nobody_asks(api),
	};

	if (*latest.collector && !catalog_find_collector(api->catalog, latest.collector)) {
		answer_problem(ret, 400, "collector", "no such collector: %s", latest.collector);
		return;
	}
	store_get_status(api->store, &status);
	latest.boot = status.boot;
	doc_init(&latest.doc, API_DOC_MAX_BYTES);
	doc_array(&latest.doc, NULL);
	(void)store_latest(api->store, add_row, &latest);
	doc_end(&latest.doc);
	answer_doc(ret, &latest.doc);
}

/* What a streamed answer to a query holds until its end. */
struct query_source {
	struct query *query;
	struct api_reader *shared;
};

static void source_free(void *arg)
{
	struct query_source *source = arg;

	query_close(source->query);
	api_reader_release(source->shared);
	free(source);
}

static void source_freep(struct query_source **source)
{
	if (*source)
		source_free(*source);
}

void serve_query(struct api *api, const struct request *request, struct answer *ret)
{
	CLEANUP(source_freep) struct query_source *source = calloc(1, sizeof(*source));
	struct problem problem = {0};
	struct points_head head;
	struct query_params params = {
		.metric = request_param(request, "metric"),
		.node = request_param(request, "node"),
		.from = request_param(request, "from"),
		.to = request_param(request, "to"),
		.step = request_param(request, "step"),
		.agg = request_param(request, "agg"),
	};

	if (!source) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}

	struct reader *reader = api_reader_acquire(api, ret, &source->shared);

	if (!reader)
		return;

	int64_t now_wall_ms = clock_boot_ms() + store_wall_offset_ms(api->store);
	int r = query_open(reader, api->catalog, &params, now_wall_ms, &source->query, &problem);

	if (r == -EINVAL && *problem.detail) {
		answer_problem(ret, 400, problem.parameter, "%s", problem.detail);
		return;
	}
	if (r < 0) {
		api_reader_failed(api, ret, r);
		return;
	}
	query_head(source->query, &head);
	r = points_stream(POINTS_JSON, &head, query_next, source->query, &ret->stream);
	if (r < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	ret->status = 200;
	ret->type = "application/json";
	ret->release = source_free;
	ret->source = source;
	source = NULL;
}
