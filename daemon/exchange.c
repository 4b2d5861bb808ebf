#include "daemon/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (16 * 1024)

void exchange_take_body(struct exchange *exchange, const char *data, size_t len)
{
	struct request *request = &exchange->request;

	if (len > sizeof(exchange->body) - request->body_len) {
		request->body_too_long = true;
		return;
	}
	memcpy(exchange->body + request->body_len, data, len);
	request->body_len += len;
}

/* A worker that hangs is left alone: the disk that it waits for would hold up everybody behind it.
 */
bool exchange_wants_worker(struct exchange *exchange)
{
	bool waits =
		api_may_wait(&exchange->request) && api_admits(exchange->api, &exchange->request);
	int64_t busy_ms = waits ? worker_busy_ms(exchange->worker) : 0;

	exchange->by_worker = waits && busy_ms <= API_DISK_HANGS_MS;
	if (!waits)
		api_handle(exchange->api, &exchange->request, &exchange->answer);
	else if (!exchange->by_worker)
		api_disk_hangs(&exchange->answer, busy_ms);
	return exchange->by_worker;
}

static void read_piece(struct exchange *exchange)
{
	if (!exchange->piece)
		exchange->piece = malloc(PIECE_BYTES);
	exchange->piece_at = 0;
	exchange->piece_len =
		exchange->piece ? stream_read(exchange->answer.stream, exchange->piece, PIECE_BYTES)
				: -ENOMEM;
}

static void run_make(struct job *job)
{
	struct exchange *exchange = (struct exchange *)job;

	api_handle(exchange->api, &exchange->request, &exchange->answer);
	if (exchange->answer.stream)
		read_piece(exchange);
	exchange->answered = true;
	exchange->done(exchange);
}

static void run_read(struct job *job)
{
	struct exchange *exchange = (struct exchange *)job;

	read_piece(exchange);
	exchange->done(exchange);
}

static void run_free(struct job *job)
{
	struct exchange *exchange = (struct exchange *)job;

	answer_done(&exchange->answer);
	free(exchange->piece);
	free(exchange);
}

void exchange_make(struct exchange *exchange)
{
	exchange->job.run = run_make;
	worker_give(exchange->worker, &exchange->job);
}

void exchange_read(struct exchange *exchange)
{
	exchange->job.run = run_read;
	worker_give(exchange->worker, &exchange->job);
}

ssize_t exchange_copy(struct exchange *exchange, char *buf, size_t max)
{
	if (!exchange->by_worker)
		return stream_read(exchange->answer.stream, buf, max);
	if (exchange->piece_len <= 0)
		return exchange->piece_len;

	size_t n = MIN((size_t)exchange->piece_len - exchange->piece_at, max);

	if (!n)
		return -EAGAIN;
	memcpy(buf, exchange->piece + exchange->piece_at, n);
	exchange->piece_at += n;
	return (ssize_t)n;
}

/* The worker's connection to the file is what its streams read through. */
void exchange_free(struct exchange *exchange)
{
	exchange->job.run = run_free;
	if (exchange->by_worker)
		worker_give(exchange->worker, &exchange->job);
	else
		run_free(&exchange->job);
}
