/* Live tail pages into chunks. Works from the pages in the file alone, so that it is the same
 * whether this run wrote them or one that was killed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "store/db.h"
#include "store/dir.h"
#include "store/keep.h"
#include "store/rollup.h"
#include "store/sql.h"

/* One node of a group on one page. */
struct piece {
	struct file_group *group;
	const uint8_t *data;
	int64_t boot, node, t0_ms, step_ms;
	size_t n, n_cells;
	struct dir_cell cells[];
};

/* Pieces that become one chunk. */
struct run {
	size_t first, n_pieces; /* in fold.pieces */
	size_t n;               /* ticks */
};

struct fold {
	struct db *db;
	struct piece **pieces;
	size_t n_pieces, pieces_alloc;
	uint8_t **pages;
	size_t n_pages, pages_alloc;
	struct run *runs;
	size_t n_runs;
	int64_t values[SERIES_TICKS_MAX], piece_values[SERIES_TICKS_MAX];
	uint8_t absent[SERIES_TICKS_MAX], piece_absent[SERIES_TICKS_MAX];
	uint8_t blob[(SERIES_TICKS_MAX + 2) * 10];
};

static void fold_freep(struct fold **fold)
{
	struct fold *f = *fold;

	if (!f)
		return;
	for (size_t i = 0; i < f->n_pieces; i++)
		free(f->pieces[i]);
	for (size_t i = 0; i < f->n_pages; i++)
		free(f->pages[i]);
	free(f->pieces);
	free(f->pages);
	free(f->runs);
	free(f);
}

static int grow(void *array, size_t n, size_t *alloc)
{
	void **p = array;
	void *more;

	if (n < *alloc)
		return 0;
	more = reallocarray(*p, *alloc * 2 + 64, sizeof(void *));
	if (!more)
		return -ENOMEM;
	*p = more;
	*alloc = *alloc * 2 + 64;
	return 0;
}

static int add_piece(struct fold *f, const struct dir_node *node, struct file_group *group,
		     int64_t boot, const uint8_t *data)
{
	int r = grow(&f->pieces, f->n_pieces, &f->pieces_alloc);
	size_t cells_size = node->n_cells * sizeof(struct dir_cell);
	struct piece *piece = r < 0 ? NULL : malloc(sizeof(*piece) + cells_size);

	if (!piece)
		return -ENOMEM;
	*piece = (struct piece){.group = group,
				.data = data,
				.boot = boot,
				.node = node->node,
				.t0_ms = node->t0_ms,
				.step_ms = node->step_ms,
				.n = node->n,
				.n_cells = node->n_cells};
	memcpy(piece->cells, node->cells, cells_size);
	f->pieces[f->n_pieces++] = piece;
	return 0;
}

static int copy_data(struct fold *f, sqlite3_stmt *stmt, int column, size_t *ret_len)
{
	int r = grow(&f->pages, f->n_pages, &f->pages_alloc);
	const void *blob = sqlite3_column_blob(stmt, column);
	size_t len = (size_t)sqlite3_column_bytes(stmt, column);
	uint8_t *page = r < 0 ? NULL : malloc(len + 1);

	if (!page)
		return -ENOMEM;
	if (len)
		memcpy(page, blob, len);
	f->pages[f->n_pages++] = page;
	*ret_len = len;
	return 0;
}

/* What cannot be read of a damaged page is lost; the rest is kept. */
static int read_page(struct fold *f, sqlite3_stmt *stmt)
{
	CLEANUP(freep) struct dir_reader *dir = malloc(sizeof(*dir));
	size_t len = 0;
	int r = dir ? copy_data(f, stmt, 2, &len) : -ENOMEM;

	if (r < 0)
		return r;
	dir_start(dir, slice_of(column_text(stmt, 1)), len);
	while (!r && dir_next(dir) > 0) {
		struct file_group *group =
			schema_group(f->db, dir->node.group.p, dir->node.group.len);

		int64_t boot = sqlite3_column_int64(stmt, 0);

		if (group && boot > 0 && boot <= FORMAT_BOOTS_MAX && dir->node.node > 0 &&
		    dir->node.node <= FORMAT_NODES_MAX)
			r = add_piece(f, &dir->node, group, boot, f->pages[f->n_pages - 1]);
	}
	return r;
}

