/* How the boot before this one ended: what the file knows of it is read at the start, before there
 * is a loop; the rest comes within a minute, and then it is decided, once (analysis/boot_end.h).
 * What is decided is kept with the boot in the file, and told by an event. Records that a helper
 * brings later than that are not lost: then it is decided once more, and told if it is another end.
 *
 * A daemon that starts again in the same boot decides only what the run before has not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/boot_end.h"
#include "base/hw.h"
#include "store/reader.h"
#include "store/store.h"

struct last_boot;

struct last_boot_status {
	int64_t boot; /* 0: there is none, or it is not decided yet */
	enum boot_end_cause cause;
	enum boot_end_certainty certainty;
	char text[EVENT_TEXT_MAX];
};

/* What the file knows: reader is open before the store is, and not kept. boot_id is of this boot;
 * without one, and without an earlier boot that is undecided, there is nothing to do. -ENOMEM. */
MUST_CHECK int last_boot_new(struct reader *reader, const char *boot_id, struct last_boot **ret);
void last_boot_free(struct last_boot *last); /* NULL too */

/* What this boot has, before there is a loop, which reads no disk. helper: what only root may read
 * is waited for; what this process may read is taken for it when no helper answers. */
void last_boot_look(struct last_boot *last, struct hw *hw, bool helper);

/* For the loop, each turn. */
void last_boot_turn(struct last_boot *last, struct hw *hw, struct store *store, int64_t now_ms);
/* Whether the helper is to be asked for what was left behind. */
bool last_boot_wants_records(const struct last_boot *last);
/* A descriptor, which is owned from now on, or -errno. */
void last_boot_take(struct last_boot *last, int fd, int error);

void last_boot_get_status(const struct last_boot *last, struct last_boot_status *ret);
