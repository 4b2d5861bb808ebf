/* Findings of the kernel log, folded into incidents: what happened to one physical device, from its
 * first line to its last. Ten lines of a dying card are one incident, and so are the file-system
 * errors that follow. Pure: no IO, no clock; nothing is allocated after incidents_new(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/kernel_message.h"
#include "analysis/kernel_rules.h"
#include "base/macros.h"
#include "model/collector.h"
#include "model/record.h"

#define INCIDENTS_MAX      32 /* kept at once; past it the one that was quiet longest is closed */
#define INCIDENT_NODES_MAX 96 /* bytes of names */
#define INCIDENT_EVIDENCE_MAX                                                                      \
	800 /* bytes of lines, of which none has more than INCIDENT_LINE_MAX */
#define INCIDENT_LINE_MAX    200
#define INCIDENT_SECTORS_MAX 8
#define INCIDENT_RULES_MAX   16
#define INCIDENT_REFUSED_MAX 10 /* as many as the kernel prints in a row */
#define INCIDENT_DEVICES_MAX 64 /* that are counted apart */

/* What happens to a device that was quiet for longer than this is another incident, */
#define INCIDENT_QUIET_US     (INT64_C(60) * 1000000)
/* unless it is the same thing again, as rate-limited messages are, or follows from the loss of the
 * device. Quiet for this long it is closed. */
#define INCIDENT_REPEAT_US    (INT64_C(900) * 1000000)
/* Messages of several CPUs are not strictly in order. */
#define INCIDENTS_DISORDER_US (INT64_C(5) * 1000000)

struct incident {
	int64_t id;                     /* counts from 1, never used again */
	char device[NODE_NAME_MAX];     /* canonical; "" for the machine */
	char nodes[INCIDENT_NODES_MAX]; /* names that the lines have for it, separated by blanks */
	char disk[NODE_NAME_MAX];       /* the first block device of them, not of a partition; "" */
	/* What it began with, unless that only follows from something else, or was a warning and
	 * something worse came */
	enum kernel_cause cause;
	enum severity severity;          /* the worst so far */
	const struct kernel_rule *worst; /* the last rule that made it worse, or named it */
	bool is_open;
	bool at_least;             /* messages were suppressed: count is a lower bound */
	int64_t first_us, last_us; /* kernel time of its messages; KERNEL_TIME_NONE */
	/* By the wall clock that stood in front of them; KERNEL_TIME_NONE */
	int64_t first_wall_us, last_wall_us;
	int64_t count;                         /* findings */
	int64_t by_cause[N_CAUSES];            /* the same by cause */
	int64_t sectors[INCIDENT_SECTORS_MAX]; /* the first ones, each once */
	size_t n_sectors;
	int64_t sector_first, sector_last; /* lowest and highest; KERNEL_NUMBER_NONE */
	/* Lowest and highest logical block of lines that count in them where their size is not
	 * known, so that no sector comes of it. */
	bool has_block;
	int64_t block_first, block_last;
	char evidence[INCIDENT_EVIDENCE_MAX]; /* the first line of each kind, separated by newlines
					       */

	/* Of the table. */
	const struct kernel_rule *rules[INCIDENT_RULES_MAX]; /* that it has seen */
	size_t n_rules, evidence_len;
	/* Where an NVMe drive refused a command last, though its medium is sound. */
	struct {
		int64_t lba,
			sector; /* sector: KERNEL_NUMBER_NONE where a block's size is not known */
	} refused[INCIDENT_REFUSED_MAX];
	size_t n_refused;             /* ever; the next one takes the place of the oldest */
	enum severity cause_severity; /* the worst that was said of the cause */
	bool has_changed, is_used, is_mmc;
};

/* Which physical device a name of the log is: a disk for its partitions, controllers and hosts, by
 * sysfs. name is what a line has, also "179:0" and "+scsi:0:0:0:0" of a record's DEVICE. Returns
 * false when it does not know: then the name alone decides (incidents_plain_name()). out has
 * NODE_NAME_MAX bytes. Called for each finding, so it must not wait for anything. */
