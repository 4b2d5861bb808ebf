/* What this boot finds of the end of the one before, without what only root may read: watchdogs,
 * and what boot loader and SoC say of the reset. Read once; nothing is opened that does anything by
 * being opened (/dev/watchdog). */
#pragma once

#include "base/hw.h"

#define BOOT_WATCHDOGS_MAX 8
#define BOOT_FIRMWARE_MAX  4

struct boot_watchdog {
	char name[32], identity[64];
	unsigned bootstatus;
};

struct boot_firmware {
	char from[96]; /* "androidboot.bootreason", "power_on_reason", or where in the device tree
			*/
	char text[96];
};

struct boot_evidence {
	struct boot_watchdog watchdogs[BOOT_WATCHDOGS_MAX];
	size_t n_watchdogs;
	struct boot_firmware firmware[BOOT_FIRMWARE_MAX];
	size_t n_firmware;
	bool has_rtc; /* from which the kernel has set its clock, by /sys/class/rtc/N/hctosys */
};

/* Watchdogs: /sys/class/watchdog/N/bootstatus (Documentation/ABI/testing/sysfs-class-watchdog).
 * Firmware: androidboot.bootreason of the command line or of /proc/bootconfig (Android's Canonical
 * Boot Reason), and power_on_reason of platform devices
 * (Documentation/ABI/testing/sysfs-platform-power-on-reason). In the device tree, below /chosen:
 * reset-source and reset-source-instance of barebox (common/reset_source.c, and its documentation
 * of what it fixes up in the tree), and power/power_reset, why the PMIC of a Raspberry Pi 5 did a
 * reset (firmware without source; the bits as programs for it decode them). Of U-Boot and of the
 * boot loaders of Qualcomm no such property is known here. */
void boot_evidence_read(struct hw *hw, struct boot_evidence *ret);
