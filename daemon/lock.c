#include "daemon/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

#define DIR_MODE  0755
#define FILE_MODE 0644

#define DYING_TRIES   20
#define DYING_MS      100
#define SIGNAL_DIGITS 16 /* of a set of signals in /proc */

static int make_one(const char *dir)
{
	struct stat st;

	if (mkdir(dir, DIR_MODE) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (stat(dir, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

int lock_make_dir(const char *dir)
{
	char path[PATH_MAX];
	int r = slice_copy(slice_of(dir), path, sizeof(path));

	if (r < 0)
		return r;
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		r = make_one(path);
		if (r < 0)
			return r;
		*p = '/';
	}
	return make_one(path);
}

int lock_make_parent(const char *file, bool *ret_made)
{
	char path[PATH_MAX];
	struct stat st;
	int r = slice_copy(slice_of(file), path, sizeof(path));
	char *slash = r < 0 ? NULL : strrchr(path, '/');

	if (r < 0)
		return r;
	if (!slash || slash == path)
		return 0;
	*slash = '\0';

	bool made = stat(path, &st) < 0;

	r = lock_make_dir(path);
	if (r < 0)
		return r;
	*ret_made = made;
	return 0;
}

/* Who holds the lock, as the holder wrote it down. */
static int read_holder(int fd)
{
	char buf[32];
	int64_t pid;
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	if (n <= 0)
		return 0;
	buf[n] = '\0';
	return parse_i64(buf, &pid) < 0 || pid < 1 || pid > INT32_MAX ? 0 : (int)pid;
}

/* A full disk keeps nobody from holding the lock. */
static void write_holder(int fd)
{
	char buf[32];
	int len = snprintf(buf, sizeof(buf), "%d\n", getpid());

	if (ftruncate(fd, 0) < 0 || pwrite(fd, buf, (size_t)len, 0) < 0)
		return;
}

/* Whether SIGKILL waits in a line of /proc/PID/status such as "SigPnd:\t0000000000000100". */
static bool kill_waits(const char *status, const char *name)
{
	const char *mask = strstr(status, name);

	if (!mask || strlen(mask) < strlen(name) + SIGNAL_DIGITS)
		return false;
	return strchr("13579bdf", mask[strlen(name) + SIGNAL_DIGITS - 1 - (SIGKILL - 1) / 4]);
}

/* A process with a thread that the kernel does not let go: the first one has ended, or is to. */
static bool is_dying(int pid)
{
	char path[32], status[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);

	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, status, sizeof(status) - 1);

	if (n < 0)
		return false;
	status[n] = '\0';
	return strstr(status, "\nState:\tZ") || kill_waits(status, "\nSigPnd:\t") ||
	       kill_waits(status, "\nShdPnd:\t");
}

static int lock_fd(int fd, int *ret_pid)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &whole) == 0) {
		write_holder(fd);
		return 0;
	}
	if (errno != EACCES && errno != EAGAIN)
		return -errno;
	*ret_pid = read_holder(fd);
	return *ret_pid && is_dying(*ret_pid) ? -EOWNERDEAD : -EBUSY;
}

/* The folder may be of a user who gave the name to a file of somebody else: root would clear it. */
static int look_at_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && st.st_nlink == 1 ? 0 : -ELOOP;
}

int lock_take(const char *path, int *ret_fd, int *ret_pid)
{
	const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, flags, FILE_MODE);

	if (fd < 0)
		return -errno;

	int r = look_at_file(fd);

	if (r == 0)
		r = lock_fd(fd, ret_pid);

	/* Most that are dying are dead in a moment. */
	for (int i = 0; r == -EOWNERDEAD && i < DYING_TRIES; i++) {
		usleep(DYING_MS * 1000);
		r = lock_fd(fd, ret_pid);
	}
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

int lock_take_over(const char *path, int *ret_fd, int *ret_pid)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	return lock_take(path, ret_fd, ret_pid);
}
