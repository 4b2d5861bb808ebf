/* A file that appears under its name when it is complete: until then it lies beside it, under the
 * name with .part-XXXXXX. */
#pragma once

#include <stddef.h>

#include "base/macros.h"

#define NEW_FILE_PATH_MAX 4096

struct new_file {
	const char *path; /* NULL: none */
	char part[NEW_FILE_PATH_MAX];
	int fd;
};

#define NEW_FILE_NONE                                                                              \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* -EEXIST when there is something under the name already; -errno. path must live on. */
MUST_CHECK int new_file_begin(struct new_file *file, const char *path);
MUST_CHECK int new_file_write(struct new_file *file, const char *p, size_t len);

/* Has the disk keep it, and gives it its name. -EEXIST when somebody else was faster; -errno. */
MUST_CHECK int new_file_keep(struct new_file *file);

/* Removes what was begun and not kept. */
void new_file_drop(struct new_file *file);