static int read_pages(struct fold *f)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	char folded[24];
	struct text text = TEXT_IN(folded);

	text_i64(&text, f->db->folded);

	int r = sql_prepare(f->db->conn, &stmt, TAIL_LIVE, TAIL_SLOTS, folded, TAIL_DIR_MAX_BYTES);

	while (!r && (r = sql_step(stmt)) > 0)
		r = read_page(f, stmt);
	return r;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = *(struct piece *const *)a, *y = *(struct piece *const *)b;
	int c = compare((intptr_t)x->group, (intptr_t)y->group);

	c = c ? c : compare(x->boot, y->boot);
	c = c ? c : compare(x->node, y->node);
	return c ? c : compare(x->t0_ms, y->t0_ms);
}

/* Chunks are inserted in the order of their ids: that is what keeps the tables append-only. */
static int compare_runs(const void *a, const void *b, void *arg)
{
	const struct fold *f = arg;
	const struct piece *x = f->pieces[((const struct run *)a)->first];
	const struct piece *y = f->pieces[((const struct run *)b)->first];
	int c = compare((intptr_t)x->group, (intptr_t)y->group);

	c = c ? c : compare(x->boot, y->boot);
	c = c ? c : compare(x->t0_ms / 1000, y->t0_ms / 1000);
	return c ? c : compare(x->node, y->node);
}

static bool run_takes(const struct fold *f, const struct run *run, const struct piece *piece)
{
	const struct piece *first = f->pieces[run->first];
	int64_t since_ms = piece->t0_ms - first->t0_ms;
	int64_t n = since_ms / first->step_ms + (int64_t)piece->n;

	return piece->group == first->group && piece->boot == first->boot &&
	       piece->node == first->node && piece->step_ms == first->step_ms &&
	       since_ms % first->step_ms == 0 && since_ms / first->step_ms >= (int64_t)run->n &&
	       n <= SERIES_TICKS_MAX && n * first->step_ms <= CHUNK_SPAN_MS + first->step_ms;
}

static int make_runs(struct fold *f)
{
	struct run *run = NULL;

	f->runs = calloc(f->n_pieces + 1, sizeof(*f->runs));
	if (!f->runs)
		return -ENOMEM;
	if (f->n_pieces)
		qsort(f->pieces, f->n_pieces, sizeof(struct piece *), compare_pieces);
	for (size_t i = 0; i < f->n_pieces; i++) {
		const struct piece *piece = f->pieces[i];

		if (!run || !run_takes(f, run, piece)) {
			run = &f->runs[f->n_runs++];
			*run = (struct run){.first = i};
		}
		run->n_pieces++;
		run->n = (size_t)((piece->t0_ms - f->pieces[run->first]->t0_ms) / piece->step_ms) +
			 piece->n;
	}
	if (f->n_runs)
		qsort_r(f->runs, f->n_runs, sizeof(*f->runs), compare_runs, f);
	return 0;
}

/* Cell k of all pieces of a run, side by side on the grid. Lateness knows no gaps. */
static void merge_cell(struct fold *f, const struct run *run, size_t k)
{
	const struct piece *first = f->pieces[run->first];

	memset(f->values, 0, run->n * sizeof(f->values[0]));
	memset(f->absent, k > 0, run->n);
	for (size_t i = run->first; i < run->first + run->n_pieces; i++) {
		const struct piece *p = f->pieces[i];
		size_t at = (size_t)((p->t0_ms - first->t0_ms) / p->step_ms);

		if (k >= p->n_cells ||
		    dir_decode(&p->cells[k], p->data, p->n, f->piece_values, f->piece_absent) < 0)
			continue;
		memcpy(f->values + at, f->piece_values, p->n * sizeof(f->values[0]));
		if (k > 0)
			memcpy(f->absent + at, f->piece_absent, p->n);
	}
}

static void bind_cell(struct fold *f, const struct run *run, size_t k, sqlite3_stmt *stmt)
{
	size_t len;
	int64_t constant;
	int at = 7 + (int)k;

	merge_cell(f, run, k);
	switch (series_encode(f->values, f->absent, run->n, f->blob, &len, &constant)) {
	case CELL_ABSENT:
		sqlite3_bind_null(stmt, at);
		break;
	case CELL_CONSTANT:
		bind_int(stmt, at, constant);
		break;
	case CELL_BLOB:
		sqlite3_bind_blob(stmt, at, f->blob, (int)len, SQLITE_TRANSIENT);
		break;
	}
}

