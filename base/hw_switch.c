#include "base/hw_switch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

void hw_switch_to(struct hw *hw, int (*write)(void *arg, const char *path, const char *value),
		  void *arg)
{
	*hw_switcher_of(hw) = (struct hw_switcher){write, arg};
}

/* Kernels before 5.6 have no openat2; filters older than it refuse it with EPERM. */
static int open_real(const char *path)
{
	const int flags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW;
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_SYMLINKS};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = open(path, flags);
	return fd < 0 ? -errno : (int)fd;
}

int hw_switch(struct hw *hw, const char *value, const char *path_fmt, ...)
{
	const struct hw_switcher *switcher = hw_switcher_of(hw);
	char path[HW_PATH_MAX] = "/";
	va_list args;
	int n;

	va_start(args, path_fmt);
	n = vsnprintf(path + 1, sizeof(path) - 1, path_fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(path) - 1)
		return -ENAMETOOLONG;
	if (switcher->write)
		return switcher->write(switcher->arg, path + 1, value);
	if (!hw_is_live(hw))
		return -EROFS;

	CLEANUP(closep) int fd = open_real(path);

	if (fd < 0)
		return fd;
	return write(fd, value, strlen(value)) < 0 ? -errno : 0;
}
