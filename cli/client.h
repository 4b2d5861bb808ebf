/* Talking to a running daemon, over its Unix socket or over TCP. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

/* Where the daemon is. Both NULL: the socket in ./var/run, then the usual one. */
struct client_target {
	const char *socket; /* --socket PATH */
	const char *url;    /* --url http://127.0.0.1:9750; gets the token (cli/token.h) */
};

#define CLIENT_BODY_MAX_BYTES (64 * 1024 * 1024)

struct client_reply {
	long status; /* of HTTP */
	char *body;  /* NUL-terminated; owned */
	size_t len;
	char error[512]; /* for people, when the call failed */
};

void client_reply_done(struct client_reply *reply);

/* GET path ("/api/v1/status") and POST with a JSON body. 0 when the daemon answered with 2xx; else
 * -errno and reply->error says why: -ECONNREFUSED (no daemon there), -EACCES (one may be there, but
 * its socket may not be opened), -ENOTSOCK (the path is something else), -EBADMSG (it answered with
 * an error; error holds its detail), -EIO. */
MUST_CHECK int client_get(const struct client_target *target, const char *path,
			  struct client_reply *ret);
MUST_CHECK int client_post(const struct client_target *target, const char *path, const char *body,
			   struct client_reply *ret);

/* GET whose body goes to write while it comes, when the status is 2xx; write returns 0 or -errno,
 * which ends the transfer. */
MUST_CHECK int client_get_stream(const struct client_target *target, const char *path,
				 int (*write)(void *arg, const char *p, size_t len), void *arg,
				 struct client_reply *ret);

/* A value of a query, with its reserved characters as %XX. NULL without memory; the caller frees.
 */
char *client_escape(const char *value);
