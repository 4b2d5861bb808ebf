#include "helper/guardian.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "sampling/schedule.h"

#define AGAIN_FIRST_MS 1000
#define AGAIN_MAX_MS   60000
#define LIVED_MS       60000 /* one that lived longer has not failed at its start */

/* A descriptor with input once a child has ended, so that nothing is looked at for nothing. */
static int open_child_fd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static pid_t start(void)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t set;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 0;
}

/* What tells the guardian to stop. */
struct stops {
	int stop_fd, lifeline_fd;
};

/* Waits for a stop or, where child_fd is not -1, for the end of a child. Returns whether it is a
 * stop. */
static bool await(const struct stops *stops, int child_fd, int timeout_ms)
{
	struct pollfd fds[] = {{.fd = stops->stop_fd, .events = POLLIN},
			       {.fd = stops->lifeline_fd, .events = POLLIN},
			       {.fd = child_fd, .events = POLLIN}};
	struct signalfd_siginfo info;

	if (poll(fds, ARRAY_SIZE(fds), timeout_ms) <= 0)
		return false;
	while (fds[2].revents && read(child_fd, &info, sizeof(info)) > 0)
		;
	return fds[0].revents || fds[1].revents;
}

/* Until the helper ends, which a stop asks it to do; returns its wait status. */
static int watch(pid_t pid, int child_fd, struct stops *stops, int socket_fd, bool *ret_stopping)
{
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!await(stops, child_fd, -1))
			continue;
		/* It has said so; from here on only the child's end counts. */
		*stops = (struct stops){-1, -1};
		*ret_stopping = true;
		kill(pid, SIGTERM);
		close(socket_fd);
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

int guardian_split(int stop_fd, int socket_fd, int lifeline_fd)
{
	struct stops stops = {stop_fd, lifeline_fd};
	struct backoff backoff = {0};
	int child_fd = open_child_fd();
	bool stopping = false;

	if (child_fd < 0)
		return -errno;
	for (;;) {
		int64_t since_ms = clock_boot_ms();
		pid_t pid = start();

		if (pid <= 0)
			return pid < 0 ? -errno : 0;

		int status = watch(pid, child_fd, &stops, socket_fd, &stopping);

		if (stopping)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
		tell_end(status);
		if (clock_boot_ms() - since_ms > LIVED_MS)
			backoff_reset(&backoff);
		backoff_fail(&backoff, 0, AGAIN_FIRST_MS, AGAIN_MAX_MS);
		if (await(&stops, -1, (int)backoff.wait_ms))
			_exit(EXIT_SUCCESS);
	}
}
