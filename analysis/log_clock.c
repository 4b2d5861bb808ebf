#include "analysis/log_clock.h"

#include <string.h>

#include "analysis/incidents.h"
#include "analysis/kernel_wall.h"

/* A log without stamps begins with a line or two before the kernel's version. */
#define LINES_BEFORE_VERSION 3
/* A clock that shows no year, and half of one less than before, is in the next one. */
#define HALF_YEAR_US         (INT64_C(183) * 86400 * 1000000)
/* The year 9999; 285 years of uptime; and what clocks that are set back may add up to. */
#define WALL_MAX_US          INT64_C(253402300799999999)
#define STAMP_MAX_US         (INT64_C(1) << 53)
#define SHIFT_MAX_US         (INT64_C(1) << 60)

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

void log_clock_begin(struct log_clock *clock)
{
	clock->has_began = clock->has_last = clock->has_offset = clock->is_by_wall = false;
	clock->shift_us = clock->n_lines = 0;
}

/* "Panic#1 Part2": the pieces of one dump may stand in any order. */
static bool is_dump_head(const char *text)
{
	const char *at = strchr(text, '#');

	return at && at != text && at - text < 16 && strstr(at, " Part");
}

static void take_wall(struct log_clock *clock, struct kernel_message *m)
{
	if (m->wall_us == KERNEL_TIME_NONE)
		return;
	if (!m->wall_has_year) {
		int64_t wall_us = kernel_wall_years_later(m->wall_us, clock->years);

		if (clock->has_wall && wall_us < clock->last_wall_us - HALF_YEAR_US &&
		    clock->years < 100)
			wall_us = kernel_wall_years_later(m->wall_us, ++clock->years);
		m->wall_us = wall_us;
	}
	clock->has_wall = true;
	clock->last_wall_us = m->wall_us;
	clock->is_local = clock->is_local || !m->wall_is_utc;
	clock->is_without_year = clock->is_without_year || !m->wall_has_year;
}

/* Whether the message cannot be of the boot that the last one was of. */
static bool is_other_boot(const struct log_clock *clock, const struct kernel_message *m)
{
	bool is_version = starts_with(m->text, "Linux version ") ||
			  starts_with(m->text, "Booting Linux on physical CPU");

	if (m->t_us == KERNEL_TIME_NONE)
		return is_version && clock->n_lines >= LINES_BEFORE_VERSION;
	if (!clock->has_began)
		return false;
	/* One log behind another one. */
	if (clock->is_by_wall)
		return m->wall_us == KERNEL_TIME_NONE;
	return clock->has_last && (m->t_us < clock->last_us - INCIDENTS_DISORDER_US ||
				   (is_version && m->t_us < clock->last_us));
}

/* Time goes on where the clock was set back. */
static int64_t by_wall(struct log_clock *clock, int64_t wall_us)
{
	int64_t t_us = wall_us + clock->shift_us;

	if (clock->has_last && t_us < clock->last_us - INCIDENTS_DISORDER_US) {
		clock->shift_us = MIN(clock->shift_us + clock->last_us - t_us, SHIFT_MAX_US);
		t_us = clock->last_us;
	}
	return t_us;
}

static void take_time(struct log_clock *clock, struct kernel_message *m)
{
	bool has_wall = m->wall_us != KERNEL_TIME_NONE;
	/* The stamp of a message that came again since. */
	bool is_old = m->repeats && m->t_us != KERNEL_TIME_NONE;

	if (!clock->has_began && (has_wall || m->t_us != KERNEL_TIME_NONE)) {
		clock->has_began = true;
		clock->is_by_wall = m->t_us == KERNEL_TIME_NONE;
	}
	if (clock->is_by_wall) {
		if (has_wall)
			m->t_us = by_wall(clock, m->wall_us);
	} else if (has_wall && m->t_us != KERNEL_TIME_NONE && !is_old) {
		clock->offset_us = m->wall_us - m->t_us;
		clock->has_offset = true;
	} else if (has_wall && clock->has_offset && m->wall_us >= clock->offset_us) {
		m->t_us = m->wall_us - clock->offset_us;
		/* A clock that was set would be taken for another boot, or for hours. */
		if (clock->has_last && m->t_us < clock->last_us)
			m->t_us = clock->last_us;
	}
	if (m->t_us == KERNEL_TIME_NONE)
		return;
	clock->last_us = clock->has_last && clock->last_us > m->t_us ? clock->last_us : m->t_us;
	clock->has_last = true;
}

/* What no clock shows is no time; sums of the others do not overflow. */
static void bound_times(struct kernel_message *m)
{
	if (m->wall_us < 0 || m->wall_us > WALL_MAX_US)
		m->wall_us = KERNEL_TIME_NONE;
	if (m->t_us < 0 || m->t_us > STAMP_MAX_US)
		m->t_us = KERNEL_TIME_NONE;
}

bool log_clock_take(struct log_clock *clock, struct kernel_message *m)
{
	bool is_other;

	bound_times(m);

	if (m->facility != 0) {
		/* journalctl, where it goes over to the next boot; the older ones say "Reboot". */
		is_other =
			m->is_bare && clock->n_lines &&
			(starts_with(m->text, "-- Boot ") || starts_with(m->text, "-- Reboot --"));
		if (is_other)
			log_clock_begin(clock);
		return is_other;
	}
	if (is_dump_head(m->text))
		clock->has_last = false;
	take_wall(clock, m);
	is_other = is_other_boot(clock, m);
	if (is_other)
		log_clock_begin(clock);
	take_time(clock, m);
	clock->n_lines++;
	return is_other;
}
