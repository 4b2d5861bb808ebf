#include "daemon/last_boot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/events.h"
#include "daemon/kernel_event.h"
#include "daemon/last_boot_drives.h"
#include "daemon/last_boot_facts.h"

#define BOOTS_MAX       1024
#define EVENTS_MAX      2000
#define KNOWN_MAX       1024
#define LATE_MS         (INT64_C(10) * 60 * 1000) /* the last minutes of a boot */
#define CLOSE_MS        INT64_C(60000) /* what the kernel's stamps and the boot clock may differ by */
#define RECORDS_WAIT_MS 20000
#define DRIVES_WAIT_MS  60000
/* Before this a wall clock was not set: 2015. */
#define WALL_SET_MS     INT64_C(1420070400000)

struct last_boot {
	struct last_boot_facts facts;
	struct last_boot_status status;
	/* Digests of records that were there at earlier ends; one that is seen again moves to the
	 * end, so that what is still there is not forgotten. */
	uint64_t known[KNOWN_MAX];
	size_t n_known;
	bool is_open;     /* there is something to be decided */
	bool is_late;     /* it was decided, but without the records, which may still come */
	bool is_answered; /* all records have come that will */
	int64_t from_ms;  /* the first turn; 0: none yet */
	char *blob;       /* of records */
	size_t blob_len;
	struct crash_list list; /* what is in it */
};

void last_boot_free(struct last_boot *last)
{
	if (!last)
		return;
	crash_list_done(&last->list);
	free(last->blob);
	free(last);
}

static void last_boot_freep(struct last_boot **last)
{
	last_boot_free(*last);
}

/* The newest of another boot id. */
static int find_boot(struct reader *reader, const char *boot_id, struct last_boot_facts *f)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	for (int i = n - 1; i >= 0; i--) {
		if (!strcmp(boots[i].boot_id, boot_id))
			continue;
		f->boot = boots[i];
		f->has_event = reader_last_event(reader, f->boot.id, &f->last_event) > 0;
		/* 0 of one that ended before its first commit: what it has left tells all. */
		f->last_ms = MAX(f->boot.last_ms, f->has_event ? f->last_event.t_ms : 0);
		return 1;
	}
	return MIN(n, 0);
}

static enum boot_end_cause cause_of(const char *name)
{
	for (int c = 0; c < N_BOOT_ENDS; c++)
		if (!strcmp(boot_end_cause_name((enum boot_end_cause)c), name))
			return (enum boot_end_cause)c;
	return BOOT_END_UNKNOWN;
}

static enum boot_end_certainty certainty_of(const char *name)
{
	for (int c = BOOT_END_POSSIBLE; c <= BOOT_END_CERTAIN; c++)
		if (!strcmp(boot_end_certainty_name((enum boot_end_certainty)c), name))
			return (enum boot_end_certainty)c;
	return BOOT_END_POSSIBLE;
}

static void add_known(struct last_boot *last, uint64_t digest)
{
	size_t at = 0;

	while (at < last->n_known && last->known[at] != digest)
		at++;
	if (at == KNOWN_MAX)
		at = 0;
	if (at < last->n_known) {
		last->n_known--;
		memmove(&last->known[at], &last->known[at + 1],
			(last->n_known - at) * sizeof(last->known[0]));
	}
	last->known[last->n_known++] = digest;
}

/* Of all ends, not of the newest alone: at one of them the records may not have been there to be
 * read, and what had been accounted for before it still is. */
static void take_known(struct last_boot *last, const char *evidence)
{
	static const char key[] = "\"digest\":\"";

	while ((evidence = strstr(evidence, key))) {
		char *end;
		uint64_t digest;

		evidence += strlen(key);
		digest = strtoull(evidence, &end, 16);
		if (end != evidence && *end == '"')
			add_known(last, digest);
	}
}

static int take_end(const struct boot_end_record *record, void *arg)
{
	struct last_boot *last = arg;

	take_known(last, record->evidence);
	if (record->boot != last->facts.boot.id)
		return 0;
	last->is_open = false;
	last->status = (struct last_boot_status){.boot = record->boot,
						 .cause = cause_of(record->cause),
						 .certainty = certainty_of(record->certainty)};
	snprintf(last->status.text, sizeof(last->status.text), "%s", record->text);
	return 0;
}

