/* The answer to a query as a document, streamed.
 *
 * JSON (the API gives it verbatim; here with line breaks that it does not have):
 *
 *   {"metric":"diskstats.read_bytes","unit":"bytes","per_second":true,"agg":"rate",
 *    "kind":"counter","help":"Bytes read.",
 *    "from":"2026-12-01T04:00:00Z","to":"2026-12-01T05:00:00Z","step_ms":12000,
 *    "series":[
 *     {"node":"vda","identity":"virtio-1","boot":1,"boot_id":"5a0c...",
 *      "wall_offset_ms":1796094012345,
 *      "points":[[1796097612000,4096.5],[1796097624000,null],[1796097636000,12,"filtered"]]}],
 *    "before":[
 *     {"node":"vda","identity":"virtio-1","boot":1,"t":"2026-12-01T03:50:00Z","boot_ms":98000,
 *      "age_ms":600000,"value":12}],
 *    "damaged":1}
 *
 * - A point is [end of its bucket in ms since 1970, value], the value a JSON number in the unit
 *   named, not scaled, in exact decimal; null where the bucket holds no sample or none that counts.
 *   A third element is the flag word of the values in the bucket.
 * - wall_offset_ms takes a point to the boot clock: wall = boot clock + this.
 * - "resolution":[["hour",1796000400000],["minute",1796090400000],["raw",1796097624000]] in a
 * series says what its points were made from, each up to a time in ms since 1970; without it all
 * were made from samples.
 * - A series begins at its first bucket with a value or a flag and ends at the last one.
 * - before is there for a group that is read seldom: what each node had last before the window, and
 * how old that was at its beginning (age_ms); with "flag" where there is one. A counter has its
 * count. CSV has none of it.
 * - "ambiguous" stands behind step_ms when wall times of the window stand for more than one moment:
 *   [{"why":"clock_step","boot":1,"boot_ms":7200000,"from":...,"to":...}] where the clock was set
 *   back at boot_ms, and has shown from..to twice; [{"why":"two_boots","boot":2,"other_boot":1,
 *   "from":...,"to":...}] where two boots have them. A series with "as_shown":true has what the
 *   clock showed as times of the window, and what really was at another time; its wall_offset_ms
 *   is that of the clock then. CSV tells them apart by boot and boot_ms;
 *   the command says on stderr which they are.
 * - damaged counts pieces of the file that could not be read, and is only there when there are any.
 *
 * CSV has a header and one line for each point; value is empty where JSON has null:
 *
 *   wall,boot,boot_ms,node,value,flag
 *   2026-12-01T04:00:12Z,1,123456,vda,4096.5,
 */
#pragma once

#include "export/stream.h"
#include "model/points.h"

enum points_format { POINTS_JSON, POINTS_CSV };

/* next gives the items: 1 with *ret, 0 at the end, -errno; a query_next() behind a void pointer.
 * head is copied, its strings and source have to live as long as the stream. -ENOMEM. */
MUST_CHECK int points_stream(enum points_format format, const struct points_head *head,
			     int (*next)(void *source, struct points_item *ret), void *source,
			     struct stream **ret);
