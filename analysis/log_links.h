/* Which disk hangs on which UFS controller, as a log itself tells when they are found: for a log
 * that comes without its machine's tree. The line of a host with the name of its driver says that
 * host 0 is of UFS (drivers/scsi/hosts.c), the line of a disk that sda hangs on host 0
 * (drivers/scsi/sd.c). No line says which controller host 0 is, so with more than one of either
 * nothing is linked. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/incidents.h"

#define LOG_LINKS_DISKS_MAX 32

/* Zero-initialised it knows nothing. */
struct log_links {
	bool has_host;
	int64_t host; /* of UFS, by its number */
	char controller[NODE_NAME_MAX];
	bool is_many; /* hosts or controllers */
	struct {
		char name[8];
		int64_t host;
	} disks[LOG_LINKS_DISKS_MAX];
	size_t n_disks;
};

/* Takes what the next message tells, if anything. */
void log_links_take(struct log_links *links, const struct kernel_message *message);

/* An incidents_canonical; arg is a struct log_links: the controller, for one of its disks or its
 * partitions. */
bool log_links_find(void *arg, const char *name, char *out);
