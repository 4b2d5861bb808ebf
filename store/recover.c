/* First the tables whose trees lead to their pages, then pages that none leads to, which are told
 * by what stands on them: fixed tables before samples, since these are told by their nodes. A page
 * that the old file had given back is left alone as long as its list of these can be read and no
 * tree leads to it. Of rows with the same id the first one counts.
 *
 * Minutes and hours are taken as they are, but count from now on only for times of which there are
 * no samples: what is left of them may have holes where samples have none. */
#include "store/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "model/series.h"
#include "store/reader_internal.h"
#include "store/recover_internal.h"
#include "store/rollup.h"
#include "store/sql.h"

static void recovery_done(struct recovery *rec)
{
	for (size_t i = 0; i < rec->n_tables; i++) {
		sqlite3_finalize(rec->tables[i].insert);
		free(rec->tables[i].columns);
	}
	schema_groups_free(&rec->db);
	sqlite3_close(rec->db.conn);
	raw_closep(&rec->raw);
	free(rec->owner);
	free(rec->pairs);
	free(rec->row);
	free(rec->values);
	free(rec->absent);
}

static void recovery_freep(struct recovery **rec)
{
	if (*rec)
		recovery_done(*rec);
	free(*rec);
}

static void mark_free(uint32_t page, void *arg)
{
	struct recovery *rec = arg;

	if (page >= 1 && page <= rec->n_pages)
		rec->owner[page] = FREE_PAGE;
}

/* What the file says of itself; one that says nothing may have wanted a journal. */
static void look_at_header(struct recovery *rec, bool journal)
{
	struct recover_report *report = rec->report;
	const uint8_t *p = raw_page(rec->raw, 1);
	int64_t version = 0;
	int r = p ? db_check_header(p, &version) : 0;

	report->bad_header = r == -EMEDIUMTYPE;
	report->newer_format = r == -EPROTO ? version : 0;
	report->wants_journal |= report->bad_header && !journal;
}

static int open_old(struct recovery *rec, const char *from)
{
	struct raw_size size;
	int r = raw_open(from, &rec->raw);

	if (r < 0)
		return r;
	raw_get_size(rec->raw, &size);
	if (size.journal && reader_left_journal(from, &size)) {
		raw_leave_journal(rec->raw);
		raw_get_size(rec->raw, &size);
	}
	rec->n_pages = size.n_pages;
	rec->report->n_pages = size.n_pages;
	rec->report->n_cut_pages = size.n_cut;
	rec->report->n_journal_pages = size.n_in_journal;
	rec->report->wants_journal = size.wants_journal;
	look_at_header(rec, size.journal);
	rec->owner = calloc(rec->n_pages + 1U, sizeof(*rec->owner));
	rec->row = calloc(1, sizeof(*rec->row));
	rec->values = calloc(SERIES_TICKS_MAX, sizeof(*rec->values));
	rec->absent = calloc(SERIES_TICKS_MAX, 1);
	if (!rec->owner || !rec->row || !rec->values || !rec->absent)
		return -ENOMEM;
	for (uint32_t page = 0; page <= rec->n_pages; page++)
		rec->owner[page] = NO_TABLE;
	if (!raw_free_pages(rec->raw, mark_free, rec))
		for (uint32_t page = 0; page <= rec->n_pages; page++)
			rec->owner[page] = NO_TABLE;
	if (rec->n_pages)
		rec->owner[1] = NO_TABLE;
	return 0;
}

/* No journal: a file that is not complete has no name yet. */
static int open_new(struct recovery *rec, const char *to)
{
	int r = sql_open(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &rec->db.conn);

	if (!r)
		r = sql_exec(rec->db.conn, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF;"
					   "PRAGMA synchronous=OFF; PRAGMA secure_delete=OFF;"
					   "PRAGMA cache_size=-2048; PRAGMA temp_store=MEMORY;"
					   "BEGIN");
	return r ? r : schema_create(&rec->db);
}

static int take_trees(struct recovery *rec, bool chunks)
{
	int r = 0;

	for (size_t i = 0; i < rec->n_tables && !r; i++) {
		const struct rec_table *table = &rec->tables[i];

		if (table->is_chunk == chunks && table->root)
			r = walk_tree(rec, (int16_t)i, table->root, take_leaf);
	}
	return r;
}

