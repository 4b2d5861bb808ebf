#include "helper/rate.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

struct rate {
	const struct catalog *catalog;
	struct rate_memory *memory, own;
	int64_t looked_ms[WIRE_GROUPS_MAX]; /* for what slept or is new; INT64_MIN never */
};

struct rate_memory *rate_map(void)
{
	void *memory = mmap(NULL, sizeof(struct rate_memory), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
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
