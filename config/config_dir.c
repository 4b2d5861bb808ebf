/* The folder of files beside a configuration, for packages and machines that add to it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config.h"
#include "config/plain_file.h"

#define SUFFIX          ".conf"
#define ENTRIES_MAX     4096 /* of the folder, whatever their names */
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.@+"

struct names {
	char *names[CONFIG_DIR_FILES_MAX];
	size_t n;
	bool strange; /* there are more, which are no names for a file of ours */
};

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->names[i]);
}

static bool is_wanted(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > strlen(SUFFIX) &&
	       !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

/* An error is a line for a person, so nothing of a strange name gets into it but its letters. */
static void complain_of_name(struct config *config, const char *dir, const char *name)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%.*s", (int)sizeof(shown) - 1, name);
	for (char *p = shown; *(p += strspn(p, NAME_CHARACTERS)); p++)
		*p = '?';
	config_complain(config,
			"%s: the name %s has other characters than letters, digits and -_.@+", dir,
			shown);
}

static int add_name(struct config *config, const char *dir, struct names *names, const char *name)
{
	if (!is_wanted(name))
		return 0;
	if (name[strspn(name, NAME_CHARACTERS)]) {
		complain_of_name(config, dir, name);
		names->strange = true;
		return 0;
	}
	if (names->n == CONFIG_DIR_FILES_MAX) {
		config_complain(config, "%s: more than %d files", dir, CONFIG_DIR_FILES_MAX);
		return -EINVAL;
	}
	names->names[names->n] = strdup(name);
	if (!names->names[names->n])
		return -ENOMEM;
	names->n++;
	return 0;
}

static int list(struct config *config, const char *path, DIR *dir, struct names *names)
{
	const struct dirent *entry;
	int r = 0;

	for (size_t n = 0; r == 0 && (entry = readdir(dir)); n++) {
		if (n == ENTRIES_MAX) {
			config_complain(config, "%s: more than %d entries", path, ENTRIES_MAX);
			return -EINVAL;
		}
		r = add_name(config, path, names, entry->d_name);
	}
	return r == 0 && names->strange ? -EINVAL : r;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_one(struct config *config, const char *dir, int dir_fd, const char *name)
{
	CLEANUP(fclosep) FILE *file = NULL;
	CLEANUP(freep) char *path = NULL;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	r = plain_file_open(dir_fd, name, &file);
	if (r < 0) {
		config_complain(config, "%s: %s", path, plain_file_problem(r));
		return r;
	}
	return config_read(config, file, path);
}

int config_read_dir(struct config *config, const char *path)
{
	CLEANUP(names_done) struct names names = {.n = 0};
	CLEANUP(closedirp) DIR *dir = opendir(path);
	int r, first = 0;

	if (!dir && errno == ENOENT)
		return 0;
	if (!dir) {
		r = -errno;
		config_complain(config, "%s: %s", path, strerror(-r));
		return r;
	}
	first = list(config, path, dir, &names);
	qsort(names.names, names.n, sizeof(names.names[0]), by_bytes);
	for (size_t i = 0; i < names.n; i++) {
		r = read_one(config, path, dirfd(dir), names.names[i]);
		if (first == 0)
			first = r;
	}
	return first;
}
