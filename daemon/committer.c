#include "daemon/committer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/events.h"
#include "daemon/given_bytes.h"
#include "daemon/heap.h"
#include "daemon/own_disk.h"

#define FIRST_COMMIT_MS 3000
#define STACK_BYTES     (512 * 1024)

struct committer {
	struct store *store;
	int timer_fd, wake_fd;
	atomic_bool stop;
	pthread_mutex_t lock; /* of the next three */
	struct commit_policy policy;
	enum commit_why why; /* of the wake-up that is on its way; COMMIT_NOT: asked for */
	struct committer_status status;
	/* ---- of the loop */
	struct own_disk seen_disk;
	int64_t n_ios; /* at the last look, -1: none */
	/* ---- of the thread */
	struct own_disk disk;
	struct hw_file io; /* of the thread itself; without a path when it is not known */
	bool failing;      /* said already */
	bool written;      /* as well */
	bool moved_aside;
	uint64_t n_mishaps; /* that were said */
	int64_t failing_ms; /* since then */
	char error[256];    /* as it was at first */
	pthread_t thread;
	int result;
};

static void arm(const struct committer *committer, int64_t t_ms)
{
	struct itimerspec at = {.it_value = {t_ms / 1000, t_ms % 1000 * 1000000}};

	timerfd_settime(committer->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0)
		return;
}

/* What could not be written for a while becomes one event, with its start and end. */
static void tell_trouble(const struct committer *committer)
{
	struct event event = {.t_ms = committer->failing_ms,
			      .t_end_ms = clock_boot_ms(),
			      .severity = SEVERITY_WARNING,
			      .kind = "database_trouble"};

	snprintf(event.text, sizeof(event.text), "the database could not be written: %.200s",
		 committer->error);
	store_event(committer->store, &event);
}

/* Each change once. */
static void tell(struct committer *committer, int r)
{
	struct store_status status;

	store_get_status(committer->store, &status);
	if (status.n_mishaps != committer->n_mishaps)
		log_warning("%s", status.mishap);
	committer->n_mishaps = status.n_mishaps;
	if (status.moved_aside && !committer->moved_aside) {
		log_error("the database was damaged; it is kept with the suffix .broken-%jd",
			  (intmax_t)status.moved_aside);
		committer->moved_aside = true;
	}
	if (r < 0 && !committer->failing) {
		committer->failing_ms = clock_boot_ms();
		snprintf(committer->error, sizeof(committer->error), "%s",
			 *status.error ? status.error : strerror(-r));
		log_error("cannot write the database, keeping samples in memory: %s",
			  committer->error);
	}
	if (r >= 0 && !committer->written)
		log_info("the database is written now");
	else if (r >= 0 && committer->failing)
		log_info("the database is written again");
}

/* As the disk stands before a commit and after it. */
struct measure {
	int64_t bytes, sectors, t_us; /* -1: not known */
};

static void take_measure(struct committer *committer, struct measure *ret)
{
	struct own_disk_counts counts;

	ret->bytes = given_bytes(committer->disk.hw, &committer->io);
	ret->sectors = own_disk_read(&committer->disk, &counts) < 0 ? -1 : counts.written_sectors;
	ret->t_us = clock_boot_us();
}

static void account(struct committer *committer, const struct measure *before, int sleeps, int r)
{
	struct measure after;
	struct own_writes *writes = &committer->status.writes;
	int64_t bytes = 0;

	take_measure(committer, &after);
	if (before->bytes >= 0 && after.bytes > before->bytes)
		bytes = after.bytes - before->bytes;
	if (bytes)
		store_add_spent(committer->store, clock_boot_ms(), bytes);
	pthread_mutex_lock(&committer->lock);
	writes->is_served = true;
	writes->commits += r >= 0;
	writes->failed_commits += r < 0;
	writes->commit_time_us += after.t_us - before->t_us;
	writes->bytes_known = before->bytes >= 0 && after.bytes >= 0;
	writes->commit_bytes += bytes;
	writes->sectors_known = before->sectors >= 0 && after.sectors >= 0;
	if (writes->sectors_known && after.sectors > before->sectors)
		writes->commit_sectors += after.sectors - before->sectors;
	writes->sleep_known = sleeps >= 0;
	writes->disk_wakes += sleeps > 0 && bytes > 0;
	pthread_mutex_unlock(&committer->lock);
}

/* Counted from its beginning on: what comes while it runs is left to the next one. */
static void begin(struct committer *committer)
{
	pthread_mutex_lock(&committer->lock);
	committer->status.n_by_why[committer->why]++;
	committer->why = COMMIT_NOT;
	commit_policy_done(&committer->policy, clock_boot_ms());
	pthread_mutex_unlock(&committer->lock);
}

