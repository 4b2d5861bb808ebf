/* The listeners are daemons of libmicrohttpd without a thread of their own: each has an epoll
 * descriptor, and our thread turns whichever has something to do. It never waits for a disk: what
 * comes from the file is made by a worker, piece by piece, while the connection is suspended. */
#include "daemon/http.h"

#include <errno.h>
#include <linux/sockios.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "daemon/exchange.h"
#include "daemon/http_pace.h"
#include "daemon/places.h"
#include "daemon/worker.h"

#define STACK_BYTES (512 * 1024)
#define BLOCK_BYTES (16 * 1024)
#define SWEEP_MS    5000
#define TURNS_MAX   16

#define LISTENERS_MAX (1 + API_PLACES_MAX)

/* A connection has a deadline besides the idle time-out: a client that sends or takes one byte at
 * a time is never idle. */
struct connection {
	int fd;
	int64_t deadline_ms;
	bool used, streams;
	struct http_pace pace; /* of the stream */
};

struct listener {
	struct http *http;
	struct place place;
	struct MHD_Daemon *daemon; /* NULL: off */
	int epoll_fd;
	size_t n_connections_max;
	struct connection connections[HTTP_CONNECTIONS_MAX];
};

struct http {
	struct api *api;
	struct listener *listeners[LISTENERS_MAX];
	size_t n_listeners;
	struct worker *worker;
	int wake_fd; /* an eventfd; the library's own is not seen by who waits for its epoll */
	atomic_bool stop;
	pthread_t thread;
	bool running;
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

/* How much lies in the socket: unix(7), tcp(7). */
static bool keeps_pace(struct connection *connection, int64_t now_ms)
{
	int in_socket = 0;
	int64_t until_ms;

	if (!connection->streams || ioctl(connection->fd, SIOCOUTQ, &in_socket) < 0)
		return false;
	until_ms = http_pace_grant(&connection->pace, in_socket, now_ms);
	if (until_ms)
		connection->deadline_ms = until_ms;
	return until_ms > 0;
}

/* A connection past its deadline is shut down; the library then sees its end. */
static void sweep(struct listener *listener, int64_t now_ms)
{
	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
		struct connection *c = &listener->connections[i];

		if (c->used && now_ms > c->deadline_ms && !keeps_pace(c, now_ms)) {
			c->streams = false;
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

static void note_given(struct connection *connection, int64_t bytes, bool waits)
{
	if (!connection)
		return;
	connection->pace.given_bytes = bytes;
	connection->pace.waits = waits;
}

static ssize_t read_stream(void *arg, uint64_t position, char *buf, size_t max)
{
	struct http_exchange *x = arg;
	ssize_t n = exchange_copy(&x->exchange, buf, max);

	note_given(x->connection, (int64_t)position + MAX(n, 0), n == -EAGAIN);
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
		return MHD_create_response_from_callback(
			answer->stream_bytes ? (uint64_t)answer->stream_bytes : MHD_SIZE_UNKNOWN,
			BLOCK_BYTES, read_stream, x, NULL);
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
	if (answer->retry_after)
		MHD_add_response_header(response, "Retry-After", answer->retry_after);
	if (answer->allow)
		MHD_add_response_header(response, "Allow", answer->allow);
	if (answer->authenticate)
		MHD_add_response_header(response, "WWW-Authenticate", answer->authenticate);
}

static void allow_answer(struct http_exchange *x)
{
	struct connection *c = x->connection;

	const struct answer *answer = &x->exchange.answer;

	allow(c, answer->stream ? HTTP_PACE_MS : HTTP_RESPONSE_DEADLINE_MS);
	if (!c)
		return;
	c->streams = answer->stream != NULL;
	http_pace_start(&c->pace, answer->stream_bytes, clock_boot_ms());
	/* The library sees only when the socket has room again, which comes once most of a full
	 * buffer was taken: to it a slow client is idle. */
	if (c->streams)
		MHD_set_connection_option(x->mhd, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
}

static enum MHD_Result send_answer(struct http_exchange *x)
{
	struct MHD_Response *response = make_response(x);

	if (!response)
		return MHD_NO;
	add_headers(response, &x->exchange.answer);
	allow_answer(x);

	enum MHD_Result result = MHD_queue_response(x->mhd, x->exchange.answer.status, response);

	MHD_destroy_response(response);
	return result;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
	const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);

	return value ? value : "";
}

static enum MHD_Result reply(struct listener *listener, struct http_exchange *x)
{
	struct request *request = &x->exchange.request;

	request->local = listener->place.local;
	request->elsewhere = listener->place.elsewhere;
	request->host = header(x->mhd, "Host");
	request->authorization = header(x->mhd, "Authorization");
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
		MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
					  (unsigned)HTTP_IDLE_TIMEOUT_S);
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
	if (x->connection)
		x->connection->streams = false;
	*context = NULL;
	exchange_free(&x->exchange);
}

/* The library closes the socket with its daemon. */
static int start_listener(struct listener *listener)
{
	listener->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, listener,
		MHD_OPTION_LISTEN_SOCKET, listener->place.fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)listener->n_connections_max, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)HTTP_CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)HTTP_IDLE_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION, on_connection,
		listener, MHD_OPTION_NOTIFY_COMPLETED, on_completed, listener, MHD_OPTION_END);
	if (!listener->daemon)
		return -EIO;
	listener->place.fd = -1;

	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	listener->epoll_fd = info ? info->epoll_fd : -1;
	return info ? 0 : -EIO;
}

