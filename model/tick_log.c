#include "model/tick_log.h"

#include <errno.h>
#include <string.h>

#include "model/collector.h"

#define HEAD_BYTES  8
#define PLACES      ((size_t)2 * TICK_LOG_TEXTS_MAX)
#define STEP_MAX_MS (INT64_C(1) << 40)
#define ERRNO_MAX   4095

static uint64_t mix(uint64_t hash, const uint8_t *p, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	for (; len; p++, len--)
		hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

uint32_t tick_log_sum(const uint8_t *bytes, size_t len)
{
	return (uint32_t)mix(len, bytes, len);
}

/* ---- writing */

static void put_byte(struct tick_log_writer *w, uint8_t byte)
{
	if (w->len < TICK_LOG_RECORD_MAX)
		w->buf[w->len++] = byte;
	else
		w->overflow = true;
}

static void put_number(struct tick_log_writer *w, int64_t value)
{
	uint64_t u = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);

	for (; u >= 0x80; u >>= 7)
		put_byte(w, (uint8_t)(u | 0x80));
	put_byte(w, (uint8_t)u);
}

static void put_bytes(struct tick_log_writer *w, const char *text)
{
	size_t len = strlen(text);

	put_number(w, (int64_t)len);
	if (len > TICK_LOG_RECORD_MAX - w->len) {
		w->overflow = true;
		return;
	}
	memcpy(w->buf + w->len, text, len);
	w->len += len;
}

static size_t place_of(const struct tick_log_texts *texts, uint64_t hash)
{
	size_t at = hash % PLACES;

	while (texts->places[at].id && texts->places[at].hash != hash)
		at = (at + 1) % PLACES;
	return at;
}

/* Its number, or 0 and the text, which has the next number from then on while there is one. */
static void put_text(struct tick_log_writer *w, const char *text)
{
	struct tick_log_texts *texts = &w->texts;
	uint64_t hash = mix(1, (const uint8_t *)text, strlen(text));
	size_t at = place_of(texts, hash);

	if (texts->places[at].id) {
		put_number(w, texts->places[at].id);
		return;
	}
	put_number(w, 0);
	put_bytes(w, text);
	if (texts->n == TICK_LOG_TEXTS_MAX)
		return;
	texts->places[at].hash = hash;
	texts->places[at].id = ++texts->n;
}

void tick_log_begin(struct tick_log_writer *writer)
{
	memset(&writer->texts, 0, sizeof(writer->texts));
	writer->len = 0;
}

static void begin_record(struct tick_log_writer *w, enum tick_log_type type)
{
	w->len = HEAD_BYTES;
	w->overflow = false;
	w->n_texts_before = w->texts.n;
	put_byte(w, (uint8_t)type);
}

/* Those that came last are where nothing that came before looks for a place beyond them. */
static void forget_texts(struct tick_log_writer *w)
{
	for (size_t i = 0; i < PLACES && w->texts.n != w->n_texts_before; i++)
		if (w->texts.places[i].id > w->n_texts_before)
			w->texts.places[i].id = 0;
	w->texts.n = w->n_texts_before;
}

void tick_log_drop(struct tick_log_writer *writer)
{
	forget_texts(writer);
	writer->len = 0;
}

static int end_record(struct tick_log_writer *w)
{
	uint32_t head[2];

	if (w->overflow) {
		tick_log_drop(w);
		return -E2BIG;
	}
	head[0] = (uint32_t)(w->len - HEAD_BYTES);
	head[1] = tick_log_sum(w->buf + HEAD_BYTES, head[0]);
	memcpy(w->buf, head, HEAD_BYTES);
	return 0;
}

static void put_value(struct tick_log_writer *w, const struct sink *sink, const struct value *v)
{
	put_byte(w, (uint8_t)(v->type | v->flag << 2));
	if (v->type == VALUE_TEXT)
		put_text(w, sink_text(sink, v));
	else if (v->type != VALUE_ABSENT)
		put_number(w, v->i);
}

int tick_log_tick(struct tick_log_writer *w, size_t group, int64_t t_ms, int64_t late_ms,
		  int64_t step_ms, const struct sink *sink)
{
	begin_record(w, TICK_LOG_TICK);
	put_number(w, (int64_t)group);
	put_number(w, t_ms);
	put_number(w, late_ms);
	put_number(w, step_ms);
	put_byte(w, (uint8_t)(sink->overflow | sink->partial << 1));
	put_number(w, (int64_t)sink->n_rows);
	for (size_t i = 0; i < sink->n_rows && !w->overflow; i++) {
		const struct row *row = sink->rows[i];

		put_byte(w, row->suspended);
		put_text(w, row->node);
		put_text(w, row->identity);
		for (size_t f = 0; f < sink->group->n_fields; f++)
			put_value(w, sink, &row->values[f]);
	}
	return end_record(w);
}

