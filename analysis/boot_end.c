#include "analysis/boot_end.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
				  "the recorder had stopped before, and how it ended is not known",
				  SEVERITY_INFO},
	[BOOT_END_CLEAN_STOP] = {"clean_stop", "it was shut down or restarted in order",
				 SEVERITY_INFO},
	[BOOT_END_RESET_OR_POWER_CUT] = {"reset_or_power_cut",
					 "it ended by a reset or a cut of the power",
					 SEVERITY_WARNING},
	[BOOT_END_WATCHDOG] = {"watchdog", "a watchdog reset the machine", SEVERITY_ERROR},
	[BOOT_END_THERMAL_SHUTDOWN] = {"thermal_shutdown", "the machine got too hot",
				       SEVERITY_CRITICAL},
	[BOOT_END_POWER_SHUTDOWN] = {"power_shutdown",
				     "the kernel put the machine down for a fault of its power",
				     SEVERITY_CRITICAL},
	[BOOT_END_PROTECTION_SHUTDOWN] = {"protection_shutdown",
					  "the kernel put the machine down to protect its hardware",
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

/* Minutes and more, in which there may have been other boots. */
static bool is_long_ago(const struct boot_end_evidence *e)
{
	return e->gap_ms != BOOT_END_TIME_NONE && e->gap_ms > BOOT_END_SOON_MS;
}

/* What has no time, and tells of the boot just before this one. */
#define UNTIMED_PART 3

static void add_untimed(const struct boot_end_evidence *e, struct boot_end *end,
			enum boot_end_cause cause, enum boot_end_certainty certainty, int weight,
			const char *text)
{
	if (is_long_ago(e))
		add(end, cause, BOOT_END_POSSIBLE, weight / UNTIMED_PART,
		    "%.128s; it has no time, and may be of a boot in between", text);
	else
		add(end, cause, certainty, weight, "%s", text);
}

/* Whether the machine is known to have gone down by itself, step by step. */
static bool went_down(const struct boot_end_evidence *e)
{
	return e->stop == BOOT_END_STOPPED_SHUTDOWN || e->log == BOOT_END_LOG_ORDERLY;
}

static void of_panic(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->panic_after_ms == BOOT_END_TIME_NONE && e->panic_is_odd && !is_long_ago(e))
		/* The kernel's stamps stand still in suspend, so this is no proof. */
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE, 80 / UNTIMED_PART,
		    "pstore has a new record of a panic, which by its stamps is before the end, "
		    "unless the machine was suspended");
	else if (e->panic_after_ms == BOOT_END_TIME_NONE)
		add_untimed(e, end, BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY, 80,
			    "pstore has a new record of a panic, of an unknown time");
	else if (e->panic_after_ms < -PANIC_BEFORE_MS)
		add(end, BOOT_END_UNKNOWN, BOOT_END_POSSIBLE, 0,
		    "the record of a panic in pstore is older than the last sample");
	else if (e->panic_after_ms <= BOOT_END_SOON_MS)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_CERTAIN, 100,
		    "pstore has the record of a panic at the end");
	else
		/* A machine that was going down was not running hours later. */
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE,
		    e->stop == BOOT_END_STOPPED_SHUTDOWN ? 0 : 33,
		    "pstore has the record of a panic, long after the last that is known of the "
		    "boot: it may be of one in between");
}

static bool is_at_end(int64_t after_ms, int64_t before_ms)
{
	return after_ms >= -before_ms && after_ms <= BOOT_END_SOON_MS;
}

