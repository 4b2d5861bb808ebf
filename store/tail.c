/* The tail: ticks of rows into open blocks, nodes that come and go, changed texts and flags. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/errno_name.h"
#include "store/internal.h"

struct tail_group *tail_group_of(struct store *store, const struct group *group)
{
	for (size_t i = 0; i < store->n_groups; i++)
		if (store->groups[i].group == group)
			return &store->groups[i];
	return NULL;
}

void tail_node_unref(struct tail_node *node)
{
	node->n_refs--;
}

void tail_bound(struct store *store)
{
	struct segment *segment;

	while (store->sealed.size_bytes + store->writing.size_bytes >
		       (size_t)store->tail_max_bytes &&
	       (segment = segments_take_first(&store->sealed))) {
		store->status.n_dropped_ticks += segment->n;
		segment_free(segment);
	}
}

void tail_seal(struct store *store, struct tail_group *group)
{
	struct segment *segment;

	if (!group->open || !group->open->n)
		return;
	if (block_code(group->open, &store->coder, &segment) < 0) {
		store->status.n_dropped_ticks += group->open->n;
	} else if (segment) {
		segment->group = (size_t)(group - store->groups);
		for (size_t i = 0; i < segment->n_nodes; i++)
			segment->nodes[i]->n_refs++;
		segments_append(&store->sealed, segment);
		tail_bound(store);
	}
	block_reset(group->open);
}

/* Ticks between two commits, and a quarter more for a commit that is late. */
static size_t block_ticks(const struct store *store, int64_t step_ms)
{
	int64_t n = store->commit_ms / step_ms;

	n = MIN(n + n / 4 + 4, CHUNK_SPAN_MS / step_ms);
	return (size_t)MAX(1, MIN(n, BLOCK_TICKS_MAX));
}

static int make_blocks(struct store *store, struct tail_group *group, int64_t step_ms)
{
	size_t cap = block_ticks(store, step_ms);

	if (group->open && group->step_ms == step_ms)
		return 0;
	tail_seal(store, group);
	block_free(group->open);
	group->open = NULL;
	return block_new(group->n_columns, cap, &group->open);
}

/* The open block with room for the tick, NULL when there is nothing to store or no memory. */
static struct block *block_for(struct store *store, struct tail_group *group, int64_t t_ms,
			       int64_t step_ms)
{
	if (!group->n_columns)
		return NULL;
	if (make_blocks(store, group, step_ms) < 0) {
		store->status.n_dropped_ticks++;
		return NULL;
	}
	if (!block_takes(group->open, t_ms, step_ms))
		tail_seal(store, group);
	return group->open;
}

/* A device that does not answer cannot say who it is either. */
static bool row_is_mute(const struct tail_group *group, const struct row *row)
{
	bool failed = false;

	if (*row->identity)
		return false;
	for (size_t f = 0; f < group->group->n_fields; f++) {
		if (row->values[f].type == VALUE_FAULT)
			failed = true;
		else if (row->values[f].type != VALUE_ABSENT)
			return false;
	}
	return failed;
}

/* The newest run of a node. */
static struct tail_node *find_node(const struct store *store, const struct collector *collector,
				   const struct row *row)
{
	for (struct tail_node *n = store->nodes; n; n = n->next)
		if (n->collector == collector && !strcmp(n->name, row->node) &&
		    !strcmp(n->identity, row->identity))
			return n;
	return NULL;
}

/* before: the name under which its device was known until now, or NULL. */
static void node_event(struct store *store, const struct tail_node *node, const char *kind,
		       const char *what, const char *before, int64_t t_ms)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms, .severity = SEVERITY_INFO};
	struct text evidence = TEXT_IN(event.evidence);

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	snprintf(event.collector, sizeof(event.collector), "%s", node->collector->name);
	snprintf(event.node, sizeof(event.node), "%s", node->name);
	snprintf(event.text, sizeof(event.text), "%s: %.96s %s%s%.96s", node->collector->name,
		 node->name, what, before ? ", before as " : "", before ? before : "");
	if (before) {
		text_str(&evidence, "{\"before\":");
		text_json(&evidence, before);
		text_char(&evidence, '}');
	}
	pending_event(store, &event);
}

/* Whether this sample no longer lists a node that the one before did. */
static bool is_missed(const struct tail_group *group, const struct sink *sink,
		      const struct tail_node *node)
{
	bool present = false;

	for (size_t i = 0; i < group->n_members && !present; i++)
		present = group->members[i]->node == node && group->members[i]->present;
	for (size_t i = 0; i < sink->n_rows && present; i++)
		present = strcmp(sink->rows[i]->node, node->name) != 0 ||
			  strcmp(sink->rows[i]->identity, node->identity) != 0;
	return present;
}

