/* Users of this machine, by /etc/passwd alone: no service is asked and no module loaded. */
#pragma once

#include <sys/types.h>

#include "base/macros.h"

/* Finds a user by name, or by number (then without an entry the group has the same number). 0,
 * -ENOENT when there is no such user, or -errno. */
MUST_CHECK int user_find(const char *name, uid_t *ret_uid, gid_t *ret_gid);

/* Makes this process run as that user, without further groups, for good. Needs CAP_SETUID and
 * CAP_SETGID unless it does already. Call it before there are other threads. 0 or -errno. */
MUST_CHECK int user_become(uid_t uid, gid_t gid);
