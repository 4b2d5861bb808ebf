/* The views of a group, in SQL that the stock shell runs: G_rows joins chunks and live tail pages,
 * G has one row for each tick, G_last the newest of them.
 *
 * Every group's views are parsed whenever the file is opened, at each commit too, so what is said
 * once for each field is kept short: G_rows puts the cells of a row into one JSON array, and G
 * takes the values of a tick out of another one. In between stands a query that knows no field: it
 * makes the code of all cells of a row c into a JSON array of ticks. replace() turns hex(cell) into
 * an array of numbers with their letters, and json_each() reads it in one pass. From there on:
 *
 * - cell is what is said of a whole cell; LIMIT -1 keeps it from being made anew for each number.
 * - num has one row for each number i of a cell: its letter l, the number k, the common divisor g.
 *   k and g have their sign turned, since -9223372036854775808 has no opposite.
 * - span is what a number stands for: n ticks from tick i on, and a step of a. e counts the numbers
 *   that begin anew.
 * - run has the value v of a span. Constant and absent cells join here.
 * - tick has one row for each field f and tick i, none missing and none too many: what follows
 * takes a field by its place.
 *
 * json_each() around it is a barrier: its argument is worked out once for each row of G_rows,
 * behind all filters on node, boot and t0. */
#include <string.h>

#include "base/text.h"
#include "store/db.h"
#include "store/rollup.h"

void view_name(struct text *text, const struct file_group *group, enum view view)
{
	static const char *const suffixes[] = {
		[VIEW_ROWS] = "_rows", [VIEW_TICKS] = "", [VIEW_LAST] = "_last"};

	text_printf(text, "%s%s", group->name, suffixes[view]);
}

static void chunk_cell(struct text *text, const char *f)
{
	text_printf(text, ",\n  iif(typeof(%s)='blob',hex(%s),%s)", f, f, f);
}

static void rows_sql(struct text *text, const struct file_group *group)
{
	const char *g = group->name;

	text_printf(text,
		    "CREATE VIEW %s_rows AS SELECT 'chunk' AS part, id, boot, node, t0, step, n,\n"
		    " json_array(iif(typeof(late)='blob',hex(late),late)",
		    g);
	for (size_t i = 0; i < group->n_columns; i++)
		chunk_cell(text, group->columns[i].name);
	text_printf(text,
		    ") AS cells FROM %s_chunk\n UNION ALL SELECT 'tail', id, boot, node, t0, step,"
		    " n, cells FROM tail_rows WHERE grp='%s'",
		    g, g);
}

/* The cells of a row c as numbers. Behind the last one, or what fills its byte, the rest of the row
 * is absent: a whole cell ends there, a damaged one that is too short has no value from there on.
 */
static const char numbers_sql[] =
	" cell(f,g,code) AS (SELECT key, iif(value<'A',CAST('-'||value AS INTEGER),-1),\n"
	"   '[\"'||replace(replace(replace(replace(replace(replace(\n"
	"   value,'A','A\",\"'),'B','B\",\"'),'C','C\",\"'),'D','D\",\"'),'E','E\",\"'),"
	"'F','F\",\"')\n"
	"   ||'D\",\"'||c.n||'D\"]' FROM json_each(c.cells) WHERE type='text' LIMIT -1),\n"
	" num(f,i,l,k,g) AS (SELECT f, key, substr(value,-1),\n"
	"   iif(length(value)=1,-1,CAST('-'||value AS INTEGER)), g\n"
	"  FROM cell CROSS JOIN json_each(code) WHERE key>0),\n";

/* C and D stand for several ticks, E and F begin anew. No number stands for more ticks than the row
 * has: a damaged one would not come to an end. */
#define SPAN_TICKS "iif(l<'C' OR l>'D',1,min(-k,c.n))"

static const char spans_sql[] =
	" span(f,i,n,l,a,e) AS (SELECT f, sum(" SPAN_TICKS ") OVER w-" SPAN_TICKS ",\n"
	"   " SPAN_TICKS ", l,\n"
	"   CASE l WHEN 'A' THEN g*k WHEN 'B' THEN -g*k WHEN 'E' THEN -k WHEN 'F' THEN k END,\n"
	"   sum(l>'D') OVER w\n"
	"  FROM num WINDOW w AS (PARTITION BY f ORDER BY i ROWS UNBOUNDED PRECEDING)),\n"
	" run(f,i,n,v) AS (SELECT f, i, n, iif(l='D',NULL,\n"
	"   sum(a) OVER (PARTITION BY f,e ORDER BY i ROWS UNBOUNDED PRECEDING)) FROM span\n"
	"  UNION ALL SELECT key, 0, c.n, value FROM json_each(c.cells) WHERE type<>'text'),\n";

/* A tick is there when anything stands behind its lateness. */
static const char ticks_of_row_sql[] =
	" tick(f,i,n,v) AS (SELECT f, i, n, v FROM run WHERE n>0 AND i<c.n\n"
	"  UNION ALL SELECT f, i+1, n-1, v FROM tick WHERE n>1 AND i+1<c.n)\n"
	" SELECT json_group_array('['||i||','||x||']') FROM\n"
	"  (SELECT f, i, group_concat(ifnull(v,'null')) OVER (PARTITION BY i ORDER BY f\n"
	"    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM tick)\n"
	"  WHERE f=0 AND instr(rtrim(x,',nul'),',')";

