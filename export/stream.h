/* A document that is written while it is read: in bounded pieces, with bounded memory.
 *
 * A piece is at most STREAM_PIECE_MAX bytes. The reader may take any number of bytes at a time, so
 * a callback of an HTTP server is one line, and a command writes to a file with a loop. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/macros.h"
#include "base/text.h"

#define STREAM_PIECE_MAX 8192

struct stream;

/* Fills up to max bytes. Returns their number, 0 when the document is complete, or the error of its
 * source (-errno); the document is then not to be used. */
MUST_CHECK ssize_t stream_read(struct stream *stream, char *buf, size_t max);

/* Closes the document; the sources that it reads from belong to the caller. NULL is allowed. */
void stream_close(struct stream *stream);
void stream_closep(struct stream **stream);

/* For the writers of documents. step appends one piece of at most STREAM_PIECE_MAX bytes (it may be
 * empty) and returns 1 when more comes, 0 when the document is complete, or -errno. The stream owns
 * self from here on, also when this fails: free_self releases it (NULL for none). */
MUST_CHECK int stream_new(int (*step)(void *self, struct text *out), void (*free_self)(void *self),
			  void *self, struct stream **ret);
