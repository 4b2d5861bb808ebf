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
#include "daemon/heap.h"

#define FIRST_COMMIT_MS 3000
#define STACK_BYTES     (512 * 1024)

struct committer {
	struct store *store;
	atomic_uint interval_ms; /* an hour at most */
	int timer_fd, wake_fd;
	atomic_bool stop;
	bool failing; /* said already */
	bool written; /* as well */
	bool moved_aside;
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

static int commit(struct committer *committer, bool final)
{
	/* No commit comes behind the last one. */
	if (final && committer->failing)
		tell_trouble(committer);

	int r = store_commit(committer->store, clock_boot_ms(), final);

	if (r >= 0 && committer->failing && !final)
		tell_trouble(committer);
	tell(committer, r);
	committer->failing = r < 0;
	committer->written |= r >= 0;
	/* What a commit took is not needed for a minute. */
	heap_trim();
	return r;
}

static void *run(void *arg)
{
	struct committer *committer = arg;
	struct pollfd fds[] = {{committer->timer_fd, POLLIN, 0}, {committer->wake_fd, POLLIN, 0}};

	while (!atomic_load(&committer->stop)) {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			drain(committer->timer_fd);
		if (fds[1].revents)
			drain(committer->wake_fd);
		if (atomic_load(&committer->stop))
			break;
		/* A disk that fails is not tried again for each event. */
		if (!fds[0].revents && committer->failing)
			continue;
		(void)commit(committer, false);
		arm(committer, clock_boot_ms() + atomic_load(&committer->interval_ms));
	}
	committer->result = commit(committer, true);
	return NULL;
}

static void committer_free(struct committer *committer)
{
	closep(&committer->timer_fd);
	closep(&committer->wake_fd);
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

int committer_start(struct store *store, int64_t interval_ms, struct committer **ret)
{
	struct committer *committer = calloc(1, sizeof(*committer));

	if (!committer)
		return -ENOMEM;
	committer->store = store;
	atomic_init(&committer->interval_ms, (unsigned)interval_ms);
	committer->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	committer->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (committer->timer_fd < 0 || committer->wake_fd < 0) {
		int r = -errno;

		committer_free(committer);
		return r;
	}
	arm(committer, clock_boot_ms() + MIN(interval_ms, FIRST_COMMIT_MS));

	int r = start_thread(committer);

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

void committer_set_interval(struct committer *committer, int64_t interval_ms)
{
	atomic_store(&committer->interval_ms, (unsigned)interval_ms);
	/* What waits is written now, and the next commit is an interval away. */
	committer_wake(committer);
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
