/* Clocks and the writing of time.
 *
 * Inside a boot, time is CLOCK_BOOTTIME in ms: it never steps and goes on in suspend. Wall time is
 * always derived from it, by an offset that may be corrected later. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "base/text.h"

int64_t clock_boot_ms(void);
int64_t clock_boot_us(void);
int64_t clock_wall_ms(void);

/* How long this boot has been in suspend so far, to within a millisecond. */
int64_t clock_asleep_ms(void);

/* Wall clock minus boot clock, in ms: what has to be added to a boot time to get the wall time.
 * Both clocks are read close together, so the error is below 1 ms unless the thread is preempted.
 */
int64_t clock_wall_offset_ms(void);

/* What the clocks show at one moment. */
struct clock_reading {
	int64_t boot_ms;        /* CLOCK_BOOTTIME */
	int64_t wall_offset_ms; /* CLOCK_REALTIME minus CLOCK_BOOTTIME: as clock_wall_offset_ms() */
	int64_t asleep_ms;      /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: as clock_asleep_ms() */
};

void clock_read(struct clock_reading *ret);

/* For tests, before there are threads: where the functions above take the time from, in place of
 * clock_gettime(), which NULL puts back. */
void clock_inject(int (*read)(clockid_t id, struct timespec *ret));

/* Sleeps until the boot clock shows until_ms. 0, or -EINTR when a signal came first. */
int clock_sleep_until(int64_t until_ms);

/* "2026-12-01T04:13:20.250Z"; the milliseconds are left out when they are zero. */
void clock_rfc3339(struct text *text, int64_t wall_ms);

/* Reads "2026-12-01T04:13:20Z", with optional fraction and "+01:00" offset; a date alone is
 * midnight UTC, and a time without zone is UTC. Returns 0 or -EINVAL. */
int clock_parse_rfc3339(const char *s, int64_t *ret_wall_ms);
