/* Segments into the pages of the tail. A page is a directory in JSON, for SQL to read, and the
 * blobs that it points into; its record has a fixed size, so that an update overwrites one page of
 * the file and touches nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "store/db.h"
#include "store/sql.h"

#define DIR_BYTES  (64 * 1024)
#define NODE_BYTES (16 * 1024)
#define CLOSE      "]}" /* of the nodes and the group; the page itself adds "}" */

struct page_builder {
	struct db *db;
	char dir_buf[DIR_BYTES], node_buf[NODE_BYTES];
	struct text dir, node;
	uint8_t *data;
	size_t data_len, data_alloc;
	const struct segment *open;       /* whose nodes are being listed */
	const struct file_group **listed; /* groups that the page has already */
	size_t n_listed;
	int64_t t0_ms; /* the oldest on the page */
};

int page_builder_new(struct db *db, struct page_builder **ret)
{
	struct page_builder *b = malloc(sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->db = db;
	b->dir = text_in(b->dir_buf, DIR_BYTES);
	b->node = text_in(b->node_buf, NODE_BYTES);
	b->data = NULL;
	b->data_len = b->data_alloc = b->n_listed = 0;
	b->open = NULL;
	b->listed = calloc(db->n_groups + 1, sizeof(struct file_group *));
	if (!b->listed) {
		free(b);
		return -ENOMEM;
	}
	*ret = b;
	return 0;
}

void page_builder_freep(struct page_builder **builder)
{
	struct page_builder *b = *builder;

	if (!b)
		return;
	free(b->data);
	free(b->listed);
	free(b);
}

/* Bytes of an integer in a record of SQLite. */
static size_t int_bytes(int64_t value)
{
	static const uint8_t bits[] = {7, 15, 23, 31, 47};
	static const uint8_t bytes[] = {1, 2, 3, 4, 6};

	if (value == 0 || value == 1)
		return 0;
	for (size_t i = 0; i < sizeof(bits); i++)
		if (value < INT64_C(1) << bits[i])
			return bytes[i];
	return 8;
}

/* How long the data must be for the record to have its fixed size; header and integers count. */
static size_t padded_len(const struct page_builder *b)
{
	size_t dir_type = b->dir.len <= 57 ? 1 : b->dir.len <= 8185 ? 2 : 3;
	size_t used =
		4 + dir_type + 2 + int_bytes(b->db->seq + 1) + int_bytes(b->db->boot) + b->dir.len;

	return used + b->data_len < TAIL_PAYLOAD_BYTES ? TAIL_PAYLOAD_BYTES - used : b->data_len;
}

static int reserve_data(struct page_builder *b, size_t len)
{
	if (len <= b->data_alloc)
		return 0;

	uint8_t *data = realloc(b->data, len);

	if (!data)
		return -ENOMEM;
	b->data = data;
	b->data_alloc = len;
	return 0;
}

static int bind_page(struct page_builder *b, sqlite3_stmt *stmt)
{
	size_t len = padded_len(b);
	int r = reserve_data(b, len);

	if (r < 0)
		return r;
	memset(b->data + b->data_len, 0, len - b->data_len);
	bind_int(stmt, 1, b->db->next_slot);
	bind_int(stmt, 2, b->db->seq + 1);
	bind_int(stmt, 3, b->db->boot);
	sqlite3_bind_text(stmt, 4, b->dir.p, (int)b->dir.len, SQLITE_STATIC);
	sqlite3_bind_blob(stmt, 5, b->data, (int)len, SQLITE_STATIC);
	return 0;
}

static int insert_slot(struct page_builder *b)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(b->db->conn, &stmt,
			    "INSERT INTO tail(slot,seq,boot,dir,data) VALUES(?1,?2,?3,?4,?5)");

	if (!r)
		r = bind_page(b, stmt);
	if (!r)
		r = sql_run(stmt);
	if (!r)
		b->db->n_slots = MAX(b->db->n_slots, b->db->next_slot);
	return r;
}

static int update_slot(struct page_builder *b)
{
	struct db *db = b->db;
	int r = db->write_page
			? 0
			: sql_prepare(
				  db->conn, &db->write_page,
				  "UPDATE tail SET seq=?2,boot=?3,dir=?4,data=?5 WHERE slot=?1");

	if (!r)
		r = bind_page(b, db->write_page);
	if (!r)
		r = sql_run(db->write_page);
	if (!r && !sqlite3_changes(db->conn))
		r = insert_slot(b);
	return r;
}

static void start_page(struct page_builder *b)
{
	text_reset(&b->dir);
	b->data_len = b->n_listed = 0;
	b->open = NULL;
}

