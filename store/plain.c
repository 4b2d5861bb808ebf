#include "store/plain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "model/series.h"
#include "store/db.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define N_KEYS     5 /* wall, boot, boot_ms, node, identity */
#define FIRST_CELL 6 /* of a chunk, from 0: lateness, then the columns */
#define WALL_BYTES 32
#define SLACK_S    7200 /* a chunk may begin that long before its last tick */

static const char *const record_tables[] = {"events", "marks", "boots",  "nodes",
					    "infos",  "flags", "faults", "outcomes"};

struct plain_page {
	int64_t boot;
	char *dir;
	uint8_t *data;
	size_t data_len;
};

struct plain_node {
	int64_t id;
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
};

/* The ticks that are being given out. */
struct plain_block {
	int64_t t0_ms, step_ms;
	size_t n, at;
	const struct boot *boot;
	const struct plain_node *node;
	int64_t *values; /* of each column, lateness first, SERIES_TICKS_MAX */
	uint8_t *absent;
};

struct plain {
	struct reader *reader;
	struct plain_column *columns;
	size_t n_columns, n_cells; /* cells: lateness and fields */
	char wall[WALL_BYTES];
	int64_t from_ms, to_ms;
	int64_t n_damaged;
	sqlite3_stmt *stmt; /* rows of records, or the next chunk of a group */
	/* of a group */
	struct boot *boots;
	size_t n_boots, boot; /* boot: whose chunks are next */
	struct plain_node *nodes;
	size_t n_nodes;
	int64_t last_id, max_id;
	struct plain_page pages[TAIL_SLOTS];
	size_t n_pages, page;
	struct dir_reader dir;
	bool in_page;
	char group[NODE_NAME_MAX];
	struct plain_block block;
};

void plain_close(struct plain *plain)
{
	if (!plain)
		return;
	for (size_t i = 0; i < plain->n_columns; i++) {
		free(plain->columns[i].states);
		free(plain->columns[i].help);
	}
	for (size_t i = 0; i < plain->n_pages; i++) {
		free(plain->pages[i].dir);
		free(plain->pages[i].data);
	}
	sqlite3_finalize(plain->stmt);
	free(plain->columns);
	free(plain->boots);
	free(plain->nodes);
	free(plain->block.values);
	free(plain->block.absent);
	free(plain);
}

void plain_closep(struct plain **plain)
{
	plain_close(*plain);
}

const struct plain_column *plain_columns(const struct plain *plain, size_t *ret_n)
{
	*ret_n = plain->n_columns;
	return plain->columns;
}

int64_t plain_n_damaged(const struct plain *plain)
{
	return plain->n_damaged;
}

int plain_tables(struct reader *reader, int (*visit)(const char *table, void *arg), void *arg)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt,
			    "SELECT DISTINCT grp FROM field WHERE col IS NOT NULL ORDER BY grp");

	while (!r && (r = sql_step(stmt)) > 0)
		r = visit(column_text(stmt, 0), arg);
	for (size_t i = 0; i < ARRAY_SIZE(record_tables) && !r; i++)
		r = visit(record_tables[i], arg);
	return r < 0 ? reader_failed(reader, r) : r;
}

static struct plain_column *add_column(struct plain *p, const char *name, const char *kind)
{
	struct plain_column *columns =
		reallocarray(p->columns, p->n_columns + 1, sizeof(*p->columns));

	if (!columns)
		return NULL;
	p->columns = columns;

	struct plain_column *column = &columns[p->n_columns++];

	*column = (struct plain_column){0};
	snprintf(column->name, sizeof(column->name), "%s", name);
	snprintf(column->kind, sizeof(column->kind), "%s", kind);
	return column;
}

static int copy_text(sqlite3_stmt *stmt, int i, char **ret)
{
	if (sqlite3_column_type(stmt, i) == SQLITE_NULL)
		return 0;
	*ret = strdup(column_text(stmt, i));
	return *ret ? 0 : -ENOMEM;
}

