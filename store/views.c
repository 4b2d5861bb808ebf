/* The views of a group, in SQL that the stock shell runs: G_rows joins chunks and live tail pages,
 * G has one row for each tick, G_last the same of the newest pages alone.
 *
 * A recursive query walks all cells of a chunk side by side, one step for each tick. For field k it
 * holds
 *	pk, xk   place of the next number in hex(cell), and the text there
 *	vk       the value
 *	rk       ticks that the last number still stands for
 *	ak       1 while the field is absent
 *	gk       the common divisor of the steps
 * and prints the values of a tick into one text, 20 characters a field. json_each() is a barrier:
 * its argument is worked out once for each chunk, behind all filters on node, boot and t0. */
#include <string.h>

#include "base/text.h"
#include "store/db.h"

#define DIGITS "'0123456789'"

/* Nibbles of the number at the front of xk, its letter included. */
#define TOKEN_LENGTH "1+length(x%zu)-length(ltrim(x%zu," DIGITS "))"
#define NUMBER       "CASE WHEN x%zu<'A' THEN CAST(x%zu AS INTEGER) ELSE 1 END"
#define LETTER       "substr(ltrim(x%zu," DIGITS "),1,1)"
#define HEAD         "hex(substr(c.%s,1,12))"
#define HEAD_LENGTH  "1+length(" HEAD ")-length(ltrim(" HEAD "," DIGITS "))"

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

static void tail_cell(struct text *text, size_t k)
{
	text_printf(text,
		    ",\n  CASE json_type(k.value,'$[%zu]') WHEN 'array' THEN substr(l.data,"
		    "json_extract(k.value,'$[%zu][0]'),json_extract(k.value,'$[%zu][1]'))"
		    " ELSE json_extract(k.value,'$[%zu]') END",
		    k, k, k, k);
}

/* The cells of tail pages l as rows of the form of chunks. */
static void tail_select(struct text *text, const struct file_group *group, const char *where)
{
	const char *g = group->name;

	text_printf(
		text,
		"SELECT l.boot*%jd+json_extract(l.dir,'$.%s.t0')/1000*%d"
		"+json_extract(k.value,'$[0]') AS id,\n"
		"  l.boot AS boot, json_extract(k.value,'$[0]') AS node,\n"
		"  json_extract(l.dir,'$.%s.t0') AS t0, json_extract(l.dir,'$.%s.step') AS step,"
		" json_extract(l.dir,'$.%s.n') AS n",
		(intmax_t)FORMAT_BOOT_FACTOR, g, FORMAT_SECOND_FACTOR, g, g, g);
	for (size_t k = 0; k <= group->n_columns; k++) {
		tail_cell(text, k + 1);
		text_printf(text, " AS %s", name_of(group, k));
	}
	text_printf(text, "\n FROM tail l, json_each(l.dir,'$.%s.nodes') k\n WHERE %s", g, where);
}

static void rows_sql(struct text *text, const struct file_group *group)
{
	text_printf(text, "CREATE VIEW %s_rows AS SELECT id, boot, node, t0, step, n, late",
		    group->name);
	for (size_t k = 1; k <= group->n_columns; k++)
		text_printf(text, ", %s", name_of(group, k));
	text_printf(text, " FROM %s_chunk\n UNION ALL ", group->name);
	tail_select(text, group, "l.seq>(SELECT folded FROM meta)");
}

static void state_names(struct text *text, const struct file_group *group)
{
	text_str(text, "s(i");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_printf(text, ",p%zu,x%zu,v%zu,r%zu,a%zu,g%zu", k, k, k, k, k, k);
	text_str(text, ")");
}

static void state_start(struct text *text, size_t k, const char *name)
{
	text_printf(text,
		    ",\n  " HEAD_LENGTH ","
		    " substr(hex(substr(c.%s,(" HEAD_LENGTH ")/2+1,12)),1+(" HEAD_LENGTH ")%%2),\n",
		    name, name, name, name, name, name, name);
	text_printf(text,
		    "   CASE typeof(c.%s) WHEN 'blob' THEN NULL ELSE c.%s END,"
		    " CASE typeof(c.%s) WHEN 'blob' THEN 0 ELSE c.n END, c.%s IS NULL,"
		    " CASE WHEN " HEAD "<'A' THEN CAST(" HEAD " AS INTEGER) ELSE 1 END",
		    name, name, name, name, name, name);
	(void)k;
}

