#include "sampling/uevents.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sampling/uevent.h"

#define KERNEL_GROUP    1 /* udev's own messages come in group 2 */
/* Number of the initial user namespace: PROC_USER_INIT_INO of the kernel. */
#define USER_NS_INITIAL 0xEFFFFFFDU

PRINTF_LIKE(2, 3) static void give_up(struct uevents *uevents, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(uevents->stats.reason, sizeof(uevents->stats.reason), fmt, args);
	va_end(args);
	uevents->stats.uevents = false;
	uevents->muted = false;
	closep(&uevents->fd);
	uevents->fd = -1;
}

/* Since 4.18 the kernel tells of devices only where the network namespace belongs to the initial
 * user namespace; elsewhere the socket opens and stays silent. An owner that may not be looked at
 * is one above ours. */
static bool namespace_is_told(void)
{
	CLEANUP(closep) int net_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	CLEANUP(closep) int owner_fd = net_fd < 0 ? -1 : ioctl(net_fd, NS_GET_USERNS);
	struct stat st;

	return owner_fd < 0 || fstat(owner_fd, &st) < 0 || st.st_ino == USER_NS_INITIAL;
}

void uevents_open(struct uevents *uevents, bool live)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};

	*uevents = (struct uevents){.fd = -1};
	if (!live) {
		give_up(uevents, "a recorded tree has no uevents");
		return;
	}
	uevents->fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (uevents->fd < 0)
		give_up(uevents, "no netlink socket for uevents: %s%s", strerror(errno),
			errno == EAFNOSUPPORT || errno == EPERM || errno == EACCES
				? "; a service needs RestrictAddressFamilies=AF_NETLINK"
				: "");
	else if (bind(uevents->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		give_up(uevents, "uevents may not be listened to: %s", strerror(errno));
	else if (!namespace_is_told())
		give_up(uevents, "the kernel sends no uevents into the network namespace of a user "
				 "namespace (container)");
	else
		uevents->stats.uevents = true;
}

void uevents_close(struct uevents *uevents)
{
	closep(&uevents->fd);
	uevents->fd = -1;
}

int uevents_fd(const struct uevents *uevents)
{
	return uevents->muted ? -1 : uevents->fd;
}

static void ask(struct uevents *uevents, int64_t now_ms)
{
	if (!uevents->pending)
		uevents->first_ms = now_ms;
	uevents->last_ms = now_ms;
	uevents->pending = true;
}

void uevents_heard(struct uevents *uevents, const char *message, size_t len, bool from_kernel,
		   int64_t now_ms)
{
	struct uevent event;

	if (!from_kernel) {
		uevents->stats.n_foreign++;
		return;
	}
	uevents->stats.n_uevents++;
	if (uevent_parse(message, len, &event) < 0) {
		uevents->stats.n_malformed++;
		return;
	}
	if (!uevent_concerns(&event))
		return;
	uevents->stats.n_concerning++;
	ask(uevents, now_ms);
}

void uevents_overran(struct uevents *uevents, int64_t now_ms)
{
	uevents->stats.n_overruns++;
	ask(uevents, now_ms);
}

/* Whether one more message may be read in this second. */
static bool may_read(struct uevents *uevents, int64_t now_ms)
{
	if (now_ms - uevents->window_ms >= UEVENTS_WINDOW_MS) {
		uevents->window_ms = now_ms;
		uevents->n_in_window = 0;
	}
	uevents->muted = uevents->n_in_window >= UEVENTS_WINDOW_MAX;
	return !uevents->muted;
}

/* false when there is nothing more to read. */
static bool receive_one(struct uevents *uevents, int64_t now_ms)
{
	struct sockaddr_nl sender = {0};
	struct iovec part = {uevents->message, sizeof(uevents->message)};
	struct msghdr head = {.msg_name = &sender,
			      .msg_namelen = sizeof(sender),
			      .msg_iov = &part,
			      .msg_iovlen = 1};
	ssize_t n = recvmsg(uevents->fd, &head, MSG_DONTWAIT);
	int error = n < 0 ? errno : 0;

	if (error == EINTR)
		return true;
	if (error == EAGAIN)
		return false;
	uevents->n_in_window++;
	if (error == ENOBUFS) {
		uevents_overran(uevents, now_ms);
		return true;
	}
	if (error) {
		give_up(uevents, "the socket of uevents failed: %s", strerror(error));
		return false;
	}
	/* The kernel has no port; a process that may send has one. */
	uevents_heard(uevents, uevents->message, (size_t)n,
		      head.msg_namelen == sizeof(sender) && sender.nl_family == AF_NETLINK &&
			      sender.nl_pid == 0,
		      now_ms);
	return true;
}

void uevents_receive(struct uevents *uevents, int64_t now_ms)
{
	while (uevents->fd >= 0 && may_read(uevents, now_ms) && receive_one(uevents, now_ms))
		continue;
}

static int64_t look_ms(const struct uevents *uevents)
{
	int64_t settled_ms =
		MIN(uevents->last_ms + UEVENTS_QUIET_MS, uevents->first_ms + UEVENTS_LATEST_MS);

	return MAX(settled_ms, uevents->paid_ms - (UEVENTS_SCANS - 1) * UEVENTS_GAP_MS);
}

int64_t uevents_due_ms(const struct uevents *uevents)
{
	int64_t due_ms = uevents->pending ? look_ms(uevents) : INT64_MAX;

	return uevents->muted ? MIN(due_ms, uevents->window_ms + UEVENTS_WINDOW_MS) : due_ms;
}

bool uevents_take(struct uevents *uevents, int64_t now_ms)
{
	if (uevents->muted && now_ms >= uevents->window_ms + UEVENTS_WINDOW_MS)
		uevents_receive(uevents, now_ms);
	if (!uevents->pending || now_ms < look_ms(uevents))
		return false;
	uevents->pending = false;
	uevents->paid_ms = MAX(uevents->paid_ms, now_ms) + UEVENTS_GAP_MS;
	return true;
}
