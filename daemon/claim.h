/* What one daemon has for itself: its runtime folder and its database (daemon/lock.h), for the life
 * of the process. What stands in the way is said in the log. */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

/* Makes the runtime folder and takes it. *ret_successor: from a daemon that was killed and cannot
 * end until its disk answers. 0 or -errno. */
MUST_CHECK int claim_runtime_dir(const char *dir, bool *ret_successor);

/* Makes the folder of the database and takes the database. -EBUSY when another daemon writes it; 0
 * for all else, since a disk that refuses the lock file does not keep the daemon from sampling into
 * memory. */
MUST_CHECK int claim_database(const char *database);
