/* Tables of the file: the fixed ones, and one for each group with its views. schema/FORMAT.md
 * explains them, schema/generated.sql shows them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "model/unit.h"
#include "store/keep.h"
#include "store/rollup.h"
#include "store/sql.h"

#define VIEW_TEXT_BYTES (64 * 1024)

#define WALL(ms) "strftime('%Y-%m-%dT%H:%M:%fZ',(" ms ")/1000.0,'unixepoch')"

/* When the last tick of a group on a page stands. */
#define PAGE_LAST                                                                                  \
	"json_extract(g.value,'$.t0')+(json_extract(g.value,'$.n')-1)*json_extract(g.value,'$."    \
	"step')"

/* Files of before it have no such table. */
#define LOG_POSITION_TABLE(unless)                                                                 \
	"CREATE TABLE " unless "log_position(boot INTEGER PRIMARY KEY, next INTEGER NOT NULL)"

#define BOOT_END_TABLE(unless)                                                                     \
	"CREATE TABLE " unless "boot_end(boot INTEGER PRIMARY KEY, cause TEXT NOT NULL,\n"         \
	" certainty TEXT NOT NULL, text TEXT NOT NULL, evidence TEXT NOT NULL)"

#define CLOCK_STEP_TABLE(unless)                                                                   \
	"CREATE TABLE " unless "clock_step(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,\n"       \
	" t INTEGER NOT NULL, before_ms INTEGER NOT NULL, after_ms INTEGER NOT NULL)"

/* Rollups, and what is kept of all. */
#define ROLLUP_TABLE(unless, name)                                                                 \
	"CREATE TABLE " unless name                                                                \
	"(id INTEGER PRIMARY KEY, count, sum, sum2, span, min, min2,\n"                            \
	" max, max2, first, last, last2, flag)"

#define MEASURE_TABLE(unless)                                                                      \
	"CREATE TABLE " unless "measure(num INTEGER PRIMARY KEY, grp TEXT NOT NULL,\n"             \
	" name TEXT NOT NULL, state INTEGER)"

#define BASELINE_TABLE(unless)                                                                     \
	"CREATE TABLE " unless "baseline(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL,\n"         \
	" t INTEGER NOT NULL, a INTEGER NOT NULL, b INTEGER NOT NULL)"

#define KEPT_TABLE(unless)                                                                         \
	"CREATE TABLE " unless "kept(what TEXT PRIMARY KEY, pages INTEGER NOT NULL,\n"             \
	" made_bytes INTEGER NOT NULL, made_ms INTEGER NOT NULL, since INTEGER, done INTEGER)"

/* What the file may take, and each kind that is kept: of who wrote to it last. */
#define CAP_TABLE(unless)                                                                          \
	"CREATE TABLE " unless "cap(what TEXT PRIMARY KEY, bytes INTEGER NOT NULL)"

#define ROLLUP_TABLES(unless)                                                                      \
	MEASURE_TABLE(unless)                                                                      \
	";\n" ROLLUP_TABLE(unless, "minute") ";\n" ROLLUP_TABLE(                                   \
		unless, "hour") ";\n" BASELINE_TABLE(unless) ";\n" KEPT_TABLE(unless) ";\n"

#define SPENT_TABLE(unless)                                                                        \
	"CREATE TABLE " unless "spent(boot INTEGER NOT NULL, hour INTEGER NOT NULL,\n"             \
	" bytes INTEGER NOT NULL, PRIMARY KEY(boot,hour)) WITHOUT ROWID"

#define WRITER_TABLE(unless)                                                                       \
	"CREATE TABLE " unless "writer(boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"               \
	" since INTEGER NOT NULL, n INTEGER NOT NULL, until INTEGER NOT NULL,\n"                   \
	" source TEXT NOT NULL, name TEXT, unit TEXT, device TEXT, id INTEGER,\n"                  \
	" processes INTEGER, written INTEGER NOT NULL, read INTEGER NOT NULL,\n"                   \
	" cancelled INTEGER, syncs INTEGER, PRIMARY KEY(boot,t,since,n)) WITHOUT ROWID"