int tick_log_event(struct tick_log_writer *w, const struct event *event)
{
	begin_record(w, TICK_LOG_EVENT);
	put_number(w, event->t_ms);
	put_number(w, event->t_end_ms);
	put_byte(w, (uint8_t)event->severity);
	put_bytes(w, event->kind);
	put_bytes(w, event->collector);
	put_bytes(w, event->node);
	put_bytes(w, event->text);
	put_bytes(w, event->evidence);
	return end_record(w);
}

int tick_log_gone(struct tick_log_writer *w, const char *collector, const char *node, int64_t t_ms)
{
	begin_record(w, TICK_LOG_GONE);
	put_number(w, t_ms);
	put_bytes(w, collector);
	put_bytes(w, node);
	return end_record(w);
}

/* ---- reading */

struct cut {
	const uint8_t *p, *end;
	bool bad;
};

static uint8_t take_byte(struct cut *cut)
{
	if (cut->p == cut->end) {
		cut->bad = true;
		return 0;
	}
	return *cut->p++;
}

static int64_t take_number(struct cut *cut)
{
	uint64_t u = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = take_byte(cut);

		u |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
	}
	cut->bad = true;
	return 0;
}

static int64_t take_within(struct cut *cut, int64_t min, int64_t max)
{
	int64_t value = take_number(cut);

	if (value >= min && value <= max)
		return value;
	cut->bad = true;
	return min;
}

static const uint8_t *take_span(struct cut *cut, size_t *ret_len)
{
	size_t len = (size_t)take_within(cut, 0, TICK_LOG_RECORD_MAX);
	const uint8_t *p = cut->p;

	*ret_len = 0;
	if (cut->bad || len > (size_t)(cut->end - cut->p) || memchr(p, '\0', len)) {
		cut->bad = true;
		return p;
	}
	cut->p += len;
	*ret_len = len;
	return p;
}

static void copy_span(struct cut *cut, const uint8_t *p, size_t len, char *buf, size_t size)
{
	if (len >= size) {
		cut->bad = true;
		len = 0;
	}
	memcpy(buf, p, len);
	buf[len] = '\0';
}

static void take_bytes(struct cut *cut, char *buf, size_t size)
{
	size_t len;
	const uint8_t *p = take_span(cut, &len);

	copy_span(cut, p, len, buf, size);
}

static void take_text(struct tick_log_reader *r, struct cut *cut, char *buf, size_t size)
{
	size_t id = (size_t)take_within(cut, 0, r->n_texts), len;
	const uint8_t *p;

	if (id && !cut->bad) {
		copy_span(cut, r->texts[id - 1].p, r->texts[id - 1].len, buf, size);
		return;
	}
	p = take_span(cut, &len);
	copy_span(cut, p, len, buf, size);
	if (cut->bad || r->n_texts == TICK_LOG_TEXTS_MAX)
		return;
	r->texts[r->n_texts].p = p;
	r->texts[r->n_texts++].len = len;
}

/* What does not fit to the field is left out: the row is as good without it. */
static void take_value(struct tick_log_reader *r, struct cut *cut, struct sink *sink,
		       struct row *row, size_t field)
{
	uint8_t tag = take_byte(cut);
	enum value_type type = (enum value_type)(tag & 3);
	unsigned flag = tag >> 2;
	bool info = sink->group->fields[field].kind == KIND_INFO;
	char text[INFO_TEXT_MAX + 1];
	int64_t value;

	if (flag > FLAG_SATURATED)
		cut->bad = true;
	if (type == VALUE_TEXT) {
		take_text(r, cut, text, sizeof(text));
		if (info && !cut->bad)
			row_text(sink, row, field, text);
		return;
	}
	if (type == VALUE_ABSENT)
		return;
	value = type == VALUE_FAULT ? take_within(cut, 1, ERRNO_MAX) : take_number(cut);
	if (cut->bad)
		return;
	if (type == VALUE_FAULT)
		row_fault(row, field, (int)value);
	else if (!info)
		row_set(row, field, value);
	if (type == VALUE_INT && !info && flag)
		row_flag(row, field, (enum flag)flag);
}