/* The newest ones: the oldest go when there is no more room. */
static void keep_line(struct last_boot_facts *f, struct slice line)
{
	size_t len = strlen(f->kept_lines);

	if (!line.len || line.len + 2 > sizeof(f->kept_lines))
		return;
	while (len + line.len + 2 > sizeof(f->kept_lines)) {
		size_t first = strcspn(f->kept_lines, "\n") + 1;

		memmove(f->kept_lines, f->kept_lines + first, len - first + 1);
		len -= first;
	}
	snprintf(f->kept_lines + len, sizeof(f->kept_lines) - len, "%.*s\n", (int)line.len, line.p);
}

/* The kernel's own lines, as the event has them. */
static void keep_lines(struct last_boot_facts *f, const struct event *event)
{
	CLEANUP(freep) struct incident *incident = malloc(sizeof(*incident));
	struct kernel_moment moment;
	struct slice rest, line;

	if (!incident || kernel_event_read(event, incident, &moment) < 0)
		return;
	rest = slice_of(incident->evidence);
	while (slice_line(&rest, &line))
		keep_line(f, line);
}

static int take_event(const struct event *event, const struct boot *boot, void *arg)
{
	struct last_boot_facts *f = arg;

	if (boot->id != f->boot.id)
		return 0;
	f->power_failed = !strcmp(event->kind, "power_fails");
	if (strncmp(event->kind, "kernel_", strlen("kernel_")) != 0)
		return 0;
	if (event->severity == SEVERITY_CRITICAL) {
		f->was_critical |= !strcmp(event->kind, "kernel_thermal");
		f->had_power_fault |= !strcmp(event->kind, "kernel_power");
		f->was_protected |= !strcmp(event->kind, "kernel_protection");
	}
	keep_lines(f, event);
	return 0;
}

static enum going_down machine_at_stop(const struct event *stop)
{
	static const char key[] = "\"machine\":\"";
	const char *at = strstr(stop->evidence, key);
	char word[32];

	if (!at)
		return GOING_DOWN_UNKNOWN;
	at += strlen(key);
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "\""), at);
	return going_down_of_name(word);
}

static int read_past(struct reader *reader, struct last_boot *last)
{
	struct last_boot_facts *f = &last->facts;
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;
	int r;

	last->is_open = true;
	r = reader_boot_ends(reader, take_end, last);
	if (r < 0 || !last->is_open)
		return r == -ENOMEM ? r : 0;
	f->machine = f->has_event ? machine_at_stop(&f->last_event) : GOING_DOWN_UNKNOWN;
	r = reader_events(reader, last_wall_ms - LATE_MS, last_wall_ms + LATE_MS, EVENTS_MAX,
			  take_event, f);
	last_boot_drives_before(reader, f);
	return r == -ENOMEM ? r : 0;
}

int last_boot_new(struct reader *reader, const char *boot_id, struct last_boot **ret)
{
	CLEANUP(last_boot_freep) struct last_boot *last = calloc(1, sizeof(*last));
	int r;

	if (!last)
		return -ENOMEM;
	r = *boot_id ? find_boot(reader, boot_id, &last->facts) : 0;
	if (r > 0)
		r = read_past(reader, last);
	if (r == -ENOMEM)
		return r;
	*ret = last;
	last = NULL;
	return 0;
}

/* A helper that was not there in time, or does not answer, may do so later. */
bool last_boot_wants_records(const struct last_boot *last)
{
	return last && (last->is_open || last->is_late) && !last->is_answered;
}

static void forget_records(struct last_boot *last)
{
	crash_list_done(&last->list);
	free(last->blob);
	last->blob = NULL;
	last->blob_len = 0;
	last->facts.n_records = 0;
	last->facts.lines_from = NULL;
	last->facts.lines = (struct slice){0};
}

/* How many bytes came. */
static size_t take_blob(struct last_boot *last, int fd)
{
	off_t len = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *blob = len > 0 && len <= CRASH_GATHERED_MAX ? malloc((size_t)len) : NULL;
	ssize_t n = blob ? pread(fd, blob, (size_t)len, 0) : 0;

	if (n <= 0) {
		free(blob);
		return 0;
	}
	forget_records(last);
	last->blob = blob;
	last->blob_len = (size_t)n;
	return last->blob_len;
}

void last_boot_take(struct last_boot *last, int fd, int error)
{
	CLEANUP(closep) int owned = fd;
	size_t n;

	if (!last_boot_wants_records(last))
		return;
	last->is_answered = true;
	n = take_blob(last, owned);
	if (n || !last->blob_len)
		last->facts.records_error = error;
	/* It is decided again, with them. */
	last->is_open = last->is_open || (last->is_late && n);
	last->is_late = false;
}

