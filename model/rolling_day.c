#include "model/rolling_day.h"

#include <stddef.h>

#include "base/macros.h"

int64_t rolling_hour_of(int64_t t_ms)
{
	return t_ms / ROLLING_HOUR_MS - (t_ms % ROLLING_HOUR_MS < 0);
}

static size_t slot_of(int64_t hour)
{
	int64_t slot = hour % ROLLING_HOURS;

	return (size_t)(slot < 0 ? slot + ROLLING_HOURS : slot);
}

static void advance(struct rolling_day *day, int64_t hour)
{
	int64_t n = MIN(hour - day->hour, ROLLING_HOURS);

	for (int64_t i = 0; i < n; i++)
		day->bytes[slot_of(hour - i)] = 0;
	day->hour = MAX(day->hour, hour);
}

int64_t rolling_day_hour(const struct rolling_day *day, int64_t hour)
{
	return hour > day->hour || hour <= day->hour - ROLLING_HOURS ? 0
								     : day->bytes[slot_of(hour)];
}

void rolling_day_add(struct rolling_day *day, int64_t t_ms, int64_t bytes)
{
	int64_t hour = rolling_hour_of(t_ms), *slot = &day->bytes[slot_of(hour)];

	advance(day, hour);
	if (hour > day->hour - ROLLING_HOURS && __builtin_add_overflow(*slot, bytes, slot))
		*slot = INT64_MAX;
}

int64_t rolling_day_sum(const struct rolling_day *day, int64_t now_ms)
{
	int64_t now = rolling_hour_of(now_ms), sum = 0;

	for (int64_t i = 0; i < ROLLING_HOURS; i++)
		if (__builtin_add_overflow(sum, rolling_day_hour(day, now - i), &sum))
			return INT64_MAX;
	return sum;
}
