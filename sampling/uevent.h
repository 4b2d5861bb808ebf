/* One message of the kernel about a device that came, went or changed, and whether nodes that are
 * sampled may have come or gone with it. Pure functions.
 *
 * Kernel: lib/kobject_uevent.c: "add@/devices/...", then KEY=VALUE, each ended by a NUL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "base/parse.h"

/* Point into the message. */
struct uevent {
	struct slice action;    /* "add" */
	struct slice device;    /* path below /sys, "/devices/..." */
	struct slice subsystem; /* "block" */
};

/* Keys that are not asked for may be anything. -EBADMSG for what the kernel would not send: without
 * a header, not ended by a NUL, no SUBSYSTEM, or an ACTION or DEVPATH that contradicts the header.
 */
MUST_CHECK int uevent_parse(const char *message, size_t len, struct uevent *ret);

/* Whether it may change what a probe finds. */
bool uevent_concerns(const struct uevent *event);
