/* The tail's rows and events once more, in a ring that outlives a warm restart; and what it has
 * kept of an earlier boot, which becomes part of the file. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/ring_log.h"
#include "store/db.h"
#include "store/internal.h"

/* A disk that hung before the end is what the ring is for: more than the file lacks by commits. */
#define AFTER_MAX_MS (INT64_C(24) * 3600 * 1000)

struct ring {
	int fd;
	struct ring_log_writer writer;
};

int ring_open(struct store *store, int fd, int64_t digest)
{
	struct ring_log_origin origin;

	/* Nobody would know whose it is. */
	if (!*store->boot_id)
		return -ENODATA;
	store->ring = calloc(1, sizeof(*store->ring));
	if (!store->ring)
		return -ENOMEM;
	store->ring->fd = fd;
	ring_log_origin(&origin, store->boot_id, digest);
	ring_log_begin(&store->ring->writer, &origin);
	return 0;
}

void ring_close(struct store *store)
{
	free(store->ring);
	store->ring = NULL;
}

static void put(struct store *store, int made)
{
	const struct ring_log_writer *w = &store->ring->writer;

	if (made == 0 && write(store->ring->fd, w->buf, w->len) == (ssize_t)w->len)
		store->status.ring_bytes += (int64_t)w->len;
	else
		store->status.n_not_in_ring++;
}

void ring_tick(struct store *store, size_t group, int64_t t_ms, int64_t late_ms, int64_t step_ms,
	       const struct sink *sink)
{
	if (store->ring)
		put(store,
		    ring_log_tick(&store->ring->writer, group, t_ms, late_ms, step_ms, sink));
}

void ring_event(struct store *store, const struct event *event)
{
	if (store->ring)
		put(store, ring_log_event(&store->ring->writer, event));
}

void ring_gone(struct store *store, const char *collector, const char *node, int64_t t_ms)
{
	if (store->ring)
		put(store, ring_log_gone(&store->ring->writer, collector, node, t_ms));
}

/* ---- what is left of an earlier boot */

struct past {
	const struct store_past *left;
	const struct catalog *catalog;
	struct ring_log_origin origin;
	struct ring_log_reader reader;
	struct tick_log_item item;
	struct sink sink;
};

static int64_t item_ms(const struct tick_log_item *item)
{
	return item->type == TICK_LOG_EVENT ? item->event.t_ms : item->t_ms;
}

static void rewind_past(struct past *past)
{
	ring_log_open(&past->reader, &past->origin, past->left->bytes, past->left->len);
}

static bool next_of_past(struct past *past)
{
	return ring_log_next(&past->reader, past->catalog, past->left->last_ms + AFTER_MAX_MS,
			     &past->sink, &past->item) > 0;
}

/* The newest time in it that the file may lack, -1: there is none, as after each orderly end. */
static int64_t newest_of(struct past *past)
{
	int64_t t_ms = -1;

	rewind_past(past);
	while (next_of_past(past))
		t_ms = MAX(t_ms, item_ms(&past->item));
	return t_ms > past->left->last_ms ? t_ms : -1;
}

static int replay_past(struct store *store, struct past *past, int64_t newest_ms)
{
	CLEANUP(freep) int64_t *last_ms = replay_newest(store);

	if (!last_ms)
		return -ENOMEM;
	rewind_past(past);
	while (next_of_past(past))
		replay_item(store, &past->item, &past->sink, last_ms);
	return store_commit(store, newest_ms, false);
}

static int take_past(const struct store_options *options, struct past *past, struct store_past *ret)
{
	CLEANUP(store_closep) struct store *store = NULL;
	struct store_options of_past = *options;
	int64_t newest_ms = newest_of(past);
	int r;

	if (newest_ms < 0)
		return 0;
	of_past.mirror_dir = NULL;
	of_past.ring_fd = 0;
	r = store_open(&of_past, past->catalog, &store);
	if (r < 0)
		return r;
	if (!store->db)
		return -EIO;
	r = replay_past(store, past, newest_ms);
	if (r < 0)
		return r;
	ret->n_ticks = store->status.n_recovered_ticks;
	ret->n_events = store->status.n_recovered_events;
	return 0;
}

int store_take_past(const struct store_options *options, const struct catalog *catalog,
		    struct store_past *past)
{
	CLEANUP(freep) struct past *p = calloc(1, sizeof(*p));
	int r;

	past->n_ticks = past->n_events = 0;
	if (!p || sink_init(&p->sink) < 0)
		return -ENOMEM;
	p->left = past;
	p->catalog = catalog;
	ring_log_origin(&p->origin, options->boot_id, options->digest);
	r = *options->boot_id ? take_past(options, p, past) : 0;
	sink_done(&p->sink);
	return r;
}
