/* Which series of a group have samples in a window. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/db.h"
#include "store/reader_internal.h"
#include "store/rollup.h"
#include "store/sql.h"

#define SERIES_FOUND_MAX 16384
#define SEEKS_MAX        20000

struct found {
	struct series_key key;
	const struct boot *at;
};

struct search {
	struct reader *reader;
	const struct collector *collector;
	const struct group *group;
	const char *node; /* name or identity, "" for all */
	int64_t from_wall_ms, to_wall_ms;
	struct boot *boots;
	size_t n_boots;
	struct found *v;
	size_t n, alloc;
	sqlite3_stmt *name_of;       /* of a node id */
	int64_t first_num, last_num; /* of the measures of the group */
};

static void search_done(struct search *s)
{
	free(s->boots);
	free(s->v);
	sqlite3_finalize(s->name_of);
}

static int add_found(struct search *s, const struct boot *boot, const char *name,
		     const char *identity)
{
	struct found *f;

	if (*s->node && strcmp(s->node, name) != 0 && strcmp(s->node, identity) != 0)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].at == boot && !strcmp(s->v[i].key.node, name) &&
		    !strcmp(s->v[i].key.identity, identity))
			return 0;
	if (s->n == SERIES_FOUND_MAX)
		return -E2BIG;
	if (s->n == s->alloc) {
		f = reallocarray(s->v, s->alloc * 2 + 16, sizeof(*f));
		if (!f)
			return -ENOMEM;
		s->v = f;
		s->alloc = s->alloc * 2 + 16;
	}
	f = &s->v[s->n++];
	*f = (struct found){.at = boot, .key.boot = boot->id};
	snprintf(f->key.node, sizeof(f->key.node), "%s", name);
	snprintf(f->key.identity, sizeof(f->key.identity), "%s", identity);
	return 0;
}

static int add_found_id(struct search *s, const struct boot *boot, int64_t node)
{
	int r = 0;

	if (node < 1 || node > FORMAT_NODES_MAX)
		return 0;
	if (!s->name_of)
		r = sql_prepare(s->reader->conn, &s->name_of,
				"SELECT name, identity FROM node WHERE id=? AND collector=%Q",
				s->collector->name);
	if (r < 0)
		return r;
	bind_int(s->name_of, 1, node);
	r = sql_step(s->name_of);
	if (r > 0)
		r = add_found(s, boot, column_text(s->name_of, 0), column_text(s->name_of, 1));
	sqlite3_reset(s->name_of);
	return r;
}

static bool in_window(const struct search *s, const struct boot *boot, int64_t first_ms,
		      int64_t last_ms)
{
	return first_ms + boot->wall_offset_ms <= s->to_wall_ms &&
	       last_ms + boot->wall_offset_ms >= s->from_wall_ms;
}

/* The boot clock may be far from the window's ends; ids must stay within the boot. */
static int64_t chunk_id(const struct boot *boot, int64_t t_ms)
{
	int64_t second = MIN(MAX(t_ms / 1000, 0), FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR - 1);

	return boot->id * FORMAT_BOOT_FACTOR + second * FORMAT_SECOND_FACTOR;
}

static int search_chunks(struct search *s, const struct boot *boot)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int64_t from_ms = s->from_wall_ms - boot->wall_offset_ms;
	int64_t to_ms = s->to_wall_ms - boot->wall_offset_ms;
	int r = sql_prepare(s->reader->conn, &stmt,
			    "SELECT DISTINCT node FROM \"%w_chunk\" WHERE id>=?1 AND id<?2"
			    " AND t0<=?3 AND t0+(n-1)*step>=?4",
			    s->group->name);

	if (r < 0)
		return r;
	bind_int(stmt, 1, chunk_id(boot, from_ms - 2 * CHUNK_SPAN_MS));
	bind_int(stmt, 2, chunk_id(boot, to_ms + CHUNK_SPAN_MS) + FORMAT_SECOND_FACTOR);
	bind_int(stmt, 3, to_ms);
	bind_int(stmt, 4, from_ms);
	while (!r && (r = sql_step(stmt)) > 0)
		r = add_found_id(s, boot, sqlite3_column_int64(stmt, 0));
	return r;
}

/* The measures of a group have numbers side by side, but for those that came later. */
static int load_nums(struct search *s)
{
	int r = sql_int(s->reader->conn, &s->first_num, "SELECT min(num) FROM measure WHERE grp=%Q",
			s->group->name);

	if (!r)
		r = sql_int(s->reader->conn, &s->last_num,
			    "SELECT max(num) FROM measure WHERE grp=%Q AND num<=%d", s->group->name,
			    MEASURE_NUM_MAX);
	return r == -ENOENT ? 0 : r < 0 ? r : 1;
}

