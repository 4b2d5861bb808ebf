#include "daemon/own_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define UPPER "upperdir="

int own_mount_open(const char *path)
{
	char at[PATH_MAX];

	if ((size_t)snprintf(at, sizeof(at), "%s", path) >= sizeof(at))
		return -ENAMETOOLONG;
	for (;;) {
		int fd = open(at, O_PATH | O_CLOEXEC);

		if (fd >= 0)
			return fd;
		if (errno != ENOENT || !strcmp(at, "/") || !strcmp(at, "."))
			return -errno;

		char *slash = strrchr(at, '/');

		if (!slash)
			memcpy(at, ".", sizeof("."));
		else if (slash == at)
			at[1] = '\0';
		else
			*slash = '\0';
	}
}

static int id_of(int fd, int64_t *ret)
{
	char name[64], line[128];

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);

	CLEANUP(fclosep) FILE *file = fopen(name, "re");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "mnt_id: %" SCNd64, ret) == 1)
			return 0;
	return -ENOENT;
}

int own_mount_read(FILE *table, int64_t id, struct own_mount *ret)
{
	size_t size = 0;
	ssize_t n;

	*ret = (struct own_mount){0};
	while (errno = 0, (n = getline(&ret->line, &size, table)) > 0) {
		struct slice text = {ret->line, (size_t)n - (ret->line[n - 1] == '\n')};

		if (mountinfo_parse(text, &ret->mount) == 0 && ret->mount.id == id)
			return 0;
	}
	n = errno == ENOMEM ? -ENOMEM : -ENOENT;
	own_mount_done(ret);
	return (int)n;
}

int own_mount_find(const char *path, struct own_mount *ret)
{
	CLEANUP(closep) int fd = own_mount_open(path);
	int64_t id;

	*ret = (struct own_mount){0};
	if (fd < 0)
		return fd;
	if (id_of(fd, &id) < 0)
		return -ENOENT;

	CLEANUP(fclosep) FILE *table = fopen("/proc/self/mountinfo", "re");

	return table ? own_mount_read(table, id, ret) : -errno;
}

void own_mount_done(struct own_mount *mount)
{
	free(mount->line);
	*mount = (struct own_mount){0};
}

static bool next_option(struct slice *rest, struct slice *ret)
{
	if (!rest->len)
		return false;
	if (!slice_until(rest, ',', ret)) {
		*ret = *rest;
		rest->len = 0;
	}
	return true;
}

static bool take_upper(struct slice option, char path[PATH_MAX])
{
	const size_t len = strlen(UPPER);

	if (option.len <= len || memcmp(option.p, UPPER, len) != 0)
		return false;
	return mountinfo_unescape((struct slice){option.p + len, option.len - len}, path, PATH_MAX);
}

bool own_mount_upper(const struct mount *mount, char path[PATH_MAX])
{
	struct slice options = mount->super_options, option;

	if (!slice_is(mount->fs_type, "overlay"))
		return false;
	while (next_option(&options, &option))
		if (take_upper(option, path))
			return true;
	return false;
}
