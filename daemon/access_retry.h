/* A token that cannot be read yet: its file is missing, or the disk below it fails. A recorder does
 * not stop for that; until the token is there, nobody from elsewhere is let in. */
#pragma once

#include "base/macros.h"
#include "daemon/access.h"

/* Tries again after a second, and less and less often down to each half minute, on a thread of its
 * own since the disk may hang; it ends once the token is read. It is never joined: access must stay
 * until the process ends. -errno of starting it. */
MUST_CHECK int access_retry(struct access *access);
