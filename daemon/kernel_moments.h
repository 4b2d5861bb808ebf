/* When the incidents of the kernel's log were, on the boot clock: see daemon/kernel_log.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/incidents.h"
#include "daemon/kernel_event.h"

/* What is known of an incident beside what its table says. */
struct kernel_slot {
	int64_t id; /* 0: none */
	bool is_open;
	struct kernel_moment moment;
};

struct kernel_moments {
	int64_t drained_ms; /* when there was nothing more to read, -1: never */
	int64_t asleep_ms;  /* in suspend, as of now */
	int64_t drift_ms;   /* boot clock less stamp and suspend, as far as it is known */
	int64_t newest_ms;  /* start of the incident that began last */
	/* Of those that are open or not told yet; a table has half as many. */
	struct kernel_slot slots[INCIDENTS_MAX * 2];
};

/* Boot time of a record's stamp. is_live: it is of a log that is written now, on this machine. */
int64_t kernel_moments_boot_ms(struct kernel_moments *moments, int64_t t_us, int64_t now_ms,
			       bool is_live);
/* The other way. */
int64_t kernel_moments_stamp_us(const struct kernel_moments *moments, int64_t t_ms);

/* That of an incident, by the id of its table; a new one begins at t_ms or, so that no two have the
 * same start, at the first ms behind it that is free. */
struct kernel_slot *kernel_moments_of(struct kernel_moments *moments, int64_t id, int64_t t_ms);

/* Its event has been told: what is over is forgotten. */
void kernel_moments_told(struct kernel_slot *slot, bool is_open);

int64_t kernel_moments_n_open(const struct kernel_moments *moments);
