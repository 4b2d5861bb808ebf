#include "model/mount_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define NONE      SIZE_MAX
#define DEPTH_MAX 64

static bool is_above(const char *point, const char *path)
{
	size_t len = strlen(point);

	if (*point != '/')
		return false;
	if (len == 1)
		return *path == '/';
	return !strncmp(point, path, len) && (path[len] == '\0' || path[len] == '/');
}

static bool has_parent(const struct mount_place *places, size_t n, size_t i)
{
	for (size_t k = 0; k < n && places[i].parent_id >= 0; k++)
		if (k != i && places[k].id == places[i].parent_id)
			return true;
	return false;
}

/* Whether the walk can come from the mount at to the mount i. */
static bool leads_to(const struct mount_place *places, size_t n, size_t at, size_t i)
{
	if (at == NONE)
		return !has_parent(places, n, i);

	size_t here = strlen(places[at].point), there = strlen(places[i].point);

	if (places[i].parent_id == places[at].id)
		return there >= here;
	return there > here && !has_parent(places, n, i);
}

/* The next mount on the way: the one that is met first. Of two at the same place the later. */
static size_t step(const struct mount_place *places, size_t n, size_t at, const char *path)
{
	size_t next = NONE;

	for (size_t i = 0; i < n; i++) {
		if (i == at || !is_above(places[i].point, path) || !leads_to(places, n, at, i))
			continue;
		if (next == NONE || strlen(places[i].point) <= strlen(places[next].point))
			next = i;
	}
	return next;
}

/* Where no walk begins, since the ids make no sense: the longest name. */
static size_t longest(const struct mount_place *places, size_t n, const char *path)
{
	size_t best = NONE;

	for (size_t i = 0; i < n; i++)
		if (is_above(places[i].point, path) &&
		    (best == NONE || strlen(places[i].point) >= strlen(places[best].point)))
			best = i;
	return best;
}

int mount_tree_find(const struct mount_place *places, size_t n, const char *path, size_t *ret_index)
{
	size_t at = step(places, n, NONE, path), next;

	if (at == NONE)
		at = longest(places, n, path);
	if (at == NONE)
		return -ENOENT;
	/* Ids that make a ring end here as well. */
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		next = step(places, n, at, path);
		if (next == NONE)
			break;
		at = next;
	}
	*ret_index = at;
	return 0;
}