static int prepare_insert(struct db *db, struct file_group *group)
{
	sqlite3_str *sql = sqlite3_str_new(db->conn);

	sqlite3_str_appendf(sql, "INSERT INTO \"%w_chunk\"(id,boot,node,t0,step,n,late",
			    group->name);
	for (size_t c = 0; c < group->n_columns; c++)
		sqlite3_str_appendf(sql, ",\"%w\"", group->columns[c].name);
	sqlite3_str_appendall(sql, ") VALUES(?,?,?,?,?,?,?");
	for (size_t c = 0; c < group->n_columns; c++)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");

	char *text = sqlite3_str_finish(sql);
	int r = text ? sql_prepare(db->conn, &group->insert, "%s", text) : -ENOMEM;

	sqlite3_free(text);
	return r;
}

/* When another chunk of the node began in the same second the id moves on by seconds. */
static int insert_free_id(sqlite3_stmt *stmt, const struct piece *piece)
{
	int64_t id = piece->boot * FORMAT_BOOT_FACTOR + piece->t0_ms / 1000 * FORMAT_SECOND_FACTOR +
		     piece->node;
	int r = -EEXIST;

	for (int i = 0; i < 3600 && r == -EEXIST; i++, id += FORMAT_SECOND_FACTOR) {
		bind_int(stmt, 1, id);
		r = sql_run(stmt);
	}
	return r;
}

static int insert_run(struct fold *f, const struct run *run)
{
	const struct piece *piece = f->pieces[run->first];
	struct file_group *group = piece->group;
	int r = group->insert ? 0 : prepare_insert(f->db, group);

	if (r < 0)
		return r;
	bind_int(group->insert, 2, piece->boot);
	bind_int(group->insert, 3, piece->node);
	bind_int(group->insert, 4, piece->t0_ms);
	bind_int(group->insert, 5, piece->step_ms);
	bind_int(group->insert, 6, (int64_t)run->n);
	for (size_t k = 0; k <= group->n_columns; k++)
		bind_cell(f, run, k, group->insert);
	r = insert_free_id(group->insert, piece);
	sqlite3_clear_bindings(group->insert);
	return r;
}

/* A column of a run, for its rollups. */
struct column_source {
	struct fold *fold;
	const struct run *run;
};

static void give_column(void *arg, size_t k, int64_t *values, uint8_t *absent)
{
	const struct column_source *source = arg;
	struct fold *f = source->fold;

	merge_cell(f, source->run, k);
	memcpy(values, f->values, source->run->n * sizeof(*values));
	memcpy(absent, f->absent, source->run->n);
}

static int roll_run(struct fold *f, struct rollup_writer *writer, const struct run *run)
{
	const struct piece *piece = f->pieces[run->first];
	struct column_source column = {f, run};
	const struct rollup_source source = {
		.group = piece->group,
		.boot = piece->boot,
		.node = piece->node,
		.t0_ms = piece->t0_ms,
		.step_ms = piece->step_ms,
		.n = run->n,
		.column = give_column,
		.arg = &column,
	};

	return rollup_write(writer, &source);
}

static int64_t run_end_ms(const struct fold *f, const struct run *run)
{
	const struct piece *piece = f->pieces[run->first];

	return piece->t0_ms + (int64_t)(run->n - 1) * piece->step_ms;
}

static bool is_slow(const struct fold *f, const struct run *run)
{
	return keep_is_slow(f->pieces[run->first]->group);
}

/* How long the samples were taken for, for the rate at which the file grows; and until when in this
 * boot. */
static int64_t time_of_runs(const struct fold *f, int64_t *ret_last_ms)
{
	int64_t first_ms = TIME_OPEN, last_ms = 0;

	*ret_last_ms = 0;
	for (size_t i = 0; i < f->n_runs; i++) {
		const struct piece *piece = f->pieces[f->runs[i].first];
		int64_t end_ms = run_end_ms(f, &f->runs[i]);

		if (piece->boot == f->db->boot)
			*ret_last_ms = MAX(*ret_last_ms, end_ms);
		if (is_slow(f, &f->runs[i]))
			continue;
		first_ms = first_ms == TIME_OPEN ? piece->t0_ms : MIN(first_ms, piece->t0_ms);
		last_ms = MAX(last_ms, end_ms);
	}
	return first_ms == TIME_OPEN ? 0 : MIN(MAX(last_ms - first_ms, 0), 2 * CHUNK_SPAN_MS);
}

