/* The tail's rows and events once more, in two files of a folder in memory, so that a daemon that
 * is killed loses nothing: the next one of the same boot reads them. One file takes what comes, the
 * other one has what a commit holds in its hands, and is emptied when that one went well. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "model/tick_log.h"
#include "store/db.h"
#include "store/mirror_writers.h"
#include "store/sql.h"

#define HEAD_BYTES    64
#define AHEAD_MAX_MS  60000
#define OLD_MAX_BYTES (INT64_C(64) << 20)

static const char *const names[2] = {"mirror.0", "mirror.1"};
static const char magic[8] = {'f', 's', 'm', 'i', 'r', 'r', 'o', 'r'};

struct head {
	char magic[8];
	int64_t digest; /* of the catalog: the numbers in the log are its */
	uint64_t serial;
	char boot_id[40];
};

_Static_assert(sizeof(struct head) == HEAD_BYTES, "the head has no holes");

struct mirror {
	int dir_fd, fds[2];
	unsigned active;
	int64_t bytes[2]; /* behind the head */
	int64_t writers_bytes;
	int64_t max_bytes, digest;
	uint64_t serial;
	struct tick_log_writer writer;
	uint8_t buf[TICK_LOG_RECORD_MAX];
};

/* An old file as it was found. */
struct old {
	uint8_t *bytes;
	size_t len;
	uint64_t serial;
};

struct olds {
	struct old v[2];
};

static void olds_done(struct olds *olds)
{
	free(olds->v[0].bytes);
	free(olds->v[1].bytes);
}

static void mirror_freep(struct mirror **mirror)
{
	struct mirror *m = *mirror;

	if (!m)
		return;
	closep(&m->fds[0]);
	closep(&m->fds[1]);
	closep(&m->dir_fd);
	free(m);
}

/* Empties a file, and begins a log in it. */
static int begin_file(const struct store *store, struct mirror *m, unsigned file)
{
	struct head head = {.digest = m->digest, .serial = ++m->serial};

	memcpy(head.magic, magic, sizeof(magic));
	snprintf(head.boot_id, sizeof(head.boot_id), "%s", store->boot_id);
	m->bytes[file] = 0;
	if (ftruncate(m->fds[file], 0) < 0)
		return -errno;
	return pwrite(m->fds[file], &head, sizeof(head), 0) == sizeof(head) ? 0 : -ENOSPC;
}

static int open_file(const struct mirror *m, const char *name, int flags)
{
	struct stat st;
	int fd = openat(m->dir_fd, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1)
		return fd;
	close(fd);
	return -ELOOP;
}

/* ---- what a run before has left */

static void read_old(const struct store *store, const struct mirror *m, const char *name,
		     struct old *ret)
{
	CLEANUP(closep) int fd = open_file(m, name, O_RDONLY);
	struct head head;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= HEAD_BYTES || st.st_size > OLD_MAX_BYTES)
		return;
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.magic, magic, sizeof(magic)) != 0 || head.digest != m->digest ||
	    !*store->boot_id || strncmp(head.boot_id, store->boot_id, sizeof(head.boot_id)) != 0)
		return;
	ret->bytes = malloc((size_t)(st.st_size - HEAD_BYTES));
	if (!ret->bytes)
		return;
	n = pread(fd, ret->bytes, (size_t)(st.st_size - HEAD_BYTES), HEAD_BYTES);
	ret->len = n > 0 ? (size_t)n : 0;
	ret->serial = head.serial;
}

static void replay(struct store *store, const struct old *old, struct sink *sink,
		   const int64_t *last_ms)
{
	struct tick_log_reader *reader = malloc(sizeof(*reader));
	struct tick_log_item *item = malloc(sizeof(*item));
	int64_t max_ms = clock_boot_ms() + AHEAD_MAX_MS;

	if (reader && item) {
		tick_log_open(reader, old->bytes, old->len);
		while (tick_log_next(reader, store->catalog, max_ms, sink, item) > 0)
			replay_item(store, item, sink, last_ms);
	}
	free(reader);
	free(item);
}

static void replay_all(struct store *store, const struct olds *olds)
{
	const struct old *old = olds->v;
	unsigned first = old[1].bytes && (!old[0].bytes || old[1].serial < old[0].serial);
	CLEANUP(freep) int64_t *last_ms = NULL;
	struct sink sink;

	if ((!old[0].bytes && !old[1].bytes) || sink_init(&sink) < 0)
		return;
	last_ms = replay_newest(store);
	for (unsigned i = 0; last_ms && i < 2; i++)
		if (old[first ^ i].bytes)
			replay(store, &old[first ^ i], &sink, last_ms);
	sink_done(&sink);
}

/* ---- what comes */

static void count(struct store *store, const struct mirror *m)
{
	store->status.mirror_bytes = m->bytes[0] + m->bytes[1] + m->writers_bytes;
}

