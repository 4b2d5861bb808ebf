/* Which series of a group have samples in a window. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/db.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define SERIES_FOUND_MAX 16384

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
	sqlite3_stmt *name_of; /* of a node id */
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