static int take_strays(struct recovery *rec, bool chunks)
{
	int r = 0;

	rec->stray = true;
	for (uint32_t page = 1; page <= rec->n_pages && !r; page++) {
		const uint8_t *p = rec->owner[page] == NO_TABLE ? raw_page(rec->raw, page) : NULL;
		enum raw_kind kind = p ? raw_page_kind(p, page) : RAW_OTHER;
		bool has_rows = kind == RAW_TABLE_LEAF ||
				(!chunks && (kind == RAW_INDEX_LEAF || kind == RAW_INDEX_INNER));
		int16_t table = has_rows ? guess_table(rec, page, chunks) : NO_TABLE;

		if (table == NO_TABLE)
			continue;
		rec->owner[page] = table;
		r = take_leaf(rec, table, page, 0, 0);
	}
	rec->stray = false;
	return r;
}

/* Of what stands in a page of the tail, where numbers may be anything that JSON has. */
#define SPAN_IS_SANE                                                                               \
	"typeof(t0)='integer' AND typeof(step)='integer' AND typeof(n)='integer'"                  \
	" AND t0 BETWEEN %lld AND %lld AND step BETWEEN 1 AND %lld AND n BETWEEN 1 AND %d"
#define SPAN_BOUNDS                                                                                \
	-(long long)FORMAT_TIME_MAX_MS, (long long)FORMAT_TIME_MAX_MS,                             \
		(long long)FORMAT_STEP_MAX_MS, SERIES_TICKS_MAX

/* With the columns of the old file, in their order. */
static int make_table(struct recovery *rec, const struct rec_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(rec->db.conn);
	int r;

	sqlite3_str_appendf(sql,
			    "CREATE TABLE \"%w_chunk\"(id INTEGER PRIMARY KEY, boot INTEGER, "
			    "node INTEGER,\n t0 INTEGER, step INTEGER, n INTEGER, late",
			    table->name);
	for (size_t c = 7; c < table->n_columns; c++)
		sqlite3_str_appendf(sql, ", \"%w\"", table->columns[c]);
	sqlite3_str_appendall(sql, ")");

	char *text = sqlite3_str_finish(sql);

	r = text ? sql_exec(rec->db.conn, "%s", text) : -ENOMEM;
	sqlite3_free(text);
	if (!r)
		r = sql_exec(rec->db.conn, "DELETE FROM field WHERE grp=%Q AND col>%d", table->name,
			     (int)table->n_columns - 7);
	for (size_t c = 7; c < table->n_columns && !r; c++)
		r = sql_exec(rec->db.conn,
			     "INSERT INTO field(grp,name,col) VALUES(%Q,%Q,%d)"
			     " ON CONFLICT(grp,name) DO UPDATE SET col=excluded.col",
			     table->name, table->columns[c], (int)c - 6);
	return r;
}

static int make_tables(struct recovery *rec)
{
	int r = add_known_groups(rec);

	for (size_t i = 0; i < rec->n_tables && !r; i++)
		if (rec->tables[i].is_chunk && rec->tables[i].n_columns)
			r = make_table(rec, &rec->tables[i]);
	return r;
}

static int note_tail_pairs(struct recovery *rec)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(rec->db.conn, &stmt,
			    "SELECT DISTINCT g.key, json_extract(k.value,'$[0]') FROM tail l,"
			    " json_each(l.dir) g, json_each(g.value,'$.nodes') k");

	while (!r && (r = sql_step(stmt)) > 0) {
		struct rec_table *table = rec_table_named(rec, column_text(stmt, 0), true);

		r = table ? note_pair(rec, (int16_t)(table - rec->tables),
				      sqlite3_column_int64(stmt, 1))
			  : 0;
	}
	return r;
}

