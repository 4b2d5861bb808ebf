/* The store thread: the only one that writes the file, and the only one that waits for the disk. */
#pragma once

#include <stdint.h>

#include "base/macros.h"
#include "store/store.h"

struct committer;

/* Commits every interval_ms of the boot clock, the first time soon after the start. */
MUST_CHECK int committer_start(struct store *store, int64_t interval_ms, struct committer **ret);

/* Commit at once. Never waits. After a failure it is the next interval that counts. */
void committer_wake(struct committer *committer);

/* Another interval, from the next commit on. */
void committer_set_interval(struct committer *committer, int64_t interval_ms);

/* Makes the final commit and ends the thread. Returns what that commit returned. While the disk
 * holds it up, waits is called each second. */
int committer_stop(struct committer *committer, void (*waits)(void *arg), void *arg);
