#include "model/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sink.h"

static const char *const source_names[N_WRITER_SOURCES] = {
	[WRITER_PROCESS] = "process",
	[WRITER_CGROUP] = "cgroup",
	[WRITER_UID] = "uid",
	[WRITER_DEVICE] = "device",
};

static const char *const by_names[] = {
	[WRITERS_BY_ANY] = "",
	[WRITERS_BY_PROCESS] = "process",
	[WRITERS_BY_UNIT] = "unit",
	[WRITERS_BY_UID] = "uid",
};

const char *writer_source_name(enum writer_source source)
{
	return source_names[source];
}

enum writer_source writer_source_named(const char *name)
{
	int i = 0;

	while (i < N_WRITER_SOURCES && strcmp(source_names[i], name) != 0)
		i++;
	return (enum writer_source)i;
}

const char *writers_state_name(enum writers_state state)
{
	static const char *const names[N_WRITERS_STATES] = {
		[WRITERS_COUNTED] = "counted",
		[WRITERS_NONE] = "none",
		[WRITERS_NOT_COUNTED] = "not_counted",
		[WRITERS_OUTSIDE] = "outside",
	};

	return names[state];
}

const char *writers_by_name(enum writers_by by)
{
	return by_names[by];
}

int writers_by_named(const char *name, enum writers_by *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_names); i++)
		if (!strcmp(by_names[i], name)) {
			*ret = (enum writers_by)i;
			return 0;
		}
	return -EINVAL;
}

/* Users are told apart by their number, all others by their names. */
bool writer_is_same(const struct writer *a, const struct writer *b)
{
	return a->source == b->source && !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) &&
	       !strcmp(a->device, b->device) && (a->source != WRITER_UID || a->id == b->id);
}

bool writer_is_others(const struct writer *writer)
{
	return !strcmp(writer->name, WRITER_OTHERS);
}

void writer_merge(struct writer *a, const struct writer *b)
{
	writer_io_add(&a->io, &b->io);
	a->n = MAX(a->n, b->n);
	if (b->id >= 0)
		a->id = b->id;
}

bool writer_is_smaller(const struct writer *a, const struct writer *b)
{
	if (a->io.written != b->io.written)
		return a->io.written < b->io.written;
	return a->io.read < b->io.read;
}

/* The node is for people who look at one sample: nothing is known again by it. */
void writer_to_row(const struct writer *writer, struct sink *sink)
{
	const char *source = source_names[writer->source];
	char node[NODE_NAME_MAX];

	snprintf(node, sizeof(node), "%s %s", source, writer->name);
	if (writer->source == WRITER_UID)
		snprintf(node, sizeof(node), "%s %lld", source, (long long)writer->id);

	struct row *row = sink_row(sink, node, "");

	row_set(row, WRITER_FIELD_WRITTEN, writer->io.written);
	row_set(row, WRITER_FIELD_READ, writer->io.read);
	if (writer->source == WRITER_PROCESS) {
		row_set(row, WRITER_FIELD_CANCELLED, writer->io.cancelled);
		row_set(row, WRITER_FIELD_PROCESSES, writer->n);
	}
	if (writer->source == WRITER_UID)
		row_set(row, WRITER_FIELD_SYNCS, writer->io.syncs);
	if (writer->id >= 0)
		row_set(row, WRITER_FIELD_ID, writer->id);
	row_text(sink, row, WRITER_FIELD_SOURCE, source);
	row_text(sink, row, WRITER_FIELD_NAME, writer->name);
	row_text(sink, row, WRITER_FIELD_UNIT, writer->unit);
	row_text(sink, row, WRITER_FIELD_DEVICE, writer->device);
}

static int64_t count_of(const struct row *row, size_t field, int64_t otherwise)
{
	const struct value *value = &row->values[field];

	return value->type == VALUE_INT && value->i >= 0 ? value->i : otherwise;
}

static const char *text_of(const struct sink *sink, const struct row *row, size_t field)
{
	const struct value *value = &row->values[field];

	return value->type == VALUE_TEXT ? sink_text(sink, value) : "";
}

int writer_of_row(const struct sink *sink, const struct row *row, struct writer *ret)
{
	enum writer_source source = writer_source_named(text_of(sink, row, WRITER_FIELD_SOURCE));

	if (source == N_WRITER_SOURCES)
		return -EINVAL;
	*ret = (struct writer){
		.source = source,
		.id = count_of(row, WRITER_FIELD_ID, -1),
		.n = count_of(row, WRITER_FIELD_PROCESSES, 0),
		.io = {.read = count_of(row, WRITER_FIELD_READ, 0),
		       .written = count_of(row, WRITER_FIELD_WRITTEN, 0),
		       .cancelled = count_of(row, WRITER_FIELD_CANCELLED, 0),
		       .syncs = count_of(row, WRITER_FIELD_SYNCS, 0)},
	};
	snprintf(ret->name, sizeof(ret->name), "%s", text_of(sink, row, WRITER_FIELD_NAME));
	snprintf(ret->unit, sizeof(ret->unit), "%s", text_of(sink, row, WRITER_FIELD_UNIT));
	snprintf(ret->device, sizeof(ret->device), "%s", text_of(sink, row, WRITER_FIELD_DEVICE));
	return 0;
}

void writers_report_done(struct writers_report *report)
{
	free(report->rows);
	free(report->devices);
	*report = (struct writers_report){0};
}
