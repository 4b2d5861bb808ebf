/* Who has written, as GET /api/v1/writers has it. */
#pragma once

#include <stdint.h>

#include "export/doc.h"
#include "model/writers.h"

/* {"by","from","to","hours","cut","accounts","written","read","devices_written","not_attributed",
 *  "devices","writers"}: from and to are of what was counted, whole hours, null where that is
 * nothing; devices_written and not_attributed null where the disks were not counted, and what is no
 * account of a writer (cancelled, syncs, processes, ...) null. A share is one of the sum of all
 * writers, between 0 and 1. At most limit writers. */
void api_writers(struct doc *doc, const struct writers_report *report, size_t limit);

/* How much the disks have written that is of nobody; -1: they were not counted. */
int64_t writers_not_attributed(const struct writers_report *report);
