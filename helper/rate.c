#include "helper/rate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"

struct rate {
	const struct catalog *catalog;
	struct rate_memory *memory, own;
	int64_t looked_ms[WIRE_GROUPS_MAX]; /* for what slept or is new; INT64_MIN never */
};

/* -1: none. A file on a disk would be written with each request, and would outlive the boot. */
static int open_kept(const char *path)
{
	CLEANUP(closep)
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct statfs fs;
	struct stat st;
	int kept = fd;

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0 ||
	    (fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC) || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() || st.st_mode & 077 ||
	    ftruncate(fd, sizeof(struct rate_memory)) < 0 ||
	    /* A hole could not be filled where there is no room left, which is a SIGBUS. */
	    posix_fallocate(fd, 0, sizeof(struct rate_memory)) != 0)
		return -1;
	fd = -1;
	return kept;
}

struct rate_memory *rate_map(const char *path, int64_t digest)
{
	CLEANUP(closep) int fd = path ? open_kept(path) : -1;
	struct rate_memory *memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
					  fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (memory->digest != digest)
		*memory = (struct rate_memory){.digest = digest};
	return memory;
}

int rate_new(const struct catalog *catalog, struct rate_memory *memory, struct rate **ret)
{
	struct rate *rate = calloc(1, sizeof(*rate));

	if (!rate)
		return -ENOMEM;
	rate->catalog = catalog;
	rate->memory = memory ? memory : &rate->own;
	for (size_t i = 0; i < WIRE_GROUPS_MAX; i++)
		rate->looked_ms[i] = INT64_MIN;
	/* A worker shall not write there. */
	if (memory)
		madvise(memory, sizeof(*memory), MADV_DONTFORK);
	*ret = rate;
	return 0;
}

void rate_free(struct rate *rate)
{
	free(rate);
}

bool rate_is_look(const struct rate *rate, size_t group, bool rest)
{
	return rest && rate->looked_ms[group] != INT64_MIN;
}

/* A time that is still to come is none. */
static bool was_asked_within(const struct rate *rate, size_t group, int64_t span_ms, int64_t now_ms)
{
	int64_t asked_ms = rate->memory->asked_ms[group];

	return asked_ms > 0 && asked_ms <= now_ms && now_ms - asked_ms < span_ms;
}

bool rate_too_soon(const struct rate *rate, size_t group, bool look, int64_t now_ms)
{
	int64_t least_ms = group_least_ms(catalog_group_at(rate->catalog, group, NULL));

	if (look)
		return now_ms - rate->looked_ms[group] < RATE_LOOK_MS;
	return was_asked_within(rate, group, least_ms - least_ms / 10, now_ms);
}

/* The first look may follow the sample at once. */
void rate_note(struct rate *rate, size_t group, bool look, int64_t now_ms)
{
	if (!look)
		rate->memory->asked_ms[group] = now_ms;
	rate->looked_ms[group] = look ? now_ms : MAX(rate->looked_ms[group], now_ms - RATE_LOOK_MS);
}
