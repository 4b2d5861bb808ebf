#include "query/suggest.h"

#include <string.h>

#define SUGGEST_MAX  3
#define NAME_MAX_LEN 96

struct suggestion {
	size_t distance;
	bool other_group; /* than the one that was named */
	struct metric metric;
};

/* Number of single characters to insert, delete or replace (Levenshtein). Only the first
 * NAME_MAX_LEN characters count. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LEN + 1];
	size_t n_a = strnlen(a, NAME_MAX_LEN), n_b = strnlen(b, NAME_MAX_LEN);

	for (size_t j = 0; j <= n_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			size_t replaced = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[n_b];
}

/* How far a metric is from what was typed; a part of a name counts as near. */
static size_t distance_of(const struct metric *metric, const char *name)
{
	char full[2 * NAME_MAX_LEN];
	struct text text = TEXT_IN(full);
	const char *dot = strchr(name, '.');
	const char *quantity = dot ? dot + 1 : name;

	text_printf(&text, "%s.%s", metric->group->name, metric->name);

	size_t distance = edit_distance(full, name);

	if (!dot)
		distance = MIN(distance, edit_distance(metric->name, name));
	if (strlen(quantity) >= 3 && strstr(full, quantity))
		distance = MIN(distance, 2);
	return distance;
}

/* Who named a group looks there first. */
static bool nearer(const struct suggestion *a, const struct suggestion *b)
{
	if (a->other_group != b->other_group)
		return b->other_group;
	return a->distance < b->distance;
}

static void keep(struct suggestion *best, size_t *n, const struct suggestion *one)
{
	size_t i = *n;

	if (i == SUGGEST_MAX && !nearer(one, &best[i - 1]))
		return;
	if (i == SUGGEST_MAX)
		i--;
	else
		(*n)++;
	for (; i > 0 && nearer(one, &best[i - 1]); i--)
		best[i] = best[i - 1];
	best[i] = *one;
}

static bool is_named(const struct group *group, const char *name, const char *dot)
{
	size_t len = (size_t)(dot - name);

	return strlen(group->name) == len && !strncmp(group->name, name, len);
}

/* A group with a name that is near to the one before the dot. */
static const struct group *near_group(const struct catalog *catalog, const char *name,
				      const char *dot)
{
	const struct group *group, *best = NULL;
	char typed[NAME_MAX_LEN];
	struct text text = TEXT_IN(typed);
	size_t nearest = SIZE_MAX;

	text_mem(&text, name, (size_t)(dot - name));
	for (size_t g = 0; (group = catalog_group_at(catalog, g, NULL)); g++) {
		size_t distance = edit_distance(group->name, typed);

		if (distance < nearest && distance <= MAX(1, text.len / 3)) {
			nearest = distance;
			best = group;
		}
	}
	return best;
}

/* What to do when no metric is near. */
static void point_elsewhere(struct text *out, const struct catalog *catalog, const char *name,
			    bool named)
{
	const char *dot = strchr(name, '.');
	const struct group *group = dot && !named ? near_group(catalog, name, dot) : NULL;

	if (group)
		text_printf(out, "; did you mean the group %s?", group->name);
	text_printf(out, "%s flashscope fields lists all metrics", group ? "" : ";");
}

void suggest_metrics(struct text *out, const struct catalog *catalog, const char *name)
{
	struct suggestion best[SUGGEST_MAX], one;
	const struct collector *collector = NULL;
	const struct group *group;
	const char *dot = strchr(name, '.');
	size_t n = 0, limit = MAX(2, strnlen(dot ? dot + 1 : name, NAME_MAX_LEN) / 3);

	bool named = false;

	for (size_t g = 0; dot && (group = catalog_group_at(catalog, g, NULL)); g++)
		named |= is_named(group, name, dot);
	for (size_t g = 0; (group = catalog_group_at(catalog, g, &collector)); g++)
		for (size_t i = 0; metric_at(collector, group, i, &one.metric) == 0; i++) {
			if (one.metric.kind == KIND_INFO)
				continue;
			one.other_group = named && !is_named(group, name, dot);
			one.distance = distance_of(&one.metric, name);
			if (one.distance <= limit)
				keep(best, &n, &one);
		}
	for (size_t i = 0; i < n; i++)
		text_printf(out, "%s%s.%s",
			    i == 0       ? "; did you mean "
			    : i + 1 == n ? " or "
					 : ", ",
			    best[i].metric.group->name, best[i].metric.name);
	if (n)
		text_char(out, '?');
	else
		point_elsewhere(out, catalog, name, named);
}
