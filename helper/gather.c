#include "helper/gather.h"

#include <errno.h>

int gather_open(struct gather *gather, const struct group *group, size_t index, int64_t t_ms,
		size_t n, int64_t now_ms)
{
	if (!gather->has_sink && sink_init(&gather->sink) < 0)
		return -ENOMEM;
	gather->has_sink = true;
	sink_reset(&gather->sink, group);
	gather->open = true;
	gather->n_waited = n;
	gather->until_ms = now_ms + GATHER_MS;
	gather->head = (struct wire_rows){.group = index, .t_ms = t_ms, .at_ms = now_ms};
	return 0;
}

void gather_done(struct gather *gather)
{
	if (gather->has_sink)
		sink_done(&gather->sink);
	*gather = (struct gather){0};
}

static void copy_row(struct sink *to, const struct sink *from, const struct row *row)
{
	struct row *copy = sink_row(to, row->node, row->identity);

	copy->suspended = row->suspended;
	for (size_t i = 0; i < from->group->n_fields; i++) {
		const struct value *value = &row->values[i];

		if (value->type == VALUE_TEXT)
			row_text(to, copy, i, sink_text(from, value));
		else
			copy->values[i] = *value;
		if (value->flag)
			row_flag(copy, i, (enum flag)value->flag);
	}
}

static bool is_last(struct gather *gather)
{
	if (gather->n_waited)
		gather->n_waited--;
	return !gather->n_waited;
}

bool gather_take(struct gather *gather, const struct wire_rows *head, const struct sink *sink)
{
	if (!gather->open || head->t_ms != gather->head.t_ms)
		return false;
	for (size_t i = 0; i < sink->n_rows; i++)
		copy_row(&gather->sink, sink, sink->rows[i]);
	if (!gather->head.error)
		gather->head.error = head->error;
	if (head->duration_us > gather->head.duration_us)
		gather->head.duration_us = head->duration_us;
	return is_last(gather);
}

bool gather_miss(struct gather *gather, int error)
{
	if (!gather->open)
		return false;
	if (!gather->head.error)
		gather->head.error = error;
	return is_last(gather);
}

bool gather_is_over(const struct gather *gather, int64_t now_ms)
{
	return gather->open && (!gather->n_waited || now_ms >= gather->until_ms);
}
