/* The part of a series that stands in memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/cursor.h"

struct cursor_piece *cursor_piece_new(size_t n_fields, size_t n)
{
	size_t size =
		sizeof(struct cursor_piece) + (1 + n_fields) * n * sizeof(int64_t) + n_fields * n;
	struct cursor_piece *piece = malloc(size);

	if (!piece)
		return NULL;
	*piece = (struct cursor_piece){.n = n};

	int64_t *p = (int64_t *)(piece + 1);

	piece->late_ms = p;
	for (size_t f = 0; f < n_fields; f++)
		piece->values[f] = p += n;

	uint8_t *q = (uint8_t *)(p + n);

	for (size_t f = 0; f < n_fields; f++, q += n)
		piece->absent[f] = q;
	return piece;
}

void cursor_pieces_append(struct cursor_pieces *pieces, struct cursor_piece *piece)
{
	piece->next = NULL;
	if (pieces->last)
		pieces->last->next = piece;
	else
		pieces->first = piece;
	pieces->last = piece;
}

struct cursor_piece *cursor_pieces_take(struct cursor_pieces *pieces)
{
	struct cursor_piece *piece = pieces->first;

	if (piece) {
		pieces->first = piece->next;
		if (!pieces->first)
			pieces->last = NULL;
	}
	return piece;
}

static bool is_ours(const struct cursor *c, const struct tail_node *node)
{
	return node->collector == c->collector && !strcmp(node->name, c->key.node) &&
	       !strcmp(node->identity, c->key.identity);
}

static int64_t number_of(const struct tail_node *node)
{
	return node->id ? node->id : -node->run;
}

static bool is_wanted(const struct cursor *c, int64_t t0_ms, size_t n, int64_t step_ms)
{
	return t0_ms <= c->to_ms && t0_ms + (int64_t)(n - 1) * step_ms >= c->from_ms;
}

static void append(struct cursor *c, struct cursor_piece *piece, const struct tail_node *node,
		   int64_t t0_ms, int64_t step_ms)
{
	piece->node = number_of(node);
	piece->t0_ms = t0_ms;
	piece->step_ms = step_ms;
	cursor_pieces_append(&c->memory, piece);
}

static int copy_segment(struct cursor *c, const struct tail_group *g, const struct segment *s,
			size_t node)
{
	struct cursor_piece *piece = cursor_piece_new(c->n_fields, s->n);

	if (!piece)
		return -ENOMEM;
	/* Absence of lateness is not asked for; any array of a field can take it for a moment. */
	piece->damaged = segment_decode(s, node, 0, piece->late_ms, piece->absent[0]) < 0;
	for (size_t f = 0; f < c->n_fields; f++)
		piece->damaged |= segment_decode(s, node, 1 + g->column[c->fields[f]],
						 piece->values[f], piece->absent[f]) < 0;
	append(c, piece, s->nodes[node], s->t0_ms, s->step_ms);
	return 0;
}

static int copy_segments(struct cursor *c, const struct tail_group *g, size_t index,
			 const struct segment_list *list)
{
	int r = 0;

	for (const struct segment *s = list->first; s && !r; s = s->next) {
		if (s->group != index)
			continue;
		for (size_t i = 0; i < s->n_nodes && !r; i++) {
			if (!is_ours(c, s->nodes[i]))
				continue;
			c->memory_from_ms = MIN(c->memory_from_ms, s->t0_ms);
			if (is_wanted(c, s->t0_ms, s->n, s->step_ms))
				r = copy_segment(c, g, s, i);
		}
	}
	return r;
}

static int copy_place(struct cursor *c, const struct tail_group *g, const struct block *b,
		      const struct block_node *place)
{
	struct cursor_piece *piece = cursor_piece_new(c->n_fields, b->n);

	if (!piece)
		return -ENOMEM;
	memcpy(piece->late_ms, b->late_ms, b->n * sizeof(int64_t));
	for (size_t f = 0; f < c->n_fields; f++) {
		size_t at = g->column[c->fields[f]] * b->cap;

		memcpy(piece->values[f], place->values + at, b->n * sizeof(int64_t));
		memcpy(piece->absent[f], place->absent + at, b->n);
	}
	append(c, piece, place->node, b->t0_ms, b->step_ms);
	return 0;
}

static int copy_block(struct cursor *c, const struct tail_group *g, const struct block *b)
{
	int r = 0;

	if (!b || !b->n)
		return 0;
	for (size_t i = 0; i < b->n_nodes && !r; i++) {
		if (!is_ours(c, b->nodes[i].node))
			continue;
		c->memory_from_ms = MIN(c->memory_from_ms, b->t0_ms);
		if (is_wanted(c, b->t0_ms, b->n, b->step_ms))
			r = copy_place(c, g, b, &b->nodes[i]);
	}
	return r;
}

static int copy_flags(struct cursor *c, const struct change_list *list)
{
	int r = 0;

	for (const struct change *h = list->first; h && !r; h = h->next) {
		if (h->what != CHANGE_FLAG || h->group != c->group || !is_ours(c, h->node))
			continue;
		for (size_t f = 0; f < c->n_fields && !r; f++)
			if (h->field == c->fields[f])
				r = cursor_add_flag(c, number_of(h->node), f, h->t_ms, h->text);
	}
	return r;
}

/* In the order of time: what a commit has in its hands, what was sealed while it ran, and what is
 * open. */
int cursor_copy_memory(struct cursor *c)
{
	struct store *store = c->reader->store;
	int r = 0;

	pthread_mutex_lock(&store->lock);
	const struct tail_group *g = tail_group_of(store, c->group);

	if (g && c->key.boot == store->status.boot) {
		size_t index = (size_t)(g - store->groups);

		r = copy_segments(c, g, index, &store->writing);
		if (!r)
			r = copy_block(c, g, g->busy);
		if (!r)
			r = copy_segments(c, g, index, &store->sealed);
		if (!r)
			r = copy_block(c, g, g->open);
		if (!r)
			r = copy_flags(c, &store->writing_changes);
		if (!r)
			r = copy_flags(c, &store->changes);
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}
