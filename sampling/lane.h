/* One lane process: started by fork, spoken to over a socket, watched by a page that it shares.
 * What to do when it does not answer is decided in lane_keeper. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hw.h"
#include "model/catalog.h"

/* Where the lane is, written by it before it touches anything. */
struct lane_place {
	char path[HW_PATH_MAX];   /* "" while it has touched none */
	char node[NODE_NAME_MAX]; /* "" between nodes and while probing */
	int32_t collector;        /* index of the catalog, -1 before the first */
	int32_t group;            /* index of the catalog, -1 while probing */
	int64_t since_ms;         /* boot clock when it came to the path or group */
	uint32_t n_groups;        /* that it has begun with, or probed; two may begin in one ms */
};

struct lane_config {
	const struct catalog *catalog;
	const char *root;
	const bool *wanted; /* collectors that are sampled here, by index of the catalog */
	bool all_nodes;
	const char *device; /* see struct probe */
	bool commands;      /* it keeps what commands to devices need of its privileges */
	bool processes;     /* and what the accounts of others' processes need */
	/* Shared pages for hw_memory_keep(), of mmap(): what this lane learns, the next one knows.
	 * No other child of this process has them (MADV_DONTFORK). NULL: none. */
	void *memory;
	size_t memory_bytes;
	const char *const *avoid; /* paths to leave alone, see hw_avoid() */
	size_t n_avoid;
};

struct lane {
	pid_t pid; /* 0: none */
	int fd;    /* -1: none; non-blocking */
	struct lane_place *place;
};

/* Forks the lane. It probes its collectors, sends a WIRE_PROBED for each and a WIRE_DONE, and then
 * waits for requests; it ends when the socket is closed, or with its parent. -errno of the system
 * calls. */
MUST_CHECK int lane_start(const struct lane_config *config, struct lane *ret);

/* Closes the socket and forgets the process; its pid is the caller's to reap. */
void lane_leave(struct lane *lane);

/* true when the process is gone and reaped, or is none of ours. Does not wait. */
bool lane_reap(pid_t pid);

/* The life of the lane process; lane_start() calls it. fd is its end of the socket. Returns the
 * exit status. */
int lane_child_run(const struct lane_config *config, int fd, struct lane_place *place);
