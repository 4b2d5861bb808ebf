#include "store/keep.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "store/rollup.h"
#include "store/sql.h"

#define PAGE_BYTES    4096
#define PAGES_MAX     (INT64_C(1) << 32) /* that SQLite can have */
#define SLOW_MS       60000
#define RATE_LEAST_MS HOUR_MS      /* a first page of seconds tells nothing of a day */
#define RATE_MAX_MS   (4 * DAY_MS) /* what is older counts half */
#define RAW_SECONDS   3600
#define SLOW_SECONDS  86400

static const char *const names[KEEP_N] = {"raw", "minute", "hour", "slow"};

bool keep_is_slow(const struct file_group *group)
{
	return group->group && group->group->period_ms >= SLOW_MS;
}

int keep_used_pages(struct db *db, int64_t *ret)
{
	int64_t all, unused;
	int r = sql_int(db->conn, &all, "PRAGMA page_count");

	if (!r)
		r = sql_int(db->conn, &unused, "PRAGMA freelist_count");
	if (!r)
		*ret = all - unused;
	return r;
}

int keep_pages(struct db *db, int64_t ret[KEEP_N])
{
	int r = 0;

	for (size_t i = 0; i < KEEP_N && !r; i++)
		r = sql_int(db->conn, &ret[i],
			    "SELECT min(max(pages,0),%lld) FROM kept WHERE what=%Q",
			    (long long)PAGES_MAX, names[i]);
	return r;
}

int keep_note(struct db *db, enum keep_what what, int64_t before_pages, int64_t made_ms)
{
	int64_t now = 0;
	int r = keep_used_pages(db, &now);
	long long pages = now - before_pages;

	if (!r && (pages || made_ms))
		r = sql_exec(db->conn,
			     "UPDATE kept SET pages=max(pages+(%lld),0), made_bytes="
			     "(made_bytes+max(%lld,0))/iif(made_ms>%lld,2,1),"
			     " made_ms=(made_ms+%lld)/iif(made_ms>%lld,2,1) WHERE what=%Q",
			     pages, made_ms ? pages * PAGE_BYTES : 0, (long long)RATE_MAX_MS,
			     (long long)made_ms, (long long)RATE_MAX_MS, names[what]);
	return r;
}

int64_t keep_share_pages(const struct db *db, enum keep_what what)
{
	int64_t percent = what == KEEP_RAW      ? db->shares.raw_percent
			  : what == KEEP_MINUTE ? db->shares.minute_percent
			  : what == KEEP_HOUR
				  ? db->shares.hour_percent
				  : 100 - db->shares.raw_percent - db->shares.minute_percent -
					    db->shares.hour_percent;

	return retention_max_pages(db->size_max_bytes) * MAX(percent, 0) / 100;
}

static int note_cap(struct db *db, const char *what, int64_t bytes)
{
	return sql_exec(db->conn,
			"INSERT INTO cap VALUES(%Q,%lld) ON CONFLICT(what) DO UPDATE SET"
			" bytes=excluded.bytes WHERE bytes<>excluded.bytes",
			what, (long long)bytes);
}

int keep_note_cap(struct db *db)
{
	int r = note_cap(db, "file", db->size_max_bytes);

	for (int i = 0; i < KEEP_N && !r; i++)
		r = note_cap(db, names[i], keep_share_pages(db, (enum keep_what)i) * PAGE_BYTES);
	return r;
}

static int oldest_chunk(struct db *db, bool slow, int64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < db->n_groups; i++) {
		int64_t id;

		if (keep_is_slow(&db->groups[i]) != slow)
			continue;

		int r = sql_int(db->conn, &id, "SELECT min(id) FROM \"%w_chunk\"",
				db->groups[i].name);

		if (r < 0 && r != -ENOENT)
			return r;
		if (!r && (!found || id < *ret))
			*ret = id;
		found = found || !r;
	}
	return found ? 0 : -ENOENT;
}

static int oldest_id(struct db *db, enum keep_what what, int64_t *ret)
{
	if (what == KEEP_RAW || what == KEEP_SLOW)
		return oldest_chunk(db, what == KEEP_SLOW, ret);
	return sql_int(db->conn, ret, "SELECT min(id) FROM %s", names[what]);
}

int keep_oldest(struct db *db, enum keep_what what, int64_t *ret_boot, int64_t *ret_ms)
{
	int64_t id;
	int r = oldest_id(db, what, &id);

	if (r < 0)
		return r;
	*ret_boot = id / FORMAT_BOOT_FACTOR;
	id %= FORMAT_BOOT_FACTOR;
	*ret_ms = what == KEEP_MINUTE ? id / ROLLUP_SLOT_FACTOR * HOUR_MS
		  : what == KEEP_HOUR ? id / ROLLUP_SLOT_FACTOR * DAY_MS
				      : id / FORMAT_SECOND_FACTOR * 1000;
	return 0;
}

static int delete_chunks(struct db *db, bool slow, int64_t below)
{
	int r = 0;

	for (size_t i = 0; i < db->n_groups && !r; i++)
		if (keep_is_slow(&db->groups[i]) == slow)
			r = sql_exec(db->conn, "DELETE FROM \"%w_chunk\" WHERE id<%lld",
				     db->groups[i].name, (long long)below);
	return r;
}

