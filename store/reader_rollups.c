/* Rollups of one series, and how far each resolution of it goes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/rollup.h"
#include "store/sql.h"

#define NODES_MAX    64
#define SEEKS_MAX    20000
#define ROWS_AT_ONCE 12

/* A scale is that of its field. */
static int measure_of(const struct metric *metric, struct measure *ret)
{
	*ret = (struct measure){.metric = *metric};
	if (metric->derived && metric->derived->how == DERIVE_SCALE)
		return metric_at(metric->collector, metric->group, metric->a, &ret->metric);
	return 0;
}

static int load_num(struct reader *reader, struct measure *m)
{
	int r = sql_int(reader->conn, &m->num,
			"SELECT num FROM measure WHERE grp=%Q AND name=%Q AND state IS NULL",
			m->metric.group->name, m->metric.name);

	if (r == -ENOENT || (!r && (m->num < 1 || m->num > MEASURE_NUM_MAX)))
		return 0;
	return r < 0 ? r : 1;
}

static int load_nodes(struct reader *reader, const char *collector, const struct series_key *key,
		      int64_t *nodes, size_t *ret_n)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt,
			    "SELECT id FROM node WHERE collector=%Q AND name=%Q AND identity=%Q AND"
			    " id BETWEEN 1 AND %d ORDER BY run LIMIT %d",
			    collector, key->node, key->identity, FORMAT_NODES_MAX, NODES_MAX);

	*ret_n = 0;
	while (!r && (r = sql_step(stmt)) > 0) {
		nodes[(*ret_n)++] = sqlite3_column_int64(stmt, 0);
		r = 0;
	}
	return r;
}

/* The time of a bound of the table kept in a boot. */
static int bound_ms(struct reader *reader, const char *column, const char *what, int64_t boot,
		    int64_t *ret)
{
	int64_t id = 0;
	int r = sql_int(reader->conn, &id, "SELECT %s FROM kept WHERE what=%Q", column, what);

	if (r < 0 && r != -ENOENT)
		return r;
	if (id / FORMAT_BOOT_FACTOR != boot)
		*ret = id / FORMAT_BOOT_FACTOR > boot ? INT64_MAX : 0;
	else
		*ret = id % FORMAT_BOOT_FACTOR / ROLLUP_SLOT_FACTOR * HOUR_MS;
	return 0;
}

struct extent_search {
	struct reader *reader;
	const struct metric *metric;
	const struct series_key *key;
	int64_t nodes[NODES_MAX];
	size_t n_nodes;
	struct measure measure;
	int64_t unfolded_ms; /* the first tick that is in no chunk, INT64_MAX */
};

static int see_page(int64_t boot, const struct dir_node *node, const uint8_t *data, void *arg)
{
	struct extent_search *s = arg;

	(void)data;
	if (boot == s->key->boot && slice_is(node->group, s->metric->group->name))
		s->unfolded_ms = MIN(s->unfolded_ms, node->t0_ms);
	return 0;
}

static void see_segments(struct extent_search *s, size_t group, const struct segment_list *list)
{
	for (const struct segment *g = list->first; g; g = g->next)
		if (g->group == group)
			s->unfolded_ms = MIN(s->unfolded_ms, g->t0_ms);
}

static void see_memory(struct extent_search *s)
{
	struct store *store = s->reader->store;

	pthread_mutex_lock(&store->lock);
	const struct tail_group *g = tail_group_of(store, s->metric->group);

	if (g && s->key->boot == store->status.boot) {
		see_segments(s, (size_t)(g - store->groups), &store->writing);
		see_segments(s, (size_t)(g - store->groups), &store->sealed);
		if (g->busy && g->busy->n)
			s->unfolded_ms = MIN(s->unfolded_ms, g->busy->t0_ms);
		if (g->open && g->open->n)
			s->unfolded_ms = MIN(s->unfolded_ms, g->open->t0_ms);
	}
	pthread_mutex_unlock(&store->lock);
}

