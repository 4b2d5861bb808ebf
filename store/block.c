/* Open blocks: a matrix of ticks, and its way into coded form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/internal.h"

/* Lateness below this share of the step is scheduling noise and stored as 0, so that the column is
 * normally constant. */
#define LATE_SHARE 100

int block_new(size_t n_columns, size_t cap, struct block **ret)
{
	struct block *block = calloc(1, sizeof(*block));

	if (!block)
		return -ENOMEM;
	block->n_columns = n_columns;
	block->cap = cap;
	block->late_ms = calloc(cap, sizeof(*block->late_ms));
	if (!block->late_ms) {
		block_free(block);
		return -ENOMEM;
	}
	*ret = block;
	return 0;
}

void block_free(struct block *block)
{
	if (!block)
		return;
	block_reset(block);
	for (size_t i = 0; i < block->n_alloc; i++) {
		free(block->nodes[i].values);
		free(block->nodes[i].absent);
	}
	free(block->nodes);
	free(block->late_ms);
	free(block);
}

void block_reset(struct block *block)
{
	for (size_t i = 0; i < block->n_nodes; i++)
		tail_node_unref(block->nodes[i].node);
	block->n = block->n_nodes = 0;
}

bool block_takes(const struct block *block, int64_t t_ms, int64_t step_ms)
{
	if (!block->n)
		return true;

	int64_t since_ms = t_ms - block->t0_ms;

	return step_ms == block->step_ms && since_ms % step_ms == 0 &&
	       since_ms / step_ms >= (int64_t)block->n && since_ms / step_ms < (int64_t)block->cap;
}

static void clear_ticks(struct block *block, struct block_node *place, size_t from, size_t to)
{
	for (size_t c = 0; c < block->n_columns; c++)
		memset(place->absent + c * block->cap + from, 1, to - from);
}

size_t block_tick(struct block *block, int64_t t_ms, int64_t late_ms, int64_t step_ms)
{
	if (!block->n) {
		block->t0_ms = t_ms;
		block->step_ms = step_ms;
	}

	size_t tick = (size_t)((t_ms - block->t0_ms) / step_ms);

	for (size_t i = 0; i < block->n_nodes; i++)
		clear_ticks(block, &block->nodes[i], block->n, tick + 1);
	for (size_t i = block->n; i < tick; i++)
		block->late_ms[i] = 0;
	block->late_ms[tick] = llabs(late_ms) < step_ms / LATE_SHARE ? 0 : late_ms;
	block->n = tick + 1;
	return tick;
}

static int add_place(struct block *block)
{
	struct block_node *nodes =
		reallocarray(block->nodes, block->n_alloc + 1, sizeof(*block->nodes));

	if (!nodes)
		return -ENOMEM;
	block->nodes = nodes;

	CLEANUP(freep) int64_t *values = calloc(block->n_columns * block->cap, sizeof(*values));
	uint8_t *absent = calloc(block->n_columns, block->cap);

	if (!values || !absent) {
		free(absent);
		return -ENOMEM;
	}
	nodes[block->n_alloc++] = (struct block_node){.values = values, .absent = absent};
	values = NULL;
	return 0;
}

int block_place(struct block *block, struct tail_node *node, size_t hint, struct block_node **ret)
{
	if (hint < block->n_nodes && block->nodes[hint].node == node) {
		*ret = &block->nodes[hint];
		return 0;
	}
	for (size_t i = 0; i < block->n_nodes; i++) {
		if (block->nodes[i].node == node) {
			*ret = &block->nodes[i];
			return 0;
		}
	}
	if (block->n_nodes == block->n_alloc) {
		int r = add_place(block);

		if (r < 0)
			return r;
	}
	*ret = &block->nodes[block->n_nodes++];
	(*ret)->node = node;
	node->n_refs++;
	clear_ticks(block, *ret, 0, block->n);
	return 0;
}

void coder_done(struct coder *coder)
{
	free(coder->cells);
	free(coder->nodes);
	free(coder->data);
	*coder = (struct coder){0};
}

