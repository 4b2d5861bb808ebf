#include "sampling/node_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/collector.h"

const char *node_state_name(enum node_state state)
{
	static const char *const names[] = {
		[NODE_OK] = "ok",
		[NODE_FAILED] = "failed",
		[NODE_DENIED] = "denied",
		[NODE_UNSUPPORTED] = "unsupported",
		[NODE_SUSPENDED] = "suspended",
		[NODE_SLOW] = "slow",
		[NODE_HUNG] = "hung",
		[NODE_GONE] = "gone",
	};

	return names[state];
}

enum node_state node_state_of_error(int error)
{
	switch (error < 0 ? -error : error) {
	case 0:
		return NODE_OK;
	case EACCES:
	case EPERM:
		return NODE_DENIED;
	case EOPNOTSUPP:
		return NODE_UNSUPPORTED;
	default:
		return NODE_FAILED;
	}
}

void node_table_done(struct node_table *table)
{
	free(table->v);
	*table = (struct node_table){0};
}

/* Rows keep their order from sample to sample, so the place of the row is where to look first. */
static struct node_entry *find(struct node_table *table, const char *node, size_t hint)
{
	for (size_t i = 0; i < table->n; i++) {
		struct node_entry *entry = &table->v[(hint + i) % table->n];

		if (!strcmp(entry->node, node))
			return entry;
	}
	return NULL;
}

static void drop_gone(struct node_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		if (table->v[i].state != NODE_GONE)
			table->v[n++] = table->v[i];
	table->n = n;
}

static struct node_entry *add(struct node_table *table, const char *node, int64_t now_ms,
			      const struct node_watch *watch)
{
	if (table->n == NODE_TABLE_MAX)
		drop_gone(table);
	if (table->n == NODE_TABLE_MAX)
		return NULL;
	if (table->n == table->n_alloc) {
		size_t n_alloc = table->n_alloc ? table->n_alloc * 2 : 8;
		struct node_entry *grown = realloc(table->v, n_alloc * sizeof(*grown));

		if (!grown)
			return NULL;
		table->v = grown;
		table->n_alloc = n_alloc;
	}

	struct node_entry *entry = &table->v[table->n++];

	*entry = (struct node_entry){
		.state = NODE_OK, .since_ms = now_ms, .listed = watch->lists(watch->arg, node)};
	snprintf(entry->node, sizeof(entry->node), "%s", node);
	return entry;
}

static void set_state(struct node_entry *entry, enum node_state state, int error, int64_t now_ms,
		      const struct node_watch *watch)
{
	bool changed = entry->state != state;

	entry->error = error;
	if (!changed)
		return;

	bool came = entry->state == NODE_GONE && state == NODE_OK;

	entry->state = state;
	entry->since_ms = now_ms;
	if (!came)
		watch->said(watch->arg, entry);
}

void node_table_hung(struct node_table *table, size_t group, const char *node, int64_t now_ms,
		     const struct node_watch *watch)
{
	struct node_entry *entry = find(table, node, 0);

	if (!entry)
		entry = add(table, node, now_ms, watch);
	if (!entry)
		return;
	entry->groups |= (uint8_t)(1U << group);
	set_state(entry, NODE_HUNG, -ETIMEDOUT, now_ms, watch);
}

/* The fault that stands for a row in which nothing was read, 0 when something was. Where fields
 * name their attributes only those count: the others were read once and are known for good. A text
 * that explains a fault was not read from the node. */
static int fault_of(const struct row *row, const struct group *group)
{
	bool by_attr = false;
	int fault = 0;

	for (size_t i = 0; i < group->n_fields; i++)
		by_attr = by_attr || group->fields[i].attr;
	for (size_t i = 0; i < group->n_fields; i++) {
		const struct value *value = &row->values[i];

		if ((by_attr && !group->fields[i].attr) || group->fields[i].explains)
			continue;
		if (value->type == VALUE_INT || value->type == VALUE_TEXT)
			return 0;
		if (value->type == VALUE_FAULT && !fault)
			fault = (int)value->i;
	}
	return fault;
}