/* As make_up(), of what is in the tail alone. */
static int make_up_nodes_of_tail(struct recovery *rec)
{
	const struct collector *collector;
	const struct group *group;
	int r = 0;

	for (size_t i = 0; !r && (group = catalog_group_at(rec->catalog, i, &collector)); i++) {
		r = sql_exec(rec->db.conn,
			     "INSERT INTO node SELECT node,%Q,'node-'||node,'',1,max(boot),min(t0),"
			     "max(t0+(n-1)*step),1 FROM (SELECT l.boot,"
			     " json_extract(k.value,'$[0]') AS node,"
			     " json_extract(g.value,'$.t0') AS t0,"
			     " json_extract(g.value,'$.step') AS step,"
			     " json_extract(g.value,'$.n') AS n FROM tail l, json_each(l.dir) g,"
			     " json_each(g.value,'$.nodes') k WHERE g.key=%Q AND g.type='object'"
			     " AND k.type='array' AND l.seq>(SELECT folded FROM meta))"
			     " WHERE typeof(node)='integer' AND node BETWEEN 1 AND %d"
			     " AND node NOT IN (SELECT id FROM node) AND " SPAN_IS_SANE
			     " GROUP BY node",
			     collector->name, group->name, FORMAT_NODES_MAX, SPAN_BOUNDS);
		if (!r)
			rec->report->n_made_up += sqlite3_changes(rec->db.conn);
	}
	return r;
}

/* Samples of a boot or node that no row tells of would be seen by nobody. */
static int make_up(struct recovery *rec, const char *name)
{
	const struct collector *collector = NULL;
	const struct group *group;
	int r;

	for (size_t i = 0; (group = catalog_group_at(rec->catalog, i, &collector)); i++)
		if (!strcmp(group->name, name))
			break;
	r = sql_exec(rec->db.conn,
		     "INSERT INTO boot SELECT boot,'','',min(t0),max(t0+(n-1)*step),0"
		     " FROM \"%w_chunk\" WHERE boot NOT IN (SELECT id FROM boot) GROUP BY boot",
		     name);
	if (!r) {
		rec->report->n_made_up += sqlite3_changes(rec->db.conn);
		r = sql_exec(rec->db.conn,
			     "INSERT INTO node SELECT node,%Q,'node-'||node,'',1,max(boot),min(t0),"
			     "max(t0+(n-1)*step),1 FROM \"%w_chunk\""
			     " WHERE node NOT IN (SELECT id FROM node) GROUP BY node",
			     group ? collector->name : name, name);
	}
	if (!r)
		rec->report->n_made_up += sqlite3_changes(rec->db.conn);
	return r;
}

static int make_up_of_tail(struct recovery *rec)
{
	int r = sql_exec(rec->db.conn,
			 "INSERT INTO boot SELECT DISTINCT boot,'','',NULL,NULL,0 FROM tail"
			 " WHERE boot>0 AND seq>(SELECT folded FROM meta)"
			 " AND boot NOT IN (SELECT id FROM boot)");

	if (r < 0)
		return r;
	rec->report->n_made_up += sqlite3_changes(rec->db.conn);
	r = sql_exec(rec->db.conn,
		     "UPDATE boot SET first_ms=o.a, last_ms=o.z FROM (SELECT boot, min(t0) AS a,"
		     " max(t0+(n-1)*step) AS z FROM (SELECT l.boot,"
		     " json_extract(g.value,'$.t0') AS t0, json_extract(g.value,'$.step') AS step,"
		     " json_extract(g.value,'$.n') AS n FROM tail l, json_each(l.dir) g"
		     " WHERE l.seq>(SELECT folded FROM meta) AND g.type='object')"
		     " WHERE " SPAN_IS_SANE " GROUP BY boot) o"
		     " WHERE o.boot=boot.id AND boot.last_ms IS NULL",
		     SPAN_BOUNDS);
	return r ? r : make_up_nodes_of_tail(rec);
}

/* Pages of the tail whose samples are in the chunks as well. */
static int set_folded(struct recovery *rec)
{
	int64_t newest = 0;
	int r = sql_int(rec->db.conn, &newest, "SELECT coalesce(max(seq),0) FROM tail");

	if (r < 0)
		return r;
	/* More than there ever was would hide all that is to come. */
	if (rec->folded >= 0 && rec->folded <= newest)
		return sql_exec(rec->db.conn, "UPDATE meta SET folded=%lld",
				(long long)rec->folded);
	return sql_exec(rec->db.conn,
			"UPDATE meta SET folded=coalesce((SELECT max(l.seq) FROM tail l JOIN boot b"
			" ON b.id=l.boot WHERE b.last_ms>=(SELECT"
			" max(json_extract(g.value,'$.t0')) FROM json_each(l.dir) g)),0)");
}

