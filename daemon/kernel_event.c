#include "daemon/kernel_event.h"

#include <stdio.h>
#include <string.h>

#include "base/errno_name.h"
#include "base/macros.h"
#include "base/text.h"

#define SECTOR_BYTES 512

/* Room behind what may be cut: the ends of the list and of the object. */
#define END_BYTES 2

static void add_causes(struct text *text, const struct incident *incident)
{
	bool first = true;

	text_str(text, ",\"causes\":{");
	for (int c = 0; c < N_CAUSES; c++) {
		if (!incident->by_cause[c])
			continue;
		text_printf(text, "%s\"%s\":%lld", first ? "" : ",",
			    kernel_cause_name((enum kernel_cause)c),
			    (long long)incident->by_cause[c]);
		first = false;
	}
	text_char(text, '}');
}

static void add_sectors(struct text *text, const struct incident *incident)
{
	if (!incident->n_sectors)
		return;
	text_printf(text, ",\"first_sector\":%lld,\"last_sector\":%lld,\"first_byte\":%lld",
		    (long long)incident->sector_first, (long long)incident->sector_last,
		    (long long)incident->sector_first * SECTOR_BYTES);
	text_str(text, ",\"sectors\":[");
	for (size_t i = 0; i < incident->n_sectors; i++)
		text_printf(text, "%s%lld", i ? "," : "", (long long)incident->sectors[i]);
	text_char(text, ']');
}

static void add_lines(struct text *text, const struct incident *incident)
{
	const char *line = incident->evidence;
	char buf[INCIDENT_LINE_MAX + 1];
	bool first = true;

	/* Only whole lines, as many as fit. */
	text_str(text, ",\"lines\":[");
	while (*line) {
		size_t len = strcspn(line, "\n"), before = text->len;

		snprintf(buf, sizeof(buf), "%.*s", (int)MIN(len, sizeof(buf) - 1), line);
		if (!first)
			text_char(text, ',');
		text_json(text, buf);
		if (text->truncated || text->len + END_BYTES >= text->size) {
			text_rewind(text, before);
			break;
		}
		first = false;
		line += len + (line[len] == '\n');
	}
	text_char(text, ']');
}

static void write_evidence(const struct incident *incident, const struct kernel_moment *moment,
			   struct event *event)
{
	struct text text = TEXT_IN(event->evidence);

	text_printf(&text, "{\"open\":%s,\"count\":%lld,\"at_least\":%s",
		    incident->is_open ? "true" : "false", (long long)incident->count,
		    incident->at_least ? "true" : "false");
	if (incident->worst) {
		text_str(&text, ",\"rule\":");
		text_json(&text, incident->worst->id);
	}
	if (moment->error) {
		text_str(&text, ",\"error\":");
		text_json(&text, errno_name(-moment->error));
	}
	text_str(&text, ",\"names\":");
	text_json(&text, incident->nodes);
	add_causes(&text, incident);
	add_sectors(&text, incident);
	add_lines(&text, incident);
	text_char(&text, '}');
}

static void write_text(const struct incident *incident, struct event *event)
{
	struct text text = TEXT_IN(event->text);
	char what[EVENT_TEXT_MAX - 96]; /* the rest is for what stands behind */

	incident_text(incident, what, sizeof(what));
	/* "kernel panic" says whose it is. */
	if (*incident->device)
		text_printf(&text, "%s: ", incident->device);
	else if (strncmp(what, "kernel ", strlen("kernel ")) != 0)
		text_str(&text, "the kernel: ");
	text_str(&text, what);
	if (incident->count > 1 || incident->at_least)
		text_printf(&text, "; %s%lld messages", incident->at_least ? "at least " : "",
			    (long long)incident->count);
	if (incident->n_sectors && incident->sector_first == incident->sector_last)
		text_printf(&text, ", sector %lld", (long long)incident->sector_first);
	else if (incident->n_sectors)
		text_printf(&text, ", sectors %lld to %lld", (long long)incident->sector_first,
			    (long long)incident->sector_last);
}

void kernel_event(const struct incident *incident, const struct kernel_moment *moment,
		  struct event *ret)
{
	*ret = (struct event){.t_ms = moment->first_ms,
			      .t_end_ms = moment->last_ms,
			      .severity = incident->severity};
	snprintf(ret->kind, sizeof(ret->kind), "kernel_%s", kernel_cause_name(incident->cause));
	snprintf(ret->collector, sizeof(ret->collector), "kmsg");
	snprintf(ret->node, sizeof(ret->node), "%s", incident->device);
	write_text(incident, ret);
	write_evidence(incident, moment, ret);
}
