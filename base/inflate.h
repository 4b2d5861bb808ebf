/* A gzip file taken apart piece by piece, so that memory does not depend on what is in it. */
#pragma once

#include <stddef.h>

#include "base/macros.h"

/* Takes a piece of the text. Anything but 0 ends the reading. */
typedef int inflate_take(void *arg, const char *piece, size_t len);

/* Inflates the file behind fd, from its offset on, and calls take with each piece. A file may be
 * several that were put one behind the other. Returns 0 at the end of the file, what take returned,
 * or -EBADMSG (no gzip, damaged, or cut off), -E2BIG (more than max_bytes of text), -EOPNOTSUPP
 * (built without zlib), -ENOMEM, or the errno of read. Pieces that came before an error are not
 * checked against the sum at the end of the file. */
MUST_CHECK int inflate_fd(int fd, size_t max_bytes, inflate_take *take, void *arg);

/* The same of a file of which the first len bytes were read already, as of a pipe. */
MUST_CHECK int inflate_rest(int fd, const char *begun, size_t len, size_t max_bytes,
			    inflate_take *take, void *arg);