static void of_records(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->has_panic)
		of_panic(e, end);
	if (e->has_oops && e->stop == BOOT_END_BROKE_OFF &&
	    is_at_end(e->oops_after_ms, OOPS_BEFORE_MS))
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_LIKELY, 62,
		    "pstore has the record of an oops of the last minute");
	else if (e->has_oops)
		add(end, BOOT_END_UNKNOWN, BOOT_END_POSSIBLE, 0,
		    "pstore has a new record of an oops, which the kernel may have outlived");
	if (e->has_emergency && is_at_end(e->emergency_after_ms, PANIC_BEFORE_MS))
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 66,
		    "pstore has the record of an emergency restart: at once, and not in order");
	else if (e->has_emergency)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE,
		    e->emergency_after_ms == BOOT_END_TIME_NONE ? 22 : 0,
		    "pstore has the record of an emergency restart, which may be of another boot");
	if (e->has_unread && !e->has_panic)
		add(end, BOOT_END_KERNEL_CRASH, BOOT_END_POSSIBLE,
		    e->stop == BOOT_END_BROKE_OFF ? 35 : 0,
		    "pstore has a new record of a crash that cannot be read");
}

static void of_log(const struct boot_end_evidence *e, struct boot_end *end)
{
	static const struct {
		enum boot_end_cause cause;
		int weight;
		const char *text;
	} say[] = {
		[BOOT_END_LOG_NONE] = {BOOT_END_UNKNOWN, 0, ""},
		[BOOT_END_LOG_PANIC] = {BOOT_END_KERNEL_CRASH, 96,
					"the kernel's log ends with a panic"},
		[BOOT_END_LOG_THERMAL] = {BOOT_END_THERMAL_SHUTDOWN, 97,
					  "the kernel's log ends with a critical temperature"},
		[BOOT_END_LOG_POWER] = {BOOT_END_POWER_SHUTDOWN, 97,
					"the kernel's log ends with a fault of a power supply"},
		[BOOT_END_LOG_PROTECTION] = {BOOT_END_PROTECTION_SHUTDOWN, 97,
					     "the kernel's log ends with the protection of the "
					     "hardware"},
		[BOOT_END_LOG_ORDERLY] = {BOOT_END_CLEAN_STOP, 92,
					  "the kernel's log ends with a restart or power-off in "
					  "order"},
	};
	const char *text = say[e->log].text;

	if (e->log == BOOT_END_LOG_NONE)
		return;
	if (e->log_has_time)
		add(end, say[e->log].cause, BOOT_END_CERTAIN, say[e->log].weight, "%s", text);
	else if (e->log_is_odd && !is_long_ago(e))
		/* The kernel's stamps stand still in suspend, so this is no proof. */
		add(end, say[e->log].cause, BOOT_END_POSSIBLE, say[e->log].weight / UNTIMED_PART,
		    "%s, which by its stamps is before the end, unless the machine was suspended",
		    text);
	else
		add_untimed(e, end, say[e->log].cause, BOOT_END_CERTAIN, say[e->log].weight, text);
}

static void of_watchdog(const struct boot_end_evidence *e, struct boot_end *end)
{
	if (e->watchdog & WATCHDOG_OVERHEAT)
		add_untimed(e, end, BOOT_END_THERMAL_SHUTDOWN, BOOT_END_LIKELY, 76,
			    "the watchdog says OVERHEAT: a reset by the temperature of the CPU");
	if (e->watchdog & WATCHDOG_CARDRESET)
		add_untimed(e, end, BOOT_END_WATCHDOG, BOOT_END_LIKELY, 70,
			    "the watchdog says CARDRESET: it did the reset");
	if (e->watchdog & (WATCHDOG_POWERUNDER | WATCHDOG_POWEROVER))
		add_untimed(e, end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 60,
			    e->watchdog & WATCHDOG_POWERUNDER
				    ? "the watchdog says POWERUNDER: a fault of the power"
				    : "the watchdog says POWEROVER: a fault of the power");
	if (e->watchdog & (WATCHDOG_FANFAULT | WATCHDOG_EXTERN1 | WATCHDOG_EXTERN2))
		add_untimed(e, end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE, 32,
			    e->watchdog & WATCHDOG_FANFAULT  ? "the watchdog says FANFAULT"
			    : e->watchdog & WATCHDOG_EXTERN1 ? "the watchdog says EXTERN1"
							     : "the watchdog says EXTERN2");
}

