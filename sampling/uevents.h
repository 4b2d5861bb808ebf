/* Listens to the kernel's messages about devices, and says when it is time to look for nodes again.
 *
 * - Messages that follow each other closely are one: the look comes UEVENTS_QUIET_MS after the last
 *   of them, at the latest UEVENTS_LATEST_MS after the first.
 * - UEVENTS_SCANS looks may follow each other; a device that flaps all the time gets one each
 *   UEVENTS_GAP_MS.
 * - Of a storm at most UEVENTS_WINDOW_MAX messages are read in a second; the rest waits in the
 *   socket. When that overruns, anything may have changed: that is a message too.
 *
 * Time comes in as an argument, on the boot clock. Takes nothing from the heap. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampling/sampler.h"

#define UEVENTS_QUIET_MS   200
#define UEVENTS_LATEST_MS  1000
#define UEVENTS_SCANS      5
#define UEVENTS_GAP_MS     10000
#define UEVENTS_WINDOW_MS  1000
#define UEVENTS_WINDOW_MAX 64
#define UEVENTS_BYTES_MAX  8192 /* the kernel's are at most 2048 and a path */

struct uevents {
	int fd;                    /* -1: nothing is heard; stats.reason says why */
	int64_t first_ms, last_ms; /* of the messages that ask for a look, while pending */
	bool pending, muted;
	int64_t window_ms; /* when this second of reading began */
	unsigned n_in_window;
	int64_t paid_ms; /* up to when the looks so far are paid for, one each UEVENTS_GAP_MS */
	struct discovery_stats stats;
	char message[UEVENTS_BYTES_MAX];
};

/* Opens the socket; without one the reason stands in stats. A recorded tree (live false) has no
 * events, and no socket is made for it. */
void uevents_open(struct uevents *uevents, bool live);
void uevents_close(struct uevents *uevents);

/* To be watched for input; -1 without a socket and while a storm is left waiting. */
int uevents_fd(const struct uevents *uevents);

/* Reads what has come. */
void uevents_receive(struct uevents *uevents, int64_t now_ms);

/* When uevents_take() has something to do; INT64_MAX: not before the next message. */
int64_t uevents_due_ms(const struct uevents *uevents);

/* true when it is time to look, once for each time. */
bool uevents_take(struct uevents *uevents, int64_t now_ms);

/* One message, as it was read; what a socket would do, for tests. from_kernel: its sender is. */
void uevents_heard(struct uevents *uevents, const char *message, size_t len, bool from_kernel,
		   int64_t now_ms);
/* Messages were lost. */
void uevents_overran(struct uevents *uevents, int64_t now_ms);
