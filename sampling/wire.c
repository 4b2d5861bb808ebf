#include "sampling/wire.h"

#include <errno.h>
#include <string.h>

/* A message under construction. What goes in has its bounds from model/sink.h and model/probe.h,
 * and is tried before it is kept: see wire_put_rows(). */
struct writer {
	uint8_t *p;
	size_t len;
	bool overflow;
};

static struct writer writer_of(uint8_t *packet)
{
	struct writer w = {0};

	w.p = packet;
	return w;
}

static void put(struct writer *w, const void *data, size_t size)
{
	if (size > WIRE_MESSAGE_MAX - w->len) {
		w->overflow = true;
		return;
	}
	memcpy(w->p + w->len, data, size);
	w->len += size;
}

static void put_u8(struct writer *w, unsigned value)
{
	uint8_t v = (uint8_t)value;

	put(w, &v, sizeof(v));
}

static void put_u16(struct writer *w, size_t value)
{
	uint16_t v = (uint16_t)value;

	put(w, &v, sizeof(v));
}

static void put_i64(struct writer *w, int64_t value)
{
	put(w, &value, sizeof(value));
}

static void put_str(struct writer *w, const char *s)
{
	size_t len = strlen(s);

	put_u16(w, len);
	put(w, s, len);
}

/* Takes a message apart; bad stays set once something did not fit. */
struct reader {
	const uint8_t *p;
	size_t len;
	bool bad;
};

static void get(struct reader *r, void *data, size_t size)
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

static unsigned get_u8(struct reader *r)
{
	uint8_t v;

	get(r, &v, sizeof(v));
	return v;
}

static unsigned get_u16(struct reader *r)
{
	uint16_t v;

	get(r, &v, sizeof(v));
	return v;
}

static int64_t get_i64(struct reader *r)
{
	int64_t v;

	get(r, &v, sizeof(v));
	return v;
}

static bool get_bool(struct reader *r)
{
	unsigned v = get_u8(r);

	r->bad = r->bad || v > 1;
	return v == 1;
}

/* An errno or 0. */
static int get_error(struct reader *r)
{
	unsigned v = get_u16(r);

	r->bad = r->bad || v > 4095;
	return (int)v;
}

