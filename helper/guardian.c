#include "helper/guardian.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "sampling/schedule.h"

#define AGAIN_FIRST_MS 1000
#define AGAIN_MAX_MS   60000
#define LOOK_MS        200
#define STOP_LOOK_MS   20

static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return 0;
}

static bool is_told_to_stop(int stop_fd, int timeout_ms)
{
	struct pollfd fd = {.fd = stop_fd, .events = POLLIN};

	return poll(&fd, 1, timeout_ms) > 0;
}

/* Until the helper ends, which a stop asks it to do; returns its wait status. */
static int watch(pid_t pid, int stop_fd, int socket_fd, bool *ret_stopping)
{
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (*ret_stopping) {
			usleep(STOP_LOOK_MS * 1000);
		} else if (is_told_to_stop(stop_fd, LOOK_MS)) {
			*ret_stopping = kill(pid, SIGTERM) == 0;
			close(socket_fd);
		}
	}
	return status;
}

static void tell_end(int status)
{
	if (WIFSIGNALED(status))
		log_error("the helper was ended by signal %d; another one is started",
			  WTERMSIG(status));
	else
		log_error("the helper ended with status %d; another one is started",
			  WEXITSTATUS(status));
}

int guardian_split(int stop_fd, int socket_fd)
{
	struct backoff backoff = {0};
	bool stopping = false;

	for (;;) {
		pid_t pid = start();

		if (pid <= 0)
			return pid < 0 ? -errno : 0;

		int status = watch(pid, stop_fd, socket_fd, &stopping);

		if (stopping)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
		tell_end(status);
		backoff_fail(&backoff, 0, AGAIN_FIRST_MS, AGAIN_MAX_MS);
		if (is_told_to_stop(stop_fd, (int)backoff.wait_ms))
			_exit(EXIT_SUCCESS);
	}
}
