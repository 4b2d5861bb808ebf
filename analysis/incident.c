#include <string.h>

#include "analysis/incident_parts.h"
#include "base/text.h"

void incident_begin(struct incident *incident, int64_t id, const char *device, int64_t t_us)
{
	struct text name;

	*incident = (struct incident){
		.id = id,
		.is_used = true,
		.is_open = true,
		.first_us = t_us,
		.last_us = t_us,
		.first_wall_us = KERNEL_TIME_NONE,
		.last_wall_us = KERNEL_TIME_NONE,
		.sector_first = KERNEL_NUMBER_NONE,
		.sector_last = KERNEL_NUMBER_NONE,
	};
	name = text_in(incident->device, NODE_NAME_MAX);
	text_str(&name, device);
}

bool incident_has_rule(const struct incident *incident, const struct kernel_rule *rule)
{
	for (size_t i = 0; i < incident->n_rules; i++)
		if (incident->rules[i] == rule)
			return true;
	return false;
}

/* What drivers/nvme/host/core.c, nvme_error_status(), has BLK_STS_MEDIUM for, and is no fault of
 * the medium. */
static bool is_refusal(const struct kernel_rule *rule)
{
	static const char *const ids[] = {"nvme-denied", "nvme-compare", "nvme-unwritten",
					  "nvme-read-only"};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (!strcmp(rule->id, ids[i]))
			return true;
	return false;
}

