/* A log is read piece by piece: one of a serial console may have gigabytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/kernel_log.h"

#define PIECE_BYTES (256 * 1024)

static int keep(struct kernel_log *log, const struct incident *incident)
{
	if (log->n == KERNEL_LOG_INCIDENTS_MAX) {
		memmove(log->closed, log->closed + 1, (log->n - 1) * sizeof(*log->closed));
		log->n--;
		log->dropped++;
	}
	if (log->n == log->alloc) {
		size_t alloc = log->alloc ? 2 * log->alloc : 16;
		struct incident *closed = reallocarray(log->closed, alloc, sizeof(*closed));

		if (!closed)
			return -ENOMEM;
		log->closed = closed;
		log->alloc = alloc;
	}
	log->closed[log->n++] = *incident;
	return 0;
}

static int keep_closed(struct kernel_log *log)
{
	const struct incident *incident;
	int r = 0;

	while (r == 0 && (incident = incidents_changed(log->table)))
		if (!incident->is_open)
			r = keep(log, incident);
	return r;
}

static int take_messages(struct kernel_log *log, struct slice text)
{
	struct kernel_message message;
	struct incidents_taken taken;
	int r = 0;

	while (r == 0 && kernel_message_next(&text, &message)) {
		log_links_take(&log->links, &message);
		incidents_take(log->table, &message, &taken);
		if (log->shows_lines)
			kernel_log_print_line(&message, &taken);
		r = keep_closed(log);
	}
	return r;
}

/* How much of it is whole messages: up to the last line behind which no blank stands, since lines
 * that begin with one may belong to the line before. All of it when that is nothing. */
static size_t whole_bytes(const char *p, size_t len, bool is_full)
{
	for (size_t n = len; n > 1; n--)
		if (p[n - 2] == '\n' && p[n - 1] != ' ')
			return n - 1;
	return is_full ? len : 0;
}

/* Those of several boots stand in one log: numbers go on where the clock begins anew. */
static int by_beginning(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

int kernel_log_read(struct kernel_log *log, FILE *in)
{
	CLEANUP(freep) char *buf = malloc(PIECE_BYTES);
	size_t len = 0, n;
	int r = buf ? 0 : -ENOMEM;

	while (r == 0 && (n = fread(buf + len, 1, PIECE_BYTES - len, in)) > 0) {
		size_t whole;

		len += n;
		whole = whole_bytes(buf, len, len == PIECE_BYTES);
		r = take_messages(log, (struct slice){buf, whole});
		memmove(buf, buf + whole, len - whole);
		len -= whole;
	}
	if (r == 0 && ferror(in))
		r = errno ? -errno : -EIO;
	if (r == 0)
		r = take_messages(log, (struct slice){buf, len});
	incidents_close(log->table);
	if (r == 0)
		r = keep_closed(log);
	if (log->n)
		qsort(log->closed, log->n, sizeof(*log->closed), by_beginning);
	return r;
}

void kernel_log_done(struct kernel_log *log)
{
	incidents_free(log->table);
	free(log->closed);
}
