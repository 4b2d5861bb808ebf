/* An incident of the kernel's log as an event of the store. */
#pragma once

#include "analysis/incidents.h"
#include "base/macros.h"
#include "model/record.h"

/* What the incident does not know of itself. */
struct kernel_moment {
	int64_t first_ms, last_ms; /* boot clock */
	int error;                 /* positive errno that a message had first, 0: none */
};

/* The event lasts to the newest message so far; its evidence begins with {"open":true while more
 * may come, see store_kernel_log(). It is cut to what an event has room for: lines and sectors come
 * last. */
void kernel_event(const struct incident *incident, const struct kernel_moment *moment,
		  struct event *ret);

/* The other way: an incident as its event has told of it, but for its times on the kernel's clock,
 * which are KERNEL_TIME_NONE. -EBADMSG: no event of an incident; -ENOMEM. */
MUST_CHECK int kernel_event_read(const struct event *event, struct incident *ret,
				 struct kernel_moment *ret_moment);
