#include "cli/wanted.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/catalog.h"
#include "sampling/registry.h"

int wanted_open(struct wanted *wanted)
{
	wanted->fields = calloc(catalog_n_groups(registry()) + 1, sizeof(*wanted->fields));
	return wanted->fields ? 0 : -ENOMEM;
}

void wanted_done(struct wanted *wanted)
{
	free(wanted->fields);
	*wanted = (struct wanted){0};
}

static void take_group(struct wanted *wanted, size_t index, const struct group *group)
{
	for (size_t f = 0; f < group->n_fields; f++)
		wanted->fields[index][f] = true;
}

void wanted_take_collector(struct wanted *wanted, size_t index)
{
	const struct collector *collector;
	const struct group *group;

	for (size_t i = 0; (group = catalog_group_at(registry(), i, &collector)); i++)
		if (collector == registry()->collectors[index])
			take_group(wanted, i, group);
}

static bool take_name(struct wanted *wanted, const char *name)
{
	const struct catalog *catalog = registry();
	size_t index;

	for (size_t i = 0; i < catalog->n_collectors; i++) {
		if (strcmp(catalog->collectors[i]->name, name) != 0)
			continue;
		wanted_take_collector(wanted, i);
		return true;
	}
	if (catalog_find_group(catalog, name, &index) < 0)
		return false;
	take_group(wanted, index, catalog_group_at(catalog, index, NULL));
	return true;
}

static int take_metric(struct wanted *wanted, const char *name)
{
	struct metric metric;
	size_t index;
	int r = metric_find(registry(), name, &metric);

	if (r == 0)
		r = catalog_find_group(registry(), metric.group->name, &index);
	if (r == 0)
		wanted->fields[index][metric.a] = wanted->fields[index][metric.b] = true;
	return r;
}

/* The metrics of the group, when that is one, else all collectors. */
static void say_what_there_is(const char *command, const char *word)
{
	const struct catalog *catalog = registry();
	const struct collector *collector;
	const struct group *group;
	const char *dot = strchr(word, '.');
	size_t len = dot ? (size_t)(dot - word) : 0;
	struct metric metric;

	for (size_t i = 0; (group = catalog_group_at(catalog, i, &collector)); i++) {
		if (!dot || strlen(group->name) != len || strncmp(group->name, word, len) != 0)
			continue;
		fprintf(stderr, "flashscope %s: %s has no %s; there are:", command, group->name,
			dot + 1);
		for (size_t k = 0; metric_at(collector, group, k, &metric) == 0; k++)
			fprintf(stderr, " %s", metric.name);
		fputc('\n', stderr);
		return;
	}
	fprintf(stderr,
		"flashscope %s: \"%s\" is no collector, group or metric; there are:", command,
		word);
	for (size_t i = 0; i < catalog->n_collectors; i++)
		fprintf(stderr, " %s", catalog->collectors[i]->name);
	fputs("; flashscope fields lists their groups and metrics\n", stderr);
}

int wanted_take(struct wanted *wanted, const char *command, const char *word)
{
	if (*word && (take_name(wanted, word) || take_metric(wanted, word) == 0))
		return 0;
	say_what_there_is(command, word);
	return -EINVAL;
}

int wanted_take_words(struct wanted *wanted, const char *command, int n, char **words)
{
	for (size_t i = 0; i < registry()->n_collectors && n == 0; i++)
		wanted_take_collector(wanted, i);
	for (int i = 0; i < n; i++)
		if (wanted_take(wanted, command, words[i]) < 0)
			return -EINVAL;
	return 0;
}

bool wanted_has_group(const struct wanted *wanted, size_t group)
{
	for (size_t f = 0; f < SINK_FIELDS_MAX; f++)
		if (wanted->fields[group][f])
			return true;
	return false;
}

bool wanted_has_collector(const struct wanted *wanted, size_t index)
{
	const struct collector *collector;

	for (size_t i = 0; catalog_group_at(registry(), i, &collector); i++)
		if (collector == registry()->collectors[index] && wanted_has_group(wanted, i))
			return true;
	return false;
}
