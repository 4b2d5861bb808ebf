/* One request of HTTP to the daemon: by libcurl (transport_curl.c), or by what is here where that
 * is not wanted, as on a phone (transport_plain.c). */
#pragma once

#include <stddef.h>

#include "base/macros.h"

#define TRANSPORT_CONNECT_TIMEOUT_S 5
#define TRANSPORT_STALL_TIMEOUT_S   30

struct transport_request {
	const char *socket; /* path of a Unix socket; NULL: where the URL says */
	const char *url;
	const char *header; /* one more of the request, "Name: value"; "" or NULL: none */
	const char *body;   /* of a POST, JSON; NULL: a GET */
	/* Is given the body of the answer while it comes, with the status of HTTP; returns 0 or
	 * -errno, which ends the transfer. */
	int (*data)(void *arg, long status, const char *p, size_t len);
	void *arg;
};

/* 0 when the whole answer came; else -errno, with words for people: -ECONNREFUSED, nobody is
 * there; -EIO, anything else. */
MUST_CHECK int transport_perform(const struct transport_request *request, long *ret_status,
				 const char **ret_words);
