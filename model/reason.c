#include "model/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hw.h"
#include "base/text.h"

enum option option_of(struct hw *hw, const char *name, const char *module)
{
	char value[16];
	int r = hw_kernel_option(hw, name, value, sizeof(value));

	if (r < 0)
		return r == -ENAMETOOLONG ? OPTION_SET : OPTION_UNKNOWN;
	if (!strcmp(value, "n"))
		return OPTION_NOT_SET;
	if (strcmp(value, "m") != 0 || !module || hw_exists(hw, "sys/module/%s", module))
		return OPTION_SET;
	return OPTION_NOT_LOADED;
}

PRINTF_LIKE(5, 6)
static void say(struct probe *probe, const char *node, enum outcome outcome, const char *advice,
		const char *reason_fmt, ...)
{
	char reason[2 * PROBE_TEXT_MAX];
	va_list args;

	va_start(args, reason_fmt);
	vsnprintf(reason, sizeof(reason), reason_fmt, args);
	va_end(args);
	if (*node)
		probe_node(probe, node, outcome, advice, "%s", reason);
	else
		probe_collector(probe, outcome, advice, "%s", reason);
}

/* "6.1" or the beginning of "6.1.0-13-amd64" as one number that grows with the version. */
static bool version_of(const char *text, unsigned long *ret)
{
	char *end;
	unsigned long major = strtoul(text, &end, 10);

	if (end == text || *end != '.' || major > 999)
		return false;
	text = end + 1;

	unsigned long minor = strtoul(text, &end, 10);

	*ret = major * 1000 + minor;
	return end > text && minor <= 999;
}

/* Where "(since X.Y)" is said of what is missing, and this kernel is older, that is the answer. */
static void add_kernel(struct hw *hw, char missing[PROBE_TEXT_MAX])
{
	static const char since[] = "(since ";
	const char *said = strstr(missing, since);
	size_t len = strlen(missing);
	unsigned long needed, own;
	char kernel[128];

	if (!said || !version_of(said + sizeof(since) - 1, &needed) ||
	    hw_read_line(hw, kernel, sizeof(kernel), "proc/sys/kernel/osrelease") < 0 ||
	    !version_of(kernel, &own) || own >= needed)
		return;
	snprintf(missing + len, PROBE_TEXT_MAX - len, ", and this kernel is %lu.%lu", own / 1000,
		 own % 1000);
}

void reason_option(struct hw *hw, struct probe *probe, const char *node, const struct need *need,
		   const char *missing_fmt, ...)
{
	char missing[PROBE_TEXT_MAX], buf[PROBE_TEXT_MAX];
	struct text advice = TEXT_IN(buf);
	const char *option = need->option;
	va_list args;

	va_start(args, missing_fmt);
	vsnprintf(missing, sizeof(missing), missing_fmt, args);
	va_end(args);
	add_kernel(hw, missing);
	switch (option_of(hw, option, need->module)) {
	case OPTION_NOT_SET:
		text_printf(&advice, "build the kernel with %s=y%s", option,
			    need->module ? " or =m" : "");
		say(probe, node, OUTCOME_NO_OPTION, buf, "%s: %s is not set", missing, option);
		break;
	case OPTION_NOT_LOADED:
		text_printf(&advice, "load the module %s", need->module);
		say(probe, node, OUTCOME_DISABLED, buf, "%s: %s=m, module %s is not loaded",
		    missing, option, need->module);
		break;
	case OPTION_SET:
		say(probe, node, need->outcome, need->advice, "%s although %s is set", missing,
		    option);
		break;
	case OPTION_UNKNOWN:
		text_printf(&advice, "%s%sneeds %s", need->advice, *need->advice ? "; " : "",
			    option);
		say(probe, node, need->outcome, buf, "%s; %s is unknown (no kernel config found)",
		    missing, option);
	}
}
