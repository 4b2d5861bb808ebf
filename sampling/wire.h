/* Messages between the sampler and its lane process, one packet each.
 *
 * Both ends are one binary on one machine, so numbers go as they stand in memory. The decoder is
 * strict all the same: a lane that was struck by a bad driver must not take the sampler with it.
 * Every function that decodes returns 0, or -EBADMSG for a packet that is not exactly what it
 * claims to be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "model/probe.h"

/* Below the default send buffer of a Unix socket (208 KiB); any one row fits with room to spare. */
#define WIRE_MESSAGE_MAX (128 * 1024)
#define WIRE_GROUPS_MAX  128

enum wire_type {
	WIRE_TICK = 1, /* to the lane: sample these groups */
	WIRE_RESCAN,   /* to the lane: probe all again */
	WIRE_PROBED,   /* what a probe of a collector found; several packets when long */
	WIRE_ROWS,     /* the rows of a group; several packets when long */
	WIRE_DONE,     /* the request is answered */
	/* Between daemon and helper alone, sampling/wire_helper.h. */
	WIRE_HELLO,
	WIRE_REFUSED,
	WIRE_NODE,
	WIRE_ACCOUNT,
	WIRE_MONITOR,
	WIRE_MONITORED,
	WIRE_LOG,
	WIRE_LOGGED,
	WIRE_RECORDS,
	WIRE_GATHERED,
};

struct wire_tick {
	size_t n_groups;
	struct {
		uint16_t group; /* index of the catalog */
		int64_t t_ms;   /* its planned time */
		/* To the helper: only those of its devices that slept when they were to be asked,
		 * or have not been asked yet. */
		bool rest;
	} groups[WIRE_GROUPS_MAX];
};

struct wire_probed {
	size_t collector; /* index of the catalog */
	int error;        /* of the probe, 0 when there is something to sample */
	bool first, last; /* packet of this probe */
};

struct wire_rows {
	size_t group;
	int64_t t_ms, at_ms; /* planned, and when it was really sampled */
	int64_t duration_us;
	int error; /* of the sample; rows may stand beside it */
	bool first, last;
};

struct wire_done {
	int64_t cpu_us; /* of the lane process since its start */
};

/* Type of a packet, 0 for an empty one. */
int wire_type(const uint8_t *packet, size_t len);

/* Encoders write into a buffer of WIRE_MESSAGE_MAX bytes and return the length. */
size_t wire_put_tick(uint8_t *packet, const struct wire_tick *tick);
size_t wire_put_rescan(uint8_t *packet);
size_t wire_put_done(uint8_t *packet, const struct wire_done *done);

/* Puts items, or rows, from *next on, as many as fit, advances *next and sets first and last of
 * the head. Call it until last is set. */
size_t wire_put_probed(uint8_t *packet, struct wire_probed *head, const struct probe *probe,
		       size_t *next);
size_t wire_put_rows(uint8_t *packet, struct wire_rows *head, const struct sink *sink,
		     size_t *next);

MUST_CHECK int wire_get_tick(const uint8_t *packet, size_t len, const struct catalog *catalog,
			     struct wire_tick *ret);
MUST_CHECK int wire_get_done(const uint8_t *packet, size_t len, struct wire_done *ret);

/* Appends the items to probe, which the first packet sets back. */
MUST_CHECK int wire_get_probed(const uint8_t *packet, size_t len, const struct catalog *catalog,
			       struct wire_probed *ret, struct probe *probe);

/* Appends the rows to sink, which the first packet resets. A packet that is not the first must go
 * on with the group of the sink. */
MUST_CHECK int wire_get_rows(const uint8_t *packet, size_t len, const struct catalog *catalog,
			     struct wire_rows *ret, struct sink *sink);