/* Less than what a recording that breaks off says by itself. */
#define UNTOLD_WEIGHT 8

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
	bool goes_before_order = e->firmware == BOOT_END_FIRMWARE_THERMAL && went_down(e);
	/* Software restarts at once as well: by sysrq, or after a panic. A recorder that was asked
	 * to go before would have said so. */
	bool is_untold = e->firmware == BOOT_END_FIRMWARE_SOFTWARE && e->stop == BOOT_END_BROKE_OFF;
	bool is_weak = e->firmware == BOOT_END_FIRMWARE_NONE || is_untold;
	char text[BOOT_END_TEXT_MAX];

	if (!e->firmware_text)
		return;
	snprintf(text, sizeof(text), "the boot loader or SoC says: %.90s", e->firmware_text);
	add_untimed(e, end, say[e->firmware].cause, is_weak ? BOOT_END_POSSIBLE : BOOT_END_LIKELY,
		    goes_before_order ? 93
		    : is_untold       ? UNTOLD_WEIGHT
				      : say[e->firmware].weight,
		    text);
}

static void of_drives(const struct boot_end_evidence *e, struct boot_end *end)
{
	bool reset = e->watchdog & WATCHDOG_CARDRESET || e->firmware == BOOT_END_FIRMWARE_WATCHDOG;

	if (e->n_drives && e->unsafe_rise > 0)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 55,
		    "a drive lost its power without a word before: unsafe_shutdowns rose by %lld",
		    (long long)e->unsafe_rise);
	else if (e->n_drives && e->stop != BOOT_END_BROKE_OFF)
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE, 25,
		    "no drive counts one more unsafe shutdown");
	else if (e->n_drives && is_long_ago(e) && !e->gap_is_unsure)
		/* A reset that left the power on comes at once, and a cut of it is counted. */
		add(end, BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE, 12,
		    "no drive counts one more unsafe shutdown, and the next kernel came long "
		    "after: the recorder may have gone before the machine");
	/* A kernel that comes to its end takes leave of the drives, by whatever it restarts. */
	if (e->stop == BOOT_END_STOPPED_SHUTDOWN && e->log != BOOT_END_LOG_ORDERLY && reset &&
	    e->n_drives && e->unsafe_rise > 0)
		add_untimed(e, end, BOOT_END_WATCHDOG, BOOT_END_LIKELY, 91,
			    "the machine was going down and did not get there: a watchdog did the "
			    "reset, and a drive was not told");
}

/* What the kernel told in the last minutes: it puts the machine down for it by itself. */
static void of_protection(const struct boot_end_evidence *e, struct boot_end *end)
{
	const struct {
		bool was;
		enum boot_end_cause cause;
		const char *what;
	} told[] = {
		{e->was_critical, BOOT_END_THERMAL_SHUTDOWN, "a critical temperature"},
		{e->had_power_fault, BOOT_END_POWER_SHUTDOWN, "a fault of a power supply"},
		{e->was_protected, BOOT_END_PROTECTION_SHUTDOWN, "the protection of the hardware"},
	};
	bool ran_on = e->stop == BOOT_END_STOPPED_RUNNING && e->log != BOOT_END_LOG_ORDERLY;

	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		if (told[i].was)
			add(end, told[i].cause, ran_on ? BOOT_END_POSSIBLE : BOOT_END_LIKELY,
			    ran_on         ? 30
			    : went_down(e) ? 94
					   : 65,
			    "%s was told in the last minutes%s", told[i].what,
			    went_down(e) ? ", and the machine went down" : "");
}

