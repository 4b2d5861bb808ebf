#include "query/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "model/derive.h"
#include "query/ambiguity.h"
#include "query/bucket.h"
#include "query/parts.h"
#include "query/plan.h"

#define SERIES_MAX         16384
#define METRIC_NAME_MAX    200
#define NODES_NAMED_MAX    6
#define SELDOM_MS          60000
/* Of a window with more of them, the first are looked at. */
#define BOOTS_COMPARED_MAX 64

/* How long before the window the sample may lie that the first increase counts from. */
#define LEAD_MIN_MS    120000
#define LEAD_N_PERIODS 10

struct query_series {
	struct series_key key;
	size_t found; /* its place among those that the reader gave */
	char boot_id[40];
	int64_t wall_offset_ms;
	int64_t from_ms, to_ms; /* part of the boot that it is about */
	bool as_shown;          /* see struct points_series */
	bool told;              /* its value of before the window was */
};

enum stage {
	STAGE_OPEN,  /* the next series is to be opened */
	STAGE_FILL,  /* ticks go into a bucket */
	STAGE_POINT, /* a bucket is full and goes out, with the empty ones before it */
};

struct query {
	struct reader *reader;
	struct query_plan plan;
	struct ambiguity ambiguity;
	const struct shown_span *span_of; /* while its series are gathered */
	char metric_name[METRIC_NAME_MAX];
	struct query_series *series;
	size_t n_series, next_series;
	bool is_before;       /* it is the one that tells what was before another's window */
	struct query *before; /* what the nodes had before the window; NULL: nobody asks */

	enum stage stage;
	const struct query_series *current;
	struct points_series shown;
	int64_t from_ms, to_ms; /* the window on the boot clock of the series */
	int64_t first_ms;       /* samples behind this count: from_ms, or later */
	struct parts parts;     /* of the window, by what answers them */
	size_t part;            /* that is read, parts.n behind the last one */
	struct cursor *cursor;
	struct rollup_cursor *rollups;
	struct rollup_span rolled;
	struct span span;
	size_t tick;    /* next one of the span */
	bool exhausted; /* no more ticks of this series */
	struct rollup_state state;

	struct bucket bucket;
	int64_t bucket_index, bucket_end_ms; /* of the one that fills, -1: none; boot clock */
	struct points_item ready;            /* a full bucket that waits to be shown */
	int64_t ready_index;
	int64_t next_point; /* the bucket that is to be shown next, -1 before the first */
};

const struct query_plan *query_plan(const struct query *query)
{
	return &query->plan;
}

void query_head(const struct query *query, struct points_head *ret)
{
	const struct query_plan *plan = &query->plan;

	*ret = (struct points_head){
		.metric = query->metric_name,
		.agg = agg_name(plan->agg),
		.kind = kind_name(plan->metric.kind),
		.help = plan->metric.help,
		.unit = plan->unit,
		.per_second = plan->per_second,
		.from_wall_ms = plan->from_wall_ms,
		.to_wall_ms = plan->to_wall_ms,
		.step_ms = plan->step_ms,
		.ambiguous = query->ambiguity.items,
		.n_ambiguous = query->ambiguity.n,
	};
}

static void close_part(struct query *query)
{
	if (query->cursor)
		cursor_close(query->cursor);
	rollup_close(query->rollups);
	query->cursor = NULL;
	query->rollups = NULL;
}

void query_close(struct query *query)
{
	if (!query)
		return;
	close_part(query);
	query_close(query->before);
	free(query->series);
	free(query);
}

void query_closep(struct query **query)
{
	query_close(*query);
}

static int add_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct query *query = arg;
	const struct shown_span *shown = query->span_of;
	struct query_series *series;

	if (shown && shown->boot != boot->id)
		return 0;
	if (query->n_series == SERIES_MAX)
		return -E2BIG;
	if (!(query->n_series & (query->n_series - 1))) {
		size_t n = query->n_series ? 2 * query->n_series : 1;

		series = reallocarray(query->series, n, sizeof(*series));
		if (!series)
			return -ENOMEM;
		query->series = series;
	}
	series = &query->series[query->n_series++];
	series->key = *key;
	series->found = query->n_series - 1;
	memcpy(series->boot_id, boot->boot_id, sizeof(series->boot_id));
	series->wall_offset_ms = shown ? shown->shown_offset_ms : boot->wall_offset_ms;
	series->from_ms = shown ? shown->from_ms : INT64_MIN;
	series->to_ms = shown ? shown->to_ms : INT64_MAX;
	series->as_shown = shown != NULL;
	series->told = false;
	return 0;
}

