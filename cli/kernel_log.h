/* flashscope kernel-log: what its files share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analysis/incidents.h"
#include "analysis/log_links.h"
#include "base/macros.h"

/* Past it the oldest are dropped, and that is said. */
#define KERNEL_LOG_INCIDENTS_MAX 4096

/* The incidents of a log, in the order in which they began once it is read. */
struct kernel_log {
	struct incidents *table;
	struct log_links links; /* what it tells of its devices, for a log without a tree */
	struct incident *closed;
	size_t n, alloc;
	long long dropped;
	bool shows_lines;   /* each line is printed as it is read */
	bool knows_devices; /* by a tree of the machine that the log is of */
};

/* Takes a whole log. -ENOMEM, or the errno of reading. */
MUST_CHECK int kernel_log_read(struct kernel_log *log, FILE *in);
void kernel_log_done(struct kernel_log *log);

MUST_CHECK int kernel_log_print_table(const struct kernel_log *log);
MUST_CHECK int kernel_log_print_json(const struct kernel_log *log);
/* One line of the log with what it was taken for. */
void kernel_log_print_line(const struct kernel_message *message,
			   const struct incidents_taken *taken);
/* The device as people know it: as a tree knows it; without one the disk, where it was named. */
const char *kernel_log_device(const struct kernel_log *log, const struct incident *incident);
