/* What f2fs says of each file system: /sys/fs/f2fs/DEVICE
 * Kernel: Documentation/ABI/testing/sysfs-fs-f2fs, fs/f2fs/sysfs.c, fs/f2fs/checkpoint.c
 *
 * Numbers that f2fs keeps in memory, so nothing here waits for a disk. Two of them are counted when
 * they are asked for, by a walk over all segments, one under the lock that the garbage collector
 * chooses its victims with: these are a group of their own, sampled seldom.
 *
 * A file system that has stopped after an error is still rw in the table of mounts; the flags of
 * its checkpoint and superblock tell, where the kernel shows them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/macros.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/collector.h"
#include "model/fs_devices.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

enum { GROUP_F2FS, GROUP_SEGMENTS };

enum {
	CP_ERROR,
	SHUTDOWN,
	NEED_FSCK,
	CP_DISABLED,
	LIFETIME_WRITE,
	FREE_SEGMENTS,
	DIRTY_SEGMENTS,
	OVP_SEGMENTS,
	RESERVED_BLOCKS,
	CURRENT_RESERVED_BLOCKS,
	GC_FOREGROUND_CALLS,
	GC_BACKGROUND_CALLS,
	MOVED_BLOCKS_FOREGROUND,
	MOVED_BLOCKS_BACKGROUND,
	GC_RECLAIMED_SEGMENTS,
	CP_FOREGROUND_CALLS,
	CP_BACKGROUND_CALLS,
	PENDING_DISCARD,
	QUEUED_DISCARD,
	ISSUED_DISCARD,
	UNDISCARD_BLKS,
	COMPR_WRITTEN_BLOCK,
	COMPR_SAVED_BLOCK,
	COMPR_NEW_INODE,
	COMMITTED_ATOMIC_BLOCK,
	REVOKED_ATOMIC_BLOCK,
	GC_URGENT,
	GC_MODE,
	ATGC_ENABLED,
	MOUNTED_TIME,
	MAIN_BLKADDR,
	SB_STATUS,
	CP_STATUS,
	FLAGS,
	FEATURES,
	MOUNT_POINT,
	N_FIELDS
};

static const char *const gc_modes[] = {"GC_NORMAL",     "GC_IDLE_CB",     "GC_IDLE_GREEDY",
				       "GC_IDLE_AT",    "GC_URGENT_HIGH", "GC_URGENT_LOW",
				       "GC_URGENT_MID", STATE_OTHER,      NULL};

#define NO_STAT    "a kernel without CONFIG_F2FS_STAT_FS, or an older one"
#define NO_COMPR   "a kernel without CONFIG_F2FS_FS_COMPRESSION"
#define NO_DISCARD "it discards nothing, or the kernel does not show it"
#define NO_STATUS  "the kernel does not show it"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[CP_ERROR]      = {"cp_error", UNIT_NONE, KIND_GAUGE,
			   "1 when an error has stopped it: nothing reaches the disk any more, while the mount still says rw.",
			   .absence = NO_STATUS},
	[SHUTDOWN]      = {"shutdown", UNIT_NONE, KIND_GAUGE, "1 when it was shut down by an ioctl.",
			   .since = "5.12", .absence = NO_STATUS},
	[NEED_FSCK]     = {"need_fsck", UNIT_NONE, KIND_GAUGE,
			   "1 when something in it is inconsistent, quota too, and fsck has to repair it.",
			   .since = "5.12", .absence = NO_STATUS},
	[CP_DISABLED]   = {"cp_disabled", UNIT_NONE, KIND_GAUGE,
			   "1 while checkpoints are off, as in an update of Android: a reboot forgets what is written.",
			   .since = "5.12", .absence = NO_STATUS},
	[LIFETIME_WRITE] = {"lifetime_write", UNIT_KIBIBYTES, KIND_COUNTER,
			   "Written to the device since the file system was made; begins anew after a power cut, stands still while queue/iostats is 0.",
			   .attr = "lifetime_write_kbytes"},
	[FREE_SEGMENTS] = {"free_segments", UNIT_COUNT, KIND_GAUGE,
			   "Segments, mostly of 2 MiB, that are empty.", .attr = "free_segments"},
	[DIRTY_SEGMENTS] = {"dirty_segments", UNIT_COUNT, KIND_GAUGE,
			   "Segments that hold valid and invalid blocks: work for the garbage collector.",
			   .attr = "dirty_segments"},
	[OVP_SEGMENTS]  = {"ovp_segments", UNIT_COUNT, KIND_GAUGE,
			   "Segments that are kept back for the garbage collector.", .attr = "ovp_segments"},
	[RESERVED_BLOCKS] = {"reserved_blocks", UNIT_COUNT, KIND_GAUGE,
			   "Blocks that are to be kept free.", .attr = "reserved_blocks"},
	[CURRENT_RESERVED_BLOCKS] = {"current_reserved_blocks", UNIT_COUNT, KIND_GAUGE,
			   "Blocks that are kept free by now.", .attr = "current_reserved_blocks"},
	[GC_FOREGROUND_CALLS] = {"gc_foreground_calls", UNIT_COUNT, KIND_COUNTER,
			   "Runs of the garbage collector that a writer waited for.",
			   .attr = "gc_foreground_calls", .bits = 32, .absence = NO_STAT},
	[GC_BACKGROUND_CALLS] = {"gc_background_calls", UNIT_COUNT, KIND_COUNTER,
			   "Runs of the garbage collector in idle time.",
			   .attr = "gc_background_calls", .bits = 32, .absence = NO_STAT},
	[MOVED_BLOCKS_FOREGROUND] = {"moved_blocks_foreground", UNIT_COUNT, KIND_COUNTER,
			   "Blocks that it moved while a writer waited.",
			   .attr = "moved_blocks_foreground", .absence = NO_STAT},
	[MOVED_BLOCKS_BACKGROUND] = {"moved_blocks_background", UNIT_COUNT, KIND_COUNTER,
			   "Blocks that it moved in idle time.",
			   .attr = "moved_blocks_background", .absence = NO_STAT},
	[GC_RECLAIMED_SEGMENTS] = {"gc_reclaimed_segments", UNIT_COUNT, KIND_COUNTER,
			   "Segments that it made free in the mode that gc_segment_mode names; whoever writes that file sets it back.",
			   .attr = "gc_reclaimed_segments", .bits = 32},
	[CP_FOREGROUND_CALLS] = {"cp_foreground_calls", UNIT_COUNT, KIND_COUNTER,
			   "Checkpoints that somebody waited for.",
			   .attr = "cp_foreground_calls", .bits = 32, .absence = NO_STAT},
	[CP_BACKGROUND_CALLS] = {"cp_background_calls", UNIT_COUNT, KIND_COUNTER,
			   "Checkpoints in the background.",
			   .attr = "cp_background_calls", .bits = 32, .absence = NO_STAT},
	[PENDING_DISCARD] = {"pending_discard", UNIT_COUNT, KIND_GAUGE,
			   "Discards that wait to be sent.", .attr = "pending_discard",
			   .absence = NO_DISCARD},
	[QUEUED_DISCARD] = {"queued_discard", UNIT_COUNT, KIND_GAUGE,
			   "Discards that the device has not answered yet.", .attr = "stat/queued_discard",
			   .absence = NO_DISCARD},
	[ISSUED_DISCARD] = {"issued_discard", UNIT_COUNT, KIND_COUNTER, "Discards that were sent.",
			   .attr = "stat/issued_discard", .bits = 32, .absence = NO_DISCARD},
	[UNDISCARD_BLKS] = {"undiscard_blks", UNIT_COUNT, KIND_GAUGE,
			   "Free blocks that no discard was sent for.", .attr = "stat/undiscard_blks",
			   .absence = NO_DISCARD},
	[COMPR_WRITTEN_BLOCK] = {"compr_written_block", UNIT_COUNT, KIND_COUNTER,
			   "Blocks written compressed; whoever writes that file sets it back.",
			   .attr = "compr_written_block", .absence = NO_COMPR},
	[COMPR_SAVED_BLOCK] = {"compr_saved_block", UNIT_COUNT, KIND_COUNTER,
			   "Blocks that compression has saved.", .attr = "compr_saved_block",
			   .absence = NO_COMPR},
	[COMPR_NEW_INODE] = {"compr_new_inode", UNIT_COUNT, KIND_COUNTER,
			   "Files that were made to be compressed.", .attr = "compr_new_inode",
			   .bits = 32, .absence = NO_COMPR},
	[COMMITTED_ATOMIC_BLOCK] = {"committed_atomic_block", UNIT_COUNT, KIND_COUNTER,
			   "Blocks of atomic writes (databases) that were committed.",
			   .attr = "committed_atomic_block"},
	[REVOKED_ATOMIC_BLOCK] = {"revoked_atomic_block", UNIT_COUNT, KIND_COUNTER,
			   "Blocks of atomic writes that were given up.", .attr = "revoked_atomic_block"},
	[GC_URGENT]     = {"gc_urgent", UNIT_NONE, KIND_GAUGE,
			   "Number of the garbage collector's mode: 0 is normal, the others differ from kernel to kernel.",
			   .absence = "the kernel has a word for it, which is gc_mode"},
	[GC_MODE]       = {"gc_mode", UNIT_NONE, KIND_STATE, "Mode of the garbage collector.",
			   .attr = "gc_mode", .states = gc_modes, .since = "6.2"},
	[ATGC_ENABLED]  = {"atgc_enabled", UNIT_NONE, KIND_GAUGE,
			   "1 when it chooses by the age of blocks.", .attr = "atgc_enabled"},
	[MOUNTED_TIME]  = {"mounted_time", UNIT_SECONDS, KIND_GAUGE,
			   "Boot clock when it was mounted; the counters but for lifetime_write begin then.",
			   .attr = "mounted_time_sec"},
	[MAIN_BLKADDR]  = {"main_blkaddr", UNIT_NONE, KIND_GAUGE,
			   "Block at which the main area begins.", .attr = "main_blkaddr"},
	[SB_STATUS]     = {"sb_status", UNIT_NONE, KIND_GAUGE,
			   "Flags of the superblock in memory, as a number; bit 0 (dirty) comes and goes.",
			   .since = "5.12", .absence = NO_STATUS},
	[CP_STATUS]     = {"cp_status", UNIT_NONE, KIND_GAUGE, "Flags of the checkpoint, as a number.",
			   .absence = NO_STATUS},
	[FLAGS]         = {"flags", UNIT_NONE, KIND_INFO,
			   "Names of those flags of both that last; none when all is well.",
			   .absence = "no such flag is set, or the kernel does not show them"},
	[FEATURES]      = {"features", UNIT_NONE, KIND_INFO, "Features that it was made with.",
			   .absence = "it has none"},
	[MOUNT_POINT]   = {"mount_point", UNIT_NONE, KIND_INFO, "Where it is mounted first.",
			   .absence = "not in this process's mount namespace"},
};

enum { UNUSABLE, AVG_VBLOCKS, N_SEGMENT_FIELDS };

static const struct field segment_fields[N_SEGMENT_FIELDS] = {
	[UNUSABLE]      = {"unusable", UNIT_COUNT, KIND_GAUGE,
			   "Blocks that could not be used if checkpoints were off.", .attr = "unusable"},
	[AVG_VBLOCKS]   = {"avg_vblocks", UNIT_COUNT, KIND_GAUGE,
			   "Valid blocks in a section that is neither full nor empty, on the average.",
			   .attr = "avg_vblocks", .absence = NO_STAT},
};
/* clang-format on */

