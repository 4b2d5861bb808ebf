/* The time of a saved log: where one boot ends and the next one begins, and what stands in for the
 * kernel's stamps where a log has none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/kernel_message.h"

/* All 0 at first. */
struct log_clock {
	bool has_began;  /* a message of the kernel with a time came in this boot */
	bool is_by_wall; /* this boot has no stamps: its times are those of the wall clock */
	int64_t last_us; /* the newest time of this boot */
	int64_t n_lines; /* of the kernel in this boot */
	bool has_last;   /* last_us is one */
	bool has_offset; /* offset_us is one: the wall clock less the stamp of the same line */
	int64_t offset_us;
	int64_t shift_us; /* of a wall clock that was set back: what time goes on with */
	int64_t last_wall_us;
	int years; /* that have passed in a log that does not say which year it is */
	/* Of all wall times up to now. */
	bool has_wall, is_local, is_without_year;
};

/* Takes the next message, in the order of the log. One without a stamp gets its t_us from the wall
 * clock: on the kernel's clock where lines with both told what lies between the two, else in us
 * since 1970 (is_by_wall). Returns whether another boot begins with it: the kernel says which
 * version it is, stamps fall back by more than messages may be out of order, or journalctl says so.
 * What no kernel wrote begins no boot, but for that last one. */
bool log_clock_take(struct log_clock *clock, struct kernel_message *message);

/* Another boot begins, as somebody else knows. */
void log_clock_begin(struct log_clock *clock);
