/* The inside of a sampler, for sampler.c and sampler_open.c alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/lane_keeper.h"
#include "sampling/node_table.h"
#include "sampling/runner.h"
#include "sampling/sampler.h"
#include "sampling/schedule.h"
#include "sampling/uevents.h"

struct plan {
	const struct group *group;
	size_t collector;
	struct schedule schedule;
	bool in_lane;
	size_t in_collector; /* index of the group within its collector */
};

struct account {
	const struct collector *collector;
	bool enabled;
	bool in_loop, in_lane;       /* has groups there; a collector may have both */
	bool loop_ready, lane_ready; /* the last probe there found something to sample */
	bool probed;
	struct node_table nodes;
	struct probe lane_probe; /* of a collector that is not sampled in the loop */
	enum node_state state;
	int last_error;
	int64_t since_ms;
	int64_t last_sample_ms, last_duration_us;
	uint64_t n_samples, n_failures;
};

struct sampler {
	const struct catalog *catalog;
	struct sampler_callbacks callbacks;
	struct sampler_options options;
	char *root;
	struct plan *plans;
	size_t n_plans;
	struct account *accounts; /* by index of the collector */
	bool *loop_wanted, *lane_wanted;
	struct runner *runner;
	struct keeper *keeper; /* NULL without a lane */
	struct sink sink;
	struct schedule rescan;
	int64_t rescan_at_ms; /* INT64_MAX: only when its period is over */
	bool rescan_lane;     /* and then with the lane */
	int64_t rescanned_ms;
	uint64_t n_rescans;
	struct uevents uevents;
	int64_t checked_ms; /* when the lane was last looked after */
	int64_t asleep_ms;  /* this boot's time in suspend, as of the last tick */
	int64_t slept_ms;   /* of that: since the tick before */
	struct sampler_stats stats;
};

/* What the sampler does with what its lane says. */
struct keeper_events sampler_lane_events(struct sampler *sampler);
