/* A thread for what may have to wait for a disk, so that the thread that speaks HTTP never does. It
 * runs jobs one after the other, in the order in which they were given. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

struct worker;

/* Lies in what the job is about; whoever gives it keeps it until run() is called, which may free
 * it. */
struct job {
	struct job *next;
	void (*run)(struct job *job);
};

/* Starts the thread. rest(arg) is called on it when it has had nothing to do for a while, and again
 * until it says true: nothing is left to let go of. -errno */
MUST_CHECK int worker_start(bool (*rest)(void *arg), void *arg, struct worker **ret);

/* Any thread may give a job; nothing is allocated. */
void worker_give(struct worker *worker, struct job *job);

/* For how long the job at work has been at it, in ms; 0 without one. */
int64_t worker_busy_ms(struct worker *worker);

/* Waits until everything that was given has been run; waits(), if any, is called each second of it.
 */
void worker_drain(struct worker *worker, void (*waits)(void *arg), void *arg);

/* Runs what was given, ends the thread and frees. NULL is fine. */
void worker_stop(struct worker *worker);
