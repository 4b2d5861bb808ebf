/* What waits for the commit besides samples: events, marks, outcomes of probes, changed infos and
 * flags. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/internal.h"

static void drop_first_event(struct store *store)
{
	struct pending_event *first = store->events.first;

	store->events.first = first->next;
	if (!first->next)
		store->events.last = NULL;
	store->events.n--;
	store->status.n_dropped_events++;
	free(first);
}

/* FNV-1a */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	do {
		hash ^= (unsigned char)*text;
		hash *= UINT64_C(1099511628211);
	} while (*text++);
	return hash;
}

static void note_critical(struct store *store, const struct event *event)
{
	uint64_t cause = hash_text(UINT64_C(14695981039346656037), event->kind);

	cause = hash_text(hash_text(cause, event->collector), event->node);
	for (size_t i = 0; i < store->n_critical; i++)
		if (store->critical[i] == cause)
			return;
	if (store->n_critical < STORE_CRITICAL)
		store->critical[store->n_critical++] = cause;
}

void pending_event(struct store *store, const struct event *event)
{
	struct pending_event *pending = malloc(sizeof(*pending));
	struct event_list one = {pending, pending, 1};

	if (!pending) {
		store->status.n_dropped_events++;
		return;
	}
	*pending = (struct pending_event){.event = *event};
	while (store->events.n >= PENDING_MAX)
		drop_first_event(store);
	events_join(&store->events, &one);
	if (event->severity >= SEVERITY_WARNING)
		store->urgent = true;
	if (event->severity >= SEVERITY_CRITICAL)
		note_critical(store, event);
}

bool event_is_same(const struct event *known, const struct event *newer)
{
	if (known->t_ms != newer->t_ms || strcmp(known->collector, newer->collector) != 0)
		return false;
	return !strcmp(known->node, newer->node) ||
	       (!*known->node && !strcmp(known->kind, newer->kind));
}

void events_drop_told(struct event_list *list, int64_t next)
{
	struct event_list kept = {0};

	for (struct pending_event *p = list->first, *following; p; p = following) {
		struct event_list one = {p, p, 1};

		following = p->next;
		p->next = NULL;
		if (p->goes_on && p->log_next <= next)
			free(p);
		else
			events_join(&kept, &one);
	}
	*list = kept;
}

/* One that a commit holds is left to it; its successor replaces it in the file. */
static void pending_update(struct store *store, const struct event *event, int64_t next)
{
	bool urgent = store->urgent;

	for (struct pending_event *p = store->events.first; p; p = p->next) {
		if (!p->goes_on || !event_is_same(&p->event, event))
			continue;
		p->event = *event;
		p->log_next = next;
		return;
	}
	pending_event(store, event);
	if (store->events.last) {
		store->events.last->goes_on = true;
		store->events.last->log_next = next;
	}
	store->urgent = urgent;
}

void events_join(struct event_list *a, struct event_list *b)
{
	if (!b->first)
		return;
	if (a->last)
		a->last->next = b->first;
	else
		a->first = b->first;
	a->last = b->last;
	a->n += b->n;
	*b = (struct event_list){0};
}

void events_free(struct event_list *list)
{
	for (struct pending_event *p = list->first, *next; p; p = next) {
		next = p->next;
		free(p);
	}
	*list = (struct event_list){0};
}

static void drop_first_change(struct store *store)
{
	struct change *first = store->changes.first;

	store->changes.first = first->next;
	if (!first->next)
		store->changes.last = NULL;
	store->changes.n--;
	store->status.n_dropped_events++;
	tail_node_unref(first->node);
	free(first);
}

void pending_change(struct store *store, enum change_what what, struct tail_node *node,
		    const struct group *group, size_t field, int64_t t_ms, const char *text)
{
	size_t size = strlen(text) + 1;
	struct change *change = malloc(sizeof(*change) + size);
	struct change_list one = {change, change, 1};

	if (!change) {
		store->status.n_dropped_events++;
		return;
	}
	*change = (struct change){
		.what = what, .node = node, .group = group, .field = field, .t_ms = t_ms};
	memcpy(change->text, text, size);
	node->n_refs++;
	while (store->changes.n >= CHANGES_MAX)
		drop_first_change(store);
	changes_join(&store->changes, &one);
}

