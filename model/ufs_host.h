/* UFS host controllers in sysfs. The directory of one has the driver's nodes (power_info/,
 * monitor/, rpm_lvl) and, below hostN, its logical units. Names of directories come from the device
 * tree of the board or are a PCI address, and N is given anew at each probe of the driver, so a
 * host is found from what leads to it: SCSI hosts, block devices, at last the nodes themselves, of
 * whatever lies on a bus.
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "model/probe.h"
#include "model/sink.h"

#define UFS_HOSTS_MAX 16

struct ufs_host {
	char dir[HW_PATH_MAX];            /* "sys/devices/platform/soc@0/1d84000.ufs" */
	char name[NODE_NAME_MAX];         /* of the controller: "1d84000.ufs" */
	char identity[NODE_IDENTITY_MAX]; /* "path:platform/soc@0/1d84000.ufs", "": too long */
	int number;                       /* of the SCSI host now, -1 without one */
};

struct ufs_hosts {
	struct ufs_host v[UFS_HOSTS_MAX]; /* by number, those without one last */
	size_t n;
};

/* Finds the hosts; those beyond UFS_HOSTS_MAX are left out. Opens nothing that asks the device or
 * touches the controller. The caller frees *ret. -ENOENT without any, -EACCES when the directories
 * that lead to one may not be read; -ENOMEM, -EMFILE and others when one may be hidden by it. */
int ufs_hosts_find(struct hw *hw, struct ufs_hosts **ret);

/* Well-known units: 0xC100 and the id of the standard. */
enum { UFS_LUN_BOOT = 49456, UFS_LUN_RPMB = 49476, UFS_LUN_DEVICE = 49488 };

#define UFS_UNITS_MAX 64

struct ufs_unit {
	char dir[HW_PATH_MAX];
	char name[NODE_NAME_MAX]; /* "sda"; "1d84000.ufs:device" where there is no disk */
	/* "path:platform/soc@0/1d84000.ufs/0:0:0": as the disk's by its path, so without a number
	 * of the host. "" where that does not fit. */
	char identity[NODE_IDENTITY_MAX];
	int64_t lun;
	bool has_disk;
};

struct ufs_units {
	struct ufs_unit v[UFS_UNITS_MAX]; /* by number */
	size_t n;
};

/* Finds the logical units of a host; none is no error, those beyond UFS_UNITS_MAX are left out. The
 * caller frees *ret. -ENOMEM, -EMFILE and others when units may be hidden by it. */
int ufs_units_find(struct hw *hw, const struct ufs_host *host, struct ufs_units **ret);

/* Says why there is no host (error: that of ufs_hosts_find()). */
void ufs_report_none(struct hw *hw, struct probe *probe, int error);
