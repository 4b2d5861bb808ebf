/* One series, oldest tick first, each tick once: the chunks of the file, its live pages, and what
 * memory had when the cursor was opened. Memory is looked at before the file, so a commit in
 * between can only make ticks appear twice; those of the file are then left out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/cursor.h"
#include "store/db.h"
#include "store/sql.h"

int cursor_add_flag(struct cursor *c, int64_t node, size_t field, int64_t t_ms, const char *word)
{
	struct cursor_flag *flags;

	if (c->n_flags == CURSOR_FLAGS_MAX)
		return 0;
	flags = reallocarray(c->flags, c->n_flags + 1, sizeof(*flags));
	if (!flags)
		return -ENOMEM;
	c->flags = flags;
	flags[c->n_flags++] = (struct cursor_flag){
		.node = node, .t_ms = t_ms, .field = field, .flag = (uint8_t)flag_of_name(word)};
	return 0;
}

static int load_nodes(struct cursor *c)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(c->reader->conn, &stmt,
			    "SELECT id FROM node WHERE collector=%Q AND name=%Q AND identity=%Q"
			    " ORDER BY run LIMIT %d",
			    c->collector->name, c->key.node, c->key.identity, CURSOR_NODES_MAX);

	while (!r && (r = sql_step(stmt)) > 0) {
		c->nodes[c->n_nodes++] = sqlite3_column_int64(stmt, 0);
		r = 0;
	}
	return r;
}

/* " IN (1,2)" */
static void nodes_text(const struct cursor *c, struct text *text)
{
	text_str(text, "IN (");
	for (size_t i = 0; i < c->n_nodes; i++)
		text_printf(text, "%s%jd", i ? "," : "", (intmax_t)c->nodes[i]);
	text_char(text, ')');
}

/* Until the first commit after a restart, memory has no id for a node that goes on with the run
 * that the program before left open (find_run() in batch.c). Flags of that one end here. */
static int adopt_run(struct cursor *c)
{
	int64_t id;
	bool any = false;
	int r = sql_int(c->reader->conn, &id,
			"SELECT CASE gone WHEN 0 THEN id END FROM node WHERE collector=%Q AND"
			" name=%Q AND identity=%Q AND boot=%lld ORDER BY run DESC LIMIT 1",
			c->collector->name, c->key.node, c->key.identity, (long long)c->key.boot);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (struct cursor_piece *p = c->memory.first; p; p = p->next)
		if (p->node == NODE_WITHOUT_ID) {
			p->node = id;
			any = true;
		}
	for (size_t i = 0; i < c->n_flags; i++)
		if (c->flags[i].node == NODE_WITHOUT_ID)
			c->flags[i].node = id;
	for (size_t f = 0; f < c->n_fields && any && !r; f++)
		r = cursor_add_flag(c, id, f, c->memory_from_ms - 1, "");
	return r < 0 ? r : 0;
}

/* Those of the file stand before those of memory. */
static int load_flags(struct cursor *c)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	char in[CURSOR_NODES_MAX * 8 + 16];
	struct text text = TEXT_IN(in);
	int r;

	nodes_text(c, &text);
	r = sql_prepare(c->reader->conn, &stmt,
			"SELECT node,field,t,word FROM flag WHERE node %s AND grp=%Q AND boot=%lld"
			" AND t<%lld ORDER BY id",
			in, c->group->name, (long long)c->key.boot, (long long)c->memory_from_ms);
	while (!r && (r = sql_step(stmt)) > 0) {
		r = 0;
		for (size_t f = 0; f < c->n_fields && !r; f++)
			if (!strcmp(column_text(stmt, 1), c->group->fields[c->fields[f]].name))
				r = cursor_add_flag(c, sqlite3_column_int64(stmt, 0), f,
						    sqlite3_column_int64(stmt, 2),
						    column_text(stmt, 3));
	}
	return r;
}

/* ,"reads","temp": of the catalog, so nothing in them wants to be quoted. What the file does not
 * have is answered by a number, which is no series. */
static void columns_text(const struct cursor *c, struct text *text)
{
	for (size_t f = 0; f < c->n_fields; f++)
		text_printf(text, ",\"%s\"",
			    c->columns[f] ? c->group->fields[c->fields[f]].name : "n");
}

