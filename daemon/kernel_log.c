#include "daemon/kernel_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/incidents.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/kernel_blocks.h"
#include "daemon/kernel_moments.h"
#include "model/catalog.h"
#include "model/kernel_names.h"
#include "sampling/registry.h"

/* A read into less than a record takes loses it; the kernel's own buffer is 2048, once 8192. */
#define RECORD_BYTES   16384
#define FILE_MAX_BYTES (8 * 1024 * 1024)
#define TRY_AGAIN_MS   600000
#define ASK_AGAIN_MS   2000   /* a helper that has opened it for another one a moment ago */
#define SETTLE_MS      600000 /* how old the position in the file may get without an event */
#define TICK_MS        1000
#define URGENT_GAP_MS  60000
#define EVENTS_AT_ONCE 16
#define UNTOLD_MAX     4 /* incidents of one turn, before they are told */

struct urgency {
	int64_t t_ms;
	enum severity severity;
	bool was;
};

struct kernel_log {
	struct kernel_log_options options;
	int fd;
	struct hw_file file; /* of a recorded tree */
	char *text;          /* its contents, NULL when there are none */
	struct slice rest;
	struct incidents *incidents;
	struct kernel_names *names;
	struct kernel_blocks blocks;
	struct kernel_counts *counts;
	const struct group *group; /* kernel_incidents */
	size_t incidents_field[N_CAUSES], findings_field[N_CAUSES];
	struct kernel_log_status status;
	int64_t next;      /* number of the record that comes next, -1: not known */
	int64_t told_next; /* as the store was told */
	int64_t told_ms;   /* when */
	struct kernel_moments moments;
	int64_t ticked_ms, tried_ms;
	int64_t ask_at_ms; /* the helper, not before */
	bool has_news, counts_are_old, is_urgent;
	struct urgency urgencies[N_CAUSES];
	size_t n_untold; /* incidents that began since all was told */
	struct kernel_message message;
	struct event events[EVENTS_AT_ONCE];
	size_t n_events;
	char record[RECORD_BYTES];
};

static ssize_t read_fd(int fd, void *buf, size_t size)
{
	return read(fd, buf, size);
}

static size_t field_of(const struct group *group, const char *cause, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", cause, what);
	for (size_t i = 0; i < group->n_fields; i++)
		if (!strcmp(group->fields[i].name, name))
			return i;
	return SIZE_MAX;
}

static int find_fields(struct kernel_log *log)
{
	size_t index;
	int r = catalog_find_group(registry(), "kernel_incidents", &index);

	if (r < 0)
		return r;
	log->group = catalog_group_at(registry(), index, NULL);
	for (int c = 0; c < N_CAUSES; c++) {
		const char *cause = kernel_cause_name((enum kernel_cause)c);

		log->incidents_field[c] = field_of(log->group, cause, "incidents");
		log->findings_field[c] = field_of(log->group, cause, "findings");
	}
	return 0;
}

static void kernel_log_freep(struct kernel_log **log)
{
	kernel_log_free(*log);
}

static void set_problem(struct kernel_log *log, int error)
{
	struct kernel_log_problem *problem = &log->status.problem;

	kernel_log_explain(log->options.hw, error, problem);
	log->has_news = log->has_news || log->counts->is_followed || log->counts->is_awaited ||
			strcmp(problem->reason, log->counts->problem.reason) != 0;
	log->counts->problem = *problem;
	log->counts->is_followed = log->counts->is_awaited = log->status.is_followed = false;
}

static void send_events(struct kernel_log *log, int64_t now_ms)
{
	store_kernel_log(log->options.store, MAX(log->next, 0), log->events, log->n_events,
			 log->is_urgent);
	log->n_events = 0;
	log->is_urgent = false;
	log->told_next = log->next;
	log->told_ms = now_ms;
}

/* Repeats of one cause wait for the next commit, which comes within its interval anyway. */
static bool is_urgent(struct kernel_log *log, const struct incident *incident, int64_t now_ms)
{
	struct urgency *last = &log->urgencies[incident->cause];

	if (incident->severity < SEVERITY_WARNING ||
	    (last->was && incident->severity <= last->severity &&
	     now_ms - last->t_ms < URGENT_GAP_MS))
		return false;
	*last = (struct urgency){now_ms, incident->severity, true};
	return true;
}

