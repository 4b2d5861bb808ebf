/* Who writes: /proc/PID/io, io.stat of cgroups, /proc/uid_io/stats
 * Kernel: Documentation/filesystems/proc.rst 3.3, Documentation/admin-guide/cgroup-v2.rst,
 * drivers/misc/uid_sys_stats.c of Android's kernels
 *
 * A process is charged when it makes a page dirty, a cgroup when the page is written, so the two
 * differ within an hour; neither counts what a file system writes for itself. */
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
#include "model/writer_cgroups.h"
#include "model/writer_devices.h"
#include "model/writer_processes.h"
#include "model/writer_top.h"
#include "model/writer_users.h"
#include "model/writers.h"

enum { GROUP_TOP, GROUP_WRITERS };

enum { WRITTEN, READ, CANCELLED, SYNCS, KNOWN, DENIED, LEFT_OUT, N_FIELDS };

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[WRITTEN]   = {"written", UNIT_BYTES, KIND_COUNTER,
		       "Bytes that all of them have written since the first look, where it is 0."},
	[READ]      = {"read", UNIT_BYTES, KIND_COUNTER,
		       "Bytes that all of them have read since the first look, where it is 0."},
	[CANCELLED] = {"cancelled", UNIT_BYTES, KIND_COUNTER,
		       "Written bytes that were dropped before they reached the disk."},
	[SYNCS]     = {"syncs", UNIT_COUNT, KIND_COUNTER, "Calls of fsync."},
	[KNOWN]     = {"known", UNIT_COUNT, KIND_GAUGE, "How many are watched: those that have read or written."},
	[DENIED]    = {"denied", UNIT_COUNT, KIND_GAUGE,
		       "Processes whose account may not be read, or makes no sense."},
	[LEFT_OUT]  = {"left_out", UNIT_COUNT, KIND_GAUGE,
		       "How many are not watched, for want of room; of processes, the smallest that were forgotten."},
};

static const struct field top_fields[WRITER_FIELDS] = {
	[WRITER_FIELD_WRITTEN]   = {"written", UNIT_BYTES, KIND_GAUGE, "Bytes that it has written."},
	[WRITER_FIELD_READ]      = {"read", UNIT_BYTES, KIND_GAUGE, "Bytes that it has read."},
	[WRITER_FIELD_CANCELLED] = {"cancelled", UNIT_BYTES, KIND_GAUGE,
				    "Written bytes that were dropped before they reached the disk."},
	[WRITER_FIELD_SYNCS]     = {"syncs", UNIT_COUNT, KIND_GAUGE, "Calls of fsync."},
	[WRITER_FIELD_PROCESSES] = {"processes", UNIT_COUNT, KIND_GAUGE,
				    "Processes of this name in this unit that have written at once."},
	[WRITER_FIELD_ID]        = {"number", UNIT_NONE, KIND_GAUGE, "Process or user, by its number."},
	[WRITER_FIELD_SOURCE]    = {"source", UNIT_NONE, KIND_INFO, "Account: process, cgroup, uid or device."},
	[WRITER_FIELD_NAME]      = {"name", UNIT_NONE, KIND_INFO, "Process, unit, package or disk."},
	[WRITER_FIELD_UNIT]      = {"unit", UNIT_NONE, KIND_INFO,
				    "Unit of a process, path of a cgroup."},
	[WRITER_FIELD_DEVICE]    = {"device", UNIT_NONE, KIND_INFO, "Disk, where a cgroup tells it."},
};
/* clang-format on */

struct writers {
	struct writer_processes *processes; /* each NULL where there is no such account */
	struct writer_cgroups *cgroups;
	const char *cgroups_root;
	struct writer_users *users;
	struct writer_packages *packages; /* owned; NULL: names are not known */
	struct writer_devices *devices;
	struct writer_top top;
};

static void writers_close(void *state)
{
	struct writers *w = state;

	free(w->packages);
	free(w);
}

