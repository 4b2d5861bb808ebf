/* HTTP: one thread that serves TCP ports and Unix sockets, and one that reads the file for it. All
 * else about a request is in daemon/api.h. */
#pragma once

#include "base/macros.h"
#include "config/listen.h"
#include "daemon/api.h"

struct http;

#define HTTP_SOCKET_NAME "flashscoped.sock"

/* Bounds of the Unix socket of the runtime folder, and of all other listeners together. */
#define HTTP_CONNECTIONS_MAX      64
#define HTTP_CONNECTION_BYTES     (24 * 1024) /* headers, URI and the answer's buffer */
#define HTTP_IDLE_TIMEOUT_S       10
#define HTTP_REQUEST_DEADLINE_MS  30000  /* for a client that sends slowly */
#define HTTP_RESPONSE_DEADLINE_MS 600000 /* for one that takes slowly what lies in memory */

struct http_options {
	const struct listen_list *listen; /* "systemd" in it is left out */
	const char *socket_path;          /* always served, beside these */
	bool take_over; /* socket_path, from a process that has been killed and still listens */
	int first_passed, n_passed; /* sockets of the service manager, by descriptor */
};

/* Binds all, takes what was passed over. Clients wait until http_run(). A stale socket is replaced.
 * Sets the places of api. -errno; ret_what says which one failed: an address, a path. */
MUST_CHECK int http_open(struct api *api, const struct http_options *options, struct http **ret,
			 char ret_what[API_PLACE_MAX]);

/* Starts the threads; they alone use api from here on. -errno */
MUST_CHECK int http_run(struct http *http);

/* Ends the thread and all connections, and removes the sockets that were made. waits(), if any, is
 * called each second while an answer that reads the file is waited for. */
void http_stop(struct http *http, void (*waits)(void *arg), void *arg);
