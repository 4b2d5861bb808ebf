/* The collectors of one process: probes them and samples their groups. Knows no schedule and no
 * lane; the sampler, the lane process and `flashscope sample` each have one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"
#include "model/catalog.h"
#include "model/probe.h"

struct runner;

struct runner_options {
	const char *root;
	const bool *wanted; /* by index of the collector in the catalog; NULL for all */
	bool all_nodes;     /* also those that are left out by default */
	const char *device; /* see struct probe; outlives the runner */
};

/* Opens the root; probes nothing yet. The errors of hw_open(), -ENOMEM. */
MUST_CHECK int runner_open(const struct runner_options *options, const struct catalog *catalog,
			   struct runner **ret);
void runner_close(struct runner *runner);
void runner_closep(struct runner **runner);

struct hw *runner_hw(struct runner *runner);
bool runner_wants(const struct runner *runner, size_t collector);

/* Probes a collector (again). What it found stands in runner_probe_of(), also when it failed.
 * Returns the collector's 0 or -errno. */
int runner_probe(struct runner *runner, size_t collector);

/* The last probe. NULL before the first one. */
const struct probe *runner_probe_of(const struct runner *runner, size_t collector);

/* Samples one group into the sink, which is reset first. 0, also with no rows; or -errno with
 * whatever rows were made:
 * -ENXIO   the collector's probe found nothing to sample
 * -EAGAIN  the group failed lately and is left alone for a while
 * -ENODEV  a node went, and does so after a new probe; the collector is probed again before a later
 *          sample, see runner_news()
 * other    of the collector; the group is tried again after 1, 2, 4 ... 60 s.
 * Takes nothing from the heap in a steady state. */
int runner_sample(struct runner *runner, size_t group, int64_t now_ms, struct sink *sink);

/* Whether runner_sample() has probed the collector again since the last call. */
bool runner_news(struct runner *runner, size_t collector);

/* Index of the collector that a group belongs to. */
size_t runner_collector_of(const struct runner *runner, size_t group);
