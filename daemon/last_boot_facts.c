#include "daemon/last_boot_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/errno_name.h"
#include "export/doc.h"

static void add_daemon(struct doc *doc, const struct last_boot_facts *f)
{
	int64_t offset_ms = f->boot.wall_offset_ms;
	bool stopped = f->has_event && !strcmp(f->last_event.kind, "stop");

	doc_object(doc, "recorder");
	doc_bool(doc, "stopped", stopped);
	doc_string_or_null(doc, "machine", stopped ? going_down_name(f->machine) : "");
	doc_time(doc, "last", f->last_ms + offset_ms);
	if (f->gap_ms != BOOT_END_TIME_NONE)
		doc_i64(doc, "gap_ms", f->gap_ms);
	else
		doc_null(doc, "gap_ms");
	doc_bool(doc, "clock_is_unsure", f->gap_is_unsure);
	doc_bool(doc, "power_failed", f->power_failed);
	doc_bool(doc, "critical_temperature", f->was_critical);
	doc_bool(doc, "power_fault", f->had_power_fault);
	doc_bool(doc, "hardware_protection", f->was_protected);
	doc_end(doc);
}

static void add_reasons(struct doc *doc, const struct boot_end *end)
{
	doc_array(doc, "reasons");
	for (size_t i = 0; i < end->n_reasons; i++) {
		doc_object(doc, NULL);
		doc_string(doc, "cause", boot_end_cause_name(end->reasons[i].cause));
		doc_string(doc, "certainty", boot_end_certainty_name(end->reasons[i].certainty));
		doc_i64(doc, "weight", end->reasons[i].weight);
		doc_string(doc, "text", end->reasons[i].text);
		doc_end(doc);
	}
	doc_end(doc);
}

static void add_records(struct doc *doc, const struct last_boot_facts *f)
{
	doc_array(doc, "records");
	for (size_t i = 0; i < f->n_records; i++) {
		const struct crash_record *record = &f->records[i].record;

		doc_object(doc, NULL);
		doc_printf(doc, "path", "/%s", record->name);
		doc_string(doc, "kind", crash_kind_name(record->kind));
		doc_printf(doc, "digest", "%016llx", (unsigned long long)record->digest);
		if (record->wall_ms != CRASH_TIME_NONE)
			doc_time(doc, "t", record->wall_ms);
		doc_bool(doc, "counts", f->records[i].counts);
		if (f->records[i].why_not)
			doc_string(doc, "why", f->records[i].why_not);
		doc_end(doc);
	}
	doc_end(doc);
	if (f->records_error)
		doc_string(doc, "records_error", errno_name(-f->records_error));
}

static void add_watchdogs(struct doc *doc, const struct boot_evidence *e)
{
	doc_array(doc, "watchdogs");
	for (size_t i = 0; i < e->n_watchdogs; i++) {
		const struct boot_watchdog *w = &e->watchdogs[i];

		doc_object(doc, NULL);
		doc_string(doc, "name", w->name);
		doc_string_or_null(doc, "identity", w->identity);
		doc_i64(doc, "bootstatus", w->bootstatus);
		doc_array(doc, "flags");
		for (unsigned bit = 1; bit <= WATCHDOG_POWEROVER; bit <<= 1)
			if ((w->bootstatus & bit) && boot_end_watchdog_flag(bit))
				doc_string(doc, NULL, boot_end_watchdog_flag(bit));
		doc_end(doc);
		doc_end(doc);
	}
	doc_end(doc);
	doc_array(doc, "firmware");
	for (size_t i = 0; i < e->n_firmware; i++) {
		doc_object(doc, NULL);
		doc_string(doc, "from", e->firmware[i].from);
		doc_string(doc, "text", e->firmware[i].text);
		doc_end(doc);
	}
	doc_end(doc);
}

static void add_drives(struct doc *doc, const struct last_boot_facts *f)
{
	doc_array(doc, "drives");
	for (size_t i = 0; i < f->n_drives; i++) {
		const struct last_boot_drive *drive = &f->drives[i];

		doc_object(doc, NULL);
		doc_string(doc, "node", drive->node);
		doc_string_or_null(doc, "identity", drive->identity);
		doc_i64(doc, "unsafe_shutdowns_before", drive->before);
		if (drive->is_known)
			doc_i64(doc, "unsafe_shutdowns", drive->after);
		else
			doc_null(doc, "unsafe_shutdowns");
		doc_end(doc);
	}
	doc_end(doc);
}

/* The last ones that are within the bounds. */
static struct slice last_lines(struct slice all)
{
	size_t from = all.len, n = 0;

	while (from > 0 && all.len - from < LAST_BOOT_LINES_BYTES) {
		if (from < all.len && all.p[from - 1] == '\n' && ++n == LAST_BOOT_LINES_MAX)
			break;
		from--;
	}
	return (struct slice){all.p + from, all.len - from};
}

static void add_lines(struct doc *doc, const struct last_boot_facts *f)
{
	struct slice rest = last_lines(f->lines), line;
	char buf[512];

	if (!f->lines_from) {
		doc_null(doc, "last_lines");
		return;
	}
	doc_object(doc, "last_lines");
	doc_string(doc, "from", f->lines_from);
	doc_array(doc, "lines");
	while (slice_line(&rest, &line)) {
		snprintf(buf, sizeof(buf), "%.*s", (int)MIN(line.len, sizeof(buf) - 1), line.p);
		for (char *p = buf; *p; p++)
			if ((unsigned char)*p < ' ' || *p == 0x7f)
				*p = ' ';
		if (*buf)
			doc_string(doc, NULL, buf);
	}
	doc_end(doc);
	doc_end(doc);
}

static void write_all(struct doc *doc, const struct last_boot_facts *f, const struct boot_end *end,
		      bool with_lines)
{
	doc_object(doc, NULL);
	add_reasons(doc, end);
	add_daemon(doc, f);
	add_records(doc, f);
	add_watchdogs(doc, &f->now);
	add_drives(doc, f);
	if (with_lines)
		add_lines(doc, f);
	doc_end(doc);
}

void last_boot_write_evidence(const struct last_boot_facts *facts, const struct boot_end *end,
			      char *buf, size_t size)
{
	snprintf(buf, size, "{}");
	for (int with_lines = 1; with_lines >= 0; with_lines--) {
		CLEANUP(doc_done) struct doc doc;

		doc_init(&doc, size - 1);
		write_all(&doc, facts, end, with_lines);
		if (doc_error(&doc) == 0) {
			snprintf(buf, size, "%s", doc.p);
			return;
		}
	}
}

void last_boot_write_reasons(const struct last_boot_facts *facts, const struct boot_end *end,
			     char *buf, size_t size)
{
	struct text text = text_in(buf, size - 2); /* room for the ends */

	text_printf(&text, "{\"boot\":%lld,\"cause\":\"%s\",\"certainty\":\"%s\",\"reasons\":[",
		    (long long)facts->boot.id, boot_end_cause_name(end->cause),
		    boot_end_certainty_name(end->certainty));
	for (size_t i = 0; i < end->n_reasons; i++) {
		size_t before = text.len;

		if (i)
			text_char(&text, ',');
		text_json(&text, end->reasons[i].text);
		if (!text.truncated)
			continue;
		text_rewind(&text, before);
		break;
	}
	snprintf(buf + text.len, size - text.len, "]}");
}
