#include "model/catalog.h"

#include <errno.h>
#include <string.h>

size_t catalog_n_groups(const struct catalog *catalog)
{
	size_t n = 0;

	for (size_t i = 0; i < catalog->n_collectors; i++)
		n += catalog->collectors[i]->n_groups;
	return n;
}

const struct group *catalog_group_at(const struct catalog *catalog, size_t index,
				     const struct collector **ret_collector)
{
	for (size_t i = 0; i < catalog->n_collectors; i++) {
		const struct collector *collector = catalog->collectors[i];

		if (index < collector->n_groups) {
			if (ret_collector)
				*ret_collector = collector;
			return &collector->groups[index];
		}
		index -= collector->n_groups;
	}
	return NULL;
}

int catalog_find_group(const struct catalog *catalog, const char *name, size_t *ret_index)
{
	const struct group *group;

	for (size_t i = 0; (group = catalog_group_at(catalog, i, NULL)); i++) {
		if (strcmp(group->name, name))
			continue;
		*ret_index = i;
		return 0;
	}
	return -ENOENT;
}

const struct collector *catalog_find_collector(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (!strcmp(catalog->collectors[i]->name, name))
			return catalog->collectors[i];
	return NULL;
}

int group_find_field(const struct group *group, const char *name, size_t *ret_index)
{
	for (size_t i = 0; i < group->n_fields; i++) {
		if (strcmp(group->fields[i].name, name))
			continue;
		*ret_index = i;
		return 0;
	}
	return -ENOENT;
}

const char *field_absence(const struct group *group, const struct field *field)
{
	return field->absence ? field->absence : group->absence ? group->absence : "it is absent";
}

static enum kind derived_kind(const struct derived *derived, const struct field *a)
{
	return derived->how == DERIVE_SCALE || derived->how == DERIVE_DIFF ? a->kind : KIND_GAUGE;
}

int metric_at(const struct collector *collector, const struct group *group, size_t index,
	      struct metric *ret)
{
	struct metric metric = {.collector = collector, .group = group};

	if (index < group->n_fields) {
		const struct field *field = &group->fields[index];

		metric.a = metric.b = index;
		metric.name = field->name;
		metric.help = field->help;
		metric.unit = field->unit;
		metric.kind = field->kind;
		*ret = metric;
		return 0;
	}
	index -= group->n_fields;
	if (index >= group->n_derived)
		return -ENOENT;
	metric.derived = &group->derived[index];
	if (group_find_field(group, metric.derived->a, &metric.a) < 0)
		return -ENOENT;
	metric.b = metric.a;
	if (metric.derived->b && group_find_field(group, metric.derived->b, &metric.b) < 0)
		return -ENOENT;
	metric.name = metric.derived->name;
	metric.help = metric.derived->help;
	metric.unit = metric.derived->unit;
	metric.kind = derived_kind(metric.derived, &group->fields[metric.a]);
	*ret = metric;
	return 0;
}

int metric_find(const struct catalog *catalog, const char *name, struct metric *ret)
{
	const char *dot = strchr(name, '.');
	char group_name[NODE_NAME_MAX];
	const struct collector *collector = NULL;
	const struct group *group;
	struct metric metric;
	size_t index;

	if (!dot || (size_t)(dot - name) >= sizeof(group_name))
		return -EINVAL;
	memcpy(group_name, name, (size_t)(dot - name));
	group_name[dot - name] = '\0';
	if (catalog_find_group(catalog, group_name, &index) < 0)
		return -ENOENT;
	group = catalog_group_at(catalog, index, &collector);
	for (size_t i = 0; metric_at(collector, group, i, &metric) == 0; i++) {
		if (strcmp(metric.name, dot + 1))
			continue;
		*ret = metric;
		return 0;
	}
	return -ENOKEY;
}

bool metric_is_delta(const struct metric *metric)
{
	if (metric->derived &&
	    (metric->derived->how == DERIVE_MEAN || metric->derived->how == DERIVE_SHARE ||
	     metric->derived->how == DERIVE_AVERAGE))
		return true;
	return metric->kind == KIND_COUNTER;
}

bool collector_commands(const struct collector *collector)
{
	for (size_t i = 0; i < collector->n_groups; i++)
		if (collector->groups[i].cost != COST_Q)
			return false;
	return collector->n_groups > 0;
}

bool collector_is_helped(const struct collector *collector)
{
	return collector->privileged || collector_commands(collector);
}

int64_t group_least_ms(const struct group *group)
{
	static const int64_t least_ms[] = {
		[COST_F] = 100, [COST_L] = 1000, [COST_H] = 1000, [COST_Q] = 60000};

	return MAX(least_ms[group->cost], (int64_t)group->least_period_ms);
}

const char *kind_name(enum kind kind)
{
	static const char *const names[] = {
		[KIND_GAUGE] = "gauge",
		[KIND_COUNTER] = "counter",
		[KIND_STATE] = "state",
		[KIND_INFO] = "info",
	};

	return names[kind];
}

const char *cost_name(enum cost cost)
{
	static const char *const names[] = {
		[COST_F] = "F", [COST_L] = "L", [COST_H] = "H", [COST_Q] = "Q"};

	return names[cost];
}