static int group_columns(struct plain *p)
{
	static const char *const keys[N_KEYS][2] = {
		{"wall", "text"}, {"boot", ""},         {"boot_ms", ""},
		{"node", "text"}, {"identity", "text"},
	};
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = 0;

	for (size_t i = 0; i < N_KEYS && !r; i++)
		r = add_column(p, keys[i][0], keys[i][1]) ? 0 : -ENOMEM;
	if (!r)
		snprintf(p->columns[2].unit, sizeof(p->columns[2].unit), "milliseconds");
	if (!r)
		r = sql_prepare(p->reader->conn, &stmt,
				"SELECT name,kind,unit,states,help FROM field WHERE grp=%Q AND"
				" col IS NOT NULL ORDER BY col",
				p->group);
	while (!r && (r = sql_step(stmt)) > 0) {
		struct plain_column *column =
			add_column(p, column_text(stmt, 0), column_text(stmt, 1));

		if (!column)
			return -ENOMEM;
		if (strcmp(column_text(stmt, 2), "none") != 0)
			snprintf(column->unit, sizeof(column->unit), "%s", column_text(stmt, 2));
		r = copy_text(stmt, 3, &column->states);
		if (!r)
			r = copy_text(stmt, 4, &column->help);
	}
	p->n_cells = p->n_columns - N_KEYS + 1;
	return r ? r : p->n_columns > N_KEYS ? 0 : -ENOENT;
}

static int load_nodes(struct plain *p)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int64_t n = 0;
	int r = sql_int(p->reader->conn, &n, "SELECT count(*) FROM node");

	if (!r)
		r = sql_prepare(p->reader->conn, &stmt,
				"SELECT id,name,identity FROM node ORDER BY id LIMIT %d",
				FORMAT_NODES_MAX);
	n = MIN(n, (int64_t)FORMAT_NODES_MAX);
	p->nodes = calloc((size_t)n + 1, sizeof(*p->nodes));
	if (!p->nodes)
		return -ENOMEM;
	while (!r && (r = sql_step(stmt)) > 0 && p->n_nodes < (size_t)n) {
		struct plain_node *node = &p->nodes[p->n_nodes++];

		node->id = sqlite3_column_int64(stmt, 0);
		snprintf(node->name, sizeof(node->name), "%s", column_text(stmt, 1));
		snprintf(node->identity, sizeof(node->identity), "%s", column_text(stmt, 2));
		r = 0;
	}
	return MIN(r, 0);
}

static int copy_page(struct plain *p, sqlite3_stmt *stmt)
{
	struct plain_page *page = &p->pages[p->n_pages];
	int len = sqlite3_column_bytes(stmt, 2);

	page->boot = sqlite3_column_int64(stmt, 0);
	page->dir = strdup(column_text(stmt, 1));
	page->data = malloc((size_t)len + 1);
	page->data_len = (size_t)len;
	p->n_pages++;
	if (!page->dir || !page->data)
		return -ENOMEM;
	if (len)
		memcpy(page->data, sqlite3_column_blob(stmt, 2), (size_t)len);
	return 0;
}

/* The newest pages, and how far the chunks go that belong to them: of one transaction. */
static int copy_tail(struct plain *p)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_int(p->reader->conn, &p->max_id, "SELECT coalesce(max(id),0) FROM \"%w_chunk\"",
			p->group);

	if (!r)
		r = sql_prepare(p->reader->conn, &stmt, TAIL_LIVE, TAIL_SLOTS,
				"(SELECT folded FROM meta)", TAIL_DIR_MAX_BYTES);
	while (!r && (r = sql_step(stmt)) > 0 && p->n_pages < TAIL_SLOTS)
		r = copy_page(p, stmt);
	return MIN(r, 0);
}

static int prepare_chunks(struct plain *p)
{
	sqlite3_str *sql = sqlite3_str_new(p->reader->conn);
	int r;

	sqlite3_str_appendall(sql, "SELECT id,boot,node,t0,step,n,late");
	for (size_t i = N_KEYS; i < p->n_columns; i++)
		sqlite3_str_appendf(sql, ",\"%w\"", p->columns[i].name);
	sqlite3_str_appendf(sql, " FROM \"%w_chunk\" WHERE id>? AND id<=? ORDER BY id LIMIT 1",
			    p->group);

	char *text = sqlite3_str_finish(sql);

	r = text ? sql_prepare(p->reader->conn, &p->stmt, "%s", text) : -ENOMEM;
	sqlite3_free(text);
	return r;
}

