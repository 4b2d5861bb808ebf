#include "daemon/going_down.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/paths.h"

#define SOON_MS        60000
#define UTMP_MAX_BYTES (256 * 1024)
#define RUN_LEVEL      1 /* ut_type, utmp(5) */
#define UT_PID_AT      4

static const char *const names[] = {
	[GOING_DOWN_UNKNOWN] = "unknown",
	[GOING_DOWN_NO] = "running",
	[GOING_DOWN_YES] = "going_down",
};

const char *going_down_name(enum going_down state)
{
	return names[state];
}

enum going_down going_down_of_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (enum going_down)i;
	return GOING_DOWN_UNKNOWN;
}

static bool nologin(struct hw *hw)
{
	char buf[512];

	return hw_read(hw, buf, sizeof(buf), "run/nologin") > 0 && strcasestr(buf, "going down");
}

/* Lines of USEC=, MODE=, ...; a dry one does nothing. */
static bool scheduled(struct hw *hw, int64_t wall_ms)
{
	char buf[1024];
	struct slice rest, line;
	int64_t at_us = INT64_MAX;

	if (hw_read(hw, buf, sizeof(buf), "run/systemd/shutdown/scheduled") <= 0)
		return false;
	rest = slice_of(buf);
	while (slice_line(&rest, &line)) {
		struct slice key, value = line;

		if (!slice_until(&value, '=', &key))
			continue;
		if (slice_is(key, "USEC") && parse_i64_slice(value, &at_us) < 0)
			return false;
		if (slice_is(key, "MODE") && value.len >= 3 && !memcmp(value.p, "dry", 3))
			return false;
	}
	return at_us / 1000 <= wall_ms + SOON_MS;
}

/* What the service manager said at this stop. */
static enum going_down manager_said(struct hw *hw, int64_t boot_ms, char *by, size_t size)
{
	static const char *const going_on[] = {"initializing", "starting", "running", "degraded",
					       "maintenance"};
	char buf[256];
	struct slice rest, state, uptime, seconds;
	int64_t at_s;

	if (hw_read(hw, buf, sizeof(buf), "%s", &STOP_NOTE[1]) <= 0)
		return GOING_DOWN_UNKNOWN;
	rest = slice_of(buf);
	if (!slice_line(&rest, &state) || !slice_line(&rest, &uptime) ||
	    !slice_until(&uptime, '.', &seconds) || parse_i64_slice(seconds, &at_s) < 0 ||
	    at_s > boot_ms / 1000 + 1 || at_s < (boot_ms - SOON_MS) / 1000)
		return GOING_DOWN_UNKNOWN;
	snprintf(by, size, "systemctl is-system-running: %.*s", (int)MIN(state.len, (size_t)16),
		 state.p);
	if (slice_is(state, "stopping"))
		return GOING_DOWN_YES;
	for (size_t i = 0; i < ARRAY_SIZE(going_on); i++)
		if (slice_is(state, going_on[i]))
			return GOING_DOWN_NO;
	*by = '\0';
	return GOING_DOWN_UNKNOWN;
}

static char newest_level(struct slice utmp, size_t record)
{
	char level = 0;

	for (size_t at = 0; at + record <= utmp.len; at += record) {
		int16_t type;
		int32_t pid;

		memcpy(&type, utmp.p + at, sizeof(type));
		memcpy(&pid, utmp.p + at + UT_PID_AT, sizeof(pid));
		if (type == RUN_LEVEL)
			level = (char)(pid & 0x7f);
	}
	return level;
}

char going_down_run_level(struct slice utmp)
{
	static const size_t records[] = {384, 400};
	char level = 0;

	for (size_t i = 0; i < ARRAY_SIZE(records) && !level; i++)
		if (utmp.len && utmp.len % records[i] == 0)
			level = newest_level(utmp, records[i]);
	return (level >= '0' && level <= '6') || level == 'S' ? level : 0;
}

static char run_level(struct hw *hw)
{
	CLEANUP(freep) char *buf = malloc(UTMP_MAX_BYTES);
	int len = buf ? hw_read(hw, buf, UTMP_MAX_BYTES, "run/utmp") : -1;

	return len > 0 ? going_down_run_level((struct slice){buf, (size_t)len}) : 0;
}

enum going_down going_down(struct hw *hw, int64_t wall_ms, int64_t boot_ms, char *by, size_t size)
{
	char level = run_level(hw);
	bool systemd = hw_exists(hw, "run/systemd/system");
	enum going_down said;

	*by = '\0';
	/* The others are signs of a shutdown that is announced, too, minutes before. */
	said = systemd ? manager_said(hw, boot_ms, by, size) : GOING_DOWN_UNKNOWN;
	if (said != GOING_DOWN_UNKNOWN)
		return said;
	if (nologin(hw)) {
		snprintf(by, size, "/run/nologin");
		return GOING_DOWN_YES;
	}
	if (scheduled(hw, wall_ms)) {
		snprintf(by, size, "/run/systemd/shutdown/scheduled");
		return GOING_DOWN_YES;
	}
	if (level == '0' || level == '6') {
		snprintf(by, size, "run level %c", level);
		return GOING_DOWN_YES;
	}
	if (!level || systemd)
		return GOING_DOWN_UNKNOWN;
	snprintf(by, size, "run level %c", level);
	return GOING_DOWN_NO;
}