/* A text of at most size-1 bytes without NUL in it; buf is a valid text in any case. */
static void get_str(struct reader *r, char *buf, size_t size)
{
	size_t len = get_u16(r);

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

static struct reader reader_of(const uint8_t *packet, size_t len, enum wire_type type)
{
	struct reader r = {packet, len, false};

	r.bad = get_u8(&r) != type;
	return r;
}

static int reader_end(const struct reader *r)
{
	return r->bad || r->len ? -EBADMSG : 0;
}

int wire_type(const uint8_t *packet, size_t len)
{
	return len ? packet[0] : 0;
}

size_t wire_put_tick(uint8_t *packet, const struct wire_tick *tick)
{
	struct writer w = writer_of(packet);

	put_u8(&w, WIRE_TICK);
	put_u16(&w, tick->n_groups);
	for (size_t i = 0; i < tick->n_groups; i++) {
		put_u16(&w, tick->groups[i].group);
		put_i64(&w, tick->groups[i].t_ms);
	}
	return w.len;
}

int wire_get_tick(const uint8_t *packet, size_t len, const struct catalog *catalog,
		  struct wire_tick *ret)
{
	struct reader r = reader_of(packet, len, WIRE_TICK);
	size_t n_groups = catalog_n_groups(catalog);

	ret->n_groups = get_u16(&r);
	if (r.bad || ret->n_groups > WIRE_GROUPS_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < ret->n_groups; i++) {
		ret->groups[i].group = (uint16_t)get_u16(&r);
		ret->groups[i].t_ms = get_i64(&r);
		r.bad = r.bad || ret->groups[i].group >= n_groups;
	}
	return reader_end(&r);
}

size_t wire_put_rescan(uint8_t *packet)
{
	packet[0] = WIRE_RESCAN;
	return 1;
}

size_t wire_put_done(uint8_t *packet, const struct wire_done *done)
{
	struct writer w = writer_of(packet);

	put_u8(&w, WIRE_DONE);
	put_i64(&w, done->cpu_us);
	return w.len;
}

int wire_get_done(const uint8_t *packet, size_t len, struct wire_done *ret)
{
	struct reader r = reader_of(packet, len, WIRE_DONE);

	ret->cpu_us = get_i64(&r);
	r.bad = r.bad || ret->cpu_us < 0;
	return reader_end(&r);
}

static void put_item(struct writer *w, const struct probe_item *item)
{
	put_str(w, item->node);
	put_u8(w, item->outcome);
	put_str(w, item->reason);
	put_str(w, item->advice);
}

/* Puts the flags and the count of a list once they are known. */
static void put_list_head(struct writer *w, size_t at, bool first, bool last, size_t n)
{
	struct writer head = {.p = w->p + at};

	put_u8(&head, first);
	put_u8(&head, last);
	put_u16(&head, n);
}

#define LIST_HEAD_BYTES 4

size_t wire_put_probed(uint8_t *packet, struct wire_probed *head, const struct probe *probe,
		       size_t *next)
{
	struct writer w = writer_of(packet);
	size_t start = *next, list_at, good;

	put_u8(&w, WIRE_PROBED);
	put_u16(&w, head->collector);
	put_u16(&w, (size_t)(head->error < 0 ? -head->error : head->error));
	list_at = w.len;
	w.len += LIST_HEAD_BYTES;
	for (good = w.len; *next < probe->n_items; (*next)++) {
		put_item(&w, &probe->items[*next]);
		if (w.overflow)
			break;
		good = w.len;
	}
	head->first = start == 0;
	head->last = *next == probe->n_items;
	put_list_head(&w, list_at, head->first, head->last, *next - start);
	return good;
}

static void get_item(struct reader *r, struct probe *probe)
{
	char node[NODE_NAME_MAX], reason[PROBE_TEXT_MAX], advice[PROBE_TEXT_MAX];
	unsigned outcome;

	get_str(r, node, sizeof(node));
	outcome = get_u8(r);
	get_str(r, reason, sizeof(reason));
	get_str(r, advice, sizeof(advice));
	if (outcome > OUTCOME_FAILED)
		r->bad = true;
	if (r->bad)
		return;
	if (node[0])
		probe_node(probe, node, (enum outcome)outcome, advice, "%s", reason);
	else
		probe_collector(probe, (enum outcome)outcome, advice, "%s", reason);
}

int wire_get_probed(const uint8_t *packet, size_t len, const struct catalog *catalog,
		    struct wire_probed *ret, struct probe *probe)
{
	struct reader r = reader_of(packet, len, WIRE_PROBED);
	size_t n_items;

	ret->collector = get_u16(&r);
	ret->error = -get_error(&r);
	ret->first = get_bool(&r);
	ret->last = get_bool(&r);
	n_items = get_u16(&r);
	if (r.bad || ret->collector >= catalog->n_collectors)
		return -EBADMSG;
	if (ret->first) {
		probe_done(probe);
		if (probe_init(probe) < 0)
			return -ENOMEM;
	}
	if (!probe->items)
		return -EBADMSG;
	for (size_t i = 0; i < n_items && !r.bad; i++)
		get_item(&r, probe);
	return reader_end(&r);
}

static void put_value(struct writer *w, const struct sink *sink, const struct value *value)
{
	put_u8(w, value->type);
	put_u8(w, value->flag);
	if (value->type == VALUE_INT)
		put_i64(w, value->i);
	else if (value->type == VALUE_FAULT)
		put_u16(w, (size_t)value->i);
	else if (value->type == VALUE_TEXT)
		put_str(w, sink_text(sink, value));
}

static void put_row(struct writer *w, const struct sink *sink, const struct row *row)
{
	put_str(w, row->node);
	put_str(w, row->identity);
	put_u8(w, row->suspended);
	for (size_t i = 0; i < sink->group->n_fields; i++)
		put_value(w, sink, &row->values[i]);
}

size_t wire_put_rows(uint8_t *packet, struct wire_rows *head, const struct sink *sink, size_t *next)
{
	struct writer w = writer_of(packet);
	size_t start = *next, list_at, good;

	put_u8(&w, WIRE_ROWS);
	put_u16(&w, head->group);
	put_i64(&w, head->t_ms);
	put_i64(&w, head->at_ms);
	put_i64(&w, head->duration_us);
	put_u16(&w, (size_t)(head->error < 0 ? -head->error : head->error));
	list_at = w.len;
	w.len += LIST_HEAD_BYTES;
	for (good = w.len; *next < sink->n_rows; (*next)++) {
		put_row(&w, sink, sink->rows[*next]);
		if (w.overflow)
			break;
		good = w.len;
	}
	head->first = start == 0;
	head->last = *next == sink->n_rows;
	put_list_head(&w, list_at, head->first, head->last, *next - start);
	return good;
}

static void get_value(struct reader *r, struct sink *sink, struct row *row, size_t field)
{
	char text[INFO_TEXT_MAX];
	unsigned type = get_u8(r), flag = get_u8(r);

	if (type > VALUE_FAULT || flag > FLAG_SATURATED) {
		r->bad = true;
	} else if (type == VALUE_INT) {
		row_set(row, field, get_i64(r));
	} else if (type == VALUE_FAULT) {
		int error = get_error(r);

		r->bad = r->bad || error == 0;
		row_fault(row, field, error);
	} else if (type == VALUE_TEXT) {
		get_str(r, text, sizeof(text));
		row_text(sink, row, field, text);
	}
	if (!r->bad && flag)
		row_flag(row, field, (enum flag)flag);
}

static void get_row(struct reader *r, struct sink *sink)
{
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];

	get_str(r, node, sizeof(node));
	get_str(r, identity, sizeof(identity));

	bool suspended = get_bool(r);

	if (r->bad)
		return;

	struct row *row = sink_row(sink, node, identity);

	row->suspended = suspended;
	for (size_t i = 0; i < sink->group->n_fields && !r->bad; i++)
		get_value(r, sink, row, i);
}

int wire_get_rows(const uint8_t *packet, size_t len, const struct catalog *catalog,
		  struct wire_rows *ret, struct sink *sink)
{
	struct reader r = reader_of(packet, len, WIRE_ROWS);
	const struct group *group;
	size_t n_rows;

	ret->group = get_u16(&r);
	ret->t_ms = get_i64(&r);
	ret->at_ms = get_i64(&r);
	ret->duration_us = get_i64(&r);
	ret->error = -get_error(&r);
	ret->first = get_bool(&r);
	ret->last = get_bool(&r);
	n_rows = get_u16(&r);
	group = catalog_group_at(catalog, ret->group, NULL);
	r.bad = r.bad || ret->t_ms < 0 || ret->at_ms < 0 || ret->duration_us < 0;
	if (r.bad || !group || (!ret->first && sink->group != group))
		return -EBADMSG;
	if (ret->first)
		sink_reset(sink, group);
	for (size_t i = 0; i < n_rows && !r.bad; i++)
		get_row(&r, sink);
	return reader_end(&r);
}
