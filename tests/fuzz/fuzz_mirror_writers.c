/* What a kill has left of who writes, in a folder that others may have written to: what is taken of
 * it is sound, and comes back the same. The first byte of the input says what the rest is.
 *   bit 0: the sum is put right
 *   bit 1: the rest is the hours, else changes of a sound file: its place in 16 bits, then eight
 *          bytes that are written there; a shorter last one cuts the file */
/* mutations: 60 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "store/mirror_writers.h"
#include "store/writers.h"

#define HEAD_BYTES 80
#define SUM_AT     32
#define SUM_START  UINT64_C(14695981039346656037)
#define SUM_PRIME  UINT64_C(1099511628211)
#define BOOT       "boot-one"
#define DIGEST     4711
#define CHANGE     10
#define BYTES_MAX  (1 << 17)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/fuzz_mirror_writers.XXXXXX";
static int dir_fd = -1;
static uint8_t sound[BYTES_MAX];
static size_t sound_bytes;

static void remove_folder(void)
{
	mirror_writers_drop(dir_fd);
	close(dir_fd);
	(void)rmdir(folder);
}

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_writer(const struct writer *w)
{
	check((unsigned)w->source < N_WRITER_SOURCES && w->id >= -1 && w->n >= 0);
	check(memchr(w->name, '\0', sizeof(w->name)) && memchr(w->unit, '\0', sizeof(w->unit)) &&
	      memchr(w->device, '\0', sizeof(w->device)));
	check(w->io.written >= 0 && w->io.read >= 0 && w->io.cancelled >= 0 && w->io.syncs >= 0);
}

static void check_hours(const struct writer_hours *hours)
{
	size_t n = 0;

	for (const struct writer_hour *hour = hours->waiting; hour; hour = hour->next, n++) {
		check(hour->n && hour->n <= (WRITERS_KEEP_MAX + 1) * N_WRITER_SOURCES);
		check(hour->t_ms >= 0 && hour->t_ms <= hour->since_ms &&
		      hour->since_ms <= hour->last_ms &&
		      hour->last_ms - hour->t_ms <= WRITERS_HOUR_MS);
		for (size_t i = 0; i < hour->n; i++)
			check_writer(&hour->v[i]);
	}
	check(n == hours->n_waiting && n <= WRITERS_WAITING_MAX && !hours->now);
}

static void put_bytes(const uint8_t *bytes, size_t len)
{
	CLEANUP(closep)
	int fd = openat(dir_fd, "mirror.writers", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
}

/* Eight rows, three of them the others, in two hours of the first one since boot. */
static void make_sound(void)
{
	struct writer_hours hours = {0};
	int64_t bytes;

	check(mkdtemp(folder) && (dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0);
	atexit(remove_folder);
	for (int64_t k = 0; k < 2; k++) {
		struct writer_hour *hour = calloc(1, sizeof(*hour) + 4 * sizeof(hour->v[0]));

		check(hour);
		*hour = (struct writer_hour){.since_ms = k, .last_ms = k + 1, .n = 4};
		for (int i = 0; i < 4; i++) {
			hour->v[i] = (struct writer){.source = (enum writer_source)i,
						     .id = i - 1,
						     .n = 1,
						     .io.written = 9};
			snprintf(hour->v[i].name, sizeof(hour->v[i].name), "%s",
				 i < 3 ? "one" : "(others)");
		}
		hour->next = hours.waiting;
		hours.waiting = hour;
		hours.n_waiting++;
	}
	check(mirror_writers_put(&hours, BOOT, dir_fd, DIGEST, &bytes) == 0);
	writers_done(&hours);

	CLEANUP(closep) int fd = openat(dir_fd, "mirror.writers", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, sound, sizeof(sound));

	check(n > HEAD_BYTES && n < (ssize_t)sizeof(sound));
	sound_bytes = (size_t)n;
	mirror_writers_get(&hours, BOOT, dir_fd, DIGEST);
	check(hours.n_waiting == 2 && hours.waiting->n == 4);
	writers_done(&hours);
}

static void put_sum(uint8_t *bytes, size_t len)
{
	uint64_t sum = SUM_START;

	if (len < HEAD_BYTES)
		return;
	for (size_t i = HEAD_BYTES; i < len; i++)
		sum = (sum ^ bytes[i]) * SUM_PRIME;
	memcpy(bytes + SUM_AT, &sum, sizeof(sum));
}

static size_t change(uint8_t *bytes, const uint8_t *data, size_t size)
{
	for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
		size_t at = ((size_t)data[0] << 8 | data[1]) % (sound_bytes - 7);

		memcpy(bytes + at, data + 2, 8);
	}
	return size ? sound_bytes * data[0] / 256 : sound_bytes;
}

static void check_file(void)
{
	struct writer_hours first = {0}, again = {0};
	int64_t bytes;

	mirror_writers_get(&first, BOOT, dir_fd, DIGEST);
	check_hours(&first);
	check(mirror_writers_put(&first, BOOT, dir_fd, DIGEST, &bytes) == 0);
	check(mirror_writers_get(&again, BOOT, dir_fd, DIGEST) == bytes);
	check_hours(&again);
	check(again.n_waiting == first.n_waiting);
	for (const struct writer_hour *a = first.waiting, *b = again.waiting; a;
	     a = a->next, b = b->next)
		check(a->n == b->n && a->t_ms == b->t_ms && a->since_ms == b->since_ms);
	writers_done(&first);
	writers_done(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[BYTES_MAX];
	size_t len;

	if (!sound_bytes)
		make_sound();
	if (!size || size > BYTES_MAX - HEAD_BYTES)
		return 0;
	memcpy(bytes, sound, sound_bytes);
	if (data[0] & 2) {
		len = HEAD_BYTES + size - 1;
		memcpy(bytes + HEAD_BYTES, data + 1, size - 1);
	} else {
		len = change(bytes, data + 1, size - 1);
	}
	if (data[0] & 1)
		put_sum(bytes, len);
	put_bytes(bytes, len);
	check_file();
	return 0;
}