static void state_step(struct text *text, size_t k, const char *name)
{
	text_printf(text, ",\n  CASE WHEN r%zu>0 THEN p%zu ELSE p%zu+" TOKEN_LENGTH " END,", k, k,
		    k, k, k);
	text_printf(
		text,
		"\n   CASE WHEN r%zu>0 THEN x%zu ELSE substr(hex(substr(c.%s,(p%zu+" TOKEN_LENGTH
		")/2+1,12)),1+(p%zu+" TOKEN_LENGTH ")%%2) END,",
		k, k, name, k, k, k, k, k, k);
	text_printf(text,
		    "\n   CASE WHEN r%zu>0 THEN v%zu ELSE CASE " LETTER
		    " WHEN 'A' THEN v%zu+g%zu*" NUMBER " WHEN 'B' THEN v%zu-g%zu*" NUMBER
		    " WHEN 'E' THEN " NUMBER " WHEN 'F' THEN CASE WHEN x%zu<'A' THEN"
		    " CAST('-'||x%zu AS INTEGER) ELSE -1 END ELSE v%zu END END,",
		    k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k);
	text_printf(text,
		    "\n   CASE WHEN r%zu>0 THEN r%zu-1 ELSE CASE " LETTER " WHEN 'C' THEN " NUMBER
		    "-1 WHEN 'D' THEN " NUMBER "-1 ELSE 0 END END,",
		    k, k, k, k, k, k, k);
	text_printf(text, " CASE WHEN r%zu>0 THEN a%zu ELSE " LETTER "='D' END, g%zu", k, k, k, k);
}

/* The recursive query, from a row c to an array of texts. */
static void decode_sql(struct text *text, const struct file_group *group)
{
	text_str(text, "(WITH RECURSIVE ");
	state_names(text, group);
	text_str(text, " AS (SELECT 0");
	for (size_t k = 0; k <= group->n_columns; k++)
		state_start(text, k, name_of(group, k));
	text_str(text, "\n UNION ALL SELECT i+1");
	for (size_t k = 0; k <= group->n_columns; k++)
		state_step(text, k, name_of(group, k));
	text_str(text, "\n FROM s WHERE i<c.n)\n SELECT json_group_array(printf('");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_str(text, "%20s");
	text_str(text, "'");
	for (size_t k = 0; k <= group->n_columns; k++)
		text_printf(text, ",CASE WHEN a%zu THEN NULL ELSE v%zu END", k, k);
	text_str(text, ")) FROM s WHERE i>0)");
}

#define T_MS "c.t0+j.key*c.step+coalesce(CAST(nullif(trim(substr(j.value,1,20)),'') AS INTEGER),0)"

static void ticks_columns(struct text *text, const struct file_group *group)
{
	text_str(text,
		 "SELECT strftime('%Y-%m-%dT%H:%M:%fZ',(b.wall_offset_ms+" T_MS
		 ")/1000.0,'unixepoch') AS wall,\n c.boot AS boot, " T_MS " AS t, d.name AS node");
	for (size_t k = 1; k <= group->n_columns; k++)
		text_printf(text,
			    ",\n CAST(nullif(trim(substr(j.value,%zu,20)),'') AS INTEGER) AS %s",
			    20 * k + 1, name_of(group, k));
	text_str(text, ",\n c.t0 AS t0, c.step AS step, c.n AS n\n");
}

static void ticks_from(struct text *text, const struct file_group *group)
{
	text_str(text, "\n CROSS JOIN node d ON d.id=c.node CROSS JOIN boot b ON b.id=c.boot"
		       "\n CROSS JOIN json_each(");
	decode_sql(text, group);
	text_str(text, ") j\n WHERE trim(substr(j.value,21))<>''");
}

/* Pages of the last minutes, whether they are folded by now or not: an hour's worth of them stays
 * until it is written over. */
static void last_source(struct text *text, const struct file_group *group)
{
	char where[512];
	struct text w = TEXT_IN(where);

	text_printf(&w,
		    "l.boot=(SELECT max(boot) FROM tail)"
		    " AND json_extract(l.dir,'$.%s.t0')>"
		    "(SELECT max(json_extract(dir,'$.%s.t0')) FROM tail"
		    " WHERE boot=(SELECT max(boot) FROM tail))-150000\n"
		    " ORDER BY l.seq, k.key LIMIT 10000",
		    group->name, group->name);
	text_str(text, " FROM (");
	tail_select(text, group, where);
	text_str(text, ") c");
}

void view_sql(struct text *text, const struct file_group *group, enum view view)
{
	if (view == VIEW_ROWS) {
		rows_sql(text, group);
		return;
	}
	text_str(text, "CREATE VIEW ");
	view_name(text, group, view);
	text_str(text, " AS ");
	ticks_columns(text, group);
	if (view == VIEW_TICKS)
		text_printf(text, " FROM %s_rows c", group->name);
	else
		last_source(text, group);
	ticks_from(text, group);
}
