/* When each group was last asked for, so that none is asked for more often than its class allows:
 * also not by a helper that is killed again and again, when the times lie in memory that is shared
 * with who starts it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/wire.h"

/* Between two looks at what slept or is new: a minute, less the little by which they may come
 * closer. */
#define RATE_LOOK_MS 54000

/* What outlives the process; by group, boot clock, 0: never. Zero-initialised nothing was asked. */
struct rate_memory {
	int64_t digest; /* of the catalog whose groups these are */
	int64_t asked_ms[WIRE_GROUPS_MAX];
};

/* Memory for it, shared with all that are forked after this, until the process ends. NULL when
 * there is none. path: a file in memory (tmpfs), made when it is not there, that keeps it for the
 * next helper of this boot, which nobody forks; NULL, or a file that is no such thing or of another
 * user: none. What another catalog has left there is forgotten. */
struct rate_memory *rate_map(const char *path, int64_t digest);

struct rate;

/* memory: of rate_map(), kept from the children of this process; NULL for none. -ENOMEM. */
MUST_CHECK int rate_new(const struct catalog *catalog, struct rate_memory *memory,
			struct rate **ret);
void rate_free(struct rate *rate);

/* Whether a request of the rest is a look: it sends no command to who has answered, so it may come
 * sooner. Before this process was asked for a sample all are new to it: then it is none. */
bool rate_is_look(const struct rate *rate, size_t group, bool rest);

/* A sample is asked for once in the period that the group has at the least, less the little by
 * which two ticks may come closer. */
bool rate_too_soon(const struct rate *rate, size_t group, bool look, int64_t now_ms);

void rate_note(struct rate *rate, size_t group, bool look, int64_t now_ms);