static struct kernel_device_counts *counts_for(struct kernel_counts *counts, const char *node)
{
	struct kernel_device_counts *device;

	for (size_t i = 0; i < counts->n_devices; i++)
		if (!strcmp(counts->devices[i].node, node))
			return &counts->devices[i];
	if (counts->n_devices == KERNEL_DEVICES_MAX)
		return NULL;
	device = &counts->devices[counts->n_devices++];
	*device = (struct kernel_device_counts){0};
	snprintf(device->node, sizeof(device->node), "%s", node);
	return device;
}

/* The node of a device that a table of incidents names. */
static const char *node_of(const char *device)
{
	if (!*device)
		return "machine";
	return strcmp(device, "*") ? device : "others";
}

/* What the table has to say since it was asked last. */
static void tell_changes(struct kernel_log *log, int64_t now_ms)
{
	const struct incident *incident;

	while ((incident = incidents_changed(log->incidents))) {
		struct kernel_slot *slot = kernel_moments_of(&log->moments, incident->id, now_ms);

		kernel_event(incident, &slot->moment, &log->events[log->n_events++]);
		kernel_moments_told(slot, incident->is_open);
		if (log->n_events == EVENTS_AT_ONCE)
			send_events(log, now_ms);
	}
	log->n_untold = 0;
	if (log->n_events || log->is_urgent)
		send_events(log, now_ms);
}

static void take_message(struct kernel_log *log, int64_t now_ms)
{
	int64_t t_ms =
		kernel_moments_boot_ms(&log->moments, log->message.t_us, now_ms, log->fd >= 0);
	struct incidents_taken taken;
	struct kernel_slot *slot;

	incidents_take(log->incidents, &log->message, &taken);
	if (taken.change == INCIDENTS_SAME || !taken.incident)
		return;
	slot = kernel_moments_of(&log->moments, taken.incident->id, t_ms);
	slot->moment.last_ms = MAX(t_ms, slot->moment.last_ms);
	if (!slot->moment.error)
		slot->moment.error = taken.finding.error;
	log->counts_are_old = true;
	if (taken.change == INCIDENTS_NEW) {
		log->status.n_incidents++;
		log->n_untold++;
	}
	if (taken.change != INCIDENTS_COUNTED && is_urgent(log, taken.incident, now_ms))
		log->is_urgent = true;
	/* The table writes over what is over and was not asked for in time. */
	if (log->n_untold == UNTOLD_MAX)
		tell_changes(log, now_ms);
}

/* Whether the record is news, by its number. Numbers that were left out are lost; those below were
 * told by a run before this one. The kernel counts from 0 at its boot, so in a log that nobody has
 * read before, the first number is how many were overwritten. */
static bool is_next(struct kernel_log *log, int64_t sequence)
{
	if (sequence < 0)
		return true;
	if (log->next >= 0 && sequence < log->next)
		return false;
	if (log->next < 0 && log->fd >= 0)
		log->status.n_before = (uint64_t)sequence;
	if (log->next >= 0)
		log->status.n_lost += (uint64_t)(sequence - log->next);
	log->next = sequence == INT64_MAX ? sequence : sequence + 1;
	return true;
}

static void take_record(struct kernel_log *log, struct slice record, int64_t now_ms)
{
	if (kernel_message_record(record, &log->message) < 0) {
		log->status.n_unreadable++;
		return;
	}
	if (!is_next(log, log->message.sequence))
		return;
	log->status.n_records++;
	take_message(log, now_ms);
}

static void let_go(struct kernel_log *log)
{
	closep(&log->fd);
	log->fd = -1;
	hw_file_close(&log->file);
	free(log->text);
	log->text = NULL;
}

