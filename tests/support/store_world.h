/* A small catalog and a scratch folder for the tests of the store. Everything is static so that
 * each test stands in one executable. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "model/catalog.h"
#include "store/reader.h"
#include "store/store.h"

#define WALL_OFFSET_MS INT64_C(1790000000000)
#define MIB            (INT64_C(1) << 20)

enum { READS, TEMP, MODE, MODEL };

static const char *const world_modes[] = {"off", "on", NULL};

static const struct field world_fields[] = {
	[READS] = {"reads", UNIT_COUNT, KIND_COUNTER, "Requests.", NULL, 32, NULL},
	[TEMP] = {"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature.", NULL, 0, NULL},
	[MODE] = {"mode", UNIT_NONE, KIND_STATE, "Mode.", NULL, 0, world_modes},
	[MODEL] = {"model", UNIT_NONE, KIND_INFO, "Model.", NULL, 0, NULL},
};

static const struct field world_slow_fields[] = {
	{"wear", UNIT_PERCENT, KIND_GAUGE, "Wear.", NULL, 0, NULL},
};

static const struct group world_groups[] = {
	{.name = "disk",
	 .help = "Disks.",
	 .period_ms = 1000,
	 .fields = world_fields,
	 .n_fields = 4},
	{.name = "disk_health",
	 .help = "Health.",
	 .period_ms = 600000,
	 .fields = world_slow_fields,
	 .n_fields = 1},
};

static const struct collector world_collector = {
	.name = "disk", .help = "Disks.", .groups = world_groups, .n_groups = 2};
static const struct collector *const world_collectors[] = {&world_collector};
static const struct catalog world_catalog __attribute__((unused)) = {world_collectors, 1};

static char world_folder[64];
static char world_path[96];

static inline int world_start(void **state)
{
	(void)state;
	snprintf(world_folder, sizeof(world_folder), "/tmp/flashscope-store-XXXXXX");
	assert_non_null(mkdtemp(world_folder));
	snprintf(world_path, sizeof(world_path), "%s/a.db", world_folder);
	return 0;
}

static inline int world_stop(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", world_folder);
	return system(command);
}

static inline struct store_options world_options(const char *boot_id)
{
	return (struct store_options){
		.path = world_path,
		.boot_id = boot_id,
		.kernel = "6.1.0",
		.wall_offset_ms = WALL_OFFSET_MS,
		.size_max_bytes = 128 * MIB,
		.tail_max_bytes = 4 * MIB,
		.commit_ms = 60000,
	};
}

static inline struct store *world_open(const char *boot_id)
{
	struct store_options options = world_options(boot_id);
	struct store *store = NULL;

	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	return store;
}

static inline struct reader *world_reader(struct store *store)
{
	struct reader *reader = NULL;

	assert_int_equal(reader_open(world_path, store, &world_catalog, &reader), 0);
	return reader;
}

/* The value that every test expects of a node at a time. */
static inline int64_t world_reads(int64_t t_ms)
{
	return t_ms / 1000 * 3 + (t_ms / 1000 % 7 == 0);
}

static inline int64_t world_temp(int64_t t_ms)
{
	return 30000 - t_ms / 1000 * 2654435761 % 97;
}

/* One tick of the group disk with nodes sd0.. */
static inline void world_tick(struct store *store, struct sink *sink, int64_t t_ms, size_t n_nodes)
{
	sink_reset(sink, &world_groups[0]);
	for (size_t i = 0; i < n_nodes; i++) {
		char name[32], identity[32];

		snprintf(name, sizeof(name), "sd%zu", i);
		snprintf(identity, sizeof(identity), "id%zu", i);
		struct row *row = sink_row(sink, name, identity);

		row_set(row, READS, world_reads(t_ms) + (int64_t)i);
		if (t_ms / 1000 % 11 != 5)
			row_set(row, TEMP, world_temp(t_ms));
		row_set(row, MODE, 1);
		row_text(sink, row, MODEL, "X-1");
	}
	store_add(store, &world_groups[0], t_ms, 0, 1000, sink);
}

struct world_seen {
	int64_t next_ms; /* every tick from here on must come, exactly once */
	size_t n_ticks, n_spans, n_fresh, n_bad;
	bool any_first; /* the first may be a later one: the oldest were deleted */
};

/* Reads a series of sd0 and compares each tick. */
static inline void world_check(struct reader *reader, int64_t boot, int64_t from_ms, int64_t to_ms,
			       struct world_seen *seen)
{
	struct series_key key = {.boot = boot, .node = "sd0", .identity = "id0"};
	const size_t fields[] = {READS, TEMP};
	struct cursor *cursor = NULL;
	struct span span;
	int r;

	assert_int_equal(
		cursor_open(reader, &world_groups[0], &key, fields, 2, from_ms, to_ms, &cursor), 0);
	while ((r = cursor_next(cursor, &span)) > 0) {
		seen->n_spans++;
		seen->n_fresh += span.fresh;
		for (size_t i = 0; i < span.n; i++) {
			int64_t t_ms = span.t0_ms + (int64_t)i * span.step_ms;

			if (span.absent[0][i])
				continue;
			if (!seen->n_ticks++ && seen->any_first)
				seen->next_ms = t_ms;
			if (t_ms != seen->next_ms || span.values[0][i] != world_reads(t_ms) ||
			    span.absent[1][i] != (t_ms / 1000 % 11 == 5) ||
			    (!span.absent[1][i] && span.values[1][i] != world_temp(t_ms)))
				seen->n_bad++;
			seen->next_ms = t_ms + 1000;
		}
	}
	assert_int_equal(r, 0);
	cursor_close(cursor);
}

/* Two nodes each second, up to before to_ms. */
static inline void world_ticks(struct sink *sink, struct store *store, int64_t from_ms,
			       int64_t to_ms)
{
	for (int64_t t = from_ms; t < to_ms; t += 1000)
		world_tick(store, sink, t, 2);
}

static inline void world_event(struct store *store, int64_t t_ms, const char *kind)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms};

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	store_event(store, &event);
}

/* The file has these seconds of the first boot, each once. */
static inline void world_assert_file(int64_t from_ms, int64_t to_ms)
{
	CLEANUP(reader_closep) struct reader *reader = world_reader(NULL);
	struct world_seen seen = {.next_ms = from_ms};

	world_check(reader, 1, from_ms, to_ms, &seen);
	assert_int_equal(seen.n_bad, 0);
	assert_int_equal(seen.n_ticks, (to_ms - from_ms) / 1000);
}

/* Runs the stock shell on the file; the answer without its last newline. */
static inline void world_shell(const char *sql, char *answer, size_t size)
{
	char command[4096];
	size_t n;

	snprintf(command, sizeof(command), "sqlite3 %s \"%s\" 2>&1", world_path, sql);
	FILE *f = popen(command, "re");

	assert_non_null(f);
	n = fread(answer, 1, size - 1, f);
	pclose(f);
	while (n > 0 && answer[n - 1] == '\n')
		n--;
	answer[n] = '\0';
}
