/* What was spent in the last 24 hours, in slots of an hour of the boot clock. Hours before the boot
 * have negative numbers. */
#pragma once

#include <stdint.h>

#define ROLLING_HOURS   24
#define ROLLING_HOUR_MS INT64_C(3600000)

struct rolling_day {
	int64_t hour; /* of the newest slot */
	int64_t bytes[ROLLING_HOURS];
};

/* Adds to the hour of t_ms; what is older than a day counts for nothing. */
void rolling_day_add(struct rolling_day *day, int64_t t_ms, int64_t bytes);

/* The sum of the hour that now_ms is in and of the 23 before. */
int64_t rolling_day_sum(const struct rolling_day *day, int64_t now_ms);

/* What stands in one hour, by its number; 0 when it is not within the day. */
int64_t rolling_day_hour(const struct rolling_day *day, int64_t hour);

/* The number of the hour that t_ms is in. */
int64_t rolling_hour_of(int64_t t_ms);
