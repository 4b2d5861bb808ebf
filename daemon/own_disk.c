#include "daemon/own_disk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"

static int device_of(const char *path, dev_t *ret)
{
	char folder[4096];
	struct stat st;

	if ((size_t)snprintf(folder, sizeof(folder), "%s", path) >= sizeof(folder))
		return -ENAMETOOLONG;
	while (stat(folder, &st) < 0) {
		char *slash = strrchr(folder, '/');

		if (!slash)
			snprintf(folder, sizeof(folder), ".");
		else if (slash == folder)
			folder[1] = '\0';
		else
			*slash = '\0';
	}
	*ret = st.st_dev;
	return 0;
}

/* The directory of the whole disk below sys/. */
static int find_dir(struct own_disk *disk, dev_t dev, char *dir, size_t size)
{
	char name[BLOCK_NAME_MAX];
	int r = block_name_of(disk->hw, major(dev), minor(dev), name);

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
	dev_t dev;
	int r;

	*ret = (struct own_disk){0};
	r = hw_open("/", &ret->hw);
	if (r < 0 || device_of(path, &dev) < 0 || find_dir(ret, dev, dir, sizeof(dir)) < 0)
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
