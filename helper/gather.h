/* Puts the rows of a group together that several workers send, each of its device. A device that
 * takes long holds the others up no longer than GATHER_MS: then what has come is the sample. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/wire.h"

#define GATHER_MS 20000

/* Zero-initialised it is closed and owns nothing. */
struct gather {
	bool open, has_sink;
	size_t n_waited; /* workers that have not answered */
	int64_t until_ms;
	struct wire_rows head; /* of what has come: the error is the first one */
	struct sink sink;
};

/* Begins a sample that n workers are asked for. -ENOMEM. */
MUST_CHECK int gather_open(struct gather *gather, const struct group *group, size_t index,
			   int64_t t_ms, size_t n, int64_t now_ms);
void gather_done(struct gather *gather);

/* Takes the answer of one worker, unless it is for an earlier sample. Returns whether it was the
 * last that was waited for. */
bool gather_take(struct gather *gather, const struct wire_rows *head, const struct sink *sink);

/* One that will not answer. Returns whether it was the last. */
bool gather_miss(struct gather *gather, int error);

bool gather_is_over(const struct gather *gather, int64_t now_ms);
