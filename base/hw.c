#include "base/hw.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hw_command.h"
#include "base/hw_facts.h"
#include "base/hw_memory.h"
#include "base/hw_switch.h"
#include "base/hw_tree.h"
#include "base/parse.h"

#define ESCAPE_TRIES 10000

/* What is avoided has an error that no device gives, so that nobody takes it for an answer. */
#define AVOIDED (-ETIME)

struct hw {
	int root_fd;
	bool live;
	char root[PATH_MAX];  /* resolved, without a slash at its end; "" is this machine */
	struct hw_tree *tree; /* NULL on this machine */
	char *at;             /* see hw_watch() */
	int64_t *at_ms;
	void (*trace)(void *arg, const char *path, bool contents); /* see hw_trace() */
	void *trace_arg;
	struct hw_names avoided;
	struct hw_facts facts;
	struct hw_memories memories;
	struct hw_commander commander;
	struct hw_switcher switcher;
};

/* Opens a path of a tree, whose links stay inside of it. */
static int open_in_tree(const struct hw *hw, const char *path, int flags)
{
	struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_IN_ROOT};
	long fd = -1;

	/* A rename or mount anywhere in the system while a ".." is walked makes this EAGAIN: the
	 * kernel cannot say then whether the path left the tree. */
	errno = EAGAIN;
	for (unsigned i = 0; i < ESCAPE_TRIES && fd < 0 && errno == EAGAIN; i++)
		fd = syscall(SYS_openat2, hw->root_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

/* Old filters refuse what they do not know with EPERM. */
static int open_tree(struct hw *hw)
{
	CLEANUP(closep) int fd = open_in_tree(hw, ".", O_PATH | O_CLOEXEC);

	if (fd < 0)
		return fd == -EPERM ? -ENOSYS : fd;
	return hw_tree_load(hw->root_fd, &hw->tree);
}

int hw_open(const char *root, struct hw **ret)
{
	CLEANUP(hw_closep) struct hw *hw = calloc(1, sizeof(*hw));

	if (!hw)
		return -ENOMEM;
	hw->root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (hw->root_fd < 0)
		return -errno;
	if (!realpath(root, hw->root))
		return -errno;
	hw->live = !strcmp(hw->root, "/");
	if (hw->live)
		hw->root[0] = '\0';

	int r = hw->live ? 0 : open_tree(hw);

	if (r < 0)
		return r;
	*ret = hw;
	hw = NULL;
	return 0;
}

const char *hw_open_problem(int error)
{
	if (error == -ENOSYS)
		return "a recorded tree needs the system call openat2: Linux 5.6, and a seccomp "
		       "filter that lets it pass";
	return strerror(error < 0 ? -error : error);
}

void hw_close(struct hw *hw)
{
	if (!hw)
		return;
	hw_tree_free(hw->tree);
	hw_names_done(&hw->avoided);
	hw_memories_done(&hw->memories);
	closep(&hw->root_fd);
	free(hw);
}

void hw_closep(struct hw **hw)
{
	hw_close(*hw);
}

bool hw_is_live(const struct hw *hw)
{
	return hw->live;
}

struct hw_facts *hw_facts_of(struct hw *hw)
{
	return &hw->facts;
}

struct hw_memories *hw_memories_of(struct hw *hw)
{
	return &hw->memories;
}

struct hw_switcher *hw_switcher_of(struct hw *hw)
{
	return &hw->switcher;
}

struct hw_commander *hw_commander_of(struct hw *hw)
{
	return &hw->commander;
}

void hw_watch(struct hw *hw, char *at, int64_t *at_ms)
{
	hw->at = at;
	hw->at_ms = at_ms;
}

void hw_trace(struct hw *hw, void (*trace)(void *arg, const char *path, bool contents), void *arg)
{
	hw->trace = trace;
	hw->trace_arg = arg;
}

static void touch(struct hw *hw, const char *path, bool contents)
{
	if (hw->trace)
		hw->trace(hw->trace_arg, path, contents);
	if (!hw->at)
		return;
	memcpy(hw->at, path, MIN(strlen(path) + 1, HW_PATH_MAX));
	*hw->at_ms = clock_boot_ms();
}

void hw_at(struct hw *hw, const char *path)
{
	touch(hw, path, true);
}

static bool is_avoided(const struct hw *hw, const char *path)
{
	for (size_t i = 0; i < hw->avoided.n; i++) {
		const char *avoided = hw->avoided.v[i];
		size_t len = strlen(avoided);
		bool below = len && avoided[len - 1] == '/';

		if (below ? !strncmp(path, avoided, len) : !strcmp(path, avoided))
			return true;
	}
	return false;
}

/* Opens a path below the root. O_NONBLOCK so that a FIFO or a device node in a strange tree does
 * not hold the caller. */
static int open_at(struct hw *hw, const char *path, int flags)
{
	if (is_avoided(hw, path))
		return AVOIDED;
	touch(hw, path, !(flags & (O_PATH | O_DIRECTORY)));
	/* openat2 refuses flags that make no sense with O_PATH. */
	flags |= flags & O_PATH ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	if (hw->live) {
		int fd = openat(hw->root_fd, path, flags);

		return fd < 0 ? -errno : fd;
	}

	return open_in_tree(hw, path, flags);
}

/* What the links of a path lead to, relative to the root. */
static int real_path(struct hw *hw, const char *path, char *buf, size_t size)
{
	CLEANUP(closep) int fd = open_at(hw, path, O_PATH);
	char link[64], target[PATH_MAX];

	if (fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);

	ssize_t len = readlink(link, target, sizeof(target) - 1);
	size_t root_len = strlen(hw->root);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (strncmp(target, hw->root, root_len) != 0 || target[root_len] != '/')
		return -EXDEV;
	return slice_copy(slice_of(target + root_len + 1), buf, size);
}

/* A tree may name a file by the path that is read or by the one that its links lead to. */
static int planned_error(struct hw *hw, const char *path)
{
	char real[HW_PATH_MAX];

	if (!hw->tree)
		return 0;

	int planned = hw_tree_error(hw->tree, path);

	if (planned || real_path(hw, path, real, sizeof(real)) < 0)
		return planned;
	return hw_tree_error(hw->tree, real);
}

/* Reads from offset 0 to the end; files of /proc give a page or so at a time. */
static int pread_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = pread(fd, buf + len, size - len, (off_t)len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	if (len == size)
		return -E2BIG;
	buf[len] = '\0';
	return (int)len;
}

/* Cuts newline and blanks at the end. Returns the new length or -ENODATA. */
static int trim_line(char *buf, int len)
{
	while (len > 0 && isspace((unsigned char)buf[len - 1]))
		len--;
	buf[len] = '\0';
	return len ? len : -ENODATA;
}

/* The one integer of an attribute; a NUL in it is no end, but makes it none. */
static int parse_attribute(const char *buf, int len, int64_t *ret)
{
	struct slice slice = {buf, (size_t)len};

	while (slice.len && isspace((unsigned char)slice.p[slice.len - 1]))
		slice.len--;
	return slice.len ? parse_i64_slice(slice, ret) : -ENODATA;
}

static int read_path(struct hw *hw, char *buf, size_t size, const char *path)
{
	int planned = planned_error(hw, path);

	if (planned < 0)
		return planned;

	CLEANUP(closep) int fd = open_at(hw, path, O_RDONLY);

	if (fd < 0)
		return fd;
	if (planned) {
		buf[0] = '\0';
		return 0;
	}
	return pread_all(fd, buf, size);
}

int hw_open_fd(struct hw *hw, const char *path)
{
	int planned = planned_error(hw, path);

	if (planned)
		return planned < 0 ? planned : -ENODATA;
	return open_at(hw, path, O_RDONLY);
}

int hw_open_dir(struct hw *hw, const char *path)
{
	return open_at(hw, path, O_RDONLY | O_DIRECTORY);
}

int hw_open_log(struct hw *hw)
{
	return hw_open_fd(hw, "dev/kmsg");
}

int hw_open_record(struct hw *hw, const char *path)
{
	return hw_open_fd(hw, path);
}

PRINTF_LIKE(2, 0) static int format_path(char path[HW_PATH_MAX], const char *fmt, va_list args)
{
	int len = vsnprintf(path, HW_PATH_MAX, fmt, args);

	return len < 0 || len >= HW_PATH_MAX ? -ENAMETOOLONG : 0;
}

/* Formats the caller's path into the local array path, or returns from the caller. */
#define PATH_FROM_ARGS(path, fmt)                                                                  \
	char path[HW_PATH_MAX];                                                                    \
	va_list path_args;                                                                         \
	va_start(path_args, fmt);                                                                  \
	int path_r = format_path(path, fmt, path_args);                                            \
	va_end(path_args);                                                                         \
	if (path_r < 0)                                                                            \
	return path_r

int hw_read(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);
	return read_path(hw, buf, size, path);
}