/* clang-format off */
static const char fixed_tables[] =
	"CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id=1), folded INTEGER NOT NULL, program TEXT,\n"
	" mark INTEGER NOT NULL);\n"
	"CREATE TABLE boot(id INTEGER PRIMARY KEY, boot_id TEXT, kernel TEXT, first_ms INTEGER,\n"
	" last_ms INTEGER, wall_offset_ms INTEGER NOT NULL);\n"
	"CREATE TABLE node(id INTEGER PRIMARY KEY, collector TEXT NOT NULL, name TEXT NOT NULL,\n"
	" identity TEXT NOT NULL, run INTEGER NOT NULL, boot INTEGER NOT NULL, first_ms INTEGER,\n"
	" last_ms INTEGER, gone INTEGER NOT NULL);\n"
	"CREATE TABLE field(grp TEXT NOT NULL, name TEXT NOT NULL, col INTEGER, kind TEXT, unit TEXT,\n"
	" symbol TEXT, bits INTEGER, states TEXT, help TEXT, PRIMARY KEY(grp,name));\n"
	"CREATE TABLE tail(slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, boot INTEGER NOT NULL,\n"
	" dir TEXT NOT NULL, data BLOB NOT NULL);\n"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" t_end INTEGER, severity TEXT, kind TEXT, collector TEXT, node TEXT, text TEXT, evidence TEXT);\n"
	"CREATE TABLE mark(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" t_end INTEGER, label TEXT, ufs_until INTEGER);\n"
	"CREATE TABLE info(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, value TEXT);\n"
	"CREATE INDEX info_of ON info(node,grp,field);\n"
	"CREATE TABLE flag(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, word TEXT);\n"
	"CREATE INDEX flag_of ON flag(node,grp,field);\n"
	"CREATE TABLE fault(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" node INTEGER NOT NULL, grp TEXT NOT NULL, field TEXT NOT NULL, error TEXT);\n"
	"CREATE INDEX fault_of ON fault(node,grp,field);\n"
	"CREATE TABLE outcome(id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, t INTEGER NOT NULL,\n"
	" collector TEXT NOT NULL, node TEXT NOT NULL, outcome TEXT, reason TEXT);\n"
	WRITER_TABLE("") ";\n"
	LOG_POSITION_TABLE("") ";\n"
	BOOT_END_TABLE("") ";\n"
	CLOCK_STEP_TABLE("") ";\n"
	SPENT_TABLE("") ";\n"
	ROLLUP_TABLES("");

/* The factors in the id of tail_rows are FORMAT_BOOT_FACTOR and FORMAT_SECOND_FACTOR. */
#define VIEW(name, select) {name, "CREATE VIEW " name " AS SELECT " select}