/* With the lock held; the record stands in buf. */
static void append(struct store *store, struct mirror *m, int made)
{
	int64_t *bytes = &m->bytes[m->active];
	size_t len = m->writer.len;

	if (made == 0 && m->bytes[0] + m->bytes[1] + (int64_t)len <= m->max_bytes) {
		if (pwrite(m->fds[m->active], m->buf, len, HEAD_BYTES + *bytes) == (ssize_t)len) {
			*bytes += (int64_t)len;
			count(store, m);
			return;
		}
		/* Half a record would end the log. */
		(void)!ftruncate(m->fds[m->active], HEAD_BYTES + *bytes);
	}
	tick_log_drop(&m->writer);
	store->status.n_not_mirrored++;
}

void mirror_tick(struct store *store, size_t group, int64_t t_ms, int64_t late_ms, int64_t step_ms,
		 const struct sink *sink)
{
	struct mirror *m = store->mirror;

	if (m)
		append(store, m, tick_log_tick(&m->writer, group, t_ms, late_ms, step_ms, sink));
}

/* Without room for it, what it said before would be less than the file has. */
void mirror_writers(struct store *store)
{
	struct mirror *m = store->mirror;

	if (!m)
		return;
	if (mirror_writers_put(&store->writers, store->boot_id, m->dir_fd, m->digest,
			       &m->writers_bytes) < 0) {
		mirror_writers_drop(m->dir_fd);
		m->writers_bytes = 0;
		store->status.n_not_mirrored++;
	}
	count(store, m);
}

void mirror_event(struct store *store, const struct event *event)
{
	if (store->mirror)
		append(store, store->mirror, tick_log_event(&store->mirror->writer, event));
}

void mirror_gone(struct store *store, const char *collector, const char *node, int64_t t_ms)
{
	if (store->mirror)
		append(store, store->mirror,
		       tick_log_gone(&store->mirror->writer, collector, node, t_ms));
}

void mirror_commit_begins(struct store *store)
{
	struct mirror *m = store->mirror;

	/* One that failed has left what it held in the other file: that goes on. */
	if (!m || m->bytes[m->active ^ 1] || !m->bytes[m->active])
		return;
	if (begin_file(store, m, m->active ^ 1) < 0)
		return;
	m->active ^= 1;
	tick_log_begin(&m->writer);
}

void mirror_commit_done(struct store *store)
{
	struct mirror *m = store->mirror;

	if (!m || ftruncate(m->fds[m->active ^ 1], 0) < 0)
		return;
	m->bytes[m->active ^ 1] = 0;
	count(store, m);
}

/* In the place of the old files: what was read of them stands in the new one before they go. */
static int settle(const struct mirror *m)
{
	if (renameat(m->dir_fd, "mirror.new", m->dir_fd, names[0]) < 0)
		return -errno;
	(void)unlinkat(m->dir_fd, names[1], 0);
	return 0;
}

static int start(struct store *store, struct mirror *m, const char *dir)
{
	m->fds[0] = m->fds[1] = -1;
	m->writer.buf = m->buf;
	m->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->dir_fd < 0)
		return -errno;
	(void)unlinkat(m->dir_fd, "mirror.new", 0);
	m->fds[0] = open_file(m, "mirror.new", O_RDWR | O_CREAT | O_EXCL);
	if (m->fds[0] < 0)
		return m->fds[0];
	tick_log_begin(&m->writer);
	return begin_file(store, m, 0);
}

int mirror_open(struct store *store, const char *dir, int64_t digest, int64_t max_bytes)
{
	CLEANUP(mirror_freep) struct mirror *m = calloc(1, sizeof(*m));
	CLEANUP(olds_done) struct olds olds = {0};
	int r;

	if (!m)
		return -ENOMEM;
	m->digest = digest;
	m->max_bytes = max_bytes;
	r = start(store, m, dir);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < 2; i++) {
		read_old(store, m, names[i], &olds.v[i]);
		m->serial = MAX(m->serial, olds.v[i].serial);
	}
	r = begin_file(store, m, 0);
	if (r < 0)
		return r;
	store->mirror = m;
	replay_all(store, &olds);
	m->writers_bytes = mirror_writers_get(&store->writers, store->boot_id, m->dir_fd, digest);
	count(store, m);
	store->mirror = NULL;
	r = settle(m);
	if (r == 0)
		m->fds[1] = open_file(m, names[1], O_RDWR | O_CREAT | O_EXCL);
	if (r < 0 || m->fds[1] < 0)
		return r < 0 ? r : m->fds[1];
	store->mirror = m;
	m = NULL;
	return 0;
}

/* After a last commit that went well there is nothing to keep. */
void mirror_close(struct store *store)
{
	struct mirror *m = store->mirror;

	if (m && !m->bytes[0] && !m->bytes[1])
		for (unsigned i = 0; i < 2; i++)
			(void)unlinkat(m->dir_fd, names[i], 0);
	if (m && !store->writers.n_waiting && !store->writers.is_dirty)
		mirror_writers_drop(m->dir_fd);
	mirror_freep(&store->mirror);
	store->mirror = NULL;
}
