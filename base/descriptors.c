#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OLD_FDS_LIMIT 1024

/* dup2() of a descriptor to itself does nothing, so it would be closed by exec(). */
int descriptors_move(int fd, int to)
{
	int r = fd == to ? fcntl(fd, F_SETFD, 0) : dup2(fd, to);

	return r < 0 ? -errno : 0;
}

/* By number, since the function of libc is younger than what it runs on. */
void descriptors_close_from(int first)
{
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
	for (int i = first; i < OLD_FDS_LIMIT; i++)
		close(i);
}
