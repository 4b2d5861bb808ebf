/* The inside of a sampler, for the files sampler.c and sampler_*.c alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/helper_link.h"
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
	bool by_command;        /* class Q: the helper alone samples it */
	bool out_of_turn;       /* soon, whatever the schedule says: no sample yet, or one slept */
	bool rest;              /* and then only what slept or is new */
	bool asked_rest;        /* so it was with what the helper was asked for last */
	int64_t out_of_turn_ms; /* but not before */
	unsigned n_tries;       /* out of turn, since there was a sample */
	bool answered;          /* there is one, or all sleep */
	int64_t taken_ms;       /* that its last rows were for */
	int64_t rows_ms;        /* at which they stand: later than that for those that came late */
	int64_t asked_ms;       /* planned time that the helper was asked for last */
	size_t in_collector;    /* index of the group within its collector */
};

struct account {
	const struct collector *collector;
	bool enabled;
	bool in_loop, in_lane;       /* has groups there; a collector may have both */
	bool loop_ready, lane_ready; /* the last probe there found something to sample */
	bool by_command, helper_ready;
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
	struct link *link;     /* to the helper */
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

enum place { IN_LOOP, IN_LANE, IN_HELPER };

/* Where a group belongs; the helper may sample one of the lane in its stead. */
enum place sampler_place_of(const struct plan *plan);
/* Where it is sampled at present. */
enum place sampler_sampled_in(const struct sampler *sampler, const struct plan *plan);

/* What the sampler does with what its lane says, and what the helper does. */
struct keeper_events sampler_lane_events(struct sampler *sampler);
struct link_events sampler_link_events(struct sampler *sampler);

/* What a probe of a collector means for its state. The first one says nothing: what it found goes
 * out as a whole. */
void sampler_take_probe(struct sampler *sampler, size_t index, int error,
			const struct probe *probe);
/* A probe of another process; its items are taken. */
void sampler_take_far_probe(struct sampler *sampler, size_t collector, enum place place, int error,
			    struct probe *probe);
/* The probe that is shown of a collector, NULL before the first one. */
const struct probe *sampler_shown_probe(const struct sampler *sampler, size_t collector);
/* Nodes that a probe at that place does not find any more have gone. One that failed says nothing
 * of them. */
void sampler_end_missing(struct sampler *sampler, size_t collector, enum place place, int error,
			 const struct probe *probe);

/* Rows of a group, from wherever. error is that of the sample. */
void sampler_take_rows(struct sampler *sampler, size_t index, int64_t t_ms, int64_t at_ms,
		       int64_t duration_us, int error, const struct sink *sink);
void sampler_take_hung(struct sampler *sampler, size_t collector, int group, const char *node,
		       int64_t since_ms);
/* The rows that follow say the state of the node; a collector is told here. arg is the sampler. */
/* What hung went: it has not answered. */
void sampler_take_gone(struct sampler *sampler, size_t collector, int group, const char *node);
void sampler_take_back(void *arg, size_t collector, int group, const char *node);
void sampler_set_collector_state(struct sampler *sampler, size_t index, enum node_state state,
				 int error, int64_t since_ms, bool say);

/* One collector found that hardware or mounts have changed. That concerns those of the loop as
 * well: a partition that was mounted is sampled. The lane, whose probes may touch a bus, looks
 * again only with lane. A device that flaps does not make it a storm. */
void sampler_rescan_soon(struct sampler *sampler, int64_t now_ms, bool lane);
/* Whether a probe failed for want of something that comes back by itself, so that waiting for the
 * hourly scan would lose an hour. */
bool sampler_is_passing(int error);

/* Takes the newest due tick of a group; missed ones are counted, each to whom it belongs. */
bool sampler_take_due(struct sampler *sampler, struct plan *plan, int64_t now_ms,
		      int64_t *ret_t_ms);

/* A collector that sends commands, while there is no helper to do it. */
void sampler_say_no_helper(struct sampler *sampler, size_t index);
/* Asks the helper for what is due of its groups. */
void sampler_request_helper(struct sampler *sampler, int64_t now_ms);
