/* The wall clock that stands in front of a saved line. Private to analysis/.
 * dmesg(1) --time-format, journalctl(1) -o, RFC 3164 and 5424, logcat of Android. */
#pragma once

#include "analysis/kernel_message.h"

/* Reads a date with a time at the front of s, in any of the forms in which logs have them, into
 * what message has of the wall clock. What is none, or has no date, changes nothing, and neither
 * does anything once a time is there. */
void kernel_wall_read(struct slice s, struct kernel_message *message);

/* The same from seconds or microseconds since 1970. */
void kernel_wall_set(int64_t wall_us, struct kernel_message *message);

/* The number of a month, 1 to 12, of which s has the English name in front; 0: it has none. */
int kernel_wall_month(struct slice s);
bool kernel_wall_is_day(struct slice s); /* "Mon " */

/* The same moment n years later: of a wall clock that shows no year. */
int64_t kernel_wall_years_later(int64_t wall_us, int n);
