/* One request on its way to its answer, free of the HTTP library. What may have to wait for a disk
 * is made by a worker, piece by piece; while it is at it, the exchange belongs to it alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/api.h"
#include "daemon/request.h"
#include "daemon/worker.h"

struct exchange {
	struct job job; /* first, so that the job is the exchange */
	struct api *api;
	struct worker *worker;
	void (*done)(struct exchange *exchange); /* the worker gives it back, on its thread */
	struct request request;
	char body[REQUEST_BODY_MAX_BYTES];
	struct answer answer;
	bool by_worker; /* it makes the answer, reads its stream and releases it */
	bool answered;
	/* What the worker has read of the stream. */
	char *piece;
	size_t piece_at;
	ssize_t piece_len; /* 0 at the end, -errno */
};

/* Appends to the body of the request. */
void exchange_take_body(struct exchange *exchange, const char *data, size_t len);

/* Whether the worker is to make the answer (exchange_make()). If not, it is there already. */
bool exchange_wants_worker(struct exchange *exchange);

/* Lets the worker make the answer; done() is called when it is there. */
void exchange_make(struct exchange *exchange);

/* Copies from the stream of the answer. Returns the length, 0 at the end, -errno; -EAGAIN when the
 * worker has to read first (exchange_read()). */
ssize_t exchange_copy(struct exchange *exchange, char *buf, size_t max);

/* Lets the worker read the next piece of the stream; done() is called when it is there. */
void exchange_read(struct exchange *exchange);

/* Releases and frees, on the thread that made the answer. */
void exchange_free(struct exchange *exchange);