static void statep(struct writers **w)
{
	if (*w)
		writers_close(*w);
}

static int find_process(void *arg, const char *name, bool is_dir)
{
	int64_t *pid = arg;

	(void)is_dir;
	return name[0] >= '1' && name[0] <= '9' && parse_i64(name, pid) == 0;
}

/* The kernel decides it at the read, for each process by itself. */
#define LOOKED_AT_MAX 256

struct rights {
	int64_t pids[LOOKED_AT_MAX];
	size_t n, n_read, n_denied;
	bool has_first; /* the first process is shown */
	int error;      /* the last that was no want of rights */
};

static int note_process(void *arg, const char *name, bool is_dir)
{
	struct rights *rights = arg;
	int64_t pid;

	(void)is_dir;
	if (name[0] < '1' || name[0] > '9' || parse_i64(name, &pid) < 0)
		return 0;
	rights->has_first = rights->has_first || pid == 1;
	if (rights->n < LOOKED_AT_MAX)
		rights->pids[rights->n++] = pid;
	return 0;
}

static void look_at_rights(struct hw *hw, struct rights *rights)
{
	char buf[1024];

	(void)!hw_each(hw, note_process, rights, "proc");
	for (size_t i = 0; i < rights->n; i++) {
		int r = hw_read(hw, buf, sizeof(buf), "proc/%lld/io", (long long)rights->pids[i]);

		rights->n_read += r >= 0;
		rights->n_denied += r == -EACCES || r == -EPERM;
		if (r < 0 && r != -EACCES && r != -EPERM && r != -ENOENT && r != -ESRCH)
			rights->error = r;
	}
}

static void report_processes(struct hw *hw, struct probe *probe)
{
	struct rights rights = {0};

	look_at_rights(hw, &rights);
	if (rights.n_denied && !rights.n_read)
		probe_node(probe, "process", OUTCOME_OK,
			   "CAP_SYS_PTRACE: flashscope-helper has it, or run as root",
			   "/proc/PID/io, but of %zu processes none may be read", rights.n_denied);
	else if (rights.n_denied)
		probe_node(
			probe, "process", OUTCOME_OK,
			"CAP_SYS_PTRACE: flashscope-helper has it, or run as root; where that is "
			"so, a policy guards them (SELinux: allow the domain ptrace of theirs)",
			"/proc/PID/io of %zu processes; that of %zu may not be read", rights.n_read,
			rights.n_denied);
	else if (rights.error)
		probe_node(probe, "process", OUTCOME_OK, "", "/proc/PID/io; some fail: %s",
			   strerror(-rights.error));
	else if (!rights.has_first)
		probe_node(probe, "process", OUTCOME_OK,
			   "procfs without hidepid, or CAP_SYS_PTRACE; in a container: the "
			   "host's PID namespace",
			   "/proc/PID/io, only of the processes that /proc shows");
	else
		probe_node(probe, "process", OUTCOME_OK, "", "/proc/PID/io");
}

static bool probe_processes(struct hw *hw, struct probe *probe, struct writers *w)
{
	static const struct need need = {"CONFIG_TASK_IO_ACCOUNTING", NULL, OUTCOME_NO_NODE, ""};
	int64_t pid = 0;
	int r = hw_each(hw, find_process, &pid, "proc");

	if (r <= 0) {
		probe_node(probe, "process", r < 0 ? outcome_of_error(r) : OUTCOME_NO_NODE,
			   hw_is_live(hw) ? "mount -t proc proc /proc"
					  : "tools/capture as root copies it",
			   hw_is_live(hw) ? "/proc has no processes" : "no process was recorded");
		return false;
	}
	r = hw_look(hw, "proc/%lld/io", (long long)pid);
	if (r == -ENOENT) {
		reason_option(hw, probe, "process", &need, "there is no /proc/PID/io");
		return false;
	}
	w->processes = writer_processes_of(hw);
	if (w->processes)
		report_processes(hw, probe);
	else
		probe_node(probe, "process", OUTCOME_FAILED, "", "%s", strerror(ENOMEM));
	return w->processes;
}

