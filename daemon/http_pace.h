/* How long an answer that is made piece by piece may take: for ever as long as the client takes
 * enough of it in each minute, but one whose length is known, as a snapshot that keeps others
 * waiting, ends when a slow line would have had it. Who takes more at a time has more time to the
 * next: curl with --limit-rate empties all buffers, megabytes, and rests for minutes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define HTTP_PACE_MS           60000
#define HTTP_PACE_BYTES        (64 * 1024) /* in each HTTP_PACE_MS: 1 KiB/s */
#define HTTP_PACE_AHEAD        5           /* of these that one leap counts for */
#define HTTP_WHOLE_BYTES_PER_S (16 * 1024) /* over all of one whose length is known */
#define HTTP_WHOLE_LEAST_MS    600000      /* which any of them has */

struct http_pace {
	int64_t end_ms;      /* boot clock; INT64_MAX: the length is not known */
	int64_t given_bytes; /* to the library */
	int64_t taken_bytes; /* of these, by the client, when it was granted time last */
	bool waits;          /* for who makes the next piece */
};

/* total_bytes 0: not known. Time is granted until now_ms + HTTP_PACE_MS. */
void http_pace_start(struct http_pace *pace, int64_t total_bytes, int64_t now_ms);

/* The time that was granted is over, and so many bytes lie in the socket. Until when it may go on
 * (boot clock), or 0: no more. A client that waits for us alone loses nothing by it. */
MUST_CHECK int64_t http_pace_grant(struct http_pace *pace, int64_t in_socket_bytes, int64_t now_ms);
