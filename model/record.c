#include "model/record.h"

#include <string.h>

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
		[SEVERITY_CRITICAL] = "critical",
	};

	return names[severity];
}

enum severity severity_named(const char *name)
{
	for (int s = SEVERITY_INFO; s <= SEVERITY_CRITICAL; s++)
		if (!strcmp(severity_name((enum severity)s), name))
			return (enum severity)s;
	return SEVERITY_INFO;
}
