#include "base/hw_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "base/parse.h"

struct planned_error {
	char *path;
	int error;
};

struct recorded_space {
	char *mount_point;
	struct hw_space space;
};

struct hw_tree {
	struct planned_error *errors;
	size_t n_errors;
	struct recorded_space *spaces;
	size_t n_spaces;
};

#define TREE_ENTRIES_MAX    4096
#define TREE_FILE_BYTES_MAX (4 * 1024 * 1024)

void hw_tree_free(struct hw_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->n_errors; i++)
		free(tree->errors[i].path);
	for (size_t i = 0; i < tree->n_spaces; i++)
		free(tree->spaces[i].mount_point);
	free(tree->errors);
	free(tree->spaces);
	free(tree);
}

static void tree_freep(struct hw_tree **tree)
{
	hw_tree_free(*tree);
}

/* path <TAB> operation <TAB> errno name; an unknown name is "no data". */
static int add_error(struct hw_tree *tree, char *line)
{
	char *operation = strchr(line, '\t'),
	     *name = operation ? strchr(operation + 1, '\t') : NULL;

	if (!name || tree->n_errors >= TREE_ENTRIES_MAX)
		return -EINVAL;
	*operation = '\0';
	name++;

	struct planned_error *grown =
		realloc(tree->errors, (tree->n_errors + 1) * sizeof(*tree->errors));

	if (!grown)
		return -ENOMEM;
	tree->errors = grown;

	int value = errno_value(name);
	char *path = strdup(line);

	if (!path)
		return -ENOMEM;
	tree->errors[tree->n_errors++] = (struct planned_error){path, value ? -value : 1};
	return 0;
}

static int parse_u64(struct slice *rest, uint64_t *ret)
{
	struct slice token;
	int64_t value;
	int r = slice_token(rest, &token) ? parse_i64_slice(token, &value) : -EINVAL;

	if (r < 0 || value < 0)
		return -EINVAL;
	*ret = (uint64_t)value;
	return 0;
}

/* Undoes the octal escapes of mountinfo in place. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* A line that is no record stands for no record: the space of that mount is then unknown. */
static int add_space(struct hw_tree *tree, char *line)
{
	struct slice rest = slice_of(line), mount_point, extra;
	struct hw_space s;

	if (!slice_token(&rest, &mount_point) || parse_u64(&rest, &s.fragment_bytes) < 0 ||
	    parse_u64(&rest, &s.blocks) < 0 || parse_u64(&rest, &s.free_blocks) < 0 ||
	    parse_u64(&rest, &s.available_blocks) < 0 || parse_u64(&rest, &s.inodes) < 0 ||
	    parse_u64(&rest, &s.free_inodes) < 0 || slice_token(&rest, &extra) ||
	    tree->n_spaces >= TREE_ENTRIES_MAX)
		return 0;

	struct recorded_space *grown =
		realloc(tree->spaces, (tree->n_spaces + 1) * sizeof(*tree->spaces));

	if (!grown)
		return -ENOMEM;
	tree->spaces = grown;

	char *copy = strndup(mount_point.p, mount_point.len);

	if (!copy)
		return -ENOMEM;
	unescape(copy);
	tree->spaces[tree->n_spaces++] = (struct recorded_space){copy, s};
	return 0;
}

/* A strange tree may have a FIFO there, or a file without an end. */
static int open_lines(int root_fd, const char *name, FILE **ret)
{
	CLEANUP(closep) int fd = openat(root_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > TREE_FILE_BYTES_MAX)
		return -EFBIG;
	*ret = fdopen(fd, "r");
	if (!*ret)
		return -ENOMEM;
	fd = -1;
	return 0;
}

static int load_lines(struct hw_tree *tree, int root_fd, const char *name,
		      int (*add)(struct hw_tree *, char *))
{
	CLEANUP(freep) char *line = NULL;
	CLEANUP(fclosep) FILE *file = NULL;
	size_t size = 0;
	int r = open_lines(root_fd, name, &file);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!line[0] || line[0] == '#')
			continue;

		r = add(tree, line);
		if (r < 0)
			return r;
	}
	return 0;
}

int hw_tree_load(int root_fd, struct hw_tree **ret)
{
	CLEANUP(tree_freep) struct hw_tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -ENOMEM;

	int r = load_lines(tree, root_fd, "ERRORS", add_error);

	if (r < 0)
		return r;
	r = load_lines(tree, root_fd, "STATVFS", add_space);
	if (r < 0)
		return r;
	*ret = tree;
	tree = NULL;
	return 0;
}

int hw_tree_error(const struct hw_tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->n_errors; i++)
		if (!strcmp(tree->errors[i].path, path))
			return tree->errors[i].error;
	return 0;
}

int hw_tree_space(const struct hw_tree *tree, const char *mount_point, struct hw_space *ret)
{
	for (size_t i = 0; i < tree->n_spaces; i++) {
		if (strcmp(tree->spaces[i].mount_point, mount_point))
			continue;
		*ret = tree->spaces[i].space;
		return 0;
	}
	return -ENODATA;
}