/* The newest word of the drive on a block is what counts. */
static void note_refused(struct incident *incident, const struct finding *finding)
{
	size_t n = MIN(incident->n_refused, (size_t)INCIDENT_REFUSED_MAX), at;

	if (!finding->is_lba || finding->block < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (incident->refused[i].lba == finding->block)
			incident->refused[i].lba = incident->refused[i].sector = KERNEL_NUMBER_NONE;
	if (!is_refusal(finding->rule))
		return;
	at = incident->n_refused++ % INCIDENT_REFUSED_MAX;
	incident->refused[at].lba = finding->block;
	incident->refused[at].sector = finding->sector;
}

/* Without the size of a block, it is one of the two that drives are formatted with. */
static bool was_refused(const struct incident *incident, int64_t sector)
{
	size_t n = MIN(incident->n_refused, (size_t)INCIDENT_REFUSED_MAX);

	for (size_t i = 0; sector >= 0 && i < n; i++) {
		int64_t lba = incident->refused[i].lba, known = incident->refused[i].sector;

		if (lba < 0)
			continue;
		if (known >= 0 ? sector == known
			       : sector == lba || (sector % 8 == 0 && sector / 8 == lba))
			return true;
	}
	return false;
}

/* Elsewhere on the same drive it may be a medium error as well. */
void incident_interpret(const struct incident *incident, struct finding *finding)
{
	if (incident && !strcmp(finding->rule->id, "block-medium") &&
	    was_refused(incident, finding->sector))
		finding->cause = CAUSE_IO;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

/* A name that has no room left is left out whole. */
static void add_node(struct incident *incident, const char *node)
{
	size_t len = strlen(incident->nodes), n = strlen(node);

	if (!n || has_word(incident->nodes, node) || len + 1 + n >= sizeof(incident->nodes))
		return;
	if (len)
		incident->nodes[len++] = ' ';
	memcpy(incident->nodes + len, node, n + 1);
}

/* Sectors are counted from the start of the disk, so a line that has one names it. Of an eMMC or SD
 * the name of a partition tells it as well. */
static void name_disk(struct incident *incident, const struct finding *finding)
{
	if (*incident->disk || finding->kind != KERNEL_NODE_BLOCK)
		return;
	if (!incident_mmc_disk(finding->node, incident->disk) && finding->sector >= 0)
		memcpy(incident->disk, finding->node, sizeof(incident->disk));
}

static void add_sector(struct incident *incident, const struct finding *finding)
{
	int64_t sector = finding->sector;

	name_disk(incident, finding);
	if (sector < 0)
		return;
	if (incident->sector_first < 0 || sector < incident->sector_first)
		incident->sector_first = sector;
	incident->sector_last = MAX(incident->sector_last, sector);
	for (size_t i = 0; i < incident->n_sectors; i++)
		if (incident->sectors[i] == sector)
			return;
	if (incident->n_sectors < INCIDENT_SECTORS_MAX)
		incident->sectors[incident->n_sectors++] = sector;
}

static void add_block(struct incident *incident, const struct finding *finding)
{
	int64_t block = finding->block;

	if (!finding->is_lba || block < 0 || finding->sector >= 0)
		return;
	if (!incident->has_block || block < incident->block_first)
		incident->block_first = block;
	if (!incident->has_block || block > incident->block_last)
		incident->block_last = block;
	incident->has_block = true;
}

/* Where a line is cut, no character of UTF-8 is left in halves. */
static size_t whole_len(const char *line, size_t max)
{
	size_t len = 0;

	while (line[len] && len < max) {
		size_t n = text_utf8_len(line + len);

		n = n ? n : 1;
		if (len + n > max)
			break;
		len += n;
	}
	return len;
}

/* The first line of each kind tells more than the first lines. */
static void add_evidence(struct incident *incident, const char *line)
{
	size_t room = sizeof(incident->evidence) - 1 - incident->evidence_len;
	size_t len = whole_len(line, INCIDENT_LINE_MAX);
	char *end = incident->evidence + incident->evidence_len;

	if (len + 1 > room)
		return;
	if (incident->evidence_len) {
		*end++ = '\n';
		incident->evidence_len++;
	}
	memcpy(end, line, len);
	end[len] = '\0';
	incident->evidence_len += len;
}

static void add_rule(struct incident *incident, const struct kernel_message *message,
		     const struct kernel_rule *rule)
{
	if (incident_has_rule(incident, rule))
		return;
	if (incident->n_rules < INCIDENT_RULES_MAX)
		incident->rules[incident->n_rules++] = rule;
	else
		return;
	add_evidence(incident, message->text);
}

/* What went well so far does not name what then did not: corrected errors of a link before a fatal
 * one, a command that was answered late before a sector that cannot be read. */
static bool is_escalation(const struct incident *incident, const struct finding *finding)
{
	if (incident->cause_severity > SEVERITY_WARNING || finding->severity < SEVERITY_ERROR)
		return false;
	return incident->cause == CAUSE_PCIE_CORRECTED || finding->cause == CAUSE_PCIE_ERROR ||
	       finding->cause == CAUSE_GONE || finding->cause == CAUSE_MEDIA;
}

/* What it began with names it, but for what as a rule follows from something else. */
static bool is_better_cause(const struct incident *incident, const struct finding *finding)
{
	if (incident->cause == CAUSE_NONE)
		return true;
	if (kernel_cause_is_consequence(finding->cause))
		return false;
	/* That a device went is worth no incident, and the reason for one all the same. */
	return is_escalation(incident, finding) ||
	       ((finding->severity >= SEVERITY_WARNING || finding->cause == CAUSE_GONE) &&
		kernel_cause_is_consequence(incident->cause));
}

static void note_mmc(struct incident *incident, const struct finding *finding)
{
	incident->is_mmc = incident->is_mmc || finding->kind == KERNEL_NODE_MMC ||
			   !strncmp(finding->node, "mmcblk", 6);
}

static void note_wall(struct incident *incident, int64_t wall_us)
{
	if (wall_us == KERNEL_TIME_NONE)
		return;
	if (incident->first_wall_us == KERNEL_TIME_NONE)
		incident->first_wall_us = wall_us;
	incident->last_wall_us = wall_us;
}

enum incidents_change incident_add(struct incident *incident, const struct kernel_message *message,
				   const struct finding *finding, int64_t t_us)
{
	enum incidents_change change = INCIDENTS_COUNTED;

	if (!incident->worst || finding->severity > incident->severity) {
		incident->severity = finding->severity;
		incident->worst = finding->rule;
		change = INCIDENTS_WORSE;
	}
	if (is_better_cause(incident, finding)) {
		incident->cause = finding->cause;
		incident->cause_severity = finding->severity;
		/* Its words are those of what names it, where nothing worse was said. */
		if (finding->severity == incident->severity)
			incident->worst = finding->rule;
		change = INCIDENTS_WORSE;
	}
	if (incident->cause == finding->cause)
		incident->cause_severity = MAX(incident->cause_severity, finding->severity);
	note_mmc(incident, finding);
	incident->count += finding->times;
	incident->by_cause[finding->cause] += finding->times;
	incident->last_us = MAX(incident->last_us, t_us);
	note_wall(incident, message->wall_us);
	incident->has_changed = true;
	add_node(incident, finding->node);
	add_sector(incident, finding);
	add_block(incident, finding);
	note_refused(incident, finding);
	add_rule(incident, message, finding->rule);
	return change;
}

void incident_rename(struct incident *incident, const struct kernel_message *message,
		     const struct finding *finding)
{
	incident->worst = finding->rule;
	incident->has_changed = true;
	add_node(incident, finding->node);
	add_rule(incident, message, finding->rule);
}

struct incident_state incident_state(const struct incident *incident)
{
	return (struct incident_state){incident->last_us, incident->last_wall_us, incident->n_rules,
				       incident->evidence_len};
}

void incident_take_back(struct incident *incident, const struct incident_state *before,
			int64_t times)
{
	incident->count -= times;
	incident->by_cause[CAUSE_HUNG] -= times;
	incident->last_us = before->last_us;
	incident->last_wall_us = before->last_wall_us;
	incident->n_rules = before->n_rules;
	incident->evidence_len = before->evidence_len;
	incident->evidence[incident->evidence_len] = '\0';
	incident->has_changed = true;
}

static void see_line(struct incident *incident, struct slice line)
{
	struct kernel_message message = {.t_us = KERNEL_TIME_NONE};
	struct finding finding;

	if (slice_copy(line, message.text, sizeof(message.text)) < 0)
		return;
	kernel_classify(&message, &finding);
	if (!finding.rule)
		return;
	note_mmc(incident, &finding);
	note_refused(incident, &finding);
	if (finding.cause == incident->cause)
		incident->cause_severity = MAX(incident->cause_severity, finding.severity);
	name_disk(incident, &finding);
	if (!incident_has_rule(incident, finding.rule) && incident->n_rules < INCIDENT_RULES_MAX)
		incident->rules[incident->n_rules++] = finding.rule;
}

void incident_see_again(struct incident *incident)
{
	struct slice rest = slice_of(incident->evidence), line;

	incident->evidence_len = rest.len;
	incident->n_rules = 0;
	incident->cause_severity = SEVERITY_INFO;
	while (slice_line(&rest, &line))
		see_line(incident, line);
}

/* The line of the worst that was said, as far as it was kept. */
static bool worst_line(const struct incident *incident, struct kernel_message *ret)
{
	struct slice rest = slice_of(incident->evidence), line;
	struct finding finding;

	while (slice_line(&rest, &line)) {
		*ret = (struct kernel_message){.t_us = KERNEL_TIME_NONE};
		if (slice_copy(line, ret->text, sizeof(ret->text)) < 0)
			continue;
		kernel_classify(ret, &finding);
		if (finding.rule == incident->worst)
			return true;
	}
	return false;
}

void incident_text(const struct incident *incident, char *ret, size_t size)
{
	static const char panic[] = "Kernel panic - not syncing: ";
	struct text text = text_in(ret, size);
	struct kernel_message message;
	const char *reason = message.text;

	text_str(&text,
		 incident->worst ? incident->worst->what : kernel_cause_name(incident->cause));
	if (!incident->worst || incident->worst->cause != CAUSE_CRASH ||
	    !worst_line(incident, &message))
		return;
	if (!strncmp(reason, panic, strlen(panic)))
		reason += strlen(panic);
	text_str(&text, ": ");
	text_str(&text, reason);
}
