/* Who has written, from file and memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/sql.h"
#include "store/writers.h"

/* The hours of memory, as they were at one moment. */
struct hours {
	struct writer_hour *v[WRITERS_WAITING_MAX + 1];
	size_t n;
	struct boot boot;
	bool failed;
};

static void hours_done(struct hours *hours)
{
	for (size_t i = 0; i < hours->n; i++)
		free(hours->v[i]);
}

static void copy_hour(struct hours *hours, const struct writer_hour *hour)
{
	size_t size = sizeof(*hour) + hour->n * sizeof(hour->v[0]);
	struct writer_hour *copy = malloc(size);

	if (!copy) {
		hours->failed = true;
		return;
	}
	memcpy(copy, hour, size);
	hours->v[hours->n++] = copy;
}

static int copy_hours(struct reader *reader, struct hours *hours)
{
	const struct writer_hours *from = &reader->store->writers;

	pthread_mutex_lock(&reader->store->lock);
	reader_current_boot(reader, &hours->boot);
	for (const struct writer_hour *hour = from->waiting; hour; hour = hour->next)
		copy_hour(hours, hour);
	if (from->now && from->now->n)
		copy_hour(hours, from->now);
	pthread_mutex_unlock(&reader->store->lock);
	return hours->failed ? -ENOMEM : 0;
}

static bool in_memory(const struct hours *hours, const struct writer_record *record)
{
	for (size_t i = 0; i < hours->n; i++)
		if (record->boot->id == hours->boot.id && hours->v[i]->t_ms == record->t_ms &&
		    hours->v[i]->since_ms == record->since_ms)
			return true;
	return false;
}

static int64_t column_count(sqlite3_stmt *stmt, int i, int64_t otherwise)
{
	int64_t value = sqlite3_column_int64(stmt, i);

	return sqlite3_column_type(stmt, i) == SQLITE_INTEGER && value >= 0 ? value : otherwise;
}

static bool writer_columns(sqlite3_stmt *stmt, int at, struct writer *writer)
{
	*writer = (struct writer){.source = writer_source_named(column_text(stmt, at))};
	snprintf(writer->name, sizeof(writer->name), "%s", column_text(stmt, at + 1));
	snprintf(writer->unit, sizeof(writer->unit), "%s", column_text(stmt, at + 2));
	snprintf(writer->device, sizeof(writer->device), "%s", column_text(stmt, at + 3));
	writer->id = column_count(stmt, at + 4, -1);
	writer->n = column_count(stmt, at + 5, 0);
	writer->io.written = column_count(stmt, at + 6, 0);
	writer->io.read = column_count(stmt, at + 7, 0);
	writer->io.cancelled = column_count(stmt, at + 8, 0);
	writer->io.syncs = column_count(stmt, at + 9, 0);
	return writer->source != N_WRITER_SOURCES;
}

/* Files of before it have no such table. 1, 0, -errno */
static int has_writers(struct reader *reader)
{
	int64_t one;
	int r = sql_int(reader->conn, &one,
			"SELECT 1 FROM sqlite_master WHERE type='table' AND name='writer'");

	return r == -ENOENT ? 0 : r < 0 ? r : 1;
}

static int prepare(struct reader *reader, int64_t from_ms, int64_t to_ms, sqlite3_stmt **ret)
{
	int r = has_writers(reader);

	if (r <= 0)
		return r;
	r = sql_prepare(reader->conn, ret,
			"SELECT b.id,b.boot_id,b.kernel,b.wall_offset_ms,w.t,w.since,w.until,"
			"w.source,w.name,w.unit,w.device,w.id,w.processes,w.written,w.read,"
			"w.cancelled,w.syncs FROM writer w JOIN boot b ON b.id=w.boot"
			" WHERE w.since+b.wall_offset_ms<%lld AND w.until+b.wall_offset_ms>%lld"
			" ORDER BY w.boot,w.t,w.since,w.n",
			(long long)to_ms, (long long)from_ms);
	return r < 0 ? r : 1;
}

static int visit_file(struct reader *reader, const struct hours *hours, int64_t from_ms,
		      int64_t to_ms, int (*visit)(const struct writer_record *, void *), void *arg)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int stop = 0, r = prepare(reader, from_ms, to_ms, &stmt);

	if (r <= 0)
		return r;
	r = 0;
	while (!r && !stop && (r = sql_step(stmt)) > 0) {
		struct boot boot = {.id = sqlite3_column_int64(stmt, 0),
				    .wall_offset_ms = reader_time(stmt, 3)};
		struct writer writer;
		struct writer_record record = {&writer, &boot, reader_time(stmt, 4),
					       reader_time(stmt, 5), reader_time(stmt, 6)};

		snprintf(boot.boot_id, sizeof(boot.boot_id), "%s", column_text(stmt, 1));
		snprintf(boot.kernel, sizeof(boot.kernel), "%s", column_text(stmt, 2));
		if (writer_columns(stmt, 7, &writer) && !in_memory(hours, &record))
			stop = visit(&record, arg);
		r = 0;
	}
	return r < 0 ? r : stop;
}

static int visit_memory(const struct hours *hours, int64_t from_ms, int64_t to_ms,
			int (*visit)(const struct writer_record *, void *), void *arg)
{
	int r = 0;

	for (size_t i = 0; i < hours->n; i++) {
		const struct writer_hour *hour = hours->v[i];
		int64_t offset_ms = hours->boot.wall_offset_ms;

		if (hour->since_ms + offset_ms >= to_ms || hour->last_ms + offset_ms <= from_ms)
			continue;
		for (size_t k = 0; k < hour->n && !r; k++) {
			struct writer_record record = {&hour->v[k], &hours->boot, hour->t_ms,
						       hour->since_ms, hour->last_ms};

			r = visit(&record, arg);
		}
	}
	return r;
}

int reader_writers(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		   int (*visit)(const struct writer_record *record, void *arg), void *arg)
{
	CLEANUP(hours_done) struct hours hours = {0};
	int64_t from_ms = MAX(from_wall_ms, -WINDOW_MS), to_ms = MIN(to_wall_ms, WINDOW_MS);
	int r = reader->store ? copy_hours(reader, &hours) : 0;

	if (!r && (r = reader_begin(reader)) > 0) {
		r = visit_file(reader, &hours, from_ms, to_ms, visit, arg);
		reader_end(reader);
	}
	if (r < 0)
		return reader_failed(reader, r);
	return r ? r : visit_memory(&hours, from_ms, to_ms, visit, arg);
}
