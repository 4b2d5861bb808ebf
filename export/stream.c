#include "export/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_BUFFER_BYTES (2 * STREAM_PIECE_MAX + 1)

struct stream {
	int (*step)(void *self, struct text *out);
	void (*free_self)(void *self);
	void *self;
	int state;    /* of the last step */
	size_t taken; /* of what the buffer holds */
	struct text text;
	char buf[STREAM_BUFFER_BYTES];
};

int stream_new(int (*step)(void *self, struct text *out), void (*free_self)(void *self), void *self,
	       struct stream **ret)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		if (free_self)
			free_self(self);
		return -ENOMEM;
	}
	stream->step = step;
	stream->free_self = free_self;
	stream->self = self;
	stream->state = 1;
	stream->text = TEXT_IN(stream->buf);
	*ret = stream;
	return 0;
}

void stream_close(struct stream *stream)
{
	if (!stream)
		return;
	if (stream->free_self)
		stream->free_self(stream->self);
	free(stream);
}

void stream_closep(struct stream **stream)
{
	stream_close(*stream);
}

/* Pieces go into the buffer as long as there is room for one more. */
static void fill(struct stream *stream)
{
	text_reset(&stream->text);
	stream->taken = 0;
	while (stream->state > 0 && stream->text.len + STREAM_PIECE_MAX < stream->text.size)
		stream->state = stream->step(stream->self, &stream->text);
	/* A step that wrote more than its piece has spoilt the document. */
	if (stream->text.truncated)
		stream->state = -EOVERFLOW;
}

ssize_t stream_read(struct stream *stream, char *buf, size_t max)
{
	if (stream->taken == stream->text.len && stream->state > 0)
		fill(stream);
	if (stream->state < 0)
		return stream->state;

	size_t n = MIN(max, stream->text.len - stream->taken);

	memcpy(buf, stream->text.p + stream->taken, n);
	stream->taken += n;
	return (ssize_t)n;
}
