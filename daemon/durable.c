#include "daemon/durable.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "daemon/own_mount.h"

/* f_type of the folder that takes what is written to an overlay; that of an overlay when it cannot
 * be told. */
static unsigned long type_of_upper(const char *path)
{
	struct own_mount mount;
	struct statfs fs = {.f_type = OVERLAYFS_SUPER_MAGIC};
	char upper[PATH_MAX];

	if (own_mount_find(path, &mount) < 0)
		return OVERLAYFS_SUPER_MAGIC;
	if (own_mount_upper(&mount.mount, upper) && statfs(upper, &fs) < 0)
		fs.f_type = OVERLAYFS_SUPER_MAGIC;
	own_mount_done(&mount);
	return (unsigned long)fs.f_type;
}

bool durable_is_memory(const char *path)
{
	CLEANUP(closep) int fd = own_mount_open(path);
	struct statfs fs;
	unsigned long type;

	if (fd < 0 || fstatfs(fd, &fs) < 0)
		return false;
	type = (unsigned long)fs.f_type;
	if (type == OVERLAYFS_SUPER_MAGIC)
		type = type_of_upper(path);
	return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}
