#include "analysis/incidents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/incident_parts.h"
#include "base/text.h"

#define ALIASES_MAX    64
/* Slots past this number hold what was closed and not yet asked for. */
#define OPEN_MAX       (INCIDENTS_MAX - 8)
#define DEPARTURES_MAX 4
/* What follows from the loss of a device that was no incident by itself comes this soon. */
#define DEPARTED_US    (INT64_C(30) * 1000000)
/* Lines that tell more of a hung task follow it at once. */
#define DETAIL_US      INT64_C(1000000)

struct alias {
	char name[NODE_NAME_MAX], device[NODE_NAME_MAX];
};

/* The newest finding, where it is a hung task that names no device, and what the incident was
 * before it. It is counted once it is known whose it is: no count ever falls. */
struct hung {
	struct incident *incident; /* NULL: the newest is another one */
	bool is_new, is_new_cause; /* of that incident */
	struct incident_state before;
	struct kernel_message message;
	struct finding finding;
};

/* A device that went without any trouble up to then: a stick that was pulled, a disk whose cable
 * got loose. */
struct departure {
	bool is_used;
	char device[NODE_NAME_MAX];
	int64_t t_us;
	struct kernel_message message;
	struct finding finding;
};

struct incidents {
	incidents_canonical canonical;
	void *arg;
	incidents_block_bytes block_bytes; /* NULL: no size is known */
	void *block_arg;
	int64_t now_us; /* of the last message that had a time */
	int64_t last_id, closed_early, lost;
	struct hung hung;
	struct departure departures[DEPARTURES_MAX];
	size_t next_departure;
	struct incidents_lines lines;
	struct incident slots[INCIDENTS_MAX];
	struct alias aliases[ALIASES_MAX];
	size_t n_aliases, next_alias;
	struct incident_counts counts;
};

int incidents_new(incidents_canonical canonical, void *arg, struct incidents **ret)
{
	struct incidents *table = calloc(1, sizeof(*table));

	if (!table)
		return -ENOMEM;
	table->canonical = canonical;
	table->arg = arg;
	table->now_us = KERNEL_TIME_NONE;
	*ret = table;
	return 0;
}

void incidents_know_blocks(struct incidents *table, incidents_block_bytes bytes, void *arg)
{
	table->block_bytes = bytes;
	table->block_arg = arg;
}

void incidents_free(struct incidents *table)
{
	free(table);
}

void incidents_freep(struct incidents **table)
{
	incidents_free(*table);
}

static void copy_name(char *to, const char *from)
{
	struct text text = text_in(to, NODE_NAME_MAX);

	text_str(&text, from);
}

/* Where an open incident stands in the order of closing: the one that was quiet longest first. */
static int64_t quiet_order(const struct incident *incident)
{
	return incident->last_us;
}

/* No line has told of a device: it is the machine's. */
static void settle_hung(struct incidents *table)
{
	struct hung *hung = &table->hung;

	if (!hung->incident)
		return;
	counts_add(&table->counts, "", &hung->finding, hung->is_new_cause);
	if (hung->is_new)
		counts_began(&table->counts, "");
	hung->incident = NULL;
}

static void close_incident(struct incidents *table, struct incident *incident)
{
	incident->is_open = false;
	incident->has_changed = true;
	if (table->hung.incident == incident)
		settle_hung(table);
}

void incidents_advance(struct incidents *table, int64_t now_us)
{
	if (table->hung.incident && now_us - table->hung.incident->last_us > DETAIL_US)
		settle_hung(table);
	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (incident->is_open && now_us - incident->last_us > INCIDENT_REPEAT_US)
			close_incident(table, incident);
	}
}

void incidents_close(struct incidents *table)
{
	for (size_t i = 0; i < INCIDENTS_MAX; i++)
		if (table->slots[i].is_open)
			close_incident(table, &table->slots[i]);
}

void incidents_next_boot(struct incidents *table)
{
	incidents_close(table);
	table->now_us = KERNEL_TIME_NONE;
	table->n_aliases = table->next_alias = 0;
	for (size_t i = 0; i < DEPARTURES_MAX; i++)
		table->departures[i].is_used = false;
}

/* The time of a message. Another boot begins at 0. */
static void take_time(struct incidents *table, const struct kernel_message *message)
{
	if (message->t_us == KERNEL_TIME_NONE)
		return;
	if (message->t_us < table->now_us - INCIDENTS_DISORDER_US)
		incidents_close(table);
	else if (message->t_us < table->now_us)
		return;
	table->now_us = message->t_us;
	incidents_advance(table, table->now_us);
}

