/* Rows of the old file into the new one, each looked at first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/series.h"
#include "store/dir.h"
#include "store/recover_internal.h"
#include "store/sql.h"

#define FIRST_CELL 6 /* of a chunk: lateness, then fields */

int note_pair(struct recovery *rec, int16_t table, int64_t node)
{
	const struct rec_pair *last = rec->n_pairs ? &rec->pairs[rec->n_pairs - 1] : NULL;

	if (last && last->table == table && last->node == node)
		return 0;
	for (size_t i = 0; i < rec->n_pairs; i++)
		if (rec->pairs[i].table == table && rec->pairs[i].node == node)
			return 0;
	if (rec->n_pairs == PAIRS_MAX)
		return 0;
	if (!(rec->n_pairs & (rec->n_pairs - 1))) {
		size_t n = rec->n_pairs ? 2 * rec->n_pairs : 1;
		struct rec_pair *pairs = reallocarray(rec->pairs, n, sizeof(*pairs));

		if (!pairs)
			return -ENOMEM;
		rec->pairs = pairs;
	}
	rec->pairs[rec->n_pairs++] = (struct rec_pair){table, node};
	return 0;
}

static int prepare(struct recovery *rec, struct rec_table *table)
{
	sqlite3_str *sql = sqlite3_str_new(rec->db.conn);
	int r;

	sqlite3_str_appendf(sql, "INSERT OR %s INTO \"%w%s\" VALUES(?",
			    !strcmp(table->name, "tail") && !table->is_chunk ? "REPLACE" : "IGNORE",
			    table->name, table->is_chunk ? "_chunk" : "");
	for (size_t i = 1; i < table->n_columns; i++)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");

	char *text = sqlite3_str_finish(sql);

	r = text ? sql_prepare(rec->db.conn, &table->insert, "%s", text) : -ENOMEM;
	sqlite3_free(text);
	return r;
}

static void bind(sqlite3_stmt *stmt, int i, const struct raw_value *v)
{
	switch (v->type) {
	case RAW_INT:
		bind_int(stmt, i, v->i);
		break;
	case RAW_TEXT:
		sqlite3_bind_text(stmt, i, v->p, (int)v->len, SQLITE_STATIC);
		break;
	case RAW_BLOB:
		sqlite3_bind_blob(stmt, i, v->p, (int)v->len, SQLITE_STATIC);
		break;
	case RAW_NULL:
	case RAW_REAL:
		sqlite3_bind_null(stmt, i);
	}
}

static int insert(struct recovery *rec, struct rec_table *table)
{
	const struct raw_row *row = rec->row;
	int r = table->insert ? 0 : prepare(rec, table);

	if (r < 0)
		return r;
	for (size_t i = 0; i < table->n_columns; i++) {
		static const struct raw_value null;

		bind(table->insert, (int)i + 1, i < row->n ? &row->v[i] : &null);
	}
	if (table->is_chunk || table->shape->columns[0] == 'a')
		bind_int(table->insert, 1, row->rowid);
	r = sql_run(table->insert);
	if (!r && sqlite3_changes(rec->db.conn)) {
		rec->report->n_rows++;
		rec->report->n_stray_rows += rec->stray;
	}
	/* One of which the new file will not have a text or a number. */
	return r == -EEXIST ? 0 : r;
}

/* A code that does not end with its ticks is none of them. */
static void drop_bad_cells(struct recovery *rec)
{
	struct raw_row *row = rec->row;
	size_t n = (size_t)row->v[5].i;

	for (size_t i = FIRST_CELL; i < row->n; i++) {
		struct raw_value *v = &row->v[i];

		if (v->type != RAW_BLOB ||
		    !series_decode((const uint8_t *)v->p, v->len, n, rec->values, rec->absent))
			continue;
		v->type = RAW_NULL;
		rec->report->n_bad_values++;
	}
}

static int take_chunk(struct recovery *rec, int16_t t)
{
	int r = note_pair(rec, t, rec->row->v[2].i);

	if (r < 0)
		return r;
	drop_bad_cells(rec);
	return insert(rec, &rec->tables[t]);
}

/* Whether the list of what is on a page of the tail can be read to its end; notes who has what. */
static int look_at_dir(struct recovery *rec)
{
	const struct raw_value *v = rec->row->v;
	struct dir_reader *dir = malloc(sizeof(*dir));
	int r = dir ? 1 : -ENOMEM;

	if (!dir)
		return r;
	dir_start(dir, (struct slice){v[3].p, v[3].len}, v[4].len);
	while (r > 0 && (r = dir_next(dir)) > 0) {
		char name[NAME_BYTES];
		struct rec_table *table;

		snprintf(name, sizeof(name), "%.*s", (int)dir->node.group.len, dir->node.group.p);
		table = rec_table_named(rec, name, true);
		if (table && note_pair(rec, (int16_t)(table - rec->tables), dir->node.node) < 0)
			r = -ENOMEM;
	}
	free(dir);
	return r;
}

/* Views of the new file read it by SQLite, of which one wrong text would end each query. */
static int is_json(struct recovery *rec, const struct raw_value *v)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(rec->db.conn, &stmt, "SELECT json_valid(?)");

	if (r < 0)
		return r;
	bind(stmt, 1, v);
	r = sql_step(stmt);
	if (r > 0)
		r = sqlite3_column_int(stmt, 0) ? 0 : -EBADMSG;
	return r;
}

static int take_tail(struct recovery *rec, struct rec_table *table)
{
	const struct raw_row *row = rec->row;
	int r;

	if (row->rowid > TAIL_SLOTS || row->v[1].i < 0 || row->v[1].i > INT64_C(1) << 60 ||
	    row->v[3].len > TAIL_DIR_MAX_BYTES)
		return -EBADMSG;
	r = look_at_dir(rec);
	if (!r)
		r = is_json(rec, &row->v[3]);
	return r < 0 ? r : insert(rec, table);
}

/* -EBADMSG: it is none of the table. */
static int take_row(struct recovery *rec, int16_t t)
{
	struct rec_table *table = &rec->tables[t];
	const struct raw_row *row = rec->row;

	if (table->is_chunk)
		return chunk_fits(row) && row->n <= table->n_columns ? take_chunk(rec, t)
								     : -EBADMSG;
	if (!shape_fits(table->shape, row))
		return -EBADMSG;
	if (!strcmp(table->name, "meta"))
		rec->folded = row->v[1].i;
	if (!table->shape->is_copied)
		return 0;
	return !strcmp(table->name, "tail") ? take_tail(rec, table) : insert(rec, table);
}

int take_leaf(struct recovery *rec, int16_t table, uint32_t page, int64_t after, int64_t last)
{
	const uint8_t *p = raw_page(rec->raw, page);
	size_t n = p ? raw_page_cells(p, page) : 0;
	int64_t n_bad = 0;

	for (size_t i = 0; i < n; i++) {
		int r = raw_row(rec->raw, page, i, rec->row);

		if (!r)
			r = take_row(rec, table);
		if (r < 0 && r != -EBADMSG)
			return r;
		n_bad += r < 0;
	}
	if (n_bad && !rec->stray)
		note_gap(rec, table, after, last);
	/* A wrong turn in a damaged tree: it may be a page of another one. */
	if (n_bad && n_bad == (int64_t)n && !rec->stray)
		rec->owner[page] = NO_TABLE;
	else
		rec->report->n_bad_rows += n_bad;
	return 0;
}
