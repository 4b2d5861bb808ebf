/* Sockets that a service manager opened and passed: LISTEN_PID, LISTEN_FDS and descriptors from 3
 * on, as sd_listen_fds(3) describes them. */
#pragma once

#include "base/macros.h"

#define PASSED_SOCKETS_FIRST 3
#define PASSED_SOCKETS_MAX   16

/* How many there are, from PASSED_SOCKETS_FIRST on; 0 when none are for this process. They are no
 * longer inherited by exec(), and the variables are gone, so that no child takes them for its own.
 * -EINVAL when the variables make no sense, -E2BIG beyond the bound, -EBADF when one is not open.
 */
MUST_CHECK int passed_sockets_take(void);
