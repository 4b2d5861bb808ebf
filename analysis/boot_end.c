#include "analysis/boot_end.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/kernel_rules.h"
#include "base/text.h"

/* A panic is written within moments of the last sample; clocks are read one after the other. */
#define PANIC_BEFORE_MS INT64_C(5000)
#define OOPS_BEFORE_MS  INT64_C(60000)

static const struct {
	const char *name, *sentence;
	enum severity severity;
} causes[] = {
	[BOOT_END_UNKNOWN] = {"unknown", "how it ended is not known", SEVERITY_INFO},
	[BOOT_END_DAEMON_GONE] = {"daemon_gone",
				  "the recorder was stopped before, and how it ended is not known",
				  SEVERITY_INFO},
	[BOOT_END_CLEAN_STOP] = {"clean_stop", "it was shut down or restarted in order",
				 SEVERITY_INFO},
	[BOOT_END_RESET_OR_POWER_CUT] = {"reset_or_power_cut",
					 "it ended by a reset or a cut of the power",
					 SEVERITY_WARNING},
	[BOOT_END_WATCHDOG] = {"watchdog", "a watchdog reset the machine", SEVERITY_ERROR},
	[BOOT_END_THERMAL_SHUTDOWN] = {"thermal_shutdown", "the machine got too hot",
				       SEVERITY_CRITICAL},
	[BOOT_END_KERNEL_CRASH] = {"kernel_crash", "the kernel crashed", SEVERITY_ERROR},
};

const char *boot_end_cause_name(enum boot_end_cause cause)
{
	return causes[cause].name;
}

const char *boot_end_sentence(enum boot_end_cause cause)
{
	return causes[cause].sentence;
}

enum severity boot_end_severity(enum boot_end_cause cause)
{
	return causes[cause].severity;
}

const char *boot_end_certainty_name(enum boot_end_certainty certainty)
{
	static const char *const names[] = {"possible", "likely", "certain"};

	return names[certainty];
}

const char *boot_end_watchdog_flag(unsigned bit)
{
	static const struct {
		unsigned bit;
		const char *name;
	} flags[] = {
		{WATCHDOG_OVERHEAT, "OVERHEAT"},     {WATCHDOG_FANFAULT, "FANFAULT"},
		{WATCHDOG_EXTERN1, "EXTERN1"},       {WATCHDOG_EXTERN2, "EXTERN2"},
		{WATCHDOG_POWERUNDER, "POWERUNDER"}, {WATCHDOG_CARDRESET, "CARDRESET"},
		{WATCHDOG_POWEROVER, "POWEROVER"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].bit == bit)
			return flags[i].name;
	return NULL;
}

/* Keeps the reasons in order; of the same weight, the first stays before. */
PRINTF_LIKE(5, 6)
static void add(struct boot_end *end, enum boot_end_cause cause, enum boot_end_certainty certainty,
		int weight, const char *fmt, ...)
{
	size_t at = end->n_reasons;
	va_list args;

	if (end->n_reasons == BOOT_END_REASONS_MAX)
		return;
	while (at > 0 && end->reasons[at - 1].weight < weight)
		at--;
	memmove(&end->reasons[at + 1], &end->reasons[at],
		(end->n_reasons - at) * sizeof(end->reasons[0]));
	end->n_reasons++;

	struct boot_end_reason *reason = &end->reasons[at];

	*reason =
		(struct boot_end_reason){.cause = cause, .certainty = certainty, .weight = weight};
	va_start(args, fmt);
	vsnprintf(reason->text, sizeof(reason->text), fmt, args);
	va_end(args);
}

static void of_records(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->has_panic && e->panic_after_ms == BOOT_END_TIME_NONE)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY, 80,
		    "pstore has a new record of a panic, of an unknown time");
	else if (e->has_panic && e->panic_after_ms < -PANIC_BEFORE_MS)
		add(end, BOOT_END_UNKNOWN, BOOT_END_POSSIBLE, 0,
		    "the record of a panic in pstore is older than the last sample");
	else if (e->has_panic)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN, 100,
		    "pstore has the record of a panic at the end");
	if (e->has_oops && e->stop == BOOT_END_BROKE_OFF && e->oops_after_ms >= -OOPS_BEFORE_MS)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY, 62,
		    "pstore has the record of an oops of the last minute");
	else if (e->has_oops)
		add(end, BOOT_END_UNKNOWN, BOOT_END_POSSIBLE, 0,
		    "pstore has a new record of an oops, which the kernel may have outlived");
	if (e->has_unread && !e->has_panic)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE,
		    e->stop == BOOT_END_BROKE_OFF ? 35 : 0,
		    "pstore has a new record of a crash that cannot be read");
}

