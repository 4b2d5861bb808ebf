/* What this process may do. */
#pragma once

#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define CAPABILITY(number) ((uint64_t)1 << (number))

/* Whether a capability of linux/capability.h (CAP_SYS_ADMIN) is effective. */
bool capability_is_effective(unsigned capability);

/* Bounds what a program that is run from here on could have, to these capabilities (bits). Needs
 * CAP_SETPCAP, without which nothing changes: whoever stops to be root does it before. */
void capability_bound(uint64_t capabilities);

/* Gives up all capabilities but these (bits) of those that there are, for good: none of them comes
 * back by exec() or by being root. Without any privilege there is nothing to give up. Bounds as
 * capability_bound() does. Concerns the calling thread: call it before there are others. 0 or
 * -errno; then those that there were stay. */
int capability_keep(uint64_t capabilities);
