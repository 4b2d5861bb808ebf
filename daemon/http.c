/* The two listeners are daemons of libmicrohttpd without a thread of their own: each has an epoll
 * descriptor, and our thread turns whichever has something to do. It never waits for a disk: what
 * comes from the file is made by a worker, piece by piece, while the connection is suspended. */
#include "daemon/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/exchange.h"
#include "daemon/worker.h"

#define STACK_BYTES  (512 * 1024)
#define BLOCK_BYTES  (16 * 1024)
#define SWEEP_MS     5000
#define BACKLOG      64
#define TURNS_MAX    16
#define SOCKET_UMASK 0117

enum { TCP, LOCAL, N_LISTENERS };

/* A connection has a deadline besides the idle time-out: a client that sends or takes one byte at
 * a time is never idle. */
struct connection {
	int fd;
	int64_t deadline_ms;
	bool used;
};

struct listener {
	struct http *http;
	bool local;
	struct MHD_Daemon *daemon; /* NULL: off */
	int epoll_fd;
	struct connection connections[HTTP_CONNECTIONS_MAX];
};

struct http {
	struct api *api;
	struct listener listeners[N_LISTENERS];
	struct worker *worker;
	int wake_fd; /* an eventfd; the library's own is not seen by who waits for its epoll */
	atomic_bool stop;
	pthread_t thread;
	bool running;
	char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/* An exchange whose connection is suspended while the worker has it. */
struct http_exchange {
	struct exchange exchange; /* first: it is freed through it */
	struct http *http;
	struct MHD_Connection *mhd;
	struct connection *connection;
};

static struct connection *connection_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void allow(struct connection *connection, int64_t ms)
{
	if (connection)
		connection->deadline_ms = clock_boot_ms() + ms;
}

static void take_place(struct listener *listener, struct MHD_Connection *connection, void **context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	for (size_t i = 0; info && i < HTTP_CONNECTIONS_MAX; i++) {
		struct connection *c = &listener->connections[i];

		if (c->used)
			continue;
		*c = (struct connection){.fd = info->connect_fd, .used = true};
		allow(c, HTTP_REQUEST_DEADLINE_MS);
		*context = c;
		return;
	}
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct connection *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		take_place(arg, connection, context);
	else if (c)
		c->used = false;
}

/* A connection past its deadline is shut down; the library then sees its end. */
static void sweep(struct listener *listener, int64_t now_ms)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct connection *c = &listener->connections[i];

		if (c->used && now_ms > c->deadline_ms) {
			shutdown(c->fd, SHUT_RDWR);
			allow(c, HTTP_RESPONSE_DEADLINE_MS);
		}
	}
}

static enum MHD_Result add_param(void *arg, enum MHD_ValueKind kind, const char *name,
				 size_t name_len, const char *value, size_t value_len)
{
	struct request *request = arg;

	(void)kind;
	if (request->n_params >= REQUEST_PARAMS_MAX || strlen(name) != name_len ||
	    (value && strlen(value) != value_len)) {
		request->bad_params = true;
		return MHD_NO;
	}
	request->params[request->n_params++] = (struct request_param){name, value ? value : ""};
	return MHD_YES;
}

static void wake(struct http *http)
{
	static const uint64_t one = 1;
	ssize_t n = write(http->wake_fd, &one, sizeof(one));

	(void)n; /* fails only when it is full, and then it wakes as well */
}

static void on_done(struct exchange *exchange)
{
	struct http_exchange *x = (struct http_exchange *)exchange;
	struct http *http = x->http; /* once resumed, x may be gone */

	MHD_resume_connection(x->mhd);
	wake(http);
}

static ssize_t read_stream(void *arg, uint64_t position, char *buf, size_t max)
{
	struct http_exchange *x = arg;
	ssize_t n = exchange_copy(&x->exchange, buf, max);

	(void)position;
	if (n == -EAGAIN) {
		MHD_suspend_connection(x->mhd);
		exchange_read(&x->exchange);
		return 0;
	}
	if (n < 0)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	return n ? n : MHD_CONTENT_READER_END_OF_STREAM;
}

static struct MHD_Response *make_response(struct http_exchange *x)
{
	struct answer *answer = &x->exchange.answer;

	if (answer->stream)
		return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_stream,
							 x, NULL);
	/* The exchange outlives the response, and with it the body. */
	return MHD_create_response_from_buffer(answer->len,
					       answer->body ? answer->body : x->exchange.body,
					       MHD_RESPMEM_PERSISTENT);
}

static void add_headers(struct MHD_Response *response, const struct answer *answer)
{
	MHD_add_response_header(response, "Content-Type", answer->type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Content-Security-Policy",
				"default-src 'none'; style-src 'unsafe-inline'");
	if (answer->allow)
		MHD_add_response_header(response, "Allow", answer->allow);
}

