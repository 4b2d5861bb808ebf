#include "export/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/sink.h"

enum stage { STAGE_HEAD, STAGE_ITEMS };

struct points {
	enum points_format format;
	enum stage stage;
	struct points_head head;
	int (*next)(void *source, struct points_item *ret);
	void *source;
	uint64_t n_series, n_points; /* points of the current series */
	uint64_t n_damaged, n_before;
};

/* The longest text of a catalog is far below this; a longer one is cut rather than trusted. */
#define HEAD_TEXT_MAX 512

static void json_member(struct text *out, const char *key, const char *value)
{
	char buf[HEAD_TEXT_MAX];
	struct text cut = TEXT_IN(buf);

	text_str(&cut, value);
	text_printf(out, "\"%s\":", key);
	text_json(out, buf);
	text_char(out, ',');
}

static void json_time(struct text *out, const char *key, int64_t wall_ms)
{
	text_printf(out, "\"%s\":\"", key);
	clock_rfc3339(out, wall_ms);
	text_str(out, "\",");
}

/* Ends as json_time() does. */
static void json_integer(struct text *out, const char *key, int64_t value)
{
	text_printf(out, "\"%s\":", key);
	text_i64(out, value);
	text_char(out, ',');
}

static void json_ambiguous(const struct points_head *head, struct text *out)
{
	for (size_t i = 0; i < head->n_ambiguous; i++) {
		const struct points_ambiguity *a = &head->ambiguous[i];
		bool step = a->why == POINTS_CLOCK_STEP;

		text_str(out, i ? ",{" : ",\"ambiguous\":[{");
		json_member(out, "why", step ? "clock_step" : "two_boots");
		json_integer(out, "boot", a->boot);
		json_integer(out, step ? "boot_ms" : "other_boot", step ? a->at_ms : a->other_boot);
		json_time(out, "from", a->from_wall_ms);
		json_time(out, "to", a->to_wall_ms);
		text_rewind(out, out->len - 1);
		text_char(out, '}');
	}
	if (head->n_ambiguous)
		text_char(out, ']');
}

static void json_head(const struct points_head *head, struct text *out)
{
	text_char(out, '{');
	json_member(out, "metric", head->metric);
	json_member(out, "unit", unit_name(head->unit));
	text_printf(out, "\"per_second\":%s,", head->per_second ? "true" : "false");
	json_member(out, "agg", head->agg);
	json_member(out, "kind", head->kind);
	json_member(out, "help", head->help);
	json_time(out, "from", head->from_wall_ms);
	json_time(out, "to", head->to_wall_ms);
	text_str(out, "\"step_ms\":");
	text_i64(out, head->step_ms);
	json_ambiguous(head, out);
	text_str(out, ",\"series\":[");
}

/* Where all of it is from samples, nothing is said. */
static void json_sources(const struct points_series *series, struct text *out)
{
	if (!series->n_sources ||
	    (series->n_sources == 1 && !strcmp(series->sources[0].resolution, "raw")))
		return;
	text_str(out, ",\"resolution\":[");
	for (size_t i = 0; i < series->n_sources; i++) {
		text_printf(out, "%s[\"%s\",", i ? "," : "", series->sources[i].resolution);
		text_i64(out, series->sources[i].until_wall_ms);
		text_char(out, ']');
	}
	text_char(out, ']');
}

static void json_series(const struct points *points, const struct points_series *series,
			struct text *out)
{
	if (points->n_series)
		text_char(out, ',');
	text_char(out, '{');
	json_member(out, "node", series->node);
	json_member(out, "identity", series->identity);
	text_str(out, "\"boot\":");
	text_i64(out, series->boot);
	text_char(out, ',');
	json_member(out, "boot_id", series->boot_id);
	text_str(out, "\"wall_offset_ms\":");
	text_i64(out, series->wall_offset_ms);
	json_sources(series, out);
	if (series->as_shown)
		text_str(out, ",\"as_shown\":true");
	text_str(out, ",\"points\":[");
}