static const struct {
	const char *name, *sql;
} fixed_views[] = {
	VIEW("tail_rows", "g.key AS grp, l.boot*10000000000000\n"
	" +json_extract(g.value,'$.t0')/1000*10000+json_extract(k.value,'$[0]') AS id, l.boot,\n"
	" json_extract(k.value,'$[0]') AS node, json_extract(g.value,'$.t0') AS t0,\n"
	" json_extract(g.value,'$.step') AS step, json_extract(g.value,'$.n') AS n,\n"
	" (SELECT json_group_array(iif(x.type='array',hex(substr(l.data,\n"
	"   json_extract(x.value,'$[0]'),json_extract(x.value,'$[1]'))),x.value))\n"
	"  FROM json_each(k.value) x WHERE x.key>0) AS cells\n"
	" FROM tail l, json_each(l.dir) g, json_each(g.value,'$.nodes') k\n"
	" WHERE l.seq>(SELECT folded FROM meta)"),
	VIEW("boots", "b.id AS boot, " WALL("s.first_ms+wall_offset_ms") " AS first,\n"
	" " WALL("s.last_ms+wall_offset_ms") " AS last, kernel, boot_id, s.first_ms, s.last_ms,\n"
	" wall_offset_ms, e.cause AS ended, e.certainty, e.text AS how, e.evidence\n"
	" FROM boot b LEFT JOIN boot_end e ON e.boot=b.id JOIN (SELECT boot, min(first_ms) AS first_ms,\n"
	" max(last_ms) AS last_ms FROM (SELECT id AS boot, first_ms, last_ms FROM boot\n"
	" UNION ALL SELECT l.boot, json_extract(g.value,'$.t0'), " PAGE_LAST "\n"
	" FROM tail l, json_each(l.dir) g WHERE l.seq>(SELECT folded FROM meta))\n"
	" GROUP BY boot) s ON s.boot=b.id ORDER BY b.id"),
	VIEW("nodes", "d.collector, d.name AS node, d.identity, d.run, d.gone,\n"
	" " WALL("d.first_ms+b.wall_offset_ms") " AS first,\n"
	" " WALL("max(d.last_ms,coalesce(s.last_ms,d.last_ms))+b.wall_offset_ms") " AS last,\n"
	" d.boot, d.id, d.first_ms, max(d.last_ms,coalesce(s.last_ms,d.last_ms)) AS last_ms\n"
	" FROM node d JOIN boot b ON b.id=d.boot LEFT JOIN (SELECT l.boot,\n"
	" json_extract(k.value,'$[0]') AS node, max(" PAGE_LAST ") AS last_ms\n"
	" FROM tail l, json_each(l.dir) g, json_each(g.value,'$.nodes') k\n"
	" WHERE l.seq>(SELECT folded FROM meta) GROUP BY 1,2) s ON s.node=d.id AND s.boot=d.boot\n"
	" ORDER BY d.collector, d.name, d.run"),
	VIEW("events", WALL("e.t+b.wall_offset_ms") " AS wall,\n"
	" e.severity, e.kind, e.collector, e.node, e.text, e.evidence, e.boot, e.t,\n"
	" " WALL("e.t_end+b.wall_offset_ms") " AS wall_end\n"
	" FROM event e JOIN boot b ON b.id=e.boot ORDER BY e.t+b.wall_offset_ms"),
	VIEW("marks", WALL("m.t+b.wall_offset_ms") " AS wall,\n"
	" " WALL("m.t_end+b.wall_offset_ms") " AS wall_end, m.label, m.id, m.boot, m.t, m.t_end\n"
	" FROM mark m JOIN boot b ON b.id=m.boot ORDER BY m.t+b.wall_offset_ms"),
	VIEW("infos", WALL("i.t+b.wall_offset_ms") " AS wall, i.grp,\n"
	" d.name AS node, i.field, i.value, d.identity, i.boot, i.t\n"
	" FROM info i JOIN node d ON d.id=i.node JOIN boot b ON b.id=i.boot ORDER BY i.id"),
	VIEW("flags", WALL("f.t+b.wall_offset_ms") " AS wall, f.grp,\n"
	" d.name AS node, f.field, f.word, f.boot, f.t\n"
	" FROM flag f JOIN node d ON d.id=f.node JOIN boot b ON b.id=f.boot ORDER BY f.id"),
	VIEW("faults", WALL("f.t+b.wall_offset_ms") " AS wall, f.grp,\n"
	" d.name AS node, f.field, f.error, f.boot, f.t\n"
	" FROM fault f JOIN node d ON d.id=f.node JOIN boot b ON b.id=f.boot ORDER BY f.id"),
	VIEW("writers_top", WALL("w.since+b.wall_offset_ms") " AS wall,\n"
	" " WALL("w.until+b.wall_offset_ms") " AS wall_until, w.source, w.name, w.unit, w.device, w.id,\n"
	" w.processes, w.written, w.read, w.cancelled, w.syncs, w.boot, w.t, w.since, w.until\n"
	" FROM writer w JOIN boot b ON b.id=w.boot ORDER BY w.boot, w.t, w.since, w.n"),
	VIEW("outcomes", WALL("o.t+b.wall_offset_ms") " AS wall, o.collector,\n"
	" o.node, o.outcome, o.reason, o.boot, o.t\n"
	" FROM outcome o JOIN boot b ON b.id=o.boot ORDER BY o.id"),
};
/* clang-format on */

/* Rollups begin with the row since of minute; minutes below done are in hours. */
#define KEPT_ROWS(since)                                                                           \
	"INSERT INTO kept VALUES('raw',0,0,0,NULL,NULL),('minute',0,0,0," since ",NULL),"          \
	"('hour',0,0,0,NULL," since "),('slow',0,0,0,NULL,NULL);"

