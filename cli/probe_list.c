#include "cli/probe_list.h"

#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "cli/wrap.h"
#include "sampling/registry.h"

#define HEAD_MAX      (NODE_NAME_MAX + 64)
#define ITEM_LINE_MAX (HEAD_MAX + 3 * PROBE_TEXT_MAX)

struct count {
	unsigned ok, not_ok, left_out;
};

struct list {
	FILE *out;
	unsigned width; /* 0: no terminal */
	int name_width;
	struct count collectors, nodes;
};

struct probe_item probe_shown(const struct collector *collector, const struct probe_item *item)
{
	struct probe_item shown = *item;

	if (!collector->opt_in || item->node[0] || item->outcome != OUTCOME_OK)
		return shown;
	shown.outcome = OUTCOME_DISABLED;
	snprintf(shown.reason, sizeof(shown.reason), "not unless asked for: %s", collector->opt_in);
	snprintf(shown.advice, sizeof(shown.advice),
		 "flashscope sample %s; in the daemon enabled = yes below [collector %s]",
		 collector->name, collector->name);
	return shown;
}

static struct count count_nodes(const struct probe *probe)
{
	struct count count = {0};

	for (size_t i = 1; i < probe->n_items; i++) {
		const struct probe_item *item = &probe->items[i];

		count.left_out += item->left_out;
		count.ok += item->outcome == OUTCOME_OK;
		count.not_ok += item->outcome != OUTCOME_OK && !item->left_out;
	}
	return count;
}

/* The advice has a line of its own on a terminal; elsewhere an item is one line. */
static void print_item(const struct list *list, unsigned indent, const char *head, const char *text,
		       const char *advice)
{
	char line[ITEM_LINE_MAX];
	struct text whole = TEXT_IN(line);

	text_str(&whole, text);
	if (!list->width && advice[0])
		text_printf(&whole, " -> %s", advice);
	wrap_print(list->out, list->width, indent + 4, head, line);
	if (list->width && advice[0]) {
		char arrow[16];

		snprintf(arrow, sizeof(arrow), "%*s-> ", (int)indent + 4, "");
		wrap_print(list->out, list->width, indent + 7, arrow, advice);
	}
}

/* Whether what the collector says is what the line of one of its nodes will say. */
static bool is_of_a_node(const struct probe *probe, const struct probe_item *own)
{
	size_t len = strlen(own->reason);

	for (size_t i = 1; i < probe->n_items; i++) {
		const struct probe_item *node = &probe->items[i];
		size_t node_len = strlen(node->reason);

		if (node->outcome == own->outcome && !node->left_out && node_len &&
		    len > node_len && !strcmp(own->reason + len - node_len, node->reason))
			return true;
	}
	return false;
}

static void print_collector(const struct list *list, const char *name,
			    const struct probe_item *item, const struct count *nodes)
{
	char head[HEAD_MAX], line[ITEM_LINE_MAX];
	struct text text = TEXT_IN(line);
	unsigned n = nodes->ok + nodes->not_ok;

	snprintf(head, sizeof(head), "%-*s  %-11s  ", list->name_width, name,
		 outcome_name(item->outcome));
	if (n || item->outcome == OUTCOME_OK)
		text_printf(&text, "%u node%s", n, n == 1 ? "" : "s");
	if (nodes->not_ok)
		text_printf(&text, ", %u not ok", nodes->not_ok);
	if (nodes->left_out)
		text_printf(&text, "%s%u left out", text.len ? ", " : "", nodes->left_out);
	if (item->reason[0])
		text_printf(&text, "%s%s", text.len ? "; " : "", item->reason);
	print_item(list, 0, head, line, item->advice);
}

static void print_nodes(const struct list *list, const struct probe *probe, enum outcome outcome)
{
	for (size_t i = 1; i < probe->n_items; i++) {
		const struct probe_item *item = &probe->items[i];
		char head[HEAD_MAX];

		if (item->outcome != outcome || item->left_out ||
		    (outcome == OUTCOME_OK && !item->advice[0]))
			continue;
		snprintf(head, sizeof(head), "  %s  %s: ", item->node, outcome_name(outcome));
		print_item(list, 2, head, item->reason, item->advice);
	}
}

static void print_probe(struct list *list, const struct collector *collector,
			const struct probe *probe)
{
	const struct count nodes = count_nodes(probe);
	struct probe_item own = probe_shown(collector, &probe->items[0]);

	if (is_of_a_node(probe, &own))
		own.reason[0] = own.advice[0] = '\0';
	print_collector(list, collector->name, &own, &nodes);
	for (size_t i = 0; i < N_OUTCOMES; i++)
		print_nodes(list, probe, outcomes_worst_first[i]);
	list->collectors.ok += own.outcome == OUTCOME_OK;
	list->collectors.not_ok += own.outcome != OUTCOME_OK;
	list->nodes.ok += nodes.ok;
	list->nodes.not_ok += nodes.not_ok;
	list->nodes.left_out += nodes.left_out;
}

static void print_sum(const struct list *list)
{
	char line[ITEM_LINE_MAX];
	struct text text = TEXT_IN(line);

	text_printf(&text, "collectors: %u ok, %u not; nodes: %u ok, %u not", list->collectors.ok,
		    list->collectors.not_ok, list->nodes.ok, list->nodes.not_ok);
	if (list->nodes.left_out)
		text_printf(&text, ", %u left out", list->nodes.left_out);
	text_str(&text, "; --all shows every node");
	wrap_print(list->out, list->width, 4, "", line);
}

void probe_list(FILE *out, struct runner *runner)
{
	const struct catalog *catalog = registry();
	struct list list = {.out = out, .width = wrap_width(out)};

	for (size_t i = 0; i < catalog->n_collectors; i++) {
		int width = (int)strlen(catalog->collectors[i]->name);

		if (runner_probe_of(runner, i) && width > list.name_width)
			list.name_width = width;
	}
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		const struct probe *probe = runner_probe_of(runner, i);

		if (probe)
			print_probe(&list, catalog->collectors[i], probe);
	}
	print_sum(&list);
}
