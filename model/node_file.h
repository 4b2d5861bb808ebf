/* A file of a node that may be missing or refused: opened by a probe, read again and again by the
 * samples, which get the error of the open where there is one. Want of descriptors (EMFILE, ENFILE)
 * passes and says nothing about the file, so then it is opened by a sample. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"

struct node_file {
	struct hw_file file;
	int error; /* of the open; -ENOENT: there is no such file */
};

/* A file that is not there, to begin with. Owns nothing. */
extern const struct node_file node_file_none;

/* The errors of hw_file_open(), but not want of descriptors. */
PRINTF_LIKE(3, 4)
void node_file_open(struct hw *hw, struct node_file *ret, const char *path_fmt, ...);
/* Also for one that is zero-initialised. */
void node_file_close(struct node_file *file);

/* As hw_file_read() and so on, or the error of the open. Allocate nothing. */
int node_file_read(struct hw *hw, struct node_file *file, char *buf, size_t size);
int node_file_read_line(struct hw *hw, struct node_file *file, char *buf, size_t size);
int node_file_read_i64(struct hw *hw, struct node_file *file, int64_t *ret);

/* Whether it is there, as far as is known. */
bool node_file_exists(const struct node_file *file);

/* Whether it may not be read; a recorded tree lets it be opened, and has the error for the read. */
bool node_file_is_denied(const struct node_file *file);

/* Whether an error says that there was no descriptor for a file. */
bool is_want_of_descriptors(int error);

/* Whether a search has to fail with this error of a look at one path: for want of descriptors or
 * memory nothing was seen, which must not pass for nothing being there. */
bool is_want(int error);

/* The same for the error of a listing, which hides all that it would have named: 0 for what is not
 * there (ENOENT, ENOTDIR, ENODEV), cannot be reached by any try (ELOOP, ENAMETOOLONG), may not be
 * seen (EACCES, EPERM), is avoided (ETIME) or timed out (ETIMEDOUT), else the error. */
int search_error(int error);