static void learn_alias(struct incidents *table, const struct finding *finding)
{
	struct alias *alias = NULL;

	for (size_t i = 0; i < table->n_aliases && !alias; i++)
		if (!strcmp(table->aliases[i].name, finding->alias))
			alias = &table->aliases[i];
	if (!alias) {
		alias = &table->aliases[table->next_alias];
		table->next_alias = (table->next_alias + 1) % ALIASES_MAX;
		table->n_aliases = MIN(table->n_aliases + 1, (size_t)ALIASES_MAX);
	}
	copy_name(alias->name, finding->alias);
	incidents_plain_name(finding->node, alias->device);
}

/* What the log itself has said of a name; of a disk's, also for its partitions. */
static bool known_alias(const struct incidents *table, const char *name, char *ret)
{
	char disk[NODE_NAME_MAX];

	if (incident_mmc_disk(name, disk))
		name = disk;
	for (size_t i = 0; i < table->n_aliases; i++) {
		if (!strcmp(table->aliases[i].name, name)) {
			copy_name(ret, table->aliases[i].device);
			return true;
		}
	}
	return false;
}

/* The one open incident of an MMC host; NULL when there is none, or more than one. */
static struct incident *sole_mmc(struct incidents *table)
{
	struct incident *found = NULL;

	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (!incident->is_open || !incident->is_mmc ||
		    table->now_us - incident->last_us > INCIDENT_QUIET_US)
			continue;
		if (found)
			return NULL;
		found = incident;
	}
	return found;
}

/* A host is named by its driver in lines that come in the middle of its trouble; which of the hosts
 * it is, is not said. With one in trouble it is this one. */
static void resolve_mmc_bus(struct incidents *table, const char *node, char *ret)
{
	const struct incident *incident = sole_mmc(table);

	copy_name(ret, incident ? incident->device : node);
}

static void resolve(struct incidents *table, const struct finding *finding, char *ret)
{
	ret[0] = '\0';
	if (!*finding->node)
		return;
	if (table->canonical && table->canonical(table->arg, finding->node, ret) && *ret)
		return;
	if (known_alias(table, finding->node, ret))
		return;
	if (finding->kind == KERNEL_NODE_MMC_BUS)
		resolve_mmc_bus(table, finding->node, ret);
	else
		incidents_plain_name(finding->node, ret);
}

/* What a record says of its device, for a line that names none. */
static void resolve_record(struct incidents *table, const struct kernel_message *message, char *ret)
{
	if (!*ret && *message->device && table->canonical &&
	    !table->canonical(table->arg, message->device, ret))
		ret[0] = '\0';
}

/* The machine has many troubles at once that have nothing to do with each other. */
static bool is_of(const struct incident *incident, const char *device,
		  const struct finding *finding)
{
	return incident->is_open && !strcmp(incident->device, device) &&
	       (*device || incident->cause == finding->cause);
}

/* After a while it is the same condition again, or what follows from the loss of the device. */
static bool is_still_the_same(const struct incident *incident, const struct finding *finding)
{
	return incident_has_rule(incident, finding->rule) ||
	       (incident->by_cause[CAUSE_GONE] && kernel_cause_is_consequence(finding->cause));
}

static struct incident *find_open(struct incidents *table, const char *device,
				  const struct finding *finding)
{
	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (!is_of(incident, device, finding))
			continue;
		if (table->now_us - incident->last_us <= INCIDENT_QUIET_US ||
		    is_still_the_same(incident, finding))
			return incident;
		close_incident(table, incident);
		return NULL;
	}
	return NULL;
}

static void make_room(struct incidents *table)
{
	struct incident *quiet = NULL;
	size_t n = 0;

	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (!incident->is_open)
			continue;
		n++;
		if (!quiet || quiet_order(incident) < quiet_order(quiet))
			quiet = incident;
	}
	if (n < OPEN_MAX)
		return;
	close_incident(table, quiet);
	table->closed_early++;
}

/* Free slots first, then what was closed and told, then what was closed and never asked for. */
static int slot_rank(const struct incident *incident)
{
	if (!incident->is_used)
		return 0;
	if (incident->is_open)
		return 3;
	return incident->has_changed ? 2 : 1;
}

static struct incident *free_slot(struct incidents *table)
{
	struct incident *best = &table->slots[0];

	for (size_t i = 1; i < INCIDENTS_MAX; i++) {
		struct incident *slot = &table->slots[i];
		int rank = slot_rank(slot), best_rank = slot_rank(best);

		if (rank < best_rank || (rank == best_rank && slot->id < best->id))
			best = slot;
	}
	if (slot_rank(best) == 2)
		table->lost++;
	return best;
}

