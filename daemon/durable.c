#include "daemon/durable.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

bool durable_is_memory(const char *path)
{
	char dir[PATH_MAX];
	struct statfs fs;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return false;
	for (;;) {
		if (statfs(dir, &fs) == 0)
			return (unsigned long)fs.f_type == TMPFS_MAGIC ||
			       (unsigned long)fs.f_type == RAMFS_MAGIC;
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