typedef bool (*incidents_canonical)(void *arg, const char *name, char *out);

struct incidents;

/* canonical may be NULL. -ENOMEM. */
MUST_CHECK int incidents_new(incidents_canonical canonical, void *arg, struct incidents **ret);
void incidents_free(struct incidents *table);
void incidents_freep(struct incidents **table);

/* How many bytes a logical block of a disk has (nvme0n1), 0: not known. Lines that count in them
 * have a sector then. Called for each such finding, so it must not wait for anything. */
typedef int64_t (*incidents_block_bytes)(void *arg, const char *disk);
void incidents_know_blocks(struct incidents *table, incidents_block_bytes bytes, void *arg);

enum incidents_change {
	INCIDENTS_SAME,    /* no event, or in no rule */
	INCIDENTS_NEW,     /* began with this message */
	INCIDENTS_WORSE,   /* known, and its severity or its cause has changed */
	INCIDENTS_COUNTED, /* known, once more */
};

/* What a message was taken for. */
struct incidents_taken {
	struct finding finding;
	enum incidents_change change;
	const struct incident *incident; /* NULL with INCIDENTS_SAME; valid until the next call */
};

/* Takes the next message, in the order of the log. A time that goes back by more than a few seconds
 * is another boot: all that is open is closed. Messages without a time happen at that of the last
 * one. */
void incidents_take(struct incidents *table, const struct kernel_message *message,
		    struct incidents_taken *ret);

/* Goes on with an incident of a log that was read up to here by somebody else: known has what is
 * public of it but id and is_open. What kinds of messages it had is seen by its evidence. Counts of
 * the table do not have it. NULL when there is no room. Valid until the next call. */
const struct incident *incidents_resume(struct incidents *table, const struct incident *known);

/* What an incident is in a few words: what its worst line means, and of a crash what the kernel
 * said.
 */
void incident_text(const struct incident *incident, char *ret, size_t size);

/* Closes what was quiet for too long at now_us, a time on the clock of the messages. */
void incidents_advance(struct incidents *table, int64_t now_us);
/* Closes all: the log has ended. */
void incidents_close(struct incidents *table);
/* Closes all, and forgets the time and the names: what comes next is of another boot. */
void incidents_next_boot(struct incidents *table);

/* The next incident that is new, has changed or was closed since this was asked for it, oldest
 * first; NULL: none. Valid until the next call with this table. What is not asked for in time is
 * written over, oldest first, and counted in incidents_lost(). */
const struct incident *incidents_changed(struct incidents *table);

/* Incidents that were closed for want of room; and those that nobody has asked for before they
 * went. */
int64_t incidents_closed_early(const struct incidents *table);
int64_t incidents_lost(const struct incidents *table);

/* What was counted since the table was made, by device and cause. */
struct incidents_count {
	char device[NODE_NAME_MAX]; /* canonical; "" for the machine, "*" for devices past the bound
				     */
	enum kernel_cause cause;
	int64_t findings, incidents; /* incidents: those in which the cause came up */
	int64_t began;               /* incidents of the device, whatever their cause */
	bool at_least;               /* findings is a lower bound */
};

/* A hung task that names no device is counted a second later, when no line has told of one, or with
 * the next finding: so none of these ever falls.
 * Steps through the counts that are not 0; *cursor is 0 at first. false: no more. */
bool incidents_count_next(const struct incidents *table, size_t *cursor,
			  struct incidents_count *ret);
/* Whether one is not counted yet. */
bool incidents_count_waits(const struct incidents *table);

/* Lines that were given, those of the kernel, and those of them that are in a rule. */
struct incidents_lines {
	int64_t all, kernel, known, suppressed;
};
struct incidents_lines incidents_lines(const struct incidents *table);

/* The device that a name stands for as far as the name alone tells: sda for sda1, mmc0 for
 * mmcblk0p1 and mmc0:0001, nvme0 for nvme0n1p2, dm-0 and 1d84000.ufs for themselves. ret has
 * NODE_NAME_MAX bytes. */
void incidents_plain_name(const char *name, char *ret);
