/* What this process may do. */
#pragma once

#include <stdbool.h>

/* Whether a capability of linux/capability.h (CAP_SYS_ADMIN) is effective. */
bool capability_is_effective(unsigned capability);
