#include "daemon/durable.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "model/mountinfo.h"

#define UPPER "upperdir="

static bool next_option(struct slice *rest, struct slice *ret)
{
	if (!rest->len)
		return false;
	if (!slice_until(rest, ',', ret)) {
		*ret = *rest;
		rest->len = 0;
	}
	return true;
}

static bool take_upper(struct slice option, char path[PATH_MAX])
{
	const size_t len = strlen(UPPER);

	if (option.len <= len || memcmp(option.p, UPPER, len) != 0)
		return false;
	return mountinfo_unescape((struct slice){option.p + len, option.len - len}, path, PATH_MAX);
}

/* Of the overlay that is mounted with this device number. */
static bool find_upper(dev_t dev, char path[PATH_MAX])
{
	CLEANUP(fclosep) FILE *file = fopen("/proc/self/mountinfo", "re");
	CLEANUP(freep) char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while (file && (n = getline(&line, &size, file)) > 0) {
		struct slice text = {line, (size_t)n - (line[n - 1] == '\n')}, option;
		struct mount mount;

		if (mountinfo_parse(text, &mount) < 0 || mount.major != major(dev) ||
		    mount.minor != minor(dev) || !slice_is(mount.fs_type, "overlay"))
			continue;
		while (next_option(&mount.super_options, &option))
			if (take_upper(option, path))
				return true;
	}
	return false;
}

static bool is_memory(const char *dir, const struct statfs *fs)
{
	unsigned long type = (unsigned long)fs->f_type;
	struct statfs upper;
	struct stat st;
	char path[PATH_MAX];

	if (type == OVERLAYFS_SUPER_MAGIC && stat(dir, &st) == 0 && find_upper(st.st_dev, path) &&
	    statfs(path, &upper) == 0)
		type = (unsigned long)upper.f_type;
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

bool durable_is_memory(const char *path)
{
	char dir[PATH_MAX];
	struct statfs fs;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return false;
	for (;;) {
		if (statfs(dir, &fs) == 0)
			return is_memory(dir, &fs);
		if (errno != ENOENT)
			return false;

		char *slash = strrchr(dir, '/');

		if (!slash)
			memcpy(dir, ".", sizeof("."));
		else if (slash == dir)
			dir[1] = '\0';
		else
			*slash = '\0';
	}
}
