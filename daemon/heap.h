/* How the C library keeps what is freed. */
#pragma once

/* Makes freed memory go back to the kernel instead of waiting in caches. First thing in main(): it
 * may start the program anew, with the same arguments and one more variable in the environment.
 * Without glibc it does nothing; what fails costs memory and nothing else. */
void heap_settle(char **argv);

/* Gives the kernel back what is free, where the C library does not do so by itself. */
void heap_trim(void);
