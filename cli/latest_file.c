/* The newest values in a database file, as a daemon would have told them at its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/errno_name.h"
#include "cli/cli.h"
#include "cli/latest.h"
#include "export/api.h"
#include "sampling/registry.h"
#include "store/reader.h"

#define BOOTS_MAX     1024
#define DOC_MAX_BYTES (8 * 1024 * 1024)
#define REMARKS_MAX   65536
#define NODES_MAX     65536

/* How far before the end a series is looked for first, and how much further each time. */
#define FIRST_LOOK_MS   INT64_C(600000)
#define FIRST_N_PERIODS 10
#define LOOK_FACTOR     16

/* A text, flag or fault that is in force at the end. */
struct remark {
	const struct group *group;
	char node[NODE_NAME_MAX];
	size_t field;
	enum info_what what;
	int64_t t_ms;
	char *value;
};

struct latest_file {
	struct reader *reader;
	const char *node; /* wanted, "" for all */
	struct boot boot; /* the newest */
	struct remark *remarks;
	size_t n_remarks, remarks_alloc;
	struct node_info *nodes; /* of the newest boot */
	size_t n_nodes, nodes_alloc;
	enum info_what what; /* that is being read */
	/* The group whose rows are being made. */
	const struct collector *collector;
	const struct group *group;
	int64_t look_ms;
	struct series_key *keys;
	size_t n_keys, keys_alloc;
	struct doc doc;
};

/* The newest tick of a series, and each field at it. */
struct newest {
	const struct latest_file *file;
	int64_t t_ms, step_ms;
	struct api_value values[SINK_FIELDS_MAX];
};

static void latest_file_done(struct latest_file *file)
{
	for (size_t i = 0; i < file->n_remarks; i++)
		free(file->remarks[i].value);
	free(file->remarks);
	free(file->nodes);
	free(file->keys);
	doc_done(&file->doc);
	reader_closep(&file->reader);
}

