#include "daemon/board.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct board_probe {
	unsigned n_refs; /* under the board's lock */
	size_t n_items;
	size_t n_failed; /* nodes with OUTCOME_FAILED */
	struct probe_item items[];
};

struct board {
	pthread_mutex_t lock;
	struct sampler_stats stats;
	struct board_loop loop;
	struct board_collector *collectors;
	size_t n_collectors;
	struct board_trouble troubles[BOARD_TROUBLES_MAX];
	size_t n_troubles;
};

int board_new(const struct catalog *catalog, struct board **ret)
{
	struct board *board = calloc(1, sizeof(*board));

	if (!board)
		return -ENOMEM;
	pthread_mutex_init(&board->lock, NULL);
	board->n_collectors = catalog->n_collectors;
	board->collectors = calloc(catalog->n_collectors + 1, sizeof(*board->collectors));
	if (!board->collectors) {
		board_free(board);
		return -ENOMEM;
	}
	for (size_t i = 0; i < board->n_collectors; i++)
		board->collectors[i].collector = catalog->collectors[i];
	*ret = board;
	return 0;
}

/* Under the lock. */
static void unref(struct board_probe *probe)
{
	if (probe && --probe->n_refs == 0)
		free(probe);
}

void board_free(struct board *board)
{
	if (!board)
		return;
	for (size_t i = 0; board->collectors && i < board->n_collectors; i++)
		unref(board->collectors[i].probe);
	free(board->collectors);
	pthread_mutex_destroy(&board->lock);
	free(board);
}

static void take_status(struct board_collector *entry, const struct collector_status *status)
{
	entry->state = status->state;
	entry->last_error = status->last_error;
	entry->since_ms = status->since_ms;
	entry->last_sample_ms = status->last_sample_ms;
	entry->last_duration_us = status->last_duration_us;
	entry->n_samples = status->n_samples;
	entry->n_failures = status->n_failures;
	entry->enabled = status->enabled;
}

void board_update(struct board *board, const struct sampler *sampler, const struct board_loop *loop)
{
	struct collector_status status;

	pthread_mutex_lock(&board->lock);
	sampler_get_stats(sampler, &board->stats);
	board->loop = *loop;
	for (size_t i = 0; i < board->n_collectors; i++)
		if (sampler_collector_status(sampler, i, &status) == 0)
			take_status(&board->collectors[i], &status);
	pthread_mutex_unlock(&board->lock);
}

static struct board_collector *find_collector(struct board *board,
					      const struct collector *collector)
{
	for (size_t i = 0; i < board->n_collectors; i++)
		if (board->collectors[i].collector == collector)
			return &board->collectors[i];
	return NULL;
}

static struct board_probe *copy_items(const struct probe_item *items, size_t n)
{
	struct board_probe *copy = calloc(1, sizeof(*copy) + n * sizeof(*items));

	if (!copy)
		return NULL;
	copy->n_refs = 1;
	copy->n_items = n;
	for (size_t i = 0; i < n; i++) {
		copy->items[i] = items[i];
		copy->n_failed += i && items[i].outcome == OUTCOME_FAILED;
	}
	return copy;
}

static void put_up(struct board *board, struct board_collector *entry, struct board_probe *probe)
{
	pthread_mutex_lock(&board->lock);
	unref(entry->probe);
	entry->probe = probe;
	pthread_mutex_unlock(&board->lock);
}

void board_probed(struct board *board, const struct collector *collector, const struct probe *probe)
{
	struct board_collector *entry = find_collector(board, collector);
	struct board_probe *copy = entry ? copy_items(probe->items, probe->n_items) : NULL;

	if (copy)
		put_up(board, entry, copy);
}

static struct board_collector *find_by_group(struct board *board, const struct group *group)
{
	for (size_t i = 0; i < board->n_collectors; i++) {
		const struct collector *c = board->collectors[i].collector;

		for (size_t j = 0; j < c->n_groups; j++)
			if (&c->groups[j] == group)
				return &board->collectors[i];
	}
	return NULL;
}