#define T_MS "c.t0+json_extract(j.value,'$[0]')*c.step+ifnull(json_extract(j.value,'$[1]'),0)"

static void ticks_sql(struct text *text, const struct file_group *group)
{
	text_printf(text,
		    "CREATE VIEW %s AS SELECT"
		    " strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ',(b.wall_offset_ms+" T_MS
		    ")/1000.0,'unixepoch') AS wall,\n c.boot AS boot, " T_MS
		    " AS t, d.name AS node",
		    group->name);
	for (size_t i = 0; i < group->n_columns; i++)
		text_printf(text, ",\n json_extract(j.value,'$[%zu]') AS %s", i + 2,
			    group->columns[i].name);
	text_printf(text,
		    ",\n c.t0 AS t0, c.step AS step, c.n AS n, c.part AS part, c.id AS id\n"
		    " FROM %s_rows c CROSS JOIN node d ON d.id=c.node"
		    " CROSS JOIN boot b ON b.id=c.boot CROSS JOIN json_each((WITH RECURSIVE\n"
		    "%s%s%s)) j",
		    group->name, numbers_sql, spans_sql, ticks_of_row_sql);
}

/* The newest pages, and of slow groups the chunks of the last two hours. */
static void last_sql(struct text *text, const struct file_group *group)
{
	const char *g = group->name;

	text_printf(text,
		    "CREATE VIEW %s_last AS SELECT * FROM %s"
		    " WHERE id>(SELECT coalesce(max(id),0) FROM %s_chunk)-72000000\n"
		    " AND (part='tail' AND boot=(SELECT max(boot) FROM tail) AND t0>"
		    "(SELECT max(json_extract(dir,'$.%s.t0')) FROM tail"
		    " WHERE boot=(SELECT max(boot) FROM tail))-150000\n"
		    " OR part='chunk' AND step>=60000)",
		    g, g, g, g);
}

/* Rollups by the same code: cells are what they measure. In the place of lateness, which alone
 * makes no tick, stands last2: a number there may be the count at the end of the row, and no
 * point's. */
static const char *const rollup_columns[] = {"count", "sum",  "sum2",  "span", "min",   "min2",
					     "max",   "max2", "first", "last", "last2", "flag"};
#define LAST2 10

/* Where a column stands among the cells. */
static size_t place_of(size_t column)
{
	return column == LAST2 ? 0 : column < LAST2 ? column + 1 : column;
}

void rollup_rows_sql(struct text *text, const struct resolution_spec *spec)
{
	text_printf(text,
		    "CREATE VIEW %s_rows AS SELECT id, id/10000000000000 AS boot,\n"
		    " id/10000%%10000 AS node, id%%10000 AS num, id/100000000%%100000*%lld AS t0,\n"
		    " %zu AS n, json_array(iif(typeof(last2)='blob',hex(last2),last2)",
		    spec->table, (long long)(spec->point_ms * (int64_t)spec->n), spec->n);
	for (size_t i = 0; i < ARRAY_SIZE(rollup_columns); i++)
		if (i != LAST2)
			chunk_cell(text, rollup_columns[i]);
	text_printf(text, ") AS cells FROM %s", spec->table);
}

#define END_MS "c.t0+(json_extract(j.value,'$[0]')+1)*"

void rollups_sql(struct text *text, const struct resolution_spec *spec)
{
	long long ms = spec->point_ms;

	text_printf(text,
		    "CREATE VIEW %ss AS SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ',"
		    "(b.wall_offset_ms+" END_MS "%lld)/1000.0,'unixepoch') AS wall,\n"
		    " c.boot AS boot, " END_MS "%lld AS t, d.name AS node, q.grp AS grp,"
		    " q.name AS name, q.state AS state",
		    spec->table, ms, ms);
	for (size_t i = 0; i < ARRAY_SIZE(rollup_columns); i++)
		text_printf(text, ",\n json_extract(j.value,'$[%zu]') AS %s", place_of(i) + 1,
			    rollup_columns[i]);
	text_printf(text,
		    ",\n d.identity AS identity, c.t0 AS t0, c.id AS id FROM %s_rows c"
		    " CROSS JOIN measure q ON q.num=c.num CROSS JOIN node d ON d.id=c.node"
		    " CROSS JOIN boot b ON b.id=c.boot CROSS JOIN json_each((WITH RECURSIVE\n"
		    "%s%s%s)) j",
		    spec->table, numbers_sql, spans_sql, ticks_of_row_sql);
}

void view_sql(struct text *text, const struct file_group *group, enum view view)
{
	switch (view) {
	case VIEW_ROWS:
		rows_sql(text, group);
		break;
	case VIEW_TICKS:
		ticks_sql(text, group);
		break;
	case VIEW_LAST:
		last_sql(text, group);
		break;
	}
}