/* That less is committed than was promised, and that it is as promised again. */
static void tell_budget(struct committer *committer)
{
	int64_t now_ms = clock_boot_ms(), spent = store_spent_bytes(committer->store, now_ms);
	char evidence[160];
	enum commit_budget change;
	long long bound_ms, budget;

	pthread_mutex_lock(&committer->lock);
	change = commit_policy_budget(&committer->policy, spent);
	bound_ms = commit_policy_bound_ms(&committer->policy, spent);
	budget = committer->policy.budget_bytes;
	pthread_mutex_unlock(&committer->lock);
	if (change == BUDGET_SAME)
		return;
	snprintf(evidence, sizeof(evidence),
		 "{\"spent_bytes\":%lld,\"flash_budget_bytes\":%lld,\"bound_ms\":%lld}",
		 (long long)spent, budget, bound_ms);
	if (change == BUDGET_BEGINS) {
		log_warning("three quarters of flash_budget are spent: commits become rarer");
		event_add(committer->store, now_ms, SEVERITY_WARNING, "flash_budget", evidence,
			  "three quarters of flash_budget are spent: commits become rarer, and a "
			  "loss of power costs more than commit_interval, up to an hour");
		return;
	}
	log_info("flash_budget is kept again: commits are as frequent as configured");
	event_add(committer->store, now_ms, SEVERITY_INFO, "flash_budget", evidence,
		  "flash_budget is kept again: commits are as frequent as configured");
}

static int commit(struct committer *committer, bool final)
{
	struct measure before;
	int sleeps, r;

	/* No commit comes behind the last one. */
	if (final && committer->failing)
		tell_trouble(committer);
	begin(committer);
	sleeps = own_disk_sleeps(&committer->disk);
	take_measure(committer, &before);
	r = store_commit(committer->store, clock_boot_ms(), final);
	account(committer, &before, sleeps, r);
	if (!final)
		tell_budget(committer);
	if (r >= 0 && committer->failing && !final)
		tell_trouble(committer);
	tell(committer, r);
	committer->failing = r < 0;
	committer->written |= r >= 0;
	/* What a commit took is not needed for a minute. */
	heap_trim();
	return r;
}

/* Sets the timer to when the next commit is due. Whether one is already. */
static bool arm_next(struct committer *committer)
{
	int64_t now_ms = clock_boot_ms(), spent = store_spent_bytes(committer->store, now_ms);
	int64_t next_ms;

	pthread_mutex_lock(&committer->lock);
	next_ms = committer->failing ? committer->policy.last_ms +
					       commit_policy_bound_ms(&committer->policy, spent)
				     : commit_policy_next_ms(&committer->policy, now_ms, spent);
	if (next_ms <= now_ms && committer->why == COMMIT_NOT)
		committer->why = COMMIT_BOUND;
	pthread_mutex_unlock(&committer->lock);
	arm(committer, next_ms);
	return next_ms <= now_ms;
}

static void *run(void *arg)
{
	struct committer *committer = arg;
	struct pollfd fds[] = {{committer->timer_fd, POLLIN, 0}, {committer->wake_fd, POLLIN, 0}};

	(void)given_open(committer->disk.hw, &committer->io);
	while (!atomic_load(&committer->stop)) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			drain(committer->timer_fd);
		if (fds[1].revents)
			drain(committer->wake_fd);
		if (atomic_load(&committer->stop))
			break;
		/* A disk that fails is not tried again for each event; and the bound may have been
		 * widened since the timer was set. */
		if (arm_next(committer) || (fds[1].revents && !committer->failing)) {
			(void)commit(committer, false);
			(void)arm_next(committer);
		}
	}
	committer->result = commit(committer, true);
	return NULL;
}

static void committer_free(struct committer *committer)
{
	closep(&committer->timer_fd);
	closep(&committer->wake_fd);
	own_disk_close(&committer->seen_disk);
	hw_file_close(&committer->io);
	own_disk_close(&committer->disk);
	pthread_mutex_destroy(&committer->lock);
	free(committer);
}

static int start_thread(struct committer *committer)
{
	pthread_attr_t attr;
	int r = pthread_attr_init(&attr);

	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_create(&committer->thread, &attr, run, committer);
	pthread_attr_destroy(&attr);
	return -r;
}

/* The first commit comes soon, whatever the budget says of later ones. */
static void begin_policy(struct committer *committer, const struct committer_options *options)
{
	struct commit_policy *policy = &committer->policy;
	int64_t now_ms = clock_boot_ms(), spent = store_spent_bytes(committer->store, now_ms);

	policy->bound_ms = options->bound_ms;
	policy->budget_bytes = options->budget_bytes;
	policy->last_ms = now_ms + MIN(options->bound_ms, FIRST_COMMIT_MS) -
			  commit_policy_bound_ms(policy, spent);
}

static int open_all(struct committer *committer, const struct committer_options *options)
{
	int r = own_disk_open(options->path, &committer->disk);

	if (r == 0)
		r = own_disk_open(options->path, &committer->seen_disk);
	committer->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r == 0 && committer->timer_fd < 0)
		r = -errno;
	committer->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r == 0 && committer->wake_fd < 0)
		r = -errno;
	return r;
}

