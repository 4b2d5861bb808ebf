#include "analysis/iopath.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/iopath_build.h"
#include "base/cleanup.h"
#include "base/text.h"

static bool has_type(const struct facts *facts, const struct facts_row *row, const char *type)
{
	return !strcmp(facts_text(facts, row, "type"), type);
}

/* Whether a path from first on has a device of this name in it. */
static bool path_has(const struct iopaths *out, const struct iopath *path, const char *device)
{
	for (size_t i = 0; i < path->n_layers; i++) {
		const struct iopath_layer *layer = &out->layers[path->first_layer + i];

		if (!strcmp(layer->name, device) && strcmp(layer->kind, "file_system") != 0 &&
		    strcmp(layer->kind, "file") != 0)
			return true;
	}
	return false;
}

static bool any_path_has(const struct iopaths *out, const char *device)
{
	for (size_t i = 0; i < out->n_paths; i++)
		if (path_has(out, &out->paths[i], device))
			return true;
	return false;
}

/* Whether the paths so far should have one more; with a device asked for, only what leads to it. */
static void keep_or_drop(struct build *build, size_t n_before, const char *device)
{
	struct iopaths *out = build->out;

	if (out->n_paths > n_before && *device && !path_has(out, &out->paths[n_before], device))
		iopaths_drop_path(out);
}

static bool is_whole(const struct build *build, const struct mount_view *mount)
{
	return !strcmp(facts_text(build->facts, mount->row, "root"), "/");
}

/* A file system that is mounted at several places is one path, told at the first that shows all of
 * it, or else at the first. */
static bool is_main_mount(const struct build *build, size_t index)
{
	const struct mount_view *mount = &build->mounts[index];

	for (size_t i = 0; i < build->n_mounts; i++) {
		const struct mount_view *other = &build->mounts[i];

		if (strcmp(other->device, mount->device) != 0)
			continue;
		if (is_whole(build, other) != is_whole(build, mount)) {
			if (is_whole(build, other))
				return false;
		} else if (i < index) {
			return false;
		}
	}
	return true;
}

static void add_diskless(struct build *build, const struct mount_view *mount)
{
	struct iopath_diskless *diskless = iopaths_add_diskless(build->out);

	if (!diskless)
		return;
	diskless->point = iopaths_text(build->out, "%s", mount->point);
	diskless->fs_type = iopaths_text(build->out, "%s", mount->fs_type);
}

static void add_mounts(struct build *build, const char *device)
{
	for (size_t i = 0; i < build->n_mounts; i++) {
		const struct mount_view *mount = &build->mounts[i];
		size_t n_before = build->out->n_paths;

		if (!*mount->device && !build_has_upper(mount)) {
			if (!*device)
				add_diskless(build, mount);
			continue;
		}
		if (*mount->device && !is_main_mount(build, i))
			continue;
		build_mount_path(build, mount);
		keep_or_drop(build, n_before, device);
	}
}

/* Whether another device lies on this one. */
static bool is_held(const struct build *build, const char *device)
{
	size_t len = strlen(device);

	for (size_t i = 0; i < build->n_devices; i++) {
		const char *on = facts_text(build->facts, build->devices[i], "on");

		for (const char *p = on; *p; p += strcspn(p, " "), p += *p == ' ')
			if (strcspn(p, " ") == len && !strncmp(p, device, len))
				return true;
	}
	return false;
}

/* Volumes that nobody has mounted (swap, raw use), and disks that are in no path at all. */
static void add_unmounted(struct build *build, const char *device)
{
	static const char *const types[] = {"dm", "md", "disk"};

	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		for (size_t i = 0; i < build->n_devices; i++) {
			const struct facts_row *row = build->devices[i];
			size_t n_before = build->out->n_paths;

			if (!has_type(build->facts, row, types[t]) ||
			    any_path_has(build->out, row->node))
				continue;
			if (strcmp(types[t], "disk") != 0 && is_held(build, row->node))
				continue;
			build_device_path(build, row->node);
			keep_or_drop(build, n_before, device);
		}
	}
}

