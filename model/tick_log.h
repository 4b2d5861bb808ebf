/* What a store is given, as a log of bytes: ticks, events, nodes that went. Written by one program
 * and read by the same one after it was killed, so numbers of groups and fields stand for those of
 * the catalog; but the bytes are foreign: whatever they are, reading them is safe.
 *
 * A record is its length and a sum (32 bits each, in the order of this machine's bytes), and then a
 * type and what belongs to it. Numbers are zigzag and 7 bits a byte; a text that came before is its
 * number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/record.h"
#include "model/sink.h"

#define TICK_LOG_RECORD_MAX 262144
#define TICK_LOG_TEXTS_MAX  2048 /* that have numbers; a power of two */

/* The texts that have a number so far, by their hashes. */
struct tick_log_texts {
	struct {
		uint64_t hash;
		uint32_t id; /* from 1; 0: a free place */
	} places[2 * TICK_LOG_TEXTS_MAX];
	uint32_t n;
};

/* One record is made at a time in buf, which the caller writes where it likes. Allocates nothing.
 */
struct tick_log_writer {
	struct tick_log_texts texts;
	uint8_t *buf; /* TICK_LOG_RECORD_MAX, the caller's */
	size_t len;
	uint32_t n_texts_before; /* the record */
	bool overflow;
};

/* Begins a log: the texts of the one before are forgotten. */
void tick_log_begin(struct tick_log_writer *writer);

/* Each makes a record of len bytes in buf. -E2BIG: it is too long, and none was made. */
MUST_CHECK int tick_log_tick(struct tick_log_writer *writer, size_t group, int64_t t_ms,
			     int64_t late_ms, int64_t step_ms, const struct sink *sink);
MUST_CHECK int tick_log_event(struct tick_log_writer *writer, const struct event *event);
MUST_CHECK int tick_log_gone(struct tick_log_writer *writer, const char *collector,
			     const char *node, int64_t t_ms);

/* The record that was made last is not part of the log. */
void tick_log_drop(struct tick_log_writer *writer);

enum tick_log_type { TICK_LOG_TICK = 1, TICK_LOG_EVENT, TICK_LOG_GONE };

struct tick_log_reader {
	const uint8_t *bytes;
	size_t len, at;
	struct {
		const uint8_t *p;
		size_t len;
	} texts[TICK_LOG_TEXTS_MAX]; /* by number - 1 */
	uint32_t n_texts;
};

struct tick_log_item {
	enum tick_log_type type;
	size_t group; /* a tick; its rows are in the sink */
	int64_t t_ms, late_ms, step_ms;
	struct event event;
	char collector[NODE_NAME_MAX], node[NODE_NAME_MAX]; /* one that went */
};

/* The sum in the head of a record. */
uint32_t tick_log_sum(const uint8_t *bytes, size_t len);

void tick_log_open(struct tick_log_reader *reader, const uint8_t *bytes, size_t len);

/* The next record: 1, 0 at the end, -EBADMSG: from here on it is damaged, or was not written to its
 * end. Times are within 0 and max_ms. */
MUST_CHECK int tick_log_next(struct tick_log_reader *reader, const struct catalog *catalog,
			     int64_t max_ms, struct sink *sink, struct tick_log_item *ret);