static int first_chunk(struct extent_search *s, int64_t *ret)
{
	int64_t first_ms = INT64_MAX;
	int r = reader_has_group(s->reader, s->metric->group);

	for (size_t i = 0; i < s->n_nodes && r > 0; i++) {
		int64_t t0_ms;
		int found = sql_int(s->reader->conn, &t0_ms,
				    "SELECT t0 FROM \"%w_chunk\" WHERE id BETWEEN %lld AND %lld AND"
				    " node=%lld ORDER BY id LIMIT 1",
				    s->metric->group->name,
				    (long long)(s->key->boot * FORMAT_BOOT_FACTOR),
				    (long long)((s->key->boot + 1) * FORMAT_BOOT_FACTOR - 1),
				    (long long)s->nodes[i]);

		if (found < 0 && found != -ENOENT)
			return found;
		if (!found)
			first_ms = MIN(first_ms, t0_ms);
	}
	*ret = MIN(first_ms, s->unfolded_ms);
	return MIN(r, 0);
}

/* Whether a node has a row of the measure in the boot, of the table; looks at each hour once. */
static int has_rows(struct extent_search *s, sqlite3_stmt *next, int64_t node)
{
	int64_t slot = s->key->boot * FORMAT_BOOT_FACTOR / ROLLUP_SLOT_FACTOR;
	int64_t in_slot = node * ROLLUP_NODE_FACTOR + s->measure.num;
	int r = 1;

	for (int i = 0; i < SEEKS_MAX && r > 0; i++) {
		bind_int(next, 1, slot * ROLLUP_SLOT_FACTOR + in_slot);
		bind_int(next, 2, (s->key->boot + 1) * FORMAT_BOOT_FACTOR);
		r = sql_step(next);
		if (r <= 0)
			break;

		int64_t found = sqlite3_column_int64(next, 0);

		sqlite3_reset(next);
		if (found == slot * ROLLUP_SLOT_FACTOR + in_slot)
			return 1;
		slot = MAX(found / ROLLUP_SLOT_FACTOR,
			   slot + (found % ROLLUP_SLOT_FACTOR > in_slot));
	}
	return MIN(r, 0);
}

/* The first minute that the boot has; INT64_MAX when it, or the series, has none. */
static int first_minute(struct extent_search *s, int64_t *ret)
{
	CLEANUP(stmt_closep) sqlite3_stmt *next = NULL;
	int64_t id = s->key->boot * FORMAT_BOOT_FACTOR;
	int r = sql_prepare(s->reader->conn, &next,
			    "SELECT id FROM minute WHERE id>=? AND id<? ORDER BY id LIMIT 1");

	*ret = INT64_MAX;
	for (size_t i = 0; i < s->n_nodes && !r; i++)
		r = has_rows(s, next, s->nodes[i]);
	if (r <= 0)
		return r;
	r = sql_int(s->reader->conn, &id, "SELECT min(id) FROM minute WHERE id>=%lld",
		    (long long)id);
	if (!r)
		*ret = id % FORMAT_BOOT_FACTOR / ROLLUP_SLOT_FACTOR * HOUR_MS;
	return r;
}

/* The last end of a whole point before a tick that is in no chunk yet. */
static int64_t whole_before(int64_t unfolded_ms, int64_t point_ms)
{
	return unfolded_ms == INT64_MAX ? INT64_MAX : MAX(unfolded_ms - 1, 0) / point_ms * point_ms;
}

static int search_extent(struct extent_search *s, struct series_extent *ret)
{
	struct reader *reader = s->reader;
	int r = reader_tail(reader, see_page, s);

	if (!r)
		r = load_nodes(reader, s->metric->collector->name, s->key, s->nodes, &s->n_nodes);
	if (!r)
		r = first_chunk(s, &ret->raw_from_ms);
	if (r < 0 || !reader->has_rollups || !s->n_nodes)
		return r;
	r = measure_of(s->metric, &s->measure);
	if (!r)
		r = load_num(reader, &s->measure);
	if (r <= 0)
		return r;
	r = bound_ms(reader, "since", "minute", s->key->boot, &ret->rolled_from_ms);
	if (!r)
		r = first_minute(s, &ret->minute_from_ms);
	if (!r)
		r = bound_ms(reader, "done", "hour", s->key->boot, &ret->hour_to_ms);
	ret->minute_to_ms = whole_before(s->unfolded_ms, MINUTE_MS);
	/* What has no minutes was read seldom, and went into hours at once. */
	if (ret->minute_from_ms == INT64_MAX)
		ret->hour_to_ms = whole_before(s->unfolded_ms, HOUR_MS);
	return r;
}

