/* Nodes and records into their tables. */
#include "store/batch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/sql.h"

static int next_node_id(struct db *db, int64_t *ret)
{
	int r = sql_int(db->conn, ret,
			"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM node WHERE id=1) UNION ALL"
			" SELECT * FROM (SELECT id+1 FROM node n WHERE NOT EXISTS"
			" (SELECT 1 FROM node WHERE id=n.id+1) ORDER BY id LIMIT 1) LIMIT 1");

	return !r && *ret > FORMAT_NODES_MAX ? -EOVERFLOW : r;
}

/* Every number is taken by a node whose samples are still in the file. Said once. */
static void say_full(struct store *store, const struct tail_node *node)
{
	struct event event = {
		.t_ms = node->first_ms, .t_end_ms = node->first_ms, .severity = SEVERITY_WARNING};

	if (store->said_full)
		return;
	store->said_full = true;
	snprintf(event.kind, sizeof(event.kind), "nodes_full");
	snprintf(event.collector, sizeof(event.collector), "%s", node->collector->name);
	snprintf(event.node, sizeof(event.node), "%s", node->name);
	snprintf(event.text, sizeof(event.text),
		 "the file knows %d nodes and takes no more; samples of new ones are not stored",
		 FORMAT_NODES_MAX);
	store_event(store, &event);
}

/* The next run of a device in this boot, whatever names it had. One that is still there under
 * another name is another way to it, with runs of its own. */
static int next_run(struct db *db, const struct tail_node *node, int64_t *ret_run)
{
	return sql_int(db->conn, ret_run,
		       "SELECT 1+coalesce(max(run),0) FROM node WHERE collector=%Q AND identity=%Q"
		       " AND boot=%lld AND (name=%Q OR (identity<>'' AND gone))",
		       node->collector->name, node->identity, (long long)db->boot, node->name);
}

/* The run of the file that a new node continues or begins, and the row that is there already.
 * *ret_id is 0 without one. */
static int find_run(struct db *db, const struct tail_node *node, int64_t *ret_run, int64_t *ret_id)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "SELECT run, gone FROM node WHERE collector=%Q AND name=%Q AND"
			    " identity=%Q AND boot=%lld ORDER BY run DESC LIMIT 1",
			    node->collector->name, node->name, node->identity, (long long)db->boot);

	if (r < 0 || (r = sql_step(stmt)) < 0)
		return r;
	/* Not gone, and first seen by this run of the program: the same as before it. */
	if (r > 0 && node->run == 1 && !sqlite3_column_int(stmt, 1))
		*ret_run = sqlite3_column_int64(stmt, 0);
	else if ((r = next_run(db, node, ret_run)) < 0)
		return r;
	*ret_id = 0;
	r = sql_int(db->conn, ret_id,
		    "SELECT id FROM node WHERE collector=%Q AND name=%Q AND identity=%Q AND"
		    " run=%lld",
		    node->collector->name, node->name, node->identity, (long long)*ret_run);
	return r == -ENOENT ? 0 : r;
}

/* Flags or faults that an earlier run of the program left open end where this one begins. */
static int end_open(struct db *db, const char *table, const char *column, int64_t id, int64_t t_ms)
{
	return sql_exec(db->conn,
			"INSERT INTO %s(boot,t,node,grp,field,%s) SELECT boot,%lld,node,grp,"
			"field,'' FROM %s WHERE id IN (SELECT max(id) FROM %s WHERE node=%lld"
			" GROUP BY grp,field) AND %s<>'' AND boot=%lld",
			table, column, (long long)t_ms, table, table, (long long)id, column,
			(long long)db->boot);
}

static int add_node(struct store *store, struct db *db, struct tail_node *node)
{
	int64_t run = 0, id = 0;
	int r = find_run(db, node, &run, &id);

	if (!r && id)
		r = sql_exec(db->conn,
			     "UPDATE node SET first_ms=CASE WHEN boot=%lld THEN first_ms ELSE %lld"
			     " END, last_ms=%lld, boot=%lld, gone=0 WHERE id=%lld",
			     (long long)db->boot, (long long)node->first_ms,
			     (long long)node->first_ms, (long long)db->boot, (long long)id);
	else if (!r && !(r = next_node_id(db, &id)))
		r = sql_exec(db->conn,
			     "INSERT INTO node VALUES(%lld,%Q,%Q,%Q,%lld,%lld,%lld,%lld,0)",
			     (long long)id, node->collector->name, node->name, node->identity,
			     (long long)run, (long long)db->boot, (long long)node->first_ms,
			     (long long)node->first_ms);
	if (!r)
		r = end_open(db, "flag", "word", id, node->first_ms);
	if (!r)
		r = end_open(db, "fault", "error", id, node->first_ms);
	if (r == -EOVERFLOW) {
		say_full(store, node);
		return 0;
	}
	if (r < 0)
		return r;
	pthread_mutex_lock(&store->lock);
	node->id = id;
	node->run = run;
	pthread_mutex_unlock(&store->lock);
	return 0;
}