int schema_create(struct db *db)
{
	int r = sql_exec(db->conn, "%s", fixed_tables);

	if (!r)
		r = sql_exec(
			db->conn,
			"INSERT INTO meta VALUES(1,0,'flashscope " FLASHSCOPE_VERSION
			"',1);" KEPT_ROWS(
				"0") "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s "
				     "WHERE i<%d)"
				     " INSERT INTO tail SELECT i,0,0,'{}',zeroblob(%d) FROM s;",
			TAIL_SLOTS, TAIL_PAYLOAD_BYTES - 8);
	if (!r)
		r = sql_exec(db->conn, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
			     FORMAT_APPLICATION_ID, FORMAT_VERSION);
	return r;
}

int schema_add_tables(struct db *db)
{
	return sql_exec(db->conn, "%s;%s;%s;%s;%s;%s;%s", LOG_POSITION_TABLE("IF NOT EXISTS "),
			BOOT_END_TABLE("IF NOT EXISTS "), CLOCK_STEP_TABLE("IF NOT EXISTS "),
			SPENT_TABLE("IF NOT EXISTS "), ROLLUP_TABLES("IF NOT EXISTS "),
			WRITER_TABLE("IF NOT EXISTS "), CAP_TABLE("IF NOT EXISTS "));
}

/* Format 1 has no rollups. They begin with the next hour of this boot; what is older is read from
 * its chunks for as long as they are there. Nearly all pages of such a file are chunks. */
int schema_begin_rollups(struct db *db)
{
	int64_t last_ms = -1, used = 0;
	int r = sql_int(db->conn, &last_ms, "SELECT last_ms FROM boot WHERE id=%lld",
			(long long)db->boot);
	int64_t hour = last_ms < 0 ? 0 : MIN(last_ms / HOUR_MS + 1, ROLLUP_SLOT_MAX);
	long long since = db->boot * FORMAT_BOOT_FACTOR + hour * ROLLUP_SLOT_FACTOR;

	if (!r || r == -ENOENT)
		r = keep_used_pages(db, &used);
	if (!r)
		r = sql_exec(db->conn, "DELETE FROM kept;" KEPT_ROWS("%lld"), since, since);
	return r ? r
		 : sql_exec(db->conn, "UPDATE kept SET pages=%lld WHERE what='raw'",
			    (long long)MAX(used - 2 * TAIL_SLOTS, 0));
}

int schema_upgrade(struct db *db)
{
	int64_t version;
	int r = sql_int(db->conn, &version, "PRAGMA user_version");

	if (r || version >= FORMAT_VERSION)
		return r;
	r = schema_begin_rollups(db);
	return r ? r : sql_exec(db->conn, "PRAGMA user_version=%d", FORMAT_VERSION);
}

void schema_groups_free(struct db *db)
{
	for (size_t i = 0; i < db->n_groups; i++) {
		sqlite3_finalize(db->groups[i].insert);
		free(db->groups[i].columns);
		free(db->groups[i].nums);
	}
	free(db->groups);
	db->groups = NULL;
	db->n_groups = 0;
}

struct file_group *schema_group(struct db *db, const char *name, size_t len)
{
	for (size_t i = 0; i < db->n_groups; i++)
		if (strlen(db->groups[i].name) == len && !memcmp(db->groups[i].name, name, len))
			return &db->groups[i];
	return NULL;
}

static struct file_group *add_group(struct db *db, const char *name)
{
	struct file_group *groups = reallocarray(db->groups, db->n_groups + 1, sizeof(*db->groups));

	if (!groups)
		return NULL;
	db->groups = groups;

	struct file_group *group = &groups[db->n_groups++];

	*group = (struct file_group){.index = SIZE_MAX};
	snprintf(group->name, sizeof(group->name), "%s", name);
	return group;
}

static int add_column(struct file_group *group, const char *name)
{
	struct file_column *columns =
		reallocarray(group->columns, group->n_columns + 1, sizeof(*columns));

	if (!columns)
		return -ENOMEM;
	group->columns = columns;
	columns[group->n_columns] = (struct file_column){.field = SIZE_MAX};
	snprintf(columns[group->n_columns].name, sizeof(columns->name), "%s", name);
	group->n_columns++;
	return 0;
}

