/* Notices when the wall clock is set and when the machine has slept, from what the clocks show.
 *
 * Wall minus boot clock is moved by nothing but somebody who sets the clock: a slewing NTP client
 * changes the speed of both alike, and a resume adds to both what the sleep took
 * (kernel/time/timekeeping.c). So a change is a step. One of a second and more is told; less is
 * taken over in silence once it has added up to CLOCK_DRIFT_MS, since what is read carries the time
 * between two readings. A timer with TFD_TIMER_CANCEL_ON_SET ends at a resume as well
 * (timerfd_create(2)), so it only says when to look; what counts is the comparison. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/* From here on a change between two looks is told of. */
#define CLOCK_STEP_MS  1000
/* Smaller ones are taken over when they have added up to this. */
#define CLOCK_DRIFT_MS 200
/* From here on a sleep is told of. */
#define CLOCK_SLEEP_MS 1000
/* 2024-01-01: a clock that shows a time before has not been set. */
#define CLOCK_SET_MS   INT64_C(1704067200000)

struct clock_watch {
	struct clock_reading seen; /* at the last look */
	int64_t known_ms;          /* the offset that holds for the boot: the best one so far */
};

struct clock_news {
	bool stepped; /* the clock was set, from the one offset to the other */
	bool first;   /* and showed nothing before that can have been the time */
	bool refused; /* it was set to what cannot be the time: the offset stays as it was */
	int64_t before_ms, after_ms;
	bool moved; /* known_ms is another one: all times of the boot are told by it from now on */
	int64_t slept_ms;      /* since the last look, 0: not */
	int64_t slept_from_ms; /* boot clock: no later than this it fell asleep */
};

/* Whether a wall clock that shows this can have been set. */
bool clock_is_set(int64_t wall_ms);

/* What holds for the boot from the first look on. known_ms: what a run before has found for this
 * boot, which is the better one when the clock shows what cannot be the time. */
void clock_watch_begin(struct clock_watch *watch, const struct clock_reading *now,
		       const int64_t *known_ms);

/* Takes a look: what is new since the last one. */
void clock_watch_look(struct clock_watch *watch, const struct clock_reading *now,
		      struct clock_news *ret);