/* What this process may read by itself; with a helper that is all there is should none answer. */
static void gather_here(struct last_boot *last, struct hw *hw)
{
	CLEANUP(closep) int fd = memfd_create("records", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : crash_records_gather(hw, fd);

	(void)take_blob(last, r < 0 ? -1 : fd);
	last->facts.records_error = MIN(r, 0);
}

static bool is_known(const struct last_boot *last, const struct crash_record *record)
{
	for (size_t i = 0; i < last->n_known; i++)
		if (last->known[i] == record->digest)
			return true;
	return false;
}

/* When a record was written, after the last that is known of the boot. One that was moved is as old
 * as its copy, which may be of this boot. */
static int64_t after_ms(const struct last_boot_facts *f, const struct crash_record *record)
{
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;

	if (record->wall_ms == CRASH_TIME_NONE || last_wall_ms < WALL_SET_MS ||
	    record->wall_ms < WALL_SET_MS)
		return BOOT_END_TIME_NONE;
	if (record->is_copy && record->wall_ms > last_wall_ms)
		return BOOT_END_TIME_NONE;
	return record->wall_ms - last_wall_ms;
}

/* A log goes on after the last that can be of the boot, so it is of another one. */
static bool is_longer(const struct last_boot_facts *f, const struct crash_record *record)
{
	int64_t last_ms;

	if (f->gap_ms == BOOT_END_TIME_NONE || f->gap_is_unsure)
		return false;
	(void)boot_end_of_log(record->tail, &last_ms);
	return last_ms > f->last_ms + f->gap_ms + CLOSE_MS;
}

static const char *why_not(const struct last_boot *last, const struct crash_record *record)
{
	const struct last_boot_facts *f = &last->facts;
	int64_t after = after_ms(f, record);

	if (is_known(last, record))
		return "was there at the end of an earlier boot";
	if (after != BOOT_END_TIME_NONE && after < f->boot.first_ms - f->last_ms - LATE_MS)
		return "is older than the boot";
	if (after == BOOT_END_TIME_NONE && is_longer(f, record))
		return "is of a boot that lasted longer";
	return NULL;
}

static void take_records(struct last_boot *last)
{
	struct last_boot_facts *f = &last->facts;

	if (crash_list_read((struct slice){last->blob, last->blob_len}, &last->list) < 0)
		return;
	for (; f->n_records < last->list.n; f->n_records++) {
		struct last_boot_record *record = &f->records[f->n_records];

		record->record = last->list.v[f->n_records];
		record->why_not = why_not(last, &record->record);
		record->counts = !record->why_not;
	}
}

static int64_t later(int64_t a_ms, int64_t b_ms)
{
	/* One without a time says least. */
	return a_ms == BOOT_END_TIME_NONE   ? b_ms
	       : b_ms == BOOT_END_TIME_NONE ? a_ms
					    : MAX(a_ms, b_ms);
}

/* What has no time, as a console, is of the boot just before this one; its stamps tell whether that
 * can be the recorded one. */
static void weigh_log(const struct last_boot_facts *f, const struct crash_record *record,
		      struct boot_end_evidence *e)
{
	int64_t last_ms, after = after_ms(f, record);
	bool has_time = after != BOOT_END_TIME_NONE;
	enum boot_end_log log = boot_end_of_log(record->tail, &last_ms);

	if (log == BOOT_END_LOG_NONE || (e->log_has_time && !has_time) ||
	    (has_time && (after < -CLOSE_MS || after > BOOT_END_SOON_MS)))
		return;
	e->log = log;
	e->log_has_time = has_time;
	e->log_is_odd = !has_time && last_ms >= 0 && last_ms < f->last_ms - CLOSE_MS;
}

/* Its stamps tell as those of a console do. */
static void weigh_panic(const struct last_boot_facts *f, const struct crash_record *record,
			struct boot_end_evidence *e)
{
	int64_t after = after_ms(f, record), last_ms;
	bool is_odd;

	(void)boot_end_of_log(record->tail, &last_ms);
	is_odd = last_ms >= 0 && last_ms < f->last_ms - CLOSE_MS;
	e->panic_after_ms = e->has_panic ? later(e->panic_after_ms, after) : after;
	e->panic_is_odd = is_odd && (e->panic_is_odd || !e->has_panic);
	e->has_panic = true;
}

static void weigh_record(const struct last_boot_facts *f, const struct crash_record *record,
			 struct boot_end_evidence *e)
{
	int64_t after = after_ms(f, record);

	switch (record->kind) {
	case CRASH_PANIC:
		weigh_panic(f, record, e);
		break;
	case CRASH_OOPS:
		e->oops_after_ms = e->has_oops ? later(e->oops_after_ms, after) : after;
		e->has_oops = true;
		break;
	case CRASH_EMERGENCY:
		e->emergency_after_ms =
			e->has_emergency ? later(e->emergency_after_ms, after) : after;
		e->has_emergency = true;
		weigh_log(f, record, e);
		break;
	case CRASH_UNREAD:
		e->has_unread = true;
		break;
	case CRASH_CONSOLE:
	case CRASH_ORDERLY:
		weigh_log(f, record, e);
		break;
	case CRASH_OTHER:
		break;
	}
}

static void weigh_now(const struct last_boot_facts *f, struct boot_end_evidence *e)
{
	for (size_t i = 0; i < f->now.n_watchdogs; i++)
		e->watchdog |= f->now.watchdogs[i].bootstatus;
	for (size_t i = 0; i < f->now.n_firmware; i++) {
		enum boot_end_firmware firmware = boot_end_of_firmware(f->now.firmware[i].text);

		if (e->firmware_text && e->firmware != BOOT_END_FIRMWARE_NONE)
			continue;
		e->firmware = firmware;
		e->firmware_text = f->now.firmware[i].text;
	}
	for (size_t i = 0; i < f->n_drives; i++) {
		if (!f->drives[i].is_known)
			continue;
		e->n_drives++;
		e->unsafe_rise += MAX(f->drives[i].after - f->drives[i].before, 0);
	}
}

static enum boot_end_stop stop_of(const struct last_boot_facts *f)
{
	if (!f->has_event || strcmp(f->last_event.kind, "stop") != 0)
		return BOOT_END_BROKE_OFF;
	return f->machine == GOING_DOWN_YES  ? BOOT_END_STOPPED_SHUTDOWN
	       : f->machine == GOING_DOWN_NO ? BOOT_END_STOPPED_RUNNING
					     : BOOT_END_STOPPED;
}

static const struct crash_record *newest_of(const struct last_boot_facts *f, enum crash_kind kind)
{
	const struct crash_record *newest = NULL;

	for (size_t i = 0; i < f->n_records; i++) {
		const struct crash_record *record = &f->records[i].record;

		if (f->records[i].counts && record->kind == kind &&
		    (!newest || record->wall_ms > newest->wall_ms))
			newest = record;
	}
	return newest;
}

/* The record that tells most of the end: of a panic, of the console, of an oops. */
static void choose_lines(struct last_boot_facts *f)
{
	static const enum crash_kind kinds[] = {CRASH_PANIC, CRASH_CONSOLE, CRASH_ORDERLY,
						CRASH_EMERGENCY, CRASH_OOPS};

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const struct crash_record *record = newest_of(f, kinds[k]);

		if (!record)
			continue;
		f->lines_from = record->name;
		f->lines = record->tail;
		return;
	}
	if (!*f->kept_lines)
		return;
	f->lines_from = LAST_BOOT_FROM_EVENTS;
	f->lines = slice_of(f->kept_lines);
}

