#include "helper/ufs_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "helper/ufs_switch.h"

/* How long somebody else's switch, or a driver that was bound anew, goes unnoticed. */
#define LOOK_MS     5000
#define FIRST_MS    5000 /* that the first order is waited for */
#define STOP_TRIES  40
#define STOP_TRY_US 25000

/* From the helper: the wish; without a daemon, and to look again at once, nothing changes in it. */
struct order {
	struct wire_monitor wish;
	bool alone, look;
};

struct watcher {
	struct ufs_switch *ufs;
	int fd;
	struct order order;
	bool known;          /* there was an order */
	int64_t alone_at_ms; /* when the daemon went */
	struct wire_monitored said;
	bool has_said;
};

/* The policy that counts now; NULL: none. */
static const struct wire_monitor *wish_of(const struct watcher *w, int64_t now_ms)
{
	if (!w->known || (w->order.alone && now_ms - w->alone_at_ms >= UFS_WATCH_ALONE_MS))
		return NULL;
	return &w->order.wish;
}

static bool apply(struct watcher *w, const struct wire_monitor *wish, int64_t now_ms)
{
	struct wire_monitored now;

	ufs_switch_apply(w->ufs, wish, now_ms, &now);
	if (w->has_said && !memcmp(&now, &w->said, sizeof(now)))
		return true;
	w->said = now;
	w->has_said = true;
	return send(w->fd, &now, sizeof(now), MSG_NOSIGNAL) >= 0;
}

/* Nothing is looked after that nobody wants on. */
static int wait_ms(const struct watcher *w, int64_t now_ms)
{
	const struct wire_monitor *wish = wish_of(w, now_ms);

	return wish && (w->said.n_wanted || w->said.n_ours) ? LOOK_MS : -1;
}

/* Returns whether the helper is still there. */
static bool take_order(struct watcher *w)
{
	struct order order;
	ssize_t n = recv(w->fd, &order, sizeof(order), 0);

	if (n < 0 && errno == EINTR)
		return true;
	if (n != (ssize_t)sizeof(order))
		return false;
	if (order.look)
		return true;
	if (order.alone) {
		if (!w->known)
			return true; /* there is no wish to hold on to */
		if (!w->order.alone)
			w->alone_at_ms = clock_boot_ms();
		order.wish = w->order.wish;
	}
	w->order = order;
	w->known = true;
	return true;
}

/* What one before this has left on may be wanted: it is not put back before that is known. Returns
 * whether the helper is still there. */
static bool await_first(struct watcher *w)
{
	struct pollfd fd = {.fd = w->fd, .events = POLLIN};
	int64_t until_ms = clock_boot_ms() + FIRST_MS, left_ms = FIRST_MS;

	for (; !w->known && left_ms > 0; left_ms = until_ms - clock_boot_ms())
		if (poll(&fd, 1, (int)left_ms) > 0 && !take_order(w))
			return false;
	return true;
}

static void watch(struct watcher *w)
{
	struct pollfd fd = {.fd = w->fd, .events = POLLIN};

	if (!await_first(w))
		return;
	for (;;) {
		int64_t now_ms = clock_boot_ms();

		if (!apply(w, wish_of(w, now_ms), now_ms))
			return;
		if (poll(&fd, 1, wait_ms(w, now_ms)) < 0 && errno != EINTR)
			return;
		if (fd.revents && !take_order(w))
			return;
	}
}

static int run(int fd, const char *root, const char *memory_path)
{
	CLEANUP(hw_closep) struct hw *hw = NULL;
	struct watcher w = {.fd = fd};
	struct wire_monitored last;

	if (hw_open(root, &hw) < 0 || ufs_switch_open(hw, memory_path, &w.ufs) < 0)
		return EXIT_FAILURE;
	watch(&w);
	ufs_switch_apply(w.ufs, NULL, clock_boot_ms(), &last);
	ufs_switch_close(w.ufs);
	return EXIT_SUCCESS;
}

/* It has to outlive the helper for as long as it takes to put all back, so no signal ends it but
 * the end of the socket. The nodes belong to root; no capability is needed to write them. */
static void prepare(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	prctl(PR_SET_NAME, "flashscope-ufs");
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	(void)capability_keep(0);
}

static bool has_ended(int pid)
{
	pid_t r = waitpid(pid, NULL, WNOHANG);

	return r == pid || (r < 0 && errno == ECHILD);
}

bool ufs_watch_reap(struct ufs_watch *watch)
{
	bool any = false;

	for (size_t i = 0; i < UFS_WATCH_LEAVING_MAX; i++) {
		if (watch->leaving[i] && has_ended(watch->leaving[i]))
			watch->leaving[i] = 0;
		any = any || watch->leaving[i];
	}
	return any;
}

static int start(struct ufs_watch *watch, const char *root, const char *memory_path)
{
	int fds[2];

	(void)ufs_watch_reap(watch);
	if (watch->leaving[UFS_WATCH_LEAVING_MAX - 1])
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	watch->pid = fork();
	if (watch->pid == 0) {
		/* Other sockets of the helper would keep its peers from noticing its end. */
		if (descriptors_move(fds[1], STDIN_FILENO) < 0)
			_exit(EXIT_FAILURE);
		descriptors_close_from(STDERR_FILENO + 1);
		prepare();
		_exit(run(STDIN_FILENO, root, memory_path));
	}
	close(fds[1]);
	if (watch->pid < 0) {
		int r = -errno;

		watch->pid = 0;
		close(fds[0]);
		return r;
	}
	watch->fd = fds[0];
	return 0;
}

static void end(struct ufs_watch *watch)
{
	size_t i = 0;

	close(watch->fd);
	watch->fd = -1;
	/* The last place is free, or none would have been started. */
	while (watch->leaving[i] && i < UFS_WATCH_LEAVING_MAX - 1)
		i++;
	watch->leaving[i] = watch->pid;
	watch->pid = 0;
}

static int give(struct ufs_watch *watch, const struct order *order)
{
	if (send(watch->fd, order, sizeof(*order), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return 0;

	int r = -errno;

	end(watch);
	return r;
}

int ufs_watch_tell(struct ufs_watch *watch, const char *root, const char *memory_path,
		   const struct wire_monitor *wish)
{
	struct order order = {.alone = !wish};

	if (wish)
		order.wish = *wish;
	if (watch->fd < 0 && !wish)
		return 0;
	if (watch->fd < 0) {
		int r = start(watch, root, memory_path);

		if (r < 0)
			return r;
	}
	return give(watch, &order);
}

void ufs_watch_look(struct ufs_watch *watch)
{
	if (watch->fd >= 0)
		(void)give(watch, &(struct order){.look = true});
}

bool ufs_watch_receive(struct ufs_watch *watch, struct wire_monitored *ret)
{
	ssize_t n = recv(watch->fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (n == (ssize_t)sizeof(*ret))
		return true;
	if (n >= 0 || (errno != EAGAIN && errno != EINTR)) {
		log_warning("the process that keeps the UFS monitors has ended");
		end(watch);
	}
	return false;
}

void ufs_watch_stop(struct ufs_watch *watch)
{
	if (watch->fd >= 0)
		end(watch);
	for (int i = 0; i < STOP_TRIES && ufs_watch_reap(watch); i++)
		usleep(STOP_TRY_US);
}
