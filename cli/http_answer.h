/* An answer of HTTP/1.1 (RFC 9112) to a GET or POST, parsed while it comes. Its body is measured by
 * Content-Length, by chunks, or ends with the connection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define HTTP_LINE_MAX  4096
#define HTTP_LINES_MAX 256 /* of the head, and of what stands behind the last chunk */

enum http_state {
	HTTP_STATUS_LINE,
	HTTP_HEADER,
	HTTP_BODY,      /* of a known length */
	HTTP_BODY_OPEN, /* up to the end of the connection */
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK,
	HTTP_CHUNK_END,
	HTTP_TRAILER,
	HTTP_COMPLETE,
};

struct http_answer {
	enum http_state state;
	long status; /* 0 until it is known */
	bool chunked, has_length;
	int64_t left; /* bytes of the body or of the chunk that are still to come */
	char line[HTTP_LINE_MAX];
	size_t line_len, n_lines;
	int (*data)(void *arg, long status, const char *p, size_t len);
	void *arg;
};

void http_answer_init(struct http_answer *answer,
		      int (*data)(void *arg, long status, const char *p, size_t len), void *arg);

/* Takes what has come; parts of the body go to data. 0, -EBADMSG for what is no such answer, or
 * what data has returned. */
MUST_CHECK int http_answer_feed(struct http_answer *answer, const char *p, size_t len);

static inline bool http_answer_is_complete(const struct http_answer *answer)
{
	return answer->state == HTTP_COMPLETE;
}

/* The connection has ended. 0, or -EBADMSG when the answer is not complete. */
MUST_CHECK int http_answer_end(struct http_answer *answer);
