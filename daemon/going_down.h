/* Whether the machine is going down, asked by a daemon that is being stopped: it tells the next
 * boot whether the stop was part of a shutdown. */
#pragma once

#include <stddef.h>

#include "base/hw.h"
#include "base/parse.h"

enum going_down {
	GOING_DOWN_UNKNOWN,
	GOING_DOWN_NO,
	GOING_DOWN_YES,
};

/* "unknown", "running", "going_down" */
const char *going_down_name(enum going_down state);
enum going_down going_down_of_name(const char *name);

/* Yes: /run/nologin says so, as systemd and shutdown(8) write it; or
 * /run/systemd/shutdown/scheduled has a time within a minute (systemd-logind(8)); or the newest
 * run level of utmp(5) is 0 or 6. No: init keeps run levels, and it is another one. Where systemd
 * is init it is unknown without one of the signs, since it keeps none of them for certain. by gets
 * what says so, "" for unknown. */
enum going_down going_down(struct hw *hw, int64_t wall_ms, char *by, size_t size);

/* The newest run level of a file of utmp records, as the C library of a 64-bit machine or of one
 * with 32-bit times writes them (384 or 400 bytes each); 0 when there is none. */
char going_down_run_level(struct slice utmp);
