#include "model/fs_devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/parse.h"
#include "model/mountinfo.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"

#define MOUNTINFO_MAX_BYTES ((size_t)1024 * 1024)

void fs_devices_done(struct fs_devices *devices)
{
	for (size_t i = 0; i < devices->n; i++)
		free(devices->v[i].mount_point);
	free(devices->v);
	*devices = (struct fs_devices){0};
}

static bool is_type_of(const struct fs_driver *driver, struct slice type)
{
	for (size_t i = 0; driver->fs_types[i]; i++)
		if (slice_is(type, driver->fs_types[i]))
			return true;
	return false;
}

/* Beside the file systems lie what the driver can do (features) and knobs of all of them (tuning).
 * 1, 0 or -errno for want of descriptors or memory. A file that may not be seen is there. */
static int is_file_system(struct hw *hw, const struct fs_driver *driver, const char *dir_name)
{
	for (size_t i = 0; driver->files[i]; i++) {
		int r = hw_look(hw, "%s/%s/%s", driver->dir, dir_name, driver->files[i]);

		if (is_want(r))
			return r;
		if (r != -ENOENT && r != -ENOTDIR)
			return 1;
	}
	return 0;
}

static int add(struct hw *hw, const struct fs_driver *driver, const char *dir_name,
	       struct fs_devices *devices)
{
	struct fs_device *device = &devices->v[devices->n];
	int r = is_file_system(hw, driver, dir_name);

	if (r <= 0)
		return r;
	if (slice_copy(slice_of(dir_name), device->dir_name, sizeof(device->dir_name)) < 0)
		return 0;
	snprintf(device->name, sizeof(device->name), "%s", device->dir_name);
	block_name_of_kobject(device->name);
	snprintf(device->dir, sizeof(device->dir), "%s/%s", driver->dir, device->dir_name);
	devices->n++;
	return 0;
}

static int identify(struct hw *hw, struct fs_devices *devices)
{
	CLEANUP(freep) const char **names = calloc(devices->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(devices->n + 1, sizeof(*identities));

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < devices->n; i++) {
		names[i] = devices->v[i].name;
		identities[i] = devices->v[i].identity;
	}
	return block_identities(hw, names, identities, devices->n, NODE_IDENTITY_MAX);
}

static struct fs_device *find(struct fs_devices *devices, const char *name)
{
	for (size_t i = 0; i < devices->n; i++)
		if (!strcmp(devices->v[i].name, name))
			return &devices->v[i];
	return NULL;
}

/* A part of a file system that is mounted elsewhere is not where it is mounted. */
static void set_mount_point(struct hw *hw, const struct mount *mount, struct fs_devices *devices)
{
	char name[BLOCK_NAME_MAX], point[HW_PATH_MAX];
	struct fs_device *device;

	if (!slice_is(mount->root, "/") || mountinfo_device(hw, mount, name) < 0)
		return;
	device = find(devices, name);
	if (!device || device->mount_point)
		return;
	mountinfo_unescape(mount->mount_point, point, sizeof(point));
	device->mount_point = strdup(point);
}

/* -errno for want of memory or descriptors alone: who may not see them knows none. */
static int find_mount_points(struct hw *hw, const struct fs_driver *driver,
			     struct fs_devices *devices)
{
	CLEANUP(freep) char *text = malloc(MOUNTINFO_MAX_BYTES);
	int r = text ? hw_read(hw, text, MOUNTINFO_MAX_BYTES, "proc/self/mountinfo") : -ENOMEM;
	struct slice rest = {text, r > 0 ? (size_t)r : 0}, line;
	struct mount mount;

	while (slice_line(&rest, &line))
		if (mountinfo_parse(line, &mount) == 0 && is_type_of(driver, mount.fs_type))
			set_mount_point(hw, &mount, devices);
	return is_want(r) ? r : 0;
}

static int find_devices(struct hw *hw, const struct fs_driver *driver, struct fs_devices *ret)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	CLEANUP(fs_devices_done) struct fs_devices devices = {0};
	int r = hw_list(hw, &names, "", "%s", driver->dir);

	if (r < 0)
		return r;
	devices.v = calloc(MIN(names.n, SINK_ROWS_MAX) + 1, sizeof(*devices.v));
	if (!devices.v)
		return -ENOMEM;
	for (size_t i = 0; i < names.n && devices.n < SINK_ROWS_MAX; i++) {
		r = add(hw, driver, names.v[i], &devices);
		if (r < 0)
			return r;
	}
	r = identify(hw, &devices);
	if (r < 0)
		return r;
	r = find_mount_points(hw, driver, &devices);
	if (r < 0)
		return r;
	*ret = devices;
	devices = (struct fs_devices){0};
	return 0;
}

