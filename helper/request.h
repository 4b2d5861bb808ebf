/* What a daemon may ask for: see sampling/wire_helper.h. Whoever sends it is not trusted: a packet
 * that is not exactly one of the requests is refused. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "sampling/wire_helper.h"

struct request {
	enum wire_type type; /* WIRE_HELLO, WIRE_TICK, WIRE_RESCAN, WIRE_MONITOR, WIRE_LOG or
			      * WIRE_RECORDS */
	union {
		struct wire_hello hello;
		struct wire_tick tick; /* each group once */
		struct wire_monitor monitor;
	};
};

/* 0 or -EBADMSG. */
MUST_CHECK int request_read(const uint8_t *packet, size_t len, const struct catalog *catalog,
			    struct request *ret);