/* Looks for a node by its name or identity and collects the names of others. */
struct node_search {
	const char *name;
	struct text known;
	size_t n_known;
};

static int visit_node(const struct node_info *node, void *arg)
{
	struct node_search *search = arg;

	if (!strcmp(node->name, search->name) || !strcmp(node->identity, search->name))
		return 1;
	if (search->n_known++ < NODES_NAMED_MAX)
		text_printf(&search->known, "%s%s", search->n_known > 1 ? ", " : "", node->name);
	return 0;
}

/* A node without samples in the window is answered with no series; one that never was is an error
 * of the user. */
static int check_node(struct reader *reader, const struct metric *metric, const char *name,
		      struct problem *problem)
{
	char buf[160];
	struct node_search search = {.name = name, .known = TEXT_IN(buf)};
	const char *collector = metric->collector->name;
	int r = reader_nodes(reader, collector, visit_node, &search);

	if (r < 0)
		return r;
	if (r > 0)
		return 0;
	if (!search.n_known)
		return plan_refuse(problem, "node", "%s has no nodes, so no \"%.40s\"", collector,
				   name);
	return plan_refuse(problem, "node", "%s never had a node \"%.40s\"; it knows %s%s",
			   collector, name, buf,
			   search.n_known > NODES_NAMED_MAX ? " and others" : "");
}

/* zone2 before zone10 */
static int compare_series(const void *p, const void *q)
{
	const struct query_series *a = p, *b = q;
	int order;

	if (a->key.boot != b->key.boot)
		return a->key.boot < b->key.boot ? -1 : 1;
	if (a->as_shown != b->as_shown)
		return a->as_shown ? 1 : -1;
	order = strverscmp(a->key.node, b->key.node);
	return order ? order : (a->found > b->found) - (a->found < b->found);
}

/* What lies in the window by the clock as it was shown alone. */
static int gather_shown(struct query *query, const char *node)
{
	const struct query_plan *plan = &query->plan;
	struct ambiguity *found = &query->ambiguity;
	int r = ambiguity_of_steps(query->reader, plan->from_wall_ms, plan->to_wall_ms, found);

	for (size_t i = 0; i < found->n_spans && !r; i++) {
		query->span_of = &found->spans[i];
		r = reader_series(query->reader, plan->metric.group, node,
				  query->span_of->from_ms + query->span_of->wall_offset_ms,
				  query->span_of->to_ms + query->span_of->wall_offset_ms,
				  add_series, query);
	}
	query->span_of = NULL;
	return r;
}

/* The series are sorted by their boots. */
static int find_overlaps(struct query *query)
{
	const struct query_plan *plan = &query->plan;
	int64_t boots[BOOTS_COMPARED_MAX];
	size_t n = 0;

	for (size_t i = 0; i < query->n_series && n < BOOTS_COMPARED_MAX; i++)
		if (!n || boots[n - 1] != query->series[i].key.boot)
			boots[n++] = query->series[i].key.boot;
	return ambiguity_of_boots(query->reader, boots, n, plan->from_wall_ms, plan->to_wall_ms,
				  &query->ambiguity);
}

static int gather_series(struct query *query, const char *node, struct problem *problem)
{
	const struct query_plan *plan = &query->plan;
	int r = reader_series(query->reader, plan->metric.group, node, plan->from_wall_ms,
			      plan->to_wall_ms, add_series, query);

	if (r == -E2BIG)
		return plan_refuse(problem, "from",
				   "more than %d series: shorten the window or name a node",
				   SERIES_MAX);
	if (r < 0)
		return r;
	r = query->is_before ? 0 : gather_shown(query, node);
	if (r < 0)
		return r;
	if (!query->n_series && node && *node)
		return check_node(query->reader, &plan->metric, node, problem);
	if (query->n_series > 1)
		qsort(query->series, query->n_series, sizeof(*query->series), compare_series);
	return query->is_before ? 0 : find_overlaps(query);
}

/* The newest boot first. */
static int compare_newest(const void *p, const void *q)
{
	const struct query_series *a = p, *b = q;

	if (a->key.boot != b->key.boot)
		return a->key.boot > b->key.boot ? -1 : 1;
	return compare_series(p, q);
}

/* Whether a newer boot of the node has told its value: of what is before the window the newest
 * alone counts. */