static void of_log(const struct boot_end_evidence *e, struct boot_end *end)
{
	switch (e->log) {
	case BOOT_END_LOG_THERMAL:
		add(end, BOOT_END_THERMAL_SHUTDOWN, BOOT_END_CERTAIN, 97,
		    "the kernel's log ends with a critical temperature");
		break;
	case BOOT_END_LOG_PANIC:
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN, 96,
		    "the kernel's log ends with a panic");
		break;
	case BOOT_END_LOG_ORDERLY:
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN, 92,
		    "the kernel's log ends with a restart or power-off in order");
		break;
	case BOOT_END_LOG_NONE:
		break;
	}
}

static void of_watchdog(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->watchdog & WATCHDOG_OVERHEAT)
		add(end, BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY, 76,
		    "the watchdog says OVERHEAT: a reset by the temperature of the CPU");
	if (e->watchdog & WATCHDOG_CARDRESET)
		add(end, BOOT_END_WATCHDOG, BOOT_END_LIKELY, 70,
		    "the watchdog says CARDRESET: it did the reset");
	if (e->watchdog & (WATCHDOG_POWERUNDER | WATCHDOG_POWEROVER))
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 60,
		    "the watchdog says %s: a fault of the power",
		    e->watchdog & WATCHDOG_POWERUNDER ? "POWERUNDER" : "POWEROVER");
	if (e->watchdog & (WATCHDOG_FANFAULT | WATCHDOG_EXTERN1 | WATCHDOG_EXTERN2))
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE, 32, "the watchdog says %s",
		    e->watchdog & WATCHDOG_FANFAULT  ? "FANFAULT"
		    : e->watchdog & WATCHDOG_EXTERN1 ? "EXTERN1"
						     : "EXTERN2");
}

static void of_firmware(const struct boot_end_evidence *e, struct boot_end *end)
{
	static const struct {
		enum boot_end_cause cause;
		int weight;
	} say[] = {
		[BOOT_END_FIRMWARE_NONE] = {BOOT_END_UNKNOWN, 0},
		[BOOT_END_FIRMWARE_PANIC] = {BOOT_END_KERNEL_CRASH, 74},
		[BOOT_END_FIRMWARE_WATCHDOG] = {BOOT_END_WATCHDOG, 69},
		[BOOT_END_FIRMWARE_THERMAL] = {BOOT_END_THERMAL_SHUTDOWN, 75},
		[BOOT_END_FIRMWARE_POWER] = {BOOT_END_RESET_OR_POWER_CUT, 50},
		[BOOT_END_FIRMWARE_SOFTWARE] = {BOOT_END_CLEAN_STOP, 40},
	};

	if (e->firmware_text)
		add(end, say[e->firmware].cause,
		    e->firmware == BOOT_END_FIRMWARE_NONE ? BOOT_END_POSSIBLE : BOOT_END_LIKELY,
		    say[e->firmware].weight, "the boot loader or SoC says: %.120s",
		    e->firmware_text);
}

static void of_drives(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->n_drives && e->unsafe_rise > 0)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 55,
		    "a drive lost its power without a word before: unsafe_shutdowns rose by %lld",
		    (long long)e->unsafe_rise);
	else if (e->n_drives && e->stop != BOOT_END_BROKE_OFF)
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE, 25,
		    "no drive counts one more unsafe shutdown");
	if (e->was_critical)
		add(end, BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY,
		    e->stop == BOOT_END_BROKE_OFF ? 65 : 30,
		    "a critical temperature was told in the last minutes");
}

