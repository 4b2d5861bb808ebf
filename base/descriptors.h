/* The descriptors of a process that was just forked: what it does not need, it must not hold open,
 * or somebody else does not notice an end. */
#pragma once

#include "base/macros.h"

/* Makes fd the descriptor number to, which is kept by exec(). 0 or -errno. */
MUST_CHECK int descriptors_move(int fd, int to);

/* Closes all from the number first on. Kernels before 5.9 have no close_range(2): there, those
 * below 1024. */
void descriptors_close_from(int first);
