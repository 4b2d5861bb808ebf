/* Coded segments and their lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

void segment_free(struct segment *segment)
{
	for (size_t i = 0; i < segment->n_nodes; i++)
		tail_node_unref(segment->nodes[i]);
	free(segment);
}

void segments_append(struct segment_list *list, struct segment *segment)
{
	segment->next = NULL;
	if (list->last)
		list->last->next = segment;
	else
		list->first = segment;
	list->last = segment;
	list->size_bytes += segment->size_bytes;
}

struct segment *segments_take_first(struct segment_list *list)
{
	struct segment *segment = list->first;

	if (!segment)
		return NULL;
	list->first = segment->next;
	if (!list->first)
		list->last = NULL;
	list->size_bytes -= segment->size_bytes;
	return segment;
}

void segments_join(struct segment_list *a, struct segment_list *b)
{
	if (!b->first)
		return;
	if (a->last)
		a->last->next = b->first;
	else
		a->first = b->first;
	a->last = b->last;
	a->size_bytes += b->size_bytes;
	*b = (struct segment_list){0};
}

void segments_free(struct segment_list *list)
{
	struct segment *segment;

	while ((segment = segments_take_first(list)))
		segment_free(segment);
}

int segment_decode(const struct segment *segment, size_t node, size_t cell, int64_t *values,
		   uint8_t *absent)
{
	const struct coded_cell *c = &segment->cells[node * (1 + segment->n_columns) + cell];

	if (c->kind == CELL_BLOB)
		return series_decode(segment->data + c->offset, c->len, segment->n, values, absent);
	memset(absent, c->kind == CELL_ABSENT, segment->n);
	for (size_t i = 0; i < segment->n; i++)
		values[i] = c->constant;
	return 0;
}
