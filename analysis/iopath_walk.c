/* The walk down from a mount or a device. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iopath_build.h"
#include "base/parse.h"
#include "model/mount_tree.h"

static void walk_device(struct build *build, const char *name, size_t above, unsigned depth);

static int64_t number_of(const struct facts *facts, const struct facts_row *row, const char *field)
{
	int64_t number;

	return parse_i64(facts_text(facts, row, field), &number) < 0 ? -1 : number;
}

static struct mount_view view_of(const struct facts *facts, const struct facts_row *row)
{
	struct mount_view view = {
		.row = row,
		.point = facts_text(facts, row, "mount_point"),
		.fs_type = facts_text(facts, row, "fs_type"),
		.device = facts_text(facts, row, "device"),
		.options = facts_text(facts, row, "options"),
		.super_options = facts_text(facts, row, "super_options"),
		.id = number_of(facts, row, "mount_id"),
		.parent_id = number_of(facts, row, "parent_id"),
	};

	if (!*view.point)
		view.point = row->node;
	return view;
}

static int compare_mounts(const void *a, const void *b)
{
	const struct mount_view *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return strcmp(x->point, y->point);
}

/* sda2 before sda10. */
static int compare_names(const char *a, const char *b)
{
	size_t n, m;

	for (; *a && *a == *b && !isdigit((unsigned char)*a); a++, b++)
		;
	n = strspn(a, "0123456789");
	m = strspn(b, "0123456789");
	if (!n || !m)
		return strcmp(a, b);
	if (n != m)
		return n < m ? -1 : 1;
	if (strncmp(a, b, n) != 0)
		return strncmp(a, b, n);
	return compare_names(a + n, b + n);
}

static int compare_devices(const void *a, const void *b)
{
	const struct facts_row *const *x = a, *const *y = b;

	return compare_names((*x)->node, (*y)->node);
}

int build_init(struct build *build, const struct facts *facts, struct iopaths *out)
{
	*build = (struct build){.facts = facts, .out = out};
	build->mounts = calloc(facts->n_rows + 1, sizeof(*build->mounts));
	build->devices = calloc(facts->n_rows + 1, sizeof(*build->devices));
	if (!build->mounts || !build->devices)
		return -ENOMEM;
	for (size_t i = 0; i < facts->n_rows; i++) {
		const struct facts_row *row = &facts->rows[i];

		if (!strcmp(row->group->name, "mounts"))
			build->mounts[build->n_mounts++] = view_of(facts, row);
		else if (!strcmp(row->group->name, "topology"))
			build->devices[build->n_devices++] = row;
	}
	qsort(build->mounts, build->n_mounts, sizeof(*build->mounts), compare_mounts);
	qsort(build->devices, build->n_devices, sizeof(*build->devices), compare_devices);
	return 0;
}

void build_done(struct build *build)
{
	free(build->mounts);
	free(build->devices);
}

const struct mount_view *build_mount_of(const struct build *build, const char *path)
{
	struct mount_place *places = calloc(build->n_mounts + 1, sizeof(*places));
	size_t index = 0;
	int r = places ? 0 : -ENOMEM;

	for (size_t i = 0; places && i < build->n_mounts; i++)
		places[i] = (struct mount_place){build->mounts[i].id, build->mounts[i].parent_id,
						 build->mounts[i].point};
	if (r == 0)
		r = mount_tree_find(places, build->n_mounts, path, &index);
	free(places);
	return r < 0 ? NULL : &build->mounts[index];
}

bool build_option(const char *options, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);

	for (const char *p = options; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t n = strcspn(p, ",");

		if (n < len || strncmp(p, name, len) != 0)
			continue;
		if (!buf && n == len)
			return true;
		if (buf)
			return slice_copy((struct slice){p + len, n - len}, buf, size) == 0;
	}
	return false;
}

static bool upper_of(const struct mount_view *mount, char *buf, size_t size)
{
	return !strcmp(mount->fs_type, "overlay") &&
	       build_option(mount->super_options, "upperdir=", buf, size);
}

bool build_has_upper(const struct mount_view *mount)
{
	char upper[512];

	return upper_of(mount, upper, sizeof(upper));
}

