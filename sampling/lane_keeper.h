/* Keeps a lane at work: sends it what is due, takes its answers, and deals with one that dies or
 * does not answer. Never waits for it.
 *
 * A lane that stays at one path beyond the deadline is killed, which a process inside of the kernel
 * does not notice, and left alone; what it was at is avoided, and another lane goes on with the
 * rest. The same goes for what lanes die of again and again. One that gets on is only slow.
 * A path is tried again
 * - when the lane that hung on it is gone: at once if the kernel had held it, else when its
 *   back-off ends (10 s, doubled up to 10 min);
 * - never while a lane still hangs there, so each path costs one process at most, and there are
 *   LANES_LEFT_MAX of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/lane.h"
#include "sampling/wire.h"

#define LANES_LEFT_MAX 3

struct keeper;

struct keeper_events {
	void *arg;
	/* The rows of a group; the sink belongs to the keeper. */
	void (*rows)(void *arg, const struct wire_rows *head, const struct sink *sink);
	/* A collector was probed; error 0 when it can be sampled. news: nobody had asked, so
	 * something has changed. The callee may take the items and leave an empty probe. */
	void (*probed)(void *arg, size_t collector, int error, bool news, struct probe *probe);
	/* A node does not answer since then; node "" and group -1: the probe of the collector. */
	void (*hung)(void *arg, size_t collector, int group, const char *node, int64_t since_ms);
	/* It answers again. Rows of it follow. */
	void (*back)(void *arg, size_t collector, int group, const char *node);
};

struct keeper_options {
	struct lane_config lane; /* without avoid; what it points to outlives the keeper */
	int64_t deadline_ms;
	int64_t hang_first_ms; /* back-off of what hung; 0 for the 10 s above */
};

MUST_CHECK int keeper_open(const struct keeper_options *options, const struct keeper_events *events,
			   struct keeper **ret);
/* Ends the lane; one that hangs is left to the kernel. */
void keeper_close(struct keeper *keeper);

/* Looks after the lane: deadlines, dead processes, new tries. Starts the lane when there is none
 * and it is time to. */
void keeper_check(struct keeper *keeper, int64_t now_ms);

/* Takes what the lane has sent so far. */
void keeper_receive(struct keeper *keeper, int64_t now_ms);

/* Asks for samples. -EBUSY while the last request is unanswered, -EHOSTDOWN without a lane. */
MUST_CHECK int keeper_request(struct keeper *keeper, const struct wire_tick *tick, int64_t now_ms);

/* Asks for new probes, now or as soon as the lane is idle. */
void keeper_rescan(struct keeper *keeper);

/* To be watched for input, -1 without a lane. */
int keeper_fd(const struct keeper *keeper);

/* When keeper_check() has to be called because of a deadline; INT64_MAX when it need not. */
int64_t keeper_due_ms(const struct keeper *keeper);

/* Whether a request or the first probing is unanswered. */
bool keeper_is_busy(const struct keeper *keeper);

/* Whether there is a lane that waits for a request. */
bool keeper_is_ready(const struct keeper *keeper);

/* When keeper_check() has something to do before there is input or a request: a lane is at work
 * (each second, by which a suspend is noticed), a process may have ended that the kernel held (each
 * second, later each ten), or the time comes to start a lane or to try again what hung. INT64_MAX:
 * it has nothing to do. */
int64_t keeper_next_ms(const struct keeper *keeper, int64_t now_ms);

/* Whether no lane can be had since too many hang: nothing of the lane is sampled. */
bool keeper_is_starved(const struct keeper *keeper);

/* Whether the node is known to hang. */
bool keeper_hangs(const struct keeper *keeper, size_t collector, const char *node);

/* Whether a group is left out as a whole, since what it hangs on has no path. */
bool keeper_leaves_out(const struct keeper *keeper, size_t collector, size_t group);

struct keeper_stats {
	uint64_t n_restarts; /* lanes that were started in place of one that died or hung */
	int64_t cpu_us;      /* of all lanes, as far as they said */
	size_t n_left;       /* processes that still hang in the kernel */
};

/* A process that was told to end and has not ended: the kernel holds it. */
struct keeper_held {
	pid_t pid;
	char path[HW_PATH_MAX]; /* what it waits for, "" when it is not known */
	int64_t since_ms;       /* boot clock */
};

/* For a stop: kills the lane, and goes on no more. What does not end at once is found by
 * keeper_held(). */
void keeper_stop(struct keeper *keeper, int64_t now_ms);

/* The processes that the kernel holds, one by one; false past the end. Reaps those that are gone.
 */
bool keeper_held(struct keeper *keeper, size_t index, struct keeper_held *ret);

void keeper_get_stats(const struct keeper *keeper, struct keeper_stats *ret);