static int prepare_chunk(struct cursor *c)
{
	char in[CURSOR_NODES_MAX * 8 + 16], columns[SPAN_FIELDS_MAX * (NODE_NAME_MAX + 4)];
	struct text in_text = TEXT_IN(in), columns_of = TEXT_IN(columns);

	sqlite3_finalize(c->chunk);
	c->chunk = NULL;
	nodes_text(c, &in_text);
	columns_text(c, &columns_of);
	return sql_prepare(c->reader->conn, &c->chunk,
			   "SELECT id,node,t0,step,n,late%s FROM \"%w_chunk\""
			   " WHERE id>?1 AND id<?2 AND node %s AND t0<=?3 AND t0+(n-1)*step>=?4"
			   " ORDER BY id LIMIT 1",
			   columns, c->group->name, in);
}

static int64_t chunk_id(const struct cursor *c, int64_t t_ms)
{
	int64_t second = MIN(MAX(t_ms / 1000, 0), FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR - 1);

	return c->key.boot * FORMAT_BOOT_FACTOR + second * FORMAT_SECOND_FACTOR;
}

/* A chunk is as long as an hour and one step. */
static int prepare_file(struct cursor *c)
{
	int64_t step_ms = 2 * CHUNK_SPAN_MS;
	int r = load_nodes(c);

	if (!r)
		r = adopt_run(c);
	for (size_t f = 0; f < c->n_fields && !r; f++)
		r = reader_column(c->reader, c->group, c->group->fields[c->fields[f]].name,
				  &c->columns[f]);
	if (!r)
		r = load_flags(c);
	if (!r)
		r = prepare_chunk(c);
	c->attach_count = c->reader->attach_count;
	c->last_id = chunk_id(c, c->from_ms - step_ms) - 1;
	return r;
}

static int open_file_part(struct cursor *c)
{
	int r = c->key.boot ? reader_begin(c->reader) : 0;

	if (r <= 0) {
		c->chunks_done = true;
		return r;
	}
	r = reader_has_group(c->reader, c->group);
	if (r > 0)
		r = prepare_file(c);
	else
		c->chunks_done = true;
	reader_end(c->reader);
	return r;
}

static int alloc_buffers(struct cursor *c)
{
	size_t size = SERIES_TICKS_MAX * sizeof(int64_t);

	c->late_buf = malloc(size);
	c->absent_buf = malloc(SERIES_TICKS_MAX);
	for (size_t f = 0; f < c->n_fields; f++) {
		c->values_buf[f] = malloc(size);
		c->gap_buf[f] = malloc(SERIES_TICKS_MAX);
		if (!c->values_buf[f] || !c->gap_buf[f])
			return -ENOMEM;
	}
	return c->late_buf && c->absent_buf ? 0 : -ENOMEM;
}

static void cursor_closep(struct cursor **cursor)
{
	cursor_close(*cursor);
}

int cursor_open(struct reader *reader, const struct group *group, const struct series_key *key,
		const size_t *fields, size_t n_fields, int64_t from_ms, int64_t to_ms,
		struct cursor **ret)
{
	CLEANUP(cursor_closep) struct cursor *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->reader = reader;
	c->group = group;
	c->collector = reader_collector(reader, group);
	c->key = *key;
	c->from_ms = MAX(from_ms, -WINDOW_MS);
	c->to_ms = MIN(to_ms, WINDOW_MS);
	c->memory_from_ms = INT64_MAX;
	c->n_fields = n_fields;
	if (!c->collector || !n_fields || n_fields > SPAN_FIELDS_MAX)
		return -EINVAL;
	for (size_t f = 0; f < n_fields; f++) {
		if (fields[f] >= group->n_fields || group->fields[fields[f]].kind == KIND_INFO)
			return -EINVAL;
		c->fields[f] = fields[f];
	}
	r = alloc_buffers(c);
	if (!r && reader->store)
		r = cursor_copy_memory(c);
	if (!r)
		r = open_file_part(c);
	if (r < 0)
		return reader_failed(reader, r);
	*ret = c;
	c = NULL;
	return 0;
}

