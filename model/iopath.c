#include "model/iopath.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct iopath_arena {
	struct iopath_arena *next;
	size_t len, size;
	char text[];
};

void iopaths_init(struct iopaths *paths)
{
	*paths = (struct iopaths){0};
}

void iopaths_done(struct iopaths *paths)
{
	while (paths->arena) {
		struct iopath_arena *next = paths->arena->next;

		free(paths->arena);
		paths->arena = next;
	}
	free(paths->paths);
	free(paths->layers);
	free(paths->facts);
	free(paths->mounts);
	free(paths->diskless);
	iopaths_init(paths);
}

/* Room for n bytes; NULL past the bound or without memory. */
static char *take(struct iopaths *paths, size_t n)
{
	struct iopath_arena *arena = paths->arena;

	if (paths->error)
		return NULL;
	if (n > IOPATH_TEXT_BYTES_MAX - paths->text_bytes) {
		paths->truncated = true;
		return NULL;
	}
	if (!arena || arena->size - arena->len < n) {
		size_t size = MAX(n, (size_t)BLOCK_BYTES);

		arena = malloc(sizeof(*arena) + size);
		if (!arena) {
			paths->error = -ENOMEM;
			return NULL;
		}
		*arena = (struct iopath_arena){.next = paths->arena, .size = size};
		paths->arena = arena;
	}

	char *p = arena->text + arena->len;

	arena->len += n;
	paths->text_bytes += n;
	return p;
}

const char *iopaths_text(struct iopaths *paths, const char *fmt, ...)
{
	va_list args;
	int len;
	char *p;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	p = len < 0 ? NULL : take(paths, (size_t)len + 1);
	if (!p)
		return "";
	va_start(args, fmt);
	vsnprintf(p, (size_t)len + 1, fmt, args);
	va_end(args);
	return p;
}

/* The array with room for one more element, as it was without (*ret_ok). */
static void *room(struct iopaths *paths, void *array, size_t n, size_t *alloc, size_t size,
		  size_t max, bool *ret_ok)
{
	void *grown;

	*ret_ok = !paths->error && n < max;
	if (n == max)
		paths->truncated = true;
	if (!*ret_ok || n < *alloc)
		return array;
	grown = reallocarray(array, *alloc * 2 + 16, size);
	if (!grown) {
		paths->error = -ENOMEM;
		*ret_ok = false;
		return array;
	}
	*alloc = *alloc * 2 + 16;
	return grown;
}

#define ROOM(what, max, ret_ok)                                                                    \
	(paths->what = room(paths, paths->what, paths->n_##what, &paths->what##_alloc,             \
			    sizeof(*paths->what), max, ret_ok))

static struct iopath *newest(struct iopaths *paths)
{
	return paths->n_paths ? &paths->paths[paths->n_paths - 1] : NULL;
}

struct iopath *iopaths_add_path(struct iopaths *paths)
{
	bool ok;

	ROOM(paths, IOPATH_PATHS_MAX, &ok);
	if (!ok)
		return NULL;
	paths->paths[paths->n_paths] = (struct iopath){
		.first_mount = paths->n_mounts,
		.first_layer = paths->n_layers,
	};
	return &paths->paths[paths->n_paths++];
}

struct iopath_mount *iopaths_add_mount(struct iopaths *paths)
{
	struct iopath *path = newest(paths);
	bool ok;

	ROOM(mounts, IOPATH_PATHS_MAX, &ok);
	if (!ok || !path)
		return NULL;
	path->n_mounts++;
	paths->mounts[paths->n_mounts] = (struct iopath_mount){.point = ""};
	return &paths->mounts[paths->n_mounts++];
}

struct iopath_layer *iopaths_add_layer(struct iopaths *paths)
{
	struct iopath *path = newest(paths);
	bool ok;

	if (path && path->n_layers == IOPATH_LAYERS_MAX) {
		paths->truncated = true;
		return NULL;
	}
	ROOM(layers, IOPATH_LAYERS_TOTAL_MAX, &ok);
	if (!ok || !path)
		return NULL;
	path->n_layers++;
	paths->layers[paths->n_layers] = (struct iopath_layer){
		.kind = "",
		.name = "",
		.above = IOPATH_NO_LAYER,
		.first_fact = paths->n_facts,
	};
	return &paths->layers[paths->n_layers++];
}

struct iopath_fact *iopaths_add_fact(struct iopaths *paths)
{
	bool ok;

	ROOM(facts, IOPATH_FACTS_TOTAL_MAX, &ok);
	if (!ok || !paths->n_layers)
		return NULL;
	paths->layers[paths->n_layers - 1].n_facts++;
	paths->facts[paths->n_facts] = (struct iopath_fact){.name = "", .source = ""};
	return &paths->facts[paths->n_facts++];
}

struct iopath_diskless *iopaths_add_diskless(struct iopaths *paths)
{
	bool ok;

	ROOM(diskless, IOPATH_PATHS_MAX, &ok);
	if (!ok)
		return NULL;
	paths->diskless[paths->n_diskless] = (struct iopath_diskless){.point = ""};
	return &paths->diskless[paths->n_diskless++];
}

void iopaths_drop_path(struct iopaths *paths)
{
	struct iopath *path = newest(paths);

	if (!path)
		return;
	if (path->n_layers)
		paths->n_facts = paths->layers[path->first_layer].first_fact;
	paths->n_mounts = path->first_mount;
	paths->n_layers = path->first_layer;
	paths->n_paths--;
}