/* Makes room for one more node of a block. */
static int coder_reserve(struct coder *coder, const struct block *block)
{
	size_t cells = coder->n_cells + 1 + block->n_columns;
	size_t data = coder->data_len + (1 + block->n_columns) * series_bound_bytes(block->n);

	if (cells > coder->cells_alloc) {
		void *p = reallocarray(coder->cells, cells * 2, sizeof(*coder->cells));

		if (!p)
			return -ENOMEM;
		coder->cells = p;
		coder->cells_alloc = cells * 2;
	}
	if (coder->n_nodes == coder->nodes_alloc) {
		void *p = reallocarray(coder->nodes, coder->nodes_alloc * 2 + 8,
				       sizeof(struct tail_node *));

		if (!p)
			return -ENOMEM;
		coder->nodes = p;
		coder->nodes_alloc = coder->nodes_alloc * 2 + 8;
	}
	if (data > coder->data_alloc) {
		void *p = realloc(coder->data, data);

		if (!p)
			return -ENOMEM;
		coder->data = p;
		coder->data_alloc = data;
	}
	return 0;
}

static enum cell code_cell(struct coder *coder, const int64_t *values, const uint8_t *absent,
			   size_t n)
{
	struct coded_cell *cell = &coder->cells[coder->n_cells++];

	*cell = (struct coded_cell){.offset = coder->data_len};
	cell->kind = series_encode(values, absent, n, coder->data + coder->data_len, &cell->len,
				   &cell->constant);
	if (cell->kind == CELL_BLOB)
		coder->data_len += cell->len;
	return cell->kind;
}

/* A node without any value leaves no trace. */
static int code_node(struct coder *coder, const struct block *block, const struct block_node *place)
{
	size_t n_cells = coder->n_cells, data_len = coder->data_len;
	bool any = false;
	int r = coder_reserve(coder, block);

	if (r < 0)
		return r;
	code_cell(coder, block->late_ms, NULL, block->n);
	for (size_t c = 0; c < block->n_columns; c++)
		any |= code_cell(coder, place->values + c * block->cap,
				 place->absent + c * block->cap, block->n) != CELL_ABSENT;
	if (any) {
		coder->nodes[coder->n_nodes++] = place->node;
	} else {
		coder->n_cells = n_cells;
		coder->data_len = data_len;
	}
	return 0;
}

static struct segment *segment_of(const struct coder *coder, const struct block *block)
{
	size_t nodes_size = coder->n_nodes * sizeof(struct tail_node *);
	size_t cells_size = coder->n_cells * sizeof(struct coded_cell);
	size_t size = sizeof(struct segment) + nodes_size + cells_size + coder->data_len;
	struct segment *segment = malloc(size);

	if (!segment)
		return NULL;
	*segment = (struct segment){.t0_ms = block->t0_ms,
				    .step_ms = block->step_ms,
				    .n = block->n,
				    .n_nodes = coder->n_nodes,
				    .n_columns = block->n_columns,
				    .size_bytes = size};
	segment->cells = (struct coded_cell *)(segment + 1);
	segment->nodes = (struct tail_node **)(segment->cells + coder->n_cells);
	segment->data = (uint8_t *)(segment->nodes + coder->n_nodes);
	memcpy(segment->cells, coder->cells, cells_size);
	memcpy(segment->nodes, coder->nodes, nodes_size);
	if (coder->data_len)
		memcpy(segment->data, coder->data, coder->data_len);
	return segment;
}

int block_code(const struct block *block, struct coder *coder, struct segment **ret)
{
	*ret = NULL;
	coder->n_cells = coder->n_nodes = coder->data_len = 0;
	for (size_t i = 0; i < block->n_nodes; i++) {
		int r = code_node(coder, block, &block->nodes[i]);

		if (r < 0)
			return r;
	}
	if (!coder->n_nodes)
		return 0;
	*ret = segment_of(coder, block);
	return *ret ? 0 : -ENOMEM;
}