/* A text that explains why there is no value is none. */
static bool has_worked(const struct row *row, const struct group *group)
{
	for (size_t i = 0; i < group->n_fields; i++)
		if (row->values[i].type == VALUE_INT ||
		    (row->values[i].type == VALUE_TEXT && !group->fields[i].explains))
			return true;
	return false;
}

/* The failed item of this node; 0 for none, which is the collector's own. */
static size_t find_failed(const struct board_probe *probe, const char *node)
{
	for (size_t i = 1; i < probe->n_items; i++)
		if (probe->items[i].outcome == OUTCOME_FAILED &&
		    !strcmp(probe->items[i].node, node))
			return i;
	return 0;
}

static void set_ok(struct probe_item *item)
{
	item->outcome = OUTCOME_OK;
	item->reason[0] = '\0';
	item->advice[0] = '\0';
}

/* Others may be reading the old one, so a new one takes its place. False without memory. */
static bool mend(struct board *board, struct board_collector *entry, size_t item)
{
	struct board_probe *copy = copy_items(entry->probe->items, entry->probe->n_items);

	if (!copy)
		return false;
	copy->n_failed--;
	set_ok(&copy->items[item]);
	/* One that is sampled and not ok has the word of its nodes (probe_judge()). */
	if (copy->items[0].outcome != OUTCOME_OK)
		set_ok(&copy->items[0]);
	put_up(board, entry, copy);
	return true;
}

void board_sampled(struct board *board, const struct group *group, const struct sink *sink,
		   void (*worked)(void *arg, const struct collector *collector, const char *node),
		   void *arg)
{
	struct board_collector *entry = find_by_group(board, group);

	if (!entry || !entry->probe)
		return;
	for (size_t i = 0; i < sink->n_rows && entry->probe->n_failed; i++) {
		const struct row *row = sink->rows[i];
		size_t item = find_failed(entry->probe, row->node);

		bool was_ok = entry->probe->items[0].outcome == OUTCOME_OK;

		if (!item || !has_worked(row, group) || !mend(board, entry, item))
			continue;
		worked(arg, entry->collector, row->node);
		if (!was_ok)
			worked(arg, entry->collector, "");
	}
}

/* What a sample calls the same; NODE_OK where it would call it nothing. */
static enum node_state state_of_outcome(enum outcome outcome)
{
	if (outcome == OUTCOME_FAILED)
		return NODE_FAILED;
	return outcome == OUTCOME_DENIED ? NODE_DENIED : NODE_OK;
}

static const struct probe_item *find_item(const struct board_probe *probe, const char *node)
{
	for (size_t i = 0; i < board_n_items(probe); i++)
		if (!strcmp(probe->items[i].node, node))
			return &probe->items[i];
	return NULL;
}

static bool says(const struct probe_item *item, enum node_state state)
{
	if (!item || item->outcome == OUTCOME_OK || state == NODE_HUNG || state == NODE_SLOW)
		return false;
	return state != NODE_DENIED || state_of_outcome(item->outcome) != NODE_OK;
}

/* Called by the loop, which alone replaces probes, so without the lock. */
static const struct probe_item *last_item(const struct board *board,
					  const struct collector *collector, const char *node)
{
	for (size_t i = 0; i < board->n_collectors; i++)
		if (board->collectors[i].collector == collector)
			return find_item(board->collectors[i].probe, node);
	return NULL;
}

bool board_has_said(const struct board *board, const struct collector *collector, const char *node,
		    enum node_state state)
{
	return says(last_item(board, collector, node), state);
}

static size_t find_trouble(const struct board_trouble *troubles, size_t n,
			   const struct collector *collector, const char *node)
{
	for (size_t i = 0; i < n; i++)
		if (troubles[i].collector == collector && !strcmp(troubles[i].node, node))
			return i;
	return n;
}