/* The newest run of the same device under another name, which it has no more. Where both are listed
 * they are two ways to one device. */
static const struct tail_node *renamed_from(const struct store *store,
					    const struct tail_group *group, const struct sink *sink,
					    const struct row *row)
{
	if (!*row->identity)
		return NULL;
	for (const struct tail_node *n = store->nodes; n; n = n->next)
		if (n->collector == group->collector && !strcmp(n->identity, row->identity) &&
		    strcmp(n->name, row->node) != 0 && (n->gone || is_missed(group, sink, n)))
			return n;
	return NULL;
}

static struct tail_node *new_node(struct store *store, struct tail_group *group,
				  const struct sink *sink, const struct row *row,
				  struct tail_node *before, int64_t t_ms)
{
	const struct tail_node *other = renamed_from(store, group, sink, row);
	struct tail_node *node = store->n_nodes < TAIL_NODES_MAX ? calloc(1, sizeof(*node)) : NULL;

	if (!node)
		return NULL;
	node->collector = group->collector;
	memcpy(node->name, row->node, sizeof(node->name));
	memcpy(node->identity, row->identity, sizeof(node->identity));
	node->run = 1 + MAX(before ? before->run : 0, other ? other->run : 0);
	node->first_ms = node->last_ms = t_ms;
	node->dirty = true;
	if (before)
		before->superseded = true;
	node->next = store->nodes;
	store->nodes = node;
	store->n_nodes++;
	if (group->n_ticks > 0)
		node_event(store, node, "node_came", "appeared",
			   other && !(before && before->run > other->run) ? other->name : NULL,
			   t_ms);
	return node;
}

/* The run that a row belongs to. A node that was gone and is listed again is a new run, unless
 * this group never missed it. */
static struct tail_node *node_of(struct store *store, struct tail_group *group,
				 const struct sink *sink, const struct row *row, bool missed,
				 int64_t t_ms)
{
	struct tail_node *node = find_node(store, group->collector, row);

	if (node && !(node->gone && missed))
		return node;
	return new_node(store, group, sink, row, node, t_ms);
}

static void member_clear(struct tail_group *group, struct member *member)
{
	for (size_t f = 0; f < group->group->n_fields; f++) {
		free((void *)(uintptr_t)member->values[f].text);
		member->values[f] = (struct latest_value){.value.type = VALUE_ABSENT};
		member->flags[f] = FLAG_NONE;
		member->faults[f] = 0;
	}
}

void member_free(struct tail_group *group, struct member *member)
{
	if (member->node)
		member->node->n_refs--;
	member_clear(group, member);
	free(member->values);
	free(member->flags);
	free(member->faults);
	free(member);
}

static struct member *new_member(struct tail_group *group)
{
	size_t n_fields = group->group->n_fields;

	if (group->n_members == group->members_alloc) {
		size_t alloc = group->members_alloc * 2 + 8;
		void *p = reallocarray(group->members, alloc, sizeof(struct member *));

		if (!p)
			return NULL;
		group->members = p;
		group->members_alloc = alloc;
	}

	struct member *member = calloc(1, sizeof(*member));

	if (!member)
		return NULL;
	member->values = calloc(n_fields, sizeof(*member->values));
	member->flags = calloc(n_fields, 1);
	member->faults = calloc(n_fields, sizeof(*member->faults));
	if (!member->values || !member->flags || !member->faults) {
		free(member->values);
		free(member->flags);
		free(member->faults);
		free(member);
		return NULL;
	}
	group->members[group->n_members++] = member;
	return member;
}

static struct member *find_member(const struct tail_group *group, const struct row *row,
				  size_t hint)
{
	for (size_t i = 0; i < group->n_members; i++) {
		/* Rows come in the same order at each tick. */
		struct member *m = group->members[(hint + i) % group->n_members];

		if (!strcmp(m->node->name, row->node) && !strcmp(m->node->identity, row->identity))
			return m;
	}
	if (!row_is_mute(group, row))
		return NULL;
	/* Then it is the one that had this name until now. */
	for (size_t i = 0; i < group->n_members; i++)
		if (group->members[i]->present && !strcmp(group->members[i]->node->name, row->node))
			return group->members[i];
	return NULL;
}

static void set_member_node(struct tail_group *group, struct member *member, struct tail_node *node)
{
	if (member->node == node)
		return;
	member_clear(group, member);
	if (member->node)
		member->node->n_refs--;
	member->node = node;
	node->n_refs++;
}