static const struct group groups[] = {
	[GROUP_F2FS] =
		{
			.name = "f2fs",
			.help = "Writes, segments, garbage collection and state of f2fs file "
				"systems.",
			.cost = COST_L,
			.period_ms = 10000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "mounted file system, by the name of its block device",
			.absence = "the kernel does not show it",
		},
	[GROUP_SEGMENTS] =
		{
			.name = "f2fs_segments",
			.help = "What f2fs finds by a walk over all of its segments.",
			.cost = COST_L,
			.period_ms = 600000,
			.fields = segment_fields,
			.n_fields = ARRAY_SIZE(segment_fields),
			.node = "mounted file system, by the name of its block device",
			.absence = "the kernel does not show it",
		},
};

static const char *const files[] = {"lifetime_write_kbytes", "gc_idle", NULL};
static const char *const fs_types[] = {"f2fs", NULL};
static const struct fs_driver driver = {
	.name = "f2fs",
	.option = "CONFIG_F2FS_FS",
	.denied_advice = "Android: allow the domain to read and search sysfs_fs_f2fs",
	.dir = "sys/fs/f2fs",
	.files = files,
	.fs_types = fs_types,
};

/* More was never written by anybody: a ZiB. The kernel subtracts two counters of the disk without
 * looking, and where the first one has begun anew the difference is some 2^63. */
