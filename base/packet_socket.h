/* A Unix socket of packets (SOCK_SEQPACKET) to listen on. */
#pragma once

#include <sys/types.h>

#include "base/macros.h"

/* Makes the socket, owned by and open for uid alone, in place of one that nobody listens on; its
 * folder is made for that user when it is missing. Returns a descriptor (close-on-exec,
 * non-blocking), -EADDRINUSE when somebody listens there, -EPERM also when this process may not
 * make it as uid, -ENAMETOOLONG, or -errno. */
MUST_CHECK int packet_socket_listen(const char *path, uid_t uid);

/* Connects to one, without waiting. Returns a descriptor (close-on-exec, non-blocking), -EAGAIN
 * when too many wait to be taken there, -ENAMETOOLONG, or -errno. */
MUST_CHECK int packet_socket_connect(const char *path);

/* 0 when a descriptor that was passed on is a socket of that kind that listens, else -EINVAL or
 * -errno. */
MUST_CHECK int packet_socket_check(int fd);
