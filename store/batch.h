/* What a commit writes besides samples. */
#pragma once

#include "store/db.h"

/* What one commit has in its hands besides the lists `writing` of the store. */
struct batch {
	struct tail_node **nodes; /* oldest first */
	bool *fresh;              /* has no id yet */
	size_t n_nodes;
	struct mark *marks;
	size_t n_marks;
	struct outcome_entry *outcomes;
	size_t n_outcomes;
	int64_t wall_offset_ms;
	bool wall_dirty;
};

/* Nodes, changes, events, marks and outcomes, within the running transaction. */
MUST_CHECK int batch_write(struct store *store, struct db *db, const struct batch *batch);
