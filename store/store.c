/* Making, closing and looking at a store. */
#include "store/store.h"
#include "store/raw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/internal.h"

static int make_group(struct tail_group *g, const struct collector *collector,
		      const struct group *group)
{
	if (group->n_fields > SINK_FIELDS_MAX)
		return -EINVAL;
	*g = (struct tail_group){.collector = collector, .group = group};
	for (size_t f = 0; f < group->n_fields; f++)
		g->column[f] = group->fields[f].kind == KIND_INFO ? SIZE_MAX : g->n_columns++;
	return 0;
}

static int make_groups(struct store *store)
{
	store->n_groups = catalog_n_groups(store->catalog);
	store->groups = calloc(store->n_groups + 1, sizeof(*store->groups));
	if (!store->groups)
		return -ENOMEM;
	for (size_t i = 0; i < store->n_groups; i++) {
		const struct collector *collector;
		const struct group *group = catalog_group_at(store->catalog, i, &collector);
		int r = make_group(&store->groups[i], collector, group);

		if (r < 0)
			return r;
	}
	return 0;
}

static int64_t shares_sum(const struct store_shares *s)
{
	return s->raw_percent + s->minute_percent + s->hour_percent;
}

static bool are_sensible(const struct store_shares *s)
{
	return s->raw_percent >= 0 && s->minute_percent >= 0 && s->hour_percent >= 0 &&
	       s->raw_percent <= 100 && s->minute_percent <= 100 && s->hour_percent <= 100 &&
	       shares_sum(s) <= 100;
}

static int make_store(const struct store_options *options, const struct catalog *catalog,
		      struct store *store)
{
	store->catalog = catalog;
	store->path = strdup(options->path);
	store->marks = calloc(MARKS_MAX, sizeof(*store->marks));
	if (!store->path || !store->marks)
		return -ENOMEM;
	snprintf(store->boot_id, sizeof(store->boot_id), "%s", options->boot_id);
	snprintf(store->kernel, sizeof(store->kernel), "%s", options->kernel);
	store->wall_offset_ms = options->wall_offset_ms;
	store->size_max_bytes = options->size_max_bytes;
	store->tail_max_bytes = options->tail_max_bytes;
	store->commit_ms = options->commit_ms;
	store->shares = options->shares;
	if (!shares_sum(&store->shares))
		store->shares = (struct store_shares)STORE_SHARES_DEFAULT;
	store->first_ms = store->last_ms = TIME_OPEN;
	store->next_mark_id = 1;
	store->log_next = -1;
	store->status.size_max_bytes = options->size_max_bytes;
	store->status.tail_max_bytes = options->tail_max_bytes;
	return make_groups(store);
}

static bool is_refusal(int r)
{
	return r == -EISDIR || r == -EMEDIUMTYPE || r == -EPROTO;
}

int store_look(const char *path)
{
	int r = db_look(path);

	return is_refusal(r) ? r : 0;
}

int store_open(const struct store_options *options, const struct catalog *catalog,
	       struct store **ret)
{
	CLEANUP(store_closep) struct store *store = NULL;
	int r;

	if (!options->path || !options->boot_id || !options->kernel ||
	    options->size_max_bytes < STORE_SIZE_MIN_BYTES || options->tail_max_bytes < 0 ||
	    options->commit_ms <= 0 || !are_sensible(&options->shares))
		return -EINVAL;
	store = calloc(1, sizeof(*store));
	if (!store)
		return -ENOMEM;
	pthread_mutex_init(&store->lock, NULL);
	r = make_store(options, catalog, store);
	if (r < 0)
		return r;
	r = db_attach(store);
	if (is_refusal(r) || r == -ENOMEM)
		return r;
	if (options->mirror_dir) {
		r = mirror_open(store, options->mirror_dir, options->digest,
				options->tail_max_bytes);
		store->status.mirrored = r == 0;
		store->status.mirror_error = r;
	}
	/* Behind that: what a run before had mirrored is in the ring as well, as it has written it.
	 */
	if (options->ring_fd > 0) {
		r = ring_open(store, options->ring_fd, options->digest);
		if (r == -ENOMEM)
			return r;
		store->status.in_ring = r == 0;
	}
	*ret = store;
	store = NULL;
	return 0;
}

static void group_done(struct tail_group *group)
{
	for (size_t i = 0; i < group->n_members; i++)
		member_free(group, group->members[i]);
	free(group->members);
	block_free(group->open);
	block_free(group->busy);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	mirror_close(store);
	ring_close(store);
	db_detach(store);
	for (size_t i = 0; store->groups && i < store->n_groups; i++)
		group_done(&store->groups[i]);
	free(store->groups);
	segments_free(&store->sealed);
	segments_free(&store->writing);
	changes_free(&store->changes);
	changes_free(&store->writing_changes);
	events_free(&store->events);
	free(store->log_open);
	events_free(&store->writing_events);
	coder_done(&store->coder);
	coder_done(&store->commit_coder);
	for (struct tail_node *n = store->nodes, *next; n; n = next) {
		next = n->next;
		free(n);
	}
	free(store->marks);
	free(store->outcomes);
	free(store->boot_end);
	writers_done(&store->writers);
	free(store->path);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

void store_closep(struct store **store)
{
	store_close(*store);
}

static int64_t file_bytes(const char *path, const char *suffix)
{
	char name[RAW_PATH_BYTES];
	struct stat st;

	return raw_companion(path, suffix, name) && !stat(name, &st) ? st.st_size : 0;
}

static size_t open_bytes(const struct store *store)
{
	size_t n = 0;

	for (size_t i = 0; i < store->n_groups; i++) {
		const struct block *block = store->groups[i].open;

		if (block)
			n += block->n * block->n_nodes * block->n_columns * sizeof(int64_t);
	}
	return n;
}

void store_peek_status(struct store *store, struct store_status *ret)
{
	pthread_mutex_lock(&store->lock);
	*ret = store->status;
	ret->tail_bytes =
		(int64_t)(store->sealed.size_bytes + store->writing.size_bytes + open_bytes(store));
	pthread_mutex_unlock(&store->lock);
	ret->file_bytes = ret->wal_bytes = 0;
}

void store_get_status(struct store *store, struct store_status *ret)
{
	int64_t bytes = file_bytes(store->path, ""), wal_bytes = file_bytes(store->path, "-wal");

	store_peek_status(store, ret);
	ret->file_bytes = bytes;
	ret->wal_bytes = wal_bytes;
}

static int visit_group(const struct tail_group *g, size_t index,
		       int (*visit)(const struct latest_row *row, void *arg), void *arg)
{
	int r = 0;

	for (size_t i = 0; i < g->n_members && !r; i++) {
		const struct member *m = g->members[i];
		const struct latest_row row = {
			.group = g->group,
			.group_index = index,
			.node = m->node->name,
			.identity = m->node->identity,
			.t_ms = m->t_ms,
			.step_ms = g->step_ms,
			.gone = !m->present,
			.values = m->values,
		};

		r = visit(&row, arg);
	}
	return r;
}

int store_latest(struct store *store, int (*visit)(const struct latest_row *row, void *arg),
		 void *arg)
{
	int r = 0;

	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < store->n_groups && !r; i++)
		r = visit_group(&store->groups[i], i, visit, arg);
	pthread_mutex_unlock(&store->lock);
	return r;
}
