/* What a log of ticks has and the file has not: into the tail, through the same functions. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/tick_log.h"
#include "store/db.h"
#include "store/sql.h"

#define CHUNKS_TO_LOOK 64

static void newest_of_tail(struct db *db, const struct catalog *catalog, int64_t *last_ms)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	size_t group;

	if (sql_prepare(db->conn, &stmt,
			"SELECT g.key, max(json_extract(g.value,'$.t0')+(json_extract(g.value,"
			"'$.n')-1)*json_extract(g.value,'$.step')) FROM tail l, json_each(l.dir) g"
			" WHERE l.seq>%lld AND l.boot=%lld AND json_valid(l.dir) GROUP BY 1",
			(long long)db->folded, (long long)db->boot) < 0)
		return;
	while (sql_step(stmt) > 0)
		if (catalog_find_group(catalog, column_text(stmt, 0), &group) == 0)
			last_ms[group] = MAX(last_ms[group], sqlite3_column_int64(stmt, 1));
}

static void newest_of_chunks(struct db *db, const struct catalog *catalog, int64_t *last_ms)
{
	for (size_t i = 0; i < db->n_groups; i++) {
		const char *name = db->groups[i].name;
		int64_t t_ms;
		size_t group;

		if (catalog_find_group(catalog, name, &group) == 0 &&
		    sql_int(db->conn, &t_ms,
			    "SELECT max(t0+(n-1)*step) FROM (SELECT t0,n,step FROM \"%w_chunk\""
			    " WHERE id>=%lld AND id<%lld ORDER BY id DESC LIMIT %d)",
			    name, (long long)(db->boot * FORMAT_BOOT_FACTOR),
			    (long long)((db->boot + 1) * FORMAT_BOOT_FACTOR), CHUNKS_TO_LOOK) == 0)
			last_ms[group] = MAX(last_ms[group], t_ms);
	}
}

int64_t *replay_newest(struct store *store)
{
	int64_t *last_ms = calloc(catalog_n_groups(store->catalog) + 1, sizeof(*last_ms));

	for (size_t i = 0; last_ms && i < catalog_n_groups(store->catalog); i++)
		last_ms[i] = -1;
	if (last_ms && store->db) {
		newest_of_tail(store->db, store->catalog, last_ms);
		newest_of_chunks(store->db, store->catalog, last_ms);
	}
	return last_ms;
}

static bool file_has_event(struct db *db, const struct event *e)
{
	int64_t n;

	return db && sql_int(db->conn, &n,
			     "SELECT 1 FROM event WHERE boot=%lld AND t=%lld AND kind=%Q AND"
			     " collector=%Q AND node=%Q LIMIT 1",
			     (long long)db->boot, (long long)e->t_ms, e->kind, e->collector,
			     e->node) == 0;
}

void replay_item(struct store *store, const struct tick_log_item *item, const struct sink *sink,
		 const int64_t *last_ms)
{
	const struct collector *collector;

	switch (item->type) {
	case TICK_LOG_TICK:
		if (item->t_ms <= last_ms[item->group])
			return;
		store_add(store, sink->group, item->t_ms, item->late_ms, item->step_ms, sink);
		store->status.n_recovered_ticks++;
		store->status.recovered_last_ms = MAX(store->status.recovered_last_ms, item->t_ms);
		break;
	case TICK_LOG_EVENT:
		if (file_has_event(store->db, &item->event))
			return;
		store_event(store, &item->event);
		store->status.n_recovered_events++;
		break;
	case TICK_LOG_GONE:
		collector = catalog_find_collector(store->catalog, item->collector);
		if (collector)
			store_gone(store, collector, item->node, item->t_ms);
		break;
	}
}
