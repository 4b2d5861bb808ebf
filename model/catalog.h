/* All collectors as data: finds groups and metrics by their names. */
#pragma once

#include <stddef.h>

#include "model/collector.h"

struct catalog {
	const struct collector *const *collectors;
	size_t n_collectors;
};

/* A field or derived quantity of a group. */
struct metric {
	const struct collector *collector;
	const struct group *group;
	const struct derived *derived; /* NULL: the field itself */
	size_t a, b;                   /* the fields that it is made of; b == a where it has one */
	const char *name;
	const char *help;
	enum unit unit;
	enum kind kind;
};

/* Groups of all collectors, numbered through in the order of the catalog. */
size_t catalog_n_groups(const struct catalog *catalog);
/* NULL past the end. ret_collector may be NULL. */
const struct group *catalog_group_at(const struct catalog *catalog, size_t index,
				     const struct collector **ret_collector);
/* Index of a group by its name, -ENOENT. */
int catalog_find_group(const struct catalog *catalog, const char *name, size_t *ret_index);
const struct collector *catalog_find_collector(const struct catalog *catalog, const char *name);

/* Index of a field by name, -ENOENT. */
int group_find_field(const struct group *group, const char *name, size_t *ret_index);

/* What the tables of the collector say it means when a field has no value. */
const char *field_absence(const struct group *group, const struct field *field);

/* Fills in a metric of a group: index counts fields first, then derived quantities.
 * -ENOENT past the end. */
int metric_at(const struct collector *collector, const struct group *group, size_t index,
	      struct metric *ret);

/* "diskstats.read_bytes". -EINVAL without a dot, -ENOENT when the group is unknown, -ENOKEY when
 * the group has no such quantity. */
int metric_find(const struct catalog *catalog, const char *name, struct metric *ret);

/* Whether the quantity is made from increases between samples: counters and what is derived from
 * them. */
bool metric_is_delta(const struct metric *metric);

/* Whether a collector sends commands to devices: all its groups are of class Q. */
bool collector_commands(const struct collector *collector);

/* Whether the privileged helper samples it: for its commands, or for what only root may read. */
bool collector_is_helped(const struct collector *collector);

/* No group is sampled more often than this: its class says so, or the group itself. */
int64_t group_least_ms(const struct group *group);

const char *kind_name(enum kind kind);
const char *cost_name(enum cost cost);