static bool is_held(const struct node_entry *entry, const struct node_watch *watch)
{
	return entry->state == NODE_HUNG && watch->hangs(watch->arg, entry->node);
}

/* The state of a node by what its groups say: the first fault, or that it sleeps, or gone from all
 * of them. */
static void judge(struct node_entry *entry, int64_t now_ms, const struct node_watch *watch)
{
	int fault = 0;

	if (is_held(entry, watch))
		return;
	if (!entry->groups) {
		set_state(entry, NODE_GONE, -ENODEV, now_ms, watch);
		return;
	}
	for (size_t i = 0; i < NODE_GROUPS_MAX && !fault; i++)
		if (entry->groups & 1U << i)
			fault = entry->faults[i];
	if (!fault && entry->suspended & entry->groups) {
		set_state(entry, NODE_SUSPENDED, 0, now_ms, watch);
		return;
	}
	set_state(entry, node_state_of_error(fault), -fault, now_ms, watch);
}

/* Takes an entry out of groups. One that went while it hung is in none any more, and is judged once
 * more as soon as nothing holds it: no row will do it. */
static void leave(struct node_entry *entry, uint8_t groups, int64_t now_ms,
		  const struct node_watch *watch)
{
	bool left = entry->groups & groups;

	entry->groups &= (uint8_t)~groups;
	if (left || (!entry->groups && entry->state != NODE_GONE))
		judge(entry, now_ms, watch);
}

/* Returns where the next row is likely to be found. */
static size_t update_row(struct node_table *table, size_t group, const struct sink *sink,
			 size_t index, size_t hint, int64_t now_ms, const struct node_watch *watch)
{
	const struct row *row = sink->rows[index];
	struct node_entry *entry = find(table, row->node, hint);

	if (!entry)
		entry = add(table, row->node, now_ms, watch);
	if (!entry)
		return hint;
	if (index == 0)
		table->first[group] = (size_t)(entry - table->v);
	entry->seen[group] = table->n_samples[group];
	entry->groups |= (uint8_t)(1U << group);
	entry->suspended &= (uint8_t) ~(1U << group);
	if (row->suspended)
		entry->suspended |= (uint8_t)(1U << group);
	entry->faults[group] = (int16_t)fault_of(row, sink->group);
	judge(entry, now_ms, watch);
	return (size_t)(entry - table->v) + 1;
}

void node_table_update(struct node_table *table, size_t group, const struct sink *sink,
		       int64_t now_ms, const struct node_watch *watch)
{
	size_t hint = table->first[group];

	table->n_samples[group]++;
	for (size_t i = 0; i < sink->n_rows; i++)
		hint = update_row(table, group, sink, i, hint, now_ms, watch);
	for (size_t i = 0; i < table->n && !sink->partial; i++) {
		struct node_entry *entry = &table->v[i];

		if (entry->seen[group] != table->n_samples[group])
			leave(entry, (uint8_t)(1U << group), now_ms, watch);
	}
}

void node_table_probed(struct node_table *table, uint8_t groups, int64_t now_ms,
		       const struct node_watch *watch)
{
	for (size_t i = 0; i < table->n; i++) {
		struct node_entry *entry = &table->v[i];

		if (watch->lists(watch->arg, entry->node))
			entry->listed = true;
		else if (entry->listed || !entry->groups)
			leave(entry, groups, now_ms, watch);
	}
}

void node_table_gone(struct node_table *table, const char *node, int64_t now_ms,
		     const struct node_watch *watch)
{
	struct node_entry *entry = find(table, node, 0);

	if (entry)
		leave(entry, UINT8_MAX, now_ms, watch);
}

void node_table_emptied(struct node_table *table, uint8_t groups, int64_t now_ms,
			const struct node_watch *watch)
{
	for (size_t i = 0; i < table->n; i++)
		leave(&table->v[i], groups, now_ms, watch);
}