static bool is_told(const struct query *query, size_t index)
{
	const struct series_key *key = &query->series[index].key;

	for (size_t i = 0; i < index; i++)
		if (query->series[i].told && !strcmp(query->series[i].key.node, key->node) &&
		    !strcmp(query->series[i].key.identity, key->identity))
			return true;
	return false;
}

/* One step of all the time before the window, that shows its last value. */
static int open_before(struct query *query, const char *node)
{
	const struct query_plan *plan = &query->plan;
	bool raw = plan->metric.kind == KIND_COUNTER || !metric_is_delta(&plan->metric);
	CLEANUP(query_closep) struct query *before = NULL;
	struct problem problem;
	int r;

	if (plan->metric.group->period_ms < SELDOM_MS || !raw || !plan->from_wall_ms)
		return 0;
	before = calloc(1, sizeof(*before));
	if (!before)
		return -ENOMEM;
	before->reader = query->reader;
	before->is_before = true;
	before->plan = *plan;
	before->plan.agg = AGG_LAST;
	before->plan.per_second = false;
	before->plan.to_wall_ms = plan->from_wall_ms;
	before->plan.from_wall_ms = MAX(plan->from_wall_ms - QUERY_BEFORE_MS, 0);
	before->plan.step_ms = before->plan.to_wall_ms - before->plan.from_wall_ms;
	r = gather_series(before, node, &problem);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	if (before->n_series > 1)
		qsort(before->series, before->n_series, sizeof(*before->series), compare_newest);
	query->before = before;
	before = NULL;
	return 0;
}

int query_open(struct reader *reader, const struct catalog *catalog,
	       const struct query_params *params, int64_t now_wall_ms, struct query **ret,
	       struct problem *ret_problem)
{
	CLEANUP(query_closep) struct query *query = calloc(1, sizeof(*query));

	if (!query)
		return -ENOMEM;
	query->reader = reader;

	int r = plan_make(reader, catalog, params, now_wall_ms, &query->plan, ret_problem);

	if (r < 0)
		return r;

	struct text name = TEXT_IN(query->metric_name);

	text_printf(&name, "%s.%s", query->plan.metric.group->name, query->plan.metric.name);
	r = gather_series(query, params->node, ret_problem);
	if (r == 0)
		r = open_before(query, params->node);
	if (r < 0)
		return r;
	*ret = query;
	query = NULL;
	return 0;
}

static int64_t lead_ms(const struct metric *metric)
{
	int64_t periods_ms = (int64_t)metric->group->period_ms * LEAD_N_PERIODS;

	return metric_is_delta(metric) ? MAX(LEAD_MIN_MS, periods_ms) : 0;
}

/* From where samples are read, so that the first increase has its beginning: also across a gap. */
static int lead_from(struct query *query, const struct part *part, int64_t *ret)
{
	const struct metric *metric = &query->plan.metric;
	int64_t last_ms;
	int r = metric_is_delta(metric)
			? reader_last_before(query->reader, metric->group, &query->current->key,
					     part->from_ms, &last_ms)
			: 0;

	*ret = part->from_ms - lead_ms(metric);
	if (r > 0)
		*ret = MIN(*ret, last_ms);
	return MIN(r, 0);
}

static int open_part(struct query *query)
{
	const struct metric *metric = &query->plan.metric;
	const size_t fields[SPAN_FIELDS_MAX] = {metric->a, metric->b};
	const struct part *part = &query->parts.v[query->part];
	int64_t from_ms;
	int r;

	query->tick = query->span.n = query->rolled.n = 0;
	query->state.has_baseline = false;
	if (part->kind != PART_RAW)
		return rollup_open(query->reader, metric, &query->current->key,
				   part->kind == PART_HOUR ? RESOLUTION_HOUR : RESOLUTION_MINUTE,
				   part->from_ms, part->to_ms, &query->rollups);
	r = lead_from(query, part, &from_ms);
	return r ? r
		 : cursor_open(query->reader, metric->group, &query->current->key, fields,
			       metric->a == metric->b ? 1 : 2, from_ms, part->to_ms,
			       &query->cursor);
}

/* What there is of the series, by resolution. What a node had before the window is the value of a
 * sample, whose time is told. */
static int make_parts(struct query *query)
{
	enum part_kind wanted = query->is_before
					? PART_RAW
					: parts_wanted(&query->plan, query->from_ms, query->to_ms);
	struct series_extent extent;
	int r = reader_extent(query->reader, &query->plan.metric, &query->current->key, &extent);

	if (!r)
		parts_make(wanted, &extent, query->first_ms, query->to_ms, &query->parts);
	query->part = 0;
	return r;
}