/* Room for one more element of an array that doubles, -ENOSPC past max. */
static int room(void **array, size_t *alloc, size_t used, size_t size, size_t max)
{
	size_t n = *alloc ? 2 * *alloc : 64;
	void *grown;

	if (used < *alloc)
		return 0;
	if (used >= max)
		return -ENOSPC;
	grown = reallocarray(*array, n, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*alloc = n;
	return 0;
}

static int take_node(const struct node_info *node, void *arg)
{
	struct latest_file *file = arg;
	void *array = file->nodes;
	int r;

	if (node->boot != file->boot.id)
		return 0;
	r = room(&array, &file->nodes_alloc, file->n_nodes, sizeof(*file->nodes), NODES_MAX);
	file->nodes = array;
	if (r == 0)
		file->nodes[file->n_nodes++] = *node;
	return r;
}

static int take_remark(const struct info_record *record, void *arg)
{
	struct latest_file *file = arg;
	struct remark remark = {.what = file->what, .t_ms = record->t_ms};
	void *array = file->remarks;
	size_t index;
	int r;

	if (record->boot != file->boot.id || !*record->value ||
	    catalog_find_group(registry(), record->group, &index) < 0)
		return 0;
	remark.group = catalog_group_at(registry(), index, NULL);
	if (group_find_field(remark.group, record->field, &remark.field) < 0)
		return 0;
	r = room(&array, &file->remarks_alloc, file->n_remarks, sizeof(remark), REMARKS_MAX);
	file->remarks = array;
	if (r < 0)
		return r;
	snprintf(remark.node, sizeof(remark.node), "%s", record->node);
	remark.value = strdup(record->value);
	if (!remark.value)
		return -ENOMEM;
	file->remarks[file->n_remarks++] = remark;
	return 0;
}

static bool has_gone(const struct latest_file *file, const struct series_key *key)
{
	for (size_t i = 0; i < file->n_nodes; i++)
		if (file->nodes[i].gone &&
		    !strcmp(file->nodes[i].collector, file->collector->name) &&
		    !strcmp(file->nodes[i].name, key->node) &&
		    !strcmp(file->nodes[i].identity, key->identity))
			return true;
	return false;
}

static int take_key(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct latest_file *file = arg;
	void *array = file->keys;
	int r;

	if (boot->id != file->boot.id || has_gone(file, key))
		return 0;
	r = room(&array, &file->keys_alloc, file->n_keys, sizeof(*file->keys), SIZE_MAX / 1024);
	file->keys = array;
	if (r == 0)
		file->keys[file->n_keys++] = *key;
	return r;
}

/* The values of one field or two in a span: the newest of each, and the newest tick. */
static void take_span(struct newest *newest, const struct span *span, const size_t *fields,
		      size_t n_fields)
{
	int64_t last_ms = span->t0_ms + (int64_t)(span->n - 1) * span->step_ms;

	if (!span->n)
		return;
	if (last_ms >= newest->t_ms) {
		newest->t_ms = last_ms;
		newest->step_ms = span->step_ms;
	}
	for (size_t f = 0; f < n_fields; f++) {
		struct api_value *v = &newest->values[fields[f]];

		for (size_t i = 0; i < span->n; i++) {
			if (span->absent[f][i])
				continue;
			v->value = (struct value){
				.type = VALUE_INT, .i = span->values[f][i], .flag = span->flag[f]};
			v->good_at_ms = span->t0_ms + (int64_t)i * span->step_ms;
		}
	}
}

static int read_fields(struct newest *newest, const struct series_key *key, const size_t *fields,
		       size_t n_fields, int64_t from_ms)
{
	const struct latest_file *file = newest->file;
	struct cursor *cursor;
	struct span span;
	int r = cursor_open(file->reader, file->group, key, fields, n_fields, from_ms,
			    file->boot.last_ms, &cursor);

	if (r < 0)
		return r;
	while ((r = cursor_next(cursor, &span)) > 0 || r == -EBADMSG)
		if (r > 0)
			take_span(newest, &span, fields, n_fields);
	cursor_close(cursor);
	return r;
}

static int read_numbers(struct newest *newest, const struct series_key *key, int64_t from_ms)
{
	const struct group *group = newest->file->group;
	size_t pair[SPAN_FIELDS_MAX], n = 0;
	int r = 0;

	for (size_t f = 0; f < group->n_fields && r == 0; f++) {
		if (group->fields[f].kind != KIND_INFO)
			pair[n++] = f;
		if (n == SPAN_FIELDS_MAX || (n && f + 1 == group->n_fields)) {
			r = read_fields(newest, key, pair, n, from_ms);
			n = 0;
		}
	}
	return r;
}

/* The fault of a field since it was good last; the value of then may lie further back. That of a
 * text is a remark itself. */
static int take_fault(struct newest *newest, const struct series_key *key,
		      const struct remark *remark)
{
	struct api_value *v = &newest->values[remark->field];
	bool more = v->value.type == VALUE_ABSENT &&
		    remark->group->fields[remark->field].kind != KIND_INFO;
	int r = 0;

	v->fault = errno_value(remark->value);
	for (int64_t back_ms = newest->file->look_ms; r == 0 && more; back_ms *= LOOK_FACTOR) {
		int64_t from_ms = remark->t_ms - back_ms;

		r = read_fields(newest, key, &remark->field, 1, from_ms);
		more = v->value.type == VALUE_ABSENT && from_ms > newest->file->boot.first_ms;
	}
	return r;
}

static bool has_remark(const struct latest_file *file, const char *node)
{
	for (size_t i = 0; i < file->n_remarks; i++)
		if (file->remarks[i].group == file->group && !strcmp(file->remarks[i].node, node))
			return true;
	return false;
}

static int take_remarks(struct newest *newest, const struct series_key *key)
{
	const struct latest_file *file = newest->file;
	int r = 0;

	for (size_t i = 0; i < file->n_remarks && r == 0; i++) {
		const struct remark *remark = &file->remarks[i];
		struct api_value *v = &newest->values[remark->field];

		if (remark->group != file->group || strcmp(remark->node, key->node) != 0)
			continue;
		if (remark->what == INFO_TEXTS)
			*v = (struct api_value){
				{.type = VALUE_TEXT}, remark->value, 0, remark->t_ms};
		else if (remark->what == INFO_FAULTS)
			r = take_fault(newest, key, remark);
	}
	return r;
}

/* What the newest tick does not have is absent, however it was before. */
static void drop_old(struct newest *newest)
{
	for (size_t f = 0; f < newest->file->group->n_fields; f++) {
		struct api_value *v = &newest->values[f];

		if (v->value.type == VALUE_INT && !v->fault && v->good_at_ms < newest->t_ms)
			v->value.type = VALUE_ABSENT;
	}
}

static struct api_value get_value(const void *arg, size_t field)
{
	return ((const struct newest *)arg)->values[field];
}

static int write_row(struct latest_file *file, const struct series_key *key, struct newest *newest)
{
	const struct api_row row = {
		.collector = file->collector,
		.group = file->group,
		.node = key->node,
		.identity = key->identity,
		.boot = file->boot.id,
		.t_ms = newest->t_ms,
		.wall_offset_ms = file->boot.wall_offset_ms,
		.now_ms = file->boot.last_ms,
		.step_ms = newest->step_ms,
	};
	int r = take_remarks(newest, key);

	if (r < 0)
		return r;
	drop_old(newest);
	api_row(&file->doc, &row, get_value, newest);
	return doc_error(&file->doc);
}

static int add_row(struct latest_file *file, const struct series_key *key, int64_t from_ms)
{
	struct newest newest = {.file = file, .t_ms = INT64_MIN};
	int r = read_numbers(&newest, key, from_ms);

	return r < 0 || newest.t_ms == INT64_MIN ? r : write_row(file, key, &newest);
}

struct shown {
	struct series_key *keys;
	size_t n;
};

static void shown_done(struct shown *shown)
{
	free(shown->keys);
}

static bool is_shown(const struct shown *shown, const struct series_key *key)
{
	for (size_t i = 0; i < shown->n; i++)
		if (!strcmp(shown->keys[i].node, key->node) &&
		    !strcmp(shown->keys[i].identity, key->identity))
			return true;
	return false;
}

/* Of texts alone there are no ticks in a file: when its nodes were seen last stands with them. */
static int add_texts(struct latest_file *file, const struct shown *shown)
{
	int r = 0;

	for (size_t i = 0; i < file->n_nodes && r == 0; i++) {
		const struct node_info *node = &file->nodes[i];
		struct newest newest = {
			.file = file, .t_ms = node->last_ms, .step_ms = file->group->period_ms};
		struct series_key key = {.boot = file->boot.id};

		if (node->gone || strcmp(node->collector, file->collector->name) != 0 ||
		    (*file->node && strcmp(file->node, node->name) != 0 &&
		     strcmp(file->node, node->identity) != 0) ||
		    !has_remark(file, node->name))
			continue;
		snprintf(key.node, sizeof(key.node), "%s", node->name);
		snprintf(key.identity, sizeof(key.identity), "%s", node->identity);
		if (!is_shown(shown, &key))
			r = write_row(file, &key, &newest);
	}
	return r;
}

/* The series of a group that have samples in a span before the end. */
static int find_keys(struct latest_file *file, int64_t from_ms, int64_t to_ms)
{
	file->n_keys = 0;
	return reader_series(file->reader, file->group, file->node,
			     from_ms + file->boot.wall_offset_ms, to_ms + file->boot.wall_offset_ms,
			     take_key, file);
}

/* Looks back in spans that grow: most series have a sample in the first one. */
static int add_group(struct latest_file *file)
{
	CLEANUP(shown_done) struct shown shown = {0};
	int64_t to_ms = file->boot.last_ms;
	int64_t back_ms = MAX(FIRST_LOOK_MS, (int64_t)file->group->period_ms * FIRST_N_PERIODS);
	int r = 0;

	file->look_ms = back_ms;
	for (bool more = true; r == 0 && more; back_ms *= LOOK_FACTOR) {
		int64_t from_ms = MAX(file->boot.last_ms - back_ms, 0);

		more = from_ms > file->boot.first_ms;
		r = find_keys(file, from_ms, to_ms);
		if (r < 0)
			return r;
		for (size_t i = 0; i < file->n_keys && r == 0; i++) {
			void *grown;

			if (is_shown(&shown, &file->keys[i]))
				continue;
			grown = reallocarray(shown.keys, shown.n + 1, sizeof(*shown.keys));
			if (!grown)
				return -ENOMEM;
			shown.keys = grown;
			shown.keys[shown.n++] = file->keys[i];
			r = add_row(file, &file->keys[i], from_ms);
		}
		to_ms = from_ms;
	}
	return r < 0 ? r : add_texts(file, &shown);
}

static int add_groups(struct latest_file *file)
{
	int r = 0;

	doc_array(&file->doc, NULL);
	for (size_t i = 0; r == 0 && i < catalog_n_groups(registry()); i++) {
		file->group = catalog_group_at(registry(), i, &file->collector);
		r = add_group(file);
	}
	doc_end(&file->doc);
	return r < 0 ? r : doc_error(&file->doc);
}

static int newest_boot(struct reader *reader, struct boot *ret)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	if (n > 0)
		*ret = boots[n - 1];
	return n == 0 ? -ENODATA : MIN(n, 0);
}

