/* What the page cache and the reclaim of memory do to storage: /proc/vmstat
 * Kernel: mm/vmstat.c, Documentation/admin-guide/sysctl/vm.rst
 *
 * A line "name value" each; lines come and go with kernels and options, unknown ones are passed
 * over. Numbers of pages are of the machine's page size, which is not 4 KiB everywhere. A read sums
 * up the CPUs under the lock of CPU hotplug, so it is of class L. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"

/* It has 6 KiB on kernels of today. */
#define FILE_BYTES     (16 * 1024)
#define FILE_BYTES_MAX (256 * 1024)
#define NODE           "system"

enum {
	NR_DIRTY,
	NR_WRITEBACK,
	NR_DIRTY_THRESHOLD,
	NR_DIRTY_BACKGROUND_THRESHOLD,
	NR_FREE_PAGES,
	NR_DIRTIED,
	NR_WRITTEN,
	NR_THROTTLED_WRITTEN,
	PGPGIN,
	PGPGOUT,
	PSWPIN,
	PSWPOUT,
	PGMAJFAULT,
	WORKINGSET_REFAULT_FILE,
	PGSCAN_KSWAPD,
	PGSCAN_DIRECT,
	PGSTEAL_DIRECT,
	ALLOCSTALL,
	COMPACT_STALL,
	OOM_KILL,
	N_FIELDS
};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[NR_DIRTY]     = {"nr_dirty", UNIT_COUNT, KIND_GAUGE,
			  "Pages of files that wait to be written."},
	[NR_WRITEBACK] = {"nr_writeback", UNIT_COUNT, KIND_GAUGE,
			  "Pages that are being written to a device now."},
	[NR_DIRTY_THRESHOLD] = {"nr_dirty_threshold", UNIT_COUNT, KIND_GAUGE,
			  "Pages that wait or are written at which who writes has to wait for the device."},
	[NR_DIRTY_BACKGROUND_THRESHOLD] = {"nr_dirty_background_threshold", UNIT_COUNT, KIND_GAUGE,
			  "Pages that wait at which the kernel begins to write on its own."},
	[NR_FREE_PAGES] = {"nr_free_pages", UNIT_COUNT, KIND_GAUGE, "Pages that nothing uses."},
	[NR_DIRTIED]   = {"nr_dirtied", UNIT_COUNT, KIND_COUNTER,
			  "Pages of files that were changed."},
	[NR_WRITTEN]   = {"nr_written", UNIT_COUNT, KIND_COUNTER,
			  "Pages of files that were written to a device."},
	[NR_THROTTLED_WRITTEN] = {"nr_throttled_written", UNIT_COUNT, KIND_COUNTER,
			  "Pages written while reclaim waited for the device.", .since = "5.16"},
	[PGPGIN]       = {"pgpgin", UNIT_KIBIBYTES, KIND_COUNTER,
			  "Read from block devices, at the top of the stack: a dm device and the disk below it count once, zram and loop as well."},
	[PGPGOUT]      = {"pgpgout", UNIT_KIBIBYTES, KIND_COUNTER,
			  "Written to block devices, counted as pgpgin is."},
	[PSWPIN]       = {"pswpin", UNIT_COUNT, KIND_COUNTER, "Pages read back from swap, zram included.",
			  .absence = "CONFIG_SWAP is not set"},
	[PSWPOUT]      = {"pswpout", UNIT_COUNT, KIND_COUNTER, "Pages written to swap, zram included.",
			  .absence = "CONFIG_SWAP is not set"},
	[PGMAJFAULT]   = {"pgmajfault", UNIT_COUNT, KIND_COUNTER,
			  "Page faults for which somebody had to wait for a device."},
	[WORKINGSET_REFAULT_FILE] = {"workingset_refault_file", UNIT_COUNT, KIND_COUNTER,
			  "Pages of files that were read again soon after they were given up: the cache is too small.",
			  .since = "5.9"},
	[PGSCAN_KSWAPD] = {"pgscan_kswapd", UNIT_COUNT, KIND_COUNTER,
			  "Pages that reclaim looked at in the background; before 4.8 a sum over the zones."},
	[PGSCAN_DIRECT] = {"pgscan_direct", UNIT_COUNT, KIND_COUNTER,
			  "Pages that whoever wanted memory had to look at; before 4.8 a sum over the zones."},
	[PGSTEAL_DIRECT] = {"pgsteal_direct", UNIT_COUNT, KIND_COUNTER,
			  "Pages that were given up there; before 4.8 a sum over the zones."},
	[ALLOCSTALL]   = {"allocstall", UNIT_COUNT, KIND_COUNTER,
			  "Times that whoever wanted memory had to reclaim it first; the sum over the zones."},
	[COMPACT_STALL] = {"compact_stall", UNIT_COUNT, KIND_COUNTER,
			  "Times that whoever wanted memory had to move pages together first.",
			  .absence = "CONFIG_COMPACTION is not set"},
	[OOM_KILL]     = {"oom_kill", UNIT_COUNT, KIND_COUNTER,
			  "Processes that were killed for want of memory.", .since = "4.13"},
};

static const struct derived derived[] = {
	{"dirty_share", UNIT_RATIO, DERIVE_QUOTIENT, "nr_dirty", "nr_dirty_threshold", 1, 1,
	 "Pages that wait as a share of those at which who writes has to wait."},
};
/* clang-format on */

