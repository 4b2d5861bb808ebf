/* The trees of the old file, and the table of its tables. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "store/recover_internal.h"
#include "store/sql.h"

#define DEPTH_MAX 20

static const char *const chunk_columns[] = {"id", "boot", "node", "t0", "step", "n", "late"};

void note_gap(struct recovery *rec, int16_t table, int64_t after, int64_t last)
{
	struct recover_report *report = rec->report;
	const char *name = table == SCHEMA ? "sqlite_master" : rec->tables[table].name;
	struct recover_gap *before = report->n_gaps && report->n_gaps <= RECOVER_GAPS_MAX
					     ? &report->gaps[report->n_gaps - 1]
					     : NULL;

	if (table == SCHEMA)
		report->no_schema = true;
	/* Pages of a tree come in the order of their ids. */
	if (before && !strcmp(before->table, name) && before->to == after) {
		before->to = last;
		return;
	}
	if (report->n_gaps < RECOVER_GAPS_MAX) {
		struct recover_gap *gap = &report->gaps[report->n_gaps];

		*gap = (struct recover_gap){.from = after, .to = last};
		snprintf(gap->table, sizeof(gap->table), "%s", name);
	}
	report->n_gaps++;
}

struct walk {
	struct recovery *rec;
	int16_t table;
	leaf_fn leaf;
};

static bool is_index(const struct walk *w)
{
	const struct shape *shape = w->table >= 0 ? w->rec->tables[w->table].shape : NULL;

	return shape && shape->is_index;
}

static int walk(const struct walk *w, uint32_t page, int depth, int64_t after, int64_t last);

static int walk_children(const struct walk *w, uint32_t page, int depth, int64_t after,
			 int64_t last)
{
	struct recovery *rec = w->rec;
	const uint8_t *p = raw_page(rec->raw, page);
	size_t n = p ? raw_page_cells(p, page) : 0;
	int r = 0;

	if (is_index(w)) {
		rec->owner[page] = w->table;
		r = w->leaf(rec, w->table, page, after, last);
	}
	rec->owner[page] = INNER_PAGE;
	for (size_t i = 0; i <= n && !r; i++) {
		uint32_t child = 0;
		int64_t to = INT64_MAX;

		/* The pages below have used the buffer. */
		p = raw_page(rec->raw, page);
		if (!p || raw_child(p, page, i, &child, &to) < 0) {
			note_gap(rec, w->table, after, last);
			continue;
		}
		to = MIN(to, last);
		r = walk(w, child, depth + 1, after, to);
		after = is_index(w) ? after : MAX(after, to);
	}
	return r;
}

static int walk(const struct walk *w, uint32_t page, int depth, int64_t after, int64_t last)
{
	struct recovery *rec = w->rec;
	/* The list of free pages may be wrong as well. */
	bool is_new = page >= 1 && page <= rec->n_pages &&
		      (rec->owner[page] == NO_TABLE || rec->owner[page] == FREE_PAGE);
	const uint8_t *p = is_new && depth < DEPTH_MAX ? raw_page(rec->raw, page) : NULL;

	enum raw_kind kind = p ? raw_page_kind(p, page) : RAW_OTHER;

	if (kind == (is_index(w) ? RAW_INDEX_INNER : RAW_TABLE_INNER))
		return walk_children(w, page, depth, after, last);
	if (kind != (is_index(w) ? RAW_INDEX_LEAF : RAW_TABLE_LEAF)) {
		note_gap(rec, w->table, after, last);
		return 0;
	}
	rec->owner[page] = w->table;
	return w->leaf(rec, w->table, page, after, last);
}

int walk_tree(struct recovery *rec, int16_t table, uint32_t root, leaf_fn leaf)
{
	const struct walk w = {rec, table, leaf};

	return walk(&w, root, 0, INT64_MIN, INT64_MAX);
}

struct rec_table *rec_table_named(struct recovery *rec, const char *name, bool is_chunk)
{
	for (size_t i = 0; i < rec->n_tables; i++)
		if (rec->tables[i].is_chunk == is_chunk && !strcmp(rec->tables[i].name, name))
			return &rec->tables[i];
	return NULL;
}

