#include "model/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hw.h"
#include "base/text.h"
#include "model/node_file.h"

const char denied_advice[] =
	"udev: a rule that makes the node readable (chmod a+r); Android: label the device's "
	"directory in genfs_contexts and allow the domain to read it";

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

/* Where "(since X.Y)" is said of what is missing, and this kernel is older, that is the answer:
 * both versions, as thousands and ones. */
static bool is_older(struct hw *hw, const char *missing, unsigned long *ret_needed,
		     unsigned long *ret_own)
{
	static const char since[] = "(since ";
	const char *said = strstr(missing, since);
	char kernel[128];

	return said && version_of(said + sizeof(since) - 1, ret_needed) &&
	       hw_read_line(hw, kernel, sizeof(kernel), "proc/sys/kernel/osrelease") >= 0 &&
	       version_of(kernel, ret_own) && *ret_own < *ret_needed;
}

static void say_older(struct probe *probe, const char *node, const struct need *need,
		      const char *missing, unsigned long needed, unsigned long own)
{
	char advice[PROBE_TEXT_MAX];

	snprintf(advice, sizeof(advice), "a kernel from %lu.%lu on, with %s", needed / 1000,
		 needed % 1000, need->option);
	say(probe, node, OUTCOME_NO_NODE, advice, "%s, and this kernel is %lu.%lu", missing,
	    own / 1000, own % 1000);
}

/* Nobody knows which of the two it is, so both are said. */
static void say_unknown(struct probe *probe, const char *node, const struct need *need,
			const char *missing)
{
	char advice[PROBE_TEXT_MAX];

	snprintf(advice, sizeof(advice), "%s%sneeds %s", need->advice, *need->advice ? "; " : "",
		 need->option);
	if (need->outcome == OUTCOME_NO_HARDWARE)
		say(probe, node, need->outcome, advice,
		    "%s: no such hardware, or a kernel without %s (no kernel config found that "
		    "tells)",
		    missing, need->option);
	else
		say(probe, node, need->outcome, advice,
		    "%s; whether %s is set is not known (no kernel config found)", missing,
		    need->option);
}

void reason_option(struct hw *hw, struct probe *probe, const char *node, const struct need *need,
		   const char *missing_fmt, ...)
{
	char missing[PROBE_TEXT_MAX], buf[PROBE_TEXT_MAX];
	struct text advice = TEXT_IN(buf);
	const char *option = need->option;
	unsigned long needed, own;
	va_list args;

	va_start(args, missing_fmt);
	vsnprintf(missing, sizeof(missing), missing_fmt, args);
	va_end(args);
	if (is_older(hw, missing, &needed, &own)) {
		say_older(probe, node, need, missing, needed, own);
		return;
	}
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
		say_unknown(probe, node, need, missing);
	}
}

const char *advice_no_folder(const struct hw *hw, const char *mount)
{
	return hw_is_live(hw) ? mount : "tools/capture as root copies it";
}

bool reason_no_sysfs(struct hw *hw, struct probe *probe, const char *node)
{
	static const char *const folders[] = {"class", "block", "devices", "kernel", "fs"};

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (hw_exists(hw, "sys/%s", folders[i]))
			return false;
	say(probe, node, OUTCOME_NO_NODE,
	    hw_is_live(hw) ? "mount -t sysfs sysfs /sys" : "tools/capture on the board copies it",
	    hw_is_live(hw) ? "sysfs is not mounted on /sys" : "nothing of /sys was recorded");
	return true;
}

void reason_no_proc(struct hw *hw, struct probe *probe, const char *node, const char *path)
{
	bool is_mounted = hw_exists(hw, "proc/loadavg") || hw_exists(hw, "proc/stat");

	if (!hw_is_live(hw))
		say(probe, node, OUTCOME_NO_NODE, "tools/capture as root copies it",
		    "%s was not recorded", path);
	else if (is_mounted)
		say(probe, node, OUTCOME_NO_NODE,
		    "a daemon that sees all of /proc (systemd: ProcSubset=all)",
		    "there is no %s, although procfs is mounted", path);
	else
		say(probe, node, OUTCOME_NO_NODE, "mount -t proc proc /proc",
		    "there is no %s: procfs is not mounted on /proc, or not all of it is seen",
		    path);
}

/* Files of procfs that are sampled are made of variables; what fails there is put in their place.
 */
