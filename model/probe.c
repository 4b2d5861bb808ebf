#include "model/probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_OK] = "ok",
		[OUTCOME_NO_HARDWARE] = "no_hardware",
		[OUTCOME_NO_OPTION] = "no_option",
		[OUTCOME_NO_NODE] = "no_node",
		[OUTCOME_DENIED] = "denied",
		[OUTCOME_DISABLED] = "disabled",
		[OUTCOME_UNSUPPORTED] = "unsupported",
		[OUTCOME_FAILED] = "failed",
	};

	return names[outcome];
}

const enum outcome outcomes_worst_first[N_OUTCOMES] = {
	OUTCOME_FAILED,  OUTCOME_DENIED,      OUTCOME_DISABLED,    OUTCOME_NO_OPTION,
	OUTCOME_NO_NODE, OUTCOME_UNSUPPORTED, OUTCOME_NO_HARDWARE, OUTCOME_OK,
};

int probe_init(struct probe *probe)
{
	*probe = (struct probe){.items = calloc(1, sizeof(struct probe_item)), .n_items = 1};
	return probe->items ? 0 : -ENOMEM;
}

void probe_done(struct probe *probe)
{
	free(probe->items);
	*probe = (struct probe){0};
}

bool probe_takes(const struct probe *probe, const char *device)
{
	return !probe->device || !strcmp(probe->device, device);
}

PRINTF_LIKE(4, 0)
static void fill_item(struct probe_item *item, enum outcome outcome, const char *advice,
		      const char *reason_fmt, va_list args)
{
	item->outcome = outcome;
	snprintf(item->advice, sizeof(item->advice), "%s", advice);
	vsnprintf(item->reason, sizeof(item->reason), reason_fmt, args);
}

void probe_collector(struct probe *probe, enum outcome outcome, const char *advice,
		     const char *reason_fmt, ...)
{
	va_list args;

	va_start(args, reason_fmt);
	fill_item(&probe->items[0], outcome, advice, reason_fmt, args);
	va_end(args);
}

/* NULL when there are too many, or no memory: then it is dropped. */
static struct probe_item *add_item(struct probe *probe, const char *node)
{
	if (probe->n_items >= PROBE_ITEMS_MAX)
		return NULL;

	struct probe_item *grown =
		realloc(probe->items, (probe->n_items + 1) * sizeof(*probe->items));

	if (!grown)
		return NULL;
	probe->items = grown;

	struct probe_item *item = &probe->items[probe->n_items++];

	snprintf(item->node, sizeof(item->node), "%s", node);
	item->left_out = false;
	return item;
}

void probe_node(struct probe *probe, const char *node, enum outcome outcome, const char *advice,
		const char *reason_fmt, ...)
{
	struct probe_item *item = add_item(probe, node);
	va_list args;

	if (!item)
		return;
	va_start(args, reason_fmt);
	fill_item(item, outcome, advice, reason_fmt, args);
	va_end(args);
}

void probe_part(char ret[NODE_NAME_MAX], const char *node, const char *part)
{
	size_t n_part = strlen(part) + 1, len = strlen(node);
	size_t room = n_part < NODE_NAME_MAX ? NODE_NAME_MAX - 1 - n_part : 0;

	if (len > room)
		len = room;
	/* Not within a character. */
	while (len && ((unsigned char)node[len] & 0xc0) == 0x80)
		len--;
	snprintf(ret, NODE_NAME_MAX, "%.*s %s", (int)len, node, part);
}

void probe_left_out(struct probe *probe, const char *node, const char *advice, const char *reason)
{
	struct probe_item *item = add_item(probe, node);

	if (!item)
		return;
	item->outcome = OUTCOME_DISABLED;
	item->left_out = true;
	snprintf(item->advice, sizeof(item->advice), "%s", advice);
	snprintf(item->reason, sizeof(item->reason), "%s", reason);
}

static size_t count_nodes(const struct probe *probe, bool left_out)
{
	size_t n = 0;

	for (size_t i = 1; i < probe->n_items; i++)
		n += probe->items[i].left_out == left_out;
	return n;
}

static const struct probe_item *find_node(const struct probe *probe, enum outcome outcome,
					  bool left_out)
{
	for (size_t i = 1; i < probe->n_items; i++)
		if (probe->items[i].outcome == outcome && probe->items[i].left_out == left_out)
			return &probe->items[i];
	return NULL;
}

static const struct probe_item *worst_node(const struct probe *probe, bool left_out)
{
	const struct probe_item *node = NULL;

	for (size_t i = 0; i < N_OUTCOMES && !node; i++)
		node = find_node(probe, outcomes_worst_first[i], left_out);
	return node;
}

static void judge_by(struct probe *probe, const struct probe_item *node)
{
	struct probe_item copy = *node;
	size_t n = count_nodes(probe, copy.left_out);
	char of[48] = "";

	if (n > 1)
		snprintf(of, sizeof(of), "none of %zu nodes is %s; ", n,
			 copy.left_out ? "sampled" : "ok");
	probe_collector(probe, copy.outcome, copy.advice, "%s%s: %s", of, copy.node, copy.reason);
}

void probe_judge(struct probe *probe)
{
	const struct probe_item *node;

	if (probe->items[0].outcome != OUTCOME_OK || find_node(probe, OUTCOME_OK, false))
		return;
	node = worst_node(probe, false);
	if (!node)
		node = worst_node(probe, true);
	if (node)
		judge_by(probe, node);
}

enum outcome outcome_of_error(int error)
{
	switch (error < 0 ? -error : error) {
	case 0:
		return OUTCOME_OK;
	case ENOENT:
		return OUTCOME_NO_NODE;
	case EACCES:
	case EPERM:
		return OUTCOME_DENIED;
	case EOPNOTSUPP:
		return OUTCOME_UNSUPPORTED;
	default:
		return OUTCOME_FAILED;
	}
}
