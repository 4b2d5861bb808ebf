/* What a syslog writes in place of messages that are alike. Private to analysis/. */
#pragma once

#include "analysis/kernel_message.h"

/* "last message repeated 5 times", and behind the host alone: whose it was is not said. */
bool kernel_repeat_is_last(struct slice text);

/* Takes the text behind what stands in front of a line. Where it says that a message came again, m
 * has how often, and *text is what that message said; false else. */
bool kernel_repeat_take(struct slice *text, struct kernel_message *m);
