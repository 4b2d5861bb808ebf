/* Why something is missing, when a kernel option decides it. All collectors ask and word it alike,
 * so that a bring-up engineer reads the name of the option, and what to do about it. */
#pragma once

#include "base/macros.h"
#include "model/probe.h"

struct hw;

/* What is known of an option of the running kernel. */
enum option {
	OPTION_UNKNOWN,    /* no config of this kernel was found */
	OPTION_NOT_SET,    /* CONFIG_X is not set */
	OPTION_NOT_LOADED, /* CONFIG_X=m, and the module is not loaded */
	OPTION_SET,        /* CONFIG_X=y (or a value), or =m and loaded */
};

/* module: name of the module that CONFIG_X=m makes ("ufshcd_core"); NULL when it never is one, or
 * its name is not known, and then =m counts as set. */
enum option option_of(struct hw *hw, const char *name, const char *module);

/* A kernel option that something needs. */
struct need {
	const char *option; /* "CONFIG_SCSI_UFSHCD" */
	const char *module; /* as for option_of() */
	/* When the option is set, or nobody knows: what it is then, and what can be done. */
	enum outcome outcome;
	const char *advice;
};

/* Says of a node ("" is the collector itself) that something is missing, and what the option has
 * to do with it. missing is what was looked for and where: "there is no /sys/class/thermal".
 *   older      where it says "(since 6.1)" and the running kernel is older, no_node:
 *              "<missing>, and this kernel is 5.15"; a kernel from 6.1 on, with the option
 *   not set    no_option: "<missing>: CONFIG_X is not set"; build the kernel with CONFIG_X=y
 *   not loaded disabled: "<missing>: CONFIG_X=m, module NAME is not loaded"; load the module NAME
 *   set        need->outcome: "<missing> although CONFIG_X is set"; need->advice
 *   unknown    need->outcome, and that no kernel config was found, in the reason; need->advice, and
 *              the option */
PRINTF_LIKE(5, 6)
void reason_option(struct hw *hw, struct probe *probe, const char *node, const struct need *need,
		   const char *missing_fmt, ...);

/* What to do where a folder of sysfs or a file of procfs is not there: mount says it of a machine,
 * a recorded tree lacks it since nobody has copied it. */
const char *advice_no_folder(const struct hw *hw, const char *mount);

/* Whether sysfs is not mounted (nothing of /sys is there): then it says so of the node, with what
 * mounts it. Asked before anything is called no hardware. */
bool reason_no_sysfs(struct hw *hw, struct probe *probe, const char *node);

/* Says of a node that a file of procfs is missing: procfs is not mounted, or hides it. path: as
 * "/proc/interrupts". */
void reason_no_proc(struct hw *hw, struct probe *probe, const char *node, const char *path);

/* Says of a node that commands go to what is known without one: error 0, then it can be asked and
 * ok is the reason; or why nobody would send one now: -EHOSTDOWN it sleeps, -EAGAIN it is not ready
 * yet, -ENOENT a recorded tree has no answer of it, any other that it failed. why: the words for
 * it, where there are any ("" for sleep and records). Want of what it takes to look says nothing.
 */
void reason_asked(struct probe *probe, const char *node, const char *ok, int error,
		  const char *why);

/* Says of a node ("" is the collector itself) that what it is read from gave an error: "WHAT: words
 * of the error", what outcome that is, and what can be done, by advice_of_error(). what is the path
 * of a file ("/proc/loadavg"), or what has none ("adjtimex"). */
PRINTF_LIKE(5, 6)
void reason_error(struct hw *hw, struct probe *probe, const char *node, int error,
		  const char *what_fmt, ...);

/* What can be done where the read of a file gave this error, a negative errno; "" where nothing
 * can: the driver or the device does not have it (EOPNOTSUPP). path tells who decides: procfs, or a
 * driver; what has no '/' is a call of the kernel. The kernel answers EINVAL for several things,
 * and a text that is no value gives it too, so it is said how to tell them apart. */
const char *advice_of_error(const struct hw *hw, int error, const char *path);

/* The advice for files of sysfs that may not be read. */
extern const char denied_advice[];
