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
	bool more; /* segments are left for a batch after this one */
};

/* Nodes, changes, events, marks and outcomes, within the running transaction. */
MUST_CHECK int batch_write(struct store *store, struct db *db, const struct batch *batch);