void changes_join(struct change_list *a, struct change_list *b)
{
	if (!b->first)
		return;
	if (a->last)
		a->last->next = b->first;
	else
		a->first = b->first;
	a->last = b->last;
	a->n += b->n;
	*b = (struct change_list){0};
}

void changes_free(struct change_list *list)
{
	for (struct change *c = list->first, *next; c; c = next) {
		next = c->next;
		tail_node_unref(c->node);
		free(c);
	}
	*list = (struct change_list){0};
}

void store_event(struct store *store, const struct event *event)
{
	pthread_mutex_lock(&store->lock);
	pending_event(store, event);
	mirror_event(store, event);
	ring_event(store, event);
	pthread_mutex_unlock(&store->lock);
}

void store_kernel_log(struct store *store, int64_t next, const struct event *events, size_t n,
		      bool urgent)
{
	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < n; i++)
		pending_update(store, &events[i], next);
	/* A file that came later may be ahead: what is before its position was told by another. */
	store->log_next = MAX(store->log_next, next);
	store->log_dirty = true;
	store->urgent = store->urgent || urgent;
	pthread_mutex_unlock(&store->lock);
}

int store_kernel_log_next(struct store *store, int64_t *ret_next)
{
	pthread_mutex_lock(&store->lock);
	int64_t next = store->log_next;

	pthread_mutex_unlock(&store->lock);
	if (next < 0)
		return -ENOENT;
	*ret_next = next;
	return 0;
}

int store_boot_end(struct store *store, const struct boot_end_record *record)
{
	struct boot_end_record *copy = malloc(sizeof(*copy)), *old;

	if (!copy)
		return -ENOMEM;
	*copy = *record;
	pthread_mutex_lock(&store->lock);
	old = store->boot_end;
	store->boot_end = copy;
	store->urgent = true;
	pthread_mutex_unlock(&store->lock);
	free(old);
	return 0;
}

size_t store_kernel_log_open(struct store *store, struct event *events, size_t max)
{
	pthread_mutex_lock(&store->lock);
	size_t n = MIN(store->n_log_open, max);

	for (size_t i = 0; i < n; i++)
		events[i] = store->log_open[i];
	free(store->log_open);
	store->log_open = NULL;
	store->n_log_open = 0;
	pthread_mutex_unlock(&store->lock);
	return n;
}

static int64_t new_mark_id(struct store *store)
{
	/* Without a file nobody knows which numbers it has used; seconds are not among them. */
	if (!store->status.boot && store->next_mark_id < MARKS_FROM_UNKNOWN)
		store->next_mark_id = MAX(clock_wall_ms() / 1000, MARKS_FROM_UNKNOWN);
	return store->next_mark_id++;
}

static int64_t add_mark(struct store *store, const char *label, int64_t t_ms, int64_t t_end_ms,
			int64_t ufs_until_ms)
{
	int64_t id = -ENOSPC;

	pthread_mutex_lock(&store->lock);
	if (store->n_marks < MARKS_MAX) {
		struct mark_entry *entry = &store->marks[store->n_marks++];

		*entry = (struct mark_entry){.dirty = true};
		entry->mark.id = id = new_mark_id(store);
		entry->mark.t_ms = t_ms;
		entry->mark.t_end_ms = t_end_ms;
		entry->mark.ufs_until_ms = ufs_until_ms;
		snprintf(entry->mark.label, sizeof(entry->mark.label), "%s", label);
	}
	pthread_mutex_unlock(&store->lock);
	return id;
}

int64_t store_mark_start(struct store *store, const char *label, int64_t t_ms)
{
	return add_mark(store, label, t_ms, TIME_OPEN, 0);
}

int64_t store_mark_start_ufs(struct store *store, const char *label, int64_t t_ms, int64_t until_ms)
{
	return add_mark(store, label, t_ms, TIME_OPEN, until_ms);
}

