#include "model/record.h"

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