int reader_extent(struct reader *reader, const struct metric *metric, const struct series_key *key,
		  struct series_extent *ret)
{
	struct extent_search s = {
		.reader = reader, .metric = metric, .key = key, .unfolded_ms = INT64_MAX};

	*ret = (struct series_extent){
		.raw_from_ms = INT64_MAX, .rolled_from_ms = INT64_MAX, .minute_from_ms = INT64_MAX};
	/* Memory first: what a commit moves meanwhile is then found in the file. */
	if (reader->store)
		see_memory(&s);
	ret->raw_from_ms = s.unfolded_ms;

	int r = key->boot ? reader_begin(reader) : 0;

	if (r <= 0)
		return r;
	r = search_extent(&s, ret);
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : 0;
}

struct rollup_cursor {
	struct reader *reader;
	struct measure measure;
	enum resolution resolution;
	int64_t boot, from_ms, to_ms;
	int64_t nodes[NODES_MAX];
	size_t n_nodes;
	int64_t slot; /* the next one */
	uint64_t attach_count;
	sqlite3_stmt *get;
	struct rollup_row rows[ROWS_AT_ONCE], one; /* those that were read, and a run's */
	int64_t slots[ROWS_AT_ONCE];
	size_t n_rows, next_row;
	int error; /* behind these rows */
};

static void rollup_closep(struct rollup_cursor **cursor)
{
	rollup_close(*cursor);
}

static int open_within(struct rollup_cursor *c, const struct series_key *key)
{
	struct reader *reader = c->reader;
	int r = reader->has_rollups ? load_num(reader, &c->measure) : 0;

	if (r <= 0)
		return r;
	r = load_nodes(reader, c->measure.metric.collector->name, key, c->nodes, &c->n_nodes);
	c->attach_count = reader->attach_count;
	return r ? r
		 : sql_prepare(reader->conn, &c->get,
			       "SELECT " ROLLUP_COLUMNS " FROM %s WHERE id=?",
			       resolution_specs[c->resolution].table);
}

static int64_t row_ms(const struct rollup_cursor *c)
{
	const struct resolution_spec *spec = &resolution_specs[c->resolution];

	return spec->point_ms * (int64_t)spec->n;
}

int rollup_open(struct reader *reader, const struct metric *metric, const struct series_key *key,
		enum resolution resolution, int64_t from_ms, int64_t to_ms,
		struct rollup_cursor **ret)
{
	CLEANUP(rollup_closep) struct rollup_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->reader = reader;
	c->resolution = resolution;
	c->boot = key->boot;
	c->from_ms = MAX(from_ms, 0);
	c->to_ms = MIN(to_ms, WINDOW_MS);
	c->slot = c->from_ms / row_ms(c);

	int r = measure_of(metric, &c->measure);

	if (!r)
		r = reader_begin(reader);
	if (r > 0) {
		r = open_within(c, key);
		reader_end(reader);
	}
	if (r < 0)
		return reader_failed(reader, r);
	*ret = c;
	c = NULL;
	return 0;
}

void rollup_close(struct rollup_cursor *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->get);
	free(c);
}

/* Runs of the node one after the other. */
static int load_slot(struct rollup_cursor *c, struct rollup_row *ret)
{
	const struct resolution_spec *spec = &resolution_specs[c->resolution];
	int64_t id, end_ms = c->slot * row_ms(c) + 1;
	int found = 0;

	for (size_t i = 0; i < c->n_nodes; i++) {
		if (rollup_id(c->resolution, c->boot, end_ms, c->nodes[i], c->measure.num, &id) < 0)
			return 0;
		bind_int(c->get, 1, id);

		int r = sql_step(c->get);

		if (r > 0)
			r = rollup_load(&c->measure, c->get, 0, spec->n, found ? &c->one : ret) < 0
				    ? -EBADMSG
				    : 1;
		sqlite3_reset(c->get);
		if (r < 0)
			return r;
		for (size_t p = 0; r && found && p < spec->n; p++)
			rollup_merge(&ret->points[p], &c->one.points[p]);
		found |= r;
	}
	return found;
}