/* What a read gave. Whether to go on. */
static bool take_read(struct kernel_log *log, ssize_t n, int error, int64_t now_ms)
{
	if (n > 0) {
		take_record(log, (struct slice){log->record, (size_t)n}, now_ms);
		return true;
	}
	if (n < 0 && error == EINTR)
		return true;
	if (n < 0 && error == EPIPE) {
		/* Overwritten; the next read goes on with the oldest that there is. */
		log->status.n_overruns++;
		return true;
	}
	if (n < 0 && error == EINVAL) {
		/* Longer than the buffer, and passed over. */
		log->status.n_unreadable++;
		return true;
	}
	if (n < 0 && error == EAGAIN) {
		log->moments.drained_ms = now_ms;
		return false;
	}
	log_warning("the kernel's log cannot be followed any more: %s",
		    n < 0 ? strerror(error) : "it has ended");
	let_go(log);
	set_problem(log, n < 0 ? -error : -EPIPE);
	log->tried_ms = now_ms;
	return false;
}

/* A turn may have begun seconds ago, and what is read may be newer: it would pass for one whose
 * stamp is ahead of the clock, and make all that follow too old. */
static void read_live(struct kernel_log *log, int64_t now_ms)
{
	log->moments.asleep_ms = clock_asleep_ms();
	for (size_t i = 0; i < KERNEL_LOG_AT_ONCE; i++) {
		ssize_t n = log->options.read(log->fd, log->record, sizeof(log->record));
		int error = errno;

		if (!take_read(log, n, error, n > 0 ? MAX(now_ms, clock_boot_ms()) : now_ms))
			break;
	}
}

/* Lines that begin with a blank belong to the record before. */
static bool file_record(struct slice *rest, struct slice *ret)
{
	struct slice line, after;

	if (!rest->len)
		return false;
	ret->p = rest->p;
	ret->len = 0;
	do {
		const char *end = memchr(rest->p, '\n', rest->len);
		size_t len = end ? (size_t)(end - rest->p) + 1 : rest->len;

		line = (struct slice){rest->p, len};
		after = (struct slice){rest->p + len, rest->len - len};
		ret->len += line.len;
		*rest = after;
	} while (rest->len && *rest->p == ' ');
	return true;
}

static void read_file(struct kernel_log *log, int64_t now_ms)
{
	struct slice record;

	for (size_t i = 0; i < KERNEL_LOG_AT_ONCE; i++) {
		if (!file_record(&log->rest, &record)) {
			/* Nothing comes behind it. */
			incidents_close(log->incidents);
			free(log->text);
			log->text = NULL;
			return;
		}
		take_record(log, record, now_ms);
	}
}

void kernel_log_read(struct kernel_log *log, int64_t now_ms)
{
	if (log->fd >= 0)
		read_live(log, now_ms);
	else if (log->text)
		read_file(log, now_ms);
	else
		return;
	tell_changes(log, now_ms);
}

static void begin(struct kernel_log *log, int64_t now_ms)
{
	log->has_news = log->has_news || !log->counts->is_awaited;
	log->status.is_followed = log->counts->is_followed = true;
	log->counts->is_awaited = false;
	log->status.since_ms = now_ms;
	log->status.problem = (struct kernel_log_problem){0};
	log->counts_are_old = true;
	log->moments.drained_ms = -1;
	log_info("the kernel's log is followed");
}

static int open_file(struct kernel_log *log)
{
	size_t size = 65536;
	int r = hw_file_open(log->options.hw, &log->file, "dev/kmsg");

	if (r < 0)
		return r;
	log->text = malloc(size);
	if (!log->text)
		return -ENOMEM;
	r = hw_file_read_grow(log->options.hw, &log->file, &log->text, &size, FILE_MAX_BYTES);
	log->rest = (struct slice){log->text, r < 0 ? 0 : (size_t)r};
	return MIN(r, 0);
}

void kernel_log_open(struct kernel_log *log, int64_t now_ms)
{
	int r;

	if (log->status.is_followed)
		return;
	log->tried_ms = now_ms;
	if (!hw_is_live(log->options.hw)) {
		r = open_file(log);
		hw_file_close(&log->file);
	} else {
		r = log->fd = hw_open_log(log->options.hw);
	}
	if (r >= 0) {
		begin(log, now_ms);
		return;
	}
	let_go(log);
	set_problem(log, r);
}

