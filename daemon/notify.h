/* Messages to the service manager, by the protocol of sd_notify(3): datagrams of VARIABLE=value
 * lines to the socket that NOTIFY_SOCKET names. The protocol is stable and this is all of it that
 * is needed here, so the library that speaks it, which costs memory, is not linked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/macros.h"

struct notify {
	int fd; /* -1: nobody wants to be told */
	struct sockaddr_un address;
	socklen_t len;
	int64_t watchdog_us; /* a sign of life is expected this often; 0: it is not */
};

/* Takes the variables out of the environment, so that no child speaks for this process. */
void notify_open(struct notify *ret);
void notify_close(struct notify *notify);

/* Never waits. 0 when it was sent or nobody wants to be told, else -errno. */
PRINTF_LIKE(2, 3) int notify_send(const struct notify *notify, const char *fmt, ...);
