/* Names of a directory without the heap: what is sampled may have ten thousand of them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/hw_facts.h"

#define NAMES_BYTES 8192

/* As the kernel lays them out; the name follows. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
} __attribute__((packed));

#define NAME_AT 19

struct walk {
	int fd;
	int (*visit)(void *arg, const char *name, bool is_dir);
	void *arg;
};

static bool is_directory(int fd, const char *name, uint8_t type)
{
	struct stat st;

	if (type != DT_UNKNOWN)
		return type == DT_DIR;
	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int visit_all(const struct walk *walk, const char *names, size_t len)
{
	int r = 0;

	for (size_t at = 0; at + NAME_AT < len && !r;) {
		struct entry entry;
		const char *name = names + at + NAME_AT;

		memcpy(&entry, names + at, sizeof(entry));
		if (entry.len <= NAME_AT || entry.len > len - at)
			return -EIO;
		at += entry.len;
		if (name[0] != '.')
			r = walk->visit(walk->arg, name, is_directory(walk->fd, name, entry.type));
	}
	return r;
}

int hw_each(struct hw *hw, int (*visit)(void *arg, const char *name, bool is_dir), void *arg,
	    const char *dir_fmt, ...)
{
	char path[HW_PATH_MAX], names[NAMES_BYTES];
	va_list args;

	va_start(args, dir_fmt);
	int len = vsnprintf(path, sizeof(path), dir_fmt, args);

	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;

	CLEANUP(closep) int fd = hw_open_dir(hw, path);
	const struct walk walk = {fd, visit, arg};
	int r = fd < 0 ? fd : 0;

	while (!r) {
		long n = syscall(SYS_getdents64, fd, names, sizeof(names));

		if (n <= 0)
			return n < 0 ? -errno : 0;
		r = visit_all(&walk, names, (size_t)n);
	}
	return r;
}
