#include "store/sql_process.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

/* A checkpoint ends by giving the file the size that it should have, and mostly has. ext4 makes a
 * transaction of that too, with the block of its own head. */
static int truncate_if_other(int fd, off_t bytes)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size == bytes ? 0 : ftruncate(fd, bytes);
}

static void begin(void)
{
	/* Else each connection takes room for 20 pages at once, however few it reads. */
	sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);

	sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

	if (vfs && vfs->iVersion >= 3)
		vfs->xSetSystemCall(vfs, "ftruncate", (sqlite3_syscall_ptr)truncate_if_other);
}

void sql_process_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
}
