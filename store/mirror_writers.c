/* Written anew at each tick, beside the old one, which it then replaces. */
#include "store/mirror_writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "store/writers.h"

#define FILE_NAME    "mirror.writers"
#define NEW_NAME     "mirror.writers.new"
#define AHEAD_MAX_MS 60000
/* Of each hour: all that it may have, and the others of each kind. */
#define ROWS_MAX     (WRITERS_HOUR_MAX + N_WRITER_SOURCES)

static const char magic[8] = {'f', 's', 'w', 'r', 'i', 't', 'e', 'r'};

struct head {
	char magic[8];
	int64_t digest; /* of the catalog */
	uint64_t row_bytes, n_hours, sum;
	char boot_id[40];
};

struct hour_head {
	int64_t t_ms, since_ms, last_ms;
	uint64_t n;
};

#define SUM_OF_NOTHING UINT64_C(14695981039346656037)

static uint64_t add_sum(uint64_t sum, const void *bytes, size_t len)
{
	const uint8_t *byte = bytes;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ byte[i]) * UINT64_C(1099511628211);
	return sum;
}

/* ---- what comes */

static int put(int fd, const void *bytes, size_t len, uint64_t *sum)
{
	*sum = add_sum(*sum, bytes, len);
	return write(fd, bytes, len) == (ssize_t)len ? 0 : -ENOSPC;
}

static int put_hour(int fd, const struct writer_hour *hour, struct head *head)
{
	struct hour_head h = {hour->t_ms, hour->since_ms, hour->last_ms, hour->n};
	int r = put(fd, &h, sizeof(h), &head->sum);

	head->n_hours++;
	return r < 0 ? r : put(fd, hour->v, hour->n * sizeof(hour->v[0]), &head->sum);
}

static int put_all(int fd, const struct writer_hours *hours, struct head *head)
{
	int r = lseek(fd, sizeof(*head), SEEK_SET) < 0 ? -errno : 0;

	for (const struct writer_hour *hour = hours->waiting; hour && r == 0; hour = hour->next)
		r = put_hour(fd, hour, head);
	if (r == 0 && hours->now && hours->is_dirty)
		r = put_hour(fd, hours->now, head);
	if (r == 0 && pwrite(fd, head, sizeof(*head), 0) != sizeof(*head))
		r = -ENOSPC;
	return r;
}

void mirror_writers_drop(int dir_fd)
{
	(void)unlinkat(dir_fd, FILE_NAME, 0);
}

int mirror_writers_put(const struct writer_hours *hours, const char *boot_id, int dir_fd,
		       int64_t digest, int64_t *ret_bytes)
{
	struct head head = {
		.digest = digest, .row_bytes = sizeof(hours->now->v[0]), .sum = SUM_OF_NOTHING};
	struct stat st;
	int r;

	memcpy(head.magic, magic, sizeof(magic));
	snprintf(head.boot_id, sizeof(head.boot_id), "%s", boot_id);
	(void)unlinkat(dir_fd, NEW_NAME, 0);

	CLEANUP(closep)
	int fd = openat(dir_fd, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);

	r = fd < 0 ? -errno : put_all(fd, hours, &head);
	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r == 0 && renameat(dir_fd, NEW_NAME, dir_fd, FILE_NAME) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir_fd, NEW_NAME, 0);
	else
		*ret_bytes = st.st_size;
	return r;
}

/* ---- what a run before has left */

struct bytes {
	uint8_t *v, *at;
	size_t left;
};

static void bytes_done(struct bytes *bytes)
{
	free(bytes->v);
}

static bool get(struct bytes *from, void *to, size_t len)
{
	if (from->left < len)
		return false;
	memcpy(to, from->at, len);
	from->at += len;
	from->left -= len;
	return true;
}

static bool is_text(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static bool is_sound(const struct writer *w)
{
	const struct writer_io *io = &w->io;

	return (unsigned)w->source < N_WRITER_SOURCES && is_text(w->name, sizeof(w->name)) &&
	       is_text(w->unit, sizeof(w->unit)) && is_text(w->device, sizeof(w->device)) &&
	       w->id >= -1 && w->n >= 0 && w->n <= WRITERS_N_MAX && io->written >= 0 &&
	       io->read >= 0 && io->cancelled >= 0 && io->syncs >= 0;
}

static bool has_times(const struct hour_head *h)
{
	return h->t_ms >= 0 && h->t_ms <= clock_boot_ms() + AHEAD_MAX_MS &&
	       h->t_ms % WRITERS_HOUR_MS == 0 && h->since_ms >= h->t_ms &&
	       h->last_ms >= h->since_ms && h->last_ms <= h->t_ms + WRITERS_HOUR_MS &&
	       h->last_ms <= clock_boot_ms() + AHEAD_MAX_MS && h->n <= ROWS_MAX;
}

/* NULL at the first that is none. */
static struct writer_hour *get_hour(struct bytes *from)
{
	CLEANUP(freep) struct writer_hour *hour = NULL;
	struct writer_hour *got;
	struct hour_head h;

	if (!get(from, &h, sizeof(h)) || !has_times(&h))
		return NULL;
	hour = calloc(1, sizeof(*hour) + (h.n + 1) * sizeof(hour->v[0]));
	if (!hour || !get(from, hour->v, h.n * sizeof(hour->v[0])))
		return NULL;
	hour->t_ms = h.t_ms;
	hour->since_ms = h.since_ms;
	hour->last_ms = h.last_ms;
	hour->n = h.n;
	for (size_t i = 0; i < hour->n; i++)
		if (!is_sound(&hour->v[i]))
			return NULL;
	got = hour;
	hour = NULL;
	return got;
}

static bool read_all(int fd, struct bytes *ret)
{
	static const off_t max =
		sizeof(struct head) +
		(off_t)(WRITERS_WAITING_MAX + 1) *
			(off_t)(sizeof(struct hour_head) + ROWS_MAX * sizeof(struct writer));
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
	    st.st_size < (off_t)sizeof(struct head) || st.st_size > max)
		return false;
	ret->v = malloc((size_t)st.st_size);
	n = ret->v ? pread(fd, ret->v, (size_t)st.st_size, 0) : -1;
	ret->at = ret->v;
	ret->left = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static bool is_ours(const char *boot_id, const struct head *head, int64_t digest,
		    const struct bytes *rest)
{
	char padded[sizeof(head->boot_id)] = "";

	snprintf(padded, sizeof(padded), "%s", boot_id);
	return !memcmp(head->magic, magic, sizeof(magic)) && head->digest == digest &&
	       head->row_bytes == sizeof(struct writer) && *boot_id &&
	       !memcmp(head->boot_id, padded, sizeof(padded)) &&
	       head->sum == add_sum(SUM_OF_NOTHING, rest->at, rest->left);
}

int64_t mirror_writers_get(struct writer_hours *hours, const char *boot_id, int dir_fd,
			   int64_t digest)
{
	CLEANUP(closep)
	int fd = openat(dir_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	CLEANUP(bytes_done) struct bytes bytes = {0};
	struct writer_hour *hour;
	struct head head;
	int64_t size;

	if (!read_all(fd, &bytes) || !get(&bytes, &head, sizeof(head)) ||
	    !is_ours(boot_id, &head, digest, &bytes))
		return 0;
	size = (int64_t)(sizeof(head) + bytes.left);
	while (bytes.left && (hour = get_hour(&bytes)))
		writers_restore(hours, hour);
	return size;
}
