#include "daemon/last_boot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/events.h"
#include "daemon/last_boot_facts.h"
#include "sampling/registry.h"

#define BOOTS_MAX       1024
#define EVENTS_MAX      2000
#define LATE_MS         (INT64_C(10) * 60 * 1000) /* the last minutes of a boot */
#define RECORDS_WAIT_MS 20000
#define DRIVES_WAIT_MS  60000
/* Before this a wall clock was not set: 2015. */
#define WALL_SET_MS     INT64_C(1420070400000)

struct last_boot {
	struct last_boot_facts facts;
	struct last_boot_status status;
	char *known;     /* evidence of the newest end that is in the file: digests of records */
	bool is_open;    /* there is something to be decided */
	int64_t from_ms; /* the first turn; 0: none yet */
	bool gathered;
	char *blob; /* of records */
	size_t blob_len;
};

void last_boot_free(struct last_boot *last)
{
	if (!last)
		return;
	free(last->known);
	free(last->blob);
	free(last);
}

static void last_boot_freep(struct last_boot **last)
{
	last_boot_free(*last);
}

/* The newest of another boot id that has anything in it. */
static int find_boot(struct reader *reader, const char *boot_id, struct last_boot_facts *f)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	for (int i = n - 1; i >= 0; i--) {
		if (!strcmp(boots[i].boot_id, boot_id))
			continue;
		f->boot = boots[i];
		f->has_event = reader_last_event(reader, f->boot.id, &f->last_event) > 0;
		f->last_ms = MAX(f->boot.last_ms, f->has_event ? f->last_event.t_ms : 0);
		if (f->last_ms > 0)
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

static int take_end(const struct boot_end_record *record, void *arg)
{
	struct last_boot *last = arg;

	free(last->known);
	last->known = strdup(record->evidence);
	if (record->boot != last->facts.boot.id)
		return last->known ? 0 : -ENOMEM;
	last->is_open = false;
	last->status = (struct last_boot_status){.boot = record->boot,
						 .cause = cause_of(record->cause),
						 .certainty = certainty_of(record->certainty)};
	snprintf(last->status.text, sizeof(last->status.text), "%s", record->text);
	return last->known ? 0 : -ENOMEM;
}

static int take_event(const struct event *event, const struct boot *boot, void *arg)
{
	struct last_boot_facts *f = arg;
	size_t len = strlen(f->kept_lines);

	if (boot->id != f->boot.id)
		return 0;
	f->power_failed = !strcmp(event->kind, "power_fails");
	if (strncmp(event->kind, "kernel_", strlen("kernel_")) != 0)
		return 0;
	f->was_critical |=
		event->severity == SEVERITY_CRITICAL && !strcmp(event->kind, "kernel_thermal");
	if (len + strlen(event->text) + 2 < sizeof(f->kept_lines))
		snprintf(f->kept_lines + len, sizeof(f->kept_lines) - len, "%s\n", event->text);
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

/* Finds the drives that count unsafe shutdowns. */
static int take_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct last_boot_facts *f = arg;
	struct last_boot_drive *drive = &f->drives[f->n_drives];

	if (boot->id != f->boot.id || f->n_drives == LAST_BOOT_DRIVES_MAX)
		return 0;
	snprintf(drive->node, sizeof(drive->node), "%s", key->node);
	snprintf(drive->identity, sizeof(drive->identity), "%s", key->identity);
	f->n_drives++;
	return 0;
}

static const struct group *drive_group(size_t *ret_field)
{
	const struct group *group;

	for (size_t i = 0; (group = catalog_group_at(registry(), i, NULL)); i++)
		for (size_t f = 0; !strcmp(group->name, "nvme_smart") && f < group->n_fields; f++)
			if (!strcmp(group->fields[f].name, "unsafe_shutdowns")) {
				*ret_field = f;
				return group;
			}
	return NULL;
}

static bool last_value(struct cursor *cursor, int64_t *ret)
{
	bool found = false;
	struct span span;

	while (cursor_next(cursor, &span) > 0)
		for (size_t i = 0; i < span.n; i++)
			if (!span.absent[0][i]) {
				*ret = span.values[0][i];
				found = true;
			}
	return found;
}

static bool read_before(struct reader *reader, const struct group *group, size_t field,
			const struct last_boot_facts *f, struct last_boot_drive *drive)
{
	struct series_key key = {.boot = f->boot.id};
	struct cursor *cursor;
	bool found;

	snprintf(key.node, sizeof(key.node), "%s", drive->node);
	snprintf(key.identity, sizeof(key.identity), "%s", drive->identity);
	if (cursor_open(reader, group, &key, &field, 1, 0, f->last_ms, &cursor) < 0)
		return false;
	found = last_value(cursor, &drive->before);
	cursor_close(cursor);
	return found;
}

static void read_drives(struct reader *reader, struct last_boot_facts *f)
{
	size_t field = 0, kept = 0;
	const struct group *group = drive_group(&field);
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;

	if (!group || reader_series(reader, group, NULL, f->boot.wall_offset_ms, last_wall_ms,
				    take_series, f) < 0)
		f->n_drives = 0;
	for (size_t i = 0; i < f->n_drives; i++)
		if (read_before(reader, group, field, f, &f->drives[i]))
			f->drives[kept++] = f->drives[i];
	f->n_drives = kept;
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
	read_drives(reader, f);
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

bool last_boot_wants_records(const struct last_boot *last)
{
	return last && last->is_open && !last->gathered;
}

void last_boot_take(struct last_boot *last, int fd, int error)
{
	CLEANUP(closep) int owned = fd;
	off_t len = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (!last || !last->is_open || last->gathered)
		return;
	last->gathered = true;
	last->facts.records_error = error;
	if (owned < 0 || len <= 0 || len > CRASH_GATHERED_MAX)
		return;
	last->blob = malloc((size_t)len);
	if (!last->blob)
		return;

	ssize_t n = pread(owned, last->blob, (size_t)len, 0);

	last->blob_len = n > 0 ? (size_t)n : 0;
}

static void gather_here(struct last_boot *last, struct hw *hw)
{
	CLEANUP(closep) int fd = memfd_create("records", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : crash_records_gather(hw, fd);
	int passed = r < 0 ? -1 : fd;

	if (r >= 0)
		fd = -1;
	last_boot_take(last, passed, MIN(r, 0));
}

static bool is_known(const struct last_boot *last, const struct crash_record *record)
{
	char digest[48];

	snprintf(digest, sizeof(digest), "\"digest\":\"%016llx\"",
		 (unsigned long long)record->digest);
	return last->known && strstr(last->known, digest);
}

static bool is_moved(const struct crash_record *record)
{
	return !strncmp(record->name, "var/", strlen("var/"));
}

/* When a record was written, after the last that is known of the boot. One that was moved is as old
 * as its copy, which may be of this boot. */
static int64_t after_ms(const struct last_boot_facts *f, const struct crash_record *record)
{
	int64_t last_wall_ms = f->boot.wall_offset_ms + f->last_ms;

	if (record->wall_ms == CRASH_TIME_NONE || last_wall_ms < WALL_SET_MS ||
	    record->wall_ms < WALL_SET_MS)
		return BOOT_END_TIME_NONE;
	if (is_moved(record) && record->wall_ms > last_wall_ms)
		return BOOT_END_TIME_NONE;
	return record->wall_ms - last_wall_ms;
}

static const char *why_not(const struct last_boot *last, const struct crash_record *record)
{
	const struct last_boot_facts *f = &last->facts;
	int64_t after = after_ms(f, record);

	if (is_known(last, record))
		return "was there at the end of an earlier boot";
	if (after != BOOT_END_TIME_NONE && after < f->boot.first_ms - f->last_ms - LATE_MS)
		return "is older than the boot";
	return NULL;
}

static void take_records(struct last_boot *last)
{
	struct last_boot_facts *f = &last->facts;
	struct slice rest = {last->blob, last->blob_len};

	while (f->n_records < CRASH_RECORDS_MAX && rest.len &&
	       crash_records_next(&rest, &f->records[f->n_records].record)) {
		struct last_boot_record *record = &f->records[f->n_records++];

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

static void weigh_record(const struct last_boot_facts *f, const struct crash_record *record,
			 struct boot_end_evidence *e)
{
	enum boot_end_log log = boot_end_of_log(record->tail, NULL);

	switch (record->kind) {
	case CRASH_PANIC:
		e->panic_after_ms = e->has_panic ? later(e->panic_after_ms, after_ms(f, record))
						 : after_ms(f, record);
		e->has_panic = true;
		break;
	case CRASH_OOPS:
		e->oops_after_ms = e->has_oops ? later(e->oops_after_ms, after_ms(f, record))
					       : after_ms(f, record);
		e->has_oops = true;
		break;
	case CRASH_UNREAD:
		e->has_unread = true;
		break;
	case CRASH_CONSOLE:
	case CRASH_ORDERLY:
		if (log != BOOT_END_LOG_NONE)
			e->log = log;
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

/* The record that tells most of the end: of a panic, of the console, of an oops. */
static void choose_lines(struct last_boot_facts *f)
{
	static const enum crash_kind kinds[] = {CRASH_PANIC, CRASH_CONSOLE, CRASH_ORDERLY,
						CRASH_OOPS};

	for (size_t k = 0; k < ARRAY_SIZE(kinds) && !f->lines_from; k++)
		for (size_t i = 0; i < f->n_records && !f->lines_from; i++) {
			if (!f->records[i].counts || f->records[i].record.kind != kinds[k])
				continue;
			f->lines_from = f->records[i].record.name;
			f->lines = f->records[i].record.tail;
		}
	if (f->lines_from || !*f->kept_lines)
		return;
	f->lines_from = "events";
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

static void tell(struct last_boot *last, const struct boot_end *end, struct store *store,
		 int64_t now_ms)
{
	const struct last_boot_facts *f = &last->facts;
	CLEANUP(freep) struct boot_end_record *record = calloc(1, sizeof(*record));
	char evidence[EVENT_EVIDENCE_MAX];

	last->status = (struct last_boot_status){
		.boot = f->boot.id, .cause = end->cause, .certainty = end->certainty};
	snprintf(last->status.text, sizeof(last->status.text), "%s",
		 end->n_reasons ? end->reasons[0].text : boot_end_sentence(end->cause));
	last_boot_write_reasons(f, end, evidence, sizeof(evidence));
	log_info("boot %lld: %s (%s): %s", (long long)f->boot.id, boot_end_sentence(end->cause),
		 boot_end_certainty_name(end->certainty), last->status.text);
	event_add(store, now_ms, boot_end_severity(end->cause), "boot_ended", evidence,
		  "boot %lld: %s (%s): %s", (long long)f->boot.id, boot_end_sentence(end->cause),
		  boot_end_certainty_name(end->certainty), last->status.text);
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

static void decide(struct last_boot *last, struct store *store, int64_t now_ms)
{
	struct last_boot_facts *f = &last->facts;
	CLEANUP(freep) struct boot_end *end = calloc(1, sizeof(*end));

	last->is_open = false;
	if (!end)
		return;
	take_records(last);
	choose_lines(f);
	f->gap_ms = gap_ms(f);

	struct boot_end_evidence e = {
		.stop = stop_of(f),
		.power_failed = f->power_failed,
		.gap_ms = f->gap_ms,
		.was_critical = f->was_critical,
	};

	for (size_t i = 0; i < f->n_records; i++)
		if (f->records[i].counts)
			weigh_record(f, &f->records[i].record, &e);
	weigh_now(f, &e);
	boot_end_decide(&e, end);
	tell(last, end, store, now_ms);
	free(last->blob);
	last->blob = NULL;
	last->blob_len = 0;
}

static int take_latest(const struct latest_row *row, void *arg)
{
	struct last_boot_facts *f = arg;
	size_t field = 0;

	if (row->group != drive_group(&field) || row->gone ||
	    row->values[field].value.type != VALUE_INT)
		return 0;
	for (size_t i = 0; i < f->n_drives; i++) {
		struct last_boot_drive *drive = &f->drives[i];

		if (strcmp(*drive->identity ? drive->identity : drive->node,
			   *drive->identity ? row->identity : row->node) != 0)
			continue;
		drive->after = row->values[field].value.i;
		drive->is_known = true;
	}
	return 0;
}

static bool drives_known(struct last_boot_facts *f, struct store *store)
{
	size_t n = 0;

	if (f->n_drives)
		(void)store_latest(store, take_latest, f);
	for (size_t i = 0; i < f->n_drives; i++)
		n += f->drives[i].is_known;
	return n == f->n_drives;
}

void last_boot_look(struct last_boot *last, struct hw *hw, bool helper)
{
	if (!last || !last->is_open)
		return;
	boot_evidence_read(hw, &last->facts.now);
	if (!helper)
		gather_here(last, hw);
}

void last_boot_turn(struct last_boot *last, struct store *store, int64_t now_ms)
{
	if (!last || !last->is_open)
		return;
	if (!last->from_ms)
		last->from_ms = now_ms;
	if (!last->gathered && now_ms - last->from_ms >= RECORDS_WAIT_MS)
		last_boot_take(last, -1, -ETIMEDOUT);
	if (last->gathered &&
	    (drives_known(&last->facts, store) || now_ms - last->from_ms >= DRIVES_WAIT_MS))
		decide(last, store, now_ms);
}

void last_boot_get_status(const struct last_boot *last, struct last_boot_status *ret)
{
	*ret = last ? last->status : (struct last_boot_status){0};
}
