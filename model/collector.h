/* The contract between a collector and everything else.
 *
 * A collector is one constant: tables that say what it measures and three functions that measure
 * it. It sees base/ and model/ and nothing else: no clock, no log, no database, no configuration,
 * no other collector. SQL columns, JSON keys, Prometheus names and the reference page are derived
 * from the tables and from nowhere else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sink.h"
#include "model/unit.h"

struct hw;
struct probe;

/* What a read costs. The class sets the lane and the least interval. */
enum cost {
	COST_F, /* free: copies a variable, no device or bus traffic */
	COST_L, /* local work in the kernel, or a lock that others hold */
	COST_H, /* touches a register or a bus of the host */
	COST_Q, /* sends a command to the device, wakes it, may block for seconds */
};

enum kind {
	KIND_GAUGE,   /* may go either way */
	KIND_COUNTER, /* only grows; falls back with the device or the boot */
	KIND_STATE,   /* a code with a name for each value */
	KIND_INFO,    /* text, stored when it changes */
};

/* One quantity. The name follows the kernel's documents, plural for counts, without the unit. */
struct field {
	const char *name;
	enum unit unit;
	enum kind kind;
	const char *help;          /* one sentence for the operator, ends with a full stop */
	const char *attr;          /* file below the node's directory; NULL: code fills the field */
	unsigned bits;             /* of a counter: where the kernel wraps it round; 0 is 64 */
	const char *const *states; /* of a state: names by value, NULL at the end */
	const char *since;         /* first kernel with it ("5.17"); NULL: as its group */
	const char *absence;       /* what it means when there is none; NULL: as its group */
	bool explains; /* of an info: says why others have no value, and is none itself */
	bool is_whole; /* counted in whole base units (kelvins): people see no decimals */
};

/* What can be derived from fields. Never stored, answered by every interface. d(x) is the increase
 * of a counter between two samples. */
enum derive {
	DERIVE_SCALE,    /* a * num / den, of the kind of a */
	DERIVE_DIFF,     /* (a - b) * num / den */
	DERIVE_QUOTIENT, /* a * num / (b * den), of two gauges */
	DERIVE_REST,     /* (b - a) * num / (b * den): what is not a, as a share of b */
	DERIVE_MEAN,     /* d(a) * num / (d(b) * den): mean latency, mean request size */
	DERIVE_SHARE,    /* d(a) * num / (den * interval in ms), clamped to 0..1 */
	DERIVE_AVERAGE,  /* as SHARE without the clamp: mean queue length */
};

struct derived {
	const char *name;
	enum unit unit;
	enum derive how;
	const char *a, *b; /* names of fields of the same group; b where the form has one */
	int64_t num, den;
	const char *help;
};

/* One table and one view of the file: fields that are read together. */
struct group {
	const char *name; /* unique among all groups */
	const char *help;
	enum cost cost;
	unsigned period_ms;       /* default */
	unsigned least_period_ms; /* what can be configured; 0: what its cost allows */
	const struct field *fields;
	size_t n_fields; /* at most SINK_FIELDS_MAX */
	const struct derived *derived;
	size_t n_derived;
	const char *node;    /* what one is, and how it is named: "block device, by its name" */
	const char *since;   /* first kernel with these nodes; NULL: before 4.0 */
	const char *absence; /* what the absence of a field or of all of them means */
	/* Its rows are no nodes: they are what was counted since the tick before, and whoever keeps
	 * them adds them up by hour (model/writers.h, whose fields these are). */
	bool by_hour;
};

struct collector {
	const char *name;
	const char *help;
	/* What sampling it risks, as a clause without a full stop: such a collector is sampled only
	 * by who asked for it by name. NULL for all others. */
	const char *opt_in;
	const struct group *groups;
	size_t n_groups;

	/* Sees more as root, or outside of a service's sandbox: where there is a privileged helper,
	 * that one samples it. None of its groups is of class F or Q. */
	bool privileged;

	/* Finds the nodes that exist and says of each, and of the collector itself, what it found
	 * (probe_collector(), probe_node()). Called again when hardware may have changed; each call
	 * makes a state of its own. Returns 0 with *ret_state, which may be NULL, owned by the
	 * caller until close(); or -errno when nothing can be sampled (then the outcome says why).
	 */
	int (*probe)(struct hw *hw, struct probe *probe, void **ret_state);

	/* Adds one row for each node of the group. One unreadable field is row_fault(), not a
	 * failure of the sample; -errno only when no row could be made. Allocates nothing and
	 * formats no path in the steady state; a group of class Q may, it is rare and waits for a
	 * device anyway. -ENODEV asks for a new probe. */
	int (*sample)(void *state, struct hw *hw, size_t group, struct sink *sink);

	/* Releases the state; NULL when probe() makes none. */
	void (*close)(void *state);
};