#define WRITE_MAX_KIBIBYTES ((int64_t)1 << 50)

/* SBI_* of fs/f2fs/f2fs.h, and CP_* of include/linux/f2fs_fs.h. */
#define SB_NEED_FSCK         0x4
#define SB_SHUTDOWN          0x40
#define SB_CP_DISABLED       0x100
#define SB_QUOTA_NEED_REPAIR 0x1000
#define CP_ERROR_FLAG        0x8
#define CP_FSCK              0x10
#define CP_QUOTA_NEED_FSCK   0x800

struct flag_name {
	uint64_t bit;
	const char *name;
};

/* Those that last. The others come and go with each write and each checkpoint. */
static const struct flag_name sb_names[] = {
	{SB_NEED_FSCK, "need_fsck"},
	{0x10, "need_sb_write"},
	{SB_SHUTDOWN, "shutdown"},
	{0x80, "recovered"},
	{SB_CP_DISABLED, "cp_disabled"},
	{0x200, "cp_disabled_quick"},
	{SB_QUOTA_NEED_REPAIR, "quota_need_repair"},
	{0x2000, "resizefs"},
	{0x4000, "freezing"},
};

static const struct flag_name cp_names[] = {
	{CP_ERROR_FLAG, "cp_error"},
	{CP_FSCK, "cp_fsck"},
	{CP_QUOTA_NEED_FSCK, "cp_quota_need_fsck"},
	{0x4000, "cp_resizefs"},
};

