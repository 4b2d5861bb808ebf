/* Switches the request monitors of UFS hosts on and off, by the policy that a daemon told, and puts
 * back what it has switched on. Writing monitor_enable takes the host's lock and nothing else: the
 * device is neither asked nor woken.
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"
#include "sampling/wire_helper.h"

/* Between two times that one which somebody else switches off is switched on again. */
#define UFS_SWITCH_AGAIN_MS 10000

struct ufs_switch;

/* memory_path: a file that outlives this process, not the boot, and names what was switched on, so
 * that the next one can put it back; NULL for none. One process uses it at a time, by a lock on a
 * file beside it (.lock); where another holds it for longer than a second, or it cannot be made,
 * this is said and there is none. hw outlives the switch. -ENOMEM. */
MUST_CHECK int ufs_switch_open(struct hw *hw, const char *memory_path, struct ufs_switch **ret);

/* Forgets all; puts nothing back. */
void ufs_switch_close(struct ufs_switch *s);

/* Whether the policy wants the monitor of a host with so many hardware queues on; -1: unknown.
 * now_ms is of the boot clock. */
bool ufs_monitor_is_wanted(const struct wire_monitor *wish, int64_t n_queues, int64_t now_ms);

/* Looks which hosts there are, and brings their monitors to what is wanted; to be called again and
 * again, since a driver that is bound anew and other programs switch as well. wish NULL: no daemon
 * is there, nothing is wanted. */
void ufs_switch_apply(struct ufs_switch *s, const struct wire_monitor *wish, int64_t now_ms,
		      struct wire_monitored *ret);
