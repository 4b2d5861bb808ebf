/* Five years of the reference stream into a file with a small cap, through a VFS that counts: the
 * file with its companions stays below the cap, a commit writes as much in the last month as in the
 * first that was full, and memory does not grow. Emulated: a tick stands for ten seconds, a commit
 * for half an hour, flushes are counted and not made.
 *
 * Usage: bench_years [DAYS [CAP_MIB]] */
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/store.h"
#include "tests/bench/stream.h"
#include "tests/support/shim_vfs.h"

#define STEP_MS    INT64_C(10000)
#define COMMIT_MS  INT64_C(1800000)
#define DAY_MS     INT64_C(86400000)
#define MONTH_DAYS 30
#define YEARS_DAYS 1826

struct month {
	int64_t commits, bytes, syncs, cpu_us, heap_bytes;
};

struct counted {
	int64_t bytes, syncs;
};

static char path[64];

static void on_write(const char *name, const void *data, int len, int64_t at, void *arg)
{
	struct counted *counted = arg;

	(void)name;
	(void)data;
	(void)at;
	counted->bytes += len;
}

static void on_sync(const char *name, void *arg)
{
	struct counted *counted = arg;

	(void)name;
	counted->syncs++;
}

static int64_t cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static int64_t size_of(const char *suffix)
{
	char name[96];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) < 0 ? 0 : st.st_size;
}

static const char *verdict(bool ok)
{
	return ok ? "ok" : "ABOVE";
}

struct feed {
	struct store *store;
	int64_t t_ms;
};

static void feed_rows(const struct group *group, const struct sink *sink, void *arg)
{
	struct feed *feed = arg;

	store_add(feed->store, group, feed->t_ms, 0, STEP_MS, sink);
}

struct run {
	struct store *store;
	struct stream stream;
	struct sink sink;
	struct counted counted;
	int64_t day, largest_bytes;
	struct month *months;
};

static int commit(struct run *run, int64_t t_ms)
{
	struct month *month = &run->months[run->day / MONTH_DAYS];
	const struct counted before = run->counted;
	int64_t start_us = cpu_us();
	int r = store_commit(run->store, t_ms, false);

	month->cpu_us += cpu_us() - start_us;
	month->commits++;
	month->bytes += run->counted.bytes - before.bytes;
	month->syncs += run->counted.syncs - before.syncs;
	run->largest_bytes =
		MAX(run->largest_bytes, size_of("") + size_of("-wal") + size_of("-shm"));
	return r;
}

static int one_day(struct run *run)
{
	struct feed feed = {.store = run->store};
	int r = 0;

	for (int64_t t = STEP_MS; t <= DAY_MS && !r; t += STEP_MS) {
		stream_tick(&run->stream, t / 1000 % STREAM_SECONDS);
		feed.t_ms = run->day * DAY_MS + t;
		stream_rows(&run->stream, &run->sink, feed_rows, &feed);
		if (t % COMMIT_MS == 0)
			r = commit(run, feed.t_ms);
	}
	run->months[run->day / MONTH_DAYS].heap_bytes = (int64_t)mallinfo2().uordblks;
	return r;
}

static void print_month(const char *name, int64_t number, const struct month *month)
{
	printf("%s, month %" PRId64
	       ": a commit writes %.1f pages, flushes %.1f times, takes %.1f ms "
	       "of CPU; heap %" PRId64 " kB\n",
	       name, number + 1, (double)month->bytes / 4096 / (double)month->commits,
	       (double)month->syncs / (double)month->commits,
	       (double)month->cpu_us / 1000 / (double)month->commits, month->heap_bytes / 1024);
}

/* The month with the cap reached is the first that can be compared. */
static void print_result(const struct run *run, int64_t full_day, int64_t cap_bytes)
{
	int64_t first = full_day / MONTH_DAYS + 1, last = run->day / MONTH_DAYS - 1;

	printf("cap: at most %" PRId64 " of %" PRId64 " bytes, companions included: %s\n",
	       run->largest_bytes, cap_bytes, verdict(run->largest_bytes <= cap_bytes));
	print_month("new", 0, &run->months[0]);
	if (full_day < 0 || first >= last) {
		printf("too few days: samples were deleted first on day %" PRId64 "\n", full_day);
		return;
	}

	const struct month *a = &run->months[first], *b = &run->months[last];
	double ratio =
		(double)b->bytes / (double)b->commits * (double)a->commits / (double)a->bytes;
	double heap = (double)b->heap_bytes / (double)a->heap_bytes;

	print_month("full", first, a);
	print_month("last", last, b);
	printf("pages: the last month against the first full one %.2f, bound 1.20: %s\n", ratio,
	       verdict(ratio <= 1.2 && ratio >= 0.8));
	printf("heap: the last month against the first full one %.2f, bound 1.10: %s\n", heap,
	       verdict(heap <= 1.1));
}

static int live(struct run *run, int64_t days, int64_t cap_bytes)
{
	struct store_status status;
	int64_t full_day = -1;
	int r = 0;

	for (run->day = 0; run->day < days && !r; run->day++) {
		r = one_day(run);
		store_get_status(run->store, &status);
		if (full_day < 0 && status.kept[0].oldest_wall_ms > DAY_MS)
			full_day = run->day;
	}
	if (!r)
		print_result(run, full_day, cap_bytes);
	return r;
}

static void remove_files(const char *folder)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
	char name[96];

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
	rmdir(folder);
}

int main(int argc, char **argv)
{
	int64_t days = argc > 1 ? strtoll(argv[1], NULL, 10) : YEARS_DAYS;
	int64_t cap_bytes = (argc > 2 ? strtoll(argv[2], NULL, 10) : 32) << 20;
	char folder[] = "/tmp/flashscope-bench-XXXXXX";
	static struct run run;
	const struct shim_observer observer = {
		.write = on_write, .sync = on_sync, .arg = &run.counted, .lazy = true};
	const struct store_options options = {
		.path = path,
		.boot_id = "reference",
		.kernel = "6.1",
		.wall_offset_ms = DAY_MS / 2,
		.size_max_bytes = cap_bytes,
		.tail_max_bytes = 8 << 20,
		.commit_ms = COMMIT_MS,
	};
	int r;

	if (!mkdtemp(folder) || days <= 0)
		return 1;
	snprintf(path, sizeof(path), "%s/years.db", folder);
	run.months = calloc((size_t)(days / MONTH_DAYS + 1), sizeof(struct month));
	r = run.months && shim_install(&observer) == SQLITE_OK ? sink_init(&run.sink) : -ENOMEM;
	if (!r)
		r = store_open(&options, &stream_catalog, &run.store);
	stream_start(&run.stream);
	if (!r)
		r = live(&run, days, cap_bytes);
	store_close(run.store);
	sink_done(&run.sink);
	remove_files(folder);
	free(run.months);
	if (r < 0)
		fprintf(stderr, "bench_years: %s\n", strerror(-r));
	return r < 0;
}