static struct rec_table *add_table(struct recovery *rec, const char *name, bool is_chunk)
{
	struct rec_table *table = rec_table_named(rec, name, is_chunk);

	if (table || rec->n_tables == TABLES_MAX)
		return table;
	table = &rec->tables[rec->n_tables++];
	*table = (struct rec_table){.is_chunk = is_chunk};
	snprintf(table->name, sizeof(table->name), "%s", name);
	return table;
}

static int add_column(struct rec_table *table, const char *p, size_t len)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (!strncasecmp(table->columns[i], p, len) && !table->columns[i][len])
			return -EBADMSG;

	char(*columns)[NODE_NAME_MAX] =
		len && len < NODE_NAME_MAX && table->n_columns < RAW_COLUMNS_MAX
			? reallocarray(table->columns, table->n_columns + 1, NODE_NAME_MAX)
			: NULL;

	if (!columns)
		return -EBADMSG;
	table->columns = columns;
	memcpy(columns[table->n_columns], p, len);
	columns[table->n_columns++][len] = '\0';
	return 0;
}

/* The names of the columns: the first word of each, which may stand in quotes. No word of a
 * statement of the old file is run. */
static int parse_columns(struct rec_table *table, const char *sql)
{
	const char *p = strchr(sql, '(');
	int r = p ? 0 : -EBADMSG;

	while (!r && p) {
		size_t len = 0;

		for (p++; isspace((unsigned char)*p) || *p == '"';)
			p++;
		while (isalnum((unsigned char)p[len]) || p[len] == '_')
			len++;
		r = add_column(table, p, len);
		p = strchr(p, ',');
	}
	for (size_t i = 0; !r && i < ARRAY_SIZE(chunk_columns); i++)
		if (i >= table->n_columns || strcmp(table->columns[i], chunk_columns[i]) != 0)
			r = -EBADMSG;
	return r;
}

static void forget_columns(struct rec_table *table)
{
	free(table->columns);
	table->columns = NULL;
	table->n_columns = 0;
}

static bool copy_text(const struct raw_value *v, char *buf, size_t size)
{
	if (v->type != RAW_TEXT || v->len >= size || memchr(v->p, '\0', v->len))
		return false;
	memcpy(buf, v->p, v->len);
	buf[v->len] = '\0';
	return true;
}

static bool is_identifier(const char *name)
{
	if (!islower((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) &&
		    *name != '_')
			return false;
	return true;
}

/* Its table and its view must not take a name that the new file has already. */
static bool may_be_group(struct recovery *rec, const char *name)
{
	int64_t n = 0;

	size_t len = strlen(name);

	if ((len >= 6 && !strcmp(name + len - 6, "_chunk")) || !strncmp(name, "sqlite_", 7) ||
	    schema_view(name) || !is_identifier(name))
		return false;
	return !sql_int(rec->db.conn, &n,
			"SELECT count(*) FROM sqlite_master WHERE name "
			"IN(%Q,%Q||'_last',%Q||'_chunk')",
			name, name, name) &&
	       n == 0;
}

static void take_table(struct recovery *rec)
{
	const struct raw_row *row = rec->row;
	char type[16], name[NAME_BYTES], sql[16384];
	struct rec_table *table;
	size_t len;

	if (row->n != 5 || row->v[3].type != RAW_INT ||
	    !copy_text(&row->v[0], type, sizeof(type)) || strcmp(type, "table") != 0 ||
	    !copy_text(&row->v[1], name, sizeof(name)) || !is_identifier(name) ||
	    !copy_text(&row->v[4], sql, sizeof(sql)))
		return;
	len = strlen(name);

	bool is_chunk = len > 6 && !strcmp(name + len - 6, "_chunk");

	if (is_chunk)
		name[len - 6] = '\0';
	if (is_chunk ? !may_be_group(rec, name) : !shape_named(name))
		return;
	table = add_table(rec, name, is_chunk);
	if (!table || table->root)
		return;
	if (is_chunk && parse_columns(table, sql) < 0)
		forget_columns(table);
	else
		table->root = (uint32_t)MAX(MIN(row->v[3].i, (int64_t)UINT32_MAX), INT64_C(0));
}

static int take_schema_leaf(struct recovery *rec, int16_t table, uint32_t page, int64_t after,
			    int64_t last)
{
	const uint8_t *p = raw_page(rec->raw, page);
	size_t n = p ? raw_page_cells(p, page) : 0;
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		if (raw_row(rec->raw, page, i, rec->row) < 0)
			all = false;
		else
			take_table(rec);
	}
	if (!all)
		note_gap(rec, table, after, last);
	return 0;
}