static struct incident *open_incident(struct incidents *table, const char *device)
{
	struct incident *incident;

	make_room(table);
	incident = free_slot(table);
	incident_begin(incident, ++table->last_id, device, table->now_us);
	return incident;
}

/* "logical block 62514752" is a place on the disk where another line has the same place as a
 * sector. */
static void guess_byte(const struct incident *incident, struct finding *finding)
{
	if (finding->block <= 0 || finding->byte != KERNEL_NUMBER_NONE ||
	    strcmp(finding->node, incident->disk) != 0)
		return;
	for (size_t i = 0; i < incident->n_sectors; i++)
		for (int shift = 0; shift <= 7; shift++)
			if (finding->block <= INT64_MAX >> shift &&
			    finding->block << shift == incident->sectors[i])
				finding->byte = incident->sectors[i] * 512;
}

/* Sectors have 512 bytes whatever the disk's blocks have. */
static void place_lba(const struct incidents *table, struct finding *finding)
{
	int64_t bytes, sector;

	if (!finding->is_lba || finding->block < 0 || !table->block_bytes)
		return;
	bytes = table->block_bytes(table->block_arg, finding->node);
	if (bytes < 512 || bytes % 512 ||
	    __builtin_mul_overflow(finding->block, bytes / 512, &sector) ||
	    sector > INT64_MAX / 512)
		return;
	finding->sector = sector;
	finding->byte = sector * 512;
}

/* Lines were left out of the log, of whatever was going on. */
static void take_suppressed(struct incidents *table, int64_t n)
{
	if (__builtin_add_overflow(table->lines.suppressed, n, &table->lines.suppressed))
		table->lines.suppressed = INT64_MAX;
	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (!incident->is_open || table->now_us - incident->last_us > INCIDENT_QUIET_US)
			continue;
		incident->has_changed = incident->has_changed || !incident->at_least;
		incident->at_least = true;
		counts_at_least(&table->counts, incident->device);
	}
}

/* A task hangs, and a line behind tells for which device: then it is that one's incident. What else
 * hung before it stays the machine's. */
static void take_detail(struct incidents *table, const struct kernel_message *message,
			struct incidents_taken *ret)
{
	const struct finding *finding = &ret->finding;
	struct hung *hung = &table->hung;
	struct incident *incident = hung->incident;
	char device[NODE_NAME_MAX];

	if (!incident || !*finding->node || table->now_us - incident->last_us > DETAIL_US)
		return;
	resolve(table, finding, device);
	if (!*device || find_open(table, device, finding))
		return;
	counts_add(&table->counts, device, &hung->finding, true);
	counts_began(&table->counts, device);
	ret->change = INCIDENTS_WORSE;
	if (incident->count > 1) {
		int64_t t_us = incident->last_us;

		incident_take_back(incident, &hung->before, hung->finding.times);
		incident = open_incident(table, device);
		incident->first_us = t_us;
		(void)incident_add(incident, &hung->message, &hung->finding, t_us);
		ret->change = INCIDENTS_NEW;
	}
	copy_name(incident->device, device);
	incident_rename(incident, message, finding);
	hung->incident = NULL;
	ret->incident = incident;
}

/* Whether the finding waits for the line that says whose it is, and is not counted yet. */
static bool note_hung(struct incidents *table, struct incident *incident, bool is_new,
		      const struct kernel_message *message, const struct finding *finding)
{
	struct hung *hung = &table->hung;

	if (finding->cause != CAUSE_HUNG || *incident->device)
		return false;
	hung->incident = incident;
	hung->is_new = is_new;
	hung->is_new_cause = !incident->by_cause[CAUSE_HUNG];
	hung->before = incident_state(incident);
	hung->message = *message;
	hung->finding = *finding;
	return true;
}

static void note_departure(struct incidents *table, const char *device,
			   const struct kernel_message *message, const struct finding *finding)
{
	struct departure *departure = &table->departures[table->next_departure];

	if (!*device || finding->cause != CAUSE_GONE)
		return;
	table->next_departure = (table->next_departure + 1) % DEPARTURES_MAX;
	departure->is_used = true;
	copy_name(departure->device, device);
	departure->t_us = table->now_us;
	departure->message = *message;
	departure->finding = *finding;
}

/* What an incident begins with that has begun before its first error. */
static void begin_with_departure(struct incidents *table, struct incident *incident)
{
	for (size_t i = 0; i < DEPARTURES_MAX; i++) {
		struct departure *departure = &table->departures[i];

		if (!departure->is_used || strcmp(departure->device, incident->device) != 0 ||
		    table->now_us - departure->t_us > DEPARTED_US)
			continue;
		departure->is_used = false;
		incident->first_us = departure->t_us;
		(void)incident_add(incident, &departure->message, &departure->finding,
				   departure->t_us);
		counts_in_incident(&table->counts, incident->device, CAUSE_GONE);
		return;
	}
}

