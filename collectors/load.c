/* Run queue of the machine: /proc/loadavg
 * Kernel: Documentation/filesystems/proc.rst, fs/proc/loadavg.c */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hw.h"
#include "base/parse.h"
#include "model/collector.h"
#include "model/probe.h"
#include "model/reason.h"

enum { LOAD1, LOAD5, LOAD15, RUNNABLE, THREADS };

/* clang-format off */
static const struct field fields[] = {
	[LOAD1]    = {"load1", UNIT_HUNDREDTHS, KIND_GAUGE,
		      "Runnable and uninterruptible threads, mean over 1 minute."},
	[LOAD5]    = {"load5", UNIT_HUNDREDTHS, KIND_GAUGE,
		      "Runnable and uninterruptible threads, mean over 5 minutes."},
	[LOAD15]   = {"load15", UNIT_HUNDREDTHS, KIND_GAUGE,
		      "Runnable and uninterruptible threads, mean over 15 minutes."},
	[RUNNABLE] = {"runnable", UNIT_COUNT, KIND_GAUGE, "Threads that run or wait for a CPU now."},
	[THREADS]  = {"threads", UNIT_COUNT, KIND_GAUGE, "Threads that exist."},
};
/* clang-format on */

struct load {
	struct hw_file file;
};

static void load_close(void *state)
{
	struct load *load = state;

	hw_file_close(&load->file);
	free(load);
}

static int load_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	struct load *load = calloc(1, sizeof(*load));

	if (!load)
		return -ENOMEM;

	int r = hw_file_open(hw, &load->file, "proc/loadavg");
	char buf[256];

	if (r < 0) {
		free(load);
		reason_error(hw, probe, "", r, "/proc/loadavg");
		return r;
	}
	r = hw_file_read_line(hw, &load->file, buf, sizeof(buf));
	if (r < 0)
		reason_error(hw, probe, "system", r, "/proc/loadavg");
	else
		probe_node(probe, "system", OUTCOME_OK, "", "/proc/loadavg");
	*ret_state = load;
	return 0;
}

static void set_load(struct row *row, size_t field, struct slice *rest)
{
	struct slice token;
	int64_t value = 0;
	int r = slice_token(rest, &token) ? parse_fixed_slice(token, 2, &value) : -EINVAL;

	row_result(row, field, r < 0 || value < 0 ? -EINVAL : 0, value);
}

static void set_count(struct row *row, size_t field, struct slice token)
{
	int64_t value = 0;
	int r = parse_i64_slice(token, &value);

	row_result(row, field, r < 0 || value < 0 ? -EINVAL : 0, value);
}

static int load_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct load *load = state;
	char buf[256];
	int r = hw_file_read_line(hw, &load->file, buf, sizeof(buf));
	struct row *row = sink_row(sink, "system", "");
	struct slice rest = {buf, r > 0 ? (size_t)r : 0}, counts = {0}, runnable = {0};

	(void)group;
	if (r < 0) {
		for (size_t i = 0; i < sink->group->n_fields; i++)
			row_fault(row, i, r);
		return 0;
	}
	set_load(row, LOAD1, &rest);
	set_load(row, LOAD5, &rest);
	set_load(row, LOAD15, &rest);
	if (slice_token(&rest, &counts))
		slice_until(&counts, '/', &runnable);
	set_count(row, RUNNABLE, runnable);
	set_count(row, THREADS, counts);
	return 0;
}

static const struct group groups[] = {
	{
		.name = "load",
		.help = "Load averages and threads.",
		.cost = COST_F,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "the machine",
		.absence = "there is no /proc/loadavg",
	},
};

const struct collector collector_load = {
	.name = "load",
	.help = "Run queue of the machine.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = load_probe,
	.sample = load_sample,
	.close = load_close,
};
