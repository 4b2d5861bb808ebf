/* What flashscope itself takes: /proc/self/{stat,statm,io}
 * Kernel: Documentation/filesystems/proc.rst section 1.1, 3.3
 *
 * Sampled in the process that serves. smaps_rollup walks all of its pages and is left to those who
 * ask for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hw.h"
#include "base/parse.h"
#include "model/collector.h"
#include "model/own_writes.h"
#include "model/probe.h"

enum {
	CPU_TIME,
	RSS,
	THREADS,
	READ_BYTES,
	WRITE_BYTES,
	CANCELLED_WRITE_BYTES,
	COMMITS,
	FAILED_COMMITS,
	COMMIT_TIME,
	COMMIT_BYTES,
	COMMIT_SECTORS,
	DISK_WAKES,
	TURNS,
	TURN_TIME,
};

#define OF_DAEMON "it is not flashscoped that samples, or the kernel does not tell"

/* clang-format off */
static const struct field fields[] = {
	[CPU_TIME]    = {"cpu_time", UNIT_MICROSECONDS, KIND_COUNTER,
			 "CPU time of all threads, in steps of a tick (10 ms)."},
	[RSS]         = {"rss", UNIT_BYTES, KIND_GAUGE, "Memory in RAM, shared libraries too."},
	[THREADS]     = {"threads", UNIT_COUNT, KIND_GAUGE, "Threads."},
	[READ_BYTES]  = {"read_bytes", UNIT_BYTES, KIND_COUNTER,
			 "Bytes that had to be fetched from a block device."},
	[WRITE_BYTES] = {"write_bytes", UNIT_BYTES, KIND_COUNTER,
			 "Bytes that were made dirty for a block device."},
	[CANCELLED_WRITE_BYTES] = {"cancelled_write_bytes", UNIT_BYTES, KIND_COUNTER,
				   "Bytes of these that were deleted before they were written."},
	[COMMITS] = {"commits", UNIT_COUNT, KIND_COUNTER, "Times that the database was written.",
		     .absence = OF_DAEMON},
	[FAILED_COMMITS] = {"failed_commits", UNIT_COUNT, KIND_COUNTER,
			    "Times that it could not be written.", .absence = OF_DAEMON},
	[COMMIT_TIME] = {"commit_time", UNIT_MICROSECONDS, KIND_COUNTER,
			 "Time that this took, the disk's included.", .absence = OF_DAEMON},
	[COMMIT_BYTES] = {"commit_write_bytes", UNIT_BYTES, KIND_COUNTER,
			  "Bytes that commits made dirty for a block device.",
			  .absence = OF_DAEMON},
	[COMMIT_SECTORS] = {"commit_sectors", UNIT_SECTORS, KIND_COUNTER,
			    "Sectors that the disk of the database has written while commits ran, "
			    "with what others wrote at the same time.", .absence = OF_DAEMON},
	[DISK_WAKES] = {"disk_wakes", UNIT_COUNT, KIND_COUNTER,
			"Commits that found the disk suspended and woke it.",
			.absence = OF_DAEMON},
	[TURNS] = {"turns", UNIT_COUNT, KIND_COUNTER, "Turns of the loop, which samples.",
		   .absence = OF_DAEMON},
	[TURN_TIME] = {"turn_time", UNIT_MICROSECONDS, KIND_COUNTER, "Time that these took.",
		       .absence = OF_DAEMON},
};

static const struct derived derived[] = {
	{"cpu_share", UNIT_RATIO, DERIVE_AVERAGE, "cpu_time", NULL, 1, 1000,
	 "CPU time as a share of one CPU."},
	{"commit_time_avg", UNIT_MICROSECONDS, DERIVE_MEAN, "commit_time", "commits", 1, 1,
	 "Mean time of a commit."},
	{"turn_time_avg", UNIT_MICROSECONDS, DERIVE_MEAN, "turn_time", "turns", 1, 1,
	 "Mean time of a turn."},
};
/* clang-format on */

struct self {
	struct hw_file stat, statm, io;
	int64_t tick_us, page_bytes;
};

static void self_close(void *state)
{
	struct self *s = state;

	hw_file_close(&s->stat);
	hw_file_close(&s->statm);
	hw_file_close(&s->io);
	free(s);
}

/* Token number n of a line, counted from 0. */
static int token_i64(struct slice rest, unsigned n, int64_t *ret)
{
	struct slice token;

	for (unsigned i = 0; i <= n; i++)
		if (!slice_token(&rest, &token))
			return -EBADMSG;
	return parse_i64_slice(token, ret);
}

/* The name of the program stands in parentheses and may hold anything, a ")" too: what counts is
 * behind the last one. */
