#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/errno_name.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/kernel_log.h"
#include "cli/table.h"
#include "export/doc.h"

#define DOC_MAX_BYTES (64 * 1024 * 1024)

const char *kernel_log_device(const struct kernel_log *log, const struct incident *incident)
{
	return *incident->disk && !log->knows_devices ? incident->disk : incident->device;
}

static void put_time(struct text *text, int64_t t_us)
{
	if (t_us != KERNEL_TIME_NONE)
		text_printf(text, "%lld.%06lld", (long long)(t_us / 1000000),
			    (long long)(t_us % 1000000));
}

/* As the log has it: without the zone and the year where it does not tell them. */
static void put_wall(struct text *text, const struct log_clock *clock, int64_t wall_us)
{
	char buf[64];
	struct text full = TEXT_IN(buf);

	if (wall_us == KERNEL_TIME_NONE)
		return;
	clock_rfc3339(&full, wall_us / 1000);
	if (clock->is_local && full.len)
		text_rewind(&full, full.len - 1);
	text_str(text, full.p + (clock->is_without_year && full.len > 5 ? 5 : 0));
}

static void put_moment(struct text *text, const struct kernel_log *log,
		       const struct kernel_log_incident *closed, bool is_last)
{
	const struct incident *incident = &closed->incident;

	if (closed->is_by_wall)
		put_wall(text, &log->clock,
			 is_last ? incident->last_wall_us : incident->first_wall_us);
	else
		put_time(text, is_last ? incident->last_us : incident->first_us);
}

static void put_range(struct text *text, int64_t first, int64_t last)
{
	if (first < 0)
		return;
	text_i64(text, first);
	if (last != first)
		text_printf(text, "..%lld", (long long)last);
}

/* Where no sector is known, the blocks that lines count in, whose size is not known. */
static void put_place(struct text *text, const struct incident *incident)
{
	if (incident->sector_first < 0 && incident->has_block) {
		text_str(text, "block ");
		put_range(text, incident->block_first, incident->block_last);
		return;
	}
	put_range(text, incident->sector_first, incident->sector_last);
}

static int64_t byte_of(int64_t sector)
{
	return sector < 0 || sector > INT64_MAX / 512 ? KERNEL_NUMBER_NONE : sector * 512;
}

static void put_causes(struct text *text, const struct incident *incident)
{
	const char *separator = "";

	for (size_t i = 0; i < N_CAUSES; i++) {
		if (!incident->by_cause[i])
			continue;
		text_printf(text, "%s%s %lld", separator, kernel_cause_name((enum kernel_cause)i),
			    (long long)incident->by_cause[i]);
		separator = ", ";
	}
}

/* What the worst line says, and how often each cause came up. */
static void put_text(struct text *text, const struct incident *incident)
{
	char what[INCIDENT_LINE_MAX + 64];

	incident_text(incident, what, sizeof(what));
	text_str(text, what);
	if (incident->count > 1) {
		text_str(text, " (");
		put_causes(text, incident);
		text_char(text, ')');
	}
}

static int add_cell(struct table *table, struct text *text, int r)
{
	r = r < 0 ? r : table_cell(table, text->p);
	text_reset(text);
	return r;
}

static int add_times(struct table *table, const struct kernel_log *log,
		     const struct kernel_log_incident *closed, bool has_wall)
{
	char buf[64];
	struct text text = TEXT_IN(buf);
	int r = table_line(table);

	if (log->n_boots > 1) {
		text_i64(&text, closed->boot);
		r = add_cell(table, &text, r);
	}
	if (has_wall) {
		put_wall(&text, &log->clock, closed->incident.first_wall_us);
		r = add_cell(table, &text, r);
	}
	put_moment(&text, log, closed, false);
	r = add_cell(table, &text, r);
	put_moment(&text, log, closed, true);
	return add_cell(table, &text, r);
}

static int add_incident(struct table *table, const struct kernel_log *log,
			const struct kernel_log_incident *closed, bool has_wall)
{
	const struct incident *incident = &closed->incident;
	char buf[512];
	struct text text = TEXT_IN(buf);
	int r = add_times(table, log, closed, has_wall);

	text_printf(&text, "%s%lld", incident->at_least ? ">=" : "", (long long)incident->count);
	r = add_cell(table, &text, r);
	text_str(&text, kernel_log_device(log, incident));
	r = add_cell(table, &text, r);
	text_str(&text, kernel_cause_name(incident->cause));
	r = add_cell(table, &text, r);
	text_str(&text, severity_name(incident->severity));
	r = add_cell(table, &text, r);
	put_place(&text, incident);
	r = add_cell(table, &text, r);
	put_range(&text, byte_of(incident->sector_first), byte_of(incident->sector_last));
	r = add_cell(table, &text, r);
	put_text(&text, incident);
	return add_cell(table, &text, r);
}

