/* One commit: takes what waits, writes it in one transaction, and gives it back when that failed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "store/batch.h"
#include "store/journal_holder.h"
#include "store/keep.h"
#include "store/mishap.h"
#include "store/raw.h"
#include "store/sql.h"

/* Coded samples of one transaction: with what a fold adds it fits into the journal's share. */
#define BATCH_BYTES 262144
#define FRAME_BYTES INT64_C(4120) /* of the journal, for a page */

static void batch_done(struct batch *batch)
{
	free(batch->nodes);
	free(batch->runs);
	free(batch->marks);
	free(batch->outcomes);
	free(batch->boot_end);
}

static int batch_alloc(const struct store *store, struct batch *batch)
{
	batch->nodes = calloc(store->n_nodes + 1, sizeof(struct tail_node *));
	batch->runs = calloc(store->n_nodes + 1, sizeof(*batch->runs));
	batch->marks = calloc(store->n_marks + 1, sizeof(*batch->marks));
	batch->outcomes = calloc(store->n_outcomes + 1, sizeof(*batch->outcomes));
	return batch->nodes && batch->runs && batch->marks && batch->outcomes ? 0 : -ENOMEM;
}

static void take_records(struct store *store, struct batch *batch, int64_t t_ms)
{
	for (struct tail_node *n = store->nodes; n; n = n->next)
		batch->n_nodes += n->dirty;

	size_t i = batch->n_nodes;

	for (struct tail_node *n = store->nodes; n; n = n->next) {
		if (!n->dirty)
			continue;
		n->dirty = false;
		n->n_refs++;
		batch->nodes[--i] = n;
		batch->runs[i] = n->id ? 0 : n->run;
	}
	for (size_t m = 0; m < store->n_marks; m++)
		if (store->marks[m].dirty)
			batch->marks[batch->n_marks++] = store->marks[m].mark;
	for (size_t o = 0; o < store->n_outcomes; o++)
		if (store->outcomes[o].dirty)
			batch->outcomes[batch->n_outcomes++] = store->outcomes[o];
	changes_join(&store->writing_changes, &store->changes);
	events_join(&store->writing_events, &store->events);
	batch->wall_dirty = store->wall_dirty;
	batch->wall_offset_ms = store->wall_offset_ms;
	batch->n_clock_steps = store->n_clock_steps;
	memcpy(batch->clock_steps, store->clock_steps, sizeof(batch->clock_steps));
	batch->spent = store->spent;
	batch->spent_bytes = spent_is_due(store, t_ms) ? store->unsaved_bytes : 0;
	batch->log_next = store->log_next;
	batch->log_dirty = store->log_dirty;
	batch->boot_end = store->boot_end;
	store->boot_end = NULL;
	store->wall_dirty = store->log_dirty = store->urgent = false;
}

static void swap_block(struct tail_group *group)
{
	struct block *spare = group->busy;

	if (!group->open || !group->open->n)
		return;
	group->busy = group->open;
	if (spare && (spare->cap != group->busy->cap)) {
		block_free(spare);
		spare = NULL;
	}
	group->open = spare;
}

/* The oldest segments, as many as one transaction may write. Whether more are left. */
static bool take_segments(struct store *store)
{
	while (store->sealed.first && store->writing.size_bytes < BATCH_BYTES)
		segments_append(&store->writing, segments_take_first(&store->sealed));
	return store->sealed.first;
}