static void tell_sources(struct query *query)
{
	struct points_series *shown = &query->shown;

	for (size_t i = 0; i < query->parts.n && i < POINTS_SOURCES_MAX; i++)
		shown->sources[shown->n_sources++] = (struct points_source){
			.resolution = part_name(query->parts.v[i].kind),
			.until_wall_ms = query->parts.v[i].to_ms + shown->wall_offset_ms};
}

/* Starts the next series: 1 with its item, 0 when there is none. */
static int open_series(struct query *query, struct points_item *ret)
{
	const struct query_series *series;

	while (query->next_series < query->n_series && is_told(query, query->next_series))
		query->next_series++;
	if (query->next_series == query->n_series)
		return 0;
	series = query->current = &query->series[query->next_series];
	query->from_ms = query->plan.from_wall_ms - series->wall_offset_ms;
	query->to_ms = MIN(query->plan.to_wall_ms - series->wall_offset_ms, series->to_ms);
	query->first_ms = MAX(query->from_ms, series->from_ms);

	int r = make_parts(query);

	if (!r)
		r = open_part(query);
	if (r < 0)
		return r;
	query->next_series++;
	query->shown = (struct points_series){
		.node = series->key.node,
		.identity = series->key.identity,
		.boot = series->key.boot,
		.boot_id = series->boot_id,
		.wall_offset_ms = series->wall_offset_ms,
		.as_shown = series->as_shown,
	};
	tell_sources(query);
	query->exhausted = false;
	query->bucket_index = query->next_point = -1;
	query->bucket_end_ms = INT64_MIN;
	query->stage = STAGE_FILL;
	*ret = (struct points_item){.type = POINTS_SERIES, .series = &query->shown};
	return 1;
}

static int close_series(struct query *query, struct points_item *ret)
{
	close_part(query);
	query->stage = STAGE_OPEN;
	*ret = (struct points_item){.type = POINTS_SERIES_END, .series = &query->shown};
	return 1;
}

static struct derive_point point_at(const struct query *query, size_t tick, int64_t t_ms)
{
	const struct span *span = &query->span;
	bool two = query->plan.metric.a != query->plan.metric.b;
	struct derive_point point = {.t_ms = t_ms + span->late_ms[tick]};

	point.a = point.b = span->values[0][tick];
	point.has_a = point.has_b = !span->absent[0][tick];
	if (two) {
		point.b = span->values[1][tick];
		point.has_b = !span->absent[1][tick];
	}
	return point;
}

static uint8_t span_flag(const struct query *query)
{
	bool two = query->plan.metric.a != query->plan.metric.b;

	return two ? rollup_flag_of_two(query->span.flag[0], query->span.flag[1])
		   : query->span.flag[0];
}

static void take_step(struct query *query, const struct derive_point *point, bool inside,
		      uint8_t flag)
{
	struct derive_point before;
	enum rollup_step step = rollup_step(&query->state, point, flag, &before);

	if (inside && step == ROLLUP_FLAGGED)
		query->bucket.flag = flag;
	if (inside && step == ROLLUP_STEP)
		bucket_add_step(&query->bucket, &query->plan, &before, point, flag);
}

static void take_tick(struct query *query, int64_t t_ms)
{
	const struct query_plan *plan = &query->plan;
	struct derive_point point = point_at(query, query->tick, t_ms);
	bool inside = t_ms > query->parts.v[query->part].from_ms;
	bool raw = plan->metric.kind == KIND_COUNTER && plan->agg == AGG_LAST;
	uint8_t flag = span_flag(query);

	if (metric_is_delta(&plan->metric) && !raw)
		take_step(query, &point, inside, flag);
	else if (inside && point.has_a && point.has_b)
		bucket_add_value(&query->bucket, plan, &point, flag);
}

/* 1 with the next span of the part, 0 at its end. */
static int next_span(struct query *query)
{
	int r = query->rollups ? rollup_next(query->rollups, &query->rolled)
			       : cursor_next(query->cursor, &query->span);

	query->tick = 0;
	if (r <= 0) {
		query->span.n = query->rolled.n = 0;
		return r;
	}
	if (query->cursor && query->span.fresh)
		query->state.has_baseline = false;
	return 1;
}

/* The next part of the window: 1, 0 when there is none. */
static int next_part(struct query *query)
{
	int r;

	close_part(query);
	if (++query->part >= query->parts.n)
		return 0;
	r = open_part(query);
	return r < 0 ? r : 1;
}

