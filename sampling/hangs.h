/* What did not answer: the paths and groups that a lane has to leave alone, the processes that hang
 * in them, and when to try again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampling/lane.h"
#include "sampling/schedule.h"

#define HANGS_MAX     8
#define HANG_FIRST_MS 10000
#define HANG_MAX_MS   600000

struct hang {
	bool used;
	char path[HW_PATH_MAX]; /* avoided; a directory ends in '/'. "": the group is left out */
	char node[NODE_NAME_MAX];
	size_t collector;
	int group;       /* -1: while probing */
	bool avoided;    /* false: it is being tried again */
	bool was_stuck;  /* the kernel had held the process and has let it go */
	pid_t pid;       /* of the process that hangs in it, 0 when it is gone */
	int64_t left_ms; /* when the process was left alone */
	struct backoff backoff;
};

struct hangs {
	struct hang v[HANGS_MAX];
	int64_t first_ms; /* the first wait before another try */
};

/* The process pid hangs at place and is left alone. What hung before and was tried again keeps its
 * node and waits twice as long; of a device of which another attribute hangs already, the whole
 * directory is avoided. Where no place is free, what is being tried again gives way. -ENOSPC when
 * all are avoided. */
MUST_CHECK int hangs_add(struct hangs *hangs, const struct lane_place *place, pid_t pid,
			 int64_t now_ms, const struct hang **ret);

/* Notes which processes are gone. */
void hangs_reap(struct hangs *hangs, int64_t now_ms);

/* Lifts what may be tried again: after its back-off, and the first time at once when the kernel has
 * let go a process that it had held. Returns whether there was any. */
bool hangs_lift(struct hangs *hangs, int64_t now_ms);

/* When to look again whether a process has ended that was told to at that time. */
int64_t hangs_look_ms(int64_t since_ms, int64_t now_ms);

/* When there is something to reap or to lift; INT64_MAX when nothing is avoided. */
int64_t hangs_next_ms(const struct hangs *hangs, int64_t now_ms);

/* Takes out one that is tried again and belongs to what has answered now. */
bool hangs_take_answered(struct hangs *hangs, size_t collector, int group, struct hang *ret);

/* Forgets what is tried again of a collector that has nothing to sample any more: no sample will
 * answer for it. Not while something else of it is avoided, which may be why it has nothing. */
void hangs_forget(struct hangs *hangs, size_t collector);

/* The paths to leave alone, at most HANGS_MAX; they belong to hangs. Returns their number. */
size_t hangs_paths(const struct hangs *hangs, const char **ret);

/* Whether a group, or with -1 the probe of a collector, is left out since it hangs at no path. */
bool hangs_leave_out(const struct hangs *hangs, size_t collector, int group);

bool hangs_have(const struct hangs *hangs, size_t collector, const char *node);
/* Whether each place is taken by what is avoided. */
bool hangs_are_full(const struct hangs *hangs);

/* Processes that hang. */
size_t hangs_n_left(const struct hangs *hangs);