static void json_point(const struct points *points, const struct points_item *item,
		       struct text *out)
{
	text_str(out, points->n_points ? ",[" : "[");
	text_i64(out, item->wall_ms);
	text_char(out, ',');
	if (item->has_value)
		decimal_text(out, item->value);
	else
		text_str(out, "null");
	if (item->flag) {
		text_str(out, ",\"");
		text_str(out, flag_name((enum flag)item->flag));
		text_char(out, '"');
	}
	text_char(out, ']');
}

/* The first one ends the array of series. */
static void json_before(struct points *points, const struct points_item *item, struct text *out)
{
	text_str(out, points->n_before++ ? ",{" : "],\"before\":[{");
	json_member(out, "node", item->series->node);
	json_member(out, "identity", item->series->identity);
	text_str(out, "\"boot\":");
	text_i64(out, item->series->boot);
	text_char(out, ',');
	json_time(out, "t", item->wall_ms);
	text_str(out, "\"boot_ms\":");
	text_i64(out, item->boot_ms);
	text_str(out, ",\"age_ms\":");
	text_i64(out, points->head.from_wall_ms - item->wall_ms);
	text_str(out, ",\"value\":");
	decimal_text(out, item->value);
	if (item->flag)
		text_printf(out, ",\"flag\":\"%s\"", flag_name((enum flag)item->flag));
	text_char(out, '}');
}

static void json_end(const struct points *points, struct text *out)
{
	text_char(out, ']');
	if (points->n_damaged) {
		text_str(out, ",\"damaged\":");
		text_i64(out, (int64_t)points->n_damaged);
	}
	text_char(out, '}');
}

/* Quoted only where it must be (RFC 4180). */
static void csv_text(struct text *out, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		text_str(out, s);
		return;
	}
	text_char(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			text_char(out, '"');
		text_char(out, *s);
	}
	text_char(out, '"');
}

static void csv_point(const struct points_item *item, struct text *out)
{
	clock_rfc3339(out, item->wall_ms);
	text_char(out, ',');
	text_i64(out, item->series->boot);
	text_char(out, ',');
	text_i64(out, item->boot_ms);
	text_char(out, ',');
	csv_text(out, item->series->node);
	text_char(out, ',');
	if (item->has_value)
		decimal_text(out, item->value);
	text_char(out, ',');
	text_str(out, flag_name((enum flag)item->flag));
	text_char(out, '\n');
}

static void write_head(const struct points *points, struct text *out)
{
	if (points->format == POINTS_JSON)
		json_head(&points->head, out);
	else
		text_str(out, "wall,boot,boot_ms,node,value,flag\n");
}

static void write_point(struct points *points, const struct points_item *item, struct text *out)
{
	if (points->format == POINTS_JSON)
		json_point(points, item, out);
	else
		csv_point(item, out);
	points->n_points++;
}

static void write_item(struct points *points, const struct points_item *item, struct text *out)
{
	bool json = points->format == POINTS_JSON;

	switch (item->type) {
	case POINTS_SERIES:
		if (json)
			json_series(points, item->series, out);
		points->n_series++;
		points->n_points = 0;
		break;
	case POINTS_POINT:
		write_point(points, item, out);
		break;
	case POINTS_SERIES_END:
		if (json)
			text_str(out, "]}");
		break;
	case POINTS_BEFORE:
		if (json)
			json_before(points, item, out);
		break;
	case POINTS_DAMAGE:
		points->n_damaged++;
		break;
	}
}

static int points_step(void *self, struct text *out)
{
	struct points *points = self;
	struct points_item item;

	if (points->stage == STAGE_HEAD) {
		write_head(points, out);
		points->stage = STAGE_ITEMS;
		return 1;
	}

	int r = points->next(points->source, &item);

	if (r > 0)
		write_item(points, &item, out);
	else if (r == 0 && points->format == POINTS_JSON)
		json_end(points, out);
	return r;
}

int points_stream(enum points_format format, const struct points_head *head,
		  int (*next)(void *source, struct points_item *ret), void *source,
		  struct stream **ret)
{
	struct points *points = calloc(1, sizeof(*points));

	if (!points)
		return -ENOMEM;
	*points = (struct points){
		.format = format,
		.head = *head,
		.next = next,
		.source = source,
	};
	return stream_new(points_step, free, points, ret);
}
