#include "analysis/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/catalog.h"

void facts_done(struct facts *facts)
{
	free(facts->rows);
	free(facts->places);
	free(facts->values);
	free(facts->text);
	*facts = (struct facts){0};
}

/* The array with room for n more elements; NULL without memory, and the array is as it was. */
static void *room(void *array, size_t *alloc, size_t used, size_t n, size_t size)
{
	size_t need = MAX(used + n, *alloc * 2 + 64);
	void *grown;

	if (used + n <= *alloc)
		return array;
	grown = reallocarray(array, need, size);
	if (grown)
		*alloc = need;
	return grown;
}

/* FNV-1a, of both names with the zero between them. */
static uint32_t hash_of(const char *group, const char *node)
{
	uint32_t hash = 2166136261U;

	for (const char *p = group; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619U;
	hash *= 16777619U;
	for (const char *p = node; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619U;
	return hash;
}

/* The place of a row, or the free one where it belongs; there are places. */
static uint32_t *place_of(const struct facts *facts, const char *group, const char *node)
{
	size_t mask = facts->n_places - 1, i = hash_of(group, node) & mask;

	for (; facts->places[i]; i = (i + 1) & mask) {
		const struct facts_row *row = &facts->rows[facts->places[i] - 1];

		if (!strcmp(row->node, node) && !strcmp(row->group->name, group))
			break;
	}
	return &facts->places[i];
}

const struct facts_row *facts_find(const struct facts *facts, const char *group, const char *node)
{
	uint32_t number = facts->n_places ? *place_of(facts, group, node) : 0;

	return number ? &facts->rows[number - 1] : NULL;
}

/* Makes room for one more row. */
static int room_for_place(struct facts *facts)
{
	size_t n = facts->n_places ? facts->n_places * 2 : 128;
	uint32_t *old = facts->places, *places;

	if ((facts->n_rows + 1) * 2 <= facts->n_places)
		return 0;
	places = calloc(n, sizeof(*places));
	if (!places)
		return -ENOMEM;
	facts->places = places;
	facts->n_places = n;
	free(old);
	for (size_t i = 0; i < facts->n_rows; i++) {
		const struct facts_row *row = &facts->rows[i];

		*place_of(facts, row->group->name, row->node) = (uint32_t)i + 1;
	}
	return 0;
}

static int add_row(struct facts *facts, const struct group *group, const char *node)
{
	if (facts->n_rows == FACTS_ROWS_MAX) {
		facts->truncated = true;
		return -ENOSPC;
	}

	void *rows = room(facts->rows, &facts->rows_alloc, facts->n_rows, 1, sizeof(*facts->rows));

	if (!rows)
		return -ENOMEM;
	facts->rows = rows;

	void *values = room(facts->values, &facts->values_alloc, facts->n_values, group->n_fields,
			    sizeof(*facts->values));

	if (!values)
		return -ENOMEM;
	facts->values = values;
	if (room_for_place(facts) < 0)
		return -ENOMEM;

	struct facts_row *row = &facts->rows[facts->n_rows++];

	*row = (struct facts_row){.group = group, .first = facts->n_values};
	snprintf(row->node, sizeof(row->node), "%s", node);
	memset(&facts->values[facts->n_values], 0, group->n_fields * sizeof(*facts->values));
	facts->n_values += group->n_fields;
	*place_of(facts, group->name, row->node) = (uint32_t)facts->n_rows;
	return 0;
}

int facts_row(struct facts *facts, const struct group *group, const char *node, size_t *ret)
{
	const struct facts_row *row = facts_find(facts, group->name, node);
	int r = row ? 0 : add_row(facts, group, node);

	if (r == 0)
		*ret = row ? (size_t)(row - facts->rows) : facts->n_rows - 1;
	return r;
}

int facts_set(struct facts *facts, size_t row, size_t field, const struct value *value,
	      const char *text)
{
	struct value *v = &facts->values[facts->rows[row].first + field];
	size_t size = text ? strlen(text) + 1 : 0;

	if (value->type != VALUE_TEXT) {
		*v = *value;
		return 0;
	}
	/* A text that has ended. */
	if (!text || !*text) {
		*v = (struct value){.type = VALUE_ABSENT};
		return 0;
	}
	if (size > FACTS_TEXT_BYTES_MAX - facts->text_len) {
		facts->truncated = true;
		return -ENOSPC;
	}

	char *grown = room(facts->text, &facts->text_alloc, facts->text_len, size, 1);

	if (!grown)
		return -ENOMEM;
	facts->text = grown;
	memcpy(facts->text + facts->text_len, text, size);
	*v = (struct value){.type = VALUE_TEXT, .i = (int64_t)facts->text_len};
	facts->text_len += size;
	return 0;
}

int facts_add_sink(struct facts *facts, const struct sink *sink)
{
	int r = 0;

	for (size_t i = 0; i < sink->n_rows && r == 0; i++) {
		const struct row *row = sink->rows[i];
		size_t index;

		r = facts_row(facts, sink->group, row->node, &index);
		for (size_t f = 0; r == 0 && f < sink->group->n_fields; f++)
			r = facts_set(facts, index, f, &row->values[f],
				      row->values[f].type == VALUE_TEXT
					      ? sink_text(sink, &row->values[f])
					      : NULL);
	}
	return r == -ENOSPC ? 0 : r;
}

struct fact facts_get(const struct facts *facts, const struct facts_row *row, const char *field)
{
	struct fact fact = {.type = VALUE_ABSENT};
	size_t index;

	if (!row || group_find_field(row->group, field, &index) < 0)
		return fact;

	const struct value *value = &facts->values[row->first + index];

	fact.type = value->type;
	fact.i = value->i;
	if (value->type == VALUE_TEXT)
		fact.text = facts->text + value->i;
	return fact;
}

const char *facts_text(const struct facts *facts, const struct facts_row *row, const char *field)
{
	struct fact fact = facts_get(facts, row, field);

	return fact.type == VALUE_TEXT ? fact.text : "";
}
