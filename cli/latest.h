/* flashscope latest in parts: where the rows come from (latest_file.c), and what is shown of them
 * (latest.c). */
#pragma once

#include "base/macros.h"

/* The array of GET /api/v1/latest, of the nodes that were there at the end of a database file; an
 * age is that at the end. node: a name or an identity, NULL for all. *ret is the caller's. What is
 * wrong is said on stderr; returns the exit status. */
MUST_CHECK int latest_read_file(const char *path, const char *node, char **ret);
