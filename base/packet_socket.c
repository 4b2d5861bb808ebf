#include "base/packet_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BACKLOG  8
#define DIR_MODE 0755

/* Returns a descriptor that is neither bound nor connected, and the address of the path. */
static int open_for(const char *path, struct sockaddr_un *ret)
{
	int fd;

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path) >=
	    (int)sizeof(ret->sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd < 0 ? -errno : fd;
}

int packet_socket_connect(const char *path)
{
	struct sockaddr_un address;
	CLEANUP(closep) int fd = open_for(path, &address);
	int r = fd;

	if (fd < 0)
		return fd;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	fd = -1;
	return r;
}

/* Whether somebody listens there. What is left of one who did not clean up refuses. */
static bool is_served(const char *path)
{
	CLEANUP(closep) int fd = packet_socket_connect(path);

	return fd >= 0 || fd == -EAGAIN;
}

static void make_dir(const char *socket_path, uid_t uid)
{
	char dir[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", socket_path);
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return;
	*slash = '\0';
	if (mkdir(dir, DIR_MODE) == 0 && lchown(dir, uid, (gid_t)-1) < 0)
		rmdir(dir);
}

/* setfsuid() tells the user before, also when it failed, so it is asked by one that changes
 * nothing.
 */
static int act_as(uid_t uid)
{
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid ? 0 : -EPERM;
}

/* The folder belongs to the daemon, so what is made there is made as the daemon: root would follow
 * whatever it finds. */
static int bind_as(int fd, const struct sockaddr_un *address, uid_t uid)
{
	mode_t mask;
	int r = act_as(uid);

	if (r < 0)
		return r;
	mask = umask(0177);
	r = unlink(address->sun_path) < 0 && errno != ENOENT ? -errno : 0;
	if (r == 0 && bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0)
		r = -errno;
	umask(mask);
	return act_as(geteuid()) < 0 ? -EPERM : r;
}

int packet_socket_listen(const char *path, uid_t uid)
{
	return is_served(path) ? -EADDRINUSE : packet_socket_take_over(path, uid);
}

int packet_socket_take_over(const char *path, uid_t uid)
{
	struct sockaddr_un address;
	CLEANUP(closep) int fd = open_for(path, &address);
	int r;

	if (fd < 0)
		return fd;
	make_dir(path, uid);
	r = bind_as(fd, &address, uid);
	if (r == 0 && listen(fd, BACKLOG) < 0)
		r = -errno;
	if (r < 0)
		return r;
	r = fd;
	fd = -1;
	return r;
}

static int socket_option(int fd, int option, int *ret)
{
	socklen_t size = sizeof(*ret);

	return getsockopt(fd, SOL_SOCKET, option, ret, &size) < 0 ? -errno : 0;
}

int packet_socket_check(int fd)
{
	int type = 0, listens = 0, family = 0, r = socket_option(fd, SO_TYPE, &type);

	if (r == 0)
		r = socket_option(fd, SO_ACCEPTCONN, &listens);
	if (r == 0)
		r = socket_option(fd, SO_DOMAIN, &family);
	if (r < 0)
		return r;
	return type == SOCK_SEQPACKET && listens && family == AF_UNIX ? 0 : -EINVAL;
}

struct packet_socket_id packet_socket_id(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return (struct packet_socket_id){0};
	return (struct packet_socket_id){st.st_dev, st.st_ino};
}

void packet_socket_unlink(const char *path, const struct packet_socket_id *id)
{
	struct packet_socket_id now = packet_socket_id(path);

	if (id->ino && now.ino == id->ino && now.dev == id->dev)
		unlink(path);
}

/* Room for the descriptors of one packet. Who sends more than one is not ours. */
#define FDS_MAX 4

union control {
	char buf[CMSG_SPACE(sizeof(int) * FDS_MAX)];
	struct cmsghdr align;
};

int packet_socket_send_fd(int socket_fd, const void *packet, size_t len, int fd)
{
	union control control = {0};
	struct iovec iov = {.iov_len = len};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.buf,
				 .msg_controllen = CMSG_SPACE(sizeof(int))};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	ssize_t n;

	/* sendmsg() does not write there. */
	memcpy(&iov.iov_base, &packet, sizeof(packet));
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	do {
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void take_fds(const struct cmsghdr *header, int *ret_fd)
{
	size_t n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
		if (*ret_fd < 0)
			*ret_fd = fd;
		else
			close(fd);
	}
}

/* musl's macro mixes signs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static struct cmsghdr *next_header(struct msghdr *message, struct cmsghdr *header)
{
	return CMSG_NXTHDR(message, header);
}
#pragma GCC diagnostic pop

ssize_t packet_socket_receive(int socket_fd, void *packet, size_t size, int *ret_fd)
{
	union control control;
	struct iovec iov = {.iov_base = packet, .iov_len = size};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = control.buf,
				 .msg_controllen = sizeof(control.buf)};
	ssize_t n = recvmsg(socket_fd, &message, MSG_TRUNC | MSG_CMSG_CLOEXEC);

	*ret_fd = -1;
	if (n < 0)
		return -errno;
	for (struct cmsghdr *h = CMSG_FIRSTHDR(&message); h; h = next_header(&message, h))
		if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS)
			take_fds(h, ret_fd);
	return n;
}