static int64_t gap_ms(const struct last_boot_facts *f)
{
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;
	int64_t start_wall_ms = clock_wall_offset_ms();

	return last_wall_ms < WALL_SET_MS || start_wall_ms < last_wall_ms
		       ? BOOT_END_TIME_NONE
		       : start_wall_ms - last_wall_ms;
}

/* Without an RTC the clock begins where it was saved at the end before: systemd-timesyncd does so,
 * and the next kernel seems to have started seconds later. */
static bool is_clock_unsure(const struct last_boot_facts *f, struct hw *hw)
{
	struct hw_timex timex;

	if (f->now.has_rtc)
		return false;
	return hw_timex(hw, &timex) < 0 || !timex.has[HW_TIMEX_STATUS] ||
	       (timex.v[HW_TIMEX_STATUS] & STA_UNSYNC);
}

static void keep(const struct last_boot *last, const struct boot_end *end, struct store *store)
{
	const struct last_boot_facts *f = &last->facts;
	CLEANUP(freep) struct boot_end_record *record = calloc(1, sizeof(*record));

	if (!record)
		return;
	record->boot = f->boot.id;
	snprintf(record->cause, sizeof(record->cause), "%s", boot_end_cause_name(end->cause));
	snprintf(record->certainty, sizeof(record->certainty), "%s",
		 boot_end_certainty_name(end->certainty));
	snprintf(record->text, sizeof(record->text), "%s", last->status.text);
	last_boot_write_evidence(f, end, record->evidence, sizeof(record->evidence));
	if (store_boot_end(store, record) < 0)
		log_warning("how the last boot ended cannot be kept: out of memory");
}

