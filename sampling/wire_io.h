/* Numbers and texts of messages: see sampling/wire.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampling/wire.h"

/* A message under construction. What goes in has its bounds from model/sink.h and model/probe.h,
 * and is tried before it is kept: see wire_put_rows(). */
struct wire_writer {
	uint8_t *p;
	size_t len;
	bool overflow;
};

/* A message that begins at packet, which has WIRE_MESSAGE_MAX bytes. */
struct wire_writer wire_writer_of(uint8_t *packet);

void wire_put(struct wire_writer *w, const void *data, size_t size);
void wire_put_u8(struct wire_writer *w, unsigned value);
void wire_put_u16(struct wire_writer *w, size_t value);
void wire_put_i64(struct wire_writer *w, int64_t value);
void wire_put_str(struct wire_writer *w, const char *s);

/* Takes a message apart; bad stays set once something did not fit. */
struct wire_reader {
	const uint8_t *p;
	size_t len;
	bool bad;
};

/* A message that has to be of this type. */
struct wire_reader wire_reader_of(const uint8_t *packet, size_t len, enum wire_type type);

void wire_get(struct wire_reader *r, void *data, size_t size);
unsigned wire_get_u8(struct wire_reader *r);
unsigned wire_get_u16(struct wire_reader *r);
int64_t wire_get_i64(struct wire_reader *r);
bool wire_get_bool(struct wire_reader *r);
/* An errno or 0. */
int wire_get_error(struct wire_reader *r);
/* A text of at most size-1 bytes without NUL in it; buf is a valid text in any case. */
void wire_get_str(struct wire_reader *r, char *buf, size_t size);

/* 0 when all was taken and fitted, else -EBADMSG. */
int wire_reader_end(const struct wire_reader *r);
