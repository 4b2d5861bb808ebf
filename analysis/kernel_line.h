/* What stands before the text of a saved line. Private to analysis/. */
#pragma once

#include "analysis/kernel_message.h"

/* Takes all prefixes off the front of *line and fills what they say: time, level, facility, and
 * is_bare where there are none. What looks like none is left alone, but for noise before one.
 * Returns whether it was a line of logcat, whose text is "TAG : TEXT". */
bool kernel_line_prefix(struct slice *line, struct kernel_message *message);

/* The last part of that, which a text that is quoted may have as well: what the kernel itself has
 * put before the text. */
void kernel_line_stamp(struct slice *line, struct kernel_message *message);