int committer_start(struct store *store, const struct committer_options *options,
		    struct committer **ret)
{
	struct committer *committer = calloc(1, sizeof(*committer));
	int r;

	if (!committer)
		return -ENOMEM;
	committer->store = store;
	committer->n_ios = -1;
	committer->status.disk_write_sectors = -1;
	begin_policy(committer, options);
	pthread_mutex_init(&committer->lock, NULL);
	r = open_all(committer, options);
	if (r == 0) {
		arm(committer, clock_boot_ms() + MIN(options->bound_ms, FIRST_COMMIT_MS));
		r = start_thread(committer);
	}
	if (r < 0) {
		committer_free(committer);
		return r;
	}
	*ret = committer;
	return 0;
}

void committer_wake(struct committer *committer)
{
	static const uint64_t one = 1;

	if (write(committer->wake_fd, &one, sizeof(one)) < 0)
		return;
}

bool committer_want(struct committer *committer)
{
	int64_t spent = store_spent_bytes(committer->store, clock_boot_ms());
	bool granted;

	pthread_mutex_lock(&committer->lock);
	granted = commit_policy_may(&committer->policy, spent);
	pthread_mutex_unlock(&committer->lock);
	if (granted)
		committer_wake(committer);
	return granted;
}

bool committer_ask(struct committer *committer)
{
	int64_t now_ms = clock_boot_ms(), spent = store_spent_bytes(committer->store, now_ms);
	bool granted;

	pthread_mutex_lock(&committer->lock);
	granted = commit_policy_ask(&committer->policy, now_ms, spent);
	pthread_mutex_unlock(&committer->lock);
	if (granted) {
		store_want_hour(committer->store);
		committer_wake(committer);
	}
	return granted;
}

/* Whether others have made I/O since the last look; what our own commits made is long past when
 * anything may ride. */
static bool look_at_disk(struct committer *committer, struct own_disk_counts *ret)
{
	bool known = own_disk_read(&committer->seen_disk, ret) >= 0;
	bool active = known && committer->n_ios >= 0 && ret->n_ios != committer->n_ios;

	committer->n_ios = known ? ret->n_ios : -1;
	return active;
}

void committer_turn(struct committer *committer, int64_t now_ms)
{
	struct own_disk_counts counts = {0};
	uint64_t causes[STORE_CRITICAL];
	size_t n = store_take_critical(committer->store, causes, ARRAY_SIZE(causes));
	int64_t spent = store_spent_bytes(committer->store, now_ms);
	bool active = look_at_disk(committer, &counts), urgent = store_urgent(committer->store);
	enum commit_why why;

	pthread_mutex_lock(&committer->lock);
	commit_policy_look(&committer->policy, active);
	committer->status.disk_write_sectors = committer->n_ios < 0 ? -1 : counts.written_sectors;
	for (size_t i = 0; i < n; i++)
		(void)commit_policy_critical(&committer->policy, now_ms, causes[i], spent);
	why = commit_policy_due(&committer->policy, now_ms, spent, urgent);
	if (why != COMMIT_NOT)
		committer->why = why;
	pthread_mutex_unlock(&committer->lock);
	if (why != COMMIT_NOT)
		committer_wake(committer);
}

void committer_set_bound(struct committer *committer, int64_t bound_ms)
{
	pthread_mutex_lock(&committer->lock);
	committer->policy.bound_ms = bound_ms;
	pthread_mutex_unlock(&committer->lock);
	/* What waits is written now, and the next commit is a bound away. */
	committer_wake(committer);
}

void committer_set_budget(struct committer *committer, int64_t budget_bytes)
{
	pthread_mutex_lock(&committer->lock);
	committer->policy.budget_bytes = budget_bytes;
	pthread_mutex_unlock(&committer->lock);
	committer_wake(committer);
}

void committer_get_status(struct committer *committer, struct committer_status *ret)
{
	int64_t spent = store_spent_bytes(committer->store, clock_boot_ms());

	pthread_mutex_lock(&committer->lock);
	*ret = committer->status;
	ret->bound_ms = committer->policy.bound_ms;
	ret->budget_bytes = committer->policy.budget_bytes;
	ret->bound_in_force_ms = commit_policy_bound_ms(&committer->policy, spent);
	ret->is_widened = committer->policy.is_widened;
	pthread_mutex_unlock(&committer->lock);
	ret->spent_bytes = spent;
	snprintf(ret->disk, sizeof(ret->disk), "%s", committer->seen_disk.name);
}

static bool joined_in_a_second(pthread_t thread)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	return pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT;
}

int committer_stop(struct committer *committer, void (*waits)(void *arg), void *arg)
{
	atomic_store(&committer->stop, true);
	committer_wake(committer);
	while (!joined_in_a_second(committer->thread))
		waits(arg);

	int r = committer->result;

	committer_free(committer);
	return r;
}