static void of_stop(const struct boot_end_evidence *e, struct boot_end *end, const char *gap)
{
	bool soon = e->gap_ms != BOOT_END_TIME_NONE && e->gap_ms <= BOOT_END_SOON_MS;
	const char *next = *gap ? ", and the next kernel started " : "";
	const char *later = !*gap              ? ""
			    : e->gap_is_unsure ? " later, by a clock that is not synchronized"
					       : " later";

	if (e->stop == BOOT_END_STOPPED_SHUTDOWN)
		/* Its own mark, and no more: what comes after it the recorder has not seen. */
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_LIKELY, 90,
		    "the recorder was stopped while the machine was going down");
	else if (e->stop == BOOT_END_BROKE_OFF && soon && !e->gap_is_unsure)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 38,
		    "the recording breaks off%s%s%s", next, gap, later);
	else if (e->stop == BOOT_END_BROKE_OFF)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_POSSIBLE, 10,
		    "the recording breaks off%s%s%s", next, gap, later);
	else if (e->stop == BOOT_END_STOPPED && soon && !e->gap_is_unsure)
		add(end, BOOT_END_CLEAN_STOP, BOOT_END_POSSIBLE, 20,
		    "the recorder was stopped%s%s%s", next, gap, later);
	else
		add(end, BOOT_END_DAEMON_GONE, BOOT_END_POSSIBLE, 5,
		    "the recorder was stopped%s%s%s%s",
		    e->stop == BOOT_END_STOPPED_RUNNING ? " while the machine was not going down"
							: "",
		    next, gap, later);
}

static void of_daemon(const struct boot_end_evidence *e, struct boot_end *end)
{
	char buf[64] = "";
	struct text gap = TEXT_IN(buf);

	if (e->gap_ms != BOOT_END_TIME_NONE)
		text_span(&gap, e->gap_ms);
	if (e->power_failed)
		add(end, BOOT_END_RESET_OR_POWER_CUT, BOOT_END_LIKELY, 45,
		    "the power was about to fail (SIGPWR)");
	of_stop(e, end, buf);
}

/* Two that say the same by themselves. For order they do not add up: that a shutdown began, that
 * software restarted and that no drive was surprised are also so where it hung and was then reset.
 */
static bool is_confirmed(const struct boot_end *end)
{
	return end->cause != BOOT_END_CLEAN_STOP && end->certainty == BOOT_END_LIKELY &&
	       end->n_reasons > 1 && end->reasons[1].cause == end->cause &&
	       end->reasons[1].certainty == BOOT_END_LIKELY;
}