static int delete_some(struct db *db, enum keep_what what, bool all, int64_t id, bool *ret)
{
	int64_t seconds = what == KEEP_SLOW ? SLOW_SECONDS : RAW_SECONDS, done;
	int r = 0;

	*ret = true;
	if (what == KEEP_RAW || what == KEEP_SLOW)
		return delete_chunks(db, what == KEEP_SLOW,
				     (id / FORMAT_SECOND_FACTOR + seconds) * FORMAT_SECOND_FACTOR);
	if (what == KEEP_MINUTE && !all) {
		r = sql_int(db->conn, &done, "SELECT done FROM kept WHERE what='hour'");
		*ret = !r && id < done;
	}
	if (r < 0 || !*ret)
		return r;
	return sql_exec(db->conn, "DELETE FROM %s WHERE id<%lld", names[what],
			(long long)((id / ROLLUP_SLOT_FACTOR + 1) * ROLLUP_SLOT_FACTOR));
}

int keep_delete_oldest(struct db *db, enum keep_what what, bool all, bool *ret)
{
	int64_t id, before;
	int r = keep_used_pages(db, &before);

	*ret = false;
	if (!r)
		r = oldest_id(db, what, &id);
	if (r == -ENOENT)
		return sql_exec(db->conn, "UPDATE kept SET pages=0 WHERE what=%Q", names[what]);
	if (!r)
		r = delete_some(db, what, all, id, ret);
	return r < 0 || !*ret ? r : keep_note(db, what, before, 0);
}

/* The first point that a cell has a value for; n when it has none, or is damaged. */
static size_t first_in_cell(sqlite3_stmt *stmt, int column, size_t n)
{
	int64_t values[ROLLUP_N_MAX];
	uint8_t absent[ROLLUP_N_MAX];
	size_t i = 0;

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return 0;
	case SQLITE_BLOB:
		if (series_decode(sqlite3_column_blob(stmt, column),
				  (size_t)sqlite3_column_bytes(stmt, column), n, values, absent))
			return n;
		while (i < n && absent[i])
			i++;
		return i;
	default:
		return n;
	}
}

/* A row of rollups has room for a whole hour or day: since when the oldest of them have something.
 * A point begins before its first sample, where that is the first of the boot. */
static int first_recorded(struct db *db, enum keep_what what, int64_t boot, int64_t *t_ms)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	const struct resolution_spec *spec =
		&resolution_specs[what == KEEP_MINUTE ? RESOLUTION_MINUTE : RESOLUTION_HOUR];
	int64_t row_ms = spec->point_ms * (int64_t)spec->n, first_ms = 0;
	int64_t from = boot * FORMAT_BOOT_FACTOR + *t_ms / row_ms * ROLLUP_SLOT_FACTOR;
	size_t first = spec->n;
	int r = sql_prepare(db->conn, &stmt,
			    "SELECT count,sum,last FROM %s WHERE id>=%lld AND id<%lld", spec->table,
			    (long long)from, (long long)(from + ROLLUP_SLOT_FACTOR));

	while (!r && first && (r = sql_step(stmt)) > 0) {
		for (int column = 0; column < 3; column++)
			first = MIN(first, first_in_cell(stmt, column, spec->n));
		r = 0;
	}
	if (!r)
		r = sql_int(db->conn, &first_ms, "SELECT first_ms FROM boot WHERE id=%lld",
			    (long long)boot);
	if (first < spec->n)
		*t_ms += (int64_t)first * spec->point_ms;
	if (first_ms > *t_ms && first_ms - *t_ms < spec->point_ms)
		*t_ms = first_ms;
	return r == -ENOENT ? 0 : r;
}

static int wall_of_oldest(struct db *db, enum keep_what what, int64_t *ret)
{
	int64_t boot, t_ms, offset_ms;
	int r = keep_oldest(db, what, &boot, &t_ms);

	if (!r && (what == KEEP_MINUTE || what == KEEP_HOUR))
		r = first_recorded(db, what, boot, &t_ms);
	if (!r)
		r = sql_int(db->conn, &offset_ms, "SELECT wall_offset_ms FROM boot WHERE id=%lld",
			    (long long)boot);
	*ret = r ? 0 : t_ms + MAX(-FORMAT_TIME_MAX_MS, MIN(FORMAT_TIME_MAX_MS, offset_ms));
	return r == -ENOENT ? 0 : r;
}

int keep_look(struct db *db, struct store_kept ret[KEEP_N])
{
	int64_t pages[KEEP_N];
	int r = keep_pages(db, pages);

	for (int i = 0; i < KEEP_N && !r; i++) {
		struct store_kept *k = &ret[i];

		*k = (struct store_kept){
			.name = names[i], .bytes = pages[i] * PAGE_BYTES, .share_bytes = -1};
		r = sql_int(db->conn, &k->bytes_per_day,
			    "SELECT iif(made_ms>=%lld,made_bytes*86400000/made_ms,0) FROM kept"
			    " WHERE what=%Q",
			    (long long)RATE_LEAST_MS, names[i]);
		if (!r)
			r = wall_of_oldest(db, (enum keep_what)i, &k->oldest_wall_ms);
	}
	return r;
}

int keep_status(struct db *db, struct store_kept ret[KEEP_N])
{
	int r = keep_look(db, ret);

	for (int i = 0; i < KEEP_N && !r; i++)
		ret[i].share_bytes = keep_share_pages(db, (enum keep_what)i) * PAGE_BYTES;
	return r;
}
