/* The request monitor of the UFS host driver: monitor/ below the controller's directory, since 5.14
 * Kernel: Documentation/ABI/testing/sysfs-driver-ufs, drivers/ufs/core/ufs-sysfs.c
 *
 * It is off until somebody switches it on, and then costs a lock at each request, so its files are
 * left alone while it is off; who switches it is flashscope-helper (helper/ufs_switch.h), by a
 * policy. It counts reads and writes between the driver and the controller; what a request waited
 * before does not show (docs/UFS-MONITOR.md). The mean is made of sum and number, of the requests
 * between two samples, and has the name of the kernel's avg nodes, which are not opened: they are
 * the mean since the monitor was switched on, and kernels before 6.13 divide by zero in them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/ufs_host.h"

enum {
	ENABLE,
	CHUNK_SIZE,
	READ_REQUESTS,
	READ_SECTORS,
	READ_BUSY,
	READ_SUM,
	READ_MIN,
	READ_MAX,
	WRITE_REQUESTS,
	WRITE_SECTORS,
	WRITE_BUSY,
	WRITE_SUM,
	WRITE_MIN,
	WRITE_MAX,
	N_FIELDS,
};

#define NO_REQUEST                                                                                 \
	"there was no such request since the monitor was switched on, or it is off: as root, "     \
	"echo 1 > monitor/monitor_enable below the controller's directory"

/* clang-format off */
static const struct field fields[] = {
	[ENABLE]         = {"monitor_enable", UNIT_NONE, KIND_GAUGE, "Whether the kernel measures, 1, or not, 0.",
			    .attr = "monitor_enable", .absence = "the kernel is older than 5.14"},
	[CHUNK_SIZE]     = {"monitor_chunk_size", UNIT_BYTES, KIND_GAUGE,
			    "Only requests of exactly this size are counted; 0 is all of them.",
			    .attr = "monitor_chunk_size"},
	[READ_REQUESTS]  = {"read_nr_requests", UNIT_COUNT, KIND_COUNTER, "Reads completed.",
			    .attr = "read_nr_requests"},
	[READ_SECTORS]   = {"read_total_sectors", UNIT_SECTORS, KIND_COUNTER,
			    "Sectors of 512 bytes read.", .attr = "read_total_sectors"},
	[READ_BUSY]      = {"read_total_busy", UNIT_MICROSECONDS, KIND_COUNTER,
			    "Time with a read under way, counted when reads complete.",
			    .attr = "read_total_busy"},
	[READ_SUM]       = {"read_req_latency_sum", UNIT_MICROSECONDS, KIND_COUNTER,
			    "Time of all reads added up, from the controller's start to its end.",
			    .attr = "read_req_latency_sum"},
	[READ_MIN]       = {"read_req_latency_min", UNIT_MICROSECONDS, KIND_GAUGE,
			    "Shortest read since the monitor was switched on.",
			    .attr = "read_req_latency_min", .absence = NO_REQUEST},
	[READ_MAX]       = {"read_req_latency_max", UNIT_MICROSECONDS, KIND_GAUGE,
			    "Longest read since the monitor was switched on.",
			    .attr = "read_req_latency_max", .absence = NO_REQUEST},
	[WRITE_REQUESTS] = {"write_nr_requests", UNIT_COUNT, KIND_COUNTER, "Writes completed.",
			    .attr = "write_nr_requests"},
	[WRITE_SECTORS]  = {"write_total_sectors", UNIT_SECTORS, KIND_COUNTER,
			    "Sectors of 512 bytes written.", .attr = "write_total_sectors"},
	[WRITE_BUSY]     = {"write_total_busy", UNIT_MICROSECONDS, KIND_COUNTER,
			    "Time with a write under way, counted when writes complete.",
			    .attr = "write_total_busy"},
	[WRITE_SUM]      = {"write_req_latency_sum", UNIT_MICROSECONDS, KIND_COUNTER,
			    "Time of all writes added up, from the controller's start to its end.",
			    .attr = "write_req_latency_sum"},
	[WRITE_MIN]      = {"write_req_latency_min", UNIT_MICROSECONDS, KIND_GAUGE,
			    "Shortest write since the monitor was switched on.",
			    .attr = "write_req_latency_min", .absence = NO_REQUEST},
	[WRITE_MAX]      = {"write_req_latency_max", UNIT_MICROSECONDS, KIND_GAUGE,
			    "Longest write since the monitor was switched on.",
			    .attr = "write_req_latency_max", .absence = NO_REQUEST},
};

