#include "daemon/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/clock_events.h"
#include "daemon/events.h"

/* A tick stands at the latest this long after the one before, whatever the periods are. */
#define LONGEST_WAIT_MS 10000

enum { FD_TIMER, FD_WALL, FD_SIGNAL, FD_LANE, FD_HELPER, FD_UEVENTS, FD_LOG, FD_RELOAD, N_FDS };

struct run {
	const struct loop *loop;
	struct pollfd fds[N_FDS];
	struct clock_watch clock;
	struct board_loop account;
	int64_t turn_time_us;
	int64_t due_ms;     /* no later than then the next turn was to come */
	uint64_t n_rescans; /* that the kernel's log knows of */
};

static void loop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGPWR);
}

void loop_block_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t set;

	loop_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

/* A timer far away that ends early, with ECANCELED, when somebody sets the clock. */
static void watch_wall(int fd)
{
	struct itimerspec at = {.it_value = {(time_t)1 << 33, 0}};

	timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

static int open_fds(struct run *run)
{
	sigset_t set;

	loop_signals(&set);
	run->fds[FD_TIMER].fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	run->fds[FD_WALL].fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	run->fds[FD_SIGNAL].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (size_t i = 0; i < FD_LANE; i++)
		if (run->fds[i].fd < 0)
			return -errno;
	watch_wall(run->fds[FD_WALL].fd);
	return 0;
}

static void close_fds(struct run *run)
{
	for (size_t i = 0; i < FD_LANE; i++)
		closep(&run->fds[i].fd);
}

static void arm(struct run *run, int64_t now_ms)
{
	int64_t t_ms = MIN(sampler_next_ms(run->loop->sampler), now_ms + LONGEST_WAIT_MS);

	t_ms = MIN(t_ms, service_due_ms(run->loop->service));
	/* What is long due is not late by more than from now on. */
	run->due_ms = MAX(t_ms, now_ms);
	/* Zero would switch the timer off. */
	struct itimerspec at = {.it_value = {t_ms / 1000, t_ms % 1000 * 1000000 + 1}};

	timerfd_settime(run->fds[FD_TIMER].fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void look_at_clock(struct run *run)
{
	struct clock_reading now;
	struct clock_news news;

	clock_read(&now);
	clock_events_stall(run->loop->store, &run->clock.seen, &now, run->due_ms);
	clock_watch_look(&run->clock, &now, &news);
	clock_events_tell(run->loop->store, &now, &news);
	run->account.n_clock_steps += news.stepped;
	run->account.n_suspends += news.slept_ms > 0;
	run->account.suspended_ms = now.asleep_ms;
	run->account.wall_offset_ms = run->clock.known_ms;
	run->account.clock_is_set = clock_is_set(now.boot_ms + run->clock.known_ms);
}

static int64_t thread_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0)
		return;
}

/* -ECANCELED is what a set clock looks like. */
static void drain_wall(int fd)
{
	drain(fd);
	watch_wall(fd);
}

static bool take_signal(struct run *run, int *ret_signal)
{
	struct signalfd_siginfo info;

	if (!run->fds[FD_SIGNAL].revents)
		return false;
	if (read(run->fds[FD_SIGNAL].fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	*ret_signal = (int)info.ssi_signo;
	return true;
}

static void wish_for_monitor(const struct loop *loop)
{
	const struct wire_monitor monitor = {
		.policy = (enum ufs_monitor)config_number(loop->config, OPTION_UFS_MONITOR),
		.asked_until_ms = store_ufs_until_ms(loop->store, clock_boot_ms())};

	sampler_monitor(loop->sampler, &monitor);
}

/* What is found out about the log is what the probe of its collector says, too. */
static void follow_log(struct run *run, int64_t now_ms)
{
	const struct loop *loop = run->loop;
	struct kernel_log *log = loop->kernel_log;
	uint64_t n_rescans = sampler_n_rescans(loop->sampler);

	if (n_rescans != run->n_rescans)
		kernel_log_look_again(log);
	run->n_rescans = n_rescans;
	if (run->fds[FD_LOG].revents || kernel_log_is_behind(log))
		kernel_log_read(log, now_ms);
	kernel_log_tick(log, now_ms);
	sampler_want_log(loop->sampler, kernel_log_is_wanting(log));
	if (kernel_log_has_news(log))
		sampler_rescan(loop->sampler);
	kernel_log_get_status(log, &run->account.kernel_log);
}

static void conclude_last_boot(struct run *run, int64_t now_ms)
{
	const struct loop *loop = run->loop;

	sampler_want_records(loop->sampler, last_boot_wants_records(loop->last_boot));
	last_boot_turn(loop->last_boot, sampler_hw(loop->sampler), loop->store, now_ms);
	last_boot_get_status(loop->last_boot, &run->account.last_boot);
}

static void end_reload(struct run *run)
{
	if (run->fds[FD_RELOAD].revents && reload_finish(run->loop->reload))
		service_reloaded(run->loop->service);
}

/* For the collector self, at its next tick. */
static void account_for_self(struct run *run, int64_t start_us)
{
	struct own_writes *writes = own_writes_of(sampler_hw(run->loop->sampler));
	struct committer_status status;

	run->turn_time_us += clock_boot_us() - start_us;
	if (!writes)
		return;
	committer_get_status(run->loop->committer, &status);
	*writes = status.writes;
	writes->is_served = true;
	writes->turns = (int64_t)run->account.n_wakeups;
	writes->turn_time_us = run->turn_time_us;
}

static void turn(struct run *run)
{
	const struct loop *loop = run->loop;
	int64_t start_us = clock_boot_us(), now_ms = start_us / 1000;

	if (run->fds[FD_TIMER].revents)
		drain(run->fds[FD_TIMER].fd);
	if (run->fds[FD_WALL].revents)
		drain_wall(run->fds[FD_WALL].fd);
	look_at_clock(run);
	if (run->fds[FD_LANE].revents)
		sampler_lane_input(loop->sampler);
	if (run->fds[FD_HELPER].revents)
		sampler_helper_input(loop->sampler);
	if (run->fds[FD_UEVENTS].revents)
		sampler_uevent_input(loop->sampler);
	end_reload(run);
	follow_log(run, now_ms);
	conclude_last_boot(run, now_ms);
	wish_for_monitor(loop);
	if (sampler_next_ms(loop->sampler) <= now_ms)
		sampler_tick(loop->sampler, now_ms);
	run->account.n_wakeups++;
	run->account.cpu_us = thread_cpu_us();
	board_update(loop->board, loop->sampler, &run->account);
	committer_turn(loop->committer, now_ms);
	account_for_self(run, start_us);
	service_turn(loop->service, loop->sampler, loop->store, now_ms,
		     run->account.wall_offset_ms);
}

static bool reloads(struct run *run, int signal)
{
	if (signal != SIGHUP || run->loop->terminal)
		return false;
	log_info("reads the configuration again (SIGHUP)");
	service_reloading(run->loop->service);
	if (!reload_begin(run->loop->reload))
		service_reloaded(run->loop->service);
	return true;
}

/* What was sampled is written while there still is power; it may come back, so the loop goes on. */
static bool power_fails(struct run *run, int signal)
{
	if (signal != SIGPWR)
		return false;
	event_add(run->loop->store, clock_boot_ms(), SEVERITY_WARNING, "power_fails", "",
		  "the power fails (SIGPWR)");
	log_warning("the power fails (SIGPWR); what was sampled is written");
	committer_wake(run->loop->committer);
	return true;
}

static int run_until_signal(struct run *run, int *ret_signal)
{
	for (;;) {
		arm(run, clock_boot_ms());
		/* The lane may have been replaced; poll() takes the descriptors anew each time. */
		run->fds[FD_LANE].fd = sampler_lane_fd(run->loop->sampler);
		run->fds[FD_HELPER].fd = sampler_helper_fd(run->loop->sampler);
		run->fds[FD_UEVENTS].fd = sampler_uevent_fd(run->loop->sampler);
		run->fds[FD_LOG].fd = kernel_log_fd(run->loop->kernel_log);
		run->fds[FD_RELOAD].fd = reload_fd(run->loop->reload);
		if (poll(run->fds, N_FDS, kernel_log_is_behind(run->loop->kernel_log) ? 0 : -1) <
		    0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (take_signal(run, ret_signal) && !power_fails(run, *ret_signal) &&
		    !reloads(run, *ret_signal))
			return 0;
		turn(run);
	}
}

int loop_run(const struct loop *loop, int *ret_signal)
{
	struct run run = {
		.loop = loop,
		.clock = loop->clock,
		.account = {.wall_offset_ms = loop->clock.known_ms},
	};

	for (size_t i = 0; i < N_FDS; i++)
		run.fds[i] = (struct pollfd){.fd = -1, .events = POLLIN};

	int r = open_fds(&run);

	if (r == 0)
		r = run_until_signal(&run, ret_signal);
	close_fds(&run);
	return r;
}
