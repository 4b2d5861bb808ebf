/* Whatever a lane or a helper sends: refused, or taken into bounded rows. */
#include <stdlib.h>
#include <string.h>

#include "sampling/registry.h"
#include "sampling/wire.h"
#include "sampling/wire_helper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What only a helper sends. */
static void take_helper(const uint8_t *data, size_t size)
{
	const struct collector *collector = NULL;
	struct wire_hello hello;
	struct wire_refused refused;
	struct wire_node node;
	struct wire_account account;
	struct wire_monitored monitored;

	if (wire_get_hello(data, size, &hello) == 0 &&
	    !memchr(hello.version, 0, sizeof(hello.version)))
		abort();
	if (wire_get_refused(data, size, &refused) == 0 &&
	    !memchr(refused.reason, 0, sizeof(refused.reason)))
		abort();
	if (wire_get_account(data, size, &account) == 0 && account.n_left < 0)
		abort();
	if (wire_get_monitored(data, size, &monitored) == 0 &&
	    (monitored.n_hosts < 0 || monitored.error > 0))
		abort();
	if (wire_get_node(data, size, registry(), &node) < 0)
		return;
	if (node.collector >= registry()->n_collectors || node.since_ms < 0 ||
	    !memchr(node.node, 0, sizeof(node.node)))
		abort();
	if (node.group >= 0 && (!catalog_group_at(registry(), (size_t)node.group, &collector) ||
				collector != registry()->collectors[node.collector]))
		abort();
}

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
	take_helper(data, size);
	return 0;
}