/* The member of a row, with the right run of its node. NULL without memory. */
static struct member *member_of(struct store *store, struct tail_group *group,
				const struct sink *sink, const struct row *row, size_t hint,
				int64_t t_ms)
{
	struct member *member = find_member(group, row, hint);

	if (member && member->present && !member->node->superseded)
		return member;

	struct tail_node *node =
		node_of(store, group, sink, row, !member || !member->present, t_ms);

	if (!node)
		return NULL;
	if (!member) {
		member = new_member(group);
		if (!member)
			return NULL;
	}
	set_member_node(group, member, node);
	member->present = true;
	return member;
}

static void take_text(struct store *store, struct tail_group *group, struct member *member,
		      size_t field, const char *text, int64_t t_ms)
{
	struct latest_value *latest = &member->values[field];

	if (latest->text && !strcmp(latest->text, text))
		return;

	char *copy = strdup(text);

	if (!copy)
		return;
	free((void *)(uintptr_t)latest->text);
	latest->text = copy;
	if (group->group->fields[field].kind == KIND_INFO)
		pending_change(store, CHANGE_INFO, member->node, group->group, field, t_ms, text);
}

/* A text that is absent has ended, also one that an earlier run of the program has left. Leaves
 * room as take_fault() does. */
static void end_text(struct store *store, struct tail_group *group, struct member *member,
		     size_t field, int64_t t_ms)
{
	const char *text = member->values[field].text;

	if (group->group->fields[field].kind == KIND_INFO && (!text || *text) &&
	    store->changes.n < CHANGES_MAX / 2)
		take_text(store, group, member, field, "", t_ms);
}

static void take_flag(struct store *store, struct tail_group *group, struct member *member,
		      size_t field, uint8_t flag, int64_t t_ms)
{
	if (member->flags[field] == flag)
		return;
	member->flags[field] = flag;
	pending_change(store, CHANGE_FLAG, member->node, group->group, field, t_ms,
		       flag_name((enum flag)flag));
}

/* A field that fails and works by turns leaves room for infos and flags; what is left out is made
 * up for once there is room. */
static void take_fault(struct store *store, struct tail_group *group, struct member *member,
		       size_t field, int error, int64_t t_ms)
{
	if (member->faults[field] == error || store->changes.n >= CHANGES_MAX / 2)
		return;
	member->faults[field] = error;
	pending_change(store, CHANGE_FAULT, member->node, group->group, field, t_ms,
		       error ? errno_name(error) : "");
}

static void take_latest(struct store *store, struct tail_group *group, struct member *member,
			const struct sink *sink, const struct row *row, int64_t t_ms)
{
	for (size_t f = 0; f < group->group->n_fields; f++) {
		const struct value *v = &row->values[f];
		struct latest_value *latest = &member->values[f];

		latest->fault = v->type == VALUE_FAULT ? (int)v->i : 0;
		take_fault(store, group, member, f, latest->fault, t_ms);
		if (v->type == VALUE_FAULT)
			continue;
		latest->value = *v;
		latest->t_ms = t_ms;
		if (v->type == VALUE_TEXT)
			take_text(store, group, member, f, sink_text(sink, v), t_ms);
		if (v->type == VALUE_ABSENT)
			end_text(store, group, member, f, t_ms);
		if (v->type != VALUE_ABSENT)
			take_flag(store, group, member, f, v->flag, t_ms);
	}
}

static void take_values(const struct tail_group *group, struct block *block,
			const struct block_node *place, const struct row *row, size_t tick)
{
	for (size_t f = 0; f < group->group->n_fields; f++) {
		if (group->column[f] == SIZE_MAX || row->values[f].type != VALUE_INT)
			continue;

		size_t at = group->column[f] * block->cap + tick;

		place->values[at] = row->values[f].i;
		place->absent[at] = 0;
	}
}

static void add_row(struct store *store, struct tail_group *group, struct block *block, size_t tick,
		    const struct sink *sink, size_t i, int64_t t_ms)
{
	const struct row *row = sink->rows[i];
	struct member *member = member_of(store, group, sink, row, i, t_ms);
	struct block_node *place;

	if (!member) {
		store->status.n_dropped_ticks++;
		return;
	}
	member->seen = group->n_ticks + 1;
	member->t_ms = t_ms;
	member->node->last_ms = t_ms;
	take_latest(store, group, member, sink, row, t_ms);
	if (!block)
		return;
	if (block_place(block, member->node, i, &place) < 0)
		store->status.n_dropped_ticks++;
	else
		take_values(group, block, place, row, tick);
}

