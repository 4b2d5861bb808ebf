/* What the file and the log say of a clock that was set and of a machine that slept. */
#pragma once

#include "analysis/clock_watch.h"
#include "store/store.h"

/* Events clock_step and suspended, the step for later queries, and the better offset. */
void clock_events_tell(struct store *store, const struct clock_reading *now,
		       const struct clock_news *news);

/* The first look; known_ms as for clock_watch_begin(). */
void clock_events_begin(struct clock_watch *watch, const int64_t *known_ms);

/* What happened since a run before, which has left the offset known_ms for this boot. */
void clock_events_missed(struct store *store, const struct clock_watch *watch, int64_t known_ms);

/* From here on a turn that comes late is told of. */
#define CLOCK_STALL_MS 30000

/* Event stalled: the daemon wanted to run at due_ms, and does only now, though the machine was
 * awake. seen: the clocks at its last turn. */
void clock_events_stall(struct store *store, const struct clock_reading *seen,
			const struct clock_reading *now, int64_t due_ms);
