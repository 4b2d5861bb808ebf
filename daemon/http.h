/* HTTP: one thread that serves a TCP port on loopback and a Unix socket, and one that reads the
 * file for it. All else about a request is in daemon/api.h. */
#pragma once

#include "base/macros.h"
#include "config/address.h"
#include "daemon/api.h"

struct http;

#define HTTP_SOCKET_NAME "flashscoped.sock"

/* Bounds of each of the two listeners. */
#define HTTP_CONNECTIONS_MAX      64
#define HTTP_CONNECTION_BYTES     (24 * 1024) /* headers, URI and the answer's buffer */
#define HTTP_IDLE_TIMEOUT_S       10
#define HTTP_REQUEST_DEADLINE_MS  30000  /* for a client that sends slowly */
#define HTTP_RESPONSE_DEADLINE_MS 600000 /* for one that reads slowly */

/* Binds both. Clients wait until http_run(). address NULL: no TCP. A stale socket is replaced; the
 * caller holds the lock of its folder. Sets api->listen. -errno; *ret_what says which of the two
 * failed. */
MUST_CHECK int http_open(struct api *api, const struct address *address, const char *socket_path,
			 struct http **ret, const char **ret_what);

/* Starts the threads; they alone use api from here on. -errno */
MUST_CHECK int http_run(struct http *http);

/* Ends the thread and all connections, and removes the socket. */
void http_stop(struct http *http);
