#include "daemon/going_down.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macros.h"

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

enum going_down going_down(struct hw *hw, int64_t wall_ms, char *by, size_t size)
{
	char level = run_level(hw);

	*by = '\0';
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
	if (!level || hw_exists(hw, "run/systemd/system"))
		return GOING_DOWN_UNKNOWN;
	snprintf(by, size, "run level %c", level);
	return GOING_DOWN_NO;
}
