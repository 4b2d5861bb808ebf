/* The marks that ask for the UFS monitor. The threads that answer requests add and remove them, the
 * loop looks whether there is any. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define MONITOR_WISHES_MAX 64

struct monitor_wish {
	pthread_mutex_t lock;
	int64_t ids[MONITOR_WISHES_MAX];
	size_t n;
};

#define MONITOR_WISH_NONE ((struct monitor_wish){.lock = PTHREAD_MUTEX_INITIALIZER})

/* -ENOSPC. */
MUST_CHECK int monitor_wish_add(struct monitor_wish *wish, int64_t mark_id);
/* Also for a mark that asked for nothing. */
void monitor_wish_remove(struct monitor_wish *wish, int64_t mark_id);
bool monitor_wish_is_there(struct monitor_wish *wish);
