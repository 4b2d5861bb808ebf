/* The views of a group, in SQL that the stock shell runs: G_rows joins chunks and live tail pages,
 * G has one row for each tick, G_last the newest of them.
 *
 * In G_rows a cell is the text of its code, for a constant as well (5 is "A5E9999C"). In G a
 * recursive query reads all cells of a chunk side by side, one step for each tick. For field k it
 * holds
 *	pk   where the next number stands
 *	kk   the number read last, with its sign turned (-9223372036854775808 has no opposite)
 *	lk   the letter that ended it
 *	vk   the value before it
 *	gk   the common divisor of the steps, its sign turned as well
 * and prints the values of a tick into one text, 20 characters a field. Step 0 reads the header.
 * json_each() is a barrier: its argument is worked out once for each chunk, behind all filters on
 * node, boot and t0. */
#include <string.h>

#include "base/text.h"
#include "store/db.h"

#define DIGITS "'0123456789'"

void view_name(struct text *text, const struct file_group *group, enum view view)
{
	static const char *const suffixes[] = {
		[VIEW_ROWS] = "_rows", [VIEW_TICKS] = "", [VIEW_LAST] = "_last"};

	text_printf(text, "%s%s", group->name, suffixes[view]);
}

static const char *name_of(const struct file_group *group, size_t k)
{
	return k ? group->columns[k - 1].name : "late";
}

/* A cell as the text of its code. It is a blob, since only in a blob is substr() quick; and it is
 * made here, in the arms of a UNION ALL, since SQLite would work out a plain subquery anew at each
 * use. */
static void chunk_cell(struct text *text, const char *f)
{
	text_printf(text,
		    ",\n  CAST(CASE typeof(%s) WHEN 'blob' THEN hex(%s) WHEN 'null' THEN 'A9999D'"
		    " ELSE 'A'||ltrim(%s,'-')||CASE WHEN %s<0 THEN 'F9999C' ELSE 'E9999C' END END"
		    " AS BLOB) AS %s",
		    f, f, f, f, f);
}

static void tail_cell(struct text *text, size_t k)
{
	text_printf(
		text,
		",\n  CAST(CASE json_type(k.value,'$[%zu]') WHEN 'array' THEN hex(substr(l.data,"
		"json_extract(k.value,'$[%zu][0]'),json_extract(k.value,'$[%zu][1]')))"
		" WHEN 'integer' THEN 'A'||ltrim(json_extract(k.value,'$[%zu]'),'-')||"
		"CASE WHEN json_extract(k.value,'$[%zu]')<0 THEN 'F9999C' ELSE 'E9999C' END"
		" ELSE 'A9999D' END AS BLOB)",
		k, k, k, k, k);
}

static void rows_sql(struct text *text, const struct file_group *group)
{
	const char *g = group->name;

	text_printf(text,
		    "CREATE VIEW %s_rows AS SELECT 'chunk' AS part, id, boot, node, t0, step, n",
		    g);
	for (size_t k = 0; k <= group->n_columns; k++)
		chunk_cell(text, name_of(group, k));
	text_printf(text, "\n FROM %s_chunk\n UNION ALL SELECT 'tail', l.boot*%jd", g,
		    (intmax_t)FORMAT_BOOT_FACTOR);
	text_printf(text,
		    "+json_extract(l.dir,'$.%s.t0')/1000*%d+json_extract(k.value,'$[0]'),\n"
		    "  l.boot, json_extract(k.value,'$[0]'), json_extract(l.dir,'$.%s.t0'),\n"
		    "  json_extract(l.dir,'$.%s.step'), json_extract(l.dir,'$.%s.n')",
		    g, FORMAT_SECOND_FACTOR, g, g, g);
	for (size_t k = 0; k <= group->n_columns; k++)
		tail_cell(text, k + 1);
	text_printf(text,
		    "\n FROM tail l, json_each(l.dir,'$.%s.nodes') k"
		    " WHERE l.seq>(SELECT folded FROM meta)",
		    g);
}