/* "1-4.2": a port of USB that no disk is known at. Mice are pulled as well, and each would be
 * counted as a device of its own. */
static bool is_usb_port(const char *device)
{
	size_t n = strspn(device, "0123456789");

	return n && device[n] == '-' && device[n + 1] &&
	       device[n + 1 + strspn(device + n + 1, "0123456789.")] == '\0';
}

static void device_of(struct incidents *table, const struct kernel_message *message,
		      const struct finding *finding, char *ret)
{
	resolve(table, finding, ret);
	if (finding->rule->kind != KERNEL_NODE_NONE)
		resolve_record(table, message, ret);
}

/* A syslog says in the end how often a message came again, hours later as it may be: it went on. */
static void stretch(struct incidents *table, const struct kernel_message *message,
		    const struct finding *finding)
{
	struct incident *incident;
	char device[NODE_NAME_MAX];

	if (!message->repeats || message->t_us < table->now_us || !finding->rule ||
	    !kernel_cause_is_event(finding->cause))
		return;
	device_of(table, message, finding, device);
	incident = find_open(table, device, finding);
	if (incident)
		incident->last_us = message->t_us;
}

static void take_event(struct incidents *table, const struct kernel_message *message,
		       struct incidents_taken *ret)
{
	struct finding *finding = &ret->finding;
	struct incident *incident;
	char device[NODE_NAME_MAX];
	bool is_new;

	place_lba(table, finding);
	device_of(table, message, finding, device);
	settle_hung(table);
	incident = find_open(table, device, finding);
	incident_interpret(incident, finding);
	is_new = !incident && finding->severity >= SEVERITY_WARNING;
	if (!incident && !is_new && is_usb_port(device))
		return;
	if (is_new) {
		incident = open_incident(table, device);
		begin_with_departure(table, incident);
	}
	if (!incident || !note_hung(table, incident, is_new, message, finding)) {
		counts_add(&table->counts, device, finding,
			   incident && !incident->by_cause[finding->cause]);
		if (is_new)
			counts_began(&table->counts, device);
	}
	if (!incident) {
		note_departure(table, device, message, finding);
		return;
	}
	ret->change = incident_add(incident, message, finding, table->now_us);
	if (is_new)
		ret->change = INCIDENTS_NEW;
	ret->incident = incident;
	guess_byte(incident, finding);
}

void incidents_take(struct incidents *table, const struct kernel_message *message,
		    struct incidents_taken *ret)
{
	struct finding *finding = &ret->finding;

	ret->change = INCIDENTS_SAME;
	ret->incident = NULL;
	kernel_classify(message, finding);
	table->lines.all++;
	if (message->facility != 0)
		return;
	table->lines.kernel++;
	stretch(table, message, finding);
	take_time(table, message);
	if (!finding->rule)
		return;
	table->lines.known++;
	if (*finding->alias && *finding->node)
		learn_alias(table, finding);
	if (finding->suppressed > 0)
		take_suppressed(table, finding->suppressed);
	if (kernel_cause_is_event(finding->cause))
		take_event(table, message, ret);
	else
		take_detail(table, message, ret);
}

const struct incident *incidents_resume(struct incidents *table, const struct incident *known)
{
	struct incident *incident = free_slot(table);

	if (slot_rank(incident) > 1)
		return NULL;
	*incident = *known;
	incident->id = ++table->last_id;
	incident->is_used = incident->is_open = true;
	incident->has_changed = false;
	incident_see_again(incident);
	return incident;
}

const struct incident *incidents_changed(struct incidents *table)
{
	struct incident *first = NULL;

	for (size_t i = 0; i < INCIDENTS_MAX; i++) {
		struct incident *incident = &table->slots[i];

		if (incident->has_changed && (!first || incident->id < first->id))
			first = incident;
	}
	if (first)
		first->has_changed = false;
	return first;
}

int64_t incidents_closed_early(const struct incidents *table)
{
	return table->closed_early;
}

int64_t incidents_lost(const struct incidents *table)
{
	return table->lost;
}

bool incidents_count_waits(const struct incidents *table)
{
	return table->hung.incident != NULL;
}

bool incidents_count_next(const struct incidents *table, size_t *cursor,
			  struct incidents_count *ret)
{
	return counts_next(&table->counts, cursor, ret);
}

struct incidents_lines incidents_lines(const struct incidents *table)
{
	return table->lines;
}
