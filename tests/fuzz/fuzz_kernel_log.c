/* Anybody who may plug a device, name a file system or keep a log chooses what stands in it. */
/* mutations: 300 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/incidents.h"
#include "analysis/log_clock.h"
#include "analysis/log_links.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len >= size)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			abort();
}

static void check_message(const struct kernel_message *m)
{
	check_text(m->text, sizeof(m->text));
	check_text(m->subsystem, sizeof(m->subsystem));
	check_text(m->device, sizeof(m->device));
	if (!*m->text || m->facility < 0 || m->level < KERNEL_LEVEL_NONE || m->level > 7 ||
	    m->t_us < KERNEL_TIME_NONE || m->wall_us < KERNEL_TIME_NONE)
		abort();
}

static void check_incident(const struct incident *incident)
{
	int64_t sum = 0;

	for (size_t i = 0; i < N_CAUSES; i++)
		sum += incident->by_cause[i];
	if (sum != incident->count || incident->count < 1 || !incident->worst ||
	    incident->severity < SEVERITY_WARNING || incident->last_us < incident->first_us ||
	    !kernel_cause_is_event(incident->cause) || incident->n_sectors > INCIDENT_SECTORS_MAX ||
	    strnlen(incident->evidence, INCIDENT_EVIDENCE_MAX) != incident->evidence_len)
		abort();
	check_text(incident->device, sizeof(incident->device));
	check_text(incident->nodes, sizeof(incident->nodes));
	check_text(incident->disk, sizeof(incident->disk));
}

static void check_finding(const struct finding *f)
{
	check_text(f->node, sizeof(f->node));
	check_text(f->alias, sizeof(f->alias));
	if (f->cause >= N_CAUSES || (f->cause == CAUSE_NONE) != !f->rule || f->sector < -1 ||
	    f->block < -1 || f->suppressed < 0 || f->error < 0)
		abort();
}

static void drain(struct incidents *table)
{
	const struct incident *incident;

	while ((incident = incidents_changed(table)))
		check_incident(incident);
}

static void check_counts(const struct incidents *table)
{
	struct incidents_count count;
	size_t cursor = 0;

	while (incidents_count_next(table, &cursor, &count))
		if (count.findings < count.incidents || count.incidents < 0)
			abort();
}

static void run(struct incidents *table, struct log_links *links, const char *text, size_t size)
{
	struct slice rest = {text, size};
	struct kernel_message message;
	struct incidents_taken taken;
	struct log_clock clock = {0};
	struct kernel_message last = {0};

	while (kernel_message_next(&rest, &message)) {
		check_message(&message);
		kernel_message_follow(&last, &message);
		check_message(&message);
		if (log_clock_take(&clock, &message))
			incidents_next_boot(table);
		check_message(&message);
		log_links_take(links, &message);
		if (links->n_disks > LOG_LINKS_DISKS_MAX)
			abort();
		incidents_take(table, &message, &taken);
		check_finding(&taken.finding);
		if (taken.incident)
			check_incident(taken.incident);
		if ((taken.change == INCIDENTS_SAME) != !taken.incident)
			abort();
		if (message.text[0] & 1)
			drain(table);
	}
	incidents_close(table);
	drain(table);
	check_counts(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(incidents_freep) struct incidents *table = NULL;
	struct log_links links = {0};
	struct kernel_message message;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (incidents_new(log_links_find, &links, &table) == 0) {
		run(table, &links, text, size);
		if (kernel_message_record((struct slice){text, size}, &message) == 0)
			check_text(message.text, sizeof(message.text));
	}
	free(text);
	return 0;
}
