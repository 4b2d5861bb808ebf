/* The commands of flashscope. Each takes the arguments from its own name on and returns the exit
 * status: 0 done, 1 failed, 2 wrong usage. */
#pragma once

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };
