/* Whatever a daemon sends: refused, or a request for groups that there are, each once. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "helper/request.h"
#include "sampling/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tick(const struct wire_tick *tick)
{
	size_t n_groups = catalog_n_groups(registry());
	static bool seen[UINT16_MAX + 1];

	for (size_t i = 0; i < tick->n_groups; i++) {
		if (tick->groups[i].group >= n_groups || tick->groups[i].t_ms < 0 ||
		    seen[tick->groups[i].group])
			abort();
		seen[tick->groups[i].group] = true;
	}
	for (size_t i = 0; i < tick->n_groups; i++)
		seen[tick->groups[i].group] = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request request;

	if (request_read(data, size, registry(), &request) < 0)
		return 0;
	if (request.type == WIRE_TICK)
		check_tick(&request.tick);
	else if (request.type == WIRE_HELLO &&
		 !memchr(request.hello.version, 0, sizeof(request.hello.version)))
		abort();
	else if (request.type == WIRE_MONITOR && request.monitor.policy >= N_UFS_MONITORS)
		abort();
	return 0;
}