/* Looks for a row of one of the measures of a node in a table, slot by slot. */
static int has_rollup(struct search *s, sqlite3_stmt *next, int64_t node, int64_t slot,
		      int64_t last_slot)
{
	int64_t from = node * ROLLUP_NODE_FACTOR + s->first_num;
	int64_t to = node * ROLLUP_NODE_FACTOR + s->last_num;
	int r = 1;

	for (int i = 0; slot <= last_slot && i < SEEKS_MAX; i++) {
		bind_int(next, 1, slot * ROLLUP_SLOT_FACTOR + from);
		bind_int(next, 2, last_slot * ROLLUP_SLOT_FACTOR + to);
		r = sql_step(next);
		if (r <= 0)
			return r;

		int64_t found = sqlite3_column_int64(next, 0);
		int64_t in_slot = found % ROLLUP_SLOT_FACTOR;

		sqlite3_reset(next);
		if (in_slot >= from && in_slot <= to)
			return 1;
		slot = found / ROLLUP_SLOT_FACTOR + (in_slot > to);
	}
	return 0;
}

/* As far as the samples of the boot are gone. */
static int end_of_gone(struct search *s, const struct boot *boot, int64_t *ret)
{
	int64_t id;
	int r = sql_int(s->reader->conn, &id,
			"SELECT min(id) FROM \"%w_chunk\" WHERE id>=%lld AND id<%lld",
			s->group->name, (long long)(boot->id * FORMAT_BOOT_FACTOR),
			(long long)((boot->id + 1) * FORMAT_BOOT_FACTOR));

	*ret = MIN(s->to_wall_ms - boot->wall_offset_ms, FORMAT_TIME_MAX_MS);
	if (!r)
		*ret = MIN(*ret, id % FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR * 1000);
	return r == -ENOENT ? 0 : r;
}

static int search_table(struct search *s, const struct boot *boot, enum resolution resolution,
			int64_t to_ms, const int64_t *nodes, size_t n_nodes)
{
	CLEANUP(stmt_closep) sqlite3_stmt *next = NULL;
	const struct resolution_spec *spec = &resolution_specs[resolution];
	int64_t row_ms = spec->point_ms * (int64_t)spec->n;
	int64_t base = boot->id * FORMAT_BOOT_FACTOR / ROLLUP_SLOT_FACTOR;
	int64_t from_ms = MAX(s->from_wall_ms - boot->wall_offset_ms, 0);
	int64_t first = MIN(from_ms / row_ms, ROLLUP_SLOT_MAX);
	int64_t last = MIN(to_ms / row_ms, ROLLUP_SLOT_MAX);
	int r = from_ms >= to_ms ? 0
				 : sql_prepare(s->reader->conn, &next,
					       "SELECT id FROM %s WHERE id>=? AND id<=?"
					       " ORDER BY id LIMIT 1",
					       spec->table);

	for (size_t i = 0; next && i < n_nodes && r >= 0; i++) {
		r = has_rollup(s, next, nodes[i], base + first, base + last);
		if (r > 0)
			r = add_found_id(s, boot, nodes[i]);
	}
	return MIN(r, 0);
}

static int search_rollups_of(struct search *s, const struct boot *boot, const int64_t *nodes,
			     size_t n_nodes)
{
	int64_t to_ms;
	int r = end_of_gone(s, boot, &to_ms);

	if (!r)
		r = search_table(s, boot, RESOLUTION_MINUTE, to_ms, nodes, n_nodes);
	return r ? r : search_table(s, boot, RESOLUTION_HOUR, to_ms, nodes, n_nodes);
}

/* Nodes whose samples are gone. */
static int search_rollups(struct search *s)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	CLEANUP(freep) int64_t *nodes = calloc(FORMAT_NODES_MAX, sizeof(*nodes));
	size_t n = 0;
	int r = nodes ? load_nums(s) : -ENOMEM;

	if (r <= 0)
		return r;
	r = sql_prepare(s->reader->conn, &stmt,
			"SELECT id FROM node WHERE collector=%Q AND id BETWEEN 1 AND %d",
			s->collector->name, FORMAT_NODES_MAX);
	while (!r && (r = sql_step(stmt)) > 0) {
		nodes[n++] = sqlite3_column_int64(stmt, 0);
		r = 0;
	}
	for (size_t i = 0; i < s->n_boots && !r; i++)
		if (s->boots[i].id &&
		    in_window(s, &s->boots[i], s->boots[i].first_ms - CHUNK_SPAN_MS,
			      s->boots[i].last_ms + CHUNK_SPAN_MS))
			r = search_rollups_of(s, &s->boots[i], nodes, n);
	return r;
}

