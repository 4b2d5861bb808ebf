/* What the service manager is told, all of it by the loop thread: that it is ready, what it is at,
 * that it lives. A loop that stands still is seen by that, whatever other threads do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/notify.h"
#include "sampling/sampler.h"
#include "store/store.h"

struct service {
	struct notify notify;
	bool ready;
	bool told;          /* what it is at, since the last change */
	int64_t opened_ms;  /* boot clock */
	int64_t fed_ms;     /* the last sign of life */
	uint64_t n_commits; /* of the last status */
	uint64_t n_failed_commits;
	int64_t extended_ms; /* since then a stop takes longer; 0: it does not */
};

void service_open(struct service *service, int64_t now_ms);
void service_close(struct service *service);

/* When the next sign of life is due, INT64_MAX when none is expected. */
int64_t service_due_ms(const struct service *service);

/* After each turn of the loop. Ready is who has its first samples; the listeners stand before. */
void service_turn(struct service *service, const struct sampler *sampler, struct store *store,
		  int64_t now_ms, int64_t wall_offset_ms);

/* Around a change of the configuration. */
void service_reloading(struct service *service);
void service_reloaded(struct service *service);

void service_stopping(struct service *service);

#define SERVICE_EXTEND_MS 10000
/* While the disk holds up the stop: asks for more time, no more than max_ms in all. To be called
 * more often than each SERVICE_EXTEND_MS. */
void service_held_up(struct service *service, int64_t now_ms, int64_t max_ms);
