#include "store/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/db.h"
#include "store/sql.h"

static struct writer_hour *hour_new(size_t n)
{
	struct writer_hour *hour = NULL;

	return calloc(1, sizeof(*hour) + (n + N_WRITER_SOURCES) * sizeof(hour->v[0]));
}

void writers_done(struct writer_hours *hours)
{
	for (struct writer_hour *hour = hours->waiting, *next; hour; hour = next) {
		next = hour->next;
		free(hour);
	}
	free(hours->now);
	free(hours->spare);
	*hours = (struct writer_hours){0};
}

static struct writer *find(struct writer_hour *hour, const struct writer *writer)
{
	for (size_t i = 0; i < hour->n; i++)
		if (writer_is_same(&hour->v[i], writer))
			return &hour->v[i];
	return NULL;
}

/* Room for the row of the others of each kind is kept free. */
static void add_to_others(struct writer_hour *hour, const struct writer *from)
{
	struct writer others = {.source = from->source, .id = -1};
	struct writer *known;

	snprintf(others.name, sizeof(others.name), WRITER_OTHERS);
	known = find(hour, &others);
	if (!known) {
		known = &hour->v[hour->n++];
		*known = others;
	}
	writer_io_add(&known->io, &from->io);
	known->n = MIN(known->n + MAX(from->n, INT64_C(1)), WRITERS_N_MAX);
}

/* Somebody has looked, and nobody had written: one row of 0 bytes, unless there are others. */
static void add_look(struct writer_hour *hour, const struct writer *from)
{
	struct writer *look = &hour->v[hour->n];

	for (size_t i = 0; i < hour->n; i++)
		if (hour->v[i].source == from->source)
			return;
	*look = (struct writer){.source = from->source, .id = -1};
	snprintf(look->name, sizeof(look->name), WRITER_OTHERS);
	hour->n++;
}

static struct writer *smallest_of(struct writer_hour *hour, enum writer_source source)
{
	struct writer *smallest = NULL;

	for (size_t i = 0; i < hour->n; i++)
		if (hour->v[i].source == source && !writer_is_others(&hour->v[i]) &&
		    (!smallest || writer_is_smaller(&hour->v[i], smallest)))
			smallest = &hour->v[i];
	return smallest;
}

/* What one tick calls others has many names, so it is merged with what was. */
static void add_writer(struct writer_hour *hour, const struct writer *writer)
{
	struct writer *known = find(hour, writer), *smallest;

	if (writer_io_is_zero(&writer->io)) {
		add_look(hour, writer);
		return;
	}
	if (known) {
		writer_merge(known, writer);
		return;
	}
	if (hour->n < WRITERS_HOUR_MAX) {
		hour->v[hour->n++] = *writer;
		return;
	}
	smallest = writer_is_others(writer) ? NULL : smallest_of(hour, writer->source);
	if (smallest && writer_is_smaller(smallest, writer)) {
		struct writer gone = *smallest;

		*smallest = *writer;
		add_to_others(hour, &gone);
	} else {
		add_to_others(hour, writer);
	}
}

/* By kind, the largest first, and the others last. */
static int compare(const struct writer *x, const struct writer *y)
{
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (writer_is_others(x) != writer_is_others(y))
		return writer_is_others(x) ? 1 : -1;
	return writer_is_smaller(x, y) - writer_is_smaller(y, x);
}

/* In place, and without the heap, which qsort() may ask. */
static void sort(struct writer_hour *hour)
{
	for (size_t i = 0; i + 1 < hour->n; i++) {
		size_t first = i;
		struct writer moved;

		for (size_t k = i + 1; k < hour->n; k++)
			if (compare(&hour->v[k], &hour->v[first]) < 0)
				first = k;
		if (first == i)
			continue;
		moved = hour->v[i];
		hour->v[i] = hour->v[first];
		hour->v[first] = moved;
	}
}

/* A block for an hour that waits. NULL without memory. */
static struct writer_hour *kept_new(void)
{
	return hour_new(WRITERS_KEEP_MAX * N_WRITER_SOURCES);
}