/* Whether an incident has both clocks, so that one column does not show all. */
static bool has_both_clocks(const struct kernel_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		if (!log->closed[i].is_by_wall &&
		    log->closed[i].incident.first_wall_us != KERNEL_TIME_NONE)
			return true;
	return false;
}

static int fill(struct table *table, const struct kernel_log *log)
{
	static const struct {
		const char *name;
		enum table_column column;
	} columns[] = {
		{"FIRST", TABLE_NUMBER}, {"LAST", TABLE_NUMBER}, {"COUNT", TABLE_NUMBER},
		{"DEVICE", TABLE_TEXT},  {"CAUSE", TABLE_TEXT},  {"SEVERITY", TABLE_TEXT},
		{"SECTOR", TABLE_TEXT},  {"BYTE", TABLE_TEXT},   {"TEXT", TABLE_WRAP},
	};
	bool has_wall = has_both_clocks(log);
	int r = log->n_boots > 1 ? table_column(table, "BOOT", TABLE_NUMBER) : 0;

	if (r == 0 && has_wall)
		r = table_column(table, "WALL TIME", TABLE_TEXT);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(columns); i++)
		r = table_column(table, columns[i].name, columns[i].column);
	for (size_t i = 0; r == 0 && i < log->n; i++)
		r = add_incident(table, log, &log->closed[i], has_wall);
	return r;
}

static void print_lines(const struct kernel_log *log)
{
	struct kernel_log_lines lines = kernel_log_lines(log);

	printf("lines: %lld, %lld of the kernel", lines.all, lines.kernel);
	if (lines.unmarked)
		printf(", %lld with nothing in front that tells whose they are", lines.unmarked);
	if (log->n_broken)
		printf(", %lld that are no JSON", log->n_broken);
	printf(", %lld known; ", (long long)incidents_lines(log->table).known);
	if (log->n_boots > 1)
		printf("boots: %d; ", log->n_boots);
	printf("incidents: %lld\n", (long long)log->n + log->dropped);
}

int kernel_log_print_table(const struct kernel_log *log)
{
	CLEANUP(table_closep) struct table *table = NULL;
	int r = 0;

	if (log->n) {
		r = table_open(&table);
		if (r == 0)
			r = fill(table, log);
		if (r == 0)
			r = table_print(table, stdout);
	}
	if (log->dropped)
		printf("%lld older incidents are not shown\n", log->dropped);
	print_lines(log);
	return r;
}

static void doc_number(struct doc *doc, const char *key, int64_t value)
{
	if (value < 0)
		doc_null(doc, key);
	else
		doc_i64(doc, key, value);
}

/* Texts that are separated by one character, as an array. */
static void doc_list(struct doc *doc, const char *key, const char *text, char separator)
{
	struct slice rest = slice_of(text), part;
	char buf[INCIDENT_EVIDENCE_MAX];

	doc_array(doc, key);
	while (rest.len) {
		if (!slice_until(&rest, separator, &part)) {
			part = rest;
			rest.len = 0;
		}
		if (slice_copy(part, buf, sizeof(buf)) == 0)
			doc_string(doc, NULL, buf);
	}
	doc_end(doc);
}

static void doc_wall(struct doc *doc, const char *key, const struct kernel_log *log,
		     int64_t wall_us)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	put_wall(&text, &log->clock, wall_us);
	doc_string_or_null(doc, key, buf);
}

static void doc_times(struct doc *doc, const struct kernel_log *log,
		      const struct kernel_log_incident *closed)
{
	const struct incident *incident = &closed->incident;

	doc_i64(doc, "boot", closed->boot);
	doc_number(doc, "first_us", closed->is_by_wall ? -1 : incident->first_us);
	doc_number(doc, "last_us", closed->is_by_wall ? -1 : incident->last_us);
	doc_wall(doc, "first_wall", log, incident->first_wall_us);
	doc_wall(doc, "last_wall", log, incident->last_wall_us);
}

