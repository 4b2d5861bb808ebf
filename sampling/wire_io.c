#include "sampling/wire_io.h"

#include <errno.h>
#include <string.h>

struct wire_writer wire_writer_of(uint8_t *packet)
{
	struct wire_writer w = {0};

	w.p = packet;
	return w;
}

void wire_put(struct wire_writer *w, const void *data, size_t size)
{
	if (size > WIRE_MESSAGE_MAX - w->len) {
		w->overflow = true;
		return;
	}
	memcpy(w->p + w->len, data, size);
	w->len += size;
}

void wire_put_u8(struct wire_writer *w, unsigned value)
{
	uint8_t v = (uint8_t)value;

	wire_put(w, &v, sizeof(v));
}

void wire_put_u16(struct wire_writer *w, size_t value)
{
	uint16_t v = (uint16_t)value;

	wire_put(w, &v, sizeof(v));
}

void wire_put_i64(struct wire_writer *w, int64_t value)
{
	wire_put(w, &value, sizeof(value));
}

void wire_put_str(struct wire_writer *w, const char *s)
{
	size_t len = strlen(s);

	wire_put_u16(w, len);
	wire_put(w, s, len);
}

void wire_get(struct wire_reader *r, void *data, size_t size)
{
	if (r->bad || size > r->len) {
		r->bad = true;
		memset(data, 0, size);
		return;
	}
	memcpy(data, r->p, size);
	r->p += size;
	r->len -= size;
}

unsigned wire_get_u8(struct wire_reader *r)
{
	uint8_t v;

	wire_get(r, &v, sizeof(v));
	return v;
}

unsigned wire_get_u16(struct wire_reader *r)
{
	uint16_t v;

	wire_get(r, &v, sizeof(v));
	return v;
}

int64_t wire_get_i64(struct wire_reader *r)
{
	int64_t v;

	wire_get(r, &v, sizeof(v));
	return v;
}

bool wire_get_bool(struct wire_reader *r)
{
	unsigned v = wire_get_u8(r);

	r->bad = r->bad || v > 1;
	return v == 1;
}

int wire_get_error(struct wire_reader *r)
{
	unsigned v = wire_get_u16(r);

	r->bad = r->bad || v > 4095;
	return (int)v;
}

void wire_get_str(struct wire_reader *r, char *buf, size_t size)
{
	size_t len = wire_get_u16(r);

	buf[0] = '\0';
	if (r->bad || len >= size || len > r->len || memchr(r->p, 0, len)) {
		r->bad = true;
		return;
	}
	memcpy(buf, r->p, len);
	buf[len] = '\0';
	r->p += len;
	r->len -= len;
}

struct wire_reader wire_reader_of(const uint8_t *packet, size_t len, enum wire_type type)
{
	struct wire_reader r = {packet, len, false};

	r.bad = wire_get_u8(&r) != type;
	return r;
}

int wire_reader_end(const struct wire_reader *r)
{
	return r->bad || r->len ? -EBADMSG : 0;
}