static void take_row(struct tick_log_reader *r, struct cut *cut, struct sink *sink)
{
	bool suspended = take_byte(cut) & 1;
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	struct row *row;

	take_text(r, cut, node, sizeof(node));
	take_text(r, cut, identity, sizeof(identity));
	if (cut->bad)
		return;
	row = sink_row(sink, node, identity);
	row->suspended = suspended;
	for (size_t f = 0; f < sink->group->n_fields && !cut->bad; f++)
		take_value(r, cut, sink, row, f);
}

static void take_tick(struct tick_log_reader *r, struct cut *cut, const struct catalog *catalog,
		      int64_t max_ms, struct sink *sink, struct tick_log_item *ret)
{
	size_t n_groups = catalog_n_groups(catalog), n_rows;
	uint8_t flags;

	ret->group = (size_t)take_within(cut, 0, (int64_t)n_groups - 1);
	ret->t_ms = take_within(cut, 0, max_ms);
	ret->late_ms = take_within(cut, -STEP_MAX_MS, STEP_MAX_MS);
	ret->step_ms = take_within(cut, 1, STEP_MAX_MS);
	flags = take_byte(cut);
	n_rows = (size_t)take_within(cut, 0, SINK_ROWS_MAX);
	if (cut->bad)
		return;
	sink_reset(sink, catalog_group_at(catalog, ret->group, NULL));
	for (size_t i = 0; i < n_rows && !cut->bad; i++)
		take_row(r, cut, sink);
	sink->overflow |= flags & 1;
	sink->partial |= flags >> 1 & 1;
}

static void take_event(struct cut *cut, int64_t max_ms, struct event *e)
{
	e->t_ms = take_within(cut, 0, max_ms);
	e->t_end_ms = take_number(cut);
	if (e->t_end_ms != TIME_OPEN && (e->t_end_ms < 0 || e->t_end_ms > max_ms))
		cut->bad = true;
	e->severity = (enum severity)take_byte(cut);
	if (e->severity > SEVERITY_CRITICAL)
		cut->bad = true;
	take_bytes(cut, e->kind, sizeof(e->kind));
	take_bytes(cut, e->collector, sizeof(e->collector));
	take_bytes(cut, e->node, sizeof(e->node));
	take_bytes(cut, e->text, sizeof(e->text));
	take_bytes(cut, e->evidence, sizeof(e->evidence));
}

void tick_log_open(struct tick_log_reader *reader, const uint8_t *bytes, size_t len)
{
	reader->bytes = bytes;
	reader->len = len;
	reader->at = 0;
	reader->n_texts = 0;
}

static int take_head(struct tick_log_reader *r, struct cut *ret)
{
	uint32_t head[2];
	const uint8_t *p = r->bytes + r->at;

	if (r->len - r->at < HEAD_BYTES)
		return -EBADMSG;
	memcpy(head, p, HEAD_BYTES);
	p += HEAD_BYTES;
	if (head[0] > TICK_LOG_RECORD_MAX || head[0] > r->len - r->at - HEAD_BYTES ||
	    head[1] != tick_log_sum(p, head[0]))
		return -EBADMSG;
	*ret = (struct cut){.p = p, .end = p + head[0]};
	r->at += HEAD_BYTES + head[0];
	return 0;
}

int tick_log_next(struct tick_log_reader *reader, const struct catalog *catalog, int64_t max_ms,
		  struct sink *sink, struct tick_log_item *ret)
{
	struct cut cut;

	if (reader->at == reader->len)
		return 0;
	if (take_head(reader, &cut) < 0)
		return -EBADMSG;
	*ret = (struct tick_log_item){.type = (enum tick_log_type)take_byte(&cut)};
	switch (ret->type) {
	case TICK_LOG_TICK:
		take_tick(reader, &cut, catalog, max_ms, sink, ret);
		break;
	case TICK_LOG_EVENT:
		take_event(&cut, max_ms, &ret->event);
		break;
	case TICK_LOG_GONE:
		ret->t_ms = take_within(&cut, 0, max_ms);
		take_bytes(&cut, ret->collector, sizeof(ret->collector));
		take_bytes(&cut, ret->node, sizeof(ret->node));
		break;
	default:
		return -EBADMSG;
	}
	return cut.bad || cut.p != cut.end ? -EBADMSG : 1;
}