/* The last number of field k stands for one more tick. */
#define AGAIN "l%zu IN('C','D') AND k%zu<-1"

static void step_sql(struct text *text, size_t k, const char *f)
{
	text_printf(text,
		    ",\n  CASE WHEN " AGAIN " THEN p%zu ELSE p%zu+1+length(substr(c.%s,p%zu,20))"
		    "-length(ltrim(substr(c.%s,p%zu,20)," DIGITS ")) END,",
		    k, k, k, k, f, k, f, k);
	text_printf(text,
		    " CASE WHEN " AGAIN " THEN k%zu+1 WHEN substr(c.%s,p%zu,1)<x'41' THEN"
		    " CAST('-'||substr(c.%s,p%zu,20) AS INTEGER) ELSE -1 END,",
		    k, k, k, f, k, f, k);
	text_printf(text,
		    "\n   CASE WHEN " AGAIN
		    " THEN l%zu ELSE substr(ltrim(substr(c.%s,p%zu,20)," DIGITS "),1,1) END,",
		    k, k, k, f, k);
	text_printf(text,
		    " CASE l%zu WHEN 'A' THEN v%zu+g%zu*k%zu WHEN 'B' THEN v%zu-g%zu*k%zu"
		    " WHEN 'E' THEN -k%zu WHEN 'F' THEN k%zu ELSE v%zu END,"
		    " CASE i WHEN 0 THEN k%zu ELSE g%zu END",
		    k, k, k, k, k, k, k, k, k, k, k, k);
}

/* The value of field k at the tick of a row of s; NULL where it is absent. */
static void value_sql(struct text *text, size_t k)
{
	text_printf(text,
		    ",\n  CASE l%zu WHEN 'A' THEN v%zu+g%zu*k%zu WHEN 'B' THEN v%zu-g%zu*k%zu"
		    " WHEN 'C' THEN v%zu WHEN 'E' THEN -k%zu WHEN 'F' THEN k%zu END",
		    k, k, k, k, k, k, k, k, k, k);
}

/* The recursive query, from a row c to an array of texts. */
static void decode_sql(struct text *text, const struct file_group *group)
{
	text_str(text, "(WITH RECURSIVE s(i");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_printf(text, ",p%zu,k%zu,l%zu,v%zu,g%zu", k, k, k, k, k);
	text_str(text, ") AS (SELECT -1");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_str(text, ",1,0,'',NULL,NULL");
	text_str(text, "\n UNION ALL SELECT i+1");
	for (size_t k = 0; k <= group->n_columns; k++)
		step_sql(text, k, name_of(group, k));
	text_str(text, "\n FROM s WHERE i<c.n)\n SELECT json_group_array(printf('");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_str(text, "%20s");
	text_str(text, "'");
	for (size_t k = 0; k <= group->n_columns; k++)
		value_sql(text, k);
	text_str(text, ")) FROM s WHERE i>0)");
}

#define T_MS "c.t0+j.key*c.step+CAST(substr(j.value,1,20) AS INTEGER)"

static void ticks_sql(struct text *text, const struct file_group *group)
{
	text_printf(text,
		    "CREATE VIEW %s AS SELECT"
		    " strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ',(b.wall_offset_ms+" T_MS
		    ")/1000.0,'unixepoch') AS wall,\n c.boot AS boot, " T_MS
		    " AS t, d.name AS node",
		    group->name);
	for (size_t k = 1; k <= group->n_columns; k++)
		text_printf(text,
			    ",\n CAST(nullif(substr(j.value,%zu,20),'                    ') AS "
			    "INTEGER) AS %s",
			    20 * k + 1, name_of(group, k));
	text_str(text, ",\n c.t0 AS t0, c.step AS step, c.n AS n, c.part AS part, c.id AS id\n");
	text_printf(text, " FROM %s_rows c", group->name);
	text_str(text, "\n CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot"
		       "\n CROSS JOIN json_each(");
	decode_sql(text, group);
	text_str(text, ") j\n WHERE trim(substr(j.value,21))<>''");
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
