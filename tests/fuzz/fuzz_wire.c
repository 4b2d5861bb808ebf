/* Whatever a lane sends: refused, or taken into bounded rows. */
#include <stdlib.h>

#include "sampling/registry.h"
#include "sampling/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sink sink;
	struct probe probe = {0};
	struct wire_rows rows;
	struct wire_probed probed;
	struct wire_tick tick;
	struct wire_done done;

	if (!sink.rows && sink_init(&sink) < 0)
		abort();
	if (wire_get_rows(data, size, registry(), &rows, &sink) == 0 &&
	    (!sink.group || sink.n_rows > SINK_ROWS_MAX))
		abort();
	if (wire_get_probed(data, size, registry(), &probed, &probe) == 0 &&
	    probed.collector >= registry()->n_collectors)
		abort();
	probe_done(&probe);
	if (wire_get_tick(data, size, registry(), &tick) == 0 && tick.n_groups > WIRE_GROUPS_MAX)
		abort();
	if (wire_get_done(data, size, &done) == 0 && done.cpu_us < 0)
		abort();
	return 0;
}
