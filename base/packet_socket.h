/* A Unix socket of packets (SOCK_SEQPACKET) to listen on. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/macros.h"

/* Makes the socket, owned by and open for uid alone, in place of one that nobody listens on; its
 * folder is made for that user when it is missing. Returns a descriptor (close-on-exec,
 * non-blocking), -EADDRINUSE when somebody listens there, -EPERM also when this process may not
 * make it as uid, -ENAMETOOLONG, or -errno. */
MUST_CHECK int packet_socket_listen(const char *path, uid_t uid);

/* The same in place of one that somebody listens on still: whoever connects from now on comes here.
 */
MUST_CHECK int packet_socket_take_over(const char *path, uid_t uid);

/* What stands at a path: zeroed, nothing. */
struct packet_socket_id {
	dev_t dev;
	ino_t ino;
};

struct packet_socket_id packet_socket_id(const char *path);

/* Removes the path if it is still the same that stands there: of two sockets by one name, one after
 * the other, the first one to go leaves the other. What cannot be removed stays. */
void packet_socket_unlink(const char *path, const struct packet_socket_id *id);

/* Connects to one, without waiting. Returns a descriptor (close-on-exec, non-blocking), -EAGAIN
 * when too many wait to be taken there, -ENAMETOOLONG, or -errno. */
MUST_CHECK int packet_socket_connect(const char *path);

/* 0 when a descriptor that was passed on is a socket of that kind that listens, else -EINVAL or
 * -errno. */
MUST_CHECK int packet_socket_check(int fd);

/* Sends a packet with an open file beside it, which the receiver gets as a descriptor of its own;
 * fd stays the caller's. Never waits. 0 or -errno. */
MUST_CHECK int packet_socket_send_fd(int socket_fd, const void *packet, size_t len, int fd);

/* Receives a packet and the descriptor beside it (close-on-exec; -1 when there is none), which is
 * the caller's from then on; others than the first are closed. Returns the length of the packet,
 * which is more than size when it was cut; 0 at the end; -errno. */
MUST_CHECK ssize_t packet_socket_receive(int socket_fd, void *packet, size_t size, int *ret_fd);