static void of_daemon(const struct boot_end_evidence *e, struct boot_end *end)
{
	bool soon = e->gap_ms != BOOT_END_TIME_NONE && e->gap_ms <= BOOT_END_SOON_MS;
	char buf[64] = "";
	struct text gap = TEXT_IN(buf);

	if (e->gap_ms != BOOT_END_TIME_NONE)
		text_span(&gap, e->gap_ms);
	if (e->power_failed)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 45,
		    "the power was about to fail (SIGPWR)");
	if (e->stop == BOOT_END_STOPPED_SHUTDOWN)
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_CERTAIN, 90,
		    "the recorder was stopped while the machine was going down");
	else if (e->stop == BOOT_END_BROKE_OFF && soon)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 38,
		    "the recording breaks off, and the next kernel started %s later", buf);
	else if (e->stop == BOOT_END_BROKE_OFF)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE, 10,
		    "the recording breaks off%s%s%s", *buf ? ", and the next kernel started " : "",
		    buf, *buf ? " later" : "");
	else if (e->stop == BOOT_END_STOPPED && soon)
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE, 20,
		    "the recorder was stopped, and the next kernel started %s later", buf);
	else
		add(end, BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE, 5,
		    "the recorder was stopped%s%s%s%s",
		    e->stop == BOOT_END_STOPPED_RUNNING ? " while the machine was not going down"
							: "",
		    *buf ? ", and the next kernel started " : "", buf, *buf ? " later" : "");
}

void boot_end_decide(const struct boot_end_evidence *evidence, struct boot_end *ret)
{
	*ret = (struct boot_end){.cause = BOOT_END_UNKNOWN};
	of_records(evidence, ret);
	of_log(evidence, ret);
	of_watchdog(evidence, ret);
	of_firmware(evidence, ret);
	of_drives(evidence, ret);
	of_daemon(evidence, ret);
	if (!ret->n_reasons)
		return;
	ret->cause = ret->reasons[0].cause;
	ret->certainty = ret->reasons[0].certainty;
	/* Two that say the same by themselves. */
	if (ret->certainty == BOOT_END_LIKELY && ret->n_reasons > 1 &&
	    ret->reasons[1].cause == ret->cause && ret->reasons[1].certainty == BOOT_END_LIKELY)
		ret->certainty = BOOT_END_CERTAIN;
}

/* An orderly end is the last that a kernel says; of the others much may follow, above all the
 * backtrace of a panic. */
#define ORDERLY_LINES 4

static bool is_orderly(const char *text)
{
	static const char *const lines[] = {"Restarting system", "Power down", "System halted"};

	if (!strncmp(text, "reboot: ", strlen("reboot: ")))
		text += strlen("reboot: ");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strncmp(text, lines[i], strlen(lines[i])))
			return true;
	return false;
}

enum boot_end_log boot_end_of_log(struct slice log)
{
	enum boot_end_log end = BOOT_END_LOG_NONE;
	struct kernel_message message;
	struct finding finding;
	int since_orderly = -1;

	while (kernel_message_next(&log, &message)) {
		if (message.facility)
			continue;
		if (since_orderly >= 0)
			since_orderly++;
		if (is_orderly(message.text)) {
			since_orderly = 0;
			continue;
		}
		kernel_classify(&message, &finding);
		if (strstr(message.text, "Kernel panic - not syncing"))
			end = BOOT_END_LOG_PANIC;
		else if (finding.cause == CAUSE_THERMAL && finding.severity == SEVERITY_CRITICAL &&
			 end != BOOT_END_LOG_PANIC)
			end = BOOT_END_LOG_THERMAL;
	}
	if (end == BOOT_END_LOG_NONE && since_orderly >= 0 && since_orderly < ORDERLY_LINES)
		end = BOOT_END_LOG_ORDERLY;
	return end;
}

/* Which words stand for what: those of the Canonical Boot Reason, older ones that boot loaders of
 * Android go on using, and those of power_on_reason. Looked for anywhere, in this order. */
enum boot_end_firmware boot_end_of_firmware(const char *word)
{
	static const struct {
		const char *part;
		enum boot_end_firmware firmware;
	} parts[] = {
		{"panic", BOOT_END_FIRMWARE_PANIC},
		{"thermal", BOOT_END_FIRMWARE_THERMAL},
		{"watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"wdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"brown-out", BOOT_END_FIRMWARE_POWER},
		{"regular power-up", BOOT_END_FIRMWARE_POWER},
		{"reset button", BOOT_END_FIRMWARE_POWER},
		{"hard", BOOT_END_FIRMWARE_POWER},
		{"cold", BOOT_END_FIRMWARE_POWER},
		{"battery", BOOT_END_FIRMWARE_POWER},
		{"software reset", BOOT_END_FIRMWARE_SOFTWARE},
		{"shutdown", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot", BOOT_END_FIRMWARE_SOFTWARE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strcasestr(word, parts[i].part))
			return parts[i].firmware;
	return BOOT_END_FIRMWARE_NONE;
}
