#include "sampling/schedule.h"

void schedule_start(struct schedule *schedule, int64_t period_ms, int64_t now_ms)
{
	*schedule = (struct schedule){.period_ms = period_ms};
	if (period_ms > 0)
		schedule->due_ms = (now_ms + period_ms - 1) / period_ms * period_ms;
}

int64_t schedule_due_ms(const struct schedule *schedule)
{
	return schedule->period_ms > 0 ? schedule->due_ms : SCHEDULE_NEVER;
}

bool schedule_take(struct schedule *schedule, int64_t now_ms, int64_t *ret_t_ms)
{
	int64_t t_ms;

	if (schedule->period_ms <= 0 || now_ms < schedule->due_ms)
		return false;
	t_ms = now_ms / schedule->period_ms * schedule->period_ms;
	schedule->due_ms = t_ms + schedule->period_ms;
	*ret_t_ms = t_ms;
	return true;
}

uint64_t schedule_n_missed(const struct schedule *schedule, int64_t late_ms, int64_t asleep_ms)
{
	int64_t awake_ms = late_ms - MAX(asleep_ms, 0);

	return awake_ms > 0 && schedule->period_ms > 0 ? (uint64_t)(awake_ms / schedule->period_ms)
						       : 0;
}

void backoff_fail(struct backoff *backoff, int64_t now_ms, int64_t first_ms, int64_t max_ms)
{
	backoff->wait_ms = backoff->wait_ms ? MIN(backoff->wait_ms * 2, max_ms) : first_ms;
	backoff->until_ms = now_ms + backoff->wait_ms;
}

void backoff_reset(struct backoff *backoff)
{
	*backoff = (struct backoff){0};
}

bool backoff_waits(const struct backoff *backoff, int64_t now_ms)
{
	return backoff->wait_ms && now_ms < backoff->until_ms;
}
