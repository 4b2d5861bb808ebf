#include "base/passed_sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/parse.h"

static int read_variables(void)
{
	const char *pid_text = getenv("LISTEN_PID"), *n_text = getenv("LISTEN_FDS");
	int64_t pid, n;

	if (!pid_text || !n_text)
		return 0;
	if (parse_i64(pid_text, &pid) < 0 || parse_i64(n_text, &n) < 0 || n < 0)
		return -EINVAL;
	if (pid != getpid())
		return 0;
	return n > PASSED_SOCKETS_MAX ? -E2BIG : (int)n;
}

int passed_sockets_take(void)
{
	int n = read_variables();

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	for (int i = 0; i < n; i++)
		if (fcntl(PASSED_SOCKETS_FIRST + i, F_SETFD, FD_CLOEXEC) < 0)
			return -errno;
	return n;
}
