/* clang-format off */
/* How a boot ended, decided from what the next boot finds. Pure: no IO, no clock.
 *
 * Each piece of evidence speaks for one cause with a weight; the heaviest decides, and all are kept
 * as reasons, heaviest first. Where the two heaviest say the same and are likely each, that is
 * certain, but not of an end in order (below). From heavy to light:
 *
 *   a record of a panic that is not older than the last sample           kernel_crash        certain
 *   the last lines of the kernel's log: a critical temperature           thermal_shutdown    certain
 *     a supply out of bounds, or other hardware to be protected          power_shutdown, protection_shutdown
 *   the last lines: a panic                                              kernel_crash        certain
 *   one of these three was told in the last minutes, and then the        thermal_shutdown    likely
 *     machine went down                                                  power_shutdown, protection_shutdown
 *   the firmware: too hot, and the machine went down                     thermal_shutdown    likely
 *   the last line: "reboot: Restarting system", "Power down", "halted"   clean_stop          certain
 *   the machine was going down, but a watchdog did the reset and a       watchdog            likely
 *     drive counts one more unsafe shutdown
 *   the daemon was stopped while the machine was going down              clean_stop          likely
 *   a record of a panic whose time is not known                          kernel_crash        likely
 *   bootstatus OVERHEAT; the firmware: too hot                           thermal_shutdown    likely
 *   the firmware: panic                                                  kernel_crash        likely
 *   bootstatus CARDRESET; the firmware: watchdog                         watchdog            likely
 *   a record of an emergency restart at the end                          reset_or_power_cut  likely
 *   a critical temperature or the like in the last minutes               thermal_shutdown    likely
 *   an oops in the last minute, and no stop                              kernel_crash        likely
 *   bootstatus POWERUNDER, POWEROVER                                     reset_or_power_cut  likely
 *   a drive counts one more unsafe shutdown                              reset_or_power_cut  likely
 *   the firmware: brown-out, power-up, reset button                      reset_or_power_cut  likely
 *   SIGPWR was the last that was heard                                   reset_or_power_cut  likely
 *   the firmware: asked for by software, and the daemon was stopped      clean_stop          likely
 *   the recording breaks off, and the next kernel came soon              reset_or_power_cut  likely
 *   a record of a panic, minutes or more after the last that is known    kernel_crash        possible
 *   a record of a panic whose stamps are before the end                  kernel_crash        possible
 *   the daemon was stopped, and no drive counts an unsafe shutdown       clean_stop          possible
 *   the daemon was stopped, and the next kernel came soon                clean_stop          possible
 *   the recording breaks off, no drive counts an unsafe shutdown, and    daemon_gone         possible
 *     the next kernel came long after
 *   the recording breaks off                                             reset_or_power_cut  possible
 *   the firmware: asked for by software, and the recording breaks off    clean_stop          possible
 *   the daemon was stopped, long before or nobody knows                  daemon_gone         possible
 *
 * The kernel's own answer to a critical temperature is an orderly power-off: a machine that goes
 * down within minutes of one goes down for it, and nothing that tells of order speaks against it.
 *
 * A watchdog that restarts the machine on request sets the same bit as one that was not fed (many
 * SoCs restart by it), and a panic ends in a reset by one: so what is known of an orderly end, or
 * of a panic, goes before what watchdog and firmware say.
 *
 * A shutdown that began has not always come to its end: it can hang, for hours as well, and then be
 * reset. Only the kernel's own last word saw the end, so nothing else makes order certain, and
 * nothing that adds up. The daemon's mark is older. Drives count a loss of power that they were not
 * told of, and nothing at a reset that leaves the power on, however late it comes. "Asked for by
 * software" is a restart at once as well, by sysrq or after a panic: it speaks for order only where
 * the daemon was stopped.
 *
 * A panic that is older than the last sample cannot have ended the boot and speaks for nothing.
 * After a crash the power may be cut as well: unsafe shutdowns say least.
 *
 * A daemon that died and was not started again leaves what a cut of the power leaves. Only drives
 * tell the two apart: they count a loss of power that nobody told them of, and no reset that leaves
 * the power on. So without one more count and with a long time to the next kernel, it is taken for
 * gone. A machine that hung for as long and was then reset looks the same, and so does one whose
 * power was held up until the drives had written: it is possible, no more. Without drives that
 * count, or without clocks, nothing tells.
 *
 * Watchdogs, firmware, a console's record and whatever else has no time tell of the boot just
 * before this one. The recorded boot may be an older one when minutes or more lie between its last
 * sample and this kernel; then they are light, and say no more than what is possible.
 *
 * Kernel: include/uapi/linux/watchdog.h (WDIOF_*), kernel/reboot.c (the last lines, hw_protection),
 * include/linux/kmsg_dump.h, include/linux/power/power_on_reason.h; Android: Canonical Boot
 * Reason. */
/* clang-format on */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"
#include "base/parse.h"
#include "model/record.h"

enum boot_end_cause {
	BOOT_END_UNKNOWN,
	BOOT_END_DAEMON_GONE, /* it had stopped before, and how the boot ended is not known */
	BOOT_END_CLEAN_STOP,
	BOOT_END_RESET_OR_POWER_CUT,
	BOOT_END_WATCHDOG,
	BOOT_END_THERMAL_SHUTDOWN,
	BOOT_END_POWER_SHUTDOWN, /* the kernel saw a supply's voltage or current out of bounds */
	BOOT_END_PROTECTION_SHUTDOWN, /* the kernel protected the hardware, for another reason */
	BOOT_END_KERNEL_CRASH,
	N_BOOT_ENDS,
};