int page_flush(struct page_builder *b)
{
	struct db *db = b->db;
	int r = 0;

	if (!b->dir.len)
		return 0;
	text_str(&b->dir, CLOSE "}");
	if (db->n_live && db->n_live >= db->n_slots)
		r = fold(db);
	if (!r)
		r = update_slot(b);
	if (r < 0)
		return r;
	if (!db->unmoved_slot)
		db->unmoved_slot = db->next_slot;
	db->seq++;
	db->n_live++;
	db->next_slot = db->next_slot < db->n_slots ? db->next_slot + 1 : 1;
	db->live_t0_ms = db->live_t0_ms == TIME_OPEN ? b->t0_ms : MIN(db->live_t0_ms, b->t0_ms);
	start_page(b);
	return 0;
}

static void cell_text(struct text *text, const struct coded_cell *cell, size_t *offset)
{
	text_char(text, ',');
	if (!cell || cell->kind == CELL_ABSENT) {
		text_str(text, "null");
	} else if (cell->kind == CELL_CONSTANT) {
		text_i64(text, cell->constant);
	} else {
		text_char(text, '[');
		text_i64(text, (int64_t)*offset + 1);
		text_char(text, ',');
		text_i64(text, (int64_t)cell->len);
		text_char(text, ']');
		*offset += cell->len;
	}
}

static const struct coded_cell *cell_of(const struct file_group *group,
					const struct tail_group *tail_group,
					const struct segment *segment, size_t node, size_t k)
{
	const struct coded_cell *cells = &segment->cells[node * (1 + segment->n_columns)];

	if (!k)
		return &cells[0];

	size_t field = group->columns[k - 1].field;

	if (field == SIZE_MAX || tail_group->column[field] == SIZE_MAX)
		return NULL;
	return &cells[1 + tail_group->column[field]];
}

/* [node,late,column,...]; returns the length of its data. */
static size_t node_text(struct page_builder *b, const struct file_group *group,
			const struct tail_group *tail_group, const struct segment *segment,
			size_t node)
{
	size_t offset = b->data_len;

	text_reset(&b->node);
	text_char(&b->node, '[');
	text_i64(&b->node, segment->nodes[node]->id);
	for (size_t k = 0; k <= group->n_columns; k++)
		cell_text(&b->node, cell_of(group, tail_group, segment, node, k), &offset);
	text_char(&b->node, ']');
	return offset - b->data_len;
}

static bool is_listed(const struct page_builder *b, const struct file_group *group)
{
	for (size_t i = 0; i < b->n_listed; i++)
		if (b->listed[i] == group)
			return true;
	return false;
}

static void open_group(struct page_builder *b, const struct file_group *group,
		       const struct segment *segment)
{
	if (!b->dir.len)
		b->t0_ms = segment->t0_ms;
	b->t0_ms = MIN(b->t0_ms, segment->t0_ms);
	text_printf(&b->dir, "%s\"%s\":{\"t0\":%jd,\"step\":%jd,\"n\":%zu,\"nodes\":[",
		    b->dir.len ? CLOSE "," : "{", group->name, (intmax_t)segment->t0_ms,
		    (intmax_t)segment->step_ms, segment->n);
	b->listed[b->n_listed++] = group;
	b->open = segment;
}

static void append_data(struct page_builder *b, const struct file_group *group,
			const struct tail_group *tail_group, const struct segment *segment,
			size_t node)
{
	for (size_t k = 0; k <= group->n_columns; k++) {
		const struct coded_cell *c = cell_of(group, tail_group, segment, node, k);

		if (!c || c->kind != CELL_BLOB)
			continue;
		memcpy(b->data + b->data_len, segment->data + c->offset, c->len);
		b->data_len += c->len;
	}
}

static int add_node(struct page_builder *b, const struct file_group *group,
		    const struct tail_group *tail_group, const struct segment *segment, size_t node)
{
	size_t header = b->open == segment ? 1 : 80 + strlen(group->name);
	size_t len = node_text(b, group, tail_group, segment, node);
	size_t room = TAIL_PAYLOAD_BYTES - 24;
	int r = 0;

	if ((b->open != segment && is_listed(b, group)) ||
	    (b->dir.len && b->dir.len + header + b->node.len + b->data_len + len > room)) {
		r = page_flush(b);
		/* The places in the new page are others. */
		len = node_text(b, group, tail_group, segment, node);
	}
	if (!r)
		r = reserve_data(b, b->data_len + len);
	if (r < 0)
		return r;
	if (b->open == segment)
		text_char(&b->dir, ',');
	else
		open_group(b, group, segment);
	text_str(&b->dir, b->node.p);
	append_data(b, group, tail_group, segment, node);
	return b->dir.truncated || b->node.truncated ? -E2BIG : 0;
}

int page_add(struct page_builder *b, const struct file_group *group,
	     const struct tail_group *tail_group, const struct segment *segment)
{
	int r = 0;

	for (size_t i = 0; i < segment->n_nodes && !r; i++)
		if (segment->nodes[i]->id > 0)
			r = add_node(b, group, tail_group, segment, i);
	return r;
}
