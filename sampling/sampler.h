/* Turns collectors into rows: probes them, knows when each group is due, samples what is due and
 * keeps account of it. The fast groups are sampled in the caller's thread, the others in a lane
 * process (sampling/lane.h) that the sampler starts, watches and replaces.
 *
 * One thread uses a sampler. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"
#include "model/catalog.h"
#include "model/probe.h"
#include "sampling/helper_link.h"

struct sampler;

/* States of a node or collector, beside the outcome of its probe. */
enum node_state {
	NODE_OK,
	NODE_FAILED, /* every field fails */
	NODE_DENIED,
	NODE_UNSUPPORTED,
	NODE_SUSPENDED, /* sleeps, and reading it would wake it */
	NODE_SLOW,      /* answered after its deadline */
	NODE_HUNG,      /* has not answered since then */
	NODE_GONE,
};

const char *node_state_name(enum node_state state);

struct sampler_callbacks {
	void *arg;
	/* The rows of a group for the planned time t_ms. */
	void (*rows)(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		     int64_t step_ms, const struct sink *sink);
	/* A state changed; said once. since_ms is the boot clock. node "" is the collector. */
	void (*state)(void *arg, const struct collector *collector, const char *node,
		      enum node_state state, int error, int64_t since_ms);
	/* The collector was probed (again). */
	void (*probed)(void *arg, const struct collector *collector, const struct probe *probe,
		       int64_t t_ms);
	/* The helper came or went. */
	void (*helper)(void *arg, const struct link_status *status);
	/* The answer to sampler_want_log(): a descriptor, which is the callee's, or -errno. */
	void (*log)(void *arg, int fd, int error);
	/* The same to sampler_want_records(). */
	void (*records)(void *arg, int fd, int error);
};

#define SAMPLER_DEADLINE_MS 2000

struct sampler_options {
	const char *root;
	/* Period of each group of the catalog in ms, 0 for its default; NULL for all defaults. */
	const int64_t *period_ms;
	/* Switched off collectors, by index of the catalog; NULL for none. */
	const bool *disabled;
	int64_t rescan_ms;   /* probe all again after this time; 0 never */
	int64_t deadline_ms; /* of the lane; 0 for SAMPLER_DEADLINE_MS */
	bool all_nodes;      /* also those that are left out by default, as partitions */
	bool no_lane;        /* sample everything in the caller's thread */
	/* Socket of flashscope-helper, which samples what needs commands or privileges; NULL to do
	 * without, for this reason. */
	const char *helper_path, *helper_off_reason;
};

/* Opens the root and starts the lane process, by fork: call it before other threads exist, and
 * before much memory is taken, of which the lane would keep a copy. Nothing is called back before
 * sampler_start(). -E2BIG when the catalog has too many groups. */
MUST_CHECK int sampler_open(const struct sampler_options *options, const struct catalog *catalog,
			    const struct sampler_callbacks *callbacks, struct sampler **ret);
void sampler_close(struct sampler *sampler);
void sampler_closep(struct sampler **sampler);

/* Probes everything; waits for the first probes of the lane, no longer than its deadline. */
MUST_CHECK int sampler_start(struct sampler *sampler, int64_t now_ms);

/* The planned time of the next tick on the boot clock. Ticks stand on multiples of their periods; a
 * loop that comes late takes the newest tick and leaves the missed ones out. */
int64_t sampler_next_ms(const struct sampler *sampler);

/* Samples what is due at the planned time t_ms, and takes what the lane answered. */
void sampler_tick(struct sampler *sampler, int64_t t_ms);

/* To be watched for input beside the timer, -1 when there is no lane; then call
 * sampler_lane_input(). The descriptor may change after each call of the sampler. */
int sampler_lane_fd(const struct sampler *sampler);
void sampler_lane_input(struct sampler *sampler);

/* To be watched for input beside the timer, -1 without a helper; then call sampler_helper_input().
 * The descriptor may change after each call of the sampler. */
int sampler_helper_fd(const struct sampler *sampler);
void sampler_helper_input(struct sampler *sampler);

/* To be watched for input beside the timer, -1 when there is nothing to watch; then call
 * sampler_uevent_input(). The descriptor may change after each call of the sampler. */
int sampler_uevent_fd(const struct sampler *sampler);
void sampler_uevent_input(struct sampler *sampler);

/* See link_ended(). */
void sampler_helper_ended(struct sampler *sampler);

/* What the helper shall do with the UFS monitors; without a helper nothing is done. */
void sampler_monitor(struct sampler *sampler, const struct wire_monitor *monitor);

/* Another period for a group of the catalog, from now on; a collector that is switched off stays
 * so.
 */
void sampler_set_period(struct sampler *sampler, size_t group, int64_t period_ms, int64_t now_ms);

/* Another time between looks at everything. */
void sampler_set_rescan(struct sampler *sampler, int64_t rescan_ms, int64_t now_ms);

/* Whether the kernel's log is wanted of the helper, now and each time that it comes. */
void sampler_want_log(struct sampler *sampler, bool wanted);
/* The same for what a kernel before has left (model/crash_records.h). */
void sampler_want_records(struct sampler *sampler, bool wanted);

/* The machine as this thread's collectors see it; belongs to the sampler. */
struct hw *sampler_hw(struct sampler *sampler);

/* How often nodes were looked for again. */
uint64_t sampler_n_rescans(const struct sampler *sampler);

/* Probe again at the next tick. */
void sampler_rescan(struct sampler *sampler);

/* How it is noticed that nodes came and went, beside the scan each rescan_ms. */
struct discovery_stats {
	bool uevents;           /* the kernel's messages about devices are heard */
	char reason[160];       /* why they are not, else "" */
	uint64_t n_uevents;     /* from the kernel */
	uint64_t n_concerning;  /* of these: that had nodes looked for */
	uint64_t n_malformed;   /* of these: that were not understood */
	uint64_t n_foreign;     /* from somebody else, ignored */
	uint64_t n_overruns;    /* messages were lost, so all was looked at */
	uint64_t n_rescans;     /* for whatever reason */
	int64_t last_rescan_ms; /* 0: none since the start */
};

struct sampler_stats {
	uint64_t n_ticks;
	uint64_t n_missed_ticks;      /* left out because this thread came late */
	uint64_t n_lane_missed_ticks; /* because the lane was at work, hung or gone */
	int64_t cpu_us, lane_cpu_us;  /* of sampling in this thread, and of the lane process */
	int64_t late_max_ms;          /* of the groups in this thread */
	uint64_t n_lane_restarts;
	struct discovery_stats discovery;
	struct link_status helper;
};

void sampler_get_stats(const struct sampler *sampler, struct sampler_stats *ret);

/* One collector's last probe, state and account, for the interfaces; the strings belong to the
 * sampler. */
struct collector_status {
	const struct collector *collector;
	const struct probe *probe; /* NULL before the first one */
	enum node_state state;
	int last_error;
	int64_t since_ms;
	int64_t last_sample_ms, last_duration_us;
	uint64_t n_samples, n_failures;
	bool enabled;
};

/* -ENOENT past the end. */
int sampler_collector_status(const struct sampler *sampler, size_t index,
			     struct collector_status *ret);

/* One node that has been sampled. */
struct node_status {
	const struct collector *collector;
	const char *node;
	enum node_state state;
	int error; /* negative errno of the state, 0 when it is ok */
	int64_t since_ms;
};

/* Nodes by collectors in the order of the catalog, gone ones among them; -ENOENT past the end. */
int sampler_node_status(const struct sampler *sampler, size_t index, struct node_status *ret);