static const struct derived derived[] = {
	{"read_req_latency_avg", UNIT_MICROSECONDS, DERIVE_MEAN, "read_req_latency_sum",
	 "read_nr_requests", 1, 1,
	 "Mean time of the reads since the sample before, in the controller and the device, "
	 "queueing left out."},
	{"write_req_latency_avg", UNIT_MICROSECONDS, DERIVE_MEAN, "write_req_latency_sum",
	 "write_nr_requests", 1, 1,
	 "Mean time of the writes since the sample before, in the controller and the device, "
	 "queueing left out."},
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "read_total_sectors", NULL, 512, 1, "Bytes read."},
	{"write_bytes", UNIT_BYTES, DERIVE_SCALE, "write_total_sectors", NULL, 512, 1,
	 "Bytes written."},
	{"read_size", UNIT_BYTES, DERIVE_MEAN, "read_total_sectors", "read_nr_requests", 512, 1,
	 "Mean size of a read."},
	{"write_size", UNIT_BYTES, DERIVE_MEAN, "write_total_sectors", "write_nr_requests", 512, 1,
	 "Mean size of a write."},
	{"read_busy", UNIT_RATIO, DERIVE_SHARE, "read_total_busy", NULL, 1, 1000,
	 "Share of the time with a read under way."},
	{"write_busy", UNIT_RATIO, DERIVE_SHARE, "write_total_busy", NULL, 1, 1000,
	 "Share of the time with a write under way."},
};
/* clang-format on */

static const struct group groups[] = {
	{
		.name = "ufs_monitor",
		.help = "Times of UFS requests between driver and device, while the monitor is on.",
		.cost = COST_F,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "UFS host, by the name of its controller's device",
		.since = "5.14",
		.absence = "the monitor is off, as it is after each boot; as root: echo 1 > "
			   "monitor/monitor_enable below the controller's directory",
	},
};

/* What has to outlive a probe: it may come at any time, and what it forgets is no reset any more.
 */
struct memory {
	bool began_anew; /* it was off since the last values, or at the first probe */
	bool has_last;
	int64_t last[N_FIELDS]; /* of counters */
};

struct monitor {
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	struct node_file files[N_FIELDS];
	bool probed_on;        /* what the probe said */
	bool was_on;           /* at the last sample; first: at the probe */
	struct memory *memory; /* owned by hw */
};

struct ufs_monitor {
	struct monitor *v;
	size_t n;
};

static void ufs_monitor_close(void *state)
{
	struct ufs_monitor *m = state;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < N_FIELDS; k++)
			node_file_close(&m->v[i].files[k]);
	free(m->v);
	free(m);
}

static void statep(struct ufs_monitor **m)
{
	if (*m)
		ufs_monitor_close(*m);
}

static int read_field(struct hw *hw, struct monitor *monitor, size_t field, int64_t *ret)
{
	int r = node_file_read_i64(hw, &monitor->files[field], ret);

	/* The kernel prints unsigned numbers. */
	return r == 0 && *ret < 0 ? -EINVAL : r;
}

static bool has_value(const struct row *row, size_t field)
{
	return row->values[field].type == VALUE_INT;
}

/* Without a request minimum and maximum are 0, which is no time of any. */
static void drop_empty(struct row *row, size_t requests, size_t min, size_t max)
{
	if (has_value(row, requests) && row->values[requests].i > 0)
		return;
	if (has_value(row, min))
		row->values[min] = (struct value){0};
	if (has_value(row, max))
		row->values[max] = (struct value){0};
}

