#include "base/hw_command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hw_facts.h"
#include "base/macros.h"
#include "base/parse.h"

/* What the C library takes: POSIX says int. */
#ifdef __GLIBC__
typedef unsigned long ioctl_request;
#else
typedef int ioctl_request;
#endif

void hw_command_to(struct hw *hw, int (*issue)(void *arg, const struct hw_command *command),
		   void *arg)
{
	*hw_commander_of(hw) = (struct hw_commander){issue, arg};
}

/* 0 when an open node has the number that sysfs gives its device ("241:0"). */
static int check_device(struct hw *hw, int fd, const char *dir)
{
	char text[32], own[32];
	struct stat st;
	int r = hw_read_line(hw, text, sizeof(text), "%s/dev", dir);

	if (r < 0)
		return r == -ENOENT ? -ENODEV : r;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		return -ENODEV;
	snprintf(own, sizeof(own), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return slice_is(slice_of(text), own) ? 0 : -ENODEV;
}

/* Android has the block devices in a folder of their own. Returns a descriptor or -errno. */
static int open_node(struct hw *hw, const char *node, char *path, size_t size)
{
	static const char *const folders[] = {"dev", "dev/block"};
	int fd = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(folders) && fd == -ENOENT; i++) {
		int n = snprintf(path, size, "%s/%s", folders[i], node);

		fd = n < 0 || (size_t)n >= size ? -ENAMETOOLONG : hw_open_fd(hw, path);
	}
	return fd;
}

int hw_command(struct hw *hw, const struct hw_command *command)
{
	const struct hw_commander *commander = hw_commander_of(hw);
	char path[HW_PATH_MAX];

	if (commander->issue)
		return commander->issue(commander->arg, command);
	if (!hw_is_live(hw))
		return -EOPNOTSUPP;

	CLEANUP(closep) int fd = open_node(hw, command->node, path, sizeof(path));

	if (fd < 0)
		return fd;

	int r = check_device(hw, fd, command->dir);

	if (r < 0)
		return r;
	hw_at(hw, path);
	r = ioctl(fd, (ioctl_request)command->request, command->data);
	return r < 0 ? -errno : r;
}

/* A FIFO or a device in a strange tree is no record, and a folder is none either. */
static int open_record(struct hw *hw, const char *path)
{
	CLEANUP(closep) int fd = hw_open_fd(hw, path);
	struct stat st;
	int r = fd;

	if (fd < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EBADFD;
	fd = -1;
	return r;
}

int hw_command_record(struct hw *hw, void *buf, size_t size, const char *path_fmt, ...)
{
	char path[HW_PATH_MAX], *to = buf;
	size_t len = 0;
	va_list args;
	int n;

	va_start(args, path_fmt);
	n = vsnprintf(path, sizeof(path), path_fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;

	CLEANUP(closep) int fd = open_record(hw, path);

	if (fd < 0)
		return fd;
	while (len < size) {
		ssize_t got = read(fd, to + len, size - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (int)len;
}
