/* Whether the machine is going down, asked by a daemon that is being stopped: it tells the next
 * boot whether the stop was part of a shutdown. */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* Where systemd is init, what it says when it stops the unit is in /run/flashscope-stop: there
 * ExecStop= of flashscoped.service has written the answer of "systemctl is-system-running"
 * (systemctl(1)), and /proc/uptime. "stopping" is yes, any other state of a manager that runs is
 * no; what is older than a minute was another stop. Else yes: /run/nologin says so, as systemd and
 * shutdown(8) write it; or /run/systemd/shutdown/scheduled has a time within a minute
 * (systemd-logind(8)); or the newest run level of utmp(5) is 0 or 6. No: init keeps run levels, and
 * it is another one; systemd keeps none of these for certain, so there it is unknown without one.
 * by gets what says so, "" for unknown. */
enum going_down going_down(struct hw *hw, int64_t wall_ms, int64_t boot_ms, char *by, size_t size);

/* The newest run level of a file of utmp records, as the C library of a 64-bit machine or of one
 * with 32-bit times writes them (384 or 400 bytes each); 0 when there is none. */
char going_down_run_level(struct slice utmp);
