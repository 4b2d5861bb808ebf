#include "export/points_document.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "model/sink.h"

struct points_document {
	struct json_object *root, *series; /* series: the array of them */
	struct points_head head;
	struct json_object *before; /* NULL: none */
	size_t next_series, next_before;
	struct json_object *points; /* of the current series, NULL between two */
	size_t next_point;
	struct points_series shown;
	int64_t n_damaged; /* left to tell */
	struct points_ambiguity ambiguous[POINTS_AMBIGUITIES_MAX];
};

static const char *string_of(struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_string))
		return NULL;
	return json_object_get_string(member);
}

static int64_t integer_of(struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member) ||
	    !json_object_is_type(member, json_type_int))
		return 0;
	return json_object_get_int64(member);
}

static int unit_of_name(const char *name, enum unit *ret)
{
	for (unsigned i = 0; i <= UNIT_RATIO; i++) {
		if (strcmp(unit_name((enum unit)i), name))
			continue;
		*ret = (enum unit)i;
		return 0;
	}
	return -EBADMSG;
}

/* What is none is left out: it is a remark. */
static size_t read_ambiguous(struct points_document *document, struct json_object *array)
{
	size_t n = 0;

	for (size_t i = 0; i < json_object_array_length(array) && n < POINTS_AMBIGUITIES_MAX; i++) {
		struct json_object *object = json_object_array_get_idx(array, i);
		const char *why = string_of(object, "why");
		const char *from = string_of(object, "from"), *to = string_of(object, "to");
		struct points_ambiguity a = {
			.why = why && !strcmp(why, "two_boots") ? POINTS_TWO_BOOTS
								: POINTS_CLOCK_STEP,
			.boot = integer_of(object, "boot"),
			.other_boot = integer_of(object, "other_boot"),
			.at_ms = integer_of(object, "boot_ms"),
		};

		if (!why || !from || !to || clock_parse_rfc3339(from, &a.from_wall_ms) < 0 ||
		    clock_parse_rfc3339(to, &a.to_wall_ms) < 0)
			continue;
		document->ambiguous[n++] = a;
	}
	return n;
}

static int read_head(struct points_document *document)
{
	struct json_object *root = document->root, *member;
	const char *unit = string_of(root, "unit"), *from = string_of(root, "from");
	const char *to = string_of(root, "to");
	struct points_head head = {
		.metric = string_of(root, "metric"),
		.agg = string_of(root, "agg"),
		.kind = string_of(root, "kind"),
		.help = string_of(root, "help"),
		.step_ms = integer_of(root, "step_ms"),
	};

	if (!head.metric || !head.agg || !head.kind || !head.help || !unit || !from || !to)
		return -EBADMSG;
	if (unit_of_name(unit, &head.unit) < 0 ||
	    clock_parse_rfc3339(from, &head.from_wall_ms) < 0 ||
	    clock_parse_rfc3339(to, &head.to_wall_ms) < 0)
		return -EBADMSG;
	head.per_second = json_object_object_get_ex(root, "per_second", &member) &&
			  json_object_get_boolean(member);
	if (!json_object_object_get_ex(root, "series", &document->series) ||
	    !json_object_is_type(document->series, json_type_array))
		return -EBADMSG;
	if (json_object_object_get_ex(root, "before", &member) &&
	    json_object_is_type(member, json_type_array))
		document->before = member;
	document->n_damaged = integer_of(root, "damaged");
	if (json_object_object_get_ex(root, "ambiguous", &member) &&
	    json_object_is_type(member, json_type_array))
		head.n_ambiguous = read_ambiguous(document, member);
	head.ambiguous = document->ambiguous;
	document->head = head;
	return 0;
}

int points_document_parse(const char *text, struct points_document **ret)
{
	CLEANUP(points_document_freep)
	struct points_document *document = calloc(1, sizeof(*document));

	if (!document)
		return -ENOMEM;
	document->root = json_tokener_parse(text);
	if (!document->root || !json_object_is_type(document->root, json_type_object))
		return -EBADMSG;

	int r = read_head(document);

	if (r < 0)
		return r;
	*ret = document;
	document = NULL;
	return 0;
}

void points_document_free(struct points_document *document)
{
	if (!document)
		return;
	json_object_put(document->root);
	free(document);
}

void points_document_freep(struct points_document **document)
{
	points_document_free(*document);
}

void points_document_head(const struct points_document *document, struct points_head *ret)
{
	*ret = document->head;
}

