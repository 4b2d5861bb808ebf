/* How a boot ended: each piece of evidence alone, and those that contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/boot_end.h"

#define NONE   BOOT_END_TIME_NONE
#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

struct example {
	const char *what;
	struct boot_end_evidence e;
	enum boot_end_cause cause;
	enum boot_end_certainty certainty;
};

/* clang-format off */
static const struct example examples[] = {
	{"the recording breaks off, nothing else is known", {.stop = BOOT_END_BROKE_OFF, .gap_ms = NONE},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"a night later", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"a minute later", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"and a drive says so too", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .n_drives = 2, .unsafe_rise = 1},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_CERTAIN},
	{"a night later, and no drive lost its power", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .n_drives = 1},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"a night later, and one did", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .n_drives = 2, .unsafe_rise = 1},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"a minute later, and no drive lost its power", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .n_drives = 1},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"a night later by a clock that was only set", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .gap_is_unsure = true,
	 .n_drives = 1},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"the recorder had gone, and a restart by software", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .n_drives = 1,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "reboot"},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"stopped as the machine went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = 3 * HOUR},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"and the drives were told, or it hung for hours and was reset", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = 3 * HOUR, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"and the drives were told, of what may be a reset", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"and the drives were told, hours before by a clock nobody set", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = 3 * HOUR, .gap_is_unsure = true, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"and its log has the end", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"and some log has an end", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = 3 * HOUR, .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"stopped a moment before", {.stop = BOOT_END_STOPPED, .gap_ms = MINUTE},
	 BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE},
	{"stopped 3 h before", {.stop = BOOT_END_STOPPED, .gap_ms = 3 * HOUR},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"stopped, and the clock was never set", {.stop = BOOT_END_STOPPED, .gap_ms = NONE},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"stopped by somebody, a moment before", {.stop = BOOT_END_STOPPED_RUNNING, .gap_ms = MINUTE},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"stopped 3 h before, and the drives were parked", {.stop = BOOT_END_STOPPED, .gap_ms = 3 * HOUR, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE},
	{"stopped, then the power went", {.stop = BOOT_END_STOPPED, .gap_ms = 3 * HOUR, .n_drives = 1, .unsafe_rise = 1},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"a panic", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .has_panic = true, .panic_after_ms = 800},
	 BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN},
	{"a panic, then the watchdog", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .has_panic = true,
	 .panic_after_ms = 800, .watchdog = WATCHDOG_CARDRESET, .n_drives = 1, .unsafe_rise = 1},
	 BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN},
	{"a panic of an unknown time", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .has_panic = true, .panic_after_ms = NONE},
	 BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY},
	{"the panic of an older boot, then a shutdown", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .has_panic = true, .panic_after_ms = -HOUR, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"a panic of an unknown time, and a shutdown", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .has_panic = true, .panic_after_ms = NONE},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"a panic hours after a shutdown: of another boot", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = 9 * HOUR,
	 .has_panic = true, .panic_after_ms = 5 * HOUR, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"a panic hours after the recorder was stopped", {.stop = BOOT_END_STOPPED_RUNNING, .gap_ms = 9 * HOUR,
	 .has_panic = true, .panic_after_ms = 5 * HOUR},
	 BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE},
	{"a panic while it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .has_panic = true, .panic_after_ms = 4000},
	 BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN},
	{"the panic of an older boot, and the recording breaks off", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .has_panic = true, .panic_after_ms = -HOUR},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"an oops that the kernel outlived", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .has_oops = true, .oops_after_ms = -HOUR},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"an oops at the end", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .has_oops = true, .oops_after_ms = 100},
	 BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY},
	{"an oops, then a shutdown", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .has_oops = true, .oops_after_ms = -100, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"a record that cannot be read", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .has_unread = true},
	 BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE},
	{"the log ends with a panic", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .log = BOOT_END_LOG_PANIC},
	 BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN},
	{"the log ends in order, the recorder was killed at the end", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"the log ends in order, for it was too hot", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .log = BOOT_END_LOG_THERMAL},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_CERTAIN},
	{"a watchdog", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .watchdog = WATCHDOG_CARDRESET},
	 BOOT_END_WATCHDOG, BOOT_END_LIKELY},
	{"a watchdog, and the firmware says so", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .watchdog = WATCHDOG_CARDRESET, .firmware = BOOT_END_FIRMWARE_WATCHDOG, .firmware_text = "watchdog"},
	 BOOT_END_WATCHDOG, BOOT_END_CERTAIN},
	{"a machine that restarts by its watchdog, or hung as it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = MINUTE, .watchdog = WATCHDOG_CARDRESET},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"one that restarts by its watchdog, and says so", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .watchdog = WATCHDOG_CARDRESET, .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"a shutdown that hung at a dying disk", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .watchdog = WATCHDOG_CARDRESET, .firmware = BOOT_END_FIRMWARE_WATCHDOG, .firmware_text = "watchdog",
	 .n_drives = 1, .unsafe_rise = 1},
	 BOOT_END_WATCHDOG, BOOT_END_LIKELY},
	{"the power was cut as it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .n_drives = 1,
	 .unsafe_rise = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"off for the night, and a cold start", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = 9 * HOUR,
	 .firmware = BOOT_END_FIRMWARE_POWER, .firmware_text = "cold,powerkey", .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"off for the night, and a record of that very end", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = 9 * HOUR,
	 .log = BOOT_END_LOG_ORDERLY, .log_has_time = true, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"a shutdown that hung for hours, then the reset button", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = 5 * HOUR, .firmware = BOOT_END_FIRMWARE_POWER, .firmware_text = "reset button action", .n_drives = 2},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"stopped long before, then the watchdog", {.stop = BOOT_END_STOPPED_RUNNING, .gap_ms = 3 * HOUR,
	 .watchdog = WATCHDOG_CARDRESET},
	 BOOT_END_WATCHDOG, BOOT_END_POSSIBLE},
	{"went down in order, and the log of a later boot has a panic", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = 9 * HOUR, .log = BOOT_END_LOG_PANIC, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"broke off, and a later boot was too hot", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR,
	 .log = BOOT_END_LOG_THERMAL, .watchdog = WATCHDOG_OVERHEAT, .firmware = BOOT_END_FIRMWARE_THERMAL,
	 .firmware_text = "shutdown,thermal"},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_POSSIBLE},
	{"a panic of an unknown time, a night later", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR,
	 .has_panic = true, .panic_after_ms = NONE},
	 BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE},
	{"a night later, but the record has a time", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR,
	 .log = BOOT_END_LOG_ORDERLY, .log_has_time = true},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"a panic in a log whose stamps end before the boot did", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .log = BOOT_END_LOG_PANIC, .log_is_odd = true},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"a minute later, by a clock that was set to what it was", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .gap_is_unsure = true},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"stopped a moment before, by such a clock", {.stop = BOOT_END_STOPPED, .gap_ms = MINUTE, .gap_is_unsure = true},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"an emergency restart", {.stop = BOOT_END_BROKE_OFF, .gap_ms = NONE, .has_emergency = true,
	 .emergency_after_ms = 900},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"an emergency restart of long ago", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .has_emergency = true,
	 .emergency_after_ms = -HOUR, .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"going down ended in an emergency restart", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .has_emergency = true, .emergency_after_ms = 9000},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"it got too hot, and went down for it", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .was_critical = true},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"to its end, by the log", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = HOUR, .was_critical = true,
	 .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"and the firmware says so", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .was_critical = true,
	 .firmware = BOOT_END_FIRMWARE_THERMAL, .firmware_text = "shutdown,thermal"},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_CERTAIN},
	{"the firmware alone says so", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .firmware = BOOT_END_FIRMWARE_THERMAL, .firmware_text = "shutdown,thermal"},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"OVERHEAT, and it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE, .was_critical = true,
	 .watchdog = WATCHDOG_OVERHEAT},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"OVERHEAT alone, as it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .watchdog = WATCHDOG_OVERHEAT},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"it got too hot, and nobody knows whether it went down", {.stop = BOOT_END_STOPPED, .gap_ms = MINUTE,
	 .was_critical = true},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"it got too hot, and somebody stopped the recorder", {.stop = BOOT_END_STOPPED_RUNNING, .gap_ms = MINUTE,
	 .was_critical = true},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_POSSIBLE},
	{"a supply failed, and it went down", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .had_power_fault = true},
	 BOOT_END_POWER_SHUTDOWN, BOOT_END_LIKELY},
	{"its hardware was protected", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .was_protected = true},
	 BOOT_END_PROTECTION_SHUTDOWN, BOOT_END_LIKELY},
	{"the log ends with a fault of a supply", {.stop = BOOT_END_STOPPED_SHUTDOWN, .gap_ms = MINUTE,
	 .log = BOOT_END_LOG_POWER},
	 BOOT_END_POWER_SHUTDOWN, BOOT_END_CERTAIN},
	{"OVERHEAT", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE, .watchdog = WATCHDOG_OVERHEAT | WATCHDOG_CARDRESET},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"POWERUNDER", {.stop = BOOT_END_BROKE_OFF, .gap_ms = NONE, .watchdog = WATCHDOG_POWERUNDER},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"a bit that tells nothing", {.stop = BOOT_END_STOPPED, .gap_ms = NONE, .watchdog = 0x8180},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"it got too hot, and the recording breaks off", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 2 * HOUR, .was_critical = true},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"it got too hot, and the power went", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 2 * HOUR, .was_critical = true,
	 .n_drives = 1, .unsafe_rise = 1},
	 BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY},
	{"the firmware: cold", {.stop = BOOT_END_BROKE_OFF, .gap_ms = NONE, .firmware = BOOT_END_FIRMWARE_POWER,
	 .firmware_text = "cold"},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"the firmware: reboot", {.stop = BOOT_END_STOPPED, .gap_ms = 3 * HOUR, .firmware = BOOT_END_FIRMWARE_SOFTWARE,
	 .firmware_text = "reboot"},
	 BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE},
	{"the firmware: reboot, minutes later", {.stop = BOOT_END_STOPPED, .gap_ms = 4 * MINUTE,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "reboot"},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"the firmware: by software, and no stop is known", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "software reset"},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
	{"the same, by clocks that were not set", {.stop = BOOT_END_BROKE_OFF, .gap_ms = NONE,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "software reset"},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"the same, and hours later", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 3 * HOUR,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "reboot"},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE},
	{"the same, but a log knows of its end", {.stop = BOOT_END_BROKE_OFF, .gap_ms = MINUTE,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "software reset", .log = BOOT_END_LOG_ORDERLY},
	 BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN},
	{"the firmware: by software, as it went down, or by sysrq where that hung", {.stop = BOOT_END_STOPPED_SHUTDOWN,
	 .gap_ms = MINUTE, .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "reboot", .n_drives = 1},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"the firmware: by software, and a stop by hand", {.stop = BOOT_END_STOPPED_RUNNING, .gap_ms = MINUTE,
	 .firmware = BOOT_END_FIRMWARE_SOFTWARE, .firmware_text = "reboot"},
	 BOOT_END_CLEAN_STOP, BOOT_END_LIKELY},
	{"a word of the firmware that nobody knows", {.stop = BOOT_END_STOPPED, .gap_ms = NONE, .firmware_text = "moon"},
	 BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE},
	{"SIGPWR", {.stop = BOOT_END_BROKE_OFF, .gap_ms = 9 * HOUR, .power_failed = true},
	 BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY},
};
/* clang-format on */

