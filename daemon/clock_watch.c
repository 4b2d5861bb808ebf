#include "daemon/clock_watch.h"

#include <stdlib.h>

enum clock_change clock_watch_look(struct clock_watch *watch, int64_t offset_ms)
{
	int64_t moved_ms = offset_ms - watch->seen_ms, drift_ms = offset_ms - watch->known_ms;

	watch->seen_ms = offset_ms;
	if (llabs(moved_ms) >= CLOCK_STEP_MS) {
		watch->known_ms = offset_ms;
		return CLOCK_STEPPED;
	}
	if (llabs(drift_ms) >= CLOCK_DRIFT_MS) {
		watch->known_ms = offset_ms;
		return CLOCK_DRIFTED;
	}
	return CLOCK_SAME;
}