/* Closes the bucket that fills, if one does. Whether it has a point to show, query->ready. */
static bool finish_bucket(struct query *query)
{
	if (query->bucket_index < 0)
		return false;
	query->ready_index = query->bucket_index;
	query->bucket_index = -1;
	query->bucket_end_ms = INT64_MIN;
	return bucket_result(&query->bucket, &query->plan, &query->ready);
}

static int64_t end_of_bucket(const struct query *query, int64_t index)
{
	return MIN(query->from_ms + (index + 1) * query->plan.step_ms, query->to_ms);
}

static void enter_bucket(struct query *query, int64_t t_ms)
{
	query->bucket = (struct bucket){0};
	query->bucket_index = (t_ms - query->from_ms - 1) / query->plan.step_ms;
	query->bucket_end_ms = end_of_bucket(query, query->bucket_index);
}

/* The time of the sample or rollup that comes next: 1, 0 at the end of the part. */
static int next_time(struct query *query, int64_t *ret_ms)
{
	while (query->tick == (query->rollups ? query->rolled.n : query->span.n)) {
		int r = next_span(query);

		if (r <= 0)
			return r;
	}
	if (query->rollups)
		*ret_ms = query->rolled.end_ms + (int64_t)query->tick * query->rolled.point_ms;
	else
		*ret_ms = query->span.t0_ms + (int64_t)query->tick * query->span.step_ms;
	return *ret_ms <= query->parts.v[query->part].to_ms;
}

static void take(struct query *query, int64_t t_ms)
{
	if (query->rollups)
		bucket_add_rollup(&query->bucket, &query->plan, &query->rolled.points[query->tick],
				  t_ms);
	else
		take_tick(query, t_ms);
	query->tick++;
}

/* Takes samples and rollups until a bucket is ready to be shown (1), the series ends (0), or a span
 * fails. */
static int fill_bucket(struct query *query)
{
	int64_t t_ms = 0;

	while (!query->exhausted) {
		int r = next_time(query, &t_ms);

		if (!r) {
			r = next_part(query);
			query->exhausted = r == 0;
			if (r >= 0)
				continue;
		}
		if (r < 0)
			return r;
		if (t_ms > query->parts.v[query->part].from_ms && t_ms > query->bucket_end_ms) {
			if (finish_bucket(query))
				return 1;
			enter_bucket(query, t_ms);
		}
		take(query, t_ms);
	}
	return finish_bucket(query);
}

/* The bucket that is ready, or an empty one before it. */
static int show_point(struct query *query, struct points_item *ret)
{
	bool empty = query->next_point >= 0 && query->next_point < query->ready_index;
	int64_t index = empty ? query->next_point : query->ready_index;

	*ret = empty ? (struct points_item){0} : query->ready;
	ret->type = POINTS_POINT;
	ret->series = &query->shown;
	ret->boot_ms = end_of_bucket(query, index);
	ret->wall_ms = ret->boot_ms + query->current->wall_offset_ms;
	query->next_point = index + 1;
	if (!empty)
		query->stage = STAGE_FILL;
	return 1;
}

/* The next value of before the window. */
static int next_before(struct query *query, struct points_item *ret)
{
	struct query *before = query->before;
	int r;

	while ((r = query_next(before, ret)) > 0) {
		if (ret->type == POINTS_DAMAGE)
			return 1;
		if (ret->type != POINTS_POINT || !ret->has_value)
			continue;
		before->series[before->next_series - 1].told = true;
		ret->type = POINTS_BEFORE;
		ret->boot_ms = before->bucket.last_ms;
		ret->wall_ms = ret->boot_ms + before->current->wall_offset_ms;
		return 1;
	}
	return r;
}

int query_next(void *self, struct points_item *ret)
{
	struct query *query = self;
	int r;

	switch (query->stage) {
	case STAGE_OPEN:
		r = open_series(query, ret);
		return r || !query->before ? r : next_before(query, ret);
	case STAGE_POINT:
		return show_point(query, ret);
	case STAGE_FILL:
		break;
	}
	r = fill_bucket(query);
	if (r > 0) {
		query->stage = STAGE_POINT;
		return show_point(query, ret);
	}
	if (r == 0)
		return close_series(query, ret);
	if (r != -EBADMSG)
		return r;
	*ret = (struct points_item){.type = POINTS_DAMAGE, .series = &query->shown};
	return 1;
}
