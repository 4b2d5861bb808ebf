#include "model/kernel_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct kernel_counts *kernel_counts_of(struct hw *hw)
{
	return hw_memory(hw, "kernel_log", sizeof(struct kernel_counts));
}

PRINTF_LIKE(4, 5)
static void say(struct kernel_log_problem *ret, enum outcome outcome, const char *advice,
		const char *fmt, ...)
{
	va_list args;

	ret->outcome = outcome;
	snprintf(ret->advice, sizeof(ret->advice), "%s", advice);
	va_start(args, fmt);
	vsnprintf(ret->reason, sizeof(ret->reason), fmt, args);
	va_end(args);
}

/* The kernel says EPERM for three reasons; two of them can be read. */
static void explain_refusal(struct hw *hw, int error, struct kernel_log_problem *ret)
{
	char devkmsg[32] = "";
	int64_t restricted = 0;

	if (hw_read_line(hw, devkmsg, sizeof(devkmsg), "proc/sys/kernel/printk_devkmsg") >= 0 &&
	    !strcmp(devkmsg, "off")) {
		say(ret, OUTCOME_DISABLED,
		    "sysctl kernel.printk_devkmsg=ratelimit, or take printk.devkmsg=off off the "
		    "kernel's command line",
		    "the kernel gives its log to nobody (printk.devkmsg=off)");
		return;
	}
	if (error == -EPERM &&
	    hw_read_i64(hw, &restricted, "proc/sys/kernel/dmesg_restrict") >= 0 && restricted)
		say(ret, OUTCOME_DENIED,
		    "let flashscope-helper run as root, which opens it for flashscoped; or sysctl "
		    "kernel.dmesg_restrict=0",
		    "the kernel gives its log only to CAP_SYSLOG (kernel.dmesg_restrict=1)");
	else
		say(ret, OUTCOME_DENIED,
		    "let flashscope-helper run as root with CAP_SYSLOG, which opens it for "
		    "flashscoped; in a container, give it /dev/kmsg",
		    "/dev/kmsg: %s", strerror(-error));
}

void kernel_log_explain(struct hw *hw, int error, struct kernel_log_problem *ret)
{
	if (error == -ENOENT && !hw_is_live(hw))
		say(ret, OUTCOME_NO_NODE, "dd if=/dev/kmsg of=TREE/dev/kmsg iflag=nonblock bs=8k",
		    "no log of the kernel was recorded (dev/kmsg)");
	else if (error == -ENOENT || error == -ENXIO || error == -ENODEV)
		say(ret, OUTCOME_NO_NODE,
		    "in a container, give it /dev/kmsg; else build the kernel with "
		    "CONFIG_PRINTK=y",
		    "there is no /dev/kmsg");
	else if (error == -EPERM || error == -EACCES)
		explain_refusal(hw, error, ret);
	else
		say(ret, OUTCOME_FAILED, "", "/dev/kmsg: %s", strerror(-error));
}