static int read_all(struct latest_file *file)
{
	int r = newest_boot(file->reader, &file->boot);

	if (r == 0)
		r = reader_nodes(file->reader, NULL, take_node, file);
	for (file->what = INFO_TEXTS; r == 0 && file->what <= INFO_FAULTS; file->what++)
		if (file->what != INFO_FLAGS) /* these come with the spans */
			r = reader_infos(file->reader, file->what, take_remark, file);
	return r < 0 ? r : add_groups(file);
}

static void say_end(const char *path, const struct boot *boot)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	clock_rfc3339(&text, boot->last_ms + boot->wall_offset_ms);
	fprintf(stderr, "flashscope latest: as it was at the end of %s, %s\n", path, buf);
}

int latest_read_file(const char *path, const char *node, char **ret)
{
	CLEANUP(latest_file_done) struct latest_file file = {.node = node ? node : ""};
	size_t len;
	int r;

	if (cli_open_file("latest", path, &file.reader) < 0)
		return EXIT_FAILED;
	doc_init(&file.doc, DOC_MAX_BYTES);
	r = read_all(&file);
	if (r < 0)
		return cli_file_failed("latest", path, file.reader, r);
	say_end(path, &file.boot);
	*ret = doc_take(&file.doc, &len);
	return EXIT_DONE;
}
