/* The state of every node of a collector, so that a change is said once. A node may be part of
 * several groups (the mount, and the space on it); it has one state all the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/sink.h"
#include "sampling/sampler.h"

#define NODE_GROUPS_MAX 8 /* of one collector */
#define NODE_TABLE_MAX  (2 * SINK_ROWS_MAX)

struct node_entry {
	char node[NODE_NAME_MAX];
	enum node_state state;
	int error; /* negative errno of the state, 0 when it is ok */
	int64_t since_ms;
	uint8_t groups;                  /* bits: those that it is part of */
	uint8_t suspended;               /* bits: those that were left unread since it sleeps */
	bool listed;                     /* a probe named it: one that does not ends it */
	int16_t faults[NODE_GROUPS_MAX]; /* errno for which nothing could be read there, or 0 */
	uint32_t seen[NODE_GROUPS_MAX];  /* the sample of the group that it was last part of */
};

/* Zero-initialised it is empty. */
struct node_table {
	struct node_entry *v;
	size_t n, n_alloc;
	uint32_t n_samples[NODE_GROUPS_MAX];
	size_t first[NODE_GROUPS_MAX]; /* where the first row of the group was found last time */
};

struct node_watch {
	void *arg;
	/* Whether the node is known to hang: it keeps that state whatever else of it is read. */
	bool (*hangs)(void *arg, const char *node);
	/* Whether the last probe of the collector that ended well named the node. */
	bool (*lists)(void *arg, const char *node);
	/* A state changed; a node that is new, or has come back, and is ok is not said. */
	void (*said)(void *arg, const struct node_entry *entry);
};

void node_table_done(struct node_table *table);

/* Takes the states out of the rows of a sample of a group (its index within the collector): a node
 * whose fields all fail is failed, denied or unsupported by its first fault; else one whose row
 * says so is suspended; one that is no longer among the rows of any group is gone, unless the
 * sample is partial. One that went while it hung is said gone by the first call, of any kind, after
 * that. Allocates only for new nodes. */
void node_table_update(struct node_table *table, size_t group, const struct sink *sink,
		       int64_t now_ms, const struct node_watch *watch);

/* A new probe for these groups (bits) of the collector ended well: what an earlier one named and
 * this one does not is no more part of them, without waiting for their next samples. A node that
 * comes back before those would pass for never having been away. */
void node_table_probed(struct node_table *table, uint8_t groups, int64_t now_ms,
		       const struct node_watch *watch);

/* A new probe found that there is nothing at all to sample. */
void node_table_emptied(struct node_table *table, uint8_t groups, int64_t now_ms,
			const struct node_watch *watch);

/* A node hangs in a sample of this group, which may be its first one: it is added when it is not
 * known. */
void node_table_hung(struct node_table *table, size_t group, const char *node, int64_t now_ms,
		     const struct node_watch *watch);

/* A node whose device went while it hung: it is in no group any more. */
void node_table_gone(struct node_table *table, const char *node, int64_t now_ms,
		     const struct node_watch *watch);

/* The state that an errno means for a node or collector. */
enum node_state node_state_of_error(int error);
