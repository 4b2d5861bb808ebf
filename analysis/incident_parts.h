/* What the files of the incidents share. Private to analysis/. */
#pragma once

#include "analysis/incidents.h"

/* One incident. */
void incident_begin(struct incident *incident, int64_t id, const char *device, int64_t t_us);
bool incident_has_rule(const struct incident *incident, const struct kernel_rule *rule);
/* What a line means where those before it tell more: the block layer says "critical medium error"
 * for a sector of an NVMe drive that was only refused as well: access denied, never written, and
 * the like. incident may be NULL. */
void incident_interpret(const struct incident *incident, struct finding *finding);
enum incidents_change incident_add(struct incident *incident, const struct kernel_message *message,
				   const struct finding *finding, int64_t t_us);
/* A line that is no finding has told which device it is about. */
void incident_rename(struct incident *incident, const struct kernel_message *message,
		     const struct finding *finding);

/* What the newest finding may be taken back to, as long as no other one was added since and it was
 * not the first; what it made worse stays so. */
struct incident_state {
	int64_t last_us, last_wall_us;
	size_t n_rules, evidence_len;
};
struct incident_state incident_state(const struct incident *incident);
/* A finding of CAUSE_HUNG less, that came so many times. */
void incident_take_back(struct incident *incident, const struct incident_state *before,
			int64_t times);

/* Finds out again what the evidence has told of it. */
void incident_see_again(struct incident *incident);

/* "mmcblk0" of "mmcblk0p1"; false for names of anything else. ret has NODE_NAME_MAX bytes. */
bool incident_mmc_disk(const char *name, char *ret);

/* Counts by device and cause. The first row is that of the machine, the last one, once there are
 * too many devices, that of all the others. */
struct incident_counts {
	struct {
		char device[NODE_NAME_MAX];
		bool at_least;
		int64_t began, findings[N_CAUSES], incidents[N_CAUSES];
	} rows[INCIDENT_DEVICES_MAX];
	size_t n;
};

void counts_add(struct incident_counts *counts, const char *device, const struct finding *finding,
		bool is_new_cause);
/* An incident of the device began. */
void counts_began(struct incident_counts *counts, const char *device);
/* A finding that was counted has become part of an incident. */
void counts_in_incident(struct incident_counts *counts, const char *device,
			enum kernel_cause cause);
void counts_at_least(struct incident_counts *counts, const char *device);
bool counts_next(const struct incident_counts *counts, size_t *cursor, struct incidents_count *ret);
