/* Who has written, as GET /api/v1/writers has it. */
#pragma once

#include <stdint.h>

#include "export/doc.h"
#include "model/writers.h"

/* {"by","state","reason","from","to","hours","cut","accounts","uncounted_ms","uncounted","written","read",
 *  "devices_written","not_attributed","devices","writers"}: from and to are of what was counted,
 * whole hours, null where that is nothing; uncounted what between the first and the last account of
 * the window was not, the first WRITERS_GAPS_MAX times; written and read null where nobody counted,
 * devices_written and not_attributed where the disks were not counted, and what is no account of a
 * writer (cancelled, syncs, processes, ...) null. A share is one of the sum of all writers, between
 * 0 and 1, rounded. At most limit writers. */
void api_writers(struct doc *doc, const struct writers_report *report, size_t limit);

/* How much the disks have written that is of nobody; -1: they were not counted. */
int64_t writers_not_attributed(const struct writers_report *report);
