#include "model/ring_log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOG_HEAD_BYTES 8 /* of a record in it: length and sum */

static const uint8_t mark[4] = {'f', 's', 0xf5, 0x7e}; /* no text has it */

_Static_assert(RING_LOG_HEAD_BYTES == sizeof(mark) + sizeof(uint32_t), "mark and key");

void ring_log_origin(struct ring_log_origin *ret, const char *boot_id, int64_t digest)
{
	*ret = (struct ring_log_origin){.digest = digest};
	snprintf(ret->boot_id, sizeof(ret->boot_id), "%s", boot_id);
}

/* Of the record's length and sum as well: what looks like a mark is told without a look at all that
 * would belong to it. */
static uint32_t key_of(const struct ring_log_origin *origin, const uint8_t *record)
{
	uint8_t bytes[sizeof(origin->digest) + sizeof(origin->boot_id) + LOG_HEAD_BYTES];

	memcpy(bytes, &origin->digest, sizeof(origin->digest));
	memcpy(bytes + sizeof(origin->digest), origin->boot_id, sizeof(origin->boot_id));
	memcpy(bytes + sizeof(bytes) - LOG_HEAD_BYTES, record, LOG_HEAD_BYTES);
	return tick_log_sum(bytes, sizeof(bytes));
}

/* ---- writing */

void ring_log_begin(struct ring_log_writer *writer, const struct ring_log_origin *origin)
{
	writer->origin = *origin;
	writer->log.buf = writer->buf + RING_LOG_HEAD_BYTES;
	writer->len = 0;
}

void ring_log_seal(uint8_t *bytes, const struct ring_log_origin *origin)
{
	uint32_t key = key_of(origin, bytes + RING_LOG_HEAD_BYTES);

	memcpy(bytes, mark, sizeof(mark));
	memcpy(bytes + sizeof(mark), &key, sizeof(key));
}

static int seal(struct ring_log_writer *w, int made)
{
	w->len = 0;
	if (made < 0)
		return made;
	if (w->log.len > RING_LOG_RECORD_MAX - RING_LOG_HEAD_BYTES)
		return -E2BIG;
	ring_log_seal(w->buf, &w->origin);
	w->len = RING_LOG_HEAD_BYTES + w->log.len;
	return 0;
}

int ring_log_tick(struct ring_log_writer *w, size_t group, int64_t t_ms, int64_t late_ms,
		  int64_t step_ms, const struct sink *sink)
{
	tick_log_begin(&w->log);
	return seal(w, tick_log_tick(&w->log, group, t_ms, late_ms, step_ms, sink));
}

int ring_log_event(struct ring_log_writer *w, const struct event *event)
{
	tick_log_begin(&w->log);
	return seal(w, tick_log_event(&w->log, event));
}

int ring_log_gone(struct ring_log_writer *w, const char *collector, const char *node, int64_t t_ms)
{
	tick_log_begin(&w->log);
	return seal(w, tick_log_gone(&w->log, collector, node, t_ms));
}

/* ---- reading */

void ring_log_open(struct ring_log_reader *reader, const struct ring_log_origin *origin,
		   const uint8_t *bytes, size_t len)
{
	reader->origin = *origin;
	reader->bytes = bytes;
	reader->len = len;
	reader->at = 0;
}

/* Goes to the next mark; false: there is none that a record could stand behind. */
static bool find_mark(struct ring_log_reader *r)
{
	const uint8_t *p;

	if (r->at >= r->len)
		return false;
	p = memmem(r->bytes + r->at, r->len - r->at, mark, sizeof(mark));
	if (!p)
		return false;
	r->at = (size_t)(p - r->bytes);
	return r->len - r->at >= RING_LOG_HEAD_BYTES + LOG_HEAD_BYTES;
}

/* The length of the record at the mark with what is in front of it, 0: it is none of this origin,
 * or its end is missing. Whether its bytes are right is seen when it is read. */
static size_t record_bytes(const struct ring_log_reader *r)
{
	const uint8_t *record = r->bytes + r->at + RING_LOG_HEAD_BYTES;
	uint32_t key, len;

	memcpy(&key, r->bytes + r->at + sizeof(mark), sizeof(key));
	memcpy(&len, record, sizeof(len));
	if (len > RING_LOG_RECORD_MAX - RING_LOG_HEAD_BYTES - LOG_HEAD_BYTES ||
	    len > r->len - r->at - RING_LOG_HEAD_BYTES - LOG_HEAD_BYTES ||
	    key != key_of(&r->origin, record))
		return 0;
	return RING_LOG_HEAD_BYTES + LOG_HEAD_BYTES + len;
}

int ring_log_next(struct ring_log_reader *r, const struct catalog *catalog, int64_t max_ms,
		  struct sink *sink, struct tick_log_item *ret)
{
	for (; find_mark(r); r->at++) {
		size_t len = record_bytes(r);

		if (!len)
			continue;
		tick_log_open(&r->log, r->bytes + r->at + RING_LOG_HEAD_BYTES,
			      len - RING_LOG_HEAD_BYTES);
		if (tick_log_next(&r->log, catalog, max_ms, sink, ret) != 1)
			continue;
		r->at += len;
		return 1;
	}
	r->at = r->len;
	return 0;
}
