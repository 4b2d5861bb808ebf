/* Notices when the wall clock is set. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From here on a change between two looks is a step: slewing moves the clock by at most half a
 * millisecond in a second, and what a resume adds is the reading error of the clock chip. */
#define CLOCK_STEP_MS  1000
/* A drift that has added up to this is taken over in silence. */
#define CLOCK_DRIFT_MS 200

struct clock_watch {
	int64_t seen_ms;  /* wall minus boot clock at the last look */
	int64_t known_ms; /* as the store knows it */
};

enum clock_change { CLOCK_SAME, CLOCK_DRIFTED, CLOCK_STEPPED };

/* Takes a look. With anything but CLOCK_SAME the store has to be told offset_ms. */
enum clock_change clock_watch_look(struct clock_watch *watch, int64_t offset_ms);
