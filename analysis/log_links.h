/* Which disk hangs on what, as a log itself tells when they are found: for a log that comes without
 * its machine's tree. The line of a disk says that sda is 0:0:0:0, on host 0 (drivers/scsi/sd.c),
 * the line of a host that host 0 is of UFS, or of a USB device (drivers/scsi/hosts.c). No line says
 * which controller of UFS host 0 is, so with more than one of either nothing is linked to one.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/incidents.h"

#define LOG_LINKS_DISKS_MAX 32
#define LOG_LINKS_USB_MAX   16
#define LOG_LINKS_PATH_MAX  24

/* Zero-initialised it knows nothing. */
struct log_links {
	bool has_host;
	int64_t host; /* of UFS, by its number */
	char controller[NODE_NAME_MAX];
	bool is_many; /* hosts or controllers */
	struct {
		char name[8];
		char address[LOG_LINKS_PATH_MAX]; /* "6:0:0:0"; "" for a longer one */
		int64_t host;
	} disks[LOG_LINKS_DISKS_MAX];
	size_t n_disks;
	/* Hosts of USB devices, by the path of the device: "2-4.1". The oldest are written over. */
	struct {
		char path[LOG_LINKS_PATH_MAX];
		int64_t host;
	} usb[LOG_LINKS_USB_MAX];
	size_t n_usb, next_usb;
	char last_usb[LOG_LINKS_PATH_MAX]; /* that was found; uas does not say which one is its */
};

/* Takes what the next message tells, if anything. */
void log_links_take(struct log_links *links, const struct kernel_message *message);

/* An incidents_canonical; arg is a struct log_links: the controller of UFS for one of its disks,
 * for their partitions, addresses and hosts; the disk for its address, its host and its USB device.
 */
bool log_links_find(void *arg, const char *name, char *out);
