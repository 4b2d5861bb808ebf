/* Nodes that went away while the program was down. Once every group of a collector has had a tick,
 * a node that the file has as present in this boot, and memory does not know, is gone. */
#include <string.h>

#include "base/cleanup.h"
#include "store/batch.h"
#include "store/sql.h"

static bool is_first(const struct tail_group *group)
{
	return group->group == &group->collector->groups[0];
}

static bool all_listed(const struct store *store, const struct collector *collector)
{
	for (size_t i = 0; i < store->n_groups; i++)
		if (store->groups[i].collector == collector && !store->groups[i].listed)
			return false;
	return true;
}

void vanished_take(struct store *store)
{
	for (size_t i = 0; i < store->n_groups; i++) {
		struct tail_group *g = &store->groups[i];

		g->settling = is_first(g) && all_listed(store, g->collector);
	}
}

static bool in_memory(struct store *store, const struct collector *collector, const char *name,
		      const char *identity)
{
	bool found = false;

	pthread_mutex_lock(&store->lock);
	for (const struct tail_node *n = store->nodes; n && !found; n = n->next)
		found = n->collector == collector && !strcmp(n->name, name) &&
			!strcmp(n->identity, identity);
	pthread_mutex_unlock(&store->lock);
	return found;
}

static int write_collector(struct store *store, struct db *db, const struct collector *collector)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "SELECT id,name,identity FROM node WHERE collector=%Q AND boot=%lld"
			    " AND NOT gone",
			    collector->name, (long long)db->boot);

	while (!r && (r = sql_step(stmt)) > 0)
		r = in_memory(store, collector, column_text(stmt, 1), column_text(stmt, 2))
			    ? 0
			    : sql_exec(db->conn, "UPDATE node SET gone=1 WHERE id=%lld",
				       (long long)sqlite3_column_int64(stmt, 0));
	return r;
}

int vanished_write(struct store *store, struct db *db)
{
	int r = 0;

	for (size_t i = 0; i < store->n_groups && !r; i++) {
		const struct tail_group *g = &store->groups[i];

		if (g->settling && g->settled != store->attach_count)
			r = write_collector(store, db, g->collector);
	}
	return r;
}

void vanished_done(struct store *store)
{
	for (size_t i = 0; i < store->n_groups; i++)
		if (store->groups[i].settling)
			store->groups[i].settled = store->attach_count;
}