static int load_groups(struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	struct file_group *group = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "SELECT grp, name FROM field WHERE col IS NOT NULL ORDER BY grp, col");

	while (!r && (r = sql_step(stmt)) > 0) {
		const char *name = column_text(stmt, 0);

		if (!group || strcmp(group->name, name) != 0)
			group = add_group(db, name);
		r = group ? add_column(group, column_text(stmt, 1)) : -ENOMEM;
	}
	return r;
}

/* '["off","on"]' */
static void states_text(struct text *text, const struct field *field)
{
	text_reset(text);
	for (size_t i = 0; field->states && field->states[i]; i++) {
		text_char(text, i ? ',' : '[');
		text_json(text, field->states[i]);
	}
	if (text->len)
		text_char(text, ']');
}

/* Writes the description of a field when it differs from what the file says. */
static int describe(sqlite3_stmt *stmt, const struct group *group, const struct field *field,
		    size_t col)
{
	char states[1024];
	struct text text = TEXT_IN(states);

	states_text(&text, field);
	bind_text(stmt, 1, group->name);
	bind_text(stmt, 2, field->name);
	sqlite3_bind_null(stmt, 3);
	if (col)
		bind_int(stmt, 3, (int64_t)col);
	bind_text(stmt, 4, kind_name(field->kind));
	bind_text(stmt, 5, unit_name(field->unit));
	bind_text(stmt, 6, unit_symbol(field->unit));
	bind_int(stmt, 7, field->bits ? field->bits : 64);
	sqlite3_bind_null(stmt, 8);
	if (text.len)
		bind_text(stmt, 8, states);
	bind_text(stmt, 9, field->help);
	return sql_run(stmt);
}

static size_t find_column(const struct file_group *group, const char *name)
{
	for (size_t i = 0; i < group->n_columns; i++)
		if (!strcmp(group->columns[i].name, name))
			return i;
	return SIZE_MAX;
}

static int make_table(struct db *db, const struct group *group, struct file_group **ret)
{
	struct file_group *made = add_group(db, group->name);
	int r = made ? 0 : -ENOMEM;

	for (size_t f = 0; f < group->n_fields && !r; f++)
		if (group->fields[f].kind != KIND_INFO)
			r = add_column(made, group->fields[f].name);
	if (r < 0)
		return r;

	sqlite3_str *sql = sqlite3_str_new(db->conn);

	sqlite3_str_appendf(sql,
			    "CREATE TABLE \"%w_chunk\"(id INTEGER PRIMARY KEY, boot INTEGER, "
			    "node INTEGER,\n t0 INTEGER, step INTEGER, n INTEGER, late",
			    group->name);
	for (size_t c = 0; c < made->n_columns; c++)
		sqlite3_str_appendf(sql, ", \"%w\"", made->columns[c].name);
	sqlite3_str_appendall(sql, ")");

	char *text = sqlite3_str_finish(sql);

	r = text ? sql_exec(db->conn, "%s", text) : -ENOMEM;
	sqlite3_free(text);
	*ret = made;
	return r;
}

static int add_missing(struct db *db, struct file_group *made, const struct group *group)
{
	int r = 0;

	for (size_t f = 0; f < group->n_fields && !r; f++) {
		const struct field *field = &group->fields[f];

		if (field->kind == KIND_INFO || find_column(made, field->name) != SIZE_MAX)
			continue;
		r = sql_exec(db->conn, "ALTER TABLE \"%w_chunk\" ADD COLUMN \"%w\"", group->name,
			     field->name);
		if (!r)
			r = add_column(made, field->name);
	}
	return r;
}

/* What is kept by hour stands in the table `writer`. */
static bool has_columns(const struct group *group)
{
	if (group->by_hour)
		return false;
	for (size_t f = 0; f < group->n_fields; f++)
		if (group->fields[f].kind != KIND_INFO)
			return true;
	return false;
}

