#include "daemon/heap.h"

#include <malloc.h>
#include <stddef.h>

#ifdef __GLIBC__
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#define LARGE_BYTES (64 * 1024)
#define TUNABLES    "GLIBC_TUNABLES"
#define STARTED     "FLASHSCOPED_STARTED_ANEW"
#define PATH_BYTES  4096

/* Each thread keeps up to seven freed blocks of each size. They are few, but after SQLite has
 * parsed and dropped its schema they lie all over the heap, and each holds its page: the daemon
 * took 2.1 MB where 0.9 are in use, and grew for hours. This cache can be switched off by the
 * environment alone, before the program starts. Who has set the variable already knows better. A
 * program with privileges of its file is not given it (AT_SECURE), and what says that this was done
 * must not be what a C library may take away. */
static void without_thread_cache(char **argv)
{
	char path[PATH_BYTES];
	ssize_t len;

	if (getauxval(AT_SECURE) || getenv(TUNABLES) || getenv(STARTED))
		return;
	/* Its own name, so that the process is not called "exe". */
	len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (len <= 0 || setenv(TUNABLES, "glibc.malloc.tcache_count=0", 1) < 0 ||
	    setenv(STARTED, "1", 1) < 0)
		return;
	path[len] = '\0';
	execv(path, argv);
}

void heap_settle(char **argv)
{
	without_thread_cache(argv);
	/* One arena for all threads: none allocates much, and each arena costs memory. */
	mallopt(M_ARENA_MAX, 1);
	/* What is large is there for a moment; of its own mapping nothing stays behind. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

void heap_trim(void)
{
	malloc_trim(0);
}
#else
void heap_settle(char **argv)
{
	(void)argv;
}

void heap_trim(void)
{
}
#endif
