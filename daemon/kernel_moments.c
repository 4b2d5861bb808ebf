#include "daemon/kernel_moments.h"

#include "base/macros.h"

/* What one record is known to be off, those behind it are as well: else all records of a turn would
 * be put to its begin or to its end. */
int64_t kernel_moments_boot_ms(struct kernel_moments *moments, int64_t t_us, int64_t now_ms,
			       bool is_live)
{
	int64_t t_ms, known_ms;

	if (t_us == KERNEL_TIME_NONE)
		return now_ms;
	t_ms = t_us / 1000 + moments->asleep_ms;
	known_ms = MIN(MAX(t_ms + moments->drift_ms, MAX(moments->drained_ms, 0)), now_ms);
	/* A recorded log has no clock in common with this machine. */
	if (is_live)
		moments->drift_ms = known_ms - t_ms;
	return known_ms;
}

int64_t kernel_moments_stamp_us(const struct kernel_moments *moments, int64_t t_ms)
{
	return MAX(t_ms - moments->asleep_ms - moments->drift_ms, INT64_C(0)) * 1000;
}

static struct kernel_slot *find_slot(struct kernel_moments *moments, int64_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(moments->slots); i++)
		if (moments->slots[i].id == id)
			return &moments->slots[i];
	return NULL;
}

/* There are more slots than open incidents, and what began is told in time, so one is free. */
static struct kernel_slot *free_slot(struct kernel_moments *moments)
{
	struct kernel_slot *oldest = &moments->slots[0];

	for (size_t i = 0; i < ARRAY_SIZE(moments->slots); i++) {
		struct kernel_slot *slot = &moments->slots[i];

		if (!slot->id)
			return slot;
		if (slot->id < oldest->id)
			oldest = slot;
	}
	return oldest;
}

struct kernel_slot *kernel_moments_of(struct kernel_moments *moments, int64_t id, int64_t t_ms)
{
	struct kernel_slot *slot = find_slot(moments, id);

	if (slot)
		return slot;
	slot = free_slot(moments);
	moments->newest_ms = MAX(t_ms, moments->newest_ms + 1);
	*slot = (struct kernel_slot){.id = id, .moment = {moments->newest_ms, moments->newest_ms}};
	return slot;
}

void kernel_moments_told(struct kernel_slot *slot, bool is_open)
{
	slot->is_open = is_open;
	if (!is_open)
		slot->id = 0;
}

int64_t kernel_moments_n_open(const struct kernel_moments *moments)
{
	int64_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(moments->slots); i++)
		n += moments->slots[i].id && moments->slots[i].is_open;
	return n;
}