void boot_end_decide(const struct boot_end_evidence *evidence, struct boot_end *ret)
{
	*ret = (struct boot_end){.cause = BOOT_END_UNKNOWN};
	of_records(evidence, ret);
	of_log(evidence, ret);
	of_watchdog(evidence, ret);
	of_firmware(evidence, ret);
	of_drives(evidence, ret);
	of_protection(evidence, ret);
	of_daemon(evidence, ret);
	if (!ret->n_reasons)
		return;
	ret->cause = ret->reasons[0].cause;
	ret->certainty = ret->reasons[0].certainty;
	if (is_confirmed(ret))
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

#define PANIC_LINE  "Kernel panic - not syncing"
/* How old the reason of an end may be in its log: an orderly power-off that hangs is forced after
 * minutes. */
#define LOG_END_US  (INT64_C(10) * 60 * 1000000)
/* Stamps of CPUs differ by less; what goes back by more is another boot. */
#define LOG_BACK_US 1000000

struct log_end {
	enum boot_end_log end;
	int64_t at_us, last_us; /* stamps of what it ended with, and of the last line; -1: none */
	int since_orderly;      /* lines; -1: there was none */
};

static void take_time(struct log_end *log, int64_t t_us)
{
	if (t_us == KERNEL_TIME_NONE)
		return;
	if (log->last_us >= 0 && t_us < log->last_us - LOG_BACK_US)
		*log = (struct log_end){.at_us = -1, .since_orderly = -1};
	log->last_us = t_us;
}

static enum boot_end_log log_of_cause(const struct finding *finding)
{
	if (finding->severity != SEVERITY_CRITICAL)
		return BOOT_END_LOG_NONE;
	return finding->cause == CAUSE_THERMAL      ? BOOT_END_LOG_THERMAL
	       : finding->cause == CAUSE_POWER      ? BOOT_END_LOG_POWER
	       : finding->cause == CAUSE_PROTECTION ? BOOT_END_LOG_PROTECTION
						    : BOOT_END_LOG_NONE;
}

static void take_line(struct log_end *log, const struct kernel_message *message)
{
	enum boot_end_log end = BOOT_END_LOG_PANIC;
	struct finding finding;

	take_time(log, message->t_us);
	if (log->since_orderly >= 0)
		log->since_orderly++;
	if (is_orderly(message->text)) {
		log->since_orderly = 0;
		return;
	}
	/* At the front: a console has no facility, and what a process wrote, which begins with its
	 * name, may speak of a panic as well. */
	if (strncmp(message->text, PANIC_LINE, strlen(PANIC_LINE)) != 0) {
		kernel_classify(message, &finding);
		end = log->end == BOOT_END_LOG_PANIC ? BOOT_END_LOG_NONE : log_of_cause(&finding);
	}
	if (end == BOOT_END_LOG_NONE)
		return;
	log->end = end;
	log->at_us = message->t_us == KERNEL_TIME_NONE ? -1 : message->t_us;
}

enum boot_end_log boot_end_of_log(struct slice text, int64_t *ret_last_ms)
{
	struct log_end log = {.at_us = -1, .last_us = -1, .since_orderly = -1};
	struct kernel_message message;

	while (kernel_message_next(&text, &message))
		if (!message.facility)
			take_line(&log, &message);
	if (ret_last_ms)
		*ret_last_ms = log.last_us < 0 ? -1 : log.last_us / 1000;
	if (log.at_us >= 0 && log.last_us - log.at_us > LOG_END_US)
		log.end = BOOT_END_LOG_NONE;
	if (log.end == BOOT_END_LOG_NONE && log.since_orderly >= 0 &&
	    log.since_orderly < ORDERLY_LINES)
		return BOOT_END_LOG_ORDERLY;
	return log.end;
}

bool boot_end_crash_of_log(struct slice log, char *ret, size_t size)
{
	char fault[BOOT_END_TEXT_MAX] = "", panic[BOOT_END_TEXT_MAX] = "";
	struct kernel_message message;
	struct finding finding;

	while (kernel_message_next(&log, &message)) {
		const char *text = message.text;

		if (message.facility)
			continue;
		if (!strncmp(text, PANIC_LINE, strlen(PANIC_LINE))) {
			text += strlen(PANIC_LINE);
			text += strspn(text, ": ");
			snprintf(panic, sizeof(panic), "%.*s", (int)sizeof(panic) - 1, text);
			continue;
		}
		kernel_classify(&message, &finding);
		if (finding.cause == CAUSE_CRASH && finding.severity == SEVERITY_CRITICAL &&
		    !*fault)
			snprintf(fault, sizeof(fault), "%.*s", (int)sizeof(fault) - 1, text);
	}
	if (*fault && (!*panic || !strncmp(panic, "Fatal exception", strlen("Fatal exception"))))
		snprintf(ret, size, "%s", fault);
	else if (*panic)
		snprintf(ret, size, "%s", panic);
	return *fault || *panic;
}

/* Whether text begins with the word, and the word ends there. */
static bool begins_with(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncasecmp(text, word, len) && !isalnum((unsigned char)text[len]);
}

/* Names of barebox (common/reset_source.c), whole words. RST is a warm start, which a button may
 * have asked for as well as a restart; a wake-up and a debugger say nothing of an end. WDG is how
 * many SoCs restart; what is known of an orderly end outweighs it. */
static enum boot_end_firmware of_barebox(const char *word)
{
	static const struct {
		const char *name;
		enum boot_end_firmware firmware;
	} names[] = {
		{"POR", BOOT_END_FIRMWARE_POWER},      {"EXT", BOOT_END_FIRMWARE_POWER},
		{"BROWNOUT", BOOT_END_FIRMWARE_POWER}, {"WDG", BOOT_END_FIRMWARE_WATCHDOG},
		{"THERM", BOOT_END_FIRMWARE_THERMAL},
	};
	size_t len = strcspn(word, " ");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i].name) == len && !strncmp(word, names[i].name, len))
			return names[i].firmware;
	return BOOT_END_FIRMWARE_NONE;
}

