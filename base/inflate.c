#include "base/inflate.h"

#include <errno.h>
#include <stdbool.h>

#ifdef HAVE_ZLIB

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/macros.h"

#define PIECE_BYTES 4096

static void inflate_endp(z_stream *stream)
{
	inflateEnd(stream);
}

static ssize_t read_some(int fd, void *buf, size_t size)
{
	for (;;) {
		ssize_t n = read(fd, buf, size);

		if (n >= 0)
			return n;
		if (errno != EINTR)
			return -errno;
	}
}

/* Gives out all that can be made of the input that the stream has. Returns 0 for more input, 1 at
 * the end of the text. *ret_taken is what take returned. */
static int inflate_input(z_stream *stream, size_t max_bytes, inflate_take *take, void *arg,
			 int *ret_taken)
{
	unsigned char out[PIECE_BYTES];
	int r;

	do {
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		r = inflate(stream, Z_NO_FLUSH);
		if (r != Z_OK && r != Z_STREAM_END && r != Z_BUF_ERROR)
			return r == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
		if (stream->total_out > max_bytes)
			return -E2BIG;

		size_t len = sizeof(out) - stream->avail_out;

		*ret_taken = len ? take(arg, (const char *)out, len) : 0;
		if (*ret_taken || r == Z_STREAM_END)
			return 1;
	} while (!stream->avail_out);
	return 0;
}

struct source {
	int fd;
	const char *begun; /* comes first */
	size_t len;
};

static ssize_t next_input(struct source *source, unsigned char *in, size_t size)
{
	size_t n = MIN(source->len, size);

	if (!n)
		return read_some(source->fd, in, size);
	memcpy(in, source->begun, n);
	source->begun += n;
	source->len -= n;
	return (ssize_t)n;
}

/* Whether the input that is left has another file. What is none was put behind to fill up. */
static bool begins_anew(z_stream *stream)
{
	return *stream->next_in == 0x1f && inflateReset(stream) == Z_OK;
}

static int inflate_all(z_stream *stream, struct source *source, size_t max_bytes,
		       inflate_take *take, void *arg)
{
	unsigned char in[PIECE_BYTES];
	bool has_ended = false;
	int taken = 0, r;

	for (;;) {
		ssize_t n = next_input(source, in, sizeof(in));

		if (n <= 0)
			return n < 0 ? (int)n : has_ended ? 0 : -EBADMSG;
		stream->next_in = in;
		stream->avail_in = (unsigned)n;
		while (stream->avail_in) {
			if (has_ended && !begins_anew(stream))
				return 0;
			r = inflate_input(stream, max_bytes, take, arg, &taken);
			if (r < 0 || taken)
				return r < 0 ? r : taken;
			has_ended = r;
		}
	}
}

int inflate_rest(int fd, const char *begun, size_t len, size_t max_bytes, inflate_take *take,
		 void *arg)
{
	/* The largest window, and gzip's header instead of zlib's own. */
	static const int window_bits = MAX_WBITS + 16;
	CLEANUP(inflate_endp) z_stream stream = {0};
	struct source source = {fd, begun, len};
	int r = inflateInit2(&stream, window_bits);

	if (r != Z_OK)
		return r == Z_MEM_ERROR ? -ENOMEM : -EOPNOTSUPP;
	return inflate_all(&stream, &source, max_bytes, take, arg);
}

#else

int inflate_rest(int fd, const char *begun, size_t len, size_t max_bytes, inflate_take *take,
		 void *arg)
{
	(void)fd;
	(void)begun;
	(void)len;
	(void)max_bytes;
	(void)take;
	(void)arg;
	return -EOPNOTSUPP;
}

#endif

int inflate_fd(int fd, size_t max_bytes, inflate_take *take, void *arg)
{
	return inflate_rest(fd, NULL, 0, max_bytes, take, arg);
}
