#include "sampling/wire.h"

#include <errno.h>

#include "sampling/wire_io.h"

int wire_type(const uint8_t *packet, size_t len)
{
	return len ? packet[0] : 0;
}

size_t wire_put_tick(uint8_t *packet, const struct wire_tick *tick)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_TICK);
	wire_put_u16(&w, tick->n_groups);
	for (size_t i = 0; i < tick->n_groups; i++) {
		wire_put_u16(&w, tick->groups[i].group);
		wire_put_i64(&w, tick->groups[i].t_ms);
		wire_put_u8(&w, tick->groups[i].rest);
	}
	return w.len;
}

int wire_get_tick(const uint8_t *packet, size_t len, const struct catalog *catalog,
		  struct wire_tick *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_TICK);
	size_t n_groups = catalog_n_groups(catalog);

	ret->n_groups = wire_get_u16(&r);
	if (r.bad || ret->n_groups > WIRE_GROUPS_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < ret->n_groups; i++) {
		ret->groups[i].group = (uint16_t)wire_get_u16(&r);
		ret->groups[i].t_ms = wire_get_i64(&r);
		ret->groups[i].rest = wire_get_bool(&r);
		r.bad = r.bad || ret->groups[i].group >= n_groups;
	}
	return wire_reader_end(&r);
}

size_t wire_put_rescan(uint8_t *packet)
{
	packet[0] = WIRE_RESCAN;
	return 1;
}

size_t wire_put_done(uint8_t *packet, const struct wire_done *done)
{
	struct wire_writer w = wire_writer_of(packet);

	wire_put_u8(&w, WIRE_DONE);
	wire_put_i64(&w, done->cpu_us);
	return w.len;
}

int wire_get_done(const uint8_t *packet, size_t len, struct wire_done *ret)
{
	struct wire_reader r = wire_reader_of(packet, len, WIRE_DONE);

	ret->cpu_us = wire_get_i64(&r);
	r.bad = r.bad || ret->cpu_us < 0;
	return wire_reader_end(&r);
}

static void put_item(struct wire_writer *w, const struct probe_item *item)
{
	wire_put_str(w, item->node);
	wire_put_u8(w, item->outcome);
	wire_put_str(w, item->reason);
	wire_put_str(w, item->advice);
}

/* Puts the flags and the count of a list once they are known. */
static void put_list_head(struct wire_writer *w, size_t at, bool first, bool last, size_t n)
{
	struct wire_writer head = {.p = w->p + at};

	wire_put_u8(&head, first);
	wire_put_u8(&head, last);
	wire_put_u16(&head, n);
}

#define LIST_HEAD_BYTES 4

size_t wire_put_probed(uint8_t *packet, struct wire_probed *head, const struct probe *probe,
		       size_t *next)
{
	struct wire_writer w = wire_writer_of(packet);
	size_t start = *next, list_at, good;

	wire_put_u8(&w, WIRE_PROBED);
	wire_put_u16(&w, head->collector);
	wire_put_u16(&w, (size_t)(head->error < 0 ? -head->error : head->error));
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

static void get_item(struct wire_reader *r, struct probe *probe)
{
	char node[NODE_NAME_MAX], reason[PROBE_TEXT_MAX], advice[PROBE_TEXT_MAX];
	unsigned outcome;

	wire_get_str(r, node, sizeof(node));
	outcome = wire_get_u8(r);
	wire_get_str(r, reason, sizeof(reason));
	wire_get_str(r, advice, sizeof(advice));
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
	struct wire_reader r = wire_reader_of(packet, len, WIRE_PROBED);
	size_t n_items;

	ret->collector = wire_get_u16(&r);
	ret->error = -wire_get_error(&r);
	ret->first = wire_get_bool(&r);
	ret->last = wire_get_bool(&r);
	n_items = wire_get_u16(&r);
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
	return wire_reader_end(&r);
}

static void put_value(struct wire_writer *w, const struct sink *sink, const struct value *value)
{
	wire_put_u8(w, value->type);
	wire_put_u8(w, value->flag);
	if (value->type == VALUE_INT)
		wire_put_i64(w, value->i);
	else if (value->type == VALUE_FAULT)
		wire_put_u16(w, (size_t)value->i);
	else if (value->type == VALUE_TEXT)
		wire_put_str(w, sink_text(sink, value));
}

static void put_row(struct wire_writer *w, const struct sink *sink, const struct row *row)
{
	wire_put_str(w, row->node);
	wire_put_str(w, row->identity);
	wire_put_u8(w, row->suspended);
	for (size_t i = 0; i < sink->group->n_fields; i++)
		put_value(w, sink, &row->values[i]);
}

size_t wire_put_rows(uint8_t *packet, struct wire_rows *head, const struct sink *sink, size_t *next)
{
	struct wire_writer w = wire_writer_of(packet);
	size_t start = *next, list_at, good;

	wire_put_u8(&w, WIRE_ROWS);
	wire_put_u16(&w, head->group);
	wire_put_i64(&w, head->t_ms);
	wire_put_i64(&w, head->at_ms);
	wire_put_i64(&w, head->duration_us);
	wire_put_u16(&w, (size_t)(head->error < 0 ? -head->error : head->error));
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

static void get_value(struct wire_reader *r, struct sink *sink, struct row *row, size_t field)
{
	char text[INFO_TEXT_MAX];
	unsigned type = wire_get_u8(r), flag = wire_get_u8(r);

	if (type > VALUE_FAULT || flag > FLAG_SATURATED) {
		r->bad = true;
	} else if (type == VALUE_INT) {
		row_set(row, field, wire_get_i64(r));
	} else if (type == VALUE_FAULT) {
		int error = wire_get_error(r);

		r->bad = r->bad || error == 0;
		row_fault(row, field, error);
	} else if (type == VALUE_TEXT) {
		wire_get_str(r, text, sizeof(text));
		row_text(sink, row, field, text);
	}
	if (!r->bad && flag)
		row_flag(row, field, (enum flag)flag);
}

static void get_row(struct wire_reader *r, struct sink *sink)
{
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];

	wire_get_str(r, node, sizeof(node));
	wire_get_str(r, identity, sizeof(identity));

	bool suspended = wire_get_bool(r);

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
	struct wire_reader r = wire_reader_of(packet, len, WIRE_ROWS);
	const struct group *group;
	size_t n_rows;

	ret->group = wire_get_u16(&r);
	ret->t_ms = wire_get_i64(&r);
	ret->at_ms = wire_get_i64(&r);
	ret->duration_us = wire_get_i64(&r);
	ret->error = -wire_get_error(&r);
	ret->first = wire_get_bool(&r);
	ret->last = wire_get_bool(&r);
	n_rows = wire_get_u16(&r);
	group = catalog_group_at(catalog, ret->group, NULL);
	r.bad = r.bad || ret->t_ms < 0 || ret->at_ms < 0 || ret->duration_us < 0;
	if (r.bad || !group || (!ret->first && sink->group != group))
		return -EBADMSG;
	if (ret->first)
		sink_reset(sink, group);
	for (size_t i = 0; i < n_rows && !r.bad; i++)
		get_row(&r, sink);
	return wire_reader_end(&r);
}