/* "-12.5" without the detour through a double. */
static int decimal_of_text(const char *text, struct decimal *ret)
{
	const char *point = strchr(text, '.');
	size_t n = point ? strlen(point + 1) : 0;

	if (n > DECIMAL_DIGITS)
		return -EBADMSG;
	ret->decimals = (unsigned)n;
	return parse_fixed_slice(slice_of(text), (unsigned)n, &ret->value) < 0 ? -EBADMSG : 0;
}

static int read_point(struct points_document *document, struct json_object *point,
		      struct points_item *ret)
{
	struct points_item item = {.type = POINTS_POINT, .series = &document->shown};
	struct json_object *wall, *value;
	size_t n =
		json_object_is_type(point, json_type_array) ? json_object_array_length(point) : 0;

	if (n < 2)
		return -EBADMSG;
	wall = json_object_array_get_idx(point, 0);
	value = json_object_array_get_idx(point, 1);
	if (!json_object_is_type(wall, json_type_int))
		return -EBADMSG;
	item.wall_ms = json_object_get_int64(wall);
	item.boot_ms = item.wall_ms - document->shown.wall_offset_ms;
	item.has_value = value != NULL;
	if (value && decimal_of_text(json_object_get_string(value), &item.value) < 0)
		return -EBADMSG;
	if (n > 2)
		item.flag = (uint8_t)flag_of_name(
			json_object_get_string(json_object_array_get_idx(point, 2)));
	*ret = item;
	return 1;
}

static int open_series(struct points_document *document, struct points_item *ret)
{
	struct json_object *series =
		json_object_array_get_idx(document->series, document->next_series++);
	const char *node = string_of(series, "node"), *identity = string_of(series, "identity");
	const char *boot_id = string_of(series, "boot_id");
	struct json_object *as_shown;

	if (!node || !json_object_object_get_ex(series, "points", &document->points) ||
	    !json_object_is_type(document->points, json_type_array))
		return -EBADMSG;
	document->next_point = 0;
	document->shown = (struct points_series){
		.node = node,
		.identity = identity ? identity : "",
		.boot = integer_of(series, "boot"),
		.boot_id = boot_id ? boot_id : "",
		.wall_offset_ms = integer_of(series, "wall_offset_ms"),
		.as_shown = json_object_object_get_ex(series, "as_shown", &as_shown) &&
			    json_object_get_boolean(as_shown),
	};
	*ret = (struct points_item){.type = POINTS_SERIES, .series = &document->shown};
	return 1;
}

static int read_before(struct points_document *document, struct points_item *ret)
{
	struct json_object *before =
		json_object_array_get_idx(document->before, document->next_before++);
	struct points_item item = {
		.type = POINTS_BEFORE, .series = &document->shown, .has_value = true};
	const char *node = string_of(before, "node"), *identity = string_of(before, "identity");
	const char *t = string_of(before, "t"), *flag = string_of(before, "flag");
	struct json_object *value;

	if (!node || !t || clock_parse_rfc3339(t, &item.wall_ms) < 0 ||
	    !json_object_object_get_ex(before, "value", &value) || !value ||
	    decimal_of_text(json_object_get_string(value), &item.value) < 0)
		return -EBADMSG;
	item.boot_ms = integer_of(before, "boot_ms");
	item.flag = (uint8_t)flag_of_name(flag ? flag : "");
	document->shown = (struct points_series){
		.node = node,
		.identity = identity ? identity : "",
		.boot = integer_of(before, "boot"),
		.boot_id = "",
		.wall_offset_ms = item.wall_ms - item.boot_ms,
	};
	*ret = item;
	return 1;
}

int points_document_next(void *self, struct points_item *ret)
{
	struct points_document *document = self;

	if (document->points) {
		if (document->next_point < json_object_array_length(document->points))
			return read_point(
				document,
				json_object_array_get_idx(document->points, document->next_point++),
				ret);
		document->points = NULL;
		*ret = (struct points_item){.type = POINTS_SERIES_END, .series = &document->shown};
		return 1;
	}
	if (document->next_series < json_object_array_length(document->series))
		return open_series(document, ret);
	if (document->before && document->next_before < json_object_array_length(document->before))
		return read_before(document, ret);
	if (document->n_damaged > 0) {
		document->n_damaged--;
		*ret = (struct points_item){.type = POINTS_DAMAGE};
		return 1;
	}
	return 0;
}