/* What is no number in a file of its own. */
struct extra {
	struct node_file sb_status, cp_status, gc_urgent;
	char features[INFO_TEXT_MAX];
	char *mount_point;
};

struct f2fs {
	struct fs_watch watch;
	struct sysfs_nodes nodes, segment_nodes;
	struct extra *extras; /* one for each of nodes */
};

static void f2fs_close(void *state)
{
	struct f2fs *f = state;

	for (size_t i = 0; i < f->nodes.n; i++) {
		node_file_close(&f->extras[i].sb_status);
		node_file_close(&f->extras[i].cp_status);
		node_file_close(&f->extras[i].gc_urgent);
		free(f->extras[i].mount_point);
	}
	free(f->extras);
	sysfs_nodes_done(&f->nodes);
	sysfs_nodes_done(&f->segment_nodes);
	fs_watch_close(&f->watch);
	free(f);
}

static void statep(struct f2fs **f)
{
	if (*f)
		f2fs_close(*f);
}

/* Bare hexadecimal digits: "2c". */
static int parse_flags(const char *line, int64_t *ret)
{
	char text[32];
	struct text hex = TEXT_IN(text);

	if (!*line || strspn(line, "0123456789abcdef") != strlen(line))
		return -EINVAL;
	text_printf(&hex, "0x%s", line);
	return hex.truncated ? -ERANGE : parse_i64(text, ret);
}

/* The flags, also as the number that they are; -ENOENT leaves it absent. */
static int sample_flags(struct hw *hw, struct node_file *file, struct row *row, size_t field,
			uint64_t *ret)
{
	int64_t flags = 0;
	char line[64];
	int r = node_file_read_line(hw, file, line, sizeof(line));

	if (r >= 0)
		r = parse_flags(line, &flags);
	row_result(row, field, r, flags);
	*ret = (uint64_t)flags;
	return r < 0 ? r : 0;
}

static void name_flags(const struct flag_name *names, size_t n, uint64_t flags, struct text *out)
{
	for (size_t i = 0; i < n; i++)
		if (flags & names[i].bit)
			text_printf(out, "%s%s", out->len ? ", " : "", names[i].name);
}

static void sample_status(struct hw *hw, struct extra *extra, struct sink *sink, struct row *row)
{
	uint64_t sb, cp;
	char buf[256];
	struct text names = TEXT_IN(buf);

	if (sample_flags(hw, &extra->sb_status, row, SB_STATUS, &sb) == 0) {
		row_set(row, SHUTDOWN, (sb & SB_SHUTDOWN) != 0);
		row_set(row, NEED_FSCK, (sb & (SB_NEED_FSCK | SB_QUOTA_NEED_REPAIR)) != 0);
		row_set(row, CP_DISABLED, (sb & SB_CP_DISABLED) != 0);
		name_flags(sb_names, ARRAY_SIZE(sb_names), sb, &names);
	}
	if (sample_flags(hw, &extra->cp_status, row, CP_STATUS, &cp) == 0) {
		row_set(row, CP_ERROR, (cp & CP_ERROR_FLAG) != 0);
		name_flags(cp_names, ARRAY_SIZE(cp_names), cp, &names);
	}
	if (names.len)
		row_text(sink, row, FLAGS, buf);
}

