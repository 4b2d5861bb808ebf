/* The reference stream for tests/bench/peers: all 24 hours into a file with commits of 60 s, and
 * the first seconds as text, a line for each second with its 156 values, for programs of others.
 *
 * Usage: bench_peers FOLDER SECONDS   (makes FOLDER/stream.db and FOLDER/stream.txt) */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/store.h"
#include "tests/bench/stream.h"

#define COMMIT_S 60

struct feed {
	struct store *store;
	int64_t t_ms;
};

static void feed_rows(const struct group *group, const struct sink *sink, void *arg)
{
	struct feed *feed = arg;

	store_add(feed->store, group, feed->t_ms, 0, 1000, sink);
}

static void print_values(FILE *text, const struct stream *stream)
{
	for (int i = 0; i < STREAM_VALUES; i++)
		fprintf(text, "%" PRId64 "%c", stream->v[i], i < STREAM_VALUES - 1 ? ' ' : '\n');
}

static int fill(struct store *store, FILE *text, int64_t n_text)
{
	static struct stream stream;
	struct feed feed = {.store = store};
	struct sink sink;
	int r = sink_init(&sink);

	stream_start(&stream);
	for (int64_t t = 0; t < STREAM_SECONDS && !r; t++) {
		stream_tick(&stream, t);
		if (t < n_text)
			print_values(text, &stream);
		feed.t_ms = STREAM_START_MS + t * 1000;
		stream_rows(&stream, &sink, feed_rows, &feed);
		if (t % COMMIT_S == COMMIT_S - 1)
			r = store_commit(store, feed.t_ms, t == STREAM_SECONDS - 1);
	}
	sink_done(&sink);
	return r;
}

int main(int argc, char **argv)
{
	char path[512] = "", text_path[512];
	struct store_options options = stream_store_options(path, COMMIT_S * 1000);
	struct store *store = NULL;
	struct store_status status;
	FILE *text;
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: bench_peers FOLDER SECONDS\n");
		return 2;
	}
	snprintf(path, sizeof(path), "%s/stream.db", argv[1]);
	snprintf(text_path, sizeof(text_path), "%s/stream.txt", argv[1]);
	text = fopen(text_path, "we");
	r = text ? store_open(&options, &stream_catalog, &store) : -errno;
	if (!r)
		r = fill(store, text, strtoll(argv[2], NULL, 10));
	if (text && fclose(text) && !r)
		r = -errno;
	if (!r) {
		store_get_status(store, &status);
		printf("%" PRId64 " %" PRId64 "\n", status.file_bytes + status.wal_bytes,
		       (int64_t)STREAM_VALUES * STREAM_SECONDS);
	}
	store_close(store);
	if (r < 0)
		fprintf(stderr, "bench_peers: %s\n", strerror(-r));
	return r < 0;
}
