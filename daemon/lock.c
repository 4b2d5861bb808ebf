#include "daemon/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/process.h"

#define DIR_MODE  0755
#define FILE_MODE 0644

#define DYING_TRIES 20
#define DYING_MS    100

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
	return *ret_pid && process_is_dying(*ret_pid) ? -EOWNERDEAD : -EBUSY;
}

/* The folder may be of a user who gave the name to a file of somebody else: root would clear it. */
static int look_at_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && st.st_nlink == 1 ? 0 : -ELOOP;
}

/* Whoever takes over replaces the file: what was locked may have no name any more. */
static bool has_name(int fd, const char *path)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
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
	if (r == 0 && !has_name(fd, path))
		r = -EBUSY;
	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

/* One at a time, by a lock of the folder: a second one would unlink the new file of the first. */
static int lock_folder(const char *path)
{
	char dir[PATH_MAX];
	int r = slice_copy(slice_of(path), dir, sizeof(dir));
	char *slash = r < 0 ? NULL : strrchr(dir, '/');

	if (r < 0)
		return r;
	if (slash)
		slash[slash == dir] = '\0';

	int fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; fd >= 0 && i < DYING_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		usleep(DYING_MS * 1000);
	}
	r = fd < 0 ? -errno : -EBUSY;
	closep(&fd);
	return r;
}

int lock_take_over(const char *path, int *ret_fd, int *ret_pid)
{
	CLEANUP(closep) int folder = lock_folder(path);
	int r;

	if (folder < 0)
		return folder;
	r = lock_take(path, ret_fd, ret_pid);
	if (r != -EOWNERDEAD)
		return r;
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	return lock_take(path, ret_fd, ret_pid);
}
