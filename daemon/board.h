/* What the loop knows and other threads show: the loop writes it down here after each tick, the
 * HTTP thread takes copies. The lock is held for a copy and no longer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/kernel_log.h"
#include "daemon/last_boot.h"
#include "sampling/sampler.h"

struct board;

#define BOARD_TROUBLES_MAX 256

struct board_probe; /* a counted copy of what a probe found */

struct board_collector {
	const struct collector *collector;
	struct board_probe *probe; /* NULL before the first one */
	enum node_state state;
	int last_error;
	int64_t since_ms, last_sample_ms, last_duration_us;
	uint64_t n_samples, n_failures;
	bool enabled;
};

/* A node that is not well. */
struct board_trouble {
	const struct collector *collector;
	char node[NODE_NAME_MAX];
	enum node_state state;
	int error;
	int64_t since_ms;
};

struct board_loop {
	int64_t wall_offset_ms;
	bool clock_is_set;
	uint64_t n_clock_steps, n_suspends;
	int64_t suspended_ms; /* of this boot */
	uint64_t n_wakeups;
	int64_t cpu_us; /* of the whole thread */
	struct kernel_log_status kernel_log;
	struct last_boot_status last_boot;
};

MUST_CHECK int board_new(const struct catalog *catalog, struct board **ret);
void board_free(struct board *board);

/* For the loop. */
void board_update(struct board *board, const struct sampler *sampler,
		  const struct board_loop *loop);
void board_probed(struct board *board, const struct collector *collector,
		  const struct probe *probe);
/* Takes from a sample which nodes have worked since their probe failed: these have the outcome ok
 * from then on, until they are probed again, and worked() is called for each, and with "" for
 * a collector that had no node that was ok. */
void board_sampled(struct board *board, const struct group *group, const struct sink *sink,
		   void (*worked)(void *arg, const struct collector *collector, const char *node),
		   void *arg);
/* Returns the state before it, NODE_OK for what was in no trouble. */
enum node_state board_state(struct board *board, const struct collector *collector,
			    const char *node, enum node_state state, int error, int64_t since_ms);

/* Whether the last probe said of the node what this state of it tells: that it cannot be read. What
 * it did not speak of, or called ok, is news; so is what hangs, and what may not be read of one
 * that was only not there. */
bool board_has_said(const struct board *board, const struct collector *collector, const char *node,
		    enum node_state state);

/* To be asked before board_probed(): the state to which a node has come that could not be sampled
 * for another reason when it was probed last; NODE_OK where that is no news, as of a first probe.
 */
enum node_state board_comes_to(const struct board *board, const struct collector *collector,
			       const struct probe_item *item);

/* For everybody else: a copy of all. */
struct board_view {
	struct board *board;
	struct sampler_stats stats;
	struct board_loop loop;
	struct board_collector *collectors; /* in the order of the catalog */
	size_t n_collectors;
	struct board_trouble *troubles;
	size_t n_troubles;
};

/* -ENOMEM. The caller releases with board_view_done(). */
MUST_CHECK int board_view(struct board *board, struct board_view *ret);
void board_view_done(struct board_view *view);

size_t board_n_items(const struct board_probe *probe);
/* items[0] is the collector's own. */
const struct probe_item *board_item(const struct board_probe *probe, size_t i);

/* Whether the nodes of a probe whose collector is not sampled are told of one by one: the
 * collector's word has the reason of one alone. */
bool board_tells_nodes(const struct board_probe *probe);

/* Whether the trouble is all that there is to say: not when the probe has said the same of the
 * node, or of the collector. A node that hangs is sampled, whatever its probe said. */
bool board_is_news(const struct board_view *view, const struct board_trouble *trouble);

/* The trouble of a node, NULL when it is well. */
const struct board_trouble *board_find_trouble(const struct board_view *view,
					       const struct collector *collector, const char *node);
