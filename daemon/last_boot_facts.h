/* What is known of the end of a boot, and how it is written down. */
#pragma once

#include "analysis/boot_end.h"
#include "daemon/boot_evidence.h"
#include "daemon/going_down.h"
#include "model/crash_records.h"
#include "store/reader.h"
#include "store/store.h"

#define LAST_BOOT_DRIVES_MAX  16
#define LAST_BOOT_LINES_MAX   40
#define LAST_BOOT_LINES_BYTES 4096
/* Where lines are from that are of no record: events of the kernel's log have the first of a kind.
 */
#define LAST_BOOT_FROM_EVENTS "events"

/* A counter of unsafe shutdowns. */
struct last_boot_drive {
	char node[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	int64_t before, after;
	bool is_known; /* after */
};

struct last_boot_record {
	struct crash_record record; /* its tail belongs to the blob */
	bool counts;
	const char *why_not;
};

struct last_boot_facts {
	struct boot boot;
	int64_t last_ms; /* boot clock: the last sample or event of it */
	bool has_event;
	struct event last_event;
	enum going_down machine; /* when the daemon was stopped */
	int64_t gap_ms;          /* see boot_end_evidence */
	bool gap_is_unsure;
	bool power_failed, was_critical, had_power_fault, was_protected;
	struct last_boot_drive drives[LAST_BOOT_DRIVES_MAX];
	size_t n_drives;
	struct last_boot_record records[CRASH_RECORDS_MAX];
	size_t n_records;
	int records_error; /* why there are none, 0 or -errno */
	struct boot_evidence now;
	const char *lines_from; /* NULL: there are none */
	struct slice lines;
	char kept_lines[LAST_BOOT_LINES_BYTES]; /* of the events of the kernel's log */
};

/* The whole as JSON, for the file. */
void last_boot_write_evidence(const struct last_boot_facts *facts, const struct boot_end *end,
			      char *buf, size_t size);
/* The short form, for the event. */
void last_boot_write_reasons(const struct last_boot_facts *facts, const struct boot_end *end,
			     char *buf, size_t size);