/* The heaviest reason, and of a crash the kernel's own. */
static void say_why(const struct last_boot_facts *f, const struct boot_end *end, char *buf,
		    size_t size)
{
	struct text text = text_in(buf, size);
	char crash[BOOT_END_TEXT_MAX];

	text_str(&text, end->n_reasons ? end->reasons[0].text : boot_end_sentence(end->cause));
	if (end->cause != BOOT_END_KERNEL_CRASH || !f->lines_from ||
	    !boot_end_crash_of_log(f->lines, crash, sizeof(crash)))
		return;
	text_str(&text, ": ");
	text_str(&text, crash);
}

static void tell(struct last_boot *last, const struct boot_end *end, struct store *store,
		 int64_t now_ms)
{
	const struct last_boot_facts *f = &last->facts;
	char evidence[EVENT_EVIDENCE_MAX];
	bool is_news = last->status.boot != f->boot.id || last->status.cause != end->cause ||
		       last->status.certainty != end->certainty;

	last->status = (struct last_boot_status){
		.boot = f->boot.id, .cause = end->cause, .certainty = end->certainty};
	say_why(f, end, last->status.text, sizeof(last->status.text));
	keep(last, end, store);
	if (!is_news)
		return;
	last_boot_write_reasons(f, end, evidence, sizeof(evidence));
	log_info("boot %lld: %s (%s): %s", (long long)f->boot.id, boot_end_sentence(end->cause),
		 boot_end_certainty_name(end->certainty), last->status.text);
	event_add(store, now_ms, boot_end_severity(end->cause), "boot_ended", evidence,
		  "boot %lld: %s (%s): %s", (long long)f->boot.id, boot_end_sentence(end->cause),
		  boot_end_certainty_name(end->certainty), last->status.text);
}

static void decide(struct last_boot *last, struct hw *hw, struct store *store, int64_t now_ms)
{
	struct last_boot_facts *f = &last->facts;
	CLEANUP(freep) struct boot_end *end = calloc(1, sizeof(*end));

	last->is_open = false;
	last->is_late = !last->is_answered;
	if (!end)
		return;
	f->gap_ms = gap_ms(f);
	f->gap_is_unsure = is_clock_unsure(f, hw);
	take_records(last);
	choose_lines(f);

	struct boot_end_evidence e = {
		.stop = stop_of(f),
		.power_failed = f->power_failed,
		.gap_ms = f->gap_ms,
		.gap_is_unsure = f->gap_is_unsure,
		.was_critical = f->was_critical,
		.had_power_fault = f->had_power_fault,
		.was_protected = f->was_protected,
	};

	for (size_t i = 0; i < f->n_records; i++)
		if (f->records[i].counts)
			weigh_record(f, &f->records[i].record, &e);
	weigh_now(f, &e);
	boot_end_decide(&e, end);
	tell(last, end, store, now_ms);
	forget_records(last);
}

void last_boot_look(struct last_boot *last, struct hw *hw, bool helper)
{
	if (!last || !last->is_open)
		return;
	boot_evidence_read(hw, &last->facts.now);
	gather_here(last, hw);
	last->is_answered = !helper;
}

void last_boot_turn(struct last_boot *last, struct hw *hw, struct store *store, int64_t now_ms)
{
	int64_t waited_ms;

	if (!last || !last->is_open)
		return;
	if (!last->from_ms)
		last->from_ms = now_ms;
	waited_ms = now_ms - last->from_ms;
	if (!last->is_answered && waited_ms < RECORDS_WAIT_MS)
		return;
	if (!last->is_answered && !last->blob_len)
		last->facts.records_error = -ETIMEDOUT;
	if (last_boot_drives_known(&last->facts, store) || waited_ms >= DRIVES_WAIT_MS)
		decide(last, hw, store, now_ms);
}

void last_boot_get_status(const struct last_boot *last, struct last_boot_status *ret)
{
	*ret = last ? last->status : (struct last_boot_status){0};
}