/* "/dev/block/dm-9", "/dev/mapper/userdata": what stands behind. */
static const char *without_dev(const char *of)
{
	static const char *const folders[] = {"/dev/mapper/", "/dev/block/mapper/", "/dev/block/",
					      "/dev/"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (!strncmp(of, folders[i], strlen(folders[i])))
			return of + strlen(folders[i]);
	return of;
}

/* The device that a user means, by its name or by the one that its maker gave it. NULL: none. */
static const char *device_of(const struct build *build, const char *of)
{
	const char *name = without_dev(of);
	const struct facts_row *row = facts_find(build->facts, "topology", name);

	if (row)
		return row->node;
	for (size_t i = 0; i < build->n_devices; i++)
		if (has_type(build->facts, build->devices[i], "dm") &&
		    !strcmp(facts_text(build->facts, build->devices[i], "label"), name))
			return build->devices[i]->node;
	return NULL;
}

/* "/data" and "/data/". */
static bool is_same_path(const char *point, const char *of)
{
	size_t n = strlen(of), n_point = strlen(point);

	while (n > n_point && of[n - 1] == '/')
		n--;
	return n == n_point && !strncmp(point, of, n);
}

static void list_known(const struct build *build, struct text *out)
{
	text_str(out, "; mounts of disks:");
	for (size_t i = 0; i < build->n_mounts; i++)
		if (*build->mounts[i].device)
			text_printf(out, " %s", build->mounts[i].point);
	text_str(out, "; disks:");
	for (size_t i = 0; i < build->n_devices; i++)
		if (has_type(build->facts, build->devices[i], "disk"))
			text_printf(out, " %s", build->devices[i]->node);
}

static int find_named(struct build *build, const char *of, char ret_problem[IOPATH_PROBLEM_MAX])
{
	struct text problem = text_in(ret_problem, IOPATH_PROBLEM_MAX);
	const char *device = device_of(build, of);
	const struct mount_view *mount = NULL;
	bool is_file = false;

	for (size_t i = 0; i < build->n_mounts; i++)
		if (!strcmp(build->mounts[i].point, of))
			mount = &build->mounts[i];
	if (!mount && !device && *of == '/' && strncmp(of, "/dev/", 5) != 0) {
		mount = build_mount_of(build, of);
		is_file = mount && !is_same_path(mount->point, of);
	}
	if (mount) {
		if (is_file)
			build->out->taken_from = iopaths_text(build->out, "%s", mount->point);
		build_mount_path(build, mount);
		return 0;
	}
	if (!device) {
		text_printf(&problem, "no mount, disk or other device is \"%s\"", of);
		list_known(build, &problem);
		return -ENOENT;
	}
	add_mounts(build, device);
	add_unmounted(build, device);
	if (!build->out->n_paths)
		build_device_path(build, device);
	return 0;
}

int iopath_find(const struct facts *facts, const char *of, struct iopaths *ret,
		char ret_problem[IOPATH_PROBLEM_MAX])
{
	CLEANUP(build_done) struct build build = {0};
	int r;

	iopaths_init(ret);
	ret_problem[0] = '\0';
	r = build_init(&build, facts, ret);
	/* A daemon that has just started has rows of faster groups alone. */
	if (r == 0 && !build.n_mounts && !build.n_devices) {
		snprintf(ret_problem, IOPATH_PROBLEM_MAX,
			 "no mounts and no block devices are known");
		r = -ENODATA;
	}
	if (r == 0 && *of) {
		r = find_named(&build, of, ret_problem);
	} else if (r == 0) {
		add_mounts(&build, "");
		add_unmounted(&build, "");
	}
	if (r == 0)
		r = ret->error;
	if (r < 0)
		iopaths_done(ret);
	return r;
}
