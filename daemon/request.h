/* A request and its answer, free of the HTTP library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/macros.h"
#include "export/doc.h"
#include "export/stream.h"

#define REQUEST_PARAMS_MAX     16
#define REQUEST_BODY_MAX_BYTES 4096

struct request_param {
	const char *name, *value;
};

struct request {
	const char *method, *path;
	const char *host;          /* the Host header, "" without one */
	bool needs_host;           /* HTTP/1.1; the library's own check writes its header twice */
	bool local;                /* came over a Unix socket */
	bool elsewhere;            /* came to an address that others than this machine can reach */
	const char *authorization; /* that header, "" without one */
	struct request_param params[REQUEST_PARAMS_MAX];
	size_t n_params;
	bool bad_params; /* too many, or one with a NUL byte */
	const char *body;
	size_t body_len;
	bool body_too_long;
};

/* The value of a parameter, "" when it was not given. */
const char *request_param(const struct request *request, const char *name);

/* A document, whole or streamed. */
struct answer {
	unsigned status;
	const char *type;         /* constant */
	const char *allow;        /* of a 405, constant; else NULL */
	const char *authenticate; /* of a 401, constant; else NULL */
	const char *retry_after;  /* in seconds, constant; NULL: nobody knows when */
	char *body;               /* owned; NULL with a stream */
	size_t len;
	struct stream *stream;   /* owned */
	int64_t stream_bytes;    /* its length; 0: not known before its end */
	void (*release)(void *); /* called with source after the stream was closed */
	void *source;
};

/* Takes the document over; an error in it turns the answer into a problem. */
void answer_doc(struct answer *answer, struct doc *doc);

/* Replaces the answer by a problem. parameter may be "". */
PRINTF_LIKE(4, 5)
void answer_problem(struct answer *answer, unsigned status, const char *parameter,
		    const char *detail_fmt, ...);

/* A short plain text; copied. */
void answer_text(struct answer *answer, const char *type, const char *text, size_t len);

void answer_done(struct answer *answer);