static void give(struct rollup_cursor *c, size_t row, struct rollup_span *ret)
{
	const struct resolution_spec *spec = &resolution_specs[c->resolution];
	int64_t start_ms = c->slots[row] * row_ms(c), n = (int64_t)spec->n;
	int64_t first = MAX((c->from_ms - start_ms) / spec->point_ms, 0);
	int64_t end = MIN((c->to_ms - start_ms) / spec->point_ms, n);

	/* The end of point i is start + (i + 1) * point, above from, and not above to. */
	*ret = (struct rollup_span){
		.end_ms = start_ms + (first + 1) * spec->point_ms,
		.point_ms = spec->point_ms,
		.n = (size_t)MAX(end - first, 0),
		.points = c->rows[row].points + first,
	};
}

/* Some rows in one transaction. A damaged one ends it, and is told when the others were given. */
static int load_rows(struct rollup_cursor *c)
{
	c->n_rows = c->next_row = 0;
	for (; c->n_rows < ROWS_AT_ONCE && c->slot * row_ms(c) < c->to_ms &&
	       c->slot <= ROLLUP_SLOT_MAX;
	     c->slot++) {
		int r = load_slot(c, &c->rows[c->n_rows]);

		if (r < 0) {
			c->slot++;
			return r;
		}
		c->slots[c->n_rows] = c->slot;
		c->n_rows += r > 0;
	}
	return 0;
}

static int refill(struct rollup_cursor *c)
{
	int r;

	if (!c->get || c->slot * row_ms(c) >= c->to_ms)
		return 0;
	r = reader_begin(c->reader);
	if (r <= 0)
		return r;
	/* When the file was replaced, what it had is gone. */
	if (c->attach_count == c->reader->attach_count)
		r = load_rows(c);
	else
		c->slot = ROLLUP_SLOT_MAX + 1;
	reader_end(c->reader);
	return MIN(r, 0);
}

int rollup_next(struct rollup_cursor *c, struct rollup_span *ret)
{
	if (c->next_row == c->n_rows && !c->error)
		c->error = refill(c);
	if (c->next_row < c->n_rows) {
		give(c, c->next_row++, ret);
		return 1;
	}

	int r = c->error;

	c->error = 0;
	return r < 0 ? reader_failed(c->reader, r) : 0;
}

int reader_last_before(struct reader *reader, const struct group *group,
		       const struct series_key *key, int64_t t_ms, int64_t *ret_t_ms)
{
	const struct collector *collector = reader_collector(reader, group);
	int64_t nodes[NODES_MAX], second = MIN(MAX(t_ms, 0) / 1000, FORMAT_TIME_MAX_MS / 1000000);
	size_t n_nodes = 0;
	bool found = false;
	int r = collector && key->boot ? reader_begin(reader) : 0;

	if (r <= 0)
		return r;
	r = reader_has_group(reader, group);
	if (r > 0)
		r = load_nodes(reader, collector->name, key, nodes, &n_nodes);
	for (size_t i = 0; i < n_nodes && !r; i++) {
		int64_t last_ms;

		r = sql_int(reader->conn, &last_ms,
			    "SELECT min(t0+(n-1)*step,%lld) FROM \"%w_chunk\" WHERE id>=%lld AND"
			    " id<%lld AND node=%lld AND t0<%lld ORDER BY id DESC LIMIT 1",
			    (long long)t_ms, group->name,
			    (long long)(key->boot * FORMAT_BOOT_FACTOR),
			    (long long)(key->boot * FORMAT_BOOT_FACTOR +
					(second + 1) * FORMAT_SECOND_FACTOR),
			    (long long)nodes[i], (long long)t_ms);
		if (!r && (!found || last_ms > *ret_t_ms))
			*ret_t_ms = last_ms;
		found |= !r;
		r = r == -ENOENT ? 0 : r;
	}
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : found;
}
