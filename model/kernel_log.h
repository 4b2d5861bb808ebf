/* The kernel's log as a source: why it cannot be followed, and what was counted in it.
 *
 * The log is a stream, so a collector cannot sample it: flashscoped follows it
 * (daemon/kernel_log.h) and writes its counts down in a block of hw_memory(), where the collector
 * kmsg finds them. Both are in one thread and have one struct hw. Kernel:
 * Documentation/ABI/testing/dev-kmsg, Documentation/admin-guide/sysctl/kernel.rst */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "model/probe.h"

#define KERNEL_DEVICES_MAX 96
#define KERNEL_COUNTS_MAX  40

/* The fields of the group kernel_log. */
enum {
	KERNEL_LOG_RECORDS,
	KERNEL_LOG_LOST,
	KERNEL_LOG_PROCESS,
	KERNEL_LOG_IGNORED,
	KERNEL_LOG_UNREADABLE,
	N_KERNEL_LOG_FIELDS,
};

/* The first fields of the group kernel_incidents; those by cause follow. */
enum { KERNEL_INCIDENTS, KERNEL_FINDINGS };

struct kernel_log_problem {
	enum outcome outcome;
	char reason[PROBE_TEXT_MAX], advice[PROBE_TEXT_MAX];
};

struct kernel_device_counts {
	char node[NODE_NAME_MAX];
	int64_t values[KERNEL_COUNTS_MAX]; /* by field of the group kernel_incidents */
};

struct kernel_counts {
	bool is_served;   /* somebody follows the log, or tries to; else nothing below counts */
	bool is_awaited;  /* it was asked for, and is not there yet */
	bool is_followed; /* else the problem says why not */
	struct kernel_log_problem problem;
	int64_t log[N_KERNEL_LOG_FIELDS];
	struct kernel_device_counts devices[KERNEL_DEVICES_MAX];
	size_t n_devices;
};

/* The block; NULL without memory. */
struct kernel_counts *kernel_counts_of(struct hw *hw);

/* What it means that the log cannot be opened or read (-errno), and what can be done about it. */
void kernel_log_explain(struct hw *hw, int error, struct kernel_log_problem *ret);
