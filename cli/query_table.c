#include "cli/query_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/ambiguous.h"
#include "cli/cells.h"
#include "cli/shown.h"
#include "cli/table.h"
#include "model/sink.h"

#define CELLS_MAX  (1 << 20)
#define NODES_MAX  256
/* What is shown of before the window. */
#define BEFORE_MAX 64

struct cell {
	int64_t boot, wall_ms;
	size_t node;
	struct decimal value;
	bool has_value;
	bool as_shown; /* by a clock that was set back later */
	uint8_t flag;
};

/* The last value of a node before the window. */
struct before {
	char node[NODE_NAME_MAX];
	int64_t wall_ms;
	struct decimal value;
	uint8_t flag;
};

struct grid {
	const struct points_head *head;
	const struct metric *metric;
	char nodes[NODES_MAX][NODE_NAME_MAX];
	size_t n_nodes, node; /* node: of the current series */
	struct cell *cells;
	size_t n_cells, n_alloc;
	size_t n_damaged;
	struct before before[BEFORE_MAX];
	size_t n_before; /* those that are not kept counted */
	bool many_boots, as_shown;
};

static void grid_freep(struct grid **grid)
{
	if (*grid)
		free((*grid)->cells);
	free(*grid);
}

/* zone2 before zone10, also when it came in a later boot. */
static void insert_node(struct grid *grid, const char *name)
{
	size_t place = grid->n_nodes++;

	for (; place > 0 && strverscmp(grid->nodes[place - 1], name) > 0; place--)
		memcpy(grid->nodes[place], grid->nodes[place - 1], NODE_NAME_MAX);
	snprintf(grid->nodes[place], NODE_NAME_MAX, "%s", name);
	for (size_t i = 0; place + 1 < grid->n_nodes && i < grid->n_cells; i++)
		grid->cells[i].node += grid->cells[i].node >= place;
	grid->node = place;
}

static int find_node(struct grid *grid, const char *name)
{
	for (size_t i = 0; i < grid->n_nodes; i++)
		if (!strcmp(grid->nodes[i], name)) {
			grid->node = i;
			return 0;
		}
	if (grid->n_nodes == NODES_MAX)
		return -E2BIG;
	insert_node(grid, name);
	return 0;
}

static int add_cell(struct grid *grid, const struct points_item *item)
{
	if (grid->n_cells == CELLS_MAX)
		return -E2BIG;
	if (grid->n_cells == grid->n_alloc) {
		size_t n = grid->n_alloc ? 2 * grid->n_alloc : 512;
		struct cell *cells = reallocarray(grid->cells, n, sizeof(*cells));

		if (!cells)
			return -ENOMEM;
		grid->cells = cells;
		grid->n_alloc = n;
	}
	grid->cells[grid->n_cells++] = (struct cell){
		.boot = item->series->boot,
		.wall_ms = item->wall_ms,
		.node = grid->node,
		.value = item->value,
		.has_value = item->has_value,
		.as_shown = item->series->as_shown,
		.flag = item->flag,
	};
	grid->as_shown |= item->series->as_shown;
	if (grid->cells[0].boot != item->series->boot)
		grid->many_boots = true;
	return 0;
}

static void add_before(struct grid *grid, const struct points_item *item)
{
	struct before *before = &grid->before[grid->n_before];

	if (grid->n_before++ >= BEFORE_MAX)
		return;
	snprintf(before->node, sizeof(before->node), "%s", item->series->node);
	before->wall_ms = item->wall_ms;
	before->value = item->value;
	before->flag = item->flag;
}

static int add_item(struct grid *grid, const struct points_item *item)
{
	switch (item->type) {
	case POINTS_SERIES:
		return find_node(grid, item->series->node);
	case POINTS_POINT:
		return add_cell(grid, item);
	case POINTS_SERIES_END:
		break;
	case POINTS_BEFORE:
		add_before(grid, item);
		break;
	case POINTS_DAMAGE:
		grid->n_damaged++;
		break;
	}
	return 0;
}