/* All that waits; after a time without a disk, the oldest part of it. */
static int take(struct store *store, struct batch *batch, int64_t t_ms, bool final)
{
	pthread_mutex_lock(&store->lock);

	int r = batch_alloc(store, batch);

	if (!r) {
		take_records(store, batch, t_ms);
		vanished_take(store);
		writers_take(store, &batch->writers, final || store->wants_hour);
		batch->more = take_segments(store);
		for (size_t i = 0; i < store->n_groups && !batch->more; i++)
			swap_block(&store->groups[i]);
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}

/* Codes the blocks that were taken, each without the lock; readers see the block until its segment
 * stands in its place. */
static void code_blocks(struct store *store)
{
	for (size_t i = 0; i < store->n_groups; i++) {
		struct block *block = store->groups[i].busy;
		struct segment *segment = NULL;

		if (!block || !block->n)
			continue;

		int r = block_code(block, &store->commit_coder, &segment);

		pthread_mutex_lock(&store->lock);
		if (r < 0)
			store->status.n_dropped_ticks += block->n;
		if (segment) {
			segment->group = i;
			for (size_t n = 0; n < segment->n_nodes; n++)
				segment->nodes[n]->n_refs++;
			segments_append(&store->writing, segment);
		}
		block_reset(block);
		pthread_mutex_unlock(&store->lock);
	}
}

static struct file_group *file_group_of(struct db *db, size_t index)
{
	for (size_t i = 0; i < db->n_groups; i++)
		if (db->groups[i].index == index)
			return &db->groups[i];
	return NULL;
}

/* The hour is full when the segment would reach past it. */
static bool must_fold(const struct db *db, const struct segment *segment)
{
	int64_t end_ms = segment->t0_ms + (int64_t)segment->n * segment->step_ms;

	return db->live_t0_ms != TIME_OPEN &&
	       segment->n * (size_t)segment->step_ms < CHUNK_SPAN_MS &&
	       end_ms > db->live_t0_ms + CHUNK_SPAN_MS;
}

static int write_segments(struct store *store, struct db *db)
{
	CLEANUP(page_builder_freep) struct page_builder *builder = NULL;
	int r = store->writing.first ? page_builder_new(db, &builder) : 0;

	for (const struct segment *s = store->writing.first; s && !r; s = s->next) {
		struct file_group *group = file_group_of(db, s->group);

		if (!group)
			continue;
		if (must_fold(db, s)) {
			r = page_flush(builder);
			if (!r)
				r = fold(db);
		}
		if (!r)
			r = page_add(builder, group, &store->groups[s->group], s);
	}
	return r || !builder ? r : page_flush(builder);
}

static int transaction(struct store *store, struct db *db, const struct batch *batch)
{
	int r = sql_exec(db->conn, "BEGIN IMMEDIATE");

	if (r < 0)
		return r;
	db->chunks_deleted = false;
	if (db->fold_first)
		r = fold(db);
	if (!r)
		r = batch_write(store, db, batch);
	if (!r)
		r = vanished_write(store, db);
	if (!r)
		r = write_segments(store, db);
	return r < 0 ? r : sql_exec(db->conn, "COMMIT");
}

static bool nothing_waits(const struct store *store, const struct batch *batch)
{
	return !store->writing.first && !store->writing_changes.first &&
	       !store->writing_events.first && !batch->n_nodes && !batch->n_marks &&
	       !batch->n_outcomes && !batch->wall_dirty && !batch->n_clock_steps &&
	       !batch->log_dirty && !batch->boot_end && !batch->writers.n;
}

static int64_t wal_bytes(const struct store *store)
{
	char name[RAW_PATH_BYTES];
	struct stat st;

	if (!raw_companion(store->path, "-wal", name) || stat(name, &st) < 0)
		return 0;
	return st.st_size;
}

static void note_holder(struct store *store)
{
	char buf[sizeof(store->status.error) - 64];
	struct text text = TEXT_IN(buf);

	pthread_mutex_lock(&store->lock);
	if (!store->held_since_ms)
		store->held_since_ms = store->committing_ms + store->wall_offset_ms;
	pthread_mutex_unlock(&store->lock);
	journal_holder(&text, store->path);
	text_str(&text, " keeps the journal from being emptied, since ");
	clock_rfc3339(&text, store->held_since_ms / 1000 * 1000);
	db_note(store, -EBUSY, buf);
}

/* A reader that stays keeps the journal from being used again, and so does a disk without room for
 * what it has; then commits wait in the tail. */
static int check_wal(struct store *store, struct db *db)
{
	int64_t max_bytes = retention_wal_full_bytes(db->size_max_bytes);

	if (wal_bytes(store) <= max_bytes) {
		store->held_since_ms = 0;
		return 0;
	}
	journal_pin_release(&db->pin);
	sqlite3_busy_timeout(db->conn, 0);
	int code =
		sqlite3_wal_checkpoint_v2(db->conn, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	sqlite3_busy_timeout(db->conn, DB_BUSY_TIMEOUT_MS);
	if (code != SQLITE_OK && code != SQLITE_BUSY) {
		int r = sql_errno(code);

		db_note(store, r, sqlite3_errmsg(db->conn));
		return r;
	}
	if (code != SQLITE_OK || wal_bytes(store) > max_bytes) {
		note_holder(store);
		return -EBUSY;
	}
	store->held_since_ms = 0;
	return 0;
}

/* Whether it was the cap of the file that a transaction did not fit under, and not the disk. */
static bool at_cap(struct db *db)
{
	int64_t n;

	return !sql_int(db->conn, &n, "PRAGMA page_count") &&
	       n + TAIL_SLOTS * 2 >= retention_max_pages(db->size_max_bytes);
}

static int write_batch(struct store *store, const struct batch *batch)
{
	struct db *db = store->db;
	struct db before = *db;
	int r = check_wal(store, db);

	if (r < 0)
		return r;
	r = transaction(store, db, batch);
	if (!r) {
		db->room_pages = 0;
		vanished_done(store);
		return 0;
	}
	db_note(store, r, sqlite3_errmsg(db->conn));
	sqlite3_exec(db->conn, "ROLLBACK", NULL, NULL, NULL);
	/* Statements that were prepared meanwhile stay; those of the groups are not copied. */
	before.write_page = db->write_page;
	*db = before;
	if (r == -ENOSPC && at_cap(db))
		db->room_pages =
			MIN(db->room_pages * 2 + 64, retention_max_pages(db->size_max_bytes) / 8);
	return r;
}

/* Pages that several commits write anew go into the file once, so it pays to wait; but a copy of
 * the file alone is not to lack more than this and the time to the next commit. */
static bool checkpoint_is_due(const struct store *store, int64_t t_ms)
{
	return !store->checkpointed || t_ms - store->checkpointed_ms > CHECKPOINT_MS ||
	       wal_bytes(store) > retention_wal_full_bytes(store->db->size_max_bytes) / 2;
}

/* So that the next commit goes on behind this one. That it cannot be held costs bytes, and nothing
 * else. Room for more is made when there is a second one: who is stopped before writes less. */
static void hold_journal(struct store *store, bool final)
{
	struct db *db = store->db;

	if (!final && db->n_held < 2 && ++db->n_held == 2)
		journal_reserve(store->path, retention_wal_long_bytes(db->size_max_bytes));
	if (final || journal_pin_hold(&db->pin, store->path) < 0)
		journal_pin_close(&db->pin);
}

/* A journal that got long is begun anew by the next commit. */
static void bound_journal(struct db *db, int64_t n_frames)
{
	if (n_frames * FRAME_BYTES > retention_wal_long_bytes(db->size_max_bytes))
		journal_pin_release(&db->pin);
}

static void checkpoint(struct store *store, int64_t t_ms, bool final)
{
	struct db *db = store->db;
	int n_log = 0, n_moved = 0;

	if (!final && !checkpoint_is_due(store, t_ms))
		return;

	int code = sqlite3_wal_checkpoint_v2(
		db->conn, NULL, final ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
		&n_log, &n_moved);

	bound_journal(db, n_log);
	/* What a reader kept in the journal is moved by the next commit. */
	store->checkpointed = store->has_samples && code == SQLITE_OK && n_moved == n_log;
	store->checkpointed_ms = t_ms;
	if (code == SQLITE_OK && n_moved == n_log)
		db->unmoved_slot = 0;
	if (code != SQLITE_OK && final)
		sqlite3_wal_checkpoint_v2(db->conn, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

static void clean_marks(struct store *store, const struct batch *batch)
{
	size_t kept = 0;

	for (size_t b = 0; b < batch->n_marks; b++)
		for (size_t i = 0; i < store->n_marks; i++)
			if (store->marks[i].mark.id == batch->marks[b].id &&
			    store->marks[i].mark.t_end_ms == batch->marks[b].t_end_ms)
				store->marks[i].dirty = false;
	for (size_t i = 0; i < store->n_marks; i++)
		if (store->marks[i].dirty || store->marks[i].mark.t_end_ms == TIME_OPEN)
			store->marks[kept++] = store->marks[i];
	store->n_marks = kept;
}

static void clean_outcomes(struct store *store, const struct batch *batch)
{
	for (size_t b = 0; b < batch->n_outcomes; b++)
		for (size_t i = 0; i < store->n_outcomes; i++)
			if (store->outcomes[i].collector == batch->outcomes[b].collector &&
			    !strcmp(store->outcomes[i].node, batch->outcomes[b].node) &&
			    store->outcomes[i].t_ms == batch->outcomes[b].t_ms)
				store->outcomes[i].dirty = false;
}

/* What came meanwhile stands behind those that were written. */
static void clean_clock_steps(struct store *store, const struct batch *batch)
{
	size_t left = store->n_clock_steps - batch->n_clock_steps;

	memmove(store->clock_steps, store->clock_steps + batch->n_clock_steps,
		left * sizeof(*store->clock_steps));
	store->n_clock_steps = left;
}

/* Reads the file, so it is called without the lock; once after each fold. */
static void look_at_kept(struct db *db, struct store_kept *kept)
{
	db->kept_told = true;
	if (keep_status(db, kept) < 0)
		memset(kept, 0, STORE_N_KEPT * sizeof(*kept));
}

/* With the lock held. */
static void note_kept(struct store *store, const struct store_kept *kept)
{
	int64_t oldest_ms = 0;

	for (size_t i = 0; i < STORE_N_KEPT; i++) {
		int64_t t_ms = kept[i].oldest_wall_ms;

		store->status.kept[i] = kept[i];
		if (t_ms && (!oldest_ms || t_ms < oldest_ms))
			oldest_ms = t_ms;
	}
	store->status.oldest_wall_ms = oldest_ms;
}

static void commit_done(struct store *store, const struct batch *batch, int64_t t_ms)
{
	segments_free(&store->writing);
	changes_free(&store->writing_changes);
	events_free(&store->writing_events);
	clean_marks(store, batch);
	clean_outcomes(store, batch);
	clean_clock_steps(store, batch);
	if (batch->spent_bytes)
		spent_done(store, &batch->spent, batch->spent_bytes);
	store->status.n_commits++;
	/* All that waited before it is in the file. */
	if (!batch->more) {
		store->status.last_commit_ms = t_ms;
		store->wants_hour = false;
	}
	tail_prune(store, t_ms);
}

/* Gives everything back, oldest first, within the bounds. */
static void commit_failed(struct store *store, struct batch *batch)
{
	segments_join(&store->writing, &store->sealed);
	store->sealed = store->writing;
	store->writing = (struct segment_list){0};
	changes_join(&store->writing_changes, &store->changes);
	store->changes = store->writing_changes;
	store->writing_changes = (struct change_list){0};
	events_join(&store->writing_events, &store->events);
	store->events = store->writing_events;
	store->writing_events = (struct event_list){0};
	for (size_t i = 0; i < batch->n_nodes; i++) {
		batch->nodes[i]->dirty = true;
		if (batch->runs[i]) {
			batch->nodes[i]->id = 0;
			batch->nodes[i]->run = batch->runs[i];
		}
	}
	store->wall_dirty |= batch->wall_dirty;
	store->log_dirty |= batch->log_dirty;
	if (!store->boot_end) {
		store->boot_end = batch->boot_end;
		batch->boot_end = NULL;
	}
	store->status.n_failed_commits++;
	tail_bound(store);
}

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int attach_and_write(struct store *store, const struct batch *batch)
{
	int r;

	r = db_attach(store);
	if (!r && !nothing_waits(store, batch))
		r = write_batch(store, batch);
	/* It may have been emptied since it was looked at. */
	if (r == -EUCLEAN && store->db && db_look_for_mishap(store, store->committing_ms) < 0)
		return r;
	if (r == -EUCLEAN && store->db) {
		/* A file system that went into error makes a sound file look damaged. */
		db_detach(store);
		if (db_is_damaged(store->path))
			db_move_aside(store);
	}
	return r;
}

static int commit_batch(struct store *store, int64_t t_ms, bool final, bool *ret_more)
{
	CLEANUP(batch_done) struct batch batch = {0};
	int r = take(store, &batch, t_ms, final);

	if (r < 0)
		return r;
	code_blocks(store);
	store->has_samples |= store->writing.first != NULL;
	r = attach_and_write(store, &batch);
	pthread_mutex_lock(&store->lock);
	if (r < 0)
		commit_failed(store, &batch);
	else
		commit_done(store, &batch, t_ms);
	writers_taken(store, &batch.writers, r == 0);
	for (size_t i = 0; i < batch.n_nodes; i++)
		tail_node_unref(batch.nodes[i]);
	pthread_mutex_unlock(&store->lock);
	*ret_more = batch.more;
	return r;
}

static void note_commit(struct store *store, int64_t t_ms, bool final)
{
	pthread_mutex_lock(&store->lock);
	store->committing_ms = t_ms;
	store->finishing = final;
	mirror_commit_begins(store);
	pthread_mutex_unlock(&store->lock);
}

int64_t store_committing_ms(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	int64_t t_ms = store->committing_ms;
	pthread_mutex_unlock(&store->lock);
	return t_ms;
}

int store_commit(struct store *store, int64_t t_ms, bool final)
{
	struct store_kept kept[STORE_N_KEPT] = {0};
	int64_t start_us = cpu_us();
	bool more = true, told = true;
	int r = 0;

	note_commit(store, t_ms, final);
	/* Before anything is taken: what the old file knew must be written again. */
	if (store->db)
		r = db_look_for_mishap(store, t_ms);
	if (r == -EBUSY)
		note_holder(store);
	while (!r && more)
		r = commit_batch(store, t_ms, final, &more);
	if (!r && final)
		r = db_settle_marks(store);
	if (!r) {
		hold_journal(store, final);
		checkpoint(store, t_ms, final);
		db_note(store, 0, NULL);
		told = store->db->kept_told;
		if (!told)
			look_at_kept(store->db, kept);
	}
	if (store->db)
		db_rest(store->db);
	pthread_mutex_lock(&store->lock);
	if (!r && !told)
		note_kept(store, kept);
	if (!r)
		mirror_commit_done(store);
	store->committing_ms = 0;
	store->status.commit_cpu_us += cpu_us() - start_us;
	pthread_mutex_unlock(&store->lock);
	return r;
}
