/* An incident of the kernel's log as an event of the store. */
#pragma once

#include "analysis/incidents.h"
#include "model/record.h"

/* What the incident does not know of itself. */
struct kernel_moment {
	int64_t first_ms, last_ms; /* boot clock */
	int error;                 /* positive errno that a message had first, 0: none */
};

/* The event lasts to the newest message so far. Its evidence is cut to what an event has room for:
 * lines and sectors come last. */
void kernel_event(const struct incident *incident, const struct kernel_moment *moment,
		  struct event *ret);