/* What its samples say is the least that is true. */
static int widen_boots(struct recovery *rec, const char *name)
{
	return sql_exec(rec->db.conn,
			"UPDATE boot SET first_ms=min(coalesce(first_ms,c.a),c.a),"
			"last_ms=max(coalesce(last_ms,c.z),c.z) FROM (SELECT boot AS b, min(t0) AS"
			" a, max(t0+(n-1)*step) AS z FROM \"%w_chunk\" GROUP BY boot) c"
			" WHERE boot.id=c.b",
			name);
}

static int views_of_unknown(struct recovery *rec)
{
	int r = 0;

	for (size_t i = 0; i < rec->db.n_groups && !r; i++)
		if (rec->db.groups[i].index == SIZE_MAX)
			r = schema_views(&rec->db, &rec->db.groups[i]);
	return r;
}

static int complete(struct recovery *rec)
{
	struct db *db = &rec->db;
	int r = 0;

	for (size_t i = 0; i < rec->n_tables && !r; i++) {
		const struct rec_table *table = &rec->tables[i];

		if (!table->is_chunk || !table->n_columns)
			continue;
		r = widen_boots(rec, table->name);
		if (!r)
			r = make_up(rec, table->name);
	}
	if (!r)
		r = set_folded(rec);
	if (!r)
		r = make_up_of_tail(rec);
	if (!r)
		r = recover_boots(rec);
	/* Rollups whose number nothing explains keep it, so that it gets no other meaning. */
	if (!r)
		r = sql_exec(db->conn, "INSERT INTO measure SELECT num,'','measure-'||num,NULL FROM"
				       " (SELECT id%%10000 AS num FROM minute UNION"
				       " SELECT id%%10000 FROM hour) WHERE num>0"
				       " AND num NOT IN (SELECT num FROM measure)");
	if (!r)
		rec->report->n_made_up += sqlite3_changes(db->conn);
	if (!r)
		r = schema_sync(db, rec->catalog);
	if (!r)
		r = views_of_unknown(rec);
	if (!r)
		r = measures_sync(db, rec->catalog);
	if (!r)
		r = sql_int(db->conn, &db->boot, "SELECT coalesce(max(id),0) FROM boot");
	return r ? r : schema_begin_rollups(db);
}

/* The wall-clock time of an id of samples or rollups; -1: there is none. */
static int64_t wall_of(struct recovery *rec, const char *table, int64_t id)
{
	int64_t slot_ms = !strcmp(table, "minute") ? HOUR_MS : !strcmp(table, "hour") ? DAY_MS : 0;
	int64_t offset_ms, in_boot = id % FORMAT_BOOT_FACTOR;

	/* As far as reader_time() goes. */
	if (id <= 0 || id == INT64_MAX ||
	    sql_int(rec->db.conn, &offset_ms, "SELECT wall_offset_ms FROM boot WHERE id=%lld",
		    (long long)(id / FORMAT_BOOT_FACTOR)) < 0)
		return -1;
	offset_ms = MAX(-FORMAT_TIME_MAX_MS, MIN(FORMAT_TIME_MAX_MS, offset_ms));
	return offset_ms + (slot_ms ? in_boot / ROLLUP_SLOT_FACTOR * slot_ms
				    : in_boot / FORMAT_SECOND_FACTOR * 1000);
}

static int64_t wall_in_boot(struct recovery *rec, int64_t boot, int64_t t_ms)
{
	int64_t offset_ms = 0;

	if (boot <= 0 ||
	    sql_int(rec->db.conn, &offset_ms, "SELECT wall_offset_ms FROM boot WHERE id=%lld",
		    (long long)boot) < 0)
		return -1;
	return MAX(-FORMAT_TIME_MAX_MS, MIN(FORMAT_TIME_MAX_MS, offset_ms)) + t_ms;
}

/* Live pages of the tail, each with the one before it. One commit may have written several, of
 * other nodes each: so what stood between two has times of both. */
#define TAIL_PAGES                                                                                 \
	"SELECT seq,boot,a,z,lag(seq,1,(SELECT folded FROM meta)) OVER w,lag(boot) OVER w,"        \
	"lag(a) OVER w FROM (SELECT seq,boot,min(t0) AS a,max(t0+(n-1)*step) AS z FROM"            \
	" (SELECT l.seq,l.boot,json_extract(g.value,'$.t0') AS t0,"                                \
	" json_extract(g.value,'$.step') AS step,json_extract(g.value,'$.n') AS n"                 \
	" FROM tail l, json_each(l.dir) g WHERE l.seq>(SELECT folded FROM meta)"                   \
	" AND g.type='object') WHERE " SPAN_IS_SANE " GROUP BY seq,boot)"                          \
	" WINDOW w AS (ORDER BY seq) ORDER BY seq"

