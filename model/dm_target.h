/* What kind of target a device-mapper device has, as far as sysfs tells. It has no file for it: the
 * table is answered by an ioctl of /dev/mapper/control, which takes CAP_SYS_ADMIN. But tools put
 * their own prefix in front of the uuid, and some give names that follow a rule.
 * Kernel: drivers/md/dm-sysfs.c, dm-ioctl.c; prefixes: cryptsetup, LVM2, multipath-tools, kpartx */
#pragma once

#include "base/macros.h"

struct dm_target {
	const char *kind; /* "crypt", "verity", "lvm", ...; NULL: the uuid does not tell */
	char format[16];  /* of crypt: "LUKS2"; "" otherwise */
};

struct dm_target dm_target_of_uuid(const char *uuid);

/* What the name of a device makes likely, NULL: nothing. below: the name of the partition or dm
 * device that it lies on, or "". A guess, to be shown as one. */
const char *dm_target_likely(const char *name, const char *below);

/* The kind of an LVM volume by the name of a volume below it ("vg-lv_rimage_0"); NULL otherwise. */
const char *dm_target_of_lvm(const char *below);