/* Somebody switched it off and on: all counters began anew, also one that has overtaken its old
 * value by now. What was recorded by another run of this program counts too, so began_anew is
 * enough. */
static bool has_reset(struct memory *memory, const struct row *row)
{
	bool fell = false;

	for (size_t i = 0; i < N_FIELDS; i++)
		fell = fell || (fields[i].kind == KIND_COUNTER && has_value(row, i) &&
				row->values[i].i < memory->last[i]);
	fell = (fell && memory->has_last) || memory->began_anew;
	for (size_t i = 0; i < N_FIELDS; i++)
		if (has_value(row, i))
			memory->last[i] = row->values[i].i;
	memory->has_last = true;
	memory->began_anew = false;
	return fell;
}

/* Returns whether the counters began anew. */
static bool judge(struct monitor *monitor, struct row *row)
{
	bool reset = has_reset(monitor->memory, row);
	bool filtered = has_value(row, CHUNK_SIZE) && row->values[CHUNK_SIZE].i > 0;

	for (size_t i = READ_REQUESTS; i < N_FIELDS; i++) {
		if (!has_value(row, i))
			continue;
		if (filtered)
			row_flag(row, i, FLAG_FILTERED);
		if (reset && fields[i].kind == KIND_COUNTER)
			row_flag(row, i, FLAG_RESET);
	}
	return reset;
}

static bool sample_values(struct hw *hw, struct monitor *monitor, struct row *row)
{
	for (size_t i = CHUNK_SIZE; i < N_FIELDS; i++) {
		int64_t value = 0;
		int r = read_field(hw, monitor, i, &value);

		row_result(row, i, r, value);
	}
	drop_empty(row, READ_REQUESTS, READ_MIN, READ_MAX);
	drop_empty(row, WRITE_REQUESTS, WRITE_MIN, WRITE_MAX);
	return judge(monitor, row);
}

/* Whether what the probe said may stand. A new probe throws this row away. So it waits until the
 * switch has stayed where it is for a sample: the row that says reset is kept. */
static bool sample_one(struct hw *hw, struct monitor *monitor, struct sink *sink)
{
	struct row *row = sink_row(sink, monitor->name, monitor->identity);
	bool was_on = monitor->was_on, reset = false;
	int64_t value = 0;
	int r = read_field(hw, monitor, ENABLE, &value);

	row_result(row, ENABLE, r, value);
	if (r < 0)
		return r != -ENODEV;
	monitor->was_on = value == 1;
	if (monitor->was_on)
		reset = sample_values(hw, monitor, row);
	else
		monitor->memory->began_anew = true;
	return reset || monitor->was_on != was_on || monitor->was_on == monitor->probed_on;
}

/* A new probe, when one was switched on or off, so that what the probe says is so. */
static int ufs_monitor_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct ufs_monitor *m = state;
	bool same = true;

	(void)group; /* there is only one */
	for (size_t i = 0; i < m->n; i++)
		same = sample_one(hw, &m->v[i], sink) && same;
	return same ? 0 : -ENODEV;
}

