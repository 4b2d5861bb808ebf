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
	char from[96]; /* "androidboot.bootreason", or the path of a power_on_reason */
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
 * (Documentation/ABI/testing/sysfs-platform-power-on-reason). */
void boot_evidence_read(struct hw *hw, struct boot_evidence *ret);