static int describe_all(struct db *db, const struct group *group, struct file_group *made)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "INSERT INTO field(grp,name,col,kind,unit,symbol,bits,states,help)"
			    " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9) ON CONFLICT(grp,name) DO UPDATE"
			    " SET col=?3,kind=?4,unit=?5,symbol=?6,bits=?7,states=?8,help=?9"
			    " WHERE (col,kind,unit,symbol,bits,states,help)"
			    " IS NOT (?3,?4,?5,?6,?7,?8,?9)");

	for (size_t f = 0; f < group->n_fields && !r; f++) {
		size_t col = made ? find_column(made, group->fields[f].name) : SIZE_MAX;

		if (col != SIZE_MAX)
			made->columns[col].field = f;
		r = describe(stmt, group, &group->fields[f], col == SIZE_MAX ? 0 : col + 1);
	}
	return r;
}

/* Replaces a view whose text is not what this program makes. */
static int sync_view(struct db *db, const char *name, const char *sql)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt,
			    "SELECT sql FROM sqlite_master WHERE type='view' AND name=?");

	if (r < 0)
		return r;
	bind_text(stmt, 1, name);
	r = sql_step(stmt);
	if (r < 0 || (r > 0 && !strcmp(column_text(stmt, 0), sql)))
		return MIN(r, 0);
	sqlite3_reset(stmt);
	r = sql_exec(db->conn, "DROP VIEW IF EXISTS \"%w\"", name);
	return r < 0 ? r : sql_exec(db->conn, "%s", sql);
}

static int sync_group_view(struct db *db, const struct file_group *group, enum view view,
			   struct text *text)
{
	char buf[NODE_NAME_MAX + 8];
	struct text name = TEXT_IN(buf);

	view_name(&name, group, view);
	text_reset(text);
	view_sql(text, group, view);
	return text->truncated ? -E2BIG : sync_view(db, buf, text->p);
}

static int sync_rollup_views(struct db *db, struct text *text)
{
	int r = 0;

	for (int i = RESOLUTION_MINUTE; i <= RESOLUTION_HOUR && !r; i++) {
		const struct resolution_spec *spec = &resolution_specs[i];
		char name[32];

		snprintf(name, sizeof(name), "%s_rows", spec->table);
		text_reset(text);
		rollup_rows_sql(text, spec);
		r = sync_view(db, name, text->p);
		if (r < 0)
			break;
		snprintf(name, sizeof(name), "%ss", spec->table);
		text_reset(text);
		rollups_sql(text, spec);
		r = sync_view(db, name, text->p);
	}
	return r;
}

static int sync_group(struct db *db, const struct group *group, size_t index, struct text *text)
{
	struct file_group *made = schema_group(db, group->name, strlen(group->name));
	int r;

	if (!has_columns(group))
		return describe_all(db, group, NULL);
	r = made ? add_missing(db, made, group) : make_table(db, group, &made);
	if (r < 0)
		return r;
	made->index = index;
	r = describe_all(db, group, made);
	for (int view = VIEW_ROWS; view <= VIEW_LAST && !r; view++)
		r = sync_group_view(db, made, (enum view)view, text);
	return r;
}

const char *schema_view(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_views); i++)
		if (!strcmp(fixed_views[i].name, name))
			return strstr(fixed_views[i].sql, " AS SELECT ") + 4;
	return NULL;
}

int schema_views(struct db *db, const struct file_group *group)
{
	CLEANUP(freep) char *buf = malloc(VIEW_TEXT_BYTES);
	int r = buf ? 0 : -ENOMEM;

	if (r < 0)
		return r;

	struct text text = text_in(buf, VIEW_TEXT_BYTES);

	for (int view = VIEW_ROWS; view <= VIEW_LAST && !r; view++)
		r = sync_group_view(db, group, (enum view)view, &text);
	return r;
}

int schema_sync(struct db *db, const struct catalog *catalog)
{
	CLEANUP(freep) char *buf = malloc(VIEW_TEXT_BYTES);
	const struct group *group;
	int r = buf ? load_groups(db) : -ENOMEM;

	if (r < 0)
		return r;

	struct text text = text_in(buf, VIEW_TEXT_BYTES);

	for (size_t i = 0; i < ARRAY_SIZE(fixed_views) && !r; i++)
		r = sync_view(db, fixed_views[i].name, fixed_views[i].sql);
	if (!r)
		r = sync_rollup_views(db, &text);
	for (size_t i = 0; !r && (group = catalog_group_at(catalog, i, NULL)); i++)
		r = sync_group(db, group, i, &text);
	return r;
}