int hw_read_line(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...)
{
	buf[0] = '\0';
	PATH_FROM_ARGS(path, path_fmt);

	int r = read_path(hw, buf, size, path);

	/* A part of what was too long has no end. */
	if (r < 0)
		buf[0] = '\0';
	return r < 0 ? r : trim_line(buf, r);
}

int hw_read_i64(struct hw *hw, int64_t *ret, const char *path_fmt, ...)
{
	char buf[128];

	PATH_FROM_ARGS(path, path_fmt);

	int r = read_path(hw, buf, sizeof(buf), path);

	return r < 0 ? r : parse_attribute(buf, r, ret);
}

static int look(struct hw *hw, const char *path)
{
	CLEANUP(closep) int fd = open_at(hw, path, O_PATH);

	return fd >= 0 || fd == AVOIDED ? 0 : fd;
}

int hw_look(struct hw *hw, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);

	return look(hw, path);
}

bool hw_exists(struct hw *hw, const char *path_fmt, ...)
{
	char path[HW_PATH_MAX];
	va_list args;

	va_start(args, path_fmt);
	int r = format_path(path, path_fmt, args);
	va_end(args);
	return r == 0 && look(hw, path) == 0;
}

int hw_readable(struct hw *hw, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);

	CLEANUP(closep) int fd = open_at(hw, path, O_RDONLY);
	int planned = planned_error(hw, path);

	if (fd < 0)
		return fd;
	return planned < 0 ? planned : 0;
}

