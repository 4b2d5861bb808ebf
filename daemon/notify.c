#include "daemon/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

#define MESSAGE_MAX_BYTES 512

static int64_t read_number(const char *name)
{
	const char *text = getenv(name);
	int64_t number;

	return text && parse_i64(text, &number) == 0 && number > 0 ? number : 0;
}

/* A path, or "@" and an abstract name. */
static int read_address(struct notify *notify)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un *un = &notify->address;
	size_t len = path ? strlen(path) : 0;

	if (len < 2 || (*path != '/' && *path != '@'))
		return -EINVAL;
	if (len >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, path, len + 1);
	if (*path == '@')
		un->sun_path[0] = '\0';
	notify->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + (*path == '/'));
	return 0;
}

void notify_open(struct notify *ret)
{
	int64_t watchdog_pid = read_number("WATCHDOG_PID");

	*ret = (struct notify){.fd = -1};
	if (read_address(ret) == 0)
		ret->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ret->fd >= 0 && (!watchdog_pid || watchdog_pid == getpid()))
		ret->watchdog_us = read_number("WATCHDOG_USEC");
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
}

void notify_close(struct notify *notify)
{
	closep(&notify->fd);
	notify->fd = -1;
}

int notify_send(const struct notify *notify, const char *fmt, ...)
{
	char message[MESSAGE_MAX_BYTES];
	va_list args;

	if (notify->fd < 0)
		return 0;
	va_start(args, fmt);
	int n = vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(message))
		return -EMSGSIZE;
	return sendto(notify->fd, message, (size_t)n, MSG_NOSIGNAL,
		      (const struct sockaddr *)&notify->address, notify->len) < 0
		       ? -errno
		       : 0;
}
