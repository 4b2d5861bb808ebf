/* When groups are due. Pure functions: time comes in as an argument.
 *
 * The ticks of a group stand on the multiples of its period on the boot clock, so they never drift,
 * and groups with related periods fall together. A loop that comes late takes the newest tick that
 * is due and leaves the missed ones out: there is no storm of ticks to catch up with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define SCHEDULE_NEVER INT64_MAX

struct schedule {
	int64_t period_ms; /* 0: never due */
	int64_t due_ms;    /* the next tick */
};

/* The first tick stands at the first multiple of the period at or after now_ms. */
void schedule_start(struct schedule *schedule, int64_t period_ms, int64_t now_ms);

/* SCHEDULE_NEVER when the period is 0. */
int64_t schedule_due_ms(const struct schedule *schedule);

/* Takes the newest tick that is due at now_ms: true with its planned time, false when none is. */
bool schedule_take(struct schedule *schedule, int64_t now_ms, int64_t *ret_t_ms);

/* How many ticks were left out when one is taken late_ms after it was due, without those of the
 * asleep_ms that the machine was in suspend meanwhile: nobody could have taken these. */
uint64_t schedule_n_missed(const struct schedule *schedule, int64_t late_ms, int64_t asleep_ms);

/* Back-off: the wait before another try, doubled from first_ms up to max_ms. */
struct backoff {
	int64_t wait_ms; /* 0: no failure yet */
	int64_t until_ms;
};

void backoff_fail(struct backoff *backoff, int64_t now_ms, int64_t first_ms, int64_t max_ms);
void backoff_reset(struct backoff *backoff);
bool backoff_waits(const struct backoff *backoff, int64_t now_ms);