/* Takes the place over. */
static int add_place(struct http *http, struct place *place)
{
	struct listener *listener =
		http->n_listeners < LISTENERS_MAX ? calloc(1, sizeof(*listener)) : NULL;

	if (!listener) {
		place_close(place);
		return -ENOMEM;
	}
	listener->http = http;
	listener->place = *place;
	listener->epoll_fd = -1;
	http->listeners[http->n_listeners++] = listener;
	return 0;
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
	for (size_t i = 0; i < http->n_listeners; i++)
		for (size_t j = 0; j < HTTP_CONNECTIONS_MAX; j++)
			if (http->listeners[i]->connections[j].used)
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
	size_t n = http->n_listeners;
	struct pollfd fds[LISTENERS_MAX + 1];

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){http->listeners[i]->epoll_fd, POLLIN, 0};
	fds[n] = (struct pollfd){http->wake_fd, POLLIN, 0};
	while (!atomic_load(&http->stop)) {
		int wait_ms = SWEEP_MS;

		for (size_t i = 0; i < n; i++) {
			turn(http->listeners[i], &wait_ms);
			sweep(http->listeners[i], clock_boot_ms());
		}

		/* Without clients nothing wakes this thread but a new one. */
		bool idle = !has_connections(http);

		if (poll(fds, n + 1, idle ? -1 : wait_ms) < 0 && errno != EINTR)
			break;
		if (fds[n].revents)
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

static int add_passed(struct http *http, const struct http_options *options,
		      char what[API_PLACE_MAX])
{
	for (int i = 0; i < options->n_passed; i++) {
		struct place place;
		int r = place_take(options->first_passed + i, &place);

		if (r < 0) {
			snprintf(what, API_PLACE_MAX, "the passed socket %d",
				 options->first_passed + i);
			return r;
		}
		r = add_place(http, &place);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_item(const struct listen_item *item, struct place *ret)
{
	return item->kind == LISTEN_UNIX ? place_open_unix(item->path, false, ret)
					 : place_open_ip(&item->address, ret);
}

static int add_items(struct http *http, const struct listen_list *listen, char what[API_PLACE_MAX])
{
	struct place place;

	for (size_t i = 0; i < listen->n; i++) {
		const struct listen_item *item = &listen->items[i];

		if (item->kind == LISTEN_PASSED)
			continue;
		struct text name = text_in(what, API_PLACE_MAX);

		listen_name(item, &name);

		int r = open_item(item, &place);

		if (r == 0)
			r = add_place(http, &place);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The one that commands look for. A service manager may have made it already. */
static int add_own_socket(struct http *http, const char *path, bool take_over,
			  char what[API_PLACE_MAX])
{
	struct place place;

	for (size_t i = 0; i < http->n_listeners; i++)
		if (http->listeners[i]->place.local &&
		    !strcmp(http->listeners[i]->place.name, path))
			return 0;
	snprintf(what, API_PLACE_MAX, "%s", path);

	int r = place_open_unix(path, take_over, &place);

	return r < 0 ? r : add_place(http, &place);
}

/* The socket of the runtime folder has its places for itself; the others share as many. */
static void share_connections(struct http *http, const char *socket_path)
{
	size_t n_others = MAX(http->n_listeners, (size_t)2) - 1;

	for (size_t i = 0; i < http->n_listeners; i++) {
		struct listener *listener = http->listeners[i];
		bool own = listener->place.local && !strcmp(listener->place.name, socket_path);

		listener->n_connections_max = own ? HTTP_CONNECTIONS_MAX
						  : MAX(HTTP_CONNECTIONS_MAX / n_others, (size_t)2);
	}
}

static void tell_places(struct http *http, const char *socket_path)
{
	struct api *api = http->api;

	for (size_t i = 0; i < http->n_listeners && api->n_places < API_PLACES_MAX; i++) {
		const struct place *place = &http->listeners[i]->place;
		struct api_place *told = &api->places[api->n_places];

		if (place->local && !strcmp(place->name, socket_path))
			continue;
		memcpy(told->name, place->name, sizeof(told->name));
		told->elsewhere = place->elsewhere;
		told->absent = place->absent;
		if (!place->local && !*api->listen)
			memcpy(api->listen, place->name, sizeof(api->listen));
		api->n_places++;
	}
}

static int open_listeners(struct http *http, const struct http_options *options,
			  char what[API_PLACE_MAX])
{
	int r;

	snprintf(what, API_PLACE_MAX, "eventfd");
	http->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (http->wake_fd < 0)
		return -errno;
	r = add_passed(http, options, what);
	if (r == 0)
		r = add_own_socket(http, options->socket_path, options->take_over, what);
	if (r == 0)
		r = add_items(http, options->listen, what);
	if (r < 0)
		return r;
	share_connections(http, options->socket_path);
	tell_places(http, options->socket_path);
	for (size_t i = 0; r == 0 && i < http->n_listeners; i++)
		r = start_listener(http->listeners[i]);
	return r;
}

int http_open(struct api *api, const struct http_options *options, struct http **ret,
	      char ret_what[API_PLACE_MAX])
{
	struct http *http = calloc(1, sizeof(*http));

	snprintf(ret_what, API_PLACE_MAX, "memory");
	if (!http)
		return -ENOMEM;
	http->api = api;
	api->n_places = 0;
	api->listen[0] = '\0';
	http->wake_fd = -1;

	int r = open_listeners(http, options, ret_what);

	if (r < 0) {
		http_stop(http, NULL, NULL);
		return r;
	}
	*ret = http;
	return 0;
}

static void stop_listener(struct listener *listener)
{
	if (listener->daemon)
		MHD_stop_daemon(listener->daemon);
	place_close(&listener->place);
}

void http_stop(struct http *http, void (*waits)(void *arg), void *arg)
{
	if (http->running) {
		atomic_store(&http->stop, true);
		wake(http);
		pthread_join(http->thread, NULL);
	}
	/* No connection may be suspended when its daemon stops; those that end are freed by it. */
	if (http->worker)
		worker_drain(http->worker, waits, arg);
	for (size_t i = 0; i < http->n_listeners; i++)
		stop_listener(http->listeners[i]);
	worker_stop(http->worker);
	for (size_t i = 0; i < http->n_listeners; i++)
		free(http->listeners[i]);
	closep(&http->wake_fd);
	api_done(http->api);
	free(http);
}