/* Adds a layer to the newest path. *ret_index is its place in the path. */
static bool add_layer(struct build *build, const char *kind, const char *name, size_t above,
		      unsigned depth, size_t *ret_index)
{
	struct iopath_layer *layer = iopaths_add_layer(build->out);

	if (!layer)
		return false;
	layer->kind = iopaths_text(build->out, "%s", *kind ? kind : "device");
	layer->name = iopaths_text(build->out, "%s", name);
	layer->above = above;
	layer->depth = depth;
	*ret_index = build->out->paths[build->out->n_paths - 1].n_layers - 1;
	return true;
}

/* Whether the layer that was just added stands in its path already: two partitions of one disk in
 * one volume, or a ring that no kernel makes. Then what is below is there as well. */
static bool is_repeated(struct build *build)
{
	const struct iopath *path = &build->out->paths[build->out->n_paths - 1];
	struct iopath_layer *layers = &build->out->layers[path->first_layer];
	struct iopath_layer *last = &layers[path->n_layers - 1];

	for (size_t i = 0; i + 1 < path->n_layers; i++)
		if (!strcmp(layers[i].name, last->name) && !strcmp(layers[i].kind, last->kind))
			last->is_shared = true;
	return last->is_shared;
}

static bool is_too_deep(struct build *build, unsigned depth)
{
	if (depth + 1 < IOPATH_DEPTH_MAX)
		return false;
	build_missing(build, "on", "topology.on", "the stack has too many layers");
	return true;
}

static void walk_mount(struct build *build, const struct mount_view *mount, size_t above,
		       unsigned depth);

/* Down into the file system that holds a file. */
static void walk_file(struct build *build, const char *file, size_t above, unsigned depth)
{
	const struct mount_view *mount;
	size_t index;

	if (!add_layer(build, "file", file, above, depth, &index) || is_repeated(build) ||
	    is_too_deep(build, depth))
		return;
	mount = build_mount_of(build, file);
	if (mount)
		walk_mount(build, mount, index, depth + 1);
	else
		build_missing(build, "on", "mounts.mount_point", "no known mount holds this file");
}

static void walk_mount(struct build *build, const struct mount_view *mount, size_t above,
		       unsigned depth)
{
	char upper[512];
	size_t index;

	if (!add_layer(build, "file_system", mount->point, above, depth, &index) ||
	    is_repeated(build))
		return;
	build_mount_facts(build, mount);
	if (is_too_deep(build, depth))
		return;
	if (*mount->device)
		walk_device(build, mount->device, index, depth + 1);
	else if (upper_of(mount, upper, sizeof(upper)))
		walk_file(build, upper, index, depth + 1);
	else
		build_missing(build, "on", "mounts.device", "it lies on no block device");
}

static void walk_device(struct build *build, const char *name, size_t above, unsigned depth)
{
	const struct facts_row *row = facts_find(build->facts, "topology", name);
	const char *kind = facts_text(build->facts, row, "type");
	struct slice below = slice_of(facts_text(build->facts, row, "on")), one;
	char next[NODE_NAME_MAX];
	size_t index;

	if (!add_layer(build, kind, name, above, depth, &index) || is_repeated(build))
		return;
	build_node_facts(build, name, row);
	if (is_too_deep(build, depth))
		return;
	while (slice_token(&below, &one))
		if (slice_copy(one, next, sizeof(next)) == 0)
			walk_device(build, next, index, depth + 1);
	if (!strcmp(kind, "loop") && *facts_text(build->facts, row, "label"))
		walk_file(build, facts_text(build->facts, row, "label"), index, depth + 1);
}

static void add_mount(struct build *build, const struct mount_view *view)
{
	struct iopath_mount *mount = iopaths_add_mount(build->out);

	if (!mount)
		return;
	mount->point = iopaths_text(build->out, "%s", view->point);
	mount->root = iopaths_text(build->out, "%s", facts_text(build->facts, view->row, "root"));
	mount->options = iopaths_text(build->out, "%s", view->options);
}

void build_mount_path(struct build *build, const struct mount_view *mount)
{
	if (!iopaths_add_path(build->out))
		return;
	add_mount(build, mount);
	/* The same file system elsewhere: bind mounts, subvolumes. */
	for (size_t i = 0; *mount->device && i < build->n_mounts; i++)
		if (&build->mounts[i] != mount && !strcmp(build->mounts[i].device, mount->device))
			add_mount(build, &build->mounts[i]);
	walk_mount(build, mount, IOPATH_NO_LAYER, 0);
}

void build_device_path(struct build *build, const char *device)
{
	if (iopaths_add_path(build->out))
		walk_device(build, device, IOPATH_NO_LAYER, 0);
}
