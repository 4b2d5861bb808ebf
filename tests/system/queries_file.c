/* Makes the file that tests/system/queries.sh asks: two boots of a disk and a sensor, a sample each
 * 10 s. The values of a tick follow from its time.
 *
 * Usage: queries_file FILE HOURS [AFTER], the hours by the wall clock from the start of the first
 * boot to that of the second one, as it shows it */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

#define STEP_MS   10000
#define COMMIT_MS 600000
#define HOUR_MS   3600000
#define N_DISK    6

#define COUNTER(name)                                                                              \
	{                                                                                          \
		name, UNIT_COUNT, KIND_COUNTER, "Counts.", NULL, 0, NULL                           \
	}

static const struct field disk_fields[N_DISK] = {
	COUNTER("reads"),
	COUNTER("writes"),
	COUNTER("write_sectors"),
	COUNTER("write_time"),
	{"in_flight", UNIT_COUNT, KIND_GAUGE, "Moves.", NULL, 0, NULL},
	COUNTER("io_time"),
};
static const struct field sensor_fields[] = {
	{"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature.", NULL, 0, NULL},
};
static const struct group disk_group = {.name = "diskstats",
					.help = "Disks.",
					.period_ms = STEP_MS,
					.fields = disk_fields,
					.n_fields = N_DISK};
static const struct group sensor_group = {.name = "thermal",
					  .help = "Sensors.",
					  .period_ms = STEP_MS,
					  .fields = sensor_fields,
					  .n_fields = 1};
static const struct collector disks = {
	.name = "diskstats", .help = "Disks.", .groups = &disk_group, .n_groups = 1};
static const struct collector sensors = {
	.name = "thermal", .help = "Sensors.", .groups = &sensor_group, .n_groups = 1};
static const struct collector *const collectors[] = {&disks, &sensors};
static const struct catalog catalog = {collectors, 2};

/* Ten writes of 8 sectors in each tick, which take 20 ms each in the third minute of an hour; the
 * disk is at work all the time in the fifth. */
static void add(struct store *store, struct sink *sink, int64_t t_ms)
{
	static int64_t v[N_DISK];
	int64_t minute = (t_ms - 1) / 60000 % 60;
	struct row *row;

	v[0] += 1;
	v[1] += 10;
	v[2] += 80;
	v[3] += minute == 2 ? 200 : 20;
	v[4] = t_ms / STEP_MS % 3;
	v[5] += minute == 4 ? STEP_MS : 100;
	sink_reset(sink, &disk_group);
	row = sink_row(sink, "sda", "serial:1");
	for (size_t i = 0; i < N_DISK; i++)
		row_set(row, i, v[i]);
	store_add(store, &disk_group, t_ms, 0, STEP_MS, sink);
	sink_reset(sink, &sensor_group);
	row = sink_row(sink, "thermal_zone0", "");
	if (t_ms % HOUR_MS == 0)
		row_fault(row, 0, EIO);
	else
		row_set(row, 0, 40000 + t_ms / HOUR_MS * 1000 + t_ms / STEP_MS % 10);
	store_add(store, &sensor_group, t_ms, 0, STEP_MS, sink);
}

static void tell(struct store *store, int64_t t_ms, enum severity severity, const char *kind)
{
	struct event event = {.t_ms = t_ms, .t_end_ms = t_ms, .severity = severity};

	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	snprintf(event.text, sizeof(event.text), "it said so");
	store_event(store, &event);
}

static int run_boot(const char *path, const char *boot_id, int64_t wall_ms, int64_t hours,
		    struct sink *sink)
{
	const struct store_options options = {
		.path = path,
		.boot_id = boot_id,
		.kernel = "6.1.0-test",
		.wall_offset_ms = wall_ms,
		.size_max_bytes = 64 << 20,
		.tail_max_bytes = 4 << 20,
		.commit_ms = COMMIT_MS,
	};
	struct store *store = NULL;
	int r = store_open(&options, &catalog, &store);

	if (r < 0)
		return r;
	store_outcome(store, "thermal", "thermal_zone1", 0, "failed", "EIO");
	for (int64_t t = STEP_MS; t <= hours * HOUR_MS && r == 0; t += STEP_MS) {
		add(store, sink, t);
		if (t % HOUR_MS == 0)
			tell(store, t, SEVERITY_WARNING, "slow");
		if (t % COMMIT_MS == 0)
			r = store_commit(store, t, false);
	}
	store_mark_span(store, "the last", hours * HOUR_MS - 1000, hours * HOUR_MS);
	tell(store, hours * HOUR_MS, SEVERITY_INFO, "stop");
	if (r == 0)
		r = store_commit(store, hours * HOUR_MS, true);
	store_close(store);
	return r;
}

int main(int argc, char **argv)
{
	int64_t hours = argc > 2 ? strtoll(argv[2], NULL, 10) : 30, wall_ms = 1790000000000;
	int64_t after = argc > 3 ? strtoll(argv[3], NULL, 10) : hours + 1;
	struct sink sink = {0};
	int r = argc < 2 ? -EINVAL : sink_init(&sink);

	if (r == 0)
		r = run_boot(argv[1], "boot-a", wall_ms, hours, &sink);
	if (r == 0)
		r = run_boot(argv[1], "boot-b", wall_ms + after * HOUR_MS, hours, &sink);
	sink_done(&sink);
	if (r < 0)
		fprintf(stderr, "queries_file: %s\n", strerror(-r));
	return r < 0;
}
