/* What a commit writes besides samples. */
#pragma once

#include "store/db.h"

/* What one commit has in its hands besides the lists `writing` of the store. */
struct batch {
	struct tail_node **nodes; /* oldest first */
	int64_t *runs;            /* of a node that has no id yet, as it was before; else 0 */
	size_t n_nodes;
	struct mark *marks;
	size_t n_marks;
	struct outcome_entry *outcomes;
	size_t n_outcomes;
	int64_t wall_offset_ms;
	bool wall_dirty;
	struct clock_step clock_steps[STORE_CLOCK_STEPS];
	size_t n_clock_steps; /* the oldest of those that wait */
	int64_t log_next;
	bool log_dirty;
	struct rolling_day spent;
	int64_t spent_bytes; /* that were not saved yet; 0: nothing is to be */
	struct writers_batch writers;
	struct boot_end_record *boot_end; /* NULL: none; goes back when it was not written */
	bool more;                        /* segments are left for a batch after this one */
};

/* Nodes, changes, events, marks, outcomes and the position in the kernel's log, within the running
 * transaction. */
MUST_CHECK int batch_write(struct store *store, struct db *db, const struct batch *batch);

/* vanished.c. Which collectors have had all their ticks, with the lock held; their nodes that did
 * not come back, within the running transaction; and that it was committed. */
void vanished_take(struct store *store);
MUST_CHECK int vanished_write(struct store *store, struct db *db);
void vanished_done(struct store *store);
