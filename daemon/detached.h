/* A thread that nobody joins: it may wait for a disk until the machine goes down. What arg points
 * to has to outlive it. */
#pragma once

#include "base/macros.h"

/* -errno of starting it. */
MUST_CHECK int detached_start(void *(*run)(void *arg), void *arg);
