#include "export/prometheus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/errno_name.h"

#define ROWS_MAX       65536
#define TEXT_BYTES_MAX (16 * 1024 * 1024)
#define HELP_MAX       512
#define NAME_MAX_LEN   256

struct prometheus_row {
	size_t group_index;
	size_t node, identity; /* offsets into text */
	size_t values;         /* first one in values */
	int64_t age_ms;        /* of the sample, -1: not told */
	bool stale;
};

/* The families that follow those of the fields. */
enum common_family {
	FAMILY_FAULT,
	FAMILY_FLAG,
	FAMILY_STALE,
	FAMILY_AGE,
	FAMILY_NODE,
	N_COMMON_FAMILIES
};

struct prometheus {
	const struct catalog *catalog;
	struct prometheus_row *rows;
	size_t n_rows, rows_alloc;
	struct value *values; /* VALUE_TEXT: an offset into text */
	size_t n_values, values_alloc;
	char *text;
	size_t text_len, text_alloc;

	/* Where the stream stands. */
	bool head_written; /* of the document */
	size_t group_index, field;
	size_t group_row; /* first row of the group */
	size_t common;    /* enum common_family, once the groups are through */
	size_t row;       /* next one to look at */
	size_t row_field; /* next field in it, for what has a line for each */
	bool in_family;   /* its HELP and TYPE are written */
};

int prometheus_new(const struct catalog *catalog, struct prometheus **ret)
{
	struct prometheus *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->catalog = catalog;
	*ret = p;
	return 0;
}

void prometheus_free(struct prometheus *p)
{
	if (!p)
		return;
	free(p->rows);
	free(p->values);
	free(p->text);
	free(p);
}

/* Room for n more elements of an array that doubles. */
static int grow(void **array, size_t *alloc, size_t used, size_t n, size_t size)
{
	size_t wanted = *alloc ? *alloc : 64;

	if (used + n <= *alloc)
		return 0;
	while (wanted < used + n)
		wanted *= 2;

	void *grown = reallocarray(*array, wanted, size);

	if (!grown)
		return -ENOMEM;
	*array = grown;
	*alloc = wanted;
	return 0;
}

static int add_text(struct prometheus *p, const char *s, size_t *ret_offset)
{
	size_t size = strlen(s) + 1;
	void *array = p->text;

	if (p->text_len + size > TEXT_BYTES_MAX)
		return -ENOSPC;

	int r = grow(&array, &p->text_alloc, p->text_len, size, 1);

	if (r < 0)
		return r;
	p->text = array;
	memcpy(p->text + p->text_len, s, size);
	*ret_offset = p->text_len;
	p->text_len += size;
	return 0;
}

static int add_values(struct prometheus *p, size_t n)
{
	void *array = p->values;
	int r = grow(&array, &p->values_alloc, p->n_values, n, sizeof(*p->values));

	if (r < 0)
		return r;
	p->values = array;
	memset(p->values + p->n_values, 0, n * sizeof(*p->values));
	p->n_values += n;
	return 0;
}

int prometheus_row(struct prometheus *p, size_t group_index, const char *node, const char *identity)
{
	const struct group *group = catalog_group_at(p->catalog, group_index, NULL);
	struct prometheus_row row = {
		.group_index = group_index, .values = p->n_values, .age_ms = -1};
	void *array = p->rows;

	if (!group || (p->n_rows && p->rows[p->n_rows - 1].group_index > group_index))
		return -EINVAL;
	if (p->n_rows == ROWS_MAX)
		return -ENOSPC;

	int r = grow(&array, &p->rows_alloc, p->n_rows, 1, sizeof(*p->rows));

	if (r < 0)
		return r;
	p->rows = array;
	r = add_text(p, node, &row.node);
	if (r == 0)
		r = add_text(p, identity, &row.identity);
	if (r == 0)
		r = add_values(p, group->n_fields);
	if (r < 0)
		return r;
	p->rows[p->n_rows++] = row;
	return 0;
}

int prometheus_value(struct prometheus *p, size_t field, const struct value *value,
		     const char *text, int fault)
{
	struct value *slot = &p->values[p->rows[p->n_rows - 1].values + field];
	size_t offset;

	if (fault) {
		*slot = (struct value){.i = fault < 0 ? -fault : fault, .type = VALUE_FAULT};
		return 0;
	}
	if (value->type == VALUE_TEXT) {
		int r = add_text(p, text, &offset);

		if (r < 0)
			return r;
		*slot = *value;
		slot->i = (int64_t)offset;
		return 0;
	}
	*slot = *value;
	return 0;
}

void prometheus_age(struct prometheus *p, int64_t age_ms)
{
	p->rows[p->n_rows - 1].age_ms = MAX(age_ms, 0);
}

void prometheus_stale(struct prometheus *p)
{
	p->rows[p->n_rows - 1].stale = true;
}

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);

	return n && len > n + 1 && s[len - n - 1] == '_' && !memcmp(s + len - n, end, n);
}