enum boot_end_certainty { BOOT_END_POSSIBLE, BOOT_END_LIKELY, BOOT_END_CERTAIN };

/* "kernel_crash"; "certain". */
const char *boot_end_cause_name(enum boot_end_cause cause);
const char *boot_end_certainty_name(enum boot_end_certainty certainty);
/* A sentence for people: "the kernel crashed". */
const char *boot_end_sentence(enum boot_end_cause cause);
enum severity boot_end_severity(enum boot_end_cause cause);

/* Bits of bootstatus; uapi/linux/watchdog.h. */
#define WATCHDOG_OVERHEAT   0x0001
#define WATCHDOG_FANFAULT   0x0002
#define WATCHDOG_EXTERN1    0x0004
#define WATCHDOG_EXTERN2    0x0008
#define WATCHDOG_POWERUNDER 0x0010
#define WATCHDOG_CARDRESET  0x0020
#define WATCHDOG_POWEROVER  0x0040

/* The name of a single bit, NULL for one that tells nothing of a reset. */
const char *boot_end_watchdog_flag(unsigned bit);

enum boot_end_stop {
	BOOT_END_BROKE_OFF,        /* no stop of the daemon is in the file */
	BOOT_END_STOPPED,          /* whether the machine was going down is not known */
	BOOT_END_STOPPED_RUNNING,  /* somebody stopped it; the machine was not going down */
	BOOT_END_STOPPED_SHUTDOWN, /* the machine was going down */
};

/* What the last lines of a kernel's log say, if it is one up to the end. */
enum boot_end_log {
	BOOT_END_LOG_NONE, /* there is none, or it says nothing of an end */
	BOOT_END_LOG_PANIC,
	BOOT_END_LOG_THERMAL,
	BOOT_END_LOG_POWER,
	BOOT_END_LOG_PROTECTION,
	BOOT_END_LOG_ORDERLY,
};

/* What the firmware, the boot loader or the SoC says of the reset. */
enum boot_end_firmware {
	BOOT_END_FIRMWARE_NONE, /* nothing, or nothing that is known */
	BOOT_END_FIRMWARE_PANIC,
	BOOT_END_FIRMWARE_WATCHDOG,
	BOOT_END_FIRMWARE_THERMAL,
	BOOT_END_FIRMWARE_POWER,    /* power-up, brown-out, reset button, a key held down */
	BOOT_END_FIRMWARE_SOFTWARE, /* a restart or power-off by software, in order or at once */
};

#define BOOT_END_TIME_NONE INT64_MIN
#define BOOT_END_SOON_MS   (INT64_C(5) * 60 * 1000)

struct boot_end_evidence {
	enum boot_end_stop stop;
	bool power_failed; /* SIGPWR came, and nothing after it */
	/* From the last that the file knows of the boot to the start of the next kernel, by the
	 * wall clock; BOOT_END_TIME_NONE when one of the clocks was not set, or it went back. */
	int64_t gap_ms;
	/* The wall clock is not synchronized: where no RTC is, it was set at the start to a time
	 * that was saved at the end before, and tells of no gap. */
	bool gap_is_unsure;
	/* Records of pstore that are new: those of a panic, of an oops, and those that cannot be
	 * read. */
	bool has_panic, has_oops, has_emergency, has_unread;
	/* When: after the last that the file knows of the boot, negative before it;
	 * BOOT_END_TIME_NONE: not known. */
	int64_t panic_after_ms, oops_after_ms, emergency_after_ms;
	/* Of panics without a time: their last stamps are earlier than the boot was recorded to. */
	bool panic_is_odd;
	enum boot_end_log log;
	bool log_has_time; /* of a record that was written at the end of this very boot */
	bool log_is_odd;   /* its last stamp is earlier than the boot was recorded to */
	unsigned watchdog; /* bootstatus of all watchdogs */
	enum boot_end_firmware firmware;
	const char *firmware_text; /* its words; NULL without */
	int64_t n_drives;          /* of which both counts of unsafe shutdowns are known */
	int64_t unsafe_rise;       /* of these counts, together */
	/* In the last minutes the kernel told of a critical temperature, of a supply, or that it
	 * protects the hardware. */
	bool was_critical, had_power_fault, was_protected;
};

#define BOOT_END_REASONS_MAX 24
#define BOOT_END_TEXT_MAX    192

struct boot_end_reason {
	enum boot_end_cause cause; /* UNKNOWN: speaks for nothing */
	enum boot_end_certainty certainty;
	int weight;
	char text[BOOT_END_TEXT_MAX];
};

struct boot_end {
	enum boot_end_cause cause;
	enum boot_end_certainty certainty;
	struct boot_end_reason reasons[BOOT_END_REASONS_MAX]; /* heaviest first */
	size_t n_reasons;
};

void boot_end_decide(const struct boot_end_evidence *evidence, struct boot_end *ret);

/* What a log says of the end of its boot by its last lines: of dmesg, console or a record. What is
 * minutes older than its last line, or of a boot before, says nothing. ret_last_ms: the kernel's
 * stamp of the last line, -1 without one; NULL if nobody asks. */
enum boot_end_log boot_end_of_log(struct slice log, int64_t *ret_last_ms);

/* What the kernel gave as the reason of its crash, in its own words: of the panic, and of the fault
 * before it where the panic only says that there was one. false: the log tells of none. */
bool boot_end_crash_of_log(struct slice log, char *ret, size_t size);

/* What androidboot.bootreason or power_on_reason says: its first word, then the detail; barebox, by
 * whole words; or a PMIC. */
enum boot_end_firmware boot_end_of_firmware(const char *word);
