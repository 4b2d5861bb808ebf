#include "config/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

#define HOST_MAX 64

/* Splits at the last colon; a v6 address stands in brackets. */
static int split(const char *text, char host[HOST_MAX], int64_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	struct slice part;

	if (!colon || colon == text)
		return -EINVAL;
	part = (struct slice){text, (size_t)(colon - text)};
	if (part.p[0] == '[') {
		if (part.len < 3 || part.p[part.len - 1] != ']')
			return -EINVAL;
		part = (struct slice){part.p + 1, part.len - 2};
	} else if (memchr(part.p, ':', part.len)) {
		return -EINVAL;
	}
	if (strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return -EINVAL;
	if (parse_i64_slice(slice_of(colon + 1), ret_port) < 0 || *ret_port > UINT16_MAX)
		return -EINVAL;
	return slice_copy(part, host, HOST_MAX) < 0 ? -EINVAL : 0;
}

static void set_v4(struct address *address, struct in_addr ip, uint16_t port)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = ip, .sin_port = htons(port)};

	memcpy(&address->sockaddr, &in, sizeof(in));
	address->len = sizeof(in);
	address->loopback = ntohl(ip.s_addr) >> 24 == 127;
}

static void set_v6(struct address *address, const struct in6_addr *ip, uint16_t port)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6, .sin6_addr = *ip, .sin6_port = htons(port)};

	memcpy(&address->sockaddr, &in6, sizeof(in6));
	address->len = sizeof(in6);
	address->loopback = IN6_IS_ADDR_LOOPBACK(ip);
}

int address_parse(const char *text, struct address *ret)
{
	char host[HOST_MAX];
	int64_t port = 0;
	struct address address = {0};
	struct in_addr v4;
	struct in6_addr v6;
	int r = split(text, host, &port);

	if (r < 0)
		return r;
	if (!strcmp(host, "localhost"))
		memcpy(host, "127.0.0.1", sizeof("127.0.0.1"));
	if (inet_pton(AF_INET, host, &v4) == 1)
		set_v4(&address, v4, (uint16_t)port);
	else if (inet_pton(AF_INET6, host, &v6) == 1)
		set_v6(&address, &v6, (uint16_t)port);
	else
		return -EINVAL;
	*ret = address;
	return 0;
}

unsigned address_port(const struct sockaddr_storage *sockaddr)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (sockaddr->ss_family == AF_INET6) {
		memcpy(&in6, sockaddr, sizeof(in6));
		return ntohs(in6.sin6_port);
	}
	memcpy(&in, sockaddr, sizeof(in));
	return ntohs(in.sin_port);
}

bool address_is_any(const struct sockaddr_storage *sockaddr)
{
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (sockaddr->ss_family == AF_INET6) {
		memcpy(&in6, sockaddr, sizeof(in6));
		return IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
	}
	memcpy(&in, sockaddr, sizeof(in));
	return in.sin_addr.s_addr == htonl(INADDR_ANY);
}

void address_name(const struct sockaddr_storage *sockaddr, char ret[ADDRESS_NAME_MAX])
{
	bool v6 = sockaddr->ss_family == AF_INET6;
	char ip[INET6_ADDRSTRLEN] = "";
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	memcpy(&in, sockaddr, sizeof(in));
	memcpy(&in6, sockaddr, sizeof(in6));
	if (v6)
		inet_ntop(AF_INET6, &in6.sin6_addr, ip, sizeof(ip));
	else
		inet_ntop(AF_INET, &in.sin_addr, ip, sizeof(ip));
	snprintf(ret, ADDRESS_NAME_MAX, v6 ? "[%s]:%u" : "%s:%u", ip, address_port(sockaddr));
}

const char *address_problem(const char *text)
{
	struct in6_addr v6;
	const char *colon = strrchr(text, ':');

	if (strpbrk(text, ",;"))
		return "has a comma or semicolon; blanks stand between addresses";
	if (inet_pton(AF_INET6, text, &v6) == 1)
		return "has no port and no brackets, as [::1]:9750 has";
	if (!colon || text[strlen(text) - 1] == ']')
		return "has no port, as 127.0.0.1:9750 has";
	if (!colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    strlen(colon + 1) > 5 || strtol(colon + 1, NULL, 10) > UINT16_MAX)
		return "has a port that is no number from 0 to 65535";
	if (memchr(text, ':', (size_t)(colon - text)) && text[0] != '[')
		return "has an IPv6 address without brackets, as in [::1]:9750";
	return "has no address in numbers before the port; names are not looked up, but localhost";
}
