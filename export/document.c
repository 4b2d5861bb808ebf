#include "export/document.h"

#include "base/errno_name.h"
#include "model/derive.h"

/* An object under construction: puts the commas. */
struct object {
	struct text *text;
	bool empty;
};

static struct object object_open(struct text *text, const char *key)
{
	if (key) {
		text_char(text, ',');
		text_json(text, key);
		text_char(text, ':');
	}
	text_char(text, '{');
	return (struct object){text, true};
}

static void object_key(struct object *object, const char *key)
{
	if (!object->empty)
		text_char(object->text, ',');
	object->empty = false;
	text_json(object->text, key);
	text_char(object->text, ':');
}

static void object_close(struct object *object)
{
	text_char(object->text, '}');
}

static void put_text(struct object *object, const char *key, const char *value)
{
	object_key(object, key);
	text_json(object->text, value);
}

static void put_fields(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "fields");

	for (size_t i = 0; i < group->n_fields; i++) {
		const struct value *value = &s->row->values[i];

		if (value->type == VALUE_INT) {
			object_key(&object, group->fields[i].name);
			text_i64(text, value->i);
		} else if (value->type == VALUE_FAULT) {
			object_key(&object, group->fields[i].name);
			text_str(text, "null");
		}
	}
	object_close(&object);
}

static void put_faults(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "faults");

	for (size_t i = 0; i < group->n_fields; i++)
		if (s->row->values[i].type == VALUE_FAULT)
			put_text(&object, group->fields[i].name,
				 errno_name((int)s->row->values[i].i));
	object_close(&object);
}

/* Adds the step of a quantity since the sample before; nothing when the node began anew. */
static void add_step(const struct document_sample *s, const struct metric *metric,
		     struct derive_sum *sum)
{
	struct derive_point before = derive_point_of(metric, s->before, s->before_ms);
	struct derive_point after = derive_point_of(metric, s->row, s->at_ms);

	if (!derive_has_reset(s->sink->group, s->before, s->row))
		derive_add_step(sum, metric, &before, &after);
}

static bool is_counter_value(const struct group *group, const struct row *row, size_t field)
{
	return group->fields[field].kind == KIND_COUNTER && row->values[field].type == VALUE_INT;
}

static void put_flags(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "flags");
	bool reset = s->before && derive_has_reset(group, s->before, s->row);

	for (size_t i = 0; i < group->n_fields; i++) {
		uint8_t flag = s->row->values[i].flag;

		if (reset && is_counter_value(group, s->before, i) &&
		    is_counter_value(group, s->row, i))
			flag = FLAG_RESET;
		if (flag != FLAG_NONE)
			put_text(&object, group->fields[i].name, flag_name((enum flag)flag));
	}
	object_close(&object);
}

static void put_info(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "info");

	for (size_t i = 0; i < group->n_fields; i++)
		if (s->row->values[i].type == VALUE_TEXT)
			put_text(&object, group->fields[i].name,
				 sink_text(s->sink, &s->row->values[i]));
	object_close(&object);
}

static void put_result(struct object *object, const char *name, bool known, struct decimal value)
{
	object_key(object, name);
	if (known)
		decimal_text(object->text, value);
	else
		text_str(object->text, "null");
}

static void put_rates(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "rates");
	struct metric metric;

	for (size_t i = 0; i < group->n_fields; i++) {
		struct derive_sum sum = {0};
		struct decimal rate = {0};

		if (group->fields[i].kind != KIND_COUNTER ||
		    s->row->values[i].type == VALUE_ABSENT ||
		    metric_at(s->collector, group, i, &metric) < 0)
			continue;
		add_step(s, &metric, &sum);
		put_result(&object, metric.name, derive_rate(&metric, &sum, &rate), rate);
	}
	object_close(&object);
}

static bool derived_value(const struct document_sample *s, const struct metric *metric,
			  struct decimal *ret)
{
	struct derive_sum sum = {0};
	struct derive_point point;

	if (!metric_is_delta(metric)) {
		point = derive_point_of(metric, s->row, s->at_ms);
		return derive_value(metric, &point, ret);
	}
	add_step(s, metric, &sum);
	return derive_rate(metric, &sum, ret);
}

/* A quantity whose fields this node does not have is absent as they are. */
static void put_derived(struct text *text, const struct document_sample *s)
{
	const struct group *group = s->sink->group;
	struct object object = object_open(text, "derived");
	struct metric metric;

	for (size_t i = 0; i < group->n_derived; i++) {
		struct decimal value = {0};

		if (metric_at(s->collector, group, group->n_fields + i, &metric) < 0 ||
		    s->row->values[metric.a].type == VALUE_ABSENT ||
		    s->row->values[metric.b].type == VALUE_ABSENT)
			continue;
		put_result(&object, metric.name, derived_value(s, &metric, &value), value);
	}
	object_close(&object);
}

void document_sample(struct text *text, const struct document_sample *s)
{
	struct object object = object_open(text, NULL);

	if (s->in_series) {
		object_key(&object, "t");
		text_i64(text, s->t_ms);
	}
	put_text(&object, "collector", s->collector->name);
	put_text(&object, "group", s->sink->group->name);
	put_text(&object, "node", s->row->node);
	if (s->row->suspended)
		put_text(&object, "state", "suspended");
	put_fields(text, s);
	put_faults(text, s);
	put_flags(text, s);
	put_info(text, s);
	if (s->in_series && s->before) {
		put_rates(text, s);
		put_derived(text, s);
	}
	object_close(&object);
}

void document_probe_item(struct text *text, const struct collector *collector,
			 const struct probe_item *item)
{
	struct object object = object_open(text, NULL);

	put_text(&object, "collector", collector->name);
	put_text(&object, "node", item->node);
	put_text(&object, "state", outcome_name(item->outcome));
	put_text(&object, "reason", item->reason);
	put_text(&object, "advice", item->advice);
	object_close(&object);
}
