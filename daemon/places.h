/* The sockets that HTTP is served on: made here, or passed by a service manager. */
#pragma once

#include <stdbool.h>

#include "base/macros.h"
#include "config/listen.h"
#include "daemon/api.h"

struct place {
	int fd;                   /* listens; not blocking, not inherited */
	bool local;               /* a Unix socket */
	bool elsewhere;           /* others than this machine can reach it */
	bool absent;              /* no address of this machine as yet */
	bool made;                /* a Unix socket that is to be removed at the end */
	char name[API_PLACE_MAX]; /* "127.0.0.1:9750", or the path */
};

/* Whether this machine has an address now, or it is all of them. What cannot be told is there. */
bool place_is_here(const struct sockaddr_storage *sockaddr, socklen_t len);

/* An address need not be there yet: an interface may come up later. -errno. */
MUST_CHECK int place_open_ip(const struct address *address, struct place *ret);

/* A Unix socket for owner and group. A stale one is replaced; one that somebody serves is
 * -EADDRINUSE, unless it is taken over: for who has its folder to himself, and knows that nobody
 * will accept there any more. -errno. */
MUST_CHECK int place_open_unix(const char *path, bool take_over, struct place *ret);

/* A socket that was passed. -ENOTSOCK, -EPROTOTYPE when it is no stream that listens, or of another
 * family. */
MUST_CHECK int place_take(int fd, struct place *ret);

/* Closes, and removes the path that was made. */
void place_close(struct place *place);