void cursor_close(struct cursor *c)
{
	struct cursor_piece *piece;

	if (!c)
		return;
	while ((piece = cursor_pieces_take(&c->memory)) || (piece = cursor_pieces_take(&c->pages)))
		free(piece);
	sqlite3_finalize(c->chunk);
	free(c->piece);
	free(c->flags);
	free(c->late_buf);
	free(c->absent_buf);
	for (size_t f = 0; f < SPAN_FIELDS_MAX; f++) {
		free(c->values_buf[f]);
		free(c->gap_buf[f]);
	}
	free(c);
}

static int decode_column(sqlite3_stmt *stmt, int i, size_t n, int64_t *values, uint8_t *absent)
{
	int type = sqlite3_column_type(stmt, i);
	int64_t constant;

	if (type == SQLITE_BLOB)
		return series_decode(sqlite3_column_blob(stmt, i),
				     (size_t)sqlite3_column_bytes(stmt, i), n, values, absent);
	if (type != SQLITE_INTEGER && type != SQLITE_NULL)
		return -EBADMSG;
	constant = sqlite3_column_int64(stmt, i);
	memset(absent, type == SQLITE_NULL, n);
	for (size_t k = 0; k < n; k++)
		values[k] = constant;
	return 0;
}

/* Takes a row of chunks as what is dealt out next. */
static int take_chunk(struct cursor *c, sqlite3_stmt *stmt)
{
	int64_t step_ms = sqlite3_column_int64(stmt, 3), n = sqlite3_column_int64(stmt, 4);
	int r;

	c->last_id = sqlite3_column_int64(stmt, 0);
	if (n < 1 || n > SERIES_TICKS_MAX || step_ms < 1 || step_ms > FORMAT_STEP_MAX_MS ||
	    reader_time(stmt, 2) != sqlite3_column_int64(stmt, 2))
		return -EBADMSG;
	c->now = (struct cursor_piece){.node = sqlite3_column_int64(stmt, 1),
				       .t0_ms = sqlite3_column_int64(stmt, 2),
				       .step_ms = step_ms,
				       .n = (size_t)n,
				       .late_ms = c->late_buf};
	r = decode_column(stmt, 5, c->now.n, c->late_buf, c->absent_buf);
	for (size_t f = 0; f < c->n_fields && !r; f++) {
		c->now.values[f] = c->values_buf[f];
		c->now.absent[f] = c->gap_buf[f];
		if (c->columns[f])
			r = decode_column(stmt, 6 + (int)f, c->now.n, c->values_buf[f],
					  c->gap_buf[f]);
		else
			memset(c->gap_buf[f], 1, c->now.n);
	}
	if (r < 0)
		c->now.n = 0;
	return r < 0 ? r : 1;
}

static bool has_node(const struct cursor *c, int64_t node)
{
	for (size_t i = 0; i < c->n_nodes; i++)
		if (c->nodes[i] == node)
			return true;
	return false;
}

static int copy_cell(const struct cursor *c, const struct dir_node *node, const uint8_t *data,
		     size_t f, struct cursor_piece *piece)
{
	static const struct dir_cell none = {.type = DIR_ABSENT};
	size_t at = (size_t)c->columns[f];

	return dir_decode(at && at < node->n_cells ? &node->cells[at] : &none, data, node->n,
			  piece->values[f], piece->absent[f]);
}

static int take_page(int64_t boot, const struct dir_node *node, const uint8_t *data, void *arg)
{
	struct cursor *c = arg;
	struct cursor_piece *piece;

	if (boot != c->key.boot || !slice_is(node->group, c->group->name) ||
	    !has_node(c, node->node) || node->t0_ms > c->to_ms || !node->n_cells ||
	    node->t0_ms + (int64_t)(node->n - 1) * node->step_ms < c->from_ms ||
	    ++c->n_pieces > CURSOR_PIECES_MAX)
		return 0;
	piece = cursor_piece_new(c->n_fields, node->n);
	if (!piece)
		return -ENOMEM;
	piece->node = node->node;
	piece->t0_ms = node->t0_ms;
	piece->step_ms = node->step_ms;
	piece->damaged =
		dir_decode(&node->cells[0], data, node->n, piece->late_ms, c->absent_buf) < 0;
	for (size_t f = 0; f < c->n_fields; f++)
		piece->damaged |= copy_cell(c, node, data, f, piece) < 0;
	cursor_pieces_append(&c->pages, piece);
	return 0;
}

/* The next chunk, or, behind the last one and in the same transaction, the live pages: a fold in
 * between would have made chunks of them. 1 with a chunk. */
