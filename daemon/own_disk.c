#include "daemon/own_disk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "daemon/own_mount.h"
#include "model/block.h"

/* One may lie on another. */
#define OVERLAYS_MAX 4

struct btrfs_devices {
	struct hw *hw;
	const char *name; /* that is looked for */
	int64_t n;        /* of the file system that has it; 0: none has */
};

static int count_device(void *arg, const char *name, bool is_dir)
{
	(void)name;
	(void)is_dir;
	++*(int64_t *)arg;
	return 0;
}

static int look_at_btrfs(void *arg, const char *uuid, bool is_dir)
{
	struct btrfs_devices *devices = arg;

	(void)is_dir;
	if (!hw_exists(devices->hw, "sys/fs/btrfs/%s/devices/%s", uuid, devices->name))
		return 0;
	return hw_each(devices->hw, count_device, &devices->n, "sys/fs/btrfs/%s/devices", uuid);
}

/* Its numbers are anonymous, and one mount may be of many devices, of which the source names one.
 * Kernel: fs/btrfs/sysfs.c */
static int btrfs_device(struct hw *hw, const struct mount *mount, char name[BLOCK_NAME_MAX])
{
	struct btrfs_devices devices = {.hw = hw, .name = name};
	int r = mountinfo_device(hw, mount, name);

	if (!r)
		r = hw_each(hw, look_at_btrfs, &devices, "sys/fs/btrfs");
	return r < 0 || devices.n == 1 ? r : -ENOENT;
}

static int device_in(struct hw *hw, const char *path, const struct mount *mount,
		     char name[BLOCK_NAME_MAX])
{
	CLEANUP(closep) int fd = own_mount_open(path);
	struct stat st;

	if (mount && slice_is(mount->fs_type, "btrfs"))
		return btrfs_device(hw, mount, name);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -ENOENT;
	return block_name_of(hw, major(st.st_dev), minor(st.st_dev), name);
}

/* Of what takes the writes, which of an overlay is a folder elsewhere. */
static int device_of(struct hw *hw, const char *path, char name[BLOCK_NAME_MAX])
{
	char at[PATH_MAX];
	int r = -ELOOP;

	if ((size_t)snprintf(at, sizeof(at), "%s", path) >= sizeof(at))
		return -ENAMETOOLONG;
	for (size_t i = 0; i < OVERLAYS_MAX; i++) {
		struct own_mount mount;
		bool known = own_mount_find(at, &mount) == 0;
		char upper[PATH_MAX];
		bool is_overlay = known && own_mount_upper(&mount.mount, upper);

		if (is_overlay)
			memcpy(at, upper, sizeof(at));
		else
			r = device_in(hw, at, known ? &mount.mount : NULL, name);
		own_mount_done(&mount);
		if (!is_overlay)
			break;
	}
	return r;
}

/* The directory of the whole disk below sys/. */
static int find_dir(struct own_disk *disk, const char *path, char *dir, size_t size)
{
	char name[BLOCK_NAME_MAX];
	int r = device_of(disk->hw, path, name);

	if (r < 0)
		return r;
	block_disk_of(disk->hw, name, disk->name);
	r = block_dir(disk->hw, disk->name, dir, size);
	if (r < 0)
		disk->name[0] = '\0';
	return r;
}

int own_disk_open(const char *path, struct own_disk *ret)
{
	char dir[HW_PATH_MAX];
	int r;

	*ret = (struct own_disk){0};
	r = hw_open("/", &ret->hw);
	if (r < 0 || find_dir(ret, path, dir, sizeof(dir)) < 0)
		return r;
	if (hw_file_open(ret->hw, &ret->stat, "%s/stat", dir) < 0)
		ret->name[0] = '\0';
	ret->has_status = hw_file_open(ret->hw, &ret->runtime_status,
				       "%s/device/power/runtime_status", dir) >= 0;
	return 0;
}

void own_disk_close(struct own_disk *disk)
{
	if (disk->stat.path)
		hw_file_close(&disk->stat);
	if (disk->has_status)
		hw_file_close(&disk->runtime_status);
	hw_close(disk->hw);
	*disk = (struct own_disk){0};
}

/* The columns: reads 0, writes 4, written sectors 6, discards 11, flushes 15; the latter two are
 * not in older kernels. */
static int take_columns(const char *line, struct own_disk_counts *ret)
{
	enum { N_OLD_COLUMNS = 11 };
	struct slice rest = slice_of(line), token;
	int64_t value;
	size_t n = 0;

	*ret = (struct own_disk_counts){0};
	for (; slice_token(&rest, &token); n++) {
		if (n != 0 && n != 4 && n != 6 && n != 11 && n != 15)
			continue;
		if (parse_i64_slice(token, &value) < 0)
			return -EBADMSG;
		if (n == 6)
			ret->written_sectors = value;
		else if (__builtin_add_overflow(ret->n_ios, value, &ret->n_ios))
			return -EBADMSG;
	}
	return n < N_OLD_COLUMNS ? -EBADMSG : 0;
}

int own_disk_read(struct own_disk *disk, struct own_disk_counts *ret)
{
	char line[512];
	int r;

	if (!*disk->name)
		return -ENOENT;
	r = hw_file_read_line(disk->hw, &disk->stat, line, sizeof(line));
	return r < 0 ? r : take_columns(line, ret);
}

int own_disk_sleeps(struct own_disk *disk)
{
	char word[32];
	int r;

	if (!disk->has_status)
		return -ENOENT;
	r = hw_file_read_line(disk->hw, &disk->runtime_status, word, sizeof(word));
	if (r < 0)
		return r;
	if (!strcmp(word, "unsupported"))
		return -ENOENT;
	return !strcmp(word, "suspended");
}
