/* What commits have written in 24 hours, kept in the file by hours of the boot clock: a wall clock
 * that is set later moves them along. */
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "store/db.h"
#include "store/sql.h"

/* What is kept of boots long ago is of no use. */
#define SPENT_BOOTS 100

void store_add_spent(struct store *store, int64_t t_ms, int64_t bytes)
{
	pthread_mutex_lock(&store->lock);
	rolling_day_add(&store->spent, t_ms, bytes);
	if (!store->unsaved_bytes)
		store->unsaved_hour = rolling_hour_of(t_ms);
	store->unsaved_bytes += bytes;
	pthread_mutex_unlock(&store->lock);
}

int64_t store_spent_bytes(struct store *store, int64_t now_ms)
{
	pthread_mutex_lock(&store->lock);
	int64_t bytes = rolling_day_sum(&store->spent, now_ms);
	pthread_mutex_unlock(&store->lock);
	return bytes;
}

bool spent_is_due(const struct store *store, int64_t t_ms)
{
	return store->unsaved_bytes > 0 &&
	       (store->finishing || store->unsaved_bytes >= STORE_SPENT_BYTES ||
		rolling_hour_of(t_ms) > store->unsaved_hour);
}

int spent_write(struct store *store, struct db *db, const struct rolling_day *day)
{
	int r = 0;

	(void)store;
	for (int64_t h = MAX(day->hour - ROLLING_HOURS + 1, 0); h <= day->hour && !r; h++)
		if (rolling_day_hour(day, h))
			r = sql_exec(db->conn,
				     "INSERT OR REPLACE INTO spent VALUES(%lld,%lld,%lld)",
				     (long long)db->boot, (long long)h,
				     (long long)rolling_day_hour(day, h));
	return r ? r
		 : sql_exec(db->conn,
			    "DELETE FROM spent WHERE boot<%lld OR (boot=%lld AND hour<=%lld)",
			    (long long)db->boot - SPENT_BOOTS, (long long)db->boot,
			    (long long)(day->hour - ROLLING_HOURS));
}

/* What came meanwhile is of the hour that it came in. */
void spent_done(struct store *store, const struct rolling_day *day, int64_t saved_bytes)
{
	store->unsaved_bytes -= saved_bytes;
	store->unsaved_hour = day->hour;
}

/* Hours of other boots are put before this one, where the wall clock has them. */
int spent_load(struct store *store, struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int64_t offset_ms = store->wall_offset_ms, now_ms = clock_boot_ms();
	int r;

	if (store->spent_loaded)
		return 0;
	r = sql_prepare(
		db->conn, &stmt,
		"SELECT s.boot=%lld,s.hour,s.bytes,b.wall_offset_ms FROM spent s JOIN boot b"
		" ON b.id=s.boot WHERE typeof(s.hour)='integer' AND s.hour BETWEEN 0 AND"
		" 10000000 AND s.bytes BETWEEN 0 AND 1<<50",
		(long long)db->boot);
	pthread_mutex_lock(&store->lock);
	while (!r && (r = sql_step(stmt)) > 0) {
		bool same = sqlite3_column_int(stmt, 0);
		int64_t t_ms = sqlite3_column_int64(stmt, 1) * ROLLING_HOUR_MS;

		r = 0;
		if (!same && __builtin_add_overflow(t_ms, sqlite3_column_int64(stmt, 3), &t_ms))
			continue;
		if (!same && __builtin_sub_overflow(t_ms, offset_ms, &t_ms))
			continue;
		if (t_ms <= (same ? now_ms : -1))
			rolling_day_add(&store->spent, t_ms, sqlite3_column_int64(stmt, 2));
	}
	store->spent_loaded = r >= 0;
	pthread_mutex_unlock(&store->lock);
	return MIN(r, 0);
}
