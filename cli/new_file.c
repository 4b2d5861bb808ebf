#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

int new_file_begin(struct new_file *file, const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		return -EEXIST;
	if ((size_t)snprintf(file->part, sizeof(file->part), "%s.part-XXXXXX", path) >=
	    sizeof(file->part))
		return -ENAMETOOLONG;
	file->fd = mkostemp(file->part, O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	file->path = path;
	return 0;
}

int new_file_write(struct new_file *file, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(file->fd, p, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* Without it the name may be lost with the power. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[NEW_FILE_PATH_MAX] = ".";
	CLEANUP(closep) int fd = -1;

	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path + 1), path);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
}

/* A link does not replace what is there; where there are none, nobody but the check of before has
 * looked. */
static int give_name(const struct new_file *file)
{
	struct stat st;

	if (link(file->part, file->path) == 0) {
		unlink(file->part);
		return 0;
	}
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EACCES)
		return -errno;
	if (lstat(file->path, &st) == 0)
		return -EEXIST;
	return rename(file->part, file->path) < 0 ? -errno : 0;
}

int new_file_keep(struct new_file *file)
{
	int r = fsync(file->fd) < 0 ? -errno : give_name(file);

	if (r < 0)
		return r;
	sync_folder(file->path);
	close(file->fd);
	file->fd = -1;
	file->path = NULL;
	return 0;
}

void new_file_drop(struct new_file *file)
{
	if (!file->path)
		return;
	unlink(file->part);
	close(file->fd);
	file->fd = -1;
	file->path = NULL;
}