/* Rows of the table of tables look like nothing else. */
static bool is_schema_row(const struct raw_row *row)
{
	return row->n == 5 && row->v[0].type == RAW_TEXT && row->v[1].type == RAW_TEXT &&
	       row->v[2].type == RAW_TEXT && row->v[3].type == RAW_INT;
}

static int take_stray_schema(struct recovery *rec)
{
	for (uint32_t page = 1; page <= rec->n_pages; page++) {
		const uint8_t *p = rec->owner[page] == NO_TABLE ? raw_page(rec->raw, page) : NULL;

		if (!p || raw_page_kind(p, page) != RAW_TABLE_LEAF || !raw_page_cells(p, page) ||
		    raw_row(rec->raw, page, 0, rec->row) < 0 || !is_schema_row(rec->row))
			continue;
		rec->owner[page] = SCHEMA;

		int r = take_schema_leaf(rec, SCHEMA, page, 0, 0);

		if (r < 0)
			return r;
	}
	return 0;
}

int find_tables(struct recovery *rec)
{
	static const char *const names[] = {
		"boot",  "node",         "field",    "measure",    "meta",   "tail",
		"event", "mark",         "info",     "flag",       "fault",  "outcome",
		"hour",  "log_position", "boot_end", "clock_step", "minute", "baseline",
		"kept",  "writer",       "spent",    "cap"};
	int r = walk_tree(rec, SCHEMA, 1, take_schema_leaf);

	if (!r && rec->report->no_schema)
		r = take_stray_schema(rec);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !r; i++) {
		struct rec_table *table = add_table(rec, names[i], false);

		if (!table)
			return -ENOMEM;
		table->shape = shape_named(names[i]);
		table->n_columns = strlen(table->shape->columns);
	}
	return r;
}

/* In the order of the file where it is known, else of this program. */
static int known_columns(struct recovery *rec, struct rec_table *table, const struct group *group)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(rec->db.conn, &stmt,
			    "SELECT name FROM field WHERE grp=%Q AND col IS NOT NULL ORDER BY col",
			    group->name);

	for (size_t i = 0; !r && i < ARRAY_SIZE(chunk_columns); i++)
		r = add_column(table, chunk_columns[i], strlen(chunk_columns[i]));
	while (!r && (r = sql_step(stmt)) > 0) {
		const char *name = column_text(stmt, 0);

		r = is_identifier(name) ? add_column(table, name, strlen(name)) : -EBADMSG;
	}
	if (r || table->n_columns > ARRAY_SIZE(chunk_columns))
		return r;
	for (size_t f = 0; f < group->n_fields && !r; f++)
		if (group->fields[f].kind != KIND_INFO)
			r = add_column(table, group->fields[f].name, strlen(group->fields[f].name));
	return r;
}

int add_known_groups(struct recovery *rec)
{
	const struct group *group;
	int r = 0;

	for (size_t i = 0; !r && (group = catalog_group_at(rec->catalog, i, NULL)); i++) {
		struct rec_table *table = add_table(rec, group->name, true);

		if (!table)
			return -ENOMEM;
		if (table->n_columns)
			continue;
		r = known_columns(rec, table, group);
		if (r == -EBADMSG || (!r && table->n_columns <= ARRAY_SIZE(chunk_columns))) {
			forget_columns(table);
			r = 0;
		}
	}
	return r;
}