static void report_no_dir(struct hw *hw, struct probe *probe, const struct fs_driver *driver)
{
	/* The driver makes the folder when it starts, also without a mount. */
	struct need need = {driver->option, NULL, OUTCOME_NO_HARDWARE,
			    "mount one, which loads a driver that is a module"};

	if (!hw_exists(hw, "sys/fs"))
		probe_collector(probe, OUTCOME_NO_NODE, advice_no_folder(hw, "mount sysfs on /sys"),
				"there is no /sys/fs");
	else
		reason_option(hw, probe, "", &need, "the %s driver is not loaded (there is no /%s)",
			      driver->name, driver->dir);
}

static void report_none(struct hw *hw, struct probe *probe, const struct fs_driver *driver,
			int error)
{
	if (error == -ENOENT)
		report_no_dir(hw, probe, driver);
	else if (error == -EACCES || error == -EPERM)
		probe_collector(probe, OUTCOME_DENIED, driver->denied_advice,
				"/%s may not be listed", driver->dir);
	else if (error < 0)
		probe_collector(probe, outcome_of_error(error), "", "/%s: %s", driver->dir,
				strerror(-error));
	else
		probe_collector(probe, OUTCOME_NO_HARDWARE, "mount one, and its node appears",
				"no %s file system is mounted", driver->name);
}

static uint64_t mix(uint64_t mark, struct slice part)
{
	for (size_t i = 0; i < part.len; i++)
		mark = (mark ^ (unsigned char)part.p[i]) * 0x100000001b3;
	return mark;
}

/* Of which mount it is, of what and where: options may change without that. */
static uint64_t mix_mount(uint64_t mark, const struct mount *mount)
{
	uint64_t numbers =
		(uint64_t)mount->id << 40 ^ (uint64_t)mount->major << 20 ^ (uint64_t)mount->minor;

	mark = mix(mark, (struct slice){(const char *)&numbers, sizeof(numbers)});
	return mix(mark, mount->mount_point);
}

static int take_mark(struct hw *hw, struct fs_watch *watch, uint64_t *ret)
{
	int r = hw_file_read_grow(hw, &watch->file, &watch->text, &watch->size,
				  MOUNTINFO_MAX_BYTES);
	struct slice rest = {watch->text, r > 0 ? (size_t)r : 0}, line;
	uint64_t mark = 0xcbf29ce484222325;
	struct mount mount;

	if (r < 0)
		return r;
	while (slice_line(&rest, &line))
		if (mountinfo_parse(line, &mount) == 0 && is_type_of(watch->driver, mount.fs_type))
			mark = mix_mount(mark, &mount);
	*ret = mark;
	return 0;
}

int fs_watch_open(struct hw *hw, struct fs_watch *ret, const struct fs_driver *driver)
{
	CLEANUP(fs_watch_close) struct fs_watch watch = {.driver = driver, .size = 16384};
	int r = hw_file_open(hw, &watch.file, "proc/self/mountinfo");

	if (r < 0)
		return r;
	watch.text = malloc(watch.size);
	r = watch.text ? take_mark(hw, &watch, &watch.mark) : -ENOMEM;
	if (r < 0)
		return r;
	*ret = watch;
	watch = (struct fs_watch){0};
	return 0;
}

void fs_watch_close(struct fs_watch *watch)
{
	hw_file_close(&watch->file);
	free(watch->text);
	*watch = (struct fs_watch){0};
}

bool fs_watch_changed(struct hw *hw, struct fs_watch *watch)
{
	uint64_t mark;

	return watch->text && take_mark(hw, watch, &mark) == 0 && mark != watch->mark;
}

int fs_devices_probe(struct hw *hw, struct probe *probe, const struct fs_driver *driver,
		     struct fs_watch *ret_watch, struct fs_devices *ret)
{
	int watched = fs_watch_open(hw, ret_watch, driver);
	int r = is_want(watched) ? watched : find_devices(hw, driver, ret);

	if (r < 0 || !ret->n)
		report_none(hw, probe, driver, r);
	/* The first mount may bring the module, and with it the directory. */
	if (r == -ENOENT && watched >= 0 && probe->items[0].outcome != OUTCOME_NO_OPTION)
		return 0;
	return r;
}
