/* The workers of the helper: one process for each device that is asked by commands, from the first
 * request for a group of it on, and one, the scout, that looks which devices there are and reads
 * what only root may. A device that hangs holds
 * its own worker and nobody else.
 *
 * Nothing here waits for a worker. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "helper/rate.h"
#include "sampling/lane_keeper.h"
#include "sampling/wire.h"
#include "sampling/wire_helper.h"

#define CREW_WORKERS_MAX 64
#define CREW_FDS_MAX     (CREW_WORKERS_MAX + 1)

struct crew;

struct crew_events {
	void *arg;
	/* The sample of a group that was asked for; each is answered once. */
	void (*rows)(void *arg, const struct wire_rows *head, const struct sink *sink);
	void (*probed)(void *arg, size_t collector, int error, const struct probe *probe);
	void (*node)(void *arg, const struct wire_node *node);
};

struct crew_options {
	const struct catalog *catalog;
	const char *root;
	/* How long a command may take before its device counts as hung: longer than the kernel's
	 * own time-out, or each drive that is reset would. */
	int64_t command_deadline_ms;
	int64_t read_deadline_ms; /* of what the scout reads */
	int64_t gather_ms;        /* see helper/gather.h; 0 for GATHER_MS */
	int64_t hang_first_ms;    /* see sampling/lane_keeper.h */
	struct rate_memory *rate; /* what outlives the helper; NULL for nothing */
};

/* What options point to outlives the crew. -ENOMEM. */
MUST_CHECK int crew_open(const struct crew_options *options, const struct crew_events *events,
			 struct crew **ret);
void crew_close(struct crew *crew);

/* Samples groups, or the rest of them (struct wire_tick). One that nobody samples, or sooner than
 * its class allows, is answered with an error at once: -ENXIO, -EAGAIN. */
void crew_request(struct crew *crew, const struct wire_tick *tick, int64_t now_ms);

/* Looks again for devices; what it finds is told by probed(). */
void crew_rescan(struct crew *crew);

/* Descriptors to be watched for input; returns their number, at most CREW_FDS_MAX. They change with
 * each call of the crew. */
size_t crew_fds(const struct crew *crew, struct pollfd *ret);

/* Takes what the workers have sent, starts and ends workers, sees to deadlines. To be called on
 * input, and at crew_due_ms() at the latest. */
void crew_turn(struct crew *crew, int64_t now_ms);

/* INT64_MAX: only on input. */
int64_t crew_due_ms(const struct crew *crew, int64_t now_ms);

/* Tells by node() what hangs, for a daemon that has come since. */
void crew_tell_hung(const struct crew *crew);

void crew_account(const struct crew *crew, struct wire_account *ret);

/* A worker that the kernel does not let end. */
struct crew_held {
	const char *device; /* "" for the scout */
	struct keeper_held process;
};

/* For a stop: kills all workers. */
void crew_stop(struct crew *crew, int64_t now_ms);

/* Those that have not ended since, one by one; false past the end. */
bool crew_held(struct crew *crew, size_t index, struct crew_held *ret);