int hw_real_path(struct hw *hw, char *buf, size_t size, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);

	return real_path(hw, path, buf, size);
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct hw_names *names, const char *name)
{
	if (names->n >= HW_NAMES_MAX)
		return -E2BIG;
	if (names->n % 64 == 0) {
		char **grown = realloc(names->v, (names->n + 64) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		names->v = grown;
	}

	char *copy = strdup(name);

	if (!copy)
		return -ENOMEM;
	names->v[names->n++] = copy;
	return 0;
}

int hw_avoid(struct hw *hw, const char *path)
{
	return is_avoided(hw, path) ? 0 : add_name(&hw->avoided, path);
}

static int list_names(DIR *dir, const char *prefix, struct hw_names *names)
{
	size_t prefix_len = strlen(prefix);

	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.' || strncmp(e->d_name, prefix, prefix_len) != 0)
			continue;

		int r = add_name(names, e->d_name);

		if (r < 0)
			return r;
	}
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_number);
	return 0;
}

int hw_list(struct hw *hw, struct hw_names *ret, const char *prefix, const char *dir_fmt, ...)
{
	PATH_FROM_ARGS(path, dir_fmt);

	int fd = open_at(hw, path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;

	CLEANUP(closedirp) DIR *dir = fdopendir(fd);

	if (!dir) {
		close(fd);
		return -ENOMEM;
	}

	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = list_names(dir, prefix, &names);

	if (r < 0)
		return r;
	*ret = names;
	names = (struct hw_names){0};
	return 0;
}

void hw_names_done(struct hw_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct hw_names){0};
}

int hw_file_open(struct hw *hw, struct hw_file *ret, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);

	int fd = open_at(hw, path, O_RDONLY);
	int planned = fd == AVOIDED ? fd : planned_error(hw, path);

	if (fd < 0 && fd != AVOIDED)
		return fd;

	char *copy = strdup(path);

	if (!copy) {
		closep(&fd);
		return -ENOMEM;
	}
	*ret = (struct hw_file){copy, fd, planned};
	return 0;
}

