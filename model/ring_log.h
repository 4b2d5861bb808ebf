/* Ticks, events and nodes that went, for a ring of bytes that keeps its newest part only and may be
 * shared with others: /dev/pmsg0 of pstore, which is there again after a warm restart.
 *
 * A record is a mark, a key, and one record of a log of ticks (model/tick_log.h) that begins with
 * it: so each can be read alone, whatever was written over before it or cut off behind it. The key
 * is made of the boot and the field tables, and of head and length, so what another boot or another
 * program wrote is not taken for this one's. The bytes are foreign to who reads them.
 *
 * Kernel: fs/pstore/pmsg.c: one write() stands in one piece in the ring; one that is longer
 * than the ring loses its beginning, so none may be. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/tick_log.h"

#define RING_LOG_HEAD_BYTES 8
#define RING_LOG_RECORD_MAX 16384 /* a ring is rarely smaller; a longer record is not made */

/* Whose records: of one boot, made by the same field tables. */
struct ring_log_origin {
	int64_t digest;
	char boot_id[40]; /* padded with zeros */
};

void ring_log_origin(struct ring_log_origin *ret, const char *boot_id, int64_t digest);

/* One record is made at a time. Allocates nothing. */
struct ring_log_writer {
	struct ring_log_origin origin;
	struct tick_log_writer log;
	size_t len; /* of the record in buf */
	uint8_t buf[RING_LOG_HEAD_BYTES + TICK_LOG_RECORD_MAX];
};

void ring_log_begin(struct ring_log_writer *writer, const struct ring_log_origin *origin);

/* Each makes a record of len bytes in buf, for one write. -E2BIG: it is too long, and none was
 * made. */
MUST_CHECK int ring_log_tick(struct ring_log_writer *writer, size_t group, int64_t t_ms,
			     int64_t late_ms, int64_t step_ms, const struct sink *sink);
MUST_CHECK int ring_log_event(struct ring_log_writer *writer, const struct event *event);
MUST_CHECK int ring_log_gone(struct ring_log_writer *writer, const char *collector,
			     const char *node, int64_t t_ms);

/* Puts mark and key in front of a record of a log of ticks, which stands RING_LOG_HEAD_BYTES behind
 * bytes. The functions above do. */
void ring_log_seal(uint8_t *bytes, const struct ring_log_origin *origin);

struct ring_log_reader {
	struct ring_log_origin origin;
	const uint8_t *bytes;
	size_t len, at;
	struct tick_log_reader log;
};

/* The content of a ring, oldest byte first; it has to live as long as the reader. */
void ring_log_open(struct ring_log_reader *reader, const struct ring_log_origin *origin,
		   const uint8_t *bytes, size_t len);

/* The next whole record of this origin: 1, or 0 at the end. What is no record is passed over. Times
 * are within 0 and max_ms. */
MUST_CHECK int ring_log_next(struct ring_log_reader *reader, const struct catalog *catalog,
			     int64_t max_ms, struct sink *sink, struct tick_log_item *ret);
