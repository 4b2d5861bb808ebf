/* Messages become incidents, boot by boot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/kernel_log.h"

static int keep(struct kernel_log *log, const struct incident *incident)
{
	const struct kernel_log_incident closed = {*incident, log->n_boots, log->clock.is_by_wall};

	/* A ring, of which the next one that is dropped is the oldest. */
	if (log->n == KERNEL_LOG_INCIDENTS_MAX) {
		log->closed[log->dropped++ % KERNEL_LOG_INCIDENTS_MAX] = closed;
		return 0;
	}
	if (log->n == log->alloc) {
		size_t alloc = log->alloc ? 2 * log->alloc : 16;
		struct kernel_log_incident *grown =
			reallocarray(log->closed, alloc, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		log->closed = grown;
		log->alloc = alloc;
	}
	log->closed[log->n++] = closed;
	return 0;
}

static int keep_closed(struct kernel_log *log)
{
	const struct incident *incident;
	int r = 0;

	while (r == 0 && (incident = incidents_changed(log->table)))
		if (!incident->is_open)
			r = keep(log, incident);
	return r;
}

static int next_boot(struct kernel_log *log, bool was_by_wall)
{
	bool is_by_wall = log->clock.is_by_wall;
	int r;

	incidents_next_boot(log->table);
	log->clock.is_by_wall = was_by_wall;
	r = keep_closed(log);
	log->clock.is_by_wall = is_by_wall;
	log->n_boots++;
	if (log->shows_lines)
		printf("boot %d\n", log->n_boots);
	return r;
}

int kernel_log_take(struct kernel_log *log, struct kernel_message *message)
{
	bool was_by_wall = log->clock.is_by_wall;
	struct incidents_taken taken;
	int r = 0;

	kernel_message_follow(&log->last, message);
	if (log->is_other_boot)
		log_clock_begin(&log->clock);
	if (log_clock_take(&log->clock, message) || log->is_other_boot)
		r = next_boot(log, was_by_wall);
	log->is_other_boot = false;
	log_links_take(&log->links, message);
	incidents_take(log->table, message, &taken);
	if (message->facility == 0 && message->is_bare && !taken.finding.rule)
		log->n_bare++;
	if (log->shows_lines)
		kernel_log_print_line(log, message, &taken);
	return r < 0 ? r : keep_closed(log);
}

/* Those of several devices are open at once. */
static int by_beginning(const void *a, const void *b)
{
	const struct kernel_log_incident *x = a, *y = b;

	return (x->incident.id > y->incident.id) - (x->incident.id < y->incident.id);
}

int kernel_log_end(struct kernel_log *log)
{
	int r;

	incidents_close(log->table);
	r = keep_closed(log);
	if (log->n)
		qsort(log->closed, log->n, sizeof(*log->closed), by_beginning);
	return r;
}

struct kernel_log_lines kernel_log_lines(const struct kernel_log *log)
{
	struct incidents_lines lines = incidents_lines(log->table);

	return (struct kernel_log_lines){
		.all = (long long)lines.all + log->n_broken,
		.kernel = (long long)lines.kernel - log->n_bare,
		.unmarked = log->n_bare,
	};
}

void kernel_log_done(struct kernel_log *log)
{
	incidents_free(log->table);
	free(log->closed);
}
