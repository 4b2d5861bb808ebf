#include "helper/request.h"

#include <errno.h>
#include <stdbool.h>

/* A group that was asked for twice would have two answers under way. */
static bool has_twice(const struct wire_tick *tick)
{
	for (size_t i = 0; i < tick->n_groups; i++)
		for (size_t k = 0; k < i; k++)
			if (tick->groups[i].group == tick->groups[k].group)
				return true;
	return false;
}

static int read_tick(const uint8_t *packet, size_t len, const struct catalog *catalog,
		     struct wire_tick *ret)
{
	int r = wire_get_tick(packet, len, catalog, ret);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ret->n_groups; i++)
		if (ret->groups[i].t_ms < 0)
			return -EBADMSG;
	return has_twice(ret) ? -EBADMSG : 0;
}

int request_read(const uint8_t *packet, size_t len, const struct catalog *catalog,
		 struct request *ret)
{
	ret->type = (enum wire_type)wire_type(packet, len);
	switch ((int)ret->type) {
	case WIRE_HELLO:
		return wire_get_hello(packet, len, &ret->hello);
	case WIRE_TICK:
		return read_tick(packet, len, catalog, &ret->tick);
	case WIRE_MONITOR:
		return wire_get_monitor(packet, len, &ret->monitor);
	case WIRE_RESCAN:
	case WIRE_LOG:
	case WIRE_RECORDS:
		return len == 1 ? 0 : -EBADMSG;
	default:
		return -EBADMSG;
	}
}
