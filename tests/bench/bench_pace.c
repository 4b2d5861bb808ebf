/* The reference stream at its true pace into a file, with commits at a bound. Each minute a copy of
 * the file alone, without companions, is looked at: how much does it lack? What the disk below has
 * written is counted by the kernel, so the folder's file system should hold nothing else. The first
 * five minutes, in which a boot begins, are counted apart, and so are the first two commits, by
 * which the journal gets its room; the hour behind them has one fold, and is as long with any
 * bound.
 *
 * Usage: bench_pace FOLDER COMMIT_SECONDS SECONDS [SPEED]
 * SECONDS 0 makes the file and no more; a bound above 150 s adds what two commits take. SPEED 4
 * takes a quarter of the time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/reader.h"
#include "store/store.h"
#include "tests/bench/stream.h"

#define LOOK_S      60
#define FIRST_LOOK  330 /* a file of a few minutes has nothing yet */
#define BEGIN_S     300
#define NOON_S      43200
#define COPY_FOLDER "/tmp/flashscope-pace-XXXXXX"

struct pace {
	const char *disk; /* the folder on it */
	char path[512], copy[96], folder[64];
	int64_t commit_s, seconds, begin_s, speed, most_lacking_ms, n_looks;
	int64_t bytes_before, bytes_begun, bytes_end;
	struct store *store;
	struct stream stream;
	struct sink sink;
	int64_t t_ms;
};

static void feed_rows(const struct group *group, const struct sink *sink, void *arg)
{
	struct pace *pace = arg;

	store_add(pace->store, group, pace->t_ms, 0, 1000, sink);
}

/* Sleeps until the second has come. */
static void wait_for_second(const struct timespec *start, int64_t second, int64_t speed)
{
	int64_t ns = start->tv_nsec + second % speed * (1000000000 / speed);
	struct timespec at = {.tv_sec = start->tv_sec + second / speed + ns / 1000000000,
			      .tv_nsec = ns % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static int copy_file(const struct pace *pace)
{
	/* A look is not to make the file system write. */
	CLEANUP(closep) int from = open(pace->path, O_RDONLY | O_CLOEXEC | O_NOATIME);
	CLEANUP(closep)
	int to = open(pace->copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) < 0)
		return -errno;
	while (st.st_size > 0) {
		ssize_t n = sendfile(to, from, NULL, (size_t)st.st_size);

		if (n <= 0)
			return -EIO;
		st.st_size -= n;
	}
	return 0;
}

/* What somebody finds who takes the file and nothing else. */
static int look(struct pace *pace)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct boot boot;
	int64_t lacking_ms;
	int r = copy_file(pace);

	if (!r)
		r = reader_open(pace->copy, NULL, &stream_catalog, &reader);
	if (!r)
		r = reader_boots(reader, &boot, 1);
	if (r < 0)
		return r;
	lacking_ms = pace->t_ms - (r ? boot.last_ms : STREAM_START_MS);
	pace->most_lacking_ms = MAX(pace->most_lacking_ms, lacking_ms);
	pace->n_looks++;
	return 0;
}

/* What the disk below the folder has written since it is there, with all that waits; 0: not known.
 * Documentation/block/stat.rst: field 7, in sectors of 512 bytes. */
static int64_t disk_bytes(const struct pace *pace)
{
	CLEANUP(closep) int fd = open(pace->disk, O_RDONLY | O_CLOEXEC | O_NOATIME);
	char name[64], line[512];
	struct stat st;
	int64_t sectors = 0;
	FILE *file;

	if (fd < 0 || fstat(fd, &st) < 0 || syncfs(fd) < 0)
		return 0;
	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u/stat", major(st.st_dev),
		 minor(st.st_dev));
	file = fopen(name, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file) ||
	    sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNd64, &sectors) != 1)
		sectors = 0;
	fclose(file);
	return sectors * 512;
}

static int live(struct pace *pace)
{
	struct timespec start;
	int r = 0;

	pace->bytes_before = disk_bytes(pace);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int64_t s = 0; s < pace->seconds && !r; s++) {
		wait_for_second(&start, s, pace->speed);
		stream_tick(&pace->stream, NOON_S + s % NOON_S);
		pace->t_ms = STREAM_START_MS + s * 1000;
		stream_rows(&pace->stream, &pace->sink, feed_rows, pace);
		/* Just before a commit the file is oldest. */
		if (s > FIRST_LOOK && s % LOOK_S == LOOK_S - 2)
			r = look(pace);
		if (!r && s % pace->commit_s == pace->commit_s - 1)
			r = store_commit(pace->store, pace->t_ms, false);
		if (s == pace->begin_s - 1)
			pace->bytes_begun = disk_bytes(pace);
	}
	pace->bytes_end = disk_bytes(pace);
	return r;
}

/* What is written once in the life of a file. */
static int make_file(struct pace *pace)
{
	pace->t_ms = STREAM_START_MS;
	stream_tick(&pace->stream, 0);
	stream_rows(&pace->stream, &pace->sink, feed_rows, pace);
	return store_commit(pace->store, pace->t_ms, true);
}

int main(int argc, char **argv)
{
	static struct pace pace = {.folder = COPY_FOLDER};
	struct store_options options = stream_store_options(pace.path, 0);
	int r;

	if (argc < 4 || argc > 5 || !mkdtemp(pace.folder)) {
		fprintf(stderr, "usage: bench_pace FOLDER COMMIT_SECONDS SECONDS [SPEED]\n");
		return 2;
	}
	pace.disk = argv[1];
	snprintf(pace.path, sizeof(pace.path), "%s/stream.db", argv[1]);
	snprintf(pace.copy, sizeof(pace.copy), "%s/alone.db", pace.folder);
	pace.commit_s = strtoll(argv[2], NULL, 10);
	pace.seconds = strtoll(argv[3], NULL, 10);
	pace.speed = argc > 4 ? strtoll(argv[4], NULL, 10) : 1;
	if (pace.commit_s <= 0 || pace.seconds < 0 || pace.speed <= 0)
		return 2;
	options.commit_ms = pace.commit_s * 1000;
	pace.begin_s = MAX(BEGIN_S, 2 * pace.commit_s);
	if (pace.seconds)
		pace.seconds += pace.begin_s - BEGIN_S;
	if (!pace.seconds)
		options.boot_id = "creation";
	r = sink_init(&pace.sink);
	if (!r)
		r = store_open(&options, &stream_catalog, &pace.store);
	stream_start(&pace.stream);
	if (!r)
		r = pace.seconds ? live(&pace) : make_file(&pace);
	printf("values %" PRId64 " looks %" PRId64 " lacking_s %" PRId64 " start %" PRId64
	       " bytes %" PRId64 "\n",
	       MAX(pace.seconds - pace.begin_s, 0) * STREAM_VALUES, pace.n_looks,
	       pace.most_lacking_ms / 1000, pace.bytes_begun - pace.bytes_before,
	       pace.bytes_end - pace.bytes_begun);
	store_close(pace.store);
	sink_done(&pace.sink);
	unlink(pace.copy);
	rmdir(pace.folder);
	if (r < 0)
		fprintf(stderr, "bench_pace: %s\n", strerror(-r));
	return r < 0;
}