/* Counters that some kernels have for each zone of memory: "allocstall_normal", and before 4.8
 * "pgscan_direct_dma32". Other names that begin alike are no zones. */
static const size_t summed[] = {ALLOCSTALL, PGSCAN_KSWAPD, PGSCAN_DIRECT, PGSTEAL_DIRECT};
static const char *const zones[] = {"dma", "dma32", "normal", "high", "movable", "device"};

struct vmstat {
	struct hw_file file;
	char *buf;
	size_t buf_size;
};

static void vmstat_close(void *state)
{
	struct vmstat *v = state;

	hw_file_close(&v->file);
	free(v->buf);
	free(v);
}

static bool is_zone(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (slice_is(name, zones[i]))
			return true;
	return false;
}

static bool begins_with(struct slice name, const char *prefix, struct slice *ret_rest)
{
	size_t len = strlen(prefix);

	if (name.len <= len || memcmp(name.p, prefix, len) != 0)
		return false;
	*ret_rest = (struct slice){name.p + len, name.len - len};
	return true;
}

/* Whether the name is of this counter in one zone. */
static bool is_zone_of(struct slice name, const char *counter)
{
	struct slice rest;

	return begins_with(name, counter, &rest) && rest.p[0] == '_' &&
	       is_zone((struct slice){rest.p + 1, rest.len - 1});
}

static void set(struct row *row, size_t field, struct slice text)
{
	int64_t value = 0;
	int r = parse_i64_slice(text, &value);

	row_result(row, field, r == 0 && value < 0 ? -EINVAL : r, value);
}

/* A zone that cannot be read leaves no sum. */
static void add(struct row *row, size_t field, struct slice text)
{
	struct value *sum = &row->values[field];
	int64_t before = sum->type == VALUE_INT ? sum->i : 0;

	if (sum->type == VALUE_FAULT)
		return;
	set(row, field, text);
	if (sum->type == VALUE_INT && __builtin_add_overflow(before, sum->i, &sum->i))
		row_fault(row, field, ERANGE);
}

static void take_line(struct row *row, struct slice line)
{
	struct slice name, text = {0};

	if (!slice_token(&line, &name))
		return;
	slice_token(&line, &text);
	for (size_t i = 0; i < N_FIELDS; i++)
		if (slice_is(name, fields[i].name)) {
			set(row, i, text);
			return;
		}
	for (size_t i = 0; i < ARRAY_SIZE(summed); i++)
		if (is_zone_of(name, fields[summed[i]].name)) {
			add(row, summed[i], text);
			return;
		}
}

static int vmstat_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct vmstat *v = state;
	int r = hw_file_read_grow(hw, &v->file, &v->buf, &v->buf_size, FILE_BYTES_MAX);
	struct row *row = sink_row(sink, NODE, "");
	struct slice rest = {v->buf, r > 0 ? (size_t)r : 0}, line;

	(void)group;
	while (slice_line(&rest, &line))
		take_line(row, line);
	if (!row_has_value(row, N_FIELDS) && !row_first_fault(row, N_FIELDS))
		row_fault(row, NR_DIRTY, r < 0 ? r : r ? EBADMSG : ENODATA);
	return 0;
}

/* Without CONFIG_VM_EVENT_COUNTERS the counters are missing, but not what is counted in pages. */
static void report(struct hw *hw, struct probe *probe, struct vmstat *v, int r)
{
	static const struct need events = {"CONFIG_VM_EVENT_COUNTERS", NULL, OUTCOME_NO_NODE, ""};

	if (r < 0) {
		reason_error(hw, probe, NODE, r, "/proc/vmstat");
		return;
	}
	probe_node(probe, NODE, OUTCOME_OK, "", "/proc/vmstat");
	if (r > 0 && !strstr(v->buf, "\npgpgin "))
		reason_option(hw, probe, NODE " events", &events, "no pgpgin in /proc/vmstat");
}

static void statep(struct vmstat **v)
{
	if (*v)
		vmstat_close(*v);
}

static int vmstat_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct vmstat *v = calloc(1, sizeof(*v));
	int r;

	if (!v)
		return -ENOMEM;
	v->buf = malloc(FILE_BYTES);
	if (!v->buf)
		return -ENOMEM;
	v->buf_size = FILE_BYTES;
	r = hw_file_open(hw, &v->file, "proc/vmstat");
	if (r < 0) {
		if (r == -EACCES || r == -EPERM)
			probe_collector(probe, OUTCOME_DENIED,
					"Android: allow the domain to read proc_vmstat",
					"/proc/vmstat may not be read");
		else
			reason_error(hw, probe, "", r, "/proc/vmstat");
		return r;
	}
	r = hw_file_read_grow(hw, &v->file, &v->buf, &v->buf_size, FILE_BYTES_MAX);
	report(hw, probe, v, r);
	*ret_state = v;
	v = NULL;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "vmstat",
		.help = "Writeback, paging and reclaim of memory; pages are of the machine's page "
			"size.",
		.cost = COST_L,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = N_FIELDS,
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "the machine",
		.absence = "this kernel does not count it; most counters need "
			   "CONFIG_VM_EVENT_COUNTERS",
	},
};

const struct collector collector_vmstat = {
	.name = "vmstat",
	.help = "Writeback, paging and reclaim of memory.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = vmstat_probe,
	.sample = vmstat_sample,
	.close = vmstat_close,
};
