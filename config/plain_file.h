/* Files of a configuration. */
#pragma once

#include <stdio.h>

#include "base/macros.h"

/* Opens name, below dir_fd or AT_FDCWD, when it is a plain file: a FIFO would hold its reader up,
 * and a device may never end. -EISDIR, -EINVAL: it is something else; -errno of opening it. */
MUST_CHECK int plain_file_open(int dir_fd, const char *name, FILE **ret);

/* What is said of it. */
const char *plain_file_problem(int r);