static void report_off(struct hw *hw, struct probe *probe, const struct ufs_host *host)
{
	char advice[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(advice);
	int64_t n_queues = 0;

	text_printf(&text,
		    "flashscope mark --ufs-monitor, or monitor = on in [ufs]; as root: echo 1 > "
		    "/%s/monitor/monitor_enable",
		    host->dir);
	if (hw_read_i64(hw, &n_queues, "%s/host%d/scsi_host/host%d/nr_hw_queues", host->dir,
			host->number, host->number) == 0 &&
	    n_queues > 1)
		text_printf(&text,
			    "; costs speed: one lock for every I/O of all %lld hardware queues",
			    (long long)n_queues);
	else
		text_str(&text, "; costs a lock at every I/O");
	probe_node(probe, host->name, OUTCOME_DISABLED, advice,
		   "the monitor is off (monitor_enable is 0), as it is after each boot");
}

static void report(struct hw *hw, struct probe *probe, const struct ufs_host *host, int r,
		   int64_t enabled)
{
	int64_t chunk_size = 0;

	if (r == 0 && enabled != 1) {
		report_off(hw, probe, host);
	} else if (r == 0 &&
		   hw_read_i64(hw, &chunk_size, "%s/monitor/monitor_chunk_size", host->dir) == 0 &&
		   chunk_size > 0) {
		probe_node(probe, host->name, OUTCOME_OK,
			   "to count all: echo 0 > monitor_enable, echo 0 > monitor_chunk_size, "
			   "echo 1 > monitor_enable",
			   "on, only for requests of exactly %lld bytes (monitor_chunk_size): not "
			   "to be "
			   "compared with diskstats",
			   (long long)chunk_size);
	} else if (r == 0) {
		probe_node(probe, host->name, OUTCOME_OK, "", "/%s/monitor", host->dir);
	} else if (r == -ENOENT) {
		probe_node(probe, host->name, OUTCOME_NO_NODE, "a kernel from 5.14 on",
			   "no /%s/monitor: kernels have it from 5.14 on", host->dir);
	} else {
		reason_error(hw, probe, host->name, r, "/%s/monitor/monitor_enable", host->dir);
	}
}

static int add(struct hw *hw, struct ufs_monitor *m, struct probe *probe,
	       const struct ufs_host *host)
{
	struct monitor *monitor = &m->v[m->n];
	char key[HW_PATH_MAX + 16];
	int64_t enabled = 0;

	for (size_t i = 0; i < N_FIELDS; i++)
		node_file_open(hw, &monitor->files[i], "%s/monitor/%s", host->dir, fields[i].attr);

	int r = read_field(hw, monitor, ENABLE, &enabled);

	report(hw, probe, host, r, enabled);
	if (r == -ENOENT) {
		for (size_t i = 0; i < N_FIELDS; i++)
			node_file_close(&monitor->files[i]);
		return 0;
	}
	memcpy(monitor->name, host->name, sizeof(monitor->name));
	memcpy(monitor->identity, host->identity, sizeof(monitor->identity));
	monitor->probed_on = monitor->was_on = r == 0 && enabled == 1;
	m->n++;

	snprintf(key, sizeof(key), "ufs_monitor %s",
		 host->identity[0] ? host->identity : host->dir);
	monitor->memory = hw_memory(hw, key, sizeof(*monitor->memory));
	if (!monitor->memory)
		return -ENOMEM;
	if (r == 0 && enabled != 1)
		monitor->memory->began_anew = true;
	return 0;
}

static int ufs_monitor_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct ufs_monitor *m = calloc(1, sizeof(*m));
	CLEANUP(freep) struct ufs_hosts *hosts = NULL;

	if (!m)
		return -ENOMEM;

	int r = ufs_hosts_find(hw, &hosts);

	if (r < 0) {
		ufs_report_none(hw, probe, r);
		return r;
	}
	m->v = calloc(hosts->n, sizeof(*m->v));
	if (!m->v)
		return -ENOMEM;
	for (size_t i = 0; i < hosts->n && r >= 0; i++)
		r = add(hw, m, probe, &hosts->v[i]);
	if (r < 0)
		return r;
	if (!m->n) {
		probe_collector(probe, OUTCOME_NO_NODE, "a kernel from 5.14 on",
				"no UFS host has a monitor: kernels have it from 5.14 on");
		return -ENOENT;
	}
	*ret_state = m;
	m = NULL;
	return 0;
}

const struct collector collector_ufs_monitor = {
	.name = "ufs_monitor",
	.help = "Request monitor of UFS hosts.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = ufs_monitor_probe,
	.sample = ufs_monitor_sample,
	.close = ufs_monitor_close,
};