static int write_node(struct store *store, struct db *db, struct tail_node *node)
{
	int r = node->id ? 0 : add_node(store, db, node);

	pthread_mutex_lock(&store->lock);
	bool gone = node->gone;
	int64_t last_ms = node->last_ms;
	pthread_mutex_unlock(&store->lock);
	if (r < 0 || !gone)
		return r;
	return sql_exec(db->conn, "UPDATE node SET gone=1, last_ms=%lld WHERE id=%lld",
			(long long)last_ms, (long long)node->id);
}

static int write_change(struct db *db, sqlite3_stmt *stmt, const struct change *change)
{
	bind_int(stmt, 1, db->boot);
	bind_int(stmt, 2, change->t_ms);
	bind_int(stmt, 3, change->node->id);
	bind_text(stmt, 4, change->group->name);
	bind_text(stmt, 5, change->group->fields[change->field].name);
	bind_text(stmt, 6, change->text);
	return sql_run(stmt);
}

/* An info that the file has as its newest is not repeated by the next boot; one that it does not
 * have does not end. */
static int write_changes(struct db *db, const struct change_list *changes)
{
	static const char *const sql[] = {
		[CHANGE_INFO] =
			"INSERT INTO info(boot,t,node,grp,field,value) SELECT ?1,?2,?3,?4,?5,?6"
			" WHERE ?6 IS NOT coalesce((SELECT value FROM info WHERE node=?3 AND"
			" grp=?4 AND field=?5 ORDER BY id DESC LIMIT 1),'')",
		[CHANGE_FLAG] = "INSERT INTO flag(boot,t,node,grp,field,word)"
				" VALUES(?1,?2,?3,?4,?5,?6)",
		[CHANGE_FAULT] = "INSERT INTO fault(boot,t,node,grp,field,error)"
				 " VALUES(?1,?2,?3,?4,?5,?6)",
	};
	sqlite3_stmt *stmts[ARRAY_SIZE(sql)] = {0};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sql) && !r; i++)
		r = sql_prepare(db->conn, &stmts[i], "%s", sql[i]);
	for (const struct change *c = changes->first; c && !r; c = c->next)
		if (c->node->id)
			r = write_change(db, stmts[c->what], c);
	for (size_t i = 0; i < ARRAY_SIZE(sql); i++)
		sqlite3_finalize(stmts[i]);
	return r;
}

static int write_event(struct db *db, sqlite3_stmt *stmt, const struct event *e)
{
	bind_int(stmt, 1, db->boot);
	bind_int(stmt, 2, e->t_ms);
	if (e->t_end_ms == TIME_OPEN)
		sqlite3_bind_null(stmt, 3);
	else
		bind_int(stmt, 3, e->t_end_ms);
	bind_text(stmt, 4, severity_name(e->severity));
	bind_text(stmt, 5, e->kind);
	bind_text(stmt, 6, e->collector);
	bind_text(stmt, 7, e->node);
	bind_text(stmt, 8, e->text);
	bind_text(stmt, 9, e->evidence);
	return sql_run(stmt);
}

/* The log of a run before that is read again is dated anew, by clocks that drift: then what is of
 * the same kind is the same one, rather than what happens to have the same start. */
#define SAME_START_MS "2000"

/* Whether there was one to update. */
static int update_event(struct db *db, sqlite3_stmt *stmt, const struct event *e)
{
	int r = write_event(db, stmt, e);

	return r < 0 ? r : sqlite3_changes(db->conn) > 0;
}

static int write_events(struct db *db, const struct event_list *events)
{
	CLEANUP(stmt_closep) sqlite3_stmt *insert = NULL;
	CLEANUP(stmt_closep) sqlite3_stmt *update = NULL;
	int r = sql_prepare(db->conn, &insert,
			    "INSERT INTO event(boot,t,t_end,severity,kind,collector,node,text,"
			    "evidence) VALUES(?,?,?,?,?,?,?,?,nullif(?,''))");

	if (!r)
		r = sql_prepare(db->conn, &update,
				"UPDATE event SET t_end=?3,severity=?4,kind=?5,node=?7,text=?8,"
				"evidence=nullif(?9,'') WHERE id=(SELECT id FROM (SELECT * FROM"
				" event ORDER BY id DESC LIMIT " EVENTS_BACK ") WHERE boot=?1 AND"
				" collector=?6 AND (node=?7 AND (t=?2 OR kind=?5 AND"
				" abs(t-?2)<=" SAME_START_MS ") OR node='' AND kind=?5 AND t=?2)"
				" ORDER BY kind<>?5,node<>?7,abs(t-?2) LIMIT 1)");
	for (const struct pending_event *p = events->first; p && !r; p = p->next) {
		r = p->goes_on ? update_event(db, update, &p->event) : 0;
		if (!r)
			r = write_event(db, insert, &p->event);
		r = MIN(r, 0);
	}
	return r;
}

