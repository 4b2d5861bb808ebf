#include "base/limits.h"

#include <sys/resource.h>

#include "base/macros.h"

void limits_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= LIMITS_FILES_MAX)
		return;
	limit.rlim_cur = MIN(limit.rlim_max, LIMITS_FILES_MAX);
	setrlimit(RLIMIT_NOFILE, &limit);
}
