/* The store thread: the only one that writes the file, and the only one that waits for the disk.
 * When it does is decided by daemon/commit_policy.h, which the loop asks at each turn. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "daemon/commit_policy.h"
#include "model/own_writes.h"
#include "store/store.h"

struct committer;

struct committer_options {
	const char *path;     /* of the database */
	int64_t bound_ms;     /* on the boot clock: what a loss of power costs at most */
	int64_t budget_bytes; /* for 24 hours; 0: none */
};

/* The first commit comes soon after the start. */
MUST_CHECK int committer_start(struct store *store, const struct committer_options *options,
			       struct committer **ret);

/* For the loop, at each turn: looks at the disk and at what waits, and has it committed if that is
 * due. Never waits. After a failure it is the next bound that counts. */
void committer_turn(struct committer *committer, int64_t now_ms);

/* Commit at once. Never waits. After a failure it is the next bound that counts. */
void committer_wake(struct committer *committer);

/* The same for who wants what he has given to be in the file, as a mark, unless the budget is spent
 * (commit_policy_may()): then it goes along with the next commit. Whether it is granted. Any thread
 * may ask. */
bool committer_want(struct committer *committer);

/* The same for who wants to have a copy of the file with all that was sampled, which is granted
 * from time to time only (commit_policy_ask()). Whether it is. Any thread may ask. */
bool committer_ask(struct committer *committer);

/* Another bound, or budget, from the next commit on. */
void committer_set_bound(struct committer *committer, int64_t bound_ms);
void committer_set_budget(struct committer *committer, int64_t budget_bytes);

struct committer_status {
	int64_t bound_ms, bound_in_force_ms;
	int64_t budget_bytes, spent_bytes; /* spent: within 24 hours */
	bool is_widened;
	uint64_t n_by_why[COMMIT_WHYS]; /* commits by enum commit_why; COMMIT_NOT: asked for */
	struct own_writes writes;
	char disk[64];              /* that the database lies on; "" when it is not known */
	int64_t disk_write_sectors; /* by everybody, since it is there; -1 when it is not known */
};

void committer_get_status(struct committer *committer, struct committer_status *ret);

/* Makes the final commit and ends the thread. Returns what that commit returned. While the disk
 * holds it up, waits is called each second. */
int committer_stop(struct committer *committer, void (*waits)(void *arg), void *arg);