static int compare_cells(const void *p, const void *q)
{
	const struct cell *a = p, *b = q;

	if (a->boot != b->boot)
		return a->boot < b->boot ? -1 : 1;
	if (a->wall_ms != b->wall_ms)
		return a->wall_ms < b->wall_ms ? -1 : 1;
	if (a->as_shown != b->as_shown)
		return a->as_shown ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

static void put_value(struct text *text, const struct grid *grid, const struct cell *cell)
{
	if (cell->has_value)
		cell_value(text, grid->metric, cell->value, grid->head->unit,
			   grid->head->per_second);
	else
		text_char(text, '-');
	cell_flag(text, cell->flag);
}

/* One line: the cells of one time. Returns how many they were, or -errno. */
static ssize_t add_line(const struct grid *grid, struct table *table, size_t first)
{
	const struct cell *cell = &grid->cells[first], *end = grid->cells + grid->n_cells;
	const struct cell *line = cell;
	char buf[128];
	struct text text = TEXT_IN(buf);
	int r = table_line(table);

	if (r < 0)
		return r;
	clock_rfc3339(&text, line->wall_ms);
	table_cell(table, buf);
	if (grid->many_boots || grid->as_shown) {
		text_reset(&text);
		text_i64(&text, line->boot);
		text_str(&text, line->as_shown ? "*" : "");
		table_cell(table, buf);
	}
	for (size_t node = 0; node < grid->n_nodes && r == 0; node++) {
		text_reset(&text);
		while (cell < end && cell->boot == line->boot && cell->wall_ms == line->wall_ms &&
		       cell->as_shown == line->as_shown && cell->node == node) {
			text_reset(&text);
			put_value(&text, grid, cell++);
		}
		r = table_cell(table, buf);
	}
	return r < 0 ? r : cell - line;
}

static int add_columns(const struct grid *grid, struct table *table)
{
	int r = table_column(table, "END OF STEP", TABLE_TEXT);

	if (r == 0 && (grid->many_boots || grid->as_shown))
		r = table_column(table, "BOOT", TABLE_NUMBER);
	for (size_t i = 0; i < grid->n_nodes && r == 0; i++)
		r = table_column(table, grid->nodes[i], TABLE_NUMBER);
	return r;
}

static int print_grid(const struct grid *grid, FILE *out)
{
	CLEANUP(table_closep) struct table *table = NULL;
	int r = table_open(&table);

	if (r == 0)
		r = add_columns(grid, table);
	for (size_t i = 0; i < grid->n_cells && r == 0;) {
		ssize_t n = add_line(grid, table, i);

		if (n < 0)
			return (int)n;
		i += (size_t)n;
	}
	return r < 0 ? r : table_print(table, out);
}

static void print_title(const struct points_head *head, FILE *out)
{
	char buf[64];
	struct text step = TEXT_IN(buf);

	text_fixed(&step, head->step_ms, 3);
	fprintf(out, "%s, %s in steps of %s s: %s\n", head->metric, head->agg, buf, head->help);
}

/* Which times of the window are no single moment. */
static void print_ambiguous(const struct grid *grid, FILE *out)
{
	ambiguous_print(out, "", grid->head->ambiguous, grid->head->n_ambiguous);
	if (grid->as_shown)
		fputs("* at the time that the clock showed then, not the one that it really was\n",
		      out);
}

/* How a group that is read seldom stood when the window began. */
static void print_before(const struct grid *grid, FILE *out)
{
	for (size_t i = 0; i < MIN(grid->n_before, (size_t)BEFORE_MAX); i++) {
		const struct before *before = &grid->before[i];
		char buf[256];
		struct text text = TEXT_IN(buf);

		text_str(&text, ": ");
		cell_value(&text, grid->metric, before->value, grid->head->unit, false);
		cell_flag(&text, before->flag);
		text_str(&text, " at ");
		clock_rfc3339(&text, before->wall_ms);
		text_str(&text, ", ");
		text_span(&text, grid->head->from_wall_ms - before->wall_ms);
		fputs("last before this window: ", out);
		shown_put(out, before->node, strlen(before->node));
		fprintf(out, "%s earlier\n", buf);
	}
	if (grid->n_before > BEFORE_MAX)
		fprintf(out, "and %zu more nodes, see --json\n", grid->n_before - BEFORE_MAX);
}

/* What is made from increases has no value of a sample that is alone. */
static void print_no_rate(const struct metric *metric, FILE *out)
{
	fputs("no value in this window: that takes two samples of a node, the later one in it, "
	      "between "
	      "which something was counted\n",
	      out);
	if (metric->kind == KIND_COUNTER)
		fputs("--agg last shows the count itself\n", out);
}

/* What it may mean that there is no value, by the tables; what it means here the probe knows,
 * unless what is shown was recorded elsewhere. */
static void print_none(const struct metric *metric, bool is_here, FILE *out)
{
	fputs("no samples in this window\n", out);
	if (!metric)
		return;
	fprintf(out, "there is none when: %s\nor when nothing was sampled in that time",
		field_absence(metric->group, &metric->group->fields[metric->a]));
	if (metric->group->period_ms >= 1000)
		fprintf(out, " (by default each %u s)", metric->group->period_ms / 1000);
	if (metric->derived && metric_is_delta(metric))
		fputs(", or nothing was counted of which it could be made", out);
	fputc('\n', out);
	if (is_here)
		fprintf(out, "flashscope probe --all %s tells what is so here\n",
			metric->collector->name);
}

int query_table_print(const struct points_head *head, const struct metric *metric, bool is_here,
		      int (*next)(void *source, struct points_item *ret), void *source, FILE *out)
{
	CLEANUP(grid_freep) struct grid *grid = calloc(1, sizeof(*grid));
	struct points_item item;
	int r;

	if (!grid)
		return -ENOMEM;
	grid->head = head;
	grid->metric = metric;
	while ((r = next(source, &item)) > 0) {
		r = add_item(grid, &item);
		if (r < 0)
			break;
	}
	if (r < 0)
		return r;
	if (grid->n_cells > 1)
		qsort(grid->cells, grid->n_cells, sizeof(*grid->cells), compare_cells);
	print_title(head, out);
	if (grid->n_damaged)
		fprintf(stderr, "flashscope query: %zu pieces of the file could not be read\n",
			grid->n_damaged);
	if (!grid->n_cells && grid->n_nodes && metric && metric_is_delta(metric))
		print_no_rate(metric, out);
	else if (!grid->n_cells)
		print_none(metric, is_here, out);
	else
		r = print_grid(grid, out);
	print_ambiguous(grid, out);
	print_before(grid, out);
	return r;
}
