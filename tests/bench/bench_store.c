/* The reference stream into a file: 24 hours with commits of 60 s, and the ways to read it back.
 * Prints numbers beside their bounds; times are CPU time, so that a busy machine does not count.
 *
 * Usage: bench_store [FOLDER]   (keeps FOLDER/stream.db; without it a temporary folder is used) */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/reader.h"
#include "store/store.h"
#include "tests/bench/stream.h"

#define N_BUCKETS 1000
#define N_RUNS    9
#define N_VALUES  ((int64_t)STREAM_VALUES * STREAM_SECONDS)

static char path[512];

static int64_t now_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static const char *verdict(bool ok)
{
	return ok ? "ok" : "ABOVE";
}

struct feed {
	struct store *store;
	int64_t t_ms, n_rows;
};

static void feed_rows(const struct group *group, const struct sink *sink, void *arg)
{
	struct feed *feed = arg;

	store_add(feed->store, group, feed->t_ms, 0, 1000, sink);
	feed->n_rows += (int64_t)sink->n_rows;
}

static int fill(struct store *store)
{
	static struct stream stream;
	struct sink sink;
	struct feed feed = {.store = store};
	int64_t add_us = 0;
	int r = sink_init(&sink);

	stream_start(&stream);
	for (int64_t t = 0; t < STREAM_SECONDS && !r; t++) {
		stream_tick(&stream, t);
		feed.t_ms = STREAM_START_MS + t * 1000;

		int64_t start_us = now_us(CLOCK_THREAD_CPUTIME_ID);

		stream_rows(&stream, &sink, feed_rows, &feed);
		add_us += now_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
		if (t % 60 == 59)
			r = store_commit(store, feed.t_ms, t == STREAM_SECONDS - 1);
	}
	sink_done(&sink);
	printf("store: adding %.0f ns a value, rows made included, bound 50: %s\n",
	       (double)add_us * 1000 / (double)N_VALUES, verdict(add_us * 1000 <= 50 * N_VALUES));
	return r;
}

static int write_file(void)
{
	struct store_options options = stream_store_options(path, 60000);
	CLEANUP(store_closep) struct store *store = NULL;
	struct store_status status;
	int r = store_open(&options, &stream_catalog, &store);

	if (!r)
		r = fill(store);
	if (r < 0)
		return r;
	store_get_status(store, &status);

	double per_value = (double)(status.file_bytes + status.wal_bytes) / (double)N_VALUES;

	printf("file: %" PRId64 " bytes for %" PRId64 " values: %.3f a value, bound 0.500: %s\n",
	       status.file_bytes, N_VALUES, per_value, verdict(per_value <= 0.5));
	printf("commit: %.0f us of CPU each, folds included\n",
	       (double)status.commit_cpu_us / (double)status.n_commits);
	return 0;
}

/* One series to 1000 buckets, the last value of each. */
static int buckets(struct reader *reader, size_t group, const char *node, size_t field,
		   int64_t *ret_n)
{
	static int64_t last[N_BUCKETS];
	struct series_key key = {.boot = 1};
	struct cursor *cursor;
	struct span span;
	int64_t n = 0;
	int r;

	snprintf(key.node, sizeof(key.node), "%s", node);
	r = cursor_open(reader, &stream_groups[group], &key, &field, 1, 0, INT64_MAX / 4, &cursor);
	if (r < 0)
		return r;
	while ((r = cursor_next(cursor, &span)) > 0)
		for (size_t i = 0; i < span.n; i++) {
			int64_t t_ms = span.t0_ms + (int64_t)i * span.step_ms - STREAM_START_MS;

			last[t_ms * N_BUCKETS / (STREAM_SECONDS * 1000)] = span.values[0][i];
			n += !span.absent[0][i];
		}
	cursor_close(cursor);
	*ret_n = n + (last[N_BUCKETS - 1] == INT64_MIN);
	return r;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int read_series(size_t group, const char *node, size_t field, const char *what)
{
	int64_t us[N_RUNS], n = 0;
	int r = 0;

	for (int i = 0; i < N_RUNS && !r; i++) {
		CLEANUP(reader_closep) struct reader *reader = NULL;
		int64_t start_us = now_us(CLOCK_THREAD_CPUTIME_ID);

		r = reader_open(path, NULL, &stream_catalog, &reader);
		if (!r)
			r = buckets(reader, group, node, field, &n);
		us[i] = now_us(CLOCK_THREAD_CPUTIME_ID) - start_us;
	}
	qsort(us, N_RUNS, sizeof(us[0]), compare);
	printf("series: %s, 24 h (%" PRId64 " values) to %d buckets %.1f ms, bound 20: %s\n", what,
	       n, N_BUCKETS, (double)us[N_RUNS / 2] / 1000, verdict(us[N_RUNS / 2] <= 20000));
	return r;
}

/* CPU time of the children that have ended. */
static int64_t children_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

static int64_t shell_ms(const char *sql)
{
	char command[1024];
	int64_t best_us = INT64_MAX;

	snprintf(command, sizeof(command), "sqlite3 %s \"%s\" >/dev/null", path, sql);
	for (int i = 0; i < 3; i++) {
		int64_t start_us = children_us();

		if (system(command))
			return -1;
		best_us = MIN(best_us, children_us() - start_us);
	}
	return best_us / 1000;
}

static const struct {
	const char *what, *sql;
	int bound_ms;
} questions[] = {
	{"the last minutes of one disk", "SELECT * FROM diskstats_last WHERE node='sd0'", 50},
	{"one disk, one hour",
	 "SELECT * FROM diskstats WHERE node='sd0' AND t0 BETWEEN 40000000 AND 43000000", 500},
	{"one disk, 24 h (1.5 million values)", "SELECT * FROM diskstats WHERE node='sd0'", 5000},
	{"the hours of one counter of one disk",
	 "SELECT * FROM hours WHERE node='sd0' AND grp='diskstats' AND name='writes'", 50},
	{"the minutes of one counter of one disk",
	 "SELECT * FROM minutes WHERE node='sd0' AND grp='diskstats' AND name='writes'", 500},
};

static void shell(void)
{
	int64_t open_ms = shell_ms("SELECT count(*) FROM node");

	printf("shell: opening %" PRId64 " ms, bound 100: %s\n", open_ms, verdict(open_ms <= 100));
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		int64_t ms = MAX(shell_ms(questions[i].sql) - open_ms, INT64_C(0));

		printf("shell: %s %" PRId64 " ms, opening excluded, bound %d: %s\n",
		       questions[i].what, ms, questions[i].bound_ms,
		       verdict(ms <= questions[i].bound_ms));
	}
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/flashscope-bench-XXXXXX";
	int r;

	if (argc > 1)
		snprintf(path, sizeof(path), "%s/stream.db", argv[1]);
	else if (mkdtemp(folder))
		snprintf(path, sizeof(path), "%s/stream.db", folder);
	r = write_file();
	if (!r)
		r = read_series(STREAM_DISK, "sd0", 2, "a counter that moves");
	if (!r)
		r = read_series(STREAM_THERMAL, "thermal_zone3", 0, "a gauge that moves");
	if (!r)
		shell();
	if (argc < 2) {
		char lock[520];

		snprintf(lock, sizeof(lock), "%s.lock", path);
		unlink(path);
		unlink(lock);
		rmdir(folder);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", strerror(-r));
	return r < 0;
}