/* The state that a word of a mode stands for, -1 when it is none. */
static int64_t mode_of(const char *word)
{
	int64_t mode = -1;

	for (int64_t i = 0; gc_modes[i]; i++)
		if (!strcmp(gc_modes[i], word) || !strcmp(gc_modes[i], STATE_OTHER))
			mode = mode < 0 ? i : mode;
	return strncmp(word, "GC_", 3) == 0 ? mode : -1;
}

/* A number; in some kernels (6.1, 6.12) the word that belongs into gc_mode. */
static void sample_gc_urgent(struct hw *hw, struct extra *extra, struct row *row)
{
	int64_t number = 0, mode = -1;
	char line[64];
	int r = node_file_read_line(hw, &extra->gc_urgent, line, sizeof(line));

	if (r >= 0)
		mode = mode_of(line);
	if (mode >= 0) {
		if (row->values[GC_MODE].type == VALUE_ABSENT)
			row_set(row, GC_MODE, mode);
		return;
	}
	if (r >= 0)
		r = parse_i64(line, &number);
	row_result(row, GC_URGENT, r, number);
}

/* Without a thread that discards the kernel has no such number, and says EINVAL. */
static void clear_no_discard(struct row *row)
{
	static const size_t discards[] = {PENDING_DISCARD, QUEUED_DISCARD, ISSUED_DISCARD,
					  UNDISCARD_BLKS};

	for (size_t i = 0; i < ARRAY_SIZE(discards); i++) {
		struct value *value = &row->values[discards[i]];

		if (value->type == VALUE_FAULT && value->i == EINVAL)
			*value = (struct value){0};
	}
}

static void judge(struct row *row)
{
	const struct value *written = &row->values[LIFETIME_WRITE];

	if (written->type == VALUE_INT && written->i > WRITE_MAX_KIBIBYTES)
		row_fault(row, LIFETIME_WRITE, ERANGE);
	row_flag_negative(row, N_FIELDS);
}

static int sample_segments(struct hw *hw, struct f2fs *f, struct sink *sink)
{
	int r = sysfs_nodes_sample(hw, &f->segment_nodes, sink);

	for (size_t i = 0; i < sink->n_rows; i++)
		row_flag_negative(sink->rows[i], N_SEGMENT_FIELDS);
	return r;
}

static int f2fs_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct f2fs *f = state;
	int r;

	if (group == GROUP_SEGMENTS)
		return sample_segments(hw, f, sink);
	r = sysfs_nodes_sample(hw, &f->nodes, sink);
	for (size_t i = 0; i < MIN(sink->n_rows, f->nodes.n); i++) {
		struct row *row = sink->rows[i];
		struct extra *extra = &f->extras[i];

		sample_status(hw, extra, sink, row);
		sample_gc_urgent(hw, extra, row);
		clear_no_discard(row);
		if (extra->features[0])
			row_text(sink, row, FEATURES, extra->features);
		if (extra->mount_point)
			row_text(sink, row, MOUNT_POINT, extra->mount_point);
		judge(row);
	}
	return r < 0 || !fs_watch_changed(hw, &f->watch) ? r : -ENODEV;
}

/* One file for each feature that the kernel knows: "supported" or "unsupported". */
static int list_features(struct hw *hw, const char *dir, struct text *out)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char word[32];
	int r = hw_list(hw, &names, "", "%s/feature_list", dir);

	for (size_t i = 0; i < names.n; i++)
		if (hw_read_line(hw, word, sizeof(word), "%s/feature_list/%s", dir, names.v[i]) >=
			    0 &&
		    !strcmp(word, "supported"))
			text_printf(out, "%s%s", out->len ? ", " : "", names.v[i]);
	return r < 0 ? r : 0;
}

/* They do not change while it is mounted. Kernels before 5.14 have them as a line of text, where
 * the last word is one of the kernel. */