static int open_group(struct plain *p)
{
	int n = 0, r = group_columns(p);

	p->boots = calloc(BOOTS_MAX, sizeof(*p->boots));
	p->block.values = calloc(p->n_cells, SERIES_TICKS_MAX * sizeof(*p->block.values));
	p->block.absent = calloc(p->n_cells, SERIES_TICKS_MAX);
	if (!p->boots || !p->block.values || !p->block.absent)
		return -ENOMEM;
	if (!r)
		r = n = reader_boots(p->reader, p->boots, BOOTS_MAX);
	if (r < 0)
		return r;
	p->n_boots = (size_t)n;
	r = reader_begin(p->reader);
	if (r <= 0)
		return r ? r : -ENOENT;
	r = load_nodes(p);
	if (!r)
		r = copy_tail(p);
	reader_end(p->reader);
	return r ? r : prepare_chunks(p);
}

static void wall_text(char buf[WALL_BYTES], int64_t wall_ms)
{
	struct text text = text_in(buf, WALL_BYTES);

	clock_rfc3339(&text, wall_ms);
}

/* Times of the file come out in one form, which sorts as text. */
static int open_records(struct plain *p, const char *table)
{
	bool is_span = !strcmp(table, "events") || !strcmp(table, "marks");
	char from[WALL_BYTES], to[WALL_BYTES];
	int r;

	wall_text(from, MAX(p->from_ms, INT64_C(0)));
	wall_text(to, MIN(p->to_ms, INT64_C(253402300799999)));
	r = is_span ? sql_prepare(p->reader->conn, &p->stmt,
				  "SELECT * FROM (%s) WHERE wall<=%Q AND coalesce(wall_end,'9999')"
				  ">=%Q",
				  schema_view(table), to, from)
		    : sql_prepare(p->reader->conn, &p->stmt, "%s", schema_view(table));
	for (int i = 0; !r && i < sqlite3_column_count(p->stmt); i++) {
		const char *name = sqlite3_column_name(p->stmt, i);
		bool is_t = !strcmp(name, "t"), is_end = !strcmp(name, "t_end");

		if (!add_column(p, is_t ? "boot_ms" : is_end ? "boot_ms_end" : name, ""))
			return -ENOMEM;
	}
	return r;
}

int plain_open(struct reader *reader, const char *table, int64_t from_wall_ms, int64_t to_wall_ms,
	       struct plain **ret)
{
	CLEANUP(plain_closep) struct plain *p = calloc(1, sizeof(*p));
	bool is_record = false;
	int r;

	if (!p)
		return -ENOMEM;
	p->reader = reader;
	p->from_ms = from_wall_ms;
	p->to_ms = to_wall_ms;
	for (size_t i = 0; i < ARRAY_SIZE(record_tables); i++)
		is_record |= !strcmp(table, record_tables[i]);
	if (!is_record && strlen(table) >= sizeof(p->group))
		return -ENOENT;
	snprintf(p->group, sizeof(p->group), "%s", is_record ? "" : table);
	r = is_record ? open_records(p, table) : open_group(p);
	if (r < 0)
		return r == -ENOENT ? r : reader_failed(reader, r);
	*ret = p;
	p = NULL;
	return 0;
}