void kernel_log_take(struct kernel_log *log, int fd, int error, int64_t now_ms)
{
	if (!log) {
		closep(&fd);
		return;
	}
	if (fd < 0)
		log->ask_at_ms = now_ms + (error == -EAGAIN ? ASK_AGAIN_MS : TRY_AGAIN_MS);
	if (fd < 0 && error == -EAGAIN)
		return;
	if (fd < 0 && !log->status.is_followed) {
		log_info("flashscope-helper cannot open the kernel's log: %s", strerror(-error));
		kernel_log_open(log, now_ms);
		/* The helper may do more, so what it says is nearer to the cause. */
		if (!log->status.is_followed)
			set_problem(log, error);
		return;
	}
	if (log->status.is_followed) {
		closep(&fd);
		return;
	}
	log->fd = fd;
	begin(log, now_ms);
}

int kernel_log_fd(const struct kernel_log *log)
{
	return log->fd;
}

bool kernel_log_is_behind(const struct kernel_log *log)
{
	return log->text;
}

bool kernel_log_is_wanting(const struct kernel_log *log)
{
	return !log->status.is_followed && hw_is_live(log->options.hw) &&
	       log->ticked_ms >= log->ask_at_ms;
}

static void add_count(struct kernel_log *log, const struct incidents_count *count)
{
	size_t incidents = log->incidents_field[count->cause];
	size_t findings = log->findings_field[count->cause];
	struct kernel_device_counts *device;

	if (incidents == SIZE_MAX || findings == SIZE_MAX)
		return;
	device = counts_for(log->counts, node_of(count->device));
	if (!device)
		return;
	device->values[KERNEL_INCIDENTS] = count->began;
	device->values[incidents] = count->incidents;
	device->values[findings] = count->findings;
	device->values[KERNEL_FINDINGS] += count->findings;
}

/* All devices that there are have a row: zero is what the log says of them. */
static void count(struct kernel_log *log)
{
	struct kernel_counts *counts = log->counts;
	struct incidents_count count;
	const char *device;
	size_t cursor = 0;

	log->counts_are_old = incidents_count_waits(log->incidents);
	for (size_t i = 0; i < counts->n_devices; i++)
		counts->devices[i].values[KERNEL_FINDINGS] = 0;
	(void)counts_for(counts, "machine");
	for (size_t i = 0; (device = kernel_names_device(log->names, i)); i++)
		(void)counts_for(counts, device);
	while (incidents_count_next(log->incidents, &cursor, &count))
		add_count(log, &count);
}

static void resume(struct kernel_log *log, const struct event *event)
{
	const struct incident *resumed;
	struct incident incident;
	struct kernel_moment moment;
	struct kernel_slot *slot;

	if (kernel_event_read(event, &incident, &moment) < 0)
		return;
	incident.first_us = kernel_moments_stamp_us(&log->moments, moment.first_ms);
	incident.last_us = kernel_moments_stamp_us(&log->moments, moment.last_ms);
	resumed = incidents_resume(log->incidents, &incident);
	if (!resumed)
		return;
	slot = kernel_moments_of(&log->moments, resumed->id, moment.first_ms);
	slot->moment = moment;
	kernel_moments_told(slot, true);
}

/* What the run before had left open goes on; what was quiet for too long meanwhile is closed by the
 * first tick. */
static int resume_all(struct kernel_log *log)
{
	CLEANUP(freep) struct event *events = calloc(STORE_LOG_OPEN_MAX, sizeof(*events));
	size_t n;

	if (!events)
		return -ENOMEM;
	log->moments.asleep_ms = hw_is_live(log->options.hw) ? clock_asleep_ms() : 0;
	/* The oldest first, as they began. */
	for (n = store_kernel_log_open(log->options.store, events, STORE_LOG_OPEN_MAX); n; n--)
		resume(log, &events[n - 1]);
	return 0;
}

