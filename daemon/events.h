/* Events that the daemon itself tells of. */
#pragma once

#include "model/record.h"
#include "sampling/sampler.h"
#include "store/store.h"

/* An event at one moment, about no node. evidence is a JSON object or "". */
PRINTF_LIKE(6, 7)
void event_add(struct store *store, int64_t t_ms, enum severity severity, const char *kind,
	       const char *evidence, const char *text_fmt, ...);

/* A collector (node "") or node changed its state: an event and a line of the log, or neither for
 * what the store or the probe tells already. */
void event_node_state(struct store *store, const struct collector *collector, const char *node,
		      enum node_state state, int error, int64_t since_ms);
