/* The query layer on 30 days of a phone-like stream: 156 values each second, committed each minute
 * on the last day, in a file of the default cap, so that the first days have no samples any more.
 * Shows what a dashboard's question costs from the file to the last byte of JSON, and that a window
 * and a node cost what they hold. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "export/points.h"
#include "query/query.h"
#include "store/reader.h"
#include "store/store.h"

#define DAY_S     86400
#define N_DAYS    30
#define END_S     ((int64_t)N_DAYS * DAY_S)
#define OFFSET_MS INT64_C(1796000000000)

/* clang-format off */
#define C(name) {name, UNIT_COUNT, KIND_COUNTER, "Counts.", NULL, 0, NULL}
#define G(name) {name, UNIT_NONE, KIND_GAUGE, "Moves.", NULL, 0, NULL}
static const struct field disk_fields[] = {
	C("reads"), C("reads_merged"), C("read_sectors"), C("read_time"), C("writes"),
	C("writes_merged"), C("write_sectors"), C("write_time"), G("in_flight"), C("io_time"),
	C("weighted_io_time"), C("discards"), C("discards_merged"), C("discard_sectors"),
	C("discard_time"), C("flushes"), C("flush_time"),
};
static const struct field thermal_fields[] = {
	G("z0"), G("z1"), G("z2"), G("z3"), G("z4"), G("z5"), G("z6"), G("z7"), G("z8"), G("z9"),
	G("z10"), G("z11"), G("z12"), G("z13"), G("z14"), G("z15"), G("z16"), G("z17"), G("z18"),
	G("z19"),
};
static const struct field clock_fields[] = {
	G("p0"), G("p1"), G("p2"), G("p3"), G("p4"), G("p5"), G("p6"), G("p7"),
};
static const struct field ufs_fields[] = {
	C("r_nr"), C("r_sec"), C("r_busy"), G("r_avg"), G("r_max"), G("r_min"), C("r_sum"),
	C("w_nr"), C("w_sec"), C("w_busy"), G("w_avg"), G("w_max"), G("w_min"), C("w_sum"),
};
static const struct field pressure_fields[] = {
	G("some_avg10"), C("some_total"), G("full_avg10"), C("full_total"),
};
static const struct derived disk_derived[] = {
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "read_sectors", NULL, 512, 1, "Bytes."},
	{"read_latency", UNIT_MICROSECONDS, DERIVE_MEAN, "read_time", "reads", 1000, 1, "Latency."},
};
#define GROUP(word, table) .name = word, .help = "Bench.", .cost = COST_F, .period_ms = 1000, \
	.fields = table, .n_fields = ARRAY_SIZE(table)
static const struct group groups[] = {
	{GROUP("disk", disk_fields), .derived = disk_derived, .n_derived = ARRAY_SIZE(disk_derived)},
	{GROUP("zones", thermal_fields)},
	{GROUP("clocks", clock_fields)},
	{GROUP("link", ufs_fields)},
	{GROUP("stall", pressure_fields)},
};
/* clang-format on */

static const unsigned n_nodes[] = {6, 1, 1, 1, 3};
static const struct collector bench_collector = {
	.name = "bench", .help = "Bench.", .groups = groups, .n_groups = ARRAY_SIZE(groups)};
static const struct collector *const collectors[] = {&bench_collector};
static const struct catalog catalog = {collectors, 1};

static uint64_t seed = 88172645463325252ULL;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int64_t state[ARRAY_SIZE(groups)][6][SINK_FIELDS_MAX];

/* Some activity for minutes, then quiet; the first two disks move most. */
static void move(size_t group, unsigned node, int64_t t_s, struct row *row)
{
	bool active = t_s / 300 % 3 == 0 && (group != 0 || node < 2);

	for (size_t f = 0; f < groups[group].n_fields; f++) {
		int64_t *value = &state[group][node][f];
		bool counter = groups[group].fields[f].kind == KIND_COUNTER;

		if (counter && (active || next_random() % 500 == 0))
			*value += (int64_t)(next_random() % 2000);
		else if (!counter && next_random() % 4 == 0)
			*value += (int64_t)(next_random() % 201) - 100;
		row_set(row, f, *value);
	}
}

static void add_tick(struct store *store, struct sink *sink, int64_t t_s)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		sink_reset(sink, &groups[g]);
		for (unsigned n = 0; n < n_nodes[g]; n++) {
			char name[16];

			snprintf(name, sizeof(name), "n%u", n);
			move(g, n, t_s, sink_row(sink, name, ""));
		}
		store_add(store, &groups[g], t_s * 1000, (int64_t)(next_random() % 3), 1000, sink);
	}
}