static void decisions(void **state)
{
	struct boot_end end;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *x = &examples[i];

		boot_end_decide(&x->e, &end);
		if (end.cause != x->cause || end.certainty != x->certainty)
			fail_msg("%s: %s (%s): %s", x->what, boot_end_cause_name(end.cause),
				 boot_end_certainty_name(end.certainty), end.reasons[0].text);
		for (size_t r = 1; r < end.n_reasons; r++)
			assert_true(end.reasons[r - 1].weight >= end.reasons[r].weight);
		assert_true(end.n_reasons > 0 && *end.reasons[0].text);
	}
}

/* Whatever is put together, all reasons fit and the heaviest decides. */
static void everything_at_once(void **state)
{
	struct boot_end end;

	(void)state;
	for (unsigned bits = 0; bits < 1U << 15; bits++) {
		const struct boot_end_evidence e = {
			.stop = (enum boot_end_stop)(bits & 3),
			.log = (enum boot_end_log)((bits >> 2) % 6),
			.had_power_fault = bits & 8192,
			.was_protected = bits & 8192,
			.has_emergency = bits & 8192,
			.has_panic = bits & 16,
			.has_oops = bits & 32,
			.has_unread = bits & 64,
			.panic_after_ms = bits & 128 ? -HOUR : 0,
			.watchdog = bits & 256 ? 0x7f : 0,
			.firmware = (enum boot_end_firmware)(bits % 6),
			.firmware_text = "x",
			.n_drives = 1,
			.unsafe_rise = bits & 512 ? 1 : 0,
			.was_critical = bits & 1024,
			.power_failed = bits & 2048,
			.gap_ms = bits & 16384 ? HOUR : MINUTE,
		};

		boot_end_decide(&e, &end);
		assert_true(end.n_reasons < BOOT_END_REASONS_MAX);
		assert_int_equal(end.cause, end.reasons[0].cause);
		assert_int_not_equal(end.cause, BOOT_END_UNKNOWN);
		/* Nothing else saw the end, and nothing adds up to having seen it. */
		if (end.cause == BOOT_END_CLEAN_STOP && end.certainty == BOOT_END_CERTAIN)
			assert_int_equal(e.log, BOOT_END_LOG_ORDERLY);
	}
}