static int next_chunk(struct cursor *c)
{
	int r = reader_begin(c->reader);

	if (r < 0)
		return r;
	if (!r || c->attach_count != c->reader->attach_count) {
		/* The file was replaced; what it had is gone. */
		c->chunks_done = true;
		if (r > 0)
			reader_end(c->reader);
		return 0;
	}
	bind_int(c->chunk, 1, c->last_id);
	bind_int(c->chunk, 2, chunk_id(c, c->to_ms + CHUNK_SPAN_MS) + FORMAT_SECOND_FACTOR);
	bind_int(c->chunk, 3, c->to_ms);
	bind_int(c->chunk, 4, c->from_ms);
	r = sql_step(c->chunk);
	if (r > 0) {
		r = take_chunk(c, c->chunk);
		sqlite3_reset(c->chunk);
	} else {
		c->chunks_done = true;
		if (!r)
			r = reader_tail(c->reader, take_page, c);
	}
	reader_end(c->reader);
	return r;
}

static int next_piece(struct cursor *c, struct cursor_pieces *pieces)
{
	free(c->piece);
	c->piece = cursor_pieces_take(pieces);
	if (!c->piece)
		return 0;
	c->now = *c->piece;
	if (!c->piece->damaged)
		return 1;
	c->now.n = 0;
	return -EBADMSG;
}

/* File ticks that memory has as well are left out. */
static void cut(struct cursor *c)
{
	int64_t room_ms = c->memory_from_ms - c->now.t0_ms;

	if (room_ms <= 0)
		c->now.n = 0;
	else if (room_ms / c->now.step_ms < (int64_t)c->now.n)
		c->now.n = (size_t)((room_ms + c->now.step_ms - 1) / c->now.step_ms);
}

/* 1 when there is something to deal out. */
static int refill(struct cursor *c)
{
	int r = 1;

	c->now_at = 0;
	c->now.n = 0;
	if (!c->chunks_done) {
		r = next_chunk(c);
		if (r > 0)
			cut(c);
		if (r)
			return r;
	}
	if (c->pages.first) {
		r = next_piece(c, &c->pages);
		cut(c);
		return r;
	}
	return next_piece(c, &c->memory);
}

/* The flag at a time, and the time of the next change of it, not later than *until_ms. */
static uint8_t flag_at(const struct cursor *c, size_t field, int64_t t_ms, int64_t *until_ms)
{
	uint8_t flag = FLAG_NONE;
	int64_t since_ms = INT64_MIN;

	for (size_t i = 0; i < c->n_flags; i++) {
		const struct cursor_flag *f = &c->flags[i];

		if (f->field != field || f->node != c->now.node)
			continue;
		if (f->t_ms > t_ms) {
			*until_ms = MIN(*until_ms, f->t_ms);
		} else if (f->t_ms >= since_ms) {
			flag = f->flag;
			since_ms = f->t_ms;
		}
	}
	return flag;
}

/* The next part of what is dealt out: as far as the flags stay the same. */
static void deal(struct cursor *c, struct span *ret)
{
	int64_t t_ms = c->now.t0_ms + (int64_t)c->now_at * c->now.step_ms;
	int64_t until_ms = INT64_MAX;

	*ret = (struct span){.t0_ms = t_ms, .step_ms = c->now.step_ms, .n = c->now.n - c->now_at};
	ret->late_ms = c->now.late_ms + c->now_at;
	for (size_t f = 0; f < c->n_fields; f++) {
		ret->values[f] = c->now.values[f] + c->now_at;
		ret->absent[f] = c->now.absent[f] + c->now_at;
		ret->flag[f] = flag_at(c, f, t_ms, &until_ms);
	}
	if (until_ms != INT64_MAX) {
		int64_t n = (until_ms - t_ms + ret->step_ms - 1) / ret->step_ms;

		ret->n = (size_t)MIN(n, (int64_t)ret->n);
	}
	ret->fresh = c->last_node && c->last_node != c->now.node;
	c->last_node = c->now.node;
	c->now_at += ret->n;
}

int cursor_next(struct cursor *c, struct span *ret)
{
	while (c->now_at >= c->now.n) {
		int r = refill(c);

		if (r <= 0)
			return r < 0 ? reader_failed(c->reader, r) : 0;
	}
	deal(c, ret);
	return 1;
}