/* Numbers of pages that nothing has stood in the place of lost ones. More of these than that were
 * older, or empty, or the newest of all. */
static int time_tail_gap(struct recovery *rec, struct recover_gap *gap)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int64_t n_lost = 0, n_between = 0, last_ms = -1;
	bool any = false;
	int r = sql_int(rec->db.conn, &n_lost,
			"SELECT %d-count(*) FROM tail WHERE slot BETWEEN 1 AND %d", TAIL_SLOTS,
			TAIL_SLOTS);

	if (!r)
		r = sql_prepare(rec->db.conn, &stmt, TAIL_PAGES, SPAN_BOUNDS);
	gap->from_wall_ms = gap->to_wall_ms = -1;
	while (!r && (r = sql_step(stmt)) > 0) {
		int64_t seq = sqlite3_column_int64(stmt, 0), before = sqlite3_column_int64(stmt, 4);
		int64_t boot = sqlite3_column_int64(stmt, 1);

		r = 0;
		last_ms = wall_in_boot(rec, boot, sqlite3_column_int64(stmt, 2));
		if (seq <= before + 1)
			continue;
		n_between += MIN(seq - before - 1, (int64_t)TAIL_SLOTS);
		if (!any)
			gap->from_wall_ms = wall_in_boot(rec, sqlite3_column_int64(stmt, 5),
							 sqlite3_column_int64(stmt, 6));
		gap->to_wall_ms = wall_in_boot(rec, boot, sqlite3_column_int64(stmt, 3));
		any = true;
	}
	if (!any)
		gap->from_wall_ms = last_ms;
	if (n_lost > n_between)
		gap->to_wall_ms = -1;
	gap->is_found = !r && !any && n_lost <= 0;
	return r;
}

static void time_gaps(struct recovery *rec)
{
	struct recover_report *report = rec->report;

	for (size_t i = 0; i < MIN(report->n_gaps, (size_t)RECOVER_GAPS_MAX); i++) {
		struct recover_gap *gap = &report->gaps[i];

		if (!strcmp(gap->table, "tail")) {
			gap->has_time = !time_tail_gap(rec, gap);
			continue;
		}
		gap->has_time = !shape_named(gap->table) ? strcmp(gap->table, "sqlite_master") != 0
							 : !strcmp(gap->table, "minute") ||
								   !strcmp(gap->table, "hour");
		gap->from_wall_ms = wall_of(rec, gap->table, gap->from);
		gap->to_wall_ms = wall_of(rec, gap->table, gap->to);
	}
}

static int take_all(struct recovery *rec)
{
	struct raw_size size;
	int r = find_tables(rec);

	if (!r)
		r = take_trees(rec, false);
	if (!r)
		r = take_strays(rec, false);
	if (!r)
		r = make_tables(rec);
	if (!r)
		r = note_tail_pairs(rec);
	if (!r)
		r = take_trees(rec, true);
	if (!r)
		r = take_strays(rec, true);
	raw_get_size(rec->raw, &size);
	rec->report->n_unreadable_pages = size.n_unreadable;
	if (!r && !rec->report->n_rows)
		r = -EMEDIUMTYPE;
	return r ? r : complete(rec);
}

int recover(const char *from, const char *to, const struct catalog *catalog,
	    struct recover_report *ret)
{
	CLEANUP(recovery_freep) struct recovery *rec = calloc(1, sizeof(*rec));
	int r;

	*ret = (struct recover_report){0};
	if (!rec)
		return -ENOMEM;
	rec->catalog = catalog;
	rec->report = ret;
	rec->folded = -1;
	rec->db.lock_fd = -1;
	r = open_old(rec, from);
	if (!r)
		r = open_new(rec, to);
	if (!r)
		r = take_all(rec);
	if (!r)
		r = sql_exec(rec->db.conn, "COMMIT");
	if (!r)
		time_gaps(rec);
	return r;
}