/* Lays the largest of each kind into a block of kept_new(), in their order, which becomes that of
 * the hour as well. A block that is NULL is none, and returned. */
static struct writer_hour *trim(struct writer_hour *hour, struct writer_hour *ret)
{
	size_t n_of[N_WRITER_SOURCES] = {0};

	if (!ret)
		return NULL;
	*ret = (struct writer_hour){
		.t_ms = hour->t_ms, .since_ms = hour->since_ms, .last_ms = hour->last_ms};
	sort(hour);
	for (size_t i = 0; i < hour->n; i++) {
		const struct writer *writer = &hour->v[i];

		if (writer_io_is_zero(&writer->io))
			add_look(ret, writer);
		else if (writer_is_others(writer) || n_of[writer->source]++ >= WRITERS_KEEP_MAX)
			add_to_others(ret, writer);
		else
			ret->v[ret->n++] = *writer;
	}
	return ret;
}

/* Drops the oldest, unless a commit has it. */
static void drop_oldest(struct writer_hours *hours)
{
	struct writer_hour *oldest = hours->waiting;

	if (hours->n_waiting < WRITERS_WAITING_MAX || oldest->is_writing)
		return;
	hours->waiting = oldest->next;
	hours->n_waiting--;
	free(oldest);
}

/* Takes the hour over. */
static void wait_for_commit(struct writer_hours *hours, struct writer_hour *hour)
{
	struct writer_hour **last = &hours->waiting;

	if (hours->n_waiting)
		drop_oldest(hours);
	if (hours->n_waiting == WRITERS_WAITING_MAX) {
		free(hour);
		return;
	}
	while (*last)
		last = &(*last)->next;
	*last = hour;
	hours->n_waiting++;
}

void writers_restore(struct writer_hours *hours, struct writer_hour *hour)
{
	struct writer_hour *copy = hour->n ? trim(hour, kept_new()) : NULL;

	free(hour);
	if (copy)
		wait_for_commit(hours, copy);
}

/* The hour is over: it waits for a commit. That is within a tick, so the block is there already; a
 * second hour without a commit has to ask the heap. */
static void close_hour(struct writer_hours *hours)
{
	struct writer_hour *block = hours->spare;

	if (hours->now->n && hours->is_dirty) {
		hours->spare = NULL;
		block = trim(hours->now, block ? block : kept_new());
		if (block)
			wait_for_commit(hours, block);
	}
	hours->now->n = 0;
}

static void make_spare(struct writer_hours *hours)
{
	if (!hours->spare)
		hours->spare = kept_new();
}

void writers_add(struct store *store, int64_t t_ms, int64_t step_ms, const struct sink *sink)
{
	struct writer_hours *hours = &store->writers;
	int64_t hour_ms = MAX(t_ms - 1, INT64_C(0)) / WRITERS_HOUR_MS * WRITERS_HOUR_MS;
	struct writer writer;
	bool is_first;

	if (!hours->now) {
		hours->now = hour_new(WRITERS_HOUR_MAX);
		if (!hours->now)
			return;
		hours->now->t_ms = -1;
		make_spare(hours);
	}
	is_first = hours->now->t_ms < 0;
	if (hours->now->t_ms != hour_ms) {
		int64_t before_ms = is_first ? t_ms : MAX(hours->now->last_ms, t_ms - step_ms);

		close_hour(hours);
		hours->now->t_ms = hour_ms;
		hours->now->since_ms = MAX(before_ms, hour_ms);
		hours->is_dirty = false;
		hours->written_ms = hours->now->since_ms;
	}
	hours->now->last_ms = t_ms;
	/* The first tick of all only finds out where the counters stand. A helper has been looking
	 * before this daemon was there: its rows go back to the last tick of another, however long
	 * ago that was. */
	if (is_first)
		return;
	for (size_t i = 0; i < sink->n_rows; i++) {
		if (writer_of_row(sink, sink->rows[i], &writer) < 0)
			continue;
		add_writer(hours->now, &writer);
		hours->is_dirty = true;
	}
}