static int insert_chunks(struct fold *f, bool slow, int64_t made_ms)
{
	int64_t before;
	int r = keep_used_pages(f->db, &before);

	for (size_t i = 0; i < f->n_runs && !r; i++)
		if (is_slow(f, &f->runs[i]) == slow)
			r = insert_run(f, &f->runs[i]);
	return r ? r : keep_note(f->db, slow ? KEEP_SLOW : KEEP_RAW, before, made_ms);
}

/* Rows of one resolution at a time, so that each is told how much it takes. */
static int roll_runs(struct fold *f, struct rollup_writer *writer, enum resolution which,
		     int64_t made_ms)
{
	enum resolution resolution;
	int64_t before;
	int r = keep_used_pages(f->db, &before);

	for (size_t i = 0; i < f->n_runs && !r; i++)
		if (rollup_takes(f->pieces[f->runs[i].first]->step_ms, &resolution) &&
		    resolution == which)
			r = roll_run(f, writer, &f->runs[i]);
	return r ? r
		 : keep_note(f->db, which == RESOLUTION_MINUTE ? KEEP_MINUTE : KEEP_HOUR, before,
			     made_ms);
}

static int roll_up(struct fold *f, int64_t made_ms, int64_t last_ms)
{
	CLEANUP(rollup_writer_freep) struct rollup_writer *writer = NULL;
	int64_t before = 0;
	int r = rollup_writer_new(f->db, &writer);

	if (!r)
		r = roll_runs(f, writer, RESOLUTION_MINUTE, made_ms);
	if (!r)
		r = roll_runs(f, writer, RESOLUTION_HOUR, made_ms);
	if (!r)
		r = keep_used_pages(f->db, &before);
	if (!r)
		r = rollup_hours(writer, last_ms);
	return r ? r : keep_note(f->db, KEEP_HOUR, before, 1);
}

static int write_runs(struct fold *f)
{
	int64_t last_ms, made_ms = time_of_runs(f, &last_ms);
	int r = insert_chunks(f, false, made_ms);

	if (!r)
		r = insert_chunks(f, true, made_ms);
	return r ? r : roll_up(f, made_ms, last_ms);
}

/* When node and boot were seen last; between two folds the pages tell. */
static int note_times(struct fold *f)
{
	CLEANUP(stmt_closep) sqlite3_stmt *node = NULL, *boot = NULL;
	int r = sql_prepare(f->db->conn, &node,
			    "UPDATE node SET last_ms=?3 WHERE id=?1 AND boot=?2 AND last_ms<?3");

	if (!r)
		r = sql_prepare(f->db->conn, &boot,
				"UPDATE boot SET first_ms=min(coalesce(first_ms,?2),?2),"
				" last_ms=max(coalesce(last_ms,?3),?3) WHERE id=?1 AND"
				" (first_ms IS NULL OR first_ms>?2 OR last_ms<?3)");
	for (size_t i = 0; i < f->n_runs && !r; i++) {
		const struct piece *p = f->pieces[f->runs[i].first];
		int64_t last_ms = run_end_ms(f, &f->runs[i]);

		bind_int(node, 1, p->node);
		bind_int(node, 2, p->boot);
		bind_int(node, 3, last_ms);
		bind_int(boot, 1, p->boot);
		bind_int(boot, 2, p->t0_ms);
		bind_int(boot, 3, last_ms);
		r = sql_run(node);
		if (!r)
			r = sql_run(boot);
	}
	return r;
}

/* The pages as they are, half as much again for the ends of rows, half of that for rollups, and a
 * page for each row. */
static int64_t pages_needed(const struct fold *f)
{
	return (int64_t)(f->n_pages + 3 * f->n_pages / 4 + f->n_runs + 16);
}

int fold(struct db *db)
{
	CLEANUP(fold_freep) struct fold *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->db = db;
	int r = read_pages(f);

	if (!r)
		r = make_runs(f);
	if (!r)
		r = retention_make_room(db, pages_needed(f) + db->room_pages);
	if (!r)
		r = write_runs(f);
	if (!r)
		r = note_times(f);
	if (!r)
		r = sql_exec(db->conn, "UPDATE meta SET folded=%lld", (long long)db->seq);
	if (!r)
		r = retention_bound(db);
	if (r < 0)
		return r;
	db->folded = db->seq;
	/* Pages that were in the journal only need not get into the file any more. */
	db->next_slot = MAX(db->unmoved_slot, 1);
	db->n_live = 0;
	db->live_t0_ms = TIME_OPEN;
	db->fold_first = false;
	db->kept_told = false;
	return 0;
}