static enum MHD_Result send_answer(struct http_exchange *x)
{
	struct MHD_Response *response = make_response(x);

	if (!response)
		return MHD_NO;
	add_headers(response, &x->exchange.answer);
	allow(x->connection, HTTP_RESPONSE_DEADLINE_MS);

	enum MHD_Result result = MHD_queue_response(x->mhd, x->exchange.answer.status, response);

	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result reply(struct listener *listener, struct http_exchange *x)
{
	const char *host = MHD_lookup_connection_value(x->mhd, MHD_HEADER_KIND, "Host");

	x->exchange.request.local = listener->local;
	x->exchange.request.host = host ? host : "";
	MHD_get_connection_values_n(x->mhd, MHD_GET_ARGUMENT_KIND, add_param, &x->exchange.request);
	if (!exchange_wants_worker(&x->exchange))
		return send_answer(x);
	MHD_suspend_connection(x->mhd);
	exchange_make(&x->exchange);
	return MHD_YES;
}

static struct http_exchange *begin(struct listener *listener, struct MHD_Connection *connection)
{
	struct http_exchange *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->http = listener->http;
	x->mhd = connection;
	x->connection = connection_of(connection);
	x->exchange.api = listener->http->api;
	x->exchange.worker = listener->http->worker;
	x->exchange.done = on_done;
	x->exchange.request.body = x->exchange.body;
	return x;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **context)
{
	struct http_exchange *x = *context;

	if (!x) {
		x = begin(arg, connection);
		if (!x)
			return MHD_NO;
		x->exchange.request.method = method;
		x->exchange.request.path = url;
		x->exchange.request.needs_host = !strcmp(version, "HTTP/1.1");
		*context = x;
		return MHD_YES;
	}
	if (*upload_len) {
		exchange_take_body(&x->exchange, upload, *upload_len);
		*upload_len = 0;
		return MHD_YES;
	}
	return x->exchange.answered ? send_answer(x) : reply(arg, x);
}

static void on_completed(void *arg, struct MHD_Connection *connection, void **context,
			 enum MHD_RequestTerminationCode code)
{
	struct http_exchange *x = *context;

	(void)arg;
	(void)connection;
	(void)code;
	if (!x)
		return;
	allow(x->connection, HTTP_REQUEST_DEADLINE_MS);
	*context = NULL;
	exchange_free(&x->exchange);
}

static int start_listener(struct http *http, struct listener *listener, int fd)
{
	listener->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, listener,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)HTTP_CONNECTIONS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HTTP_CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)HTTP_IDLE_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
		listener, MHD_OPTION_NOTIFY_COMPLETED, on_completed, listener, MHD_OPTION_END);
	if (!listener->daemon) {
		close(fd);
		return -EIO;
	}

	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	listener->http = http;
	listener->epoll_fd = info ? info->epoll_fd : -1;
	return info ? 0 : -EIO;
}

static int bind_and_listen(int fd, const void *sockaddr, socklen_t len)
{
	return bind(fd, sockaddr, len) < 0 || listen(fd, BACKLOG) < 0 ? -errno : 0;
}

static int listen_on(int family, const void *sockaddr, socklen_t len, int *ret_fd)
{
	static const int on = 1;
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));

	int r = bind_and_listen(fd, sockaddr, len);

	if (r < 0) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

/* Who may connect is decided by the mode, so it is right from the first moment. */
static int listen_local(const char *path, int *ret_fd)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct stat st;

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	memcpy(un.sun_path, path, strlen(path) + 1);
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);

	mode_t before = umask(SOCKET_UMASK);
	int r = listen_on(AF_UNIX, &un, sizeof(un), ret_fd);

	umask(before);
	return r;
}

static void name_address(int fd, char *buf, size_t size)
{
	struct sockaddr_storage sockaddr = {0};
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	socklen_t len = sizeof(sockaddr);
	char ip[INET6_ADDRSTRLEN] = "";

	/* The same storage seen as each family; -Wcast-align and aliasing like a copy better. */
	if (getsockname(fd, (struct sockaddr *)&sockaddr, &len) < 0)
		return;
	memcpy(&in, &sockaddr, sizeof(in));
	memcpy(&in6, &sockaddr, sizeof(in6));
	if (sockaddr.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &in6.sin6_addr, ip, sizeof(ip));
	else
		inet_ntop(AF_INET, &in.sin_addr, ip, sizeof(ip));
	snprintf(buf, size, sockaddr.ss_family == AF_INET6 ? "[%s]:%u" : "%s:%u", ip,
		 address_port(&sockaddr));
}

