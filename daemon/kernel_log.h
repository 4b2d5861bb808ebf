/* Follows the kernel's log and turns it into incidents: events of the store that go on, and counts
 * for the collector kmsg. Part of the loop: it never waits, and takes a bounded number of records
 * at a time.
 *
 * /dev/kmsg gives one record for each read and keeps a position for each who has it open. How far
 * this boot's log was read stands in the file beside the events (store_kernel_log()), so a restart
 * goes on where the run before ended. A run before that was killed is repeated from its last commit
 * on, and so are its events, which were not in the file. An incident that is open in the file goes
 * on as the same event. When the file is attached only after the log was read, what it has already
 * is not told again (store_kernel_log()).
 *
 * Time. The stamp of a record is the kernel's scheduler clock: it begins with the boot, stands
 * still in suspend, is no clock that a process may ask, and drifts against those by some ms in an
 * hour. The boot time of a record is its stamp and the time that the machine has been in suspend.
 * One that was printed since the log was last read to its end cannot be older than that moment, nor
 * newer than now, which bounds the drift, and the bound is followed. That is good to some ms for
 * what is read as it comes. Two incidents never have the same start: the later one gets the first
 * free ms, since the store knows an event by its start. Of
 * what was there before, a record that is older than a suspend is dated too late by the length of
 * it, and one that was printed on the way into suspend may be dated at the wake-up. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hw.h"
#include "model/kernel_log.h"
#include "sampling/sampler.h"
#include "store/store.h"

struct kernel_log;

#define KERNEL_LOG_AT_ONCE 64 /* records in one turn */

struct kernel_log_options {
	struct hw *hw; /* of the thread's collectors; outlives the log, as the store does */
	struct store *store;
	/* As read(2), for tests; NULL for it. */
	ssize_t (*read)(int fd, void *buf, size_t size);
};

struct kernel_log_status {
	bool is_followed;
	int64_t since_ms;                  /* boot clock */
	struct kernel_log_problem problem; /* while it is not followed */
	uint64_t n_records;                /* that were read */
	uint64_t n_before;                 /* of this boot, overwritten before the first was read */
	uint64_t n_lost;                   /* that the kernel had overwritten before */
	uint64_t n_overruns;               /* times that this happened */
	uint64_t n_unreadable;
	uint64_t n_incidents; /* that began in this run */
	int64_t n_open;       /* that go on, those of a run before too */
};

/* Opens nothing yet. -ENOMEM. */
MUST_CHECK int kernel_log_new(const struct kernel_log_options *options, struct kernel_log **ret);
/* Tells how the incidents stand, and how far it was read. What is open stays so: the next run of
 * this boot goes on with it. */
void kernel_log_free(struct kernel_log *log);

/* Opens the log by itself: that of a recorded tree, or where there is no helper. */
void kernel_log_open(struct kernel_log *log, int64_t now_ms);
/* What the helper has opened, which is owned from now on; or why it could not (-errno). Without a
 * log it is closed. */
void kernel_log_take(struct kernel_log *log, int fd, int error, int64_t now_ms);

/* To be watched for input, -1 for none. */
int kernel_log_fd(const struct kernel_log *log);
/* Whether there is more to be read now, though nothing is watched: a file. */
bool kernel_log_is_behind(const struct kernel_log *log);
/* Whether it would like to be given a descriptor. */
bool kernel_log_is_wanting(const struct kernel_log *log);

/* Takes what there is, at most KERNEL_LOG_AT_ONCE records. */
void kernel_log_read(struct kernel_log *log, int64_t now_ms);
/* What is due by time: incidents that are over, counts, another try. To be called each second or
 * so. */
void kernel_log_tick(struct kernel_log *log, int64_t now_ms);
/* Devices came or went. */
void kernel_log_look_again(struct kernel_log *log);

/* Whether it was found out anew whether the log is followed since this was asked last: what the
 * collector's probe has to say is another. */
bool kernel_log_has_news(struct kernel_log *log);

void kernel_log_get_status(const struct kernel_log *log, struct kernel_log_status *ret);

/* For the start of the daemon, in this order: makes the log before the first probes, and opens it
 * unless the helper shall; after them, when there may be no helper; and when it has gone (log may
 * be NULL). */
MUST_CHECK int kernel_log_begin(struct sampler *sampler, struct store *store, bool has_helper,
				struct kernel_log **ret);
void kernel_log_started(struct kernel_log *log, const struct sampler *sampler);
void kernel_log_without_helper(struct kernel_log *log);