/* Whether a faster group of the collector still lists the node: then that one decides. */
static bool listed_faster(const struct store *store, const struct tail_group *group,
			  const struct tail_node *node)
{
	for (size_t i = 0; i < store->n_groups; i++) {
		const struct tail_group *other = &store->groups[i];

		if (other == group || other->collector != group->collector ||
		    other->step_ms >= group->step_ms)
			continue;
		for (size_t m = 0; m < other->n_members; m++)
			if (other->members[m]->node == node && other->members[m]->present)
				return true;
	}
	return false;
}

static void end_node(struct store *store, struct tail_node *node, int64_t t_ms)
{
	if (node->gone)
		return;
	node->gone = node->dirty = true;
	node_event(store, node, "node_went", "is gone", NULL, t_ms);
}

static void miss_members(struct store *store, struct tail_group *group, int64_t t_ms)
{
	for (size_t i = 0; i < group->n_members; i++) {
		struct member *member = group->members[i];

		if (!member->present || member->seen == group->n_ticks)
			continue;
		member->present = false;
		if (!listed_faster(store, group, member->node))
			end_node(store, member->node, t_ms);
	}
}

static void add_tick(struct store *store, struct tail_group *group, int64_t t_ms, int64_t late_ms,
		     int64_t step_ms, const struct sink *sink)
{
	struct block *block = block_for(store, group, t_ms, step_ms);
	size_t tick = block ? block_tick(block, t_ms, late_ms, step_ms) : 0;

	group->step_ms = step_ms;
	group->last_t_ms = t_ms;
	for (size_t i = 0; i < sink->n_rows; i++)
		add_row(store, group, block, tick, sink, i, t_ms);
	group->n_ticks++;
	/* Rows that did not fit, or were not asked for, are no reason to call their nodes gone. */
	if (!sink->overflow && !sink->partial) {
		miss_members(store, group, t_ms);
		group->listed = true;
	}
	if (store->first_ms == TIME_OPEN)
		store->first_ms = t_ms;
	store->last_ms = MAX(store->last_ms, t_ms);
}

/* There are no nodes that could come or go. */
static void add_to_hour(struct store *store, struct tail_group *group, int64_t t_ms,
			int64_t step_ms, const struct sink *sink)
{
	writers_add(store, t_ms, step_ms, sink);
	mirror_writers(store);
	group->step_ms = step_ms;
	group->last_t_ms = t_ms;
	group->n_ticks++;
	group->listed = true;
}

void store_add(struct store *store, const struct group *group, int64_t t_ms, int64_t late_ms,
	       int64_t step_ms, const struct sink *sink)
{
	pthread_mutex_lock(&store->lock);

	struct tail_group *g = tail_group_of(store, group);

	if (g && step_ms > 0 && (!g->n_ticks || t_ms > g->last_t_ms)) {
		if (group->by_hour) {
			add_to_hour(store, g, t_ms, step_ms, sink);
		} else {
			add_tick(store, g, t_ms, late_ms, step_ms, sink);
			mirror_tick(store, (size_t)(g - store->groups), t_ms, late_ms, step_ms,
				    sink);
			ring_tick(store, (size_t)(g - store->groups), t_ms, late_ms, step_ms, sink);
		}
	}
	pthread_mutex_unlock(&store->lock);
}

void store_gone(struct store *store, const struct collector *collector, const char *node,
		int64_t t_ms)
{
	pthread_mutex_lock(&store->lock);
	mirror_gone(store, collector->name, node, t_ms);
	ring_gone(store, collector->name, node, t_ms);
	for (size_t i = 0; i < store->n_groups; i++) {
		struct tail_group *group = &store->groups[i];

		for (size_t m = 0; m < group->n_members && group->collector == collector; m++) {
			struct member *member = group->members[m];

			if (!member->present || strcmp(member->node->name, node) != 0)
				continue;
			member->present = false;
			end_node(store, member->node, t_ms);
		}
	}
	pthread_mutex_unlock(&store->lock);
}

static void prune_members(struct tail_group *group, int64_t t_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->n_members; i++) {
		struct member *m = group->members[i];

		if (!m->present && m->node->gone && m->t_ms < t_ms - GONE_KEEP_MS)
			member_free(group, m);
		else
			group->members[kept++] = m;
	}
	group->n_members = kept;
}

void tail_prune(struct store *store, int64_t t_ms)
{
	for (size_t i = 0; i < store->n_groups; i++)
		prune_members(&store->groups[i], t_ms);
	for (struct tail_node **p = &store->nodes; *p;) {
		struct tail_node *node = *p;

		if (!node->gone || node->dirty || node->n_refs) {
			p = &node->next;
			continue;
		}
		*p = node->next;
		store->n_nodes--;
		free(node);
	}
}
