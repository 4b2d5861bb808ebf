/* Facts for the IO path from a database file: of the nodes that were there at its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/path.h"
#include "sampling/registry.h"
#include "store/reader.h"

#define BOOTS_MAX 1024
#define RECENT_MS INT64_C(7200000) /* how old the newest value of a field may be */

struct nodes {
	struct node_info *v;
	size_t n, alloc;
	int64_t boot;
};

static void nodes_done(struct nodes *nodes)
{
	free(nodes->v);
}

static int take_node(const struct node_info *node, void *arg)
{
	struct nodes *nodes = arg;

	if (node->gone || node->boot != nodes->boot)
		return 0;
	if (nodes->n == nodes->alloc) {
		void *grown = reallocarray(nodes->v, nodes->alloc * 2 + 64, sizeof(*nodes->v));

		if (!grown)
			return -ENOMEM;
		nodes->v = grown;
		nodes->alloc = nodes->alloc * 2 + 64;
	}
	nodes->v[nodes->n++] = *node;
	return 0;
}

static bool is_there(const struct nodes *nodes, const char *collector, const char *name)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (!strcmp(nodes->v[i].name, name) && !strcmp(nodes->v[i].collector, collector))
			return true;
	return false;
}

struct reading {
	struct reader *reader;
	struct facts *facts;
	struct nodes nodes;
	struct boot boot; /* the newest */
	const struct group *group;
};

static int set_fact(struct facts *facts, const struct group *group, const char *node, size_t field,
		    const struct value *value, const char *text)
{
	size_t row;
	int r = facts_row(facts, group, node, &row);

	if (r == 0)
		r = facts_set(facts, row, field, value, text);
	return r == -ENOSPC ? 0 : r;
}

static int take_text(const struct info_record *record, void *arg)
{
	struct reading *reading = arg;
	const struct value value = {.type = VALUE_TEXT};
	const struct group *group;
	size_t index, field;

	if (record->boot != reading->boot.id || !iopath_needs(record->group) ||
	    !is_there(&reading->nodes, record->collector, record->node) ||
	    catalog_find_group(registry(), record->group, &index) < 0)
		return 0;
	group = catalog_group_at(registry(), index, NULL);
	if (group_find_field(group, record->field, &field) < 0)
		return 0;
	return set_fact(reading->facts, group, record->node, field, &value, record->value);
}

/* The last value of one field of a series. */
static int take_last(struct reading *reading, const struct series_key *key, size_t field)
{
	struct value value = {.type = VALUE_ABSENT};
	struct cursor *cursor;
	struct span span;
	int r = cursor_open(reading->reader, reading->group, key, &field, 1,
			    reading->boot.last_ms - RECENT_MS, reading->boot.last_ms, &cursor);

	if (r < 0)
		return r;
	while ((r = cursor_next(cursor, &span)) > 0 || r == -EBADMSG)
		for (size_t i = 0; r > 0 && i < span.n; i++)
			value = span.absent[0][i]
					? (struct value){.type = VALUE_ABSENT}
					: (struct value){.type = VALUE_INT, .i = span.values[0][i]};
	cursor_close(cursor);
	return r < 0 ? r : set_fact(reading->facts, reading->group, key->node, field, &value, NULL);
}

static int take_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct reading *reading = arg;
	const struct group *group = reading->group;
	size_t index;
	const struct collector *collector = NULL;
	int r = 0;

	if (boot->id != reading->boot.id || catalog_find_group(registry(), group->name, &index) < 0)
		return 0;
	catalog_group_at(registry(), index, &collector);
	if (!is_there(&reading->nodes, collector->name, key->node))
		return 0;
	for (size_t f = 0; f < group->n_fields && r == 0; f++)
		if (group->fields[f].kind != KIND_INFO &&
		    iopath_needs_field(group->name, group->fields[f].name))
			r = take_last(reading, key, f);
	return r;
}

static int take_numbers(struct reading *reading)
{
	const struct boot *boot = &reading->boot;
	int64_t to_ms = boot->last_ms + boot->wall_offset_ms;
	int r = 0;

	for (size_t i = 0; i < catalog_n_groups(registry()) && r == 0; i++) {
		reading->group = catalog_group_at(registry(), i, NULL);
		if (iopath_needs(reading->group->name))
			r = reader_series(reading->reader, reading->group, NULL, to_ms - RECENT_MS,
					  to_ms, take_series, reading);
	}
	return r;
}

static int newest_boot(struct reader *reader, struct boot *ret)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	if (n > 0)
		*ret = boots[n - 1];
	return n == 0 ? -ENODATA : MIN(n, 0);
}

static void nodes_of_reading_done(struct reading *reading)
{
	nodes_done(&reading->nodes);
}

/* Of a drawing alone nobody can tell of which day it is. */
static void say_when(const char *path, struct reader *reader)
{
	int64_t last_ms;
	char buf[64];
	struct text text = TEXT_IN(buf);

	if (cli_file_newest(reader, &last_ms) < 0)
		return;
	clock_rfc3339(&text, last_ms);
	fprintf(stderr, "flashscope path: as it was at the end of %s, %s\n", path, buf);
}

int path_read_file(const char *path, struct facts *facts)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(nodes_of_reading_done) struct reading reading = {.facts = facts};
	int r = cli_open_file("path", path, &reader);

	if (r < 0)
		return r;
	reading.reader = reader;
	r = newest_boot(reader, &reading.boot);
	reading.nodes.boot = reading.boot.id;
	if (r == 0)
		r = reader_nodes(reader, NULL, take_node, &reading.nodes);
	if (r == 0)
		r = reader_infos(reader, INFO_TEXTS, take_text, &reading);
	if (r == 0)
		r = take_numbers(&reading);
	if (r == 0)
		say_when(path, reader);
	if (r < 0)
		cli_file_failed("path", path, reader, r);
	return r;
}