static const char core_advice[] =
	"the kernel itself does not fail here: is something mounted over "
	"it (lxcfs: see /proc/self/mountinfo)? else report it with uname -r";
/* By what the kernel's core, its drivers and the buses below them give these for. */
static const char gone_advice[] =
	"it has gone, or lost its driver: the kernel log tells when; plug "
	"or bind it again";
static const char later_advice[] =
	"look again while its device is in use; if it stays so, see what "
	"its driver says in the kernel log";
static const char bus_advice[] =
	"its device or bus did not answer: see the kernel log, then supply, "
	"clock and wiring of that bus";
static const char text_advice[] = "no kernel is known to print such a text: report it, with what "
				  "cat shows and with uname -r";
static const char shape_advice[] = "no kernel is known to have such a node: report it, with what "
				   "ls -l shows and with uname -r";
static const char want_advice[] =
	"free memory, or allow more open files (ulimit -n), and look again";
static const char unknown_advice[] = "see the kernel log; report it with uname -r";

static const struct {
	int error;
	const char *advice;
} advices[] = {
	{EOPNOTSUPP, ""},
	{ENODEV, gone_advice},
	{ENXIO, gone_advice},
	{ENODATA, later_advice},
	{EAGAIN, later_advice},
	{EBUSY, later_advice},
	{EIO, bus_advice},
	{ETIMEDOUT, bus_advice},
	{EILSEQ, bus_advice},
	{EPROTO, bus_advice},
	{EREMOTEIO, bus_advice},
	{EINVAL,
	 "cat it: where that fails as well, the driver refuses (switched off, or not able to); "
	 "where it prints a text that is no value, report the text with uname -r"},
	{ERANGE, text_advice},
	{E2BIG, text_advice},
	{EBADMSG, text_advice},
	{EMSGSIZE, text_advice},
	{EISDIR, shape_advice},
	{ENOTDIR, shape_advice},
	{ELOOP, shape_advice},
	{ENAMETOOLONG, shape_advice},
	{ENOMEM, want_advice},
	{EMFILE, want_advice},
	{ENFILE, want_advice},
	{ETIME, "it did not answer before and is left alone; what holds it: see the kernel log for "
		"hung tasks"},
};

const char *advice_of_error(const struct hw *hw, int error, const char *path)
{
	bool is_proc = strstr(path, "/proc/"), is_driver = !is_proc && strchr(path, '/');

	if (error == -EACCES || error == -EPERM)
		return is_proc ? "as root; Android: allow the domain to read its label (ls -Z)"
			       : denied_advice;
	if (error == -ENOENT && !hw_is_live(hw))
		return "where the board has it: tools/capture as root copies it";
	if (error == -ENOENT)
		return is_proc ? "mount -t proc proc /proc" : gone_advice;
	for (size_t i = 0; i < ARRAY_SIZE(advices); i++)
		if (error == -advices[i].error && (is_driver || is_want(error)))
			return advices[i].advice;
	return is_proc ? core_advice : unknown_advice;
}

void reason_error(struct hw *hw, struct probe *probe, const char *node, int error,
		  const char *what_fmt, ...)
{
	char what[PROBE_TEXT_MAX];
	va_list args;

	va_start(args, what_fmt);
	vsnprintf(what, sizeof(what), what_fmt, args);
	va_end(args);
	say(probe, node, outcome_of_error(error), advice_of_error(hw, error, what), "%s: %s", what,
	    strerror(-error));
}

void reason_asked(struct probe *probe, const char *node, const char *ok, int error, const char *why)
{
	static const char look[] = "look in the kernel log for what became of it";

	if (error == -EHOSTDOWN)
		probe_node(probe, node, OUTCOME_OK, "use it, or wait until somebody does",
			   "asleep: not asked before it wakes");
	else if (error == -EAGAIN)
		probe_node(probe, node, OUTCOME_OK, "wait; if it stays so, look in the kernel log",
			   "%s: not asked before it is", why);
	else if (error == -ENOENT)
		probe_node(probe, node, OUTCOME_NO_NODE,
			   "on the board itself: flashscope sample, as root; in the tree: its "
			   "answer below COMMANDS (tests/fixtures/README.md)",
			   "no answer of it is recorded in this tree");
	else if (error < 0 && !is_want(error))
		probe_node(probe, node, OUTCOME_FAILED, look, "%s", why);
	else
		probe_node(probe, node, OUTCOME_OK, "", "%s", ok);
}
