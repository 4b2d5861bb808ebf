/* A cursor's parts: what it copies from memory, and how it deals out spans. */
#pragma once

#include "store/reader_internal.h"

#define CURSOR_NODES_MAX  64
#define CURSOR_FLAGS_MAX  4096
#define CURSOR_PIECES_MAX 1024
#define NODE_WITHOUT_ID   (-1) /* of memory, in its first run */

/* Decoded ticks of one node: of memory or of a tail page. */
struct cursor_piece {
	struct cursor_piece *next;
	int64_t node; /* id, or minus the run of one that has none */
	int64_t t0_ms, step_ms;
	size_t n;
	bool damaged;
	int64_t *late_ms, *values[SPAN_FIELDS_MAX];
	uint8_t *absent[SPAN_FIELDS_MAX];
};

struct cursor_pieces {
	struct cursor_piece *first, *last;
};

struct cursor_flag {
	int64_t node, t_ms;
	size_t field; /* index of the cursor's fields */
	uint8_t flag;
};

struct cursor {
	struct reader *reader;
	const struct collector *collector;
	const struct group *group;
	struct series_key key;
	size_t fields[SPAN_FIELDS_MAX], n_fields;
	int64_t from_ms, to_ms;
	int64_t memory_from_ms;      /* file ticks from here on are left out */
	struct cursor_pieces memory; /* taken at open */
	struct cursor_pieces pages;  /* taken when the chunks were read */
	size_t n_pieces;             /* of pages; a page lists a series once */
	bool chunks_done;
	int64_t nodes[CURSOR_NODES_MAX];
	size_t n_nodes;
	int64_t columns[SPAN_FIELDS_MAX];
	sqlite3_stmt *chunk;
	uint64_t attach_count;
	int64_t last_id;
	struct cursor_flag *flags;
	size_t n_flags;
	/* what is being dealt out: piece, or the arrays for a chunk */
	struct cursor_piece *piece;
	struct cursor_piece now;
	size_t now_at;     /* ticks of now that were given */
	int64_t last_node; /* of the last span, 0 before the first */
	bool fresh;
	int64_t *late_buf, *values_buf[SPAN_FIELDS_MAX];
	uint8_t *absent_buf, *gap_buf[SPAN_FIELDS_MAX];
};

/* A piece with room for n ticks; NULL without memory. */
struct cursor_piece *cursor_piece_new(size_t n_fields, size_t n);
void cursor_pieces_append(struct cursor_pieces *pieces, struct cursor_piece *piece);
struct cursor_piece *cursor_pieces_take(struct cursor_pieces *pieces);

/* Copies what memory has of the series, and its flags. */
MUST_CHECK int cursor_copy_memory(struct cursor *cursor);
MUST_CHECK int cursor_add_flag(struct cursor *cursor, int64_t node, size_t field, int64_t t_ms,
			       const char *word);