static void fill_stat(struct hw *hw, struct self *s, struct row *row)
{
	enum { STATE, UTIME = 11, STIME = 12, NUM_THREADS = 17 };
	char buf[1024];
	int r = hw_file_read_line(hw, &s->stat, buf, sizeof(buf));
	const char *end = r < 0 ? NULL : strrchr(buf, ')');
	int64_t user = 0, kernel = 0, threads = 0;

	if (r >= 0 && !end)
		r = -EBADMSG;
	if (r >= 0)
		r = token_i64(slice_of(end + 1), UTIME, &user);
	if (r >= 0)
		r = token_i64(slice_of(end + 1), STIME, &kernel);
	row_result(row, CPU_TIME, r, (user + kernel) * s->tick_us);
	if (r >= 0)
		r = token_i64(slice_of(end + 1), NUM_THREADS, &threads);
	row_result(row, THREADS, r, threads);
}

static void fill_statm(struct hw *hw, struct self *s, struct row *row)
{
	enum { RESIDENT = 1 };
	char buf[256];
	int64_t pages = 0;
	int r = hw_file_read_line(hw, &s->statm, buf, sizeof(buf));

	if (r >= 0)
		r = token_i64(slice_of(buf), RESIDENT, &pages);
	row_result(row, RSS, r, pages * s->page_bytes);
}

static void fill_io(struct hw *hw, struct self *s, struct row *row)
{
	static const struct {
		const char *key;
		size_t field;
	} keys[] = {
		{"read_bytes:", READ_BYTES},
		{"write_bytes:", WRITE_BYTES},
		{"cancelled_write_bytes:", CANCELLED_WRITE_BYTES},
	};
	char buf[512];
	int r = hw_file_read_line(hw, &s->io, buf, sizeof(buf));
	struct slice rest = {buf, r > 0 ? (size_t)r : 0}, line, key;
	int64_t value = 0;

	for (size_t i = 0; r < 0 && i < ARRAY_SIZE(keys); i++)
		row_result(row, keys[i].field, r, 0);
	while (slice_line(&rest, &line)) {
		if (!slice_token(&line, &key))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (slice_is(key, keys[i].key)) {
				r = token_i64(line, 0, &value);
				row_result(row, keys[i].field, r, value);
			}
	}
}

/* What flashscoped writes down. */
static void fill_own_writes(struct hw *hw, struct row *row)
{
	const struct own_writes *w = own_writes_of(hw);

	if (!w || !w->is_served)
		return;
	row_set(row, COMMITS, w->commits);
	row_set(row, FAILED_COMMITS, w->failed_commits);
	row_set(row, COMMIT_TIME, w->commit_time_us);
	if (w->bytes_known)
		row_set(row, COMMIT_BYTES, w->commit_bytes);
	if (w->sectors_known)
		row_set(row, COMMIT_SECTORS, w->commit_sectors);
	if (w->sleep_known)
		row_set(row, DISK_WAKES, w->disk_wakes);
	row_set(row, TURNS, w->turns);
	row_set(row, TURN_TIME, w->turn_time_us);
}

static int self_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct self *s = state;
	struct row *row = sink_row(sink, "self", "");

	(void)group;
	fill_stat(hw, s, row);
	fill_statm(hw, s, row);
	if (s->io.path)
		fill_io(hw, s, row);
	fill_own_writes(hw, row);
	return 0;
}

static void report(struct probe *probe, int io)
{
	if (io >= 0)
		probe_node(probe, "self", OUTCOME_OK, "", "/proc/self");
	else if (io == -ENOENT)
		probe_node(probe, "self", OUTCOME_OK, "CONFIG_TASK_IO_ACCOUNTING=y",
			   "without bytes read and written: no /proc/self/io");
	else
		probe_node(probe, "self", OUTCOME_OK, "",
			   "without bytes read and written: /proc/self/io: %s", strerror(-io));
}

static int self_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	if (!hw_is_live(hw)) {
		probe_collector(probe, OUTCOME_UNSUPPORTED, "",
				"a recorded tree has no process of flashscope");
		return -EOPNOTSUPP;
	}

	struct self *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;

	int r = hw_file_open(hw, &s->stat, "proc/self/stat");

	if (r >= 0)
		r = hw_file_open(hw, &s->statm, "proc/self/statm");
	if (r < 0) {
		probe_collector(probe, outcome_of_error(r), "mount procfs on /proc",
				"/proc/self: %s", strerror(-r));
		self_close(s);
		return r;
	}
	s->tick_us = 1000000 / sysconf(_SC_CLK_TCK);
	s->page_bytes = sysconf(_SC_PAGESIZE);
	report(probe, hw_file_open(hw, &s->io, "proc/self/io"));
	*ret_state = s;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "self",
		.help = "What flashscope itself takes.",
		.cost = COST_F,
		.period_ms = 10000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "this process",
		.absence = "the kernel does not count it",
	},
};

const struct collector collector_self = {
	.name = "self",
	.help = "flashscope's own account.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = self_probe,
	.sample = self_sample,
	.close = self_close,
};
