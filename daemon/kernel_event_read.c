/* What an event has told of an incident, read again: an incident goes on in the next run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "base/text.h"
#include "daemon/kernel_event.h"
#include "export/tree.h"

static bool find_cause(const char *kind, enum kernel_cause *ret)
{
	static const char prefix[] = "kernel_";

	if (strncmp(kind, prefix, strlen(prefix)) != 0)
		return false;
	for (int c = 0; c < N_CAUSES; c++) {
		if (strcmp(kernel_cause_name((enum kernel_cause)c), kind + strlen(prefix)) != 0)
			continue;
		*ret = (enum kernel_cause)c;
		return kernel_cause_is_event(*ret);
	}
	return false;
}

static const struct kernel_rule *find_rule(const char *id)
{
	for (size_t i = 0; i < n_kernel_rules; i++)
		if (!strcmp(kernel_rules[i].id, id))
			return &kernel_rules[i];
	return NULL;
}

static void read_causes(struct tree *tree, struct incident *incident)
{
	struct tree *causes = tree_get(tree, "causes");

	for (int c = 0; c < N_CAUSES; c++)
		incident->by_cause[c] = tree_i64(causes, kernel_cause_name((enum kernel_cause)c));
}

static void read_sectors(struct tree *tree, struct incident *incident)
{
	struct tree *sectors = tree_get(tree, "sectors");

	incident->sector_first = incident->sector_last = KERNEL_NUMBER_NONE;
	if (!sectors)
		return;
	incident->sector_first = tree_i64(tree, "first_sector");
	incident->sector_last = tree_i64(tree, "last_sector");
	incident->n_sectors = MIN(tree_n(sectors), (size_t)INCIDENT_SECTORS_MAX);
	for (size_t i = 0; i < incident->n_sectors; i++)
		incident->sectors[i] = tree_i64(tree_at(sectors, i), "");
}

static void read_lines(struct tree *tree, struct incident *incident)
{
	struct text text = TEXT_IN(incident->evidence);
	struct tree *lines = tree_get(tree, "lines");

	for (size_t i = 0; i < tree_n(lines); i++) {
		const char *line = tree_text(tree_at(lines, i), "");

		if (text.len + strlen(line) + 2 > text.size)
			return;
		text_printf(&text, "%s%s", i ? "\n" : "", line);
	}
}

int kernel_event_read(const struct event *event, struct incident *ret,
		      struct kernel_moment *ret_moment)
{
	CLEANUP(tree_freep) struct tree *tree = NULL;
	struct incident incident = {.first_us = KERNEL_TIME_NONE, .last_us = KERNEL_TIME_NONE};
	int r = tree_parse(event->evidence, strlen(event->evidence), &tree);

	if (r < 0)
		return r;
	incident.worst = find_rule(tree_text(tree, "rule"));
	incident.count = tree_i64(tree, "count");
	if (!find_cause(event->kind, &incident.cause) || !incident.worst || incident.count < 1)
		return -EBADMSG;
	incident.severity = event->severity;
	incident.at_least = tree_bool(tree, "at_least");
	snprintf(incident.device, sizeof(incident.device), "%s", event->node);
	snprintf(incident.nodes, sizeof(incident.nodes), "%s", tree_text(tree, "names"));
	read_causes(tree, &incident);
	read_sectors(tree, &incident);
	read_lines(tree, &incident);
	*ret = incident;
	*ret_moment = (struct kernel_moment){event->t_ms, event->t_end_ms,
					     errno_value(tree_text(tree, "error"))};
	return 0;
}