int hw_file_later(struct hw_file *ret, const char *path_fmt, ...)
{
	PATH_FROM_ARGS(path, path_fmt);

	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	*ret = (struct hw_file){copy, -1, 0};
	return 0;
}

void hw_file_close(struct hw_file *file)
{
	if (file->path)
		closep(&file->fd);
	free(file->path);
	*file = (struct hw_file){0};
}

static int file_reopen(struct hw *hw, struct hw_file *file)
{
	closep(&file->fd);
	file->fd = -1;

	int fd = open_at(hw, file->path, O_RDONLY);

	if (fd < 0)
		return fd;
	file->fd = fd;
	return 0;
}

/* An attribute of sysfs comes whole in one read, so a second one to see its end is saved. */
static int pread_once(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size, 0);

	if (n < 0)
		return -errno;
	if ((size_t)n == size)
		return -E2BIG;
	buf[n] = '\0';
	return (int)n;
}

static int file_read(struct hw *hw, struct hw_file *file, char *buf, size_t size,
		     int (*read_fd)(int fd, char *buf, size_t size))
{
	if (!file->path)
		return -ENOENT;
	if (file->planned_error < 0)
		return file->planned_error;
	if (file->planned_error > 0) {
		buf[0] = '\0';
		return 0;
	}

	int r = file->fd < 0 ? file_reopen(hw, file) : 0;

	if (r < 0)
		return r;
	touch(hw, file->path, true);
	r = read_fd(file->fd, buf, size);
	if (r != -ENODEV)
		return r;
	r = file_reopen(hw, file);
	return r < 0 ? -ENODEV : read_fd(file->fd, buf, size);
}

int hw_file_read(struct hw *hw, struct hw_file *file, char *buf, size_t size)
{
	return file_read(hw, file, buf, size, pread_all);
}

int hw_file_read_grow(struct hw *hw, struct hw_file *file, char **buf, size_t *size,
		      size_t max_bytes)
{
	for (;;) {
		int r = hw_file_read(hw, file, *buf, *size);

		if (r != -E2BIG || *size >= max_bytes)
			return r;

		size_t wanted = MIN(*size * 2, max_bytes);
		char *grown = realloc(*buf, wanted);

		if (!grown)
			return -ENOMEM;
		*buf = grown;
		*size = wanted;
	}
}

int hw_file_read_line(struct hw *hw, struct hw_file *file, char *buf, size_t size)
{
	int r = file_read(hw, file, buf, size, pread_once);

	return r < 0 ? r : trim_line(buf, r);
}

int hw_file_read_i64(struct hw *hw, struct hw_file *file, int64_t *ret)
{
	char buf[128];
	int r = file_read(hw, file, buf, sizeof(buf), pread_once);

	return r < 0 ? r : parse_attribute(buf, r, ret);
}

int hw_space(struct hw *hw, const char *mount_point, struct hw_space *ret)
{
	struct statvfs s;

	if (hw->tree)
		return hw_tree_space(hw->tree, mount_point, ret);
	if (is_avoided(hw, mount_point))
		return AVOIDED;
	touch(hw, mount_point, true);
	if (statvfs(mount_point, &s) < 0)
		return -errno;
	*ret = (struct hw_space){s.f_frsize, s.f_blocks, s.f_bfree,
				 s.f_bavail, s.f_files,  s.f_ffree};
	return 0;
}

int hw_boot_id(struct hw *hw, char buf[HW_BOOT_ID_MAX])
{
	return MIN(0, hw_read_line(hw, buf, HW_BOOT_ID_MAX, "proc/sys/kernel/random/boot_id"));
}

int hw_boot_ms(struct hw *hw, int64_t *ret_ms)
{
	char buf[128];
	struct slice rest, uptime;

	if (hw->live) {
		*ret_ms = clock_boot_ms();
		return 0;
	}

	int r = hw_read_line(hw, buf, sizeof(buf), "proc/uptime");

	if (r < 0)
		return r;
	rest = slice_of(buf);
	return slice_token(&rest, &uptime) ? parse_fixed_slice(uptime, 3, ret_ms) : -EINVAL;
}

int hw_asleep_ms(struct hw *hw, int64_t *ret_ms)
{
	if (!hw->live)
		return -ENOENT;
	*ret_ms = clock_asleep_ms();
	return 0;
}
