/* Other processes, as /proc tells of them.
 * Kernel: Documentation/filesystems/proc.rst */
#pragma once

#include <stdbool.h>

/* Whether a process will run no more code of its own, and is there since the kernel does not let
 * one of its threads go: the first one has ended, or SIGKILL waits for it. false when it is not
 * known. */
bool process_is_dying(int pid);
