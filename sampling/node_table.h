/* The state of every node of every group, so that a change is said once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/sink.h"
#include "sampling/sampler.h"

struct node_entry {
	char node[NODE_NAME_MAX];
	enum node_state state;
	int error; /* negative errno of the state, 0 when it is ok */
	int64_t since_ms;
	uint64_t seen; /* the sample of the group that it was last part of */
};

/* The nodes of one group. Zero-initialised it is empty. */
struct node_table {
	struct node_entry *v;
	size_t n, n_alloc;
	uint64_t n_samples;
};

#define NODE_TABLE_MAX (2 * SINK_ROWS_MAX)

struct node_watch {
	void *arg;
	/* Whether the node is known to hang: it keeps that state whatever else of it is read. */
	bool (*hangs)(void *arg, const char *node);
	/* A state changed; a node that is new and ok is not said. */
	void (*said)(void *arg, const struct node_entry *entry);
};

void node_table_done(struct node_table *table);

/* Takes the states out of the rows of a sample: a node whose fields all fail is failed, denied or
 * unsupported by its first fault; one that is no longer among the rows is gone. Allocates only for
 * new nodes. */
void node_table_update(struct node_table *table, const struct sink *sink, int64_t now_ms,
		       const struct node_watch *watch);

/* Sets the state of one node. */
void node_table_set(struct node_table *table, const char *node, enum node_state state, int error,
		    int64_t now_ms, const struct node_watch *watch);

/* The state that an errno means for a node or collector. */
enum node_state node_state_of_error(int error);