static int see_page(int64_t boot, const struct dir_node *node, const uint8_t *data, void *arg)
{
	struct search *s = arg;
	int64_t last_ms = node->t0_ms + (int64_t)(node->n - 1) * node->step_ms;

	(void)data;
	if (!slice_is(node->group, s->group->name))
		return 0;
	for (size_t i = 0; i < s->n_boots; i++)
		if (s->boots[i].id == boot && in_window(s, &s->boots[i], node->t0_ms, last_ms))
			return add_found_id(s, &s->boots[i], node->node);
	return 0;
}

static int search_file(struct search *s)
{
	int r = reader_has_group(s->reader, s->group);

	if (r <= 0)
		return r;
	r = 0;
	for (size_t i = 0; i < s->n_boots && !r; i++)
		if (s->boots[i].id &&
		    in_window(s, &s->boots[i], s->boots[i].first_ms - CHUNK_SPAN_MS,
			      s->boots[i].last_ms + CHUNK_SPAN_MS))
			r = search_chunks(s, &s->boots[i]);
	if (!r && s->reader->has_rollups)
		r = search_rollups(s);
	return r < 0 ? r : reader_tail(s->reader, see_page, s);
}

static int see_segments(struct search *s, const struct boot *boot, const struct segment_list *list)
{
	int r = 0;

	for (const struct segment *g = list->first; g && !r; g = g->next) {
		int64_t last_ms = g->t0_ms + (int64_t)(g->n - 1) * g->step_ms;

		if (catalog_group_at(s->reader->catalog, g->group, NULL) != s->group ||
		    !in_window(s, boot, g->t0_ms, last_ms))
			continue;
		for (size_t i = 0; i < g->n_nodes && !r; i++)
			r = add_found(s, boot, g->nodes[i]->name, g->nodes[i]->identity);
	}
	return r;
}

static int see_block(struct search *s, const struct boot *boot, const struct block *block)
{
	int r = 0;

	if (!block || !block->n ||
	    !in_window(s, boot, block->t0_ms,
		       block->t0_ms + (int64_t)(block->n - 1) * block->step_ms))
		return 0;
	for (size_t i = 0; i < block->n_nodes && !r; i++)
		r = add_found(s, boot, block->nodes[i].node->name, block->nodes[i].node->identity);
	return r;
}

static int search_memory(struct search *s)
{
	struct store *store = s->reader->store;
	const struct boot *now = NULL;
	int r = 0;

	for (size_t i = 0; i < s->n_boots; i++)
		if (s->boots[i].current)
			now = &s->boots[i];
	if (!now)
		return 0;
	pthread_mutex_lock(&store->lock);
	const struct tail_group *g = tail_group_of(store, s->group);

	if (g) {
		r = see_segments(s, now, &store->writing);
		if (!r)
			r = see_segments(s, now, &store->sealed);
		if (!r)
			r = see_block(s, now, g->busy);
		if (!r)
			r = see_block(s, now, g->open);
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;

	int c = strcmp(x->key.node, y->key.node);

	return c ? c : strcmp(x->key.identity, y->key.identity);
}

static int search_all(struct search *s)
{
	int r = reader_boots(s->reader, s->boots, BOOTS_MAX);

	if (r < 0)
		return r;
	s->n_boots = (size_t)r;
	/* Memory first: what a commit moves meanwhile is then found in the file. */
	r = s->reader->store ? search_memory(s) : 0;
	if (r < 0 || (r = reader_begin(s->reader)) <= 0)
		return r;
	r = search_file(s);
	if (s->name_of)
		sqlite3_reset(s->name_of);
	reader_end(s->reader);
	return r;
}

int reader_series(struct reader *reader, const struct group *group, const char *node,
		  int64_t from_wall_ms, int64_t to_wall_ms,
		  int (*visit)(const struct series_key *key, const struct boot *boot, void *arg),
		  void *arg)
{
	CLEANUP(search_done)
	struct search s = {
		.reader = reader,
		.collector = reader_collector(reader, group),
		.group = group,
		.node = node ? node : "",
		.from_wall_ms = MAX(from_wall_ms, -WINDOW_MS),
		.to_wall_ms = MIN(to_wall_ms, WINDOW_MS),
	};
	int r;

	if (!s.collector)
		return -EINVAL;
	s.boots = calloc(BOOTS_MAX, sizeof(*s.boots));
	if (!s.boots)
		return -ENOMEM;
	r = search_all(&s);
	if (r < 0)
		return reader_failed(reader, r);
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), compare_found);
	for (size_t i = 0; i < s.n && !r; i++)
		r = visit(&s.v[i].key, s.v[i].at, arg);
	return r;
}