enum node_state board_comes_to(const struct board *board, const struct collector *collector,
			       const struct probe_item *item)
{
	const struct probe_item *last = last_item(board, collector, item->node);
	enum node_state state = state_of_outcome(item->outcome);
	size_t i = find_trouble(board->troubles, board->n_troubles, collector, item->node);

	if (!last || last->outcome == OUTCOME_OK || last->outcome == item->outcome)
		return NODE_OK;
	/* One that is sampled for all that has said it itself. */
	return i < board->n_troubles && board->troubles[i].state == state ? NODE_OK : state;
}

enum node_state board_state(struct board *board, const struct collector *collector,
			    const char *node, enum node_state state, int error, int64_t since_ms)
{
	pthread_mutex_lock(&board->lock);

	size_t i = find_trouble(board->troubles, board->n_troubles, collector, node);
	enum node_state was = i < board->n_troubles ? board->troubles[i].state : NODE_OK;

	if (state == NODE_OK || state == NODE_GONE) {
		if (i < board->n_troubles)
			board->troubles[i] = board->troubles[--board->n_troubles];
	} else if (i < BOARD_TROUBLES_MAX) {
		struct board_trouble *trouble = &board->troubles[i];

		*trouble = (struct board_trouble){
			.collector = collector,
			.state = state,
			.error = error,
			.since_ms = since_ms,
		};
		snprintf(trouble->node, sizeof(trouble->node), "%s", node);
		board->n_troubles = MAX(board->n_troubles, i + 1);
	}
	pthread_mutex_unlock(&board->lock);
	return was;
}

int board_view(struct board *board, struct board_view *ret)
{
	struct board_view view = {.board = board, .n_collectors = board->n_collectors};

	view.collectors = calloc(board->n_collectors + 1, sizeof(*view.collectors));
	view.troubles = calloc(BOARD_TROUBLES_MAX, sizeof(*view.troubles));
	if (!view.collectors || !view.troubles) {
		free(view.collectors);
		free(view.troubles);
		return -ENOMEM;
	}
	pthread_mutex_lock(&board->lock);
	view.stats = board->stats;
	view.loop = board->loop;
	for (size_t i = 0; i < board->n_collectors; i++) {
		view.collectors[i] = board->collectors[i];
		if (view.collectors[i].probe)
			view.collectors[i].probe->n_refs++;
	}
	view.n_troubles = board->n_troubles;
	memcpy(view.troubles, board->troubles, board->n_troubles * sizeof(board->troubles[0]));
	pthread_mutex_unlock(&board->lock);
	*ret = view;
	return 0;
}

void board_view_done(struct board_view *view)
{
	if (!view->board)
		return;
	pthread_mutex_lock(&view->board->lock);
	for (size_t i = 0; i < view->n_collectors; i++)
		unref(view->collectors[i].probe);
	pthread_mutex_unlock(&view->board->lock);
	free(view->collectors);
	free(view->troubles);
	*view = (struct board_view){0};
}

size_t board_n_items(const struct board_probe *probe)
{
	return probe ? probe->n_items : 0;
}

const struct probe_item *board_item(const struct board_probe *probe, size_t i)
{
	return &probe->items[i];
}

bool board_tells_nodes(const struct board_probe *probe)
{
	return board_n_items(probe) > 2;
}

bool board_is_news(const struct board_view *view, const struct board_trouble *trouble)
{
	for (size_t i = 0; i < view->n_collectors; i++)
		if (view->collectors[i].collector == trouble->collector)
			return !says(find_item(view->collectors[i].probe, trouble->node),
				     trouble->state);
	return true;
}

const struct board_trouble *board_find_trouble(const struct board_view *view,
					       const struct collector *collector, const char *node)
{
	size_t i = find_trouble(view->troubles, view->n_troubles, collector, node);

	return i < view->n_troubles ? &view->troubles[i] : NULL;
}
