/* What the kernel's log says of storage, as counts: /dev/kmsg
 * Kernel: Documentation/ABI/testing/dev-kmsg
 *
 * The log is a stream that flashscoped follows; here are its counts (model/kernel_log.h). Without
 * it, in `flashscope sample` or a helper, there is nothing to count. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "model/collector.h"
#include "model/kernel_log.h"
#include "model/probe.h"

/* clang-format off */
static const struct field log_fields[N_KERNEL_LOG_FIELDS] = {
	[KERNEL_LOG_RECORDS]    = {"records", UNIT_COUNT, KIND_COUNTER,
				   "Records that were read since flashscoped started."},
	[KERNEL_LOG_LOST]       = {"lost", UNIT_COUNT, KIND_COUNTER,
				   "Records that the kernel had overwritten before they were read."},
	[KERNEL_LOG_PROCESS]    = {"process_records", UNIT_COUNT, KIND_COUNTER,
				   "Records of these that a process wrote: they count for nothing."},
	[KERNEL_LOG_IGNORED]    = {"ignored", UNIT_COUNT, KIND_COUNTER,
				   "Records of the kernel that no rule knows."},
	[KERNEL_LOG_UNREADABLE] = {"unreadable", UNIT_COUNT, KIND_COUNTER,
				   "Records that were no record, or too long."},
};

#define CAUSE(name, what)                                                                          \
	{name "_incidents", UNIT_COUNT, KIND_COUNTER, "Incidents with " what "."},                 \
	{name "_findings", UNIT_COUNT, KIND_COUNTER, "Messages about " what "; a lower bound "     \
	 "where the kernel suppressed some."}

/* By the causes of analysis/kernel_rules.h, in any order; a test holds the two together. */
static const struct field incident_fields[] = {
	{"incidents", UNIT_COUNT, KIND_COUNTER,
	 "Incidents: what happened to the device from its first message to its last."},
	{"findings", UNIT_COUNT, KIND_COUNTER,
	 "Messages that tell of a fault; a lower bound where the kernel suppressed some."},
	CAUSE("media", "data that cannot be read or written"),
	CAUSE("link", "the bus to the device"),
	CAUSE("timeout", "commands that were not answered in time"),
	CAUSE("reset", "resets of device, controller or link"),
	CAUSE("gone", "a device that was given up"),
	CAUSE("io", "failed requests without a known reason"),
	CAUSE("file_system", "what the file system noticed"),
	CAUSE("space", "a pool or thin device without space"),
	CAUSE("thermal", "heat"),
	CAUSE("power", "a power supply, for which the machine goes down"),
	CAUSE("protection", "a machine that goes down to protect its hardware"),
	CAUSE("hung", "tasks, CPUs or write-back that stand still"),
	CAUSE("oom", "processes that were killed for want of memory"),
	CAUSE("pcie_corrected", "errors of the PCIe link that it has put right"),
	CAUSE("pcie_error", "errors of the PCIe link that it has not put right"),
	CAUSE("unsupported", "commands that the device does not know"),
	CAUSE("health", "warnings of the device about itself"),
	CAUSE("crash", "an oops, BUG or panic of the kernel"),
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(incident_fields) <= KERNEL_COUNTS_MAX, "counts have no room");

enum { GROUP_LOG, GROUP_INCIDENTS };

static const struct group groups[] = {
	[GROUP_LOG] =
		{
			.name = "kernel_log",
			.help = "How the log of the kernel is followed.",
			.cost = COST_F,
			.period_ms = 10000,
			.fields = log_fields,
			.n_fields = ARRAY_SIZE(log_fields),
			.node = "the log, as kmsg",
			.absence = "the log is not followed",
		},
	[GROUP_INCIDENTS] =
		{
			.name = "kernel_incidents",
			.help = "Faults that the kernel tells of in its log, since flashscoped "
				"started.",
			.cost = COST_F,
			.period_ms = 10000,
			.fields = incident_fields,
			.n_fields = ARRAY_SIZE(incident_fields),
			.node = "storage device, by the name of its disk (sda, mmcblk0) or "
				"controller (nvme0, 1d84000.ufs); machine for what is about none",
			.absence = "the log is not followed",
		},
};

static int kmsg_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	const struct kernel_counts *counts = state;

	(void)hw;
	if (!counts || !counts->is_followed)
		return 0;
	if (group == GROUP_LOG) {
		struct row *row = sink_row(sink, "kmsg", "");

		for (size_t i = 0; i < N_KERNEL_LOG_FIELDS; i++)
			row_set(row, i, counts->log[i]);
		return 0;
	}
	for (size_t i = 0; i < counts->n_devices; i++) {
		struct row *row = sink_row(sink, counts->devices[i].node, "");

		for (size_t f = 0; f < ARRAY_SIZE(incident_fields); f++)
			row_set(row, f, counts->devices[i].values[f]);
	}
	return 0;
}

/* Whether this process could open it; it is closed again at once. */
static int try_open(struct hw *hw)
{
	CLEANUP(closep) int fd = hw_open_log(hw);

	return MIN(fd, 0);
}

static int probe_alone(struct hw *hw, struct probe *probe)
{
	struct kernel_log_problem problem;
	int r = try_open(hw);

	if (r == 0) {
		probe_collector(probe, OUTCOME_OK, "",
				"flashscoped follows the log; here nothing is counted");
		return 0;
	}
	kernel_log_explain(hw, r, &problem);
	probe_collector(probe, problem.outcome, problem.advice, "%s", problem.reason);
	return r;
}

static int kmsg_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	struct kernel_counts *counts = kernel_counts_of(hw);

	if (!counts)
		return -ENOMEM;
	*ret_state = counts;
	if (!counts->is_served)
		return probe_alone(hw, probe);
	if (!counts->is_followed && !counts->is_awaited) {
		const struct kernel_log_problem *problem = &counts->problem;

		probe_collector(probe, problem->outcome, problem->advice, "%s", problem->reason);
		return -EOPNOTSUPP;
	}
	probe_node(probe, "kmsg", OUTCOME_OK, "", "/dev/kmsg");
	for (size_t i = 0; i < counts->n_devices; i++)
		probe_node(probe, counts->devices[i].node, OUTCOME_OK, "", "by its name");
	return 0;
}

const struct collector collector_kmsg = {
	.name = "kmsg",
	.help = "The kernel's log: incidents of storage.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = kmsg_probe,
	.sample = kmsg_sample,
};