int64_t store_ufs_until_ms(struct store *store, int64_t now_ms)
{
	int64_t until_ms = 0;

	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < store->n_marks; i++) {
		const struct mark *mark = &store->marks[i].mark;

		if (mark->t_end_ms == TIME_OPEN && mark->ufs_until_ms > now_ms)
			until_ms = MAX(until_ms, mark->ufs_until_ms);
	}
	pthread_mutex_unlock(&store->lock);
	return until_ms;
}

int64_t store_mark_span(struct store *store, const char *label, int64_t t_ms, int64_t t_end_ms)
{
	return add_mark(store, label, t_ms, t_end_ms, 0);
}

int store_mark_end(struct store *store, int64_t id, int64_t t_end_ms)
{
	int r = -ENOENT;

	pthread_mutex_lock(&store->lock);
	for (size_t i = 0; i < store->n_marks; i++) {
		struct mark_entry *entry = &store->marks[i];

		if (entry->mark.id != id || entry->mark.t_end_ms != TIME_OPEN)
			continue;
		entry->mark.t_end_ms = t_end_ms;
		entry->dirty = true;
		r = 0;
	}
	pthread_mutex_unlock(&store->lock);
	return r;
}

static struct outcome_entry *outcome_of(struct store *store, const char *collector,
					const char *node)
{
	for (size_t i = 0; i < store->n_outcomes; i++)
		if (!strcmp(store->outcomes[i].collector, collector) &&
		    !strcmp(store->outcomes[i].node, node))
			return &store->outcomes[i];

	const struct collector *c = catalog_find_collector(store->catalog, collector);

	if (!c || store->n_outcomes == OUTCOMES_MAX)
		return NULL;

	struct outcome_entry *entries =
		reallocarray(store->outcomes, store->n_outcomes + 1, sizeof(*entries));

	if (!entries)
		return NULL;
	store->outcomes = entries;

	struct outcome_entry *entry = &entries[store->n_outcomes++];

	*entry = (struct outcome_entry){.collector = c->name};
	snprintf(entry->node, sizeof(entry->node), "%s", node);
	return entry;
}

void store_outcome(struct store *store, const char *collector, const char *node, int64_t t_ms,
		   const char *outcome, const char *reason)
{
	pthread_mutex_lock(&store->lock);

	struct outcome_entry *entry = outcome_of(store, collector, node);

	if (entry && (strcmp(entry->outcome, outcome) != 0 || strcmp(entry->reason, reason) != 0)) {
		snprintf(entry->outcome, sizeof(entry->outcome), "%s", outcome);
		snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
		entry->t_ms = t_ms;
		entry->dirty = true;
	}
	pthread_mutex_unlock(&store->lock);
}

void store_wall_offset(struct store *store, int64_t t_ms, int64_t wall_offset_ms)
{
	(void)t_ms;
	pthread_mutex_lock(&store->lock);
	store->wall_offset_ms = wall_offset_ms;
	store->wall_dirty = true;
	pthread_mutex_unlock(&store->lock);
}

size_t store_take_critical(struct store *store, uint64_t *causes, size_t max)
{
	pthread_mutex_lock(&store->lock);
	size_t n = MIN(store->n_critical, max);

	memcpy(causes, store->critical, n * sizeof(*causes));
	store->n_critical = 0;
	pthread_mutex_unlock(&store->lock);
	return n;
}

int64_t store_wall_offset_ms(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	int64_t offset_ms = store->wall_offset_ms;
	pthread_mutex_unlock(&store->lock);
	return offset_ms;
}

void store_clock_step(struct store *store, const struct clock_step *step)
{
	pthread_mutex_lock(&store->lock);
	if (store->n_clock_steps < STORE_CLOCK_STEPS)
		store->clock_steps[store->n_clock_steps++] = *step;
	pthread_mutex_unlock(&store->lock);
}

void store_want_hour(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	store->wants_hour = true;
	pthread_mutex_unlock(&store->lock);
}

bool store_urgent(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	bool urgent = store->urgent;
	pthread_mutex_unlock(&store->lock);
	return urgent;
}
