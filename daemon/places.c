#include "daemon/places.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

#define BACKLOG      64
#define SOCKET_UMASK 0117

static int bind_and_listen(int fd, const void *sockaddr, socklen_t len)
{
	return bind(fd, sockaddr, len) < 0 || listen(fd, BACKLOG) < 0 ? -errno : 0;
}

static void set_flag(int fd, int level, int option)
{
	static const int on = 1;

	/* Where the kernel does not know it, binding says what is wrong. */
	(void)!setsockopt(fd, level, option, &on, sizeof(on));
}

static int listen_on(int family, const void *sockaddr, socklen_t len, int *ret_fd)
{
	CLEANUP(closep) int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (family != AF_UNIX) {
		set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
		set_flag(fd, IPPROTO_IP, IP_FREEBIND);
	}
	/* So that [::] and 0.0.0.0 can stand beside each other, whatever the system says. */
	if (family == AF_INET6)
		set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY);

	int r = bind_and_listen(fd, sockaddr, len);

	if (r < 0)
		return r;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Another port of it is free as a rule, and nothing is sent or heard there. */
bool place_is_here(const struct sockaddr_storage *sockaddr, socklen_t len)
{
	CLEANUP(closep) int fd = socket(sockaddr->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage any_port = *sockaddr;

	if (sockaddr->ss_family == AF_INET6)
		memset((char *)&any_port + offsetof(struct sockaddr_in6, sin6_port), 0,
		       sizeof(in_port_t));
	else
		memset((char *)&any_port + offsetof(struct sockaddr_in, sin_port), 0,
		       sizeof(in_port_t));
	return fd < 0 || bind(fd, (const struct sockaddr *)&any_port, len) == 0 ||
	       errno != EADDRNOTAVAIL;
}

/* The same storage seen as each family; -Wcast-align and aliasing like a copy better. */
static void describe_ip(const struct sockaddr_storage *sockaddr, socklen_t len, struct place *place)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	memcpy(&in, sockaddr, sizeof(in));
	memcpy(&in6, sockaddr, sizeof(in6));
	address_name(sockaddr, place->name);
	place->absent = !place_is_here(sockaddr, len);
	place->elsewhere = sockaddr->ss_family == AF_INET6 ? !IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr)
							   : ntohl(in.sin_addr.s_addr) >> 24 != 127;
}

static void describe_unix(const struct sockaddr_storage *sockaddr, socklen_t len,
			  struct place *place)
{
	struct sockaddr_un un = {0};

	memcpy(&un, sockaddr, MIN((size_t)len, sizeof(un)));
	place->local = true;
	/* An abstract name begins with a NUL byte. */
	snprintf(place->name, sizeof(place->name), "%s%.*s", *un.sun_path ? "" : "@",
		 (int)sizeof(un.sun_path) - 1, *un.sun_path ? un.sun_path : un.sun_path + 1);
}

static int describe(struct place *place)
{
	struct sockaddr_storage sockaddr = {0};
	socklen_t len = sizeof(sockaddr);

	if (getsockname(place->fd, (struct sockaddr *)&sockaddr, &len) < 0)
		return -errno;
	switch (sockaddr.ss_family) {
	case AF_INET:
	case AF_INET6:
		describe_ip(&sockaddr, len, place);
		return 0;
	case AF_UNIX:
		describe_unix(&sockaddr, len, place);
		return 0;
	default:
		return -EPROTOTYPE;
	}
}

int place_open_ip(const struct address *address, struct place *ret)
{
	struct place place = {.fd = -1};
	int r = listen_on(address->sockaddr.ss_family, &address->sockaddr, address->len, &place.fd);

	if (r == 0)
		r = describe(&place);
	if (r < 0) {
		place_close(&place);
		return r;
	}
	*ret = place;
	return 0;
}

static bool is_served(const struct sockaddr_un *un)
{
	CLEANUP(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd >= 0 &&
	       (connect(fd, (const struct sockaddr *)un, sizeof(*un)) == 0 || errno == EAGAIN);
}

/* Who may connect is decided by the mode, so it is right from the first moment. */
int place_open_unix(const char *path, bool take_over, struct place *ret)
{
	struct place place = {.fd = -1, .local = true};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct stat st;

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	memcpy(un.sun_path, path, strlen(path) + 1);
	memcpy(place.name, path, strlen(path) + 1);
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
		if (!take_over && is_served(&un))
			return -EADDRINUSE;
		unlink(path);
	}

	mode_t before = umask(SOCKET_UMASK);
	int r = listen_on(AF_UNIX, &un, sizeof(un), &place.fd);

	umask(before);
	if (r < 0)
		return r;
	place.made = true;
	*ret = place;
	return 0;
}

static int get_option(int fd, int option)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &size) < 0 ? -errno : value;
}

int place_take(int fd, struct place *ret)
{
	struct place place = {.fd = fd};
	int type = get_option(fd, SO_TYPE), listens = get_option(fd, SO_ACCEPTCONN), r;

	if (type < 0)
		return type;
	if (type != SOCK_STREAM || listens != 1)
		return -EPROTOTYPE;
	r = describe(&place);
	if (r < 0)
		return r;
	r = fcntl(fd, F_GETFL);
	if (r < 0 || fcntl(fd, F_SETFL, r | O_NONBLOCK) < 0)
		return -errno;
	*ret = place;
	return 0;
}

void place_close(struct place *place)
{
	closep(&place->fd);
	if (place->made)
		unlink(place->name);
	*place = (struct place){.fd = -1};
}