void writers_take(struct store *store, struct writers_batch *batch, bool now)
{
	struct writer_hours *hours = &store->writers;

	if (hours->now)
		make_spare(hours);
	for (struct writer_hour *hour = hours->waiting; hour; hour = hour->next) {
		hour->is_writing = true;
		batch->hours[batch->n++] = hour;
	}
	if (!hours->now || !hours->is_dirty ||
	    (!now && hours->now->last_ms - hours->written_ms < WRITERS_SETTLE_MS))
		return;
	batch->copy = trim(hours->now, kept_new());
	if (batch->copy)
		batch->hours[batch->n++] = batch->copy;
}

static int write_writer(sqlite3_stmt *stmt, int64_t boot, const struct writer_hour *hour, size_t i)
{
	const struct writer *w = &hour->v[i];
	bool is_process = w->source == WRITER_PROCESS;

	bind_int(stmt, 1, boot);
	bind_int(stmt, 2, hour->t_ms);
	bind_int(stmt, 3, hour->since_ms);
	bind_int(stmt, 4, (int64_t)i);
	bind_int(stmt, 5, hour->last_ms);
	bind_text(stmt, 6, writer_source_name(w->source));
	bind_text(stmt, 7, w->name);
	bind_text(stmt, 8, w->unit);
	bind_text(stmt, 9, w->device);
	for (int k = 10; k <= 15; k++)
		sqlite3_bind_null(stmt, k);
	if (w->id >= 0)
		bind_int(stmt, 10, w->id);
	if (is_process)
		bind_int(stmt, 11, w->n);
	bind_int(stmt, 12, w->io.written);
	bind_int(stmt, 13, w->io.read);
	if (is_process)
		bind_int(stmt, 14, w->io.cancelled);
	if (w->source == WRITER_UID)
		bind_int(stmt, 15, w->io.syncs);
	return sql_run(stmt);
}

/* Takes the place of what the file has of it. */
static int write_hour(struct db *db, sqlite3_stmt *stmt, const struct writer_hour *hour)
{
	int r = sql_exec(db->conn, "DELETE FROM writer WHERE boot=%lld AND t=%lld AND since=%lld",
			 (long long)db->boot, (long long)hour->t_ms, (long long)hour->since_ms);

	for (size_t i = 0; i < hour->n && !r; i++)
		r = write_writer(stmt, db->boot, hour, i);
	return r;
}

int writers_write(struct db *db, const struct writers_batch *batch)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r;

	if (!batch->n)
		return 0;
	r = sql_prepare(db->conn, &stmt,
			"INSERT INTO writer(boot,t,since,n,until,source,name,unit,device,id,"
			"processes,written,read,cancelled,syncs)"
			" VALUES(?1,?2,?3,?4,?5,?6,nullif(?7,''),nullif(?8,''),nullif(?9,''),"
			"?10,?11,?12,?13,?14,?15)");
	for (size_t i = 0; i < batch->n && !r; i++)
		r = write_hour(db, stmt, batch->hours[i]);
	return r;
}

void writers_taken(struct store *store, struct writers_batch *batch, bool committed)
{
	struct writer_hours *hours = &store->writers;

	while (hours->waiting && hours->waiting->is_writing && committed) {
		struct writer_hour *written = hours->waiting;

		hours->waiting = written->next;
		hours->n_waiting--;
		free(written);
	}
	for (struct writer_hour *hour = hours->waiting; hour; hour = hour->next)
		hour->is_writing = false;
	/* What came meanwhile is written the next time. */
	if (committed && batch->copy && hours->now && hours->now->t_ms == batch->copy->t_ms) {
		hours->written_ms = batch->copy->last_ms;
		hours->is_dirty = hours->now->last_ms != batch->copy->last_ms;
	}
	free(batch->copy);
	*batch = (struct writers_batch){0};
}