static bool has_word(const char *text, const char *word)
{
	struct slice rest = slice_of(text), token;

	while (slice_token(&rest, &token))
		if (slice_is(token, word))
			return true;
	return false;
}

/* Android has version 1 in a place of its own, and init decides what is mounted. */
static const char *unify(struct hw *hw)
{
	return hw_exists(hw, "dev/blkio")
		       ? "Android: cgroup2 with the controller io in cgroups.json, in place of "
			 "blkio"
		       : "boot with systemd.unified_cgroup_hierarchy=1 (without systemd: "
			 "cgroup_no_v1=blkio, and mount -t cgroup2 cgroup2 /sys/fs/cgroup)";
}

static bool cgroups_have_io(struct hw *hw, struct probe *probe, const char *root, bool v1)
{
	static const struct need need = {
		"CONFIG_BLK_CGROUP", NULL, OUTCOME_NO_NODE,
		"no cgroup_disable=io or blkio on the kernel's command line; in a container: the "
		"controller handed down to it"};
	char words[512];

	if (hw_read_line(hw, words, sizeof(words), "%s/cgroup.controllers", root) < 0)
		words[0] = '\0';
	if (!has_word(words, "io") && v1)
		probe_node(
			probe, "cgroup", OUTCOME_DISABLED, unify(hw),
			"the controller io is in use by cgroup version 1 (blkio), which does not "
			"charge writes to who made them");
	else if (!has_word(words, "io"))
		reason_option(hw, probe, "cgroup", &need, "/%s has no controller io", root);
	if (!has_word(words, "io"))
		return false;
	if (hw_read_line(hw, words, sizeof(words), "%s/cgroup.subtree_control", root) < 0)
		words[0] = '\0';
	if (!has_word(words, "io"))
		probe_node(probe, "cgroup", OUTCOME_DISABLED,
			   "DefaultIOAccounting=yes in systemd's system.conf, or IOAccounting=yes "
			   "in a unit; "
			   "without systemd: echo +io >/sys/fs/cgroup/cgroup.subtree_control",
			   "/%s/cgroup.subtree_control has no io, so no group has io.stat", root);
	return has_word(words, "io");
}

static bool probe_cgroups(struct hw *hw, struct probe *probe, struct writers *w)
{
	bool v1;
	const char *root = writer_cgroups_root(hw, &v1);

	if (!root && v1)
		probe_node(probe, "cgroup", OUTCOME_NO_NODE, unify(hw),
			   "cgroup version 1 is mounted; io.stat is of version 2");
	else if (!root)
		probe_node(probe, "cgroup", OUTCOME_NO_NODE,
			   "mount -t cgroup2 cgroup2 /sys/fs/cgroup; needs CONFIG_CGROUPS and "
			   "CONFIG_BLK_CGROUP",
			   "cgroup version 2 is not mounted");
	if (!root || !cgroups_have_io(hw, probe, root, v1))
		return false;
	w->cgroups = writer_cgroups_of(hw);
	w->cgroups_root = root;
	if (w->cgroups)
		probe_node(probe, "cgroup", OUTCOME_OK, "", "io.stat below /%s", root);
	else
		probe_node(probe, "cgroup", OUTCOME_FAILED, "", "%s", strerror(ENOMEM));
	return w->cgroups;
}

static void report_no_users(struct hw *hw, struct probe *probe, int r)
{
	static const struct need need = {"CONFIG_UID_SYS_STATS", NULL, OUTCOME_NO_NODE, ""};

	if (r == -ENOENT && hw_exists(hw, "system/build.prop"))
		reason_option(hw, probe, "uid", &need, "there is no /proc/uid_io/stats");
	else if (r == -ENOENT)
		probe_node(probe, "uid", OUTCOME_UNSUPPORTED, "",
			   "only kernels of Android have /proc/uid_io/stats");
	else if (r == -EACCES || r == -EPERM)
		probe_node(probe, "uid", OUTCOME_DENIED,
			   "as root; let the domain read proc_uid_io_stats (sepolicy)",
			   "/proc/uid_io/stats may not be read");
	else
		reason_error(hw, probe, "uid", r, "/proc/uid_io/stats");
}

