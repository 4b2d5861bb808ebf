/* The loop: the thread that samples. It waits for its timer, for the lane, for the kernel's
 * uevents and its log, for a step of the wall clock and for signals, and for nothing else: no disk,
 * no client.
 */
#pragma once

#include <signal.h>

#include "analysis/clock_watch.h"
#include "base/macros.h"
#include "daemon/board.h"
#include "daemon/committer.h"
#include "daemon/kernel_log.h"
#include "daemon/last_boot.h"
#include "daemon/reload.h"
#include "daemon/service.h"
#include "sampling/sampler.h"
#include "store/store.h"

struct loop {
	struct sampler *sampler;
	struct store *store;
	struct board *board;
	struct committer *committer;
	struct kernel_log *kernel_log;
	struct last_boot *last_boot; /* NULL without memory for it */
	struct service *service;
	struct reload *reload;
	const struct config *config; /* for the policy of the UFS monitors */
	bool terminal;               /* SIGHUP says that it is gone */
	struct clock_watch clock;    /* as the store was told */
};

/* Blocks the signals that the loop takes, for this and all later threads. */
void loop_block_signals(void);

/* Runs until SIGTERM or SIGINT; *ret_signal is the one that came. SIGHUP has the configuration read
 * again, or is a stop with a terminal; SIGPWR has all that waits committed. 0 or -errno. */
MUST_CHECK int loop_run(const struct loop *loop, int *ret_signal);
