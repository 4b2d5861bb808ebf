#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/http_answer.h"
#include "cli/transport.h"

#define HOST_MAX 256
#define HEAD_MAX 4608 /* of a request: the client's URL has 4096 bytes at most */

/* Where a URL leads: "http://host:port/path". IPv6 stands in brackets. */
struct place {
	char host[HOST_MAX];
	char port[8];
	const char *path;
};

static int take(const char *p, size_t len, char *buf, size_t size)
{
	if (!len || len >= size)
		return -EINVAL;
	memcpy(buf, p, len);
	buf[len] = '\0';
	return 0;
}

static int parse_url(const char *url, struct place *ret)
{
	bool http = !strncmp(url, "http://", 7);
	const char *host = http ? url + 7 : url, *end = host + strcspn(host, "/?");
	const char *colon;

	if (!http && strstr(url, "://"))
		return -EINVAL;
	ret->path = *end ? end : "/";
	if (*host == '[') {
		const char *bracket = memchr(host, ']', (size_t)(end - host));

		if (!bracket)
			return -EINVAL;
		colon = bracket + 1;
		if (take(host + 1, (size_t)(bracket - host) - 1, ret->host, sizeof(ret->host)) < 0)
			return -EINVAL;
	} else {
		colon = memchr(host, ':', (size_t)(end - host));
		colon = colon ? colon : end;
		if (take(host, (size_t)(colon - host), ret->host, sizeof(ret->host)) < 0)
			return -EINVAL;
	}
	if (colon == end)
		return take("80", 2, ret->port, sizeof(ret->port));
	return *colon == ':'
		       ? take(colon + 1, (size_t)(end - colon) - 1, ret->port, sizeof(ret->port))
		       : -EINVAL;
}

/* For poll events within the time. 0 or -errno. */
static int wait_for(int fd, short events, int seconds)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do
		n = poll(&p, 1, seconds * 1000);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* A descriptor, or -errno. */
static int connect_to(int family, const struct sockaddr *address, socklen_t len)
{
	CLEANUP(closep) int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t size = sizeof(int);
	int r = fd, error = 0;

	if (fd < 0)
		return -errno;
	/* A Unix socket whose queue is full says EAGAIN, and has nothing to wait for. */
	if (connect(fd, address, len) < 0) {
		if (errno != EINPROGRESS)
			return -errno;
		r = wait_for(fd, POLLOUT, TRANSPORT_CONNECT_TIMEOUT_S);
		if (r == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
			r = -errno;
		if (r < 0 || error)
			return r < 0 ? r : -error;
		r = fd;
	}
	fd = -1;
	return r;
}

static int connect_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (take(path, strlen(path), address.sun_path, sizeof(address.sun_path)) < 0)
		return -ENAMETOOLONG;
	return connect_to(AF_UNIX, (const struct sockaddr *)&address, sizeof(address));
}

static int connect_host(const struct place *place)
{
	static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	int r = -ENOENT;

	if (getaddrinfo(place->host, place->port, &hints, &list) != 0)
		return r;
	for (const struct addrinfo *a = list; a && r < 0; a = a->ai_next)
		r = connect_to(a->ai_family, a->ai_addr, a->ai_addrlen);
	freeaddrinfo(list);
	return r;
}

static int send_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			int r = wait_for(fd, POLLOUT, TRANSPORT_STALL_TIMEOUT_S);

			if (r < 0)
				return r;
		} else if (n < 0 && errno != EINTR) {
			return -errno;
		}
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* What the request says behind its first lines. */
static int send_rest(int fd, const struct transport_request *request)
{
	char head[HEAD_MAX] = "", *end = head;
	size_t size = sizeof(head);
	int n = 0, r;

	if (request->header && *request->header)
		n = snprintf(head, size, "%s\r\n", request->header);
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	end += n;
	size -= (size_t)n;
	n = !request->body ? 0
			   : snprintf(end, size,
				      "Content-Type: application/json\r\nContent-Length: %zu\r\n",
				      strlen(request->body));
	if (n < 0 || (size_t)n >= size)
		return -ENAMETOOLONG;
	r = send_all(fd, head, strlen(head));
	if (r == 0)
		r = send_all(fd, "Connection: close\r\n\r\n", 21);
	return r == 0 && request->body ? send_all(fd, request->body, strlen(request->body)) : r;
}

static int send_request(int fd, const struct place *place, const struct transport_request *request)
{
	bool v6 = strchr(place->host, ':');
	char head[HEAD_MAX];
	int n = snprintf(head, sizeof(head), "%s %s%s HTTP/1.1\r\nHost: %s%s%s:%s\r\n",
			 request->body ? "POST" : "GET", *place->path == '?' ? "/" : "",
			 place->path, v6 ? "[" : "", place->host, v6 ? "]" : "", place->port);
	int r;

	if (n < 0 || (size_t)n >= sizeof(head))
		return -ENAMETOOLONG;
	r = send_all(fd, head, (size_t)n);
	return r < 0 ? r : send_rest(fd, request);
}

static int receive(int fd, struct http_answer *answer)
{
	char buf[16 * 1024];
	int r = 0;

	while (r == 0 && !http_answer_is_complete(answer)) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		if (n > 0)
			r = http_answer_feed(answer, buf, (size_t)n);
		else if (n == 0)
			return http_answer_end(answer);
		else if (errno == EAGAIN)
			r = wait_for(fd, POLLIN, TRANSPORT_STALL_TIMEOUT_S);
		else if (errno != EINTR)
			r = -errno;
	}
	return r;
}

static const char *words_of(int error)
{
	switch (error) {
	case -EINVAL:
		return "is no URL of http:// (this flashscope was built without libcurl)";
	case -ENOENT:
		return "there is no such host";
	case -EBADMSG:
		return "what answers there does not speak HTTP, or broke off";
	case -ETIMEDOUT:
		return "no answer in time";
	default:
		return strerror(-error);
	}
}

static int perform(const struct transport_request *request, struct http_answer *answer)
{
	struct place place = {0};
	int r = parse_url(request->url, &place);

	if (r < 0)
		return r;

	CLEANUP(closep)
	int fd = request->socket ? connect_socket(request->socket) : connect_host(&place);

	/* Why exactly is looked for by who asked. */
	if (fd < 0)
		return fd == -EINVAL || fd == -ENOENT ? (request->socket ? -ECONNREFUSED : fd)
						      : -ECONNREFUSED;
	r = send_request(fd, &place, request);
	return r < 0 ? r : receive(fd, answer);
}

int transport_perform(const struct transport_request *request, long *ret_status,
		      const char **ret_words)
{
	struct http_answer answer;
	int r;

	http_answer_init(&answer, request->data, request->arg);
	r = perform(request, &answer);
	*ret_status = answer.status;
	if (r == 0 || r == -ECONNREFUSED)
		return r;
	*ret_words = words_of(r);
	return -EIO;
}