/* Whose ticks come next; false when nothing tells of the boot or node, or all lies elsewhere. */
static bool begin_block(struct plain *p, int64_t boot, int64_t node, int64_t t0_ms, int64_t step_ms,
			int64_t n)
{
	struct plain_block *b = &p->block;
	size_t from = 0, to = p->n_nodes;

	b->boot = NULL;
	b->node = NULL;
	b->n = b->at = 0;
	if (n < 1 || n > SERIES_TICKS_MAX || step_ms < 1 || step_ms > FORMAT_STEP_MAX_MS ||
	    t0_ms < -FORMAT_TIME_MAX_MS || t0_ms > FORMAT_TIME_MAX_MS)
		return false;
	for (size_t i = 0; i < p->n_boots; i++)
		if (p->boots[i].id == boot)
			b->boot = &p->boots[i];
	while (from < to) {
		size_t middle = (from + to) / 2;

		if (p->nodes[middle].id < node)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < p->n_nodes && p->nodes[from].id == node)
		b->node = &p->nodes[from];
	if (!b->boot || !b->node)
		return false;
	b->t0_ms = t0_ms;
	b->step_ms = step_ms;
	b->n = (size_t)n;

	int64_t first_ms = t0_ms + b->boot->wall_offset_ms;

	return first_ms <= p->to_ms && first_ms + n * step_ms >= p->from_ms;
}

static void decode_cell(struct plain *p, sqlite3_stmt *stmt, int column, size_t cell)
{
	struct plain_block *b = &p->block;
	int64_t *values = b->values + cell * SERIES_TICKS_MAX;
	uint8_t *absent = b->absent + cell * SERIES_TICKS_MAX;
	int type = sqlite3_column_type(stmt, column);

	if (type == SQLITE_BLOB &&
	    !series_decode(sqlite3_column_blob(stmt, column),
			   (size_t)sqlite3_column_bytes(stmt, column), b->n, values, absent))
		return;
	p->n_damaged += type == SQLITE_BLOB;
	memset(absent, type != SQLITE_INTEGER, b->n);
	for (size_t i = 0; type == SQLITE_INTEGER && i < b->n; i++)
		values[i] = sqlite3_column_int64(stmt, column);
}

/* The ids of a boot's chunks that may have ticks of the window. */
static void id_range(const struct plain *p, const struct boot *boot, int64_t *ret_after,
		     int64_t *ret_last)
{
	int64_t from_s = (p->from_ms - boot->wall_offset_ms) / 1000 - SLACK_S;
	int64_t to_s = (p->to_ms - boot->wall_offset_ms) / 1000 + SLACK_S;
	int64_t seconds = FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR;

	from_s = MAX(MIN(from_s, seconds), INT64_C(0));
	to_s = MAX(MIN(to_s, seconds), INT64_C(0));
	*ret_after = boot->id * FORMAT_BOOT_FACTOR + from_s * FORMAT_SECOND_FACTOR - 1;
	*ret_last = boot->id * FORMAT_BOOT_FACTOR + to_s * FORMAT_SECOND_FACTOR;
}

/* 1 with a block, 0 when there are no more chunks. */
static int next_chunk(struct plain *p)
{
	while (p->boot < p->n_boots) {
		int64_t after, last;
		int r;

		id_range(p, &p->boots[p->boot], &after, &last);
		bind_int(p->stmt, 1, MAX(after, p->last_id));
		bind_int(p->stmt, 2, MIN(last, p->max_id));
		r = sql_step(p->stmt);
		if (r < 0)
			return r;
		if (!r) {
			p->boot++;
			continue;
		}
		p->last_id = sqlite3_column_int64(p->stmt, 0);

		bool taken = begin_block(
			p, sqlite3_column_int64(p->stmt, 1), sqlite3_column_int64(p->stmt, 2),
			sqlite3_column_int64(p->stmt, 3), sqlite3_column_int64(p->stmt, 4),
			sqlite3_column_int64(p->stmt, 5));

		for (size_t i = 0; taken && i < p->n_cells; i++)
			decode_cell(p, p->stmt, (int)i + FIRST_CELL, i);
		sqlite3_reset(p->stmt);
		if (taken)
			return 1;
	}
	return 0;
}

static void decode_dir_node(struct plain *p, const struct plain_page *page)
{
	const struct dir_node *node = &p->dir.node;
	struct plain_block *b = &p->block;

	for (size_t i = 0; i < p->n_cells; i++) {
		static const struct dir_cell none = {.type = DIR_ABSENT};
		int64_t *values = b->values + i * SERIES_TICKS_MAX;
		uint8_t *absent = b->absent + i * SERIES_TICKS_MAX;

		if (dir_decode(i < node->n_cells ? &node->cells[i] : &none, page->data, b->n,
			       values, absent) < 0) {
			p->n_damaged++;
			memset(absent, 1, b->n);
		}
	}
}