static int write_marks(struct db *db, const struct batch *batch)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "INSERT INTO mark(id,boot,t,t_end,label,ufs_until)"
			    " VALUES(?1,?2,?3,?4,?5,?6)"
			    " ON CONFLICT(id) DO UPDATE SET t_end=?4");

	for (size_t i = 0; i < batch->n_marks && !r; i++) {
		const struct mark *m = &batch->marks[i];

		bind_int(stmt, 1, m->id);
		bind_int(stmt, 2, db->boot);
		bind_int(stmt, 3, m->t_ms);
		if (m->t_end_ms == TIME_OPEN)
			sqlite3_bind_null(stmt, 4);
		else
			bind_int(stmt, 4, m->t_end_ms);
		bind_text(stmt, 5, m->label);
		if (m->ufs_until_ms)
			bind_int(stmt, 6, m->ufs_until_ms);
		else
			sqlite3_bind_null(stmt, 6);
		r = sql_run(stmt);
		if (!r)
			r = db_reserve_marks(db, m->id);
	}
	return r;
}

static int write_outcomes(struct db *db, const struct batch *batch)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(
		db->conn, &stmt,
		"INSERT INTO outcome(boot,t,collector,node,outcome,reason)"
		" SELECT ?1,?2,?3,?4,?5,?6 WHERE (?5,?6) IS NOT (SELECT outcome,reason"
		" FROM outcome WHERE collector=?3 AND node=?4 ORDER BY id DESC LIMIT 1)");

	for (size_t i = 0; i < batch->n_outcomes && !r; i++) {
		const struct outcome_entry *o = &batch->outcomes[i];

		bind_int(stmt, 1, db->boot);
		bind_int(stmt, 2, o->t_ms);
		bind_text(stmt, 3, o->collector);
		bind_text(stmt, 4, o->node);
		bind_text(stmt, 5, o->outcome);
		bind_text(stmt, 6, o->reason);
		r = sql_run(stmt);
	}
	return r;
}

/* A clock that is set again and again does not fill the file. */
#define CLOCK_STEPS_MAX 1000

static int write_clock_steps(struct db *db, const struct batch *batch)
{
	int r = 0;

	for (size_t i = 0; i < batch->n_clock_steps && !r; i++)
		r = sql_exec(db->conn,
			     "INSERT INTO clock_step(boot,t,before_ms,after_ms)"
			     " VALUES(%lld,%lld,%lld,%lld)",
			     (long long)db->boot, (long long)batch->clock_steps[i].t_ms,
			     (long long)batch->clock_steps[i].before_ms,
			     (long long)batch->clock_steps[i].after_ms);
	return r ? r
		 : sql_exec(db->conn,
			    "DELETE FROM clock_step WHERE id<=(SELECT max(id) FROM clock_step)-%d"
			    " OR boot NOT IN (SELECT id FROM boot)",
			    CLOCK_STEPS_MAX);
}

/* A file that took the place of another one may have no such boot. */
static int write_boot_end(struct db *db, const struct boot_end_record *record)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "INSERT OR REPLACE INTO boot_end(boot,cause,certainty,text,evidence)"
			    " SELECT ?1,?2,?3,?4,?5 WHERE ?1<>%lld AND EXISTS"
			    " (SELECT 1 FROM boot WHERE id=?1)",
			    (long long)db->boot);

	if (r < 0)
		return r;
	bind_int(stmt, 1, record->boot);
	bind_text(stmt, 2, record->cause);
	bind_text(stmt, 3, record->certainty);
	bind_text(stmt, 4, record->text);
	bind_text(stmt, 5, record->evidence);
	return sql_run(stmt);
}

int batch_write(struct store *store, struct db *db, const struct batch *batch)
{
	int r = 0;

	for (size_t i = 0; i < batch->n_nodes && !r; i++)
		r = write_node(store, db, batch->nodes[i]);
	if (!r && store->writing_changes.first)
		r = write_changes(db, &store->writing_changes);
	if (!r && store->writing_events.first)
		r = write_events(db, &store->writing_events);
	if (!r && batch->n_marks)
		r = write_marks(db, batch);
	if (!r && batch->n_outcomes)
		r = write_outcomes(db, batch);
	if (!r && batch->wall_dirty)
		r = sql_exec(db->conn,
			     "UPDATE boot SET wall_offset_ms=%lld WHERE id=%lld AND"
			     " wall_offset_ms<>%lld",
			     (long long)batch->wall_offset_ms, (long long)db->boot,
			     (long long)batch->wall_offset_ms);
	if (!r && batch->n_clock_steps)
		r = write_clock_steps(db, batch);
	if (!r && batch->spent_bytes)
		r = spent_write(store, db, &batch->spent);
	if (!r)
		r = writers_write(db, &batch->writers);
	if (!r && batch->boot_end)
		r = write_boot_end(db, batch->boot_end);
	if (!r && batch->log_dirty)
		r = sql_exec(db->conn, "INSERT OR REPLACE INTO log_position VALUES(%lld,%lld)",
			     (long long)db->boot, (long long)batch->log_next);
	return r;
}
