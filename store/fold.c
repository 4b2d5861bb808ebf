/* Live tail pages into chunks. Works from the pages in the file alone, so that it is the same
 * whether this run wrote them or one that was killed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "store/db.h"
#include "store/dir.h"
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
		int64_t last_ms = p->t0_ms + (int64_t)(f->runs[i].n - 1) * p->step_ms;

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

/* The pages as they are, half as much again for the ends of rows, and a page for each row. */
static int64_t pages_needed(const struct fold *f)
{
	return (int64_t)(f->n_pages + f->n_pages / 2 + f->n_runs + 16);
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
	for (size_t i = 0; i < f->n_runs && !r; i++)
		r = insert_run(f, &f->runs[i]);
	if (!r)
		r = note_times(f);
	if (!r)
		r = sql_exec(db->conn, "UPDATE meta SET folded=%lld", (long long)db->seq);
	if (!r)
		r = retention_bound(db);
	if (r < 0)
		return r;
	db->folded = db->seq;
	db->next_slot = 1;
	db->live_t0_ms = TIME_OPEN;
	db->fold_first = false;
	return 0;
}