/* A PMIC has been seen to keep its word over restarts in order: so only a fault of the power, which
 * is what a recording that breaks off means anyway, speaks for something. */
static enum boot_end_firmware of_pmic(const char *word)
{
	return strstr(word, "-voltage") ? BOOT_END_FIRMWARE_POWER : BOOT_END_FIRMWARE_NONE;
}

/* Of a boot reason, the word behind the first comma says more than the one before it: a button that
 * was held down, or a supply that failed, is told as a "reboot" as well. What is not here belongs
 * to an end in order: "shutdown,battery", for the battery was empty. */
static enum boot_end_firmware of_detail(const char *word)
{
	static const struct {
		const char *detail;
		enum boot_end_firmware firmware;
	} details[] = {
		{"thermal", BOOT_END_FIRMWARE_THERMAL},
		{"kernel_panic", BOOT_END_FIRMWARE_PANIC},
		{"watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"wdt", BOOT_END_FIRMWARE_WATCHDOG},
		{"longkey", BOOT_END_FIRMWARE_POWER},
		{"by_key", BOOT_END_FIRMWARE_POWER},
		{"2sec", BOOT_END_FIRMWARE_POWER},
		{"undervoltage", BOOT_END_FIRMWARE_POWER},
		{"uvlo", BOOT_END_FIRMWARE_POWER},
		{"powerloss", BOOT_END_FIRMWARE_POWER},
		{"pmic_off_fault", BOOT_END_FIRMWARE_POWER},
	};
	const char *detail = strchr(word, ',');

	for (size_t i = 0; detail && i < ARRAY_SIZE(details); i++)
		if (begins_with(detail + 1, details[i].detail))
			return details[i].firmware;
	return BOOT_END_FIRMWARE_NONE;
}

/* The first words of the Canonical Boot Reason (REASON,DETAIL[,DETAIL]), older ones that boot
 * loaders of Android go on using, and the texts of power_on_reason. */
static enum boot_end_firmware of_first_word(const char *word)
{
	static const struct {
		const char *first;
		enum boot_end_firmware firmware;
	} reasons[] = {
		{"kernel_panic", BOOT_END_FIRMWARE_PANIC},
		{"kernel panic", BOOT_END_FIRMWARE_PANIC},
		{"panic", BOOT_END_FIRMWARE_PANIC},
		{"kpanic", BOOT_END_FIRMWARE_PANIC},
		{"thermal", BOOT_END_FIRMWARE_THERMAL},
		{"watchdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"wdog", BOOT_END_FIRMWARE_WATCHDOG},
		{"brown-out", BOOT_END_FIRMWARE_POWER},
		{"regular power-up", BOOT_END_FIRMWARE_POWER},
		{"reset button", BOOT_END_FIRMWARE_POWER},
		{"hard", BOOT_END_FIRMWARE_POWER},
		{"cold", BOOT_END_FIRMWARE_POWER},
		{"software reset", BOOT_END_FIRMWARE_SOFTWARE},
		{"shutdown", BOOT_END_FIRMWARE_SOFTWARE},
		{"reboot", BOOT_END_FIRMWARE_SOFTWARE},
	};

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (begins_with(word, reasons[i].first))
			return reasons[i].firmware;
	return BOOT_END_FIRMWARE_NONE;
}

enum boot_end_firmware boot_end_of_firmware(const char *word)
{
	enum boot_end_firmware first = of_first_word(word), detail = of_detail(word);

	if (!strncmp(word, "PMIC: ", strlen("PMIC: ")))
		return of_pmic(word);
	if (detail == BOOT_END_FIRMWARE_THERMAL)
		return detail;
	/* Only a boot loader says these two; a detail says which kind it was. */
	if (first == BOOT_END_FIRMWARE_PANIC || first == BOOT_END_FIRMWARE_WATCHDOG)
		return first;
	if (detail != BOOT_END_FIRMWARE_NONE)
		return detail;
	return first != BOOT_END_FIRMWARE_NONE ? first : of_barebox(word);
}