void prometheus_name(struct text *out, const struct group *group, const struct field *field)
{
	const char *base = unit_base(field->unit);
	size_t len = strlen(field->name);

	if (field->kind == KIND_COUNTER && ends_with(field->name, len, "total"))
		len -= strlen("_total");
	if (ends_with(field->name, len, unit_name(field->unit)))
		len -= strlen(unit_name(field->unit)) + 1;
	else if (ends_with(field->name, len, base))
		len -= strlen(base) + 1;
	text_printf(out, "flashscope_%s_%.*s", group->name, (int)len, field->name);
	if (field->kind == KIND_INFO) {
		text_str(out, "_info");
		return;
	}
	if (*base)
		text_printf(out, "_%s", base);
	if (field->kind == KIND_COUNTER)
		text_str(out, "_total");
}

/* Within quotes: backslash, quote and newline escaped, what is no UTF-8 replaced. */
static void put_label(struct text *out, const char *name, const char *value)
{
	text_printf(out, "%s=\"", name);
	while (*value) {
		size_t n = text_utf8_len(value);

		if (*value == '\n')
			text_str(out, "\\n");
		else if (*value == '\\' || *value == '"')
			text_printf(out, "\\%c", *value);
		else if (n)
			text_mem(out, value, n);
		else
			text_str(out, "\xef\xbf\xbd");
		value += n ? n : 1;
	}
	text_char(out, '"');
}

static void put_states(struct text *out, const struct field *field)
{
	if (field->kind != KIND_STATE || !field->states)
		return;
	for (size_t i = 0; field->states[i]; i++)
		text_printf(out, "%s%zu = %s", i ? ", " : " ", i, field->states[i]);
	text_char(out, '.');
}

/* Help texts are sentences of the catalog; escaped all the same. */
static void put_help(struct text *out, const char *help)
{
	for (; *help; help++) {
		if (*help == '\n')
			text_str(out, "\\n");
		else if (*help == '\\')
			text_str(out, "\\\\");
		else
			text_char(out, *help);
	}
}

static void put_family(struct text *out, const char *name, const char *help, const char *type)
{
	text_printf(out, "# HELP %s ", name);
	put_help(out, help);
	text_printf(out, "\n# TYPE %s %s\n", name, type);
}

static void put_field_family(struct text *out, const char *name, const struct field *field)
{
	char buf[HELP_MAX];
	struct text help = TEXT_IN(buf);

	text_str(&help, field->help);
	put_states(&help, field);
	put_family(out, name, buf, field->kind == KIND_COUNTER ? "counter" : "gauge");
}

static bool shows(const struct field *field, const struct value *value)
{
	if (field->kind == KIND_INFO)
		return value->type == VALUE_TEXT;
	return value->type == VALUE_INT && value->flag != FLAG_IMPLAUSIBLE;
}

/* An info text is a label of the field's name; "node" is taken. */
static const char *info_label(const struct field *field)
{
	return strcmp(field->name, "node") ? field->name : "value";
}

static void put_sample(struct prometheus *p, struct text *out, const struct field *field,
		       const struct prometheus_row *row, const struct value *value)
{
	const struct group *group = catalog_group_at(p->catalog, row->group_index, NULL);
	char name[NAME_MAX_LEN];
	struct text text = TEXT_IN(name);

	prometheus_name(&text, group, field);
	if (!p->in_family)
		put_field_family(out, name, field);
	p->in_family = true;
	text_printf(out, "%s{", name);
	put_label(out, "node", p->text + row->node);
	if (field->kind == KIND_INFO) {
		text_char(out, ',');
		put_label(out, info_label(field), p->text + value->i);
		text_str(out, "} 1\n");
		return;
	}
	text_str(out, "} ");
	unit_text_base(out, field->unit, value->i, 0);
	text_char(out, '\n');
}

static bool in_group(const struct prometheus *p, size_t row)
{
	return row < p->n_rows && p->rows[row].group_index == p->group_index;
}

/* The next line of the current field. false when it has no more. */
static bool step_field(struct prometheus *p, struct text *out, const struct group *group)
{
	const struct field *field = &group->fields[p->field];

	while (in_group(p, p->row)) {
		const struct prometheus_row *row = &p->rows[p->row++];
		const struct value *value = &p->values[row->values + p->field];

		if (row->stale || !shows(field, value))
			continue;
		put_sample(p, out, field, row, value);
		return true;
	}
	return false;
}

static void next_group(struct prometheus *p)
{
	while (in_group(p, p->group_row))
		p->group_row++;
	p->group_index++;
	p->field = 0;
	p->row = p->group_row;
}

