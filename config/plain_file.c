#include "config/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

int plain_file_open(int dir_fd, const char *name, FILE **ret)
{
	CLEANUP(closep) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret = fdopen(fd, "r");
	if (!*ret)
		return -errno;
	fd = -1;
	return 0;
}

const char *plain_file_problem(int r)
{
	return r == -EINVAL ? "no plain file" : strerror(-r);
}
