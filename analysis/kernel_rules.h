/* What a message of the kernel means for storage: a table of wordings, one line for each. How a
 * wording is added: HACKING.md. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/kernel_message.h"
#include "model/collector.h"
#include "model/record.h"

/* What went wrong. Names are part of the interface: kernel_cause_name(). */
enum kernel_cause {
	CAUSE_NONE,        /* the line is in no rule */
	CAUSE_MEDIA,       /* the device says that data cannot be read or written */
	CAUSE_LINK,        /* the bus: CRC, training, a controller that does not answer */
	CAUSE_TIMEOUT,     /* a command was not answered in time */
	CAUSE_RESET,       /* a device, controller or link was reset to get it back */
	CAUSE_GONE,        /* the device was given up or is not there any more */
	CAUSE_IO,          /* a request failed, and the line does not say by what */
	CAUSE_FILE_SYSTEM, /* what the file system noticed: bad metadata, lost writes, read-only */
	CAUSE_SPACE,       /* a thin device or a pool has no space left */
	CAUSE_UNSUPPORTED, /* a command that the device does not know: no fault */
	CAUSE_THERMAL,     /* too hot, throttled or switched off for it */
	CAUSE_POWER,       /* a supply's voltage or current, and the machine goes down for it */
	CAUSE_PROTECTION,  /* it goes down to protect its hardware, for another reason */
	CAUSE_HUNG,        /* a task, a CPU or the write-back stands still */
	CAUSE_OOM,         /* memory ran out and a process was killed */
	CAUSE_PCIE_CORRECTED, /* the link has put it right by itself */
	CAUSE_PCIE_ERROR,     /* it has not */
	CAUSE_HEALTH,         /* the device warns of its own wear, temperature or spare blocks */
	CAUSE_CRASH,          /* panic, oops, BUG: what the kernel says before it stops */
	CAUSE_REMINDER,       /* told again of what is long past: no event */
	CAUSE_BENIGN,         /* looks like an error and is none */
	CAUSE_DETAIL,         /* belongs to a line before: register dumps, sense data */
	N_CAUSES,
	CAUSE_OF_ERRNO = N_CAUSES, /* of rules alone, never of a finding */
};

/* What the node of a finding is. */
enum kernel_node {
	KERNEL_NODE_NONE,    /* the machine, not a device */
	KERNEL_NODE_BLOCK,   /* a disk or partition: sda1, dm-0, "179:0" */
	KERNEL_NODE_MMC,     /* a host: mmc0 */
	KERNEL_NODE_NVME,    /* a controller: nvme0 */
	KERNEL_NODE_SCSI,    /* an address: 0:0:0:0 */
	KERNEL_NODE_ATA,     /* a port or a device at it: ata1, ata1.00 */
	KERNEL_NODE_BUS,     /* what the driver is bound to: 1d84000.ufs, 0000:00:14.7 */
	KERNEL_NODE_MMC_BUS, /* the same of an MMC host, where the line says that it is one */
	KERNEL_NODE_OTHER,   /* a thermal zone, a task, a name */
};

#define KERNEL_NUMBER_NONE (-1)

/* One message, understood. */
struct finding {
	const struct kernel_rule *rule; /* NULL with CAUSE_NONE */
	enum kernel_cause cause;
	enum severity severity;   /* of what the line says, whatever level it was printed at */
	enum kernel_node kind;    /* of node */
	char node[NODE_NAME_MAX]; /* as the line has it, "" when it names none; see incidents.h for
				   * which device that is */
	/* A name of the bus by which the node is known as well ("nvme nvme0: pci function
	 * 0000:01:00.0"); "" in nearly all lines. */
	char alias[NODE_NAME_MAX];
	int64_t sector; /* 512 bytes, of the whole disk; KERNEL_NUMBER_NONE */
	int64_t byte;   /* sector x 512; KERNEL_NUMBER_NONE */
	int64_t block;  /* in blocks of node's file system, whose size the line lacks;
			   KERNEL_NUMBER_NONE */
	bool is_lba;    /* block is in logical blocks of the disk that node is, see
			 * incidents_know_blocks() */
	int error;      /* positive errno, 0: the line has none */
	int64_t times;  /* that it came: 1, but for a line of kernel_message's repeats */
	/* Of a line that says how many messages were not printed before it; else 0. Of which
	 * devices these were, nobody knows. */
	int64_t suppressed;
};

struct kernel_rule {
	const char *id;          /* "block-io": unique, part of the interface */
	const char *pattern;     /* see kernel_pattern.c */
	enum kernel_cause cause; /* CAUSE_OF_ERRNO: by the error of the line */
	enum severity severity;
	enum kernel_node kind;
	const char *what; /* in plain English, "cache flush failed" */
};

extern const struct kernel_rule kernel_rules[];
extern const size_t n_kernel_rules;

const char *kernel_cause_name(enum kernel_cause cause);

/* A finding of this cause follows from something else as often as not: the incident that it belongs
 * to is better named after another one. */
bool kernel_cause_is_consequence(enum kernel_cause cause);

/* Whether findings of this cause may make or join an incident. */
bool kernel_cause_is_event(enum kernel_cause cause);

/* Takes time in proportion to the length of the text and the number of rules, whatever the text is.
 * What a process wrote (facility other than 0), or what is in no rule, has CAUSE_NONE. */
void kernel_classify(const struct kernel_message *message, struct finding *ret);

/* Matches one pattern alone, for tests. Fills the members that its holes name. */
bool kernel_pattern_match(const char *pattern, const char *text, struct finding *finding);
