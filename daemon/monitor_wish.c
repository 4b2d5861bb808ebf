#include "daemon/monitor_wish.h"

#include <errno.h>

int monitor_wish_add(struct monitor_wish *wish, int64_t mark_id)
{
	int r = -ENOSPC;

	pthread_mutex_lock(&wish->lock);
	if (wish->n < MONITOR_WISHES_MAX) {
		wish->ids[wish->n++] = mark_id;
		r = 0;
	}
	pthread_mutex_unlock(&wish->lock);
	return r;
}

void monitor_wish_remove(struct monitor_wish *wish, int64_t mark_id)
{
	pthread_mutex_lock(&wish->lock);
	for (size_t i = 0; i < wish->n; i++) {
		if (wish->ids[i] != mark_id)
			continue;
		wish->ids[i] = wish->ids[--wish->n];
		break;
	}
	pthread_mutex_unlock(&wish->lock);
}

bool monitor_wish_is_there(struct monitor_wish *wish)
{
	pthread_mutex_lock(&wish->lock);
	bool is_there = wish->n > 0;
	pthread_mutex_unlock(&wish->lock);
	return is_there;
}