static bool probe_users(struct hw *hw, struct probe *probe, struct writers *w)
{
	int r = hw_readable(hw, "proc/uid_io/stats"), names;

	if (r < 0) {
		report_no_users(hw, probe, r);
		return false;
	}
	w->users = writer_users_of(hw);
	if (!w->users) {
		probe_node(probe, "uid", OUTCOME_FAILED, "", "%s", strerror(ENOMEM));
		return false;
	}
	names = writer_packages_read(hw, &w->packages);
	if (names < 0)
		probe_node(probe, "uid", OUTCOME_OK, "pm list packages -U tells whose they are",
			   "/proc/uid_io/stats; numbers without names: "
			   "/data/system/packages.list: %s",
			   strerror(-names));
	else
		probe_node(probe, "uid", OUTCOME_OK, "", "/proc/uid_io/stats");
	return true;
}

static bool probe_devices(struct hw *hw, struct probe *probe, struct writers *w)
{
	int r = hw_readable(hw, "proc/diskstats");

	if (r == 0 && !hw_exists(hw, "sys/block"))
		r = -ENOENT;
	w->devices = r == 0 ? writer_devices_of(hw) : NULL;
	if (r < 0)
		reason_error(hw, probe, "device", r,
			     "what is written is not compared with the disks: /proc/diskstats and "
			     "/sys/block");
	else
		probe_node(probe, "device", w->devices ? OUTCOME_OK : OUTCOME_FAILED, "",
			   "/proc/diskstats");
	return w->devices;
}

/* The reason of each account in short; what stands behind a semicolon or in brackets is told of the
 * account itself. Outcome and advice are those of the worst, which can be helped. */
static void report_none(struct probe *probe)
{
	char buf[PROBE_TEXT_MAX], advice[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	text_str(&text, "nothing here accounts who writes");
	for (size_t i = 1; i < probe->n_items; i++) {
		const struct probe_item *item = &probe->items[i];
		size_t len = strcspn(item->reason, ";(");

		while (len && item->reason[len - 1] == ' ')
			len--;
		text_printf(&text, "%s %s: %.*s", i == 1 ? ":" : ";", item->node, (int)len,
			    item->reason);
	}
	probe_judge(probe);
	snprintf(advice, sizeof(advice), "%s", probe->items[0].advice);
	probe_collector(probe, probe->items[0].outcome, advice, "%s", buf);
}

static int writers_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct writers *w = calloc(1, sizeof(*w));
	bool any;

	if (!w)
		return -ENOMEM;
	any = probe_processes(hw, probe, w);
	any = probe_cgroups(hw, probe, w) || any;
	any = probe_users(hw, probe, w) || any;
	if (!any) {
		report_none(probe);
		return -ENOENT;
	}
	(void)probe_devices(hw, probe, w);
	*ret_state = w;
	w = NULL;
	return 0;
}

/* Where no account may be read, nothing is known to have been written. */
static bool is_denied(const struct writer_processes *processes)
{
	struct writer_processes_stats stats;

	writer_processes_get(processes, &stats);
	return stats.has_looked && stats.n_denied == stats.n_seen;
}

