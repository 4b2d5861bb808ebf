/* IO paths as JSON; the same for the daemon and for `flashscope path`. */
#pragma once

#include "export/doc.h"
#include "model/iopath.h"

#define IOPATH_DOC_MAX_BYTES (16 * 1024 * 1024)

/* {"of","taken_from","paths":[{"mounts":[{"mount_point","root","options"}],"layers":[{"kind","name","above",
 *  "depth","shared","facts":{NAME:{"value","unit","source"}},"missing":{NAME:{"why","source"}}}]}],
 *  "without_disk":[{"mount_point","fs_type"}],"truncated"}: above is the index of the layer above
 * within the path, null for the first; of is null for all; taken_from is the mount point that a
 * file is taken to lie in without a look at it, else null; a value is a number where it is one. */
void iopath_document(struct doc *doc, const char *of, const struct iopaths *paths);