static int fill(struct store *store)
{
	struct sink sink;
	int r = sink_init(&sink);

	for (int64_t t_s = 1; t_s <= END_S && r == 0; t_s++) {
		add_tick(store, &sink, t_s);
		if (t_s % (t_s > END_S - DAY_S ? 60 : 600) == 0)
			r = store_commit(store, t_s * 1000, t_s == END_S);
	}
	sink_done(&sink);
	return r;
}

struct measure {
	int64_t us; /* CPU time, so that a busy machine tells the same */
	uint64_t n_points, n_bytes;
};

static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static uint64_t n_points;

static int next_counted(void *query, struct points_item *ret)
{
	int r = query_next(query, ret);

	n_points += r > 0 && ret->type == POINTS_POINT;
	return r;
}

static int ask_once(struct reader *reader, const struct query_params *params, struct measure *ret)
{
	CLEANUP(query_closep) struct query *query = NULL;
	CLEANUP(stream_closep) struct stream *stream = NULL;
	struct problem problem;
	struct points_head head;
	char buf[16384];
	ssize_t n;
	int64_t start_us = cpu_us();
	int r = query_open(reader, &catalog, params, OFFSET_MS + END_S * 1000, &query, &problem);

	if (r == -EINVAL)
		fprintf(stderr, "%s: %s\n", problem.parameter, problem.detail);
	if (r < 0)
		return r;
	query_head(query, &head);
	n_points = 0;
	r = points_stream(POINTS_JSON, &head, next_counted, query, &stream);
	ret->n_bytes = 0;
	while (r == 0 && (n = stream_read(stream, buf, sizeof(buf))) != 0) {
		if (n < 0)
			return (int)n;
		ret->n_bytes += (uint64_t)n;
	}
	ret->us = cpu_us() - start_us;
	ret->n_points = n_points;
	return r;
}

/* The best of some runs: what it costs, not what else the machine did. */
static int ask(struct reader *reader, const char *name, const struct query_params *params,
	       int64_t bound_us, struct measure *ret)
{
	struct measure best = {.us = INT64_MAX}, one;

	for (int i = 0; i < 15; i++) {
		int r = ask_once(reader, params, &one);

		if (r < 0)
			return r;
		if (one.us < best.us)
			best = one;
	}
	printf("query: %-44s %8.2f ms, %6llu points, %7llu bytes", name, (double)best.us / 1000,
	       (unsigned long long)best.n_points, (unsigned long long)best.n_bytes);
	if (bound_us)
		printf("  bound %lld ms  %s", (long long)bound_us / 1000,
		       best.us <= bound_us ? "ok" : "ABOVE");
	putchar('\n');
	*ret = best;
	return 0;
}

/* With one bucket an hour, what counts is what is read and decoded. */
static int bench_pruning(struct reader *reader)
{
	struct measure day, last, first, all;
	struct query_params params = {
		.metric = "disk.read_bytes", .node = "n0", .from = "-24h", .step = "1h"};
	int r = ask(reader, "24 h of one node, hourly", &params, 0, &day);

	params.node = NULL;
	if (r == 0)
		r = ask(reader, "24 h of six nodes, hourly", &params, 0, &all);
	params.node = "n0";
	params.from = "-1h";
	if (r == 0)
		r = ask(reader, "the last hour of one node", &params, 0, &last);
	params.from = "-24h";
	params.to = "-23h";
	if (r == 0)
		r = ask(reader, "the first hour of one node", &params, 0, &first);
	if (r == 0)
		printf("query: of 24 h the last hour costs %.2f, the first %.2f; of six nodes one "
		       "%.2f\n",
		       (double)last.us / (double)day.us, (double)first.us / (double)day.us,
		       (double)day.us / (double)all.us);
	return r;
}

/* Steps of whole minutes and hours are answered by what is kept of these. */
static int bench_rollups(struct reader *reader)
{
	struct measure measure;
	struct query_params params = {
		.metric = "disk.read_bytes", .node = "n0", .from = "-24h", .step = "2min"};
	int r = ask(reader, "24 h of one counter, each 2 minutes", &params, 2000, &measure);

	params.metric = "zones.z3";
	if (r == 0)
		r = ask(reader, "24 h of one gauge, each 2 minutes", &params, 2000, &measure);
	params.from = "-30d";
	params.step = "1h";
	if (r == 0)
		r = ask(reader, "30 days of one gauge, hourly", &params, 20000, &measure);
	params.metric = "disk.read_bytes";
	if (r == 0)
		r = ask(reader, "30 days of one counter, hourly", &params, 20000, &measure);
	params.step = "43min";
	if (r == 0)
		r = ask(reader, "30 days of one counter to 1000 buckets", &params, 20000, &measure);
	return r;
}