static void read_features(struct hw *hw, const char *dir, char *buf, size_t size)
{
	struct text out = text_in(buf, size);

	if (list_features(hw, dir, &out) < 0 && hw_read_line(hw, buf, size, "%s/features", dir) < 0)
		buf[0] = '\0';
}

static void open_extra(struct hw *hw, struct fs_device *device, struct extra *ret)
{
	ret->mount_point = device->mount_point;
	device->mount_point = NULL;
	node_file_open(hw, &ret->sb_status, "%s/stat/sb_status", device->dir);
	node_file_open(hw, &ret->cp_status, "%s/stat/cp_status", device->dir);
	node_file_open(hw, &ret->gc_urgent, "%s/gc_urgent", device->dir);
	read_features(hw, device->dir, ret->features, sizeof(ret->features));
}

static void report_device(struct hw *hw, struct probe *probe, const struct fs_device *device)
{
	const char *point = device->mount_point;
	int64_t segments;
	int r = hw_read_i64(hw, &segments, "%s/free_segments", device->dir);

	if (r == -EACCES || r == -EPERM)
		probe_node(probe, device->name, OUTCOME_DENIED,
			   "Android: allow the domain to read sysfs_fs_f2fs", "/%s may not be read",
			   device->dir);
	else
		probe_node(probe, device->name, OUTCOME_OK, "", "%s%s", point ? "on " : "",
			   point ? point : "mounted elsewhere than this process sees");
}

static int add_device(struct hw *hw, struct probe *probe, struct f2fs *f, struct fs_device *device)
{
	int r = sysfs_nodes_add(hw, &f->nodes, device->dir, device->name, device->identity);

	if (r < 0)
		return r;
	report_device(hw, probe, device);
	open_extra(hw, device, &f->extras[f->nodes.n - 1]);
	sysfs_node_report_denied(probe, &f->nodes, f->nodes.n - 1);
	return sysfs_nodes_add(hw, &f->segment_nodes, device->dir, device->name, device->identity);
}

/* What is a matter of the kernel's options or age, where not one file system shows it. */
static void report_missing(struct hw *hw, struct probe *probe, const struct fs_devices *devices)
{
	static const struct need stat = {
		"CONFIG_F2FS_STAT_FS", NULL, OUTCOME_NO_NODE,
		"a newer kernel (gc_foreground_calls in its f2fs/sysfs.c)"};
	bool has_calls = false, has_status = false;

	for (size_t i = 0; i < devices->n; i++) {
		const char *dir = devices->v[i].dir;

		has_calls = has_calls || hw_exists(hw, "%s/gc_foreground_calls", dir);
		has_status = has_status || hw_exists(hw, "%s/stat/cp_status", dir);
	}
	if (!has_calls)
		reason_option(hw, probe, "gc_foreground_calls", &stat,
			      "no file system counts garbage collection and checkpoints");
	if (!has_status)
		probe_node(probe, "stat/cp_status", OUTCOME_NO_NODE,
			   "a newer kernel (cp_status in its f2fs/sysfs.c); until then: dmesg, and "
			   "whether it is mounted ro",
			   "this kernel does not tell when an error has stopped a file system");
}

static int f2fs_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct f2fs *f = calloc(1, sizeof(*f));
	CLEANUP(fs_devices_done) struct fs_devices devices = {0};

	if (!f)
		return -ENOMEM;
	f->nodes.group = &groups[GROUP_F2FS];
	f->segment_nodes.group = &groups[GROUP_SEGMENTS];

	int r = fs_devices_probe(hw, probe, &driver, &f->watch, &devices);

	if (r < 0)
		return r;
	f->extras = calloc(devices.n + 1, sizeof(*f->extras));
	if (!f->extras)
		return -ENOMEM;
	for (size_t i = 0; i < devices.n; i++) {
		r = add_device(hw, probe, f, &devices.v[i]);
		if (r < 0)
			return r;
	}
	if (devices.n)
		report_missing(hw, probe, &devices);
	*ret_state = f;
	f = NULL;
	return 0;
}

const struct collector collector_f2fs = {
	.name = "f2fs",
	.help = "Writes, segments and state of f2fs file systems.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = f2fs_probe,
	.sample = f2fs_sample,
	.close = f2fs_close,
};
