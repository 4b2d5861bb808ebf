/* One daemon for each database and each runtime folder. */
#pragma once

#include <stddef.h>

#include <stdbool.h>

#include "base/macros.h"

/* Makes a folder and the folders above it that are missing. 0 or -errno. */
int lock_make_dir(const char *dir);
/* The same for the folder that a file shall stand in. */
int lock_make_parent(const char *file, bool *ret_made);

/* Locks path, a file of its own that is made when missing and has the id of the process that holds
 * it, for the life of the process; *ret_fd stays open. The lock belongs to this opening of the
 * file: other code of the process may open and close it without losing the lock. A child has to
 * close the descriptor, or it holds the lock as well. -EBUSY when another process has it, with its
 * id in *ret_pid, 0 when it is not known; -ELOOP, and nothing is written, when it is a link, has
 * another name (a hard link) or is no file; -EOWNERDEAD when that one was killed and only waits for
 * the kernel to let it go, as a process does whose disk hangs. */
MUST_CHECK int lock_take(const char *path, int *ret_fd, int *ret_pid);

/* After -EOWNERDEAD: locks a new file in the place of the old one. */
MUST_CHECK int lock_take_over(const char *path, int *ret_fd, int *ret_pid);