static void logs(void **state)
{
	static const struct {
		const char *log;
		enum boot_end_log end;
	} lines[] = {
		{"", BOOT_END_LOG_NONE},
		{"[    1.0] usb 1-1: new device\n[   99.5] EXT4-fs (sda1): unmounting\n",
		 BOOT_END_LOG_NONE},
		{"[   99.5] EXT4-fs (sda1): unmounting\n[  100.1] reboot: Restarting system\n",
		 BOOT_END_LOG_ORDERLY},
		{"<0>[  100.1] reboot: Power down\n", BOOT_END_LOG_ORDERLY},
		{"[  100.1] reboot: System halted\n", BOOT_END_LOG_ORDERLY},
		{"[  100.1] reboot: Restarting system with command 'recovery'\n",
		 BOOT_END_LOG_ORDERLY},
		/* A ring that goes on with the next boot. */
		{"[  100.1] reboot: Restarting system\n[0.0] a\n[0.0] b\n[0.0] c\n[0.0] d\n[0.0] "
		 "e\n",
		 BOOT_END_LOG_NONE},
		{"[ 88.1] Kernel panic - not syncing: sysrq triggered crash\n[ 88.2] CPU: 0\n"
		 "[ 88.3] Call Trace:\n[ 89.0] ---[ end Kernel panic - not syncing: x ]---\n",
		 BOOT_END_LOG_PANIC},
		{"[ 88.1] thermal thermal_zone0: cpu: critical temperature reached\n"
		 "[ 88.2] reboot: HARDWARE PROTECTION shutdown (Temperature too high)\n"
		 "[ 95.0] reboot: Power down\n",
		 BOOT_END_LOG_THERMAL},
		{"[ 88.2] reboot: HARDWARE PROTECTION shutdown (System critical regulator: voltage "
		 "drop "
		 "detected)\n[ 95.0] reboot: Power down\n",
		 BOOT_END_LOG_POWER},
		{"[ 88.2] reboot: HARDWARE PROTECTION reboot (CrOS EC Panic)\n",
		 BOOT_END_LOG_PROTECTION},
		/* What a process wrote, which a console does not tell apart. */
		{"[ 88.1] systemd[1]: last boot: Kernel panic - not syncing: x\n",
		 BOOT_END_LOG_NONE},
		/* A day before the end. */
		{"[ 88.1] thermal thermal_zone0: cpu: critical temperature reached\n"
		 "[86400.1] EXT4-fs (sda1): unmounting\n",
		 BOOT_END_LOG_NONE},
		{"[ 88.1] thermal thermal_zone0: cpu: critical temperature reached\n"
		 "[86400.1] reboot: Restarting system\n",
		 BOOT_END_LOG_ORDERLY},
		/* Of the boot before. */
		{"[ 88.1] Kernel panic - not syncing: x\n[    0.0] Linux version 6.1\n[ 9.1] a\n",
		 BOOT_END_LOG_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (boot_end_of_log(slice_of(lines[i].log), NULL) != lines[i].end)
			fail_msg("%s", lines[i].log);
}

static void last_stamps(void **state)
{
	int64_t last_ms;

	(void)state;
	(void)boot_end_of_log(slice_of("[ 1.5] a\n[ 9.25] b\nc\n"), &last_ms);
	assert_int_equal(last_ms, 9250);
	(void)boot_end_of_log(slice_of("a\n"), &last_ms);
	assert_int_equal(last_ms, -1);
}

static void firmware(void **state)
{
	static const struct {
		const char *word;
		enum boot_end_firmware is;
	} words[] = {
		/* barebox */
		{"POR", BOOT_END_FIRMWARE_POWER},
		{"EXT", BOOT_END_FIRMWARE_POWER},
		{"BROWNOUT", BOOT_END_FIRMWARE_POWER},
		{"WDG (instance 1)", BOOT_END_FIRMWARE_WATCHDOG},
		{"THERM", BOOT_END_FIRMWARE_THERMAL},
		{"RST", BOOT_END_FIRMWARE_NONE},
		{"WKE", BOOT_END_FIRMWARE_NONE},
		{"PORT", BOOT_END_FIRMWARE_NONE},
		/* A Raspberry Pi 5 */
		{"PMIC: under-voltage", BOOT_END_FIRMWARE_POWER},
		{"PMIC: over-temperature", BOOT_END_FIRMWARE_NONE},
		{"PMIC: watchdog", BOOT_END_FIRMWARE_NONE},
		{"kernel_panic,sysrq", BOOT_END_FIRMWARE_PANIC},
		{"watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"wdog_bite", BOOT_END_FIRMWARE_WATCHDOG},
		{"watchdog timeout", BOOT_END_FIRMWARE_WATCHDOG},
		{"shutdown,thermal", BOOT_END_FIRMWARE_THERMAL},
		{"reboot,userrequested", BOOT_END_FIRMWARE_SOFTWARE},
		{"shutdown,thermal,battery", BOOT_END_FIRMWARE_THERMAL},
		{"thermal", BOOT_END_FIRMWARE_THERMAL},
		{"shutdown,battery", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot,longkey", BOOT_END_FIRMWARE_POWER},
		{"reboot,longkey,master_dc", BOOT_END_FIRMWARE_POWER},
		{"reboot,longkeys", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot,by_key", BOOT_END_FIRMWARE_POWER},
		{"reboot,2sec", BOOT_END_FIRMWARE_POWER},
		{"cold,rtc,2sec", BOOT_END_FIRMWARE_POWER},
		{"reboot,undervoltage", BOOT_END_FIRMWARE_POWER},
		{"shutdown,undervoltage", BOOT_END_FIRMWARE_POWER},
		{"reboot,uvlo,pmic", BOOT_END_FIRMWARE_POWER},
		{"reboot,powerloss", BOOT_END_FIRMWARE_POWER},
		{"reboot,pmic_off_fault,uvlo", BOOT_END_FIRMWARE_POWER},
		{"reboot,watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"reboot,wdt", BOOT_END_FIRMWARE_WATCHDOG},
		{"warm,watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"hard,watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"reboot,kernel_panic", BOOT_END_FIRMWARE_PANIC},
		{"kernel_panic,watchdog", BOOT_END_FIRMWARE_PANIC},
		{"watchdog,longkey", BOOT_END_FIRMWARE_WATCHDOG},
		/* A watchdog of a program, which has asked for a restart. */
		{"reboot,software,watchdog", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot,hard", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot,cold", BOOT_END_FIRMWARE_SOFTWARE},
		{"Watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"reset button action", BOOT_END_FIRMWARE_POWER},
		{"regular power-up", BOOT_END_FIRMWARE_POWER},
		{"hardware_test", BOOT_END_FIRMWARE_NONE},
		{"bootloader,cold", BOOT_END_FIRMWARE_NONE},
		{"cold,powerkey", BOOT_END_FIRMWARE_POWER},
		{"hard,hw_reset", BOOT_END_FIRMWARE_POWER},
		{"brown-out reset", BOOT_END_FIRMWARE_POWER},
		{"software reset", BOOT_END_FIRMWARE_SOFTWARE},
		{"warm", BOOT_END_FIRMWARE_NONE},
		{"unknown reason", BOOT_END_FIRMWARE_NONE},
		{"", BOOT_END_FIRMWARE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (boot_end_of_firmware(words[i].word) != words[i].is)
			fail_msg("%s", words[i].word);
}

static void crash_of_a_log(void **unused)
{
	static const struct {
		const char *log, *crash; /* NULL: none */
	} table[] = {
		{"<0>[ 1.0] Kernel panic - not syncing: sysrq triggered crash\n<4>[ 1.0] CPU: 0\n",
		 "sysrq triggered crash"},
		{"[ 1.0] BUG: kernel NULL pointer dereference, address: 8\n[ 1.0] Oops: 0002 [#1]\n"
		 "[ 1.0] Kernel panic - not syncing: Fatal exception in interrupt\n",
		 "BUG: kernel NULL pointer dereference, address: 8"},
		{"[ 1.0] kernel BUG at fs/a.c:1!\n[ 1.0] Kernel panic - not syncing: Oops - BUG\n",
		 "Oops - BUG"},
		{"[ 1.0] Unable to handle kernel paging request at virtual address 1\n",
		 "Unable to handle kernel paging request at virtual address 1"},
		{"[ 1.0] Kernel panic - not syncing\n", NULL},
		{"[ 1.0] reboot: Restarting system\n", NULL},
		{"<30>[ 1.0] Kernel panic - not syncing: x\n", NULL},
		{"", NULL},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char crash[128] = "";
		bool is = boot_end_crash_of_log(slice_of(table[i].log), crash, sizeof(crash));

		if (is != !!table[i].crash || (is && strcmp(crash, table[i].crash) != 0))
			fail_msg("%s: %s", table[i].log, crash);
	}
}

static void a_panic_by_its_stamps(void **unused)
{
	struct boot_end_evidence e = {.has_panic = true,
				      .panic_after_ms = BOOT_END_TIME_NONE,
				      .panic_is_odd = true,
				      .gap_ms = 1000};
	struct boot_end end;

	(void)unused;
	boot_end_decide(&e, &end);
	assert_int_equal(end.cause, BOOT_END_RESET_OR_POWER_CUT);
	e.panic_is_odd = false;
	boot_end_decide(&e, &end);
	assert_int_equal(end.cause, BOOT_END_KERNEL_CRASH);
	assert_int_equal(end.certainty, BOOT_END_LIKELY);
	e.panic_is_odd = true;
	e.panic_after_ms = 0;
	boot_end_decide(&e, &end);
	assert_int_equal(end.certainty, BOOT_END_CERTAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decisions),
		cmocka_unit_test(everything_at_once),
		cmocka_unit_test(logs),
		cmocka_unit_test(last_stamps),
		cmocka_unit_test(firmware),
		cmocka_unit_test(crash_of_a_log),
		cmocka_unit_test(a_panic_by_its_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
