/* The process that keeps the UFS monitors as the policy wants them: started by the helper when a
 * daemon has a policy that may switch one on. When the helper ends, however it ends, this one puts
 * back what it has switched on and ends as well. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/wire_helper.h"

/* How long a policy holds without its daemon, which may only be started anew. */
#define UFS_WATCH_ALONE_MS 30000

/* Processes that were told to end and have not. */
#define UFS_WATCH_LEAVING_MAX 4

struct ufs_watch {
	int fd;  /* to be watched for input, -1: not running */
	int pid; /* of it, 0: none */
	int leaving[UFS_WATCH_LEAVING_MAX];
};

#define UFS_WATCH_NONE ((struct ufs_watch){.fd = -1})

/* Tells it the wish of the daemon, NULL when there is no daemon any more, and starts it first when
 * that is needed. 0 or -errno; -EBUSY when too many before have not ended. */
int ufs_watch_tell(struct ufs_watch *watch, const char *root, const char *memory_path,
		   const struct wire_monitor *wish);

/* Has it look again at once: hardware has changed. */
void ufs_watch_look(struct ufs_watch *watch);

/* What it has said last. false when there is nothing new; it may have died, then fd is -1. */
bool ufs_watch_receive(struct ufs_watch *watch, struct wire_monitored *ret);

/* Waits for no process, and reaps those that have ended. Returns whether one is to end still. */
bool ufs_watch_reap(struct ufs_watch *watch);

/* Has it put back what it has switched on, and end. */
void ufs_watch_stop(struct ufs_watch *watch);