static void doc_incident(struct doc *doc, const struct kernel_log *log,
			 const struct kernel_log_incident *closed)
{
	const struct incident *incident = &closed->incident;
	char what[INCIDENT_LINE_MAX + 64];

	doc_object(doc, NULL);
	doc_times(doc, log, closed);
	doc_i64(doc, "count", incident->count);
	doc_bool(doc, "at_least", incident->at_least);
	doc_string_or_null(doc, "device", kernel_log_device(log, incident));
	doc_list(doc, "names", incident->nodes, ' ');
	doc_string(doc, "cause", kernel_cause_name(incident->cause));
	doc_string(doc, "severity", severity_name(incident->severity));
	incident_text(incident, what, sizeof(what));
	doc_string(doc, "text", what);
	doc_object(doc, "causes");
	for (size_t i = 0; i < N_CAUSES; i++)
		if (incident->by_cause[i])
			doc_i64(doc, kernel_cause_name((enum kernel_cause)i),
				incident->by_cause[i]);
	doc_end(doc);
	doc_array(doc, "sectors");
	for (size_t i = 0; i < incident->n_sectors; i++)
		doc_i64(doc, NULL, incident->sectors[i]);
	doc_end(doc);
	doc_number(doc, "sector_first", incident->sector_first);
	doc_number(doc, "sector_last", incident->sector_last);
	doc_number(doc, "byte_first", byte_of(incident->sector_first));
	doc_number(doc, "byte_last", byte_of(incident->sector_last));
	doc_number(doc, "block_first",
		   incident->has_block ? incident->block_first : KERNEL_NUMBER_NONE);
	doc_number(doc, "block_last",
		   incident->has_block ? incident->block_last : KERNEL_NUMBER_NONE);
	doc_list(doc, "evidence", incident->evidence, '\n');
	doc_end(doc);
}

static void doc_counts(struct doc *doc, const struct kernel_log *log)
{
	struct incidents_count count;
	size_t cursor = 0;

	doc_array(doc, "counts");
	while (incidents_count_next(log->table, &cursor, &count)) {
		doc_object(doc, NULL);
		doc_string_or_null(doc, "device", count.device);
		doc_string(doc, "cause", kernel_cause_name(count.cause));
		doc_i64(doc, "findings", count.findings);
		doc_i64(doc, "incidents", count.incidents);
		doc_bool(doc, "at_least", count.at_least);
		doc_end(doc);
	}
	doc_end(doc);
}

int kernel_log_print_json(const struct kernel_log *log)
{
	CLEANUP(doc_done) struct doc doc = {0};
	struct incidents_lines lines = incidents_lines(log->table);
	struct kernel_log_lines all = kernel_log_lines(log);

	doc_init(&doc, DOC_MAX_BYTES);
	doc_object(&doc, NULL);
	doc_array(&doc, "incidents");
	for (size_t i = 0; i < log->n; i++)
		doc_incident(&doc, log, &log->closed[i]);
	doc_end(&doc);
	doc_i64(&doc, "older_incidents", log->dropped);
	doc_i64(&doc, "boots", log->n_boots);
	doc_counts(&doc, log);
	doc_object(&doc, "lines");
	doc_i64(&doc, "all", all.all);
	doc_i64(&doc, "kernel", all.kernel);
	doc_i64(&doc, "unmarked", all.unmarked);
	doc_i64(&doc, "broken", log->n_broken);
	doc_i64(&doc, "known", lines.known);
	doc_i64(&doc, "suppressed", lines.suppressed);
	doc_end(&doc);
	doc_end(&doc);
	if (doc_error(&doc) == 0)
		puts(doc.p);
	return doc_error(&doc);
}

/* What is in no rule has "-" in place of all that. */
void kernel_log_print_line(const struct kernel_log *log, const struct kernel_message *message,
			   const struct incidents_taken *taken)
{
	const struct finding *finding = &taken->finding;
	char buf[512];
	struct text text = TEXT_IN(buf);

	if (log->clock.is_by_wall)
		put_wall(&text, &log->clock, message->wall_us);
	else
		put_time(&text, message->t_us);
	printf("%18s %-14s %-8s %-22s ", *buf ? buf : "-",
	       finding->rule ? kernel_cause_name(finding->cause) : "-",
	       finding->rule && kernel_cause_is_event(finding->cause)
		       ? severity_name(finding->severity)
		       : "-",
	       finding->rule ? finding->rule->id : "-");
	text_reset(&text);
	text_str(&text, *finding->node ? finding->node : "-");
	if (finding->sector >= 0)
		text_printf(&text, " sector %lld", (long long)finding->sector);
	if (finding->block >= 0)
		text_printf(&text, " block %lld", (long long)finding->block);
	if (finding->byte >= 0)
		text_printf(&text, " byte %lld", (long long)finding->byte);
	if (finding->error)
		text_printf(&text, " %s", errno_name(finding->error));
	if (message->repeats)
		text_printf(&text, " %lld times", (long long)message->repeats);
	cli_put_text(stdout, buf);
	fputs(" | ", stdout);
	cli_put_text(stdout, message->text);
	fputc('\n', stdout);
}