/* Some fields of a node in the last hour, decoded. */
static int read_fields(struct reader *reader, size_t group, unsigned node, size_t from,
		       uint64_t *n_values)
{
	struct series_key key = {.boot = 1};
	size_t fields[SPAN_FIELDS_MAX], n = 0;
	struct cursor *cursor;
	struct span span;
	int r;

	while (n < SPAN_FIELDS_MAX && from + n < groups[group].n_fields) {
		fields[n] = from + n;
		n++;
	}
	snprintf(key.node, sizeof(key.node), "n%u", node);
	r = cursor_open(reader, &groups[group], &key, fields, n, (END_S - 3600) * 1000,
			END_S * 1000, &cursor);
	if (r < 0)
		return r;
	while ((r = cursor_next(cursor, &span)) > 0)
		*n_values += span.n * n;
	cursor_close(cursor);
	return r;
}

static int read_node(struct reader *reader, size_t group, unsigned node, uint64_t *n_values)
{
	int r = 0;

	for (size_t f = 0; f < groups[group].n_fields && r == 0; f += SPAN_FIELDS_MAX)
		r = read_fields(reader, group, node, f, n_values);
	return r;
}

static int bench_everything(struct reader *reader)
{
	int64_t best_us = INT64_MAX;
	uint64_t n_values = 0;
	int r = 0;

	for (int i = 0; i < 15 && r == 0; i++) {
		int64_t start_us = cpu_us();

		n_values = 0;
		for (size_t g = 0; g < ARRAY_SIZE(groups) && r == 0; g++)
			for (unsigned n = 0; n < n_nodes[g] && r == 0; n++)
				r = read_node(reader, g, n, &n_values);
		best_us = MIN(best_us, cpu_us() - start_us);
	}
	printf("query: the last hour of everything, %" PRIu64 " values %.2f ms  bound 10 ms  %s\n",
	       n_values, (double)best_us / 1000, best_us <= 10000 ? "ok" : "ABOVE");
	return r;
}

static int bench(const char *path)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct measure day;
	int r = reader_open(path, NULL, &catalog, &reader);

	if (r < 0)
		return r;

	struct query_params params = {
		.metric = "disk.read_bytes", .node = "n0", .from = "-24h", .step = "86400ms"};

	r = ask(reader, "24 h of one counter to 1000 buckets", &params, 12000, &day);
	params.agg = "max";
	if (r == 0)
		r = ask(reader, "24 h of one counter, max of rates", &params, 12000, &day);
	params.agg = NULL;
	params.metric = "zones.z3";
	if (r == 0)
		r = ask(reader, "24 h of one gauge, mean", &params, 12000, &day);
	params.metric = "disk.read_latency";
	if (r == 0)
		r = ask(reader, "24 h of a mean of two counters", &params, 12000, &day);
	if (r == 0)
		r = bench_rollups(reader);
	if (r == 0)
		r = bench_everything(reader);
	return r < 0 ? r : bench_pruning(reader);
}

int main(void)
{
	char folder[] = "/tmp/bench_query.XXXXXX", path[64];
	struct store_options options = {
		.path = path,
		.boot_id = "bench",
		.kernel = "bench",
		.wall_offset_ms = OFFSET_MS,
		.size_max_bytes = 128 << 20,
		.tail_max_bytes = 8 << 20,
		.commit_ms = 60000,
	};
	struct store *store = NULL;
	struct stat st;
	int r;

	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/db", folder);
	r = store_open(&options, &catalog, &store);
	if (r == 0)
		r = fill(store);
	store_close(store);
	if (r == 0 && stat(path, &st) == 0)
		printf("query: 30 days are %lld bytes\n", (long long)st.st_size);
	if (r == 0)
		r = bench(path);
	if (r < 0)
		fprintf(stderr, "bench_query: %s\n", strerror(-r));
	unlink(path);
	snprintf(path, sizeof(path), "%s/db.lock", folder);
	unlink(path);
	rmdir(folder);
	return r < 0;
}
