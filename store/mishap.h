/* The open file and its companions against what stands at their path. */
#pragma once

#include "store/db.h"

/* Remembers which files they are that were opened. -errno */
MUST_CHECK int db_note_places(const struct store *store, struct db *db);

/* Of an open file, before anything is written: when it or its journal was removed, replaced or
 * emptied, saves what can be saved, lets go of it, and tells by an event and the status. -EBUSY: a
 * reader keeps what the journal had from being moved into the file; until then nothing is written.
 */
MUST_CHECK int db_look_for_mishap(struct store *store, int64_t t_ms);

/* Whether a file that is not open has nothing but what stands in its journal: opening it would
 * delete that. */
bool db_is_emptied(const struct store *store);
