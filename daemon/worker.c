#include "daemon/worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define STACK_BYTES  (512 * 1024)
#define REST_AFTER_S 10

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t given, done;
	struct job *first, *last;
	int64_t since_ms; /* of what is at work, CLOCK_MONOTONIC: a sleep is no wait; 0: nothing */
	bool stop;
	bool (*rest)(void *arg);
	void *arg;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The next job, or NULL when none came in time. */
static struct job *take(struct worker *worker)
{
	struct job *job = worker->first;

	if (!job)
		return NULL;
	worker->first = job->next;
	if (!worker->first)
		worker->last = NULL;
	return job;
}

/* Waits until there is something to do; with a limit only while there is something to let go of.
 * false when the time is over. */
static bool wait_for_job(struct worker *worker, bool at_rest)
{
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += REST_AFTER_S;
	while (!worker->first && !worker->stop && r != ETIMEDOUT)
		r = at_rest ? pthread_cond_wait(&worker->given, &worker->lock)
			    : pthread_cond_timedwait(&worker->given, &worker->lock, &until);
	return worker->first || worker->stop;
}

static void *run(void *arg)
{
	struct worker *worker = arg;
	bool at_rest = true;

	pthread_mutex_lock(&worker->lock);
	for (;;) {
		bool woken = wait_for_job(worker, at_rest);
		struct job *job = take(worker);

		if (!job && worker->stop)
			break;
		/* What is let go of may wait for the disk as well. */
		worker->since_ms = now_ms();
		pthread_mutex_unlock(&worker->lock);
		if (job)
			job->run(job);
		at_rest = !woken && worker->rest(worker->arg);
		pthread_mutex_lock(&worker->lock);
		worker->since_ms = 0;
		if (!worker->first)
			pthread_cond_broadcast(&worker->done);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static int init_locks(struct worker *worker)
{
	pthread_condattr_t attr;
	int r = pthread_condattr_init(&attr);

	if (r)
		return -r;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	r = pthread_cond_init(&worker->given, &attr);
	if (!r)
		r = pthread_cond_init(&worker->done, &attr);
	pthread_condattr_destroy(&attr);
	if (!r)
		r = pthread_mutex_init(&worker->lock, NULL);
	return -r;
}

static int start_thread(struct worker *worker)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_create(&worker->thread, &attr, run, worker);
	pthread_attr_destroy(&attr);
	return -r;
}

int worker_start(bool (*rest)(void *arg), void *arg, struct worker **ret)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return -ENOMEM;
	worker->rest = rest;
	worker->arg = arg;

	int r = init_locks(worker);

	if (!r)
		r = start_thread(worker);
	if (r < 0) {
		free(worker);
		return r;
	}
	*ret = worker;
	return 0;
}

void worker_give(struct worker *worker, struct job *job)
{
	job->next = NULL;
	pthread_mutex_lock(&worker->lock);
	if (worker->last)
		worker->last->next = job;
	else
		worker->first = job;
	worker->last = job;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
}

int64_t worker_busy_ms(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);

	int64_t since_ms = worker->since_ms;

	pthread_mutex_unlock(&worker->lock);
	return since_ms ? now_ms() - since_ms : 0;
}

/* A second at most; with the lock held. Whether more is to be waited for. */
static bool wait_until_done(struct worker *worker)
{
	struct timespec until;
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	while ((worker->first || worker->since_ms) && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&worker->done, &worker->lock, &until);
	return worker->first || worker->since_ms;
}

void worker_drain(struct worker *worker, void (*waits)(void *arg), void *arg)
{
	pthread_mutex_lock(&worker->lock);
	while (wait_until_done(worker)) {
		pthread_mutex_unlock(&worker->lock);
		if (waits)
			waits(arg);
		pthread_mutex_lock(&worker->lock);
	}
	pthread_mutex_unlock(&worker->lock);
}

void worker_stop(struct worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	pthread_cond_signal(&worker->given);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	pthread_cond_destroy(&worker->given);
	pthread_cond_destroy(&worker->done);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}
