#include "sampling/lane.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/descriptors.h"

#define CHILD_FD 3

/* Keeps the socket, which becomes CHILD_FD, and stderr for what a library has to say when it dies.
 * A lane that hangs must not hold somebody's pipe open. */
static int keep_only(int fd)
{
	int r, null_fd = open("/dev/null", O_RDWR);

	if (null_fd >= 0) {
		dup2(null_fd, STDIN_FILENO);
		dup2(null_fd, STDOUT_FILENO);
	}
	r = descriptors_move(fd, CHILD_FD);
	if (r < 0)
		return r;
	descriptors_close_from(CHILD_FD + 1);
	return 0;
}

/* Of all privileges, only the one to read what others may not; for commands those that the kernel
 * asks for with one to NVMe (SYS_ADMIN), eMMC or ATA (SYS_RAWIO); for processes the one that it
 * asks for with the account of another's (SYS_PTRACE). Failure is no harm: then there was nothing
 * to give up. */
static void drop_privileges(const struct lane_config *config)
{
	uint64_t kept = CAPABILITY(CAP_DAC_READ_SEARCH);

	if (config->commands)
		kept |= CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_SYS_RAWIO);
	if (config->processes)
		kept |= CAPABILITY(CAP_SYS_PTRACE);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	(void)capability_keep(kept);
}

/* A stop of the daemon reaches the lane by the end of its socket; the signals of a terminal or a
 * service manager would end it before. */
static void set_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static void run_child(const struct lane_config *config, int fd, pid_t parent,
		      struct lane_place *place)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "flashscope-lane");
	if (getppid() != parent || keep_only(fd) < 0)
		_exit(1);
	set_signals();
	drop_privileges(config);
	_exit(lane_child_run(config, CHILD_FD, place));
}

/* A lane that goes mad spoils what it has itself, and nothing of another one. */
static pid_t fork_with(const struct lane_config *config)
{
	pid_t pid;
	int error;

	if (config->memory)
		madvise(config->memory, config->memory_bytes, MADV_DOFORK);
	pid = fork();
	error = errno;
	if (config->memory && pid)
		madvise(config->memory, config->memory_bytes, MADV_DONTFORK);
	errno = error;
	return pid;
}

int lane_start(const struct lane_config *config, struct lane *ret)
{
	struct lane_place *place = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid;
	int fds[2], r;

	if (place == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0) {
		r = -errno;
		munmap(place, sizeof(*place));
		return r;
	}
	place->collector = -1;
	pid = fork_with(config);
	if (pid == 0)
		run_child(config, fds[1], parent, place);
	r = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (r == 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	*ret = (struct lane){.pid = MAX(pid, 0), .fd = fds[0], .place = place};
	if (r < 0) {
		lane_leave(ret);
		return r;
	}
	return 0;
}

void lane_leave(struct lane *lane)
{
	if (lane->fd >= 0)
		close(lane->fd);
	if (lane->place)
		munmap(lane->place, sizeof(*lane->place));
	*lane = (struct lane){.fd = -1};
}

bool lane_reap(pid_t pid)
{
	pid_t r = waitpid(pid, NULL, WNOHANG);

	return r == pid || (r < 0 && errno == ECHILD);
}
