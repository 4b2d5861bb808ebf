/* What a probe found: for the collector and for each of its nodes a state, the reason, and what a
 * bring-up engineer can do about it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"
#include "model/sink.h"

enum outcome {
	OUTCOME_OK,
	OUTCOME_NO_HARDWARE, /* the machine has no such thing */
	OUTCOME_NO_OPTION,   /* the kernel was built without the option that the reason names */
	OUTCOME_NO_NODE,     /* this kernel lacks the node; the reason says which has it */
	OUTCOME_DENIED,      /* permission; the advice names capability, label or udev rule */
	OUTCOME_DISABLED,    /* there, but switched off; the advice says how to switch it on */
	OUTCOME_UNSUPPORTED, /* the driver or device refuses it */
	OUTCOME_FAILED,      /* an error that should not be */
	N_OUTCOMES
};

/* "ok", "no_hardware", ... */
const char *outcome_name(enum outcome outcome);

/* All of them: what somebody has to look at first, first; ok last. */
extern const enum outcome outcomes_worst_first[N_OUTCOMES];

#define PROBE_TEXT_MAX  256
#define PROBE_ITEMS_MAX 1024

struct probe_item {
	char node[NODE_NAME_MAX]; /* "" for the collector itself */
	enum outcome outcome;
	char reason[PROBE_TEXT_MAX]; /* "" with OUTCOME_OK unless there is something to say */
	char advice[PROBE_TEXT_MAX]; /* "" when nothing can be done */
	bool left_out;               /* not sampled because it seldom matters; want_all takes it */
};

struct probe {
	struct probe_item *items; /* items[0] is the collector's */
	size_t n_items;
	bool want_all; /* in: take also the nodes that are left out by default (partitions) */
	/* in: the one device that this process asks, of the collectors whose groups are all of
	 * class Q; NULL for all. The string belongs to the caller. */
	const char *device;
};

MUST_CHECK int probe_init(struct probe *probe);
void probe_done(struct probe *probe);

/* Whether a probe may take a device. A collector that sends commands asks for each one that it
 * finds, since every device has a process of its own to wait for it; the device's name is that of
 * its nodes. */
bool probe_takes(const struct probe *probe, const char *device);

/* The outcome of the collector itself; OUTCOME_OK until said otherwise. */
PRINTF_LIKE(4, 5)
void probe_collector(struct probe *probe, enum outcome outcome, const char *advice,
		     const char *reason_fmt, ...);

/* The outcome of one node. Past PROBE_ITEMS_MAX it is dropped. */
PRINTF_LIKE(5, 6)
void probe_node(struct probe *probe, const char *node, enum outcome outcome, const char *advice,
		const char *reason_fmt, ...);

/* The name under which a part of a node is told of: "NODE PART". The node's is cut where both do
 * not fit, else the part would pass for the node. */
void probe_part(char ret[NODE_NAME_MAX], const char *node, const char *part);

/* A node that is left out unless want_all: OUTCOME_DISABLED. */
void probe_left_out(struct probe *probe, const char *node, const char *advice, const char *reason);

/* When the collector has found what it can sample, and no node of it is ok, its word is that of the
 * worst one, with its reason and advice: whoever reads ok may count on values. Nodes that are left
 * out count only when there are no others. Without nodes nothing is known, and ok stands. */
void probe_judge(struct probe *probe);

/* The usual outcome of an errno: ENOENT no node, EACCES and EPERM denied, EOPNOTSUPP unsupported,
 * any other failed. */
enum outcome outcome_of_error(int error);