static int open_tcp(struct http *http, const struct address *address)
{
	int fd = -1;
	int r = listen_on(address->sockaddr.ss_family, &address->sockaddr, address->len, &fd);

	if (r < 0)
		return r;
	name_address(fd, http->api->listen, sizeof(http->api->listen));
	return start_listener(http, &http->listeners[TCP], fd);
}

static int open_local(struct http *http, const char *path)
{
	int fd = -1;
	int r = listen_local(path, &fd);

	if (r < 0)
		return r;
	snprintf(http->socket_path, sizeof(http->socket_path), "%s", path);
	http->listeners[LOCAL].local = true;
	return start_listener(http, &http->listeners[LOCAL], fd);
}

/* Turns a daemon while it has something to do, but not for ever: the other one waits too. Shortens
 * the wait to its next time-out. */
static void turn(struct listener *listener, int *wait_ms)
{
	MHD_UNSIGNED_LONG_LONG timeout_ms = 0;

	if (!listener->daemon)
		return;
	for (int i = 0; i < TURNS_MAX; i++) {
		MHD_run(listener->daemon);
		if (MHD_get_timeout(listener->daemon, &timeout_ms) != MHD_YES)
			return;
		if (timeout_ms)
			break;
	}
	*wait_ms = (int)MIN(timeout_ms, (MHD_UNSIGNED_LONG_LONG)*wait_ms);
}

static bool has_connections(const struct http *http)
{
	for (size_t i = 0; i < N_LISTENERS; i++)
		for (size_t j = 0; j < HTTP_CONNECTIONS_MAX; j++)
			if (http->listeners[i].connections[j].used)
				return true;
	return false;
}

static void drain(int fd)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n;
}

static void *run(void *arg)
{
	struct http *http = arg;
	struct pollfd fds[N_LISTENERS + 1];

	for (size_t i = 0; i < N_LISTENERS; i++)
		fds[i] = (struct pollfd){http->listeners[i].epoll_fd, POLLIN, 0};
	fds[N_LISTENERS] = (struct pollfd){http->wake_fd, POLLIN, 0};
	while (!atomic_load(&http->stop)) {
		int wait_ms = SWEEP_MS;

		for (size_t i = 0; i < N_LISTENERS; i++) {
			turn(&http->listeners[i], &wait_ms);
			sweep(&http->listeners[i], clock_boot_ms());
		}

		/* Without clients nothing wakes this thread but a new one. */
		bool idle = !has_connections(http);

		if (poll(fds, N_LISTENERS + 1, idle ? -1 : wait_ms) < 0 && errno != EINTR)
			break;
		if (fds[N_LISTENERS].revents)
			drain(http->wake_fd);
	}
	return NULL;
}

static bool rest(void *arg)
{
	return api_idle(arg);
}

int http_run(struct http *http)
{
	pthread_attr_t attr;
	int r = worker_start(rest, http->api, &http->worker);

	if (r < 0)
		return r;
	r = pthread_attr_init(&attr);
	if (r)
		return -r;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_create(&http->thread, &attr, run, http);
	pthread_attr_destroy(&attr);
	http->running = r == 0;
	return -r;
}

static int open_listeners(struct http *http, const struct address *address, const char *socket_path,
			  const char **ret_what)
{
	int r;

	*ret_what = "eventfd";
	http->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (http->wake_fd < 0)
		return -errno;
	*ret_what = socket_path;
	r = open_local(http, socket_path);
	if (r < 0)
		return r;
	*ret_what = "TCP";
	return address ? open_tcp(http, address) : 0;
}

int http_open(struct api *api, const struct address *address, const char *socket_path,
	      struct http **ret, const char **ret_what)
{
	struct http *http = calloc(1, sizeof(*http));

	*ret_what = "memory";
	if (!http)
		return -ENOMEM;
	http->api = api;
	for (size_t i = 0; i < N_LISTENERS; i++)
		http->listeners[i].epoll_fd = -1;

	int r = open_listeners(http, address, socket_path, ret_what);

	if (r < 0) {
		http_stop(http);
		return r;
	}
	*ret = http;
	return 0;
}

void http_stop(struct http *http)
{
	if (http->running) {
		atomic_store(&http->stop, true);
		wake(http);
		pthread_join(http->thread, NULL);
	}
	/* No connection may be suspended when its daemon stops; those that end are freed by it. */
	if (http->worker)
		worker_drain(http->worker);
	for (size_t i = 0; i < N_LISTENERS; i++)
		if (http->listeners[i].daemon)
			MHD_stop_daemon(http->listeners[i].daemon);
	worker_stop(http->worker);
	if (*http->socket_path)
		unlink(http->socket_path);
	closep(&http->wake_fd);
	api_done(http->api);
	free(http);
}
