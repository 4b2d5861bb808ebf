/* Writes ticks as fast as it can and commits after every few; made to be killed. It says on stdout
 * how far it is committed, after each commit: "T_MS". The values of a tick follow from its time.
 *
 * Usage: kill_writer FILE START_MS BOOT_ID */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

#define TICKS_PER_COMMIT 7
#define N_NODES          3
#define N_FIELDS         4

static const struct field fields[N_FIELDS] = {
	{"a", UNIT_COUNT, KIND_COUNTER, "t.", NULL, 0, NULL},
	{"b", UNIT_COUNT, KIND_GAUGE, "t mod 97, absent when t mod 11 is 3.", NULL, 0, NULL},
	{"c", UNIT_COUNT, KIND_GAUGE, "Rests.", NULL, 0, NULL},
	{"d", UNIT_COUNT, KIND_GAUGE, "Wild.", NULL, 0, NULL},
};
static const struct group group = {
	.name = "kill", .help = "Made to be killed.", .fields = fields, .n_fields = N_FIELDS};
static const struct collector collector = {
	.name = "kill", .help = "Made to be killed.", .groups = &group, .n_groups = 1};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static void add(struct store *store, struct sink *sink, int64_t t_ms)
{
	int64_t t = t_ms / 1000;

	sink_reset(sink, &group);
	for (int i = 0; i < N_NODES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%d", i);
		struct row *row = sink_row(sink, name, "");

		row_set(row, 0, t);
		if (t % 11 != 3)
			row_set(row, 1, t % 97);
		row_set(row, 2, i);
		row_set(row, 3, t * 2654435761 % 1000003);
	}
	store_add(store, &group, t_ms, 0, 1000, sink);
}

int main(int argc, char **argv)
{
	struct store_options options = {
		.kernel = "test",
		.wall_offset_ms = INT64_C(1790000000000),
		.size_max_bytes = 64 << 20,
		.tail_max_bytes = 4 << 20,
		.commit_ms = TICKS_PER_COMMIT * 1000,
	};
	struct store *store = NULL;
	struct sink sink;
	int r;

	if (argc != 4)
		return 2;
	options.path = argv[1];
	options.boot_id = argv[3];
	r = store_open(&options, &catalog, &store);
	if (r < 0 || sink_init(&sink) < 0) {
		fprintf(stderr, "%s\n", strerror(-r));
		return 1;
	}
	for (int64_t t_ms = strtoll(argv[2], NULL, 10);; t_ms += 1000) {
		add(store, &sink, t_ms);
		if (t_ms / 1000 % TICKS_PER_COMMIT)
			continue;
		r = store_commit(store, t_ms, false);
		if (r < 0) {
			struct store_status status;

			store_get_status(store, &status);
			fprintf(stderr, "%s\n", status.error);
			return 1;
		}
		printf("%" PRId64 "\n", t_ms);
		fflush(stdout);
	}
}
