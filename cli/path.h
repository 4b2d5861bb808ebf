/* flashscope path in parts: what is known (path_root.c, path_file.c), and the drawing of it
 * (path_draw.c). */
#pragma once

#include <stdbool.h>

#include "analysis/facts.h"
#include "export/tree.h"

/* The facts of a machine or a recorded tree, by sampling once; pseudo: file systems of the kernel's
 * own too. The error is said. */
MUST_CHECK int path_read_root(const char *root, bool pseudo, struct facts *facts);

/* The facts of a database file, as they were at its end. The error is said. */
MUST_CHECK int path_read_file(const char *path, struct facts *facts);

/* Draws the document of export/iopath.h. */
MUST_CHECK int path_draw(struct tree *document);