static int sample_top(struct writers *w, struct hw *hw, struct sink *sink)
{
	int r, error = 0;

	if (w->processes) {
		r = writer_processes_look(w->processes, hw, &w->top);
		if (r > 0 && !is_denied(w->processes))
			writer_top_rows(&w->top, sink);
		error = MIN(r, 0);
	}
	if (w->cgroups) {
		r = writer_cgroups_look(w->cgroups, hw, w->cgroups_root, &w->top);
		if (r == 0)
			writer_top_rows(&w->top, sink);
		/* The last group with the controller may have gone. */
		error = r < 0 && r != -ENOENT ? r : error;
	}
	if (w->users) {
		r = writer_users_look(w->users, hw, w->packages, &w->top);
		if (r == 0)
			writer_top_rows(&w->top, sink);
		error = r < 0 ? r : error;
	}
	if (w->devices) {
		r = writer_devices_look(w->devices, hw, sink);
		error = r < 0 ? r : error;
	}
	return sink->n_rows ? 0 : error;
}

static struct row *put_row(struct sink *sink, const char *node, const struct writer_io *io,
			   size_t n_known)
{
	struct row *row = sink_row(sink, node, "");

	row_set(row, WRITTEN, io->written);
	row_set(row, READ, io->read);
	row_set(row, KNOWN, (int64_t)n_known);
	return row;
}

static void sample_processes(const struct writer_processes *processes, struct sink *sink)
{
	struct writer_processes_stats stats;
	struct row *row;

	writer_processes_get(processes, &stats);
	if (is_denied(processes)) {
		row_set(sink_row(sink, "process", ""), DENIED, (int64_t)stats.n_denied);
		return;
	}
	row = put_row(sink, "process", &stats.io, stats.n_known);
	row_set(row, CANCELLED, stats.io.cancelled);
	if (stats.has_looked)
		row_set(row, DENIED, (int64_t)stats.n_denied);
	row_set(row, LEFT_OUT, stats.n_forgotten);
}

static void sample_cgroups(const struct writer_cgroups *cgroups, struct sink *sink)
{
	struct writer_cgroups_stats stats;

	writer_cgroups_get(cgroups, &stats);
	row_set(put_row(sink, "cgroup", &stats.io, stats.n_known), LEFT_OUT,
		(int64_t)stats.n_left_out);
}

static void sample_users(const struct writer_users *users, struct sink *sink)
{
	struct writer_users_stats stats;
	struct row *row;

	writer_users_get(users, &stats);
	if (!stats.n_known)
		return;
	row = put_row(sink, "uid", &stats.io, stats.n_known);
	row_set(row, SYNCS, stats.io.syncs);
	row_set(row, LEFT_OUT, (int64_t)stats.n_left_out);
}

static int writers_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct writers *w = state;

	if (group == GROUP_TOP)
		return sample_top(w, hw, sink);
	if (w->processes)
		sample_processes(w->processes, sink);
	if (w->cgroups)
		sample_cgroups(w->cgroups, sink);
	if (w->users)
		sample_users(w->users, sink);
	if (w->devices) {
		size_t n;
		struct writer_io io = writer_devices_io(w->devices, &n);

		if (n)
			(void)put_row(sink, "device", &io, n);
	}
	return 0;
}

static const struct group groups[] = {
	[GROUP_TOP] =
		{
			.name = "writers_top",
			.help = "Who has written since the tick before: kept by hour, see "
				"flashscope writers.",
			/* The kernel adds the threads of each process up, under a lock. */
			.cost = COST_L,
			.period_ms = 60000,
			.fields = top_fields,
			.n_fields = ARRAY_SIZE(top_fields),
			.by_hour = true,
			.node = "one who has written; it has no series",
			.absence = "its account does not tell it",
		},
	[GROUP_WRITERS] =
		{
			.name = "writers",
			.help = "What is accounted to those who write, by the kind of account.",
			.cost = COST_L,
			.period_ms = 60000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "account: process, cgroup, uid; device is what the disks have "
				"counted",
			.absence = "the account does not tell it",
		},
};

const struct collector collector_writers = {
	.name = "writers",
	.help = "Who writes to the disks: processes, units, users.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.privileged = true,
	.probe = writers_probe,
	.sample = writers_sample,
	.close = writers_close,
};