/* 1 with a block, 0 at the end of the tail. A page that is damaged ends early. */
static int next_of_tail(struct plain *p)
{
	while (p->page < p->n_pages) {
		const struct plain_page *page = &p->pages[p->page];
		const struct dir_node *node = &p->dir.node;

		if (!p->in_page)
			dir_start(&p->dir, slice_of(page->dir), page->data_len);
		p->in_page = true;

		int r = dir_next(&p->dir);

		if (r <= 0) {
			p->n_damaged += r < 0;
			p->in_page = false;
			p->page++;
			continue;
		}
		if (node->group.len != strlen(p->group) ||
		    memcmp(node->group.p, p->group, node->group.len) != 0 ||
		    !begin_block(p, page->boot, node->node, node->t0_ms, node->step_ms,
				 (int64_t)node->n))
			continue;
		decode_dir_node(p, page);
		return 1;
	}
	return 0;
}

/* A tick that was missed has no value at all. */
static bool has_any(const struct plain *p, size_t tick)
{
	for (size_t i = 1; i < p->n_cells; i++)
		if (!p->block.absent[i * SERIES_TICKS_MAX + tick])
			return true;
	return false;
}

static bool give_tick(struct plain *p, size_t tick, struct plain_value *values)
{
	const struct plain_block *b = &p->block;
	int64_t late_ms = b->absent[tick] ? 0 : b->values[tick];
	int64_t t_ms = b->t0_ms + (int64_t)tick * b->step_ms +
		       MAX(MIN(late_ms, FORMAT_STEP_MAX_MS), INT64_C(0));
	int64_t wall_ms = t_ms + b->boot->wall_offset_ms;

	if (wall_ms < p->from_ms || wall_ms > p->to_ms || !has_any(p, tick))
		return false;
	wall_text(p->wall, wall_ms);
	values[0] = (struct plain_value){PLAIN_TEXT, 0, p->wall};
	values[1] = (struct plain_value){PLAIN_INT, b->boot->id, NULL};
	values[2] = (struct plain_value){PLAIN_INT, t_ms, NULL};
	values[3] = (struct plain_value){PLAIN_TEXT, 0, b->node->name};
	values[4] = (struct plain_value){PLAIN_TEXT, 0, b->node->identity};
	for (size_t i = 1; i < p->n_cells; i++) {
		size_t at = i * SERIES_TICKS_MAX + tick;

		values[N_KEYS + i - 1] =
			b->absent[at] ? (struct plain_value){0}
				      : (struct plain_value){PLAIN_INT, b->values[at], NULL};
	}
	return true;
}

static int next_tick(struct plain *p, struct plain_value *values)
{
	for (;;) {
		while (p->block.at < p->block.n)
			if (give_tick(p, p->block.at++, values))
				return 1;

		int r = next_chunk(p);

		if (!r)
			r = next_of_tail(p);
		if (r <= 0)
			return r < 0 ? reader_failed(p->reader, r) : 0;
	}
}

static int next_record(struct plain *p, struct plain_value *values)
{
	int r = sql_step(p->stmt);

	for (int i = 0; r > 0 && i < (int)p->n_columns; i++) {
		struct plain_value *v = &values[i];

		*v = (struct plain_value){0};
		if (sqlite3_column_type(p->stmt, i) == SQLITE_INTEGER)
			*v = (struct plain_value){PLAIN_INT, sqlite3_column_int64(p->stmt, i),
						  NULL};
		else if (sqlite3_column_type(p->stmt, i) != SQLITE_NULL)
			*v = (struct plain_value){PLAIN_TEXT, 0, column_text(p->stmt, i)};
	}
	return r < 0 ? reader_failed(p->reader, r) : r;
}

int plain_next(struct plain *plain, struct plain_value *values)
{
	return *plain->group ? next_tick(plain, values) : next_record(plain, values);
}