int kernel_log_new(const struct kernel_log_options *options, struct kernel_log **ret)
{
	CLEANUP(kernel_log_freep) struct kernel_log *log = calloc(1, sizeof(*log));
	int r;

	if (!log)
		return -ENOMEM;
	log->options = *options;
	if (!log->options.read)
		log->options.read = read_fd;
	log->fd = -1;
	log->next = log->told_next = log->moments.drained_ms = -1;
	log->tried_ms = clock_boot_ms();
	log->counts = kernel_counts_of(options->hw);
	if (!log->counts)
		return -ENOMEM;
	r = kernel_names_new(options->hw, &log->names);
	if (r == 0)
		r = incidents_new(kernel_names_find, log->names, &log->incidents);
	if (r == 0) {
		log->blocks.store = options->store;
		incidents_know_blocks(log->incidents, kernel_blocks_bytes, &log->blocks);
		r = find_fields(log);
	}
	if (r == 0)
		r = resume_all(log);
	if (r < 0)
		return r;
	if (store_kernel_log_next(options->store, &log->next) == 0)
		log->told_next = log->next;
	log->counts->is_served = true;
	log->counts->is_awaited = true;
	snprintf(log->status.problem.reason, sizeof(log->status.problem.reason),
		 "flashscope-helper was asked for it");
	count(log);
	*ret = log;
	log = NULL;
	return 0;
}

static void count_lines(struct kernel_log *log)
{
	struct incidents_lines lines = incidents_lines(log->incidents);
	int64_t *values = log->counts->log;

	values[KERNEL_LOG_RECORDS] = (int64_t)log->status.n_records;
	values[KERNEL_LOG_LOST] = (int64_t)log->status.n_lost;
	values[KERNEL_LOG_UNREADABLE] = (int64_t)log->status.n_unreadable;
	values[KERNEL_LOG_PROCESS] = lines.all - lines.kernel;
	values[KERNEL_LOG_IGNORED] = lines.kernel - lines.known;
}

static int64_t monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

void kernel_log_tick(struct kernel_log *log, int64_t now_ms)
{
	if (now_ms - log->ticked_ms < TICK_MS)
		return;
	log->ticked_ms = now_ms;
	if (!log->status.is_followed) {
		if (now_ms - log->tried_ms >= TRY_AGAIN_MS && hw_is_live(log->options.hw))
			kernel_log_open(log, now_ms);
		return;
	}
	/* The clock of the stamps stands still in suspend as well, and is near enough. */
	if (log->fd >= 0 && log->moments.drained_ms >= 0)
		incidents_advance(log->incidents, monotonic_us());
	tell_changes(log, now_ms);
	if (log->counts_are_old)
		count(log);
	count_lines(log);
	if (log->next != log->told_next && now_ms - log->told_ms >= SETTLE_MS)
		send_events(log, now_ms);
}

void kernel_log_look_again(struct kernel_log *log)
{
	kernel_names_look_again(log->names);
	log->counts_are_old = true;
}

bool kernel_log_has_news(struct kernel_log *log)
{
	bool news = log->has_news;

	log->has_news = false;
	return news;
}

void kernel_log_get_status(const struct kernel_log *log, struct kernel_log_status *ret)
{
	*ret = log->status;
	ret->n_open = kernel_moments_n_open(&log->moments);
}

void kernel_log_free(struct kernel_log *log)
{
	if (!log)
		return;
	if (log->incidents)
		tell_changes(log, clock_boot_ms());
	if (log->next != log->told_next)
		send_events(log, clock_boot_ms());
	let_go(log);
	incidents_free(log->incidents);
	kernel_names_free(log->names);
	free(log);
}

int kernel_log_begin(struct sampler *sampler, struct store *store, bool has_helper,
		     struct kernel_log **ret)
{
	const struct kernel_log_options options = {.hw = sampler_hw(sampler), .store = store};
	struct kernel_log *log = NULL;
	int r = kernel_log_new(&options, &log);

	if (r < 0) {
		log_error("the kernel's log cannot be followed: %s", strerror(-r));
		return r;
	}
	if (!has_helper || !kernel_log_is_wanting(log))
		kernel_log_open(log, clock_boot_ms());
	/* The first probes are still to come. */
	(void)kernel_log_has_news(log);
	sampler_want_log(sampler, kernel_log_is_wanting(log));
	*ret = log;
	return 0;
}

void kernel_log_started(struct kernel_log *log, const struct sampler *sampler)
{
	struct sampler_stats stats;

	sampler_get_stats(sampler, &stats);
	if (stats.helper.state == LINK_DOWN)
		kernel_log_without_helper(log);
}

void kernel_log_without_helper(struct kernel_log *log)
{
	if (log && kernel_log_is_wanting(log))
		kernel_log_open(log, clock_boot_ms());
}