/* The next line of what the groups have. false when they are through. */
static bool step_groups(struct prometheus *p, struct text *out)
{
	const struct group *group;

	while ((group = catalog_group_at(p->catalog, p->group_index, NULL))) {
		if (p->field == group->n_fields || !in_group(p, p->group_row)) {
			next_group(p);
			continue;
		}
		if (step_field(p, out, group))
			return true;
		p->field++;
		p->row = p->group_row;
		p->in_family = false;
	}
	return false;
}

struct common_text {
	const char *name, *help, *label; /* label: "" where a node has one line */
};

static const struct common_text common_texts[] = {
	[FAMILY_FAULT] = {"flashscope_field_fault", "Fields that exist and could not be read.",
			  "error"},
	[FAMILY_FLAG] = {"flashscope_field_flag", "Values that are there but not to be trusted.",
			 "flag"},
	[FAMILY_STALE] = {"flashscope_node_stale",
			  "Nodes whose newest sample is older than it should be.", ""},
	[FAMILY_AGE] = {"flashscope_sample_age_seconds",
			"How long ago a node was sampled, where that is done seldom or is late.",
			""},
	[FAMILY_NODE] = {"flashscope_node_info", "What a node is, whatever its name.", ""},
};

static void put_common_head(struct prometheus *p, struct text *out)
{
	const struct common_text *common = &common_texts[p->common];

	if (!p->in_family)
		put_family(out, common->name, common->help, "gauge");
	p->in_family = true;
	text_printf(out, "%s{", common->name);
}

static void put_remark(struct prometheus *p, struct text *out, const struct prometheus_row *row,
		       const struct field *field, const char *word)
{
	put_common_head(p, out);
	put_label(out, "group", catalog_group_at(p->catalog, row->group_index, NULL)->name);
	text_char(out, ',');
	put_label(out, "node", p->text + row->node);
	text_char(out, ',');
	put_label(out, "field", field->name);
	text_char(out, ',');
	put_label(out, common_texts[p->common].label, word);
	text_str(out, "} 1\n");
}

static const char *remark_of(const struct prometheus *p, const struct value *value)
{
	if (p->common == FAMILY_FAULT)
		return value->type == VALUE_FAULT ? errno_name((int)value->i) : NULL;
	return value->type == VALUE_INT && value->flag ? flag_name((enum flag)value->flag) : NULL;
}

/* The next fault or flag of the current row. */
static bool step_remark(struct prometheus *p, struct text *out, const struct prometheus_row *row)
{
	const struct group *group = catalog_group_at(p->catalog, row->group_index, NULL);

	while (!row->stale && p->row_field < group->n_fields) {
		size_t field = p->row_field++;
		const char *word = remark_of(p, &p->values[row->values + field]);

		if (!word)
			continue;
		put_remark(p, out, row, &group->fields[field], word);
		return true;
	}
	return false;
}

/* Whether the family has a line for the row. */
static bool has_line(const struct prometheus *p, const struct prometheus_row *row)
{
	if (p->common == FAMILY_STALE)
		return row->stale;
	if (p->common == FAMILY_AGE)
		return row->age_ms >= 0;
	return p->text[row->identity];
}

static bool step_node(struct prometheus *p, struct text *out, const struct prometheus_row *row)
{
	if (p->row_field++ || !has_line(p, row))
		return false;
	put_common_head(p, out);
	put_label(out, "group", catalog_group_at(p->catalog, row->group_index, NULL)->name);
	text_char(out, ',');
	put_label(out, "node", p->text + row->node);
	if (p->common == FAMILY_NODE) {
		text_char(out, ',');
		put_label(out, "identity", p->text + row->identity);
	}
	text_str(out, "} ");
	text_fixed(out, p->common == FAMILY_AGE ? row->age_ms : 1, p->common == FAMILY_AGE ? 3 : 0);
	text_char(out, '\n');
	return true;
}

static bool step_common(struct prometheus *p, struct text *out)
{
	for (; p->common < N_COMMON_FAMILIES; p->common++) {
		for (; p->row < p->n_rows; p->row++) {
			const struct prometheus_row *row = &p->rows[p->row];

			if (p->common >= FAMILY_STALE ? step_node(p, out, row)
						      : step_remark(p, out, row))
				return true;
			p->row_field = 0;
		}
		p->row = 0;
		p->in_family = false;
	}
	return false;
}

static int step(void *self, struct text *out)
{
	struct prometheus *p = self;

	if (!p->head_written) {
		p->head_written = true;
		put_family(out, "flashscope_build_info", "What answers here.", "gauge");
		text_str(out, "flashscope_build_info{version=\"" FLASHSCOPE_VERSION "\"} 1\n");
		return 1;
	}
	if (catalog_group_at(p->catalog, p->group_index, NULL)) {
		if (step_groups(p, out))
			return 1;
		p->row = p->row_field = 0;
		p->in_family = false;
	}
	return step_common(p, out);
}

static void free_self(void *self)
{
	prometheus_free(self);
}

int prometheus_stream(struct prometheus *prometheus, struct stream **ret)
{
	return stream_new(step, free_self, prometheus, ret);
}
