/* Who has written, by hour: added up in memory, and written as rows of the table `writer`.
 *
 * An hour is one of the boot clock. The present one is written each WRITERS_SETTLE_MS, when it is
 * over, and at a stop: its rows are spread over pages that a commit each minute would write anew.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/writers.h"

struct db;
struct store;

#define WRITERS_HOUR_MS     INT64_C(3600000)
#define WRITERS_SETTLE_MS   INT64_C(600000)
#define WRITERS_HOUR_MAX    384 /* of all kinds, while the hour goes on */
#define WRITERS_KEEP_MAX    32  /* of each kind, when it is written; the others are one row */
#define WRITERS_WAITING_MAX 24  /* hours, while there is no disk */
#define WRITERS_N_MAX       (INT64_C(1) << 32) /* processes of one row; more is damage */

struct writer_hour {
	struct writer_hour *next;
	int64_t t_ms;              /* its beginning, a multiple of an hour */
	int64_t since_ms, last_ms; /* what was counted of it */
	bool is_writing;           /* in the hands of a commit */
	size_t n;
	struct writer v[];
};

struct writer_hours {
	struct writer_hour *now;     /* NULL before the first tick */
	struct writer_hour *waiting; /* those that are over, the oldest first */
	size_t n_waiting;
	struct writer_hour *spare; /* for the next that is over; a commit makes it */
	bool is_dirty;             /* now differs from the file */
	int64_t written_ms;        /* last_ms of now when it was written */
};

/* With the lock held: the rows of a tick of a group that is kept by hour. */
void writers_add(struct store *store, int64_t t_ms, int64_t step_ms, const struct sink *sink);
void writers_done(struct writer_hours *hours);
/* What a run before has counted and not written waits for the next commit, behind those that wait;
 * the hour is taken over. */
void writers_restore(struct writer_hours *hours, struct writer_hour *hour);

/* What a commit has in its hands: hours of the store, and a copy of the present one. */
struct writers_batch {
	struct writer_hour *hours[WRITERS_WAITING_MAX + 1];
	size_t n;
	struct writer_hour *copy; /* owned */
};

/* With the lock held; now: also the present hour, whatever its age. */
void writers_take(struct store *store, struct writers_batch *batch, bool now);
/* Within the running transaction. */
MUST_CHECK int writers_write(struct db *db, const struct writers_batch *batch);
/* With the lock held: it was committed, or not. */
void writers_taken(struct store *store, struct writers_batch *batch, bool committed);
