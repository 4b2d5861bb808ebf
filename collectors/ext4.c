/* What ext4 says of each file system: /sys/fs/ext4/DEVICE, /proc/fs/ext4/DEVICE/options
 * Kernel: Documentation/admin-guide/ext4.rst, Documentation/ABI/testing/sysfs-fs-ext4,
 * fs/ext4/sysfs.c, fs/ext4/super.c
 *
 * All of it is kept in memory, so nothing here waits for a disk; delayed_allocation_blocks and what
 * was written are sums over the CPUs. The counter of errors and what is told of the first and the
 * last one stand in the superblock until fsck clears them: an error that is found at the start may
 * be years old. */
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

enum {
	STATE,
	LIFETIME_WRITE,
	SESSION_WRITE,
	DELAYED_ALLOCATION_BLOCKS,
	ERRORS_COUNT,
	WARNING_COUNT,
	MSG_COUNT,
	FIRST_ERROR, /* each has the six fields of an error */
	LAST_ERROR = FIRST_ERROR + 6,
	ERRORS_BEHAVIOR = LAST_ERROR + 6,
	OPTIONS,
	MOUNT_POINT,
	N_FIELDS
};

enum { ERROR_TIME, ERROR_ERRCODE, ERROR_LINE, ERROR_INO, ERROR_BLOCK, ERROR_FUNC, N_ERROR_FIELDS };

enum { STATE_RW, STATE_RO, STATE_EMERGENCY_RO, STATE_SHUTDOWN };

static const char *const states[] = {"rw", "ro", "emergency_ro", "shutdown", NULL};

/* EXT4_ERR_* of fs/ext4/ext4.h: numbers of the file system's own, not those of errno. */
static const char *const errcodes[] = {
	"none",    "unknown",   "EIO",       "ENOMEM", "EFSBADCRC", "EFSCORRUPTED", "ENOSPC",
	"ENOKEY",  "EROFS",     "EFBIG",     "EEXIST", "ERANGE",    "EOVERFLOW",    "EBUSY",
	"ENOTDIR", "ENOTEMPTY", "ESHUTDOWN", "EFAULT", NULL,
};

#define NO_ERROR   "no error is recorded, or the kernel does not tell"
#define NO_OPTIONS "/proc/fs/ext4 is not there or hidden from the daemon"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[STATE]         = {"state", UNIT_NONE, KIND_STATE,
			   "Whether it can be written; emergency_ro (since 6.15) after a fatal error; kernels before that may go on saying rw then.",
			   .states = states, .absence = NO_OPTIONS},
	[LIFETIME_WRITE] = {"lifetime_write", UNIT_KIBIBYTES, KIND_COUNTER,
			   "Written to the device since the file system was made; falls back after a power cut, stands still while queue/iostats is 0.",
			   .attr = "lifetime_write_kbytes"},
	[SESSION_WRITE] = {"session_write", UNIT_KIBIBYTES, KIND_COUNTER,
			   "Written to the device since it was mounted.", .attr = "session_write_kbytes"},
	[DELAYED_ALLOCATION_BLOCKS] = {"delayed_allocation_blocks", UNIT_COUNT, KIND_GAUGE,
			   "Blocks in memory that have no place on the device yet.",
			   .attr = "delayed_allocation_blocks"},
	[ERRORS_COUNT]  = {"errors_count", UNIT_COUNT, KIND_COUNTER,
			   "Errors since the last fsck, over reboots: only an increase is news.",
			   .attr = "errors_count", .bits = 32},
	[WARNING_COUNT] = {"warning_count", UNIT_COUNT, KIND_COUNTER, "Warnings since it was mounted.",
			   .attr = "warning_count", .bits = 32},
	[MSG_COUNT]     = {"msg_count", UNIT_COUNT, KIND_COUNTER,
			   "Messages in the kernel's log since it was mounted.", .attr = "msg_count", .bits = 32},
#define ERROR_FIELDS(at, which, text)                                                                  \
	[(at) + ERROR_TIME] = {which "_error_time", UNIT_UNIX_SECONDS, KIND_GAUGE,                     \
			   text " error: when, in seconds since 1970 by the wall clock of then.",      \
			   .attr = which "_error_time", .absence = NO_ERROR},                          \
	[(at) + ERROR_ERRCODE] = {which "_error_errcode", UNIT_NONE, KIND_STATE,                       \
			   text " error: what went wrong.", .states = errcodes, .absence = NO_ERROR},  \
	[(at) + ERROR_LINE] = {which "_error_line", UNIT_NONE, KIND_GAUGE,                             \
			   text " error: line of the kernel's source.",                                \
			   .attr = which "_error_line", .absence = NO_ERROR},                          \
	[(at) + ERROR_INO] = {which "_error_ino", UNIT_NONE, KIND_GAUGE,                               \
			   text " error: inode that it is about.", .attr = which "_error_ino",         \
			   .absence = "no error is recorded, or it is about no inode"},                \
	[(at) + ERROR_BLOCK] = {which "_error_block", UNIT_NONE, KIND_GAUGE,                           \
			   text " error: block that it is about.", .attr = which "_error_block",       \
			   .absence = "no error is recorded, or it is about no block"},                \
	[(at) + ERROR_FUNC] = {which "_error_func", UNIT_NONE, KIND_INFO,                              \
			   text " error: function of the kernel that found it.", .absence = NO_ERROR}
	ERROR_FIELDS(FIRST_ERROR, "first", "First"),
	ERROR_FIELDS(LAST_ERROR, "last", "Last"),
	[ERRORS_BEHAVIOR] = {"errors_behavior", UNIT_NONE, KIND_INFO,
			   "What it does after an error: continue, remount-ro or panic.", .absence = NO_OPTIONS},
	[OPTIONS]       = {"options", UNIT_NONE, KIND_INFO,
			   "Options that are in force, those of the superblock too.", .absence = NO_OPTIONS},
	[MOUNT_POINT]   = {"mount_point", UNIT_NONE, KIND_INFO, "Where it is mounted first.",
			   .absence = "not in this process's mount namespace"},
};
/* clang-format on */

static const struct group groups[] = {
	{
		.name = "ext4",
		.help = "Writes and errors of ext4 file systems (ext2 and ext3 too, where ext4 "
			"serves them).",
		.cost = COST_L,
		.period_ms = 10000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "mounted file system, by the name of its block device",
		.absence = "the kernel does not show it",
	},
};

static const char *const files[] = {"lifetime_write_kbytes", "delayed_allocation_blocks", NULL};
static const char *const fs_types[] = {"ext4", "ext3", "ext2", NULL};
static const struct fs_driver driver = {
	.name = "ext4",
	.option = "CONFIG_EXT4_FS",
	.denied_advice = "Android: label /fs/ext4 in genfs_contexts and allow the domain to read "
			 "and search it",
	.dir = "sys/fs/ext4",
	.files = files,
	.fs_types = fs_types,
};

/* More was never written by anybody: a ZiB. The kernel subtracts two counters of the disk without
 * looking, and where the first one has begun anew the difference is some 2^63. */
#define WRITE_MAX_KIBIBYTES ((int64_t)1 << 50)

#define OPTIONS_MAX_BYTES 4096

/* What has no number, or none that stands for itself. */
struct extra {
	struct node_file options;
	struct node_file errcode[2], func[2]; /* of the first and the last error */
	char *mount_point;
};

struct ext4 {
	struct fs_watch watch;
	struct sysfs_nodes nodes;
	struct extra *extras; /* one for each of nodes */
};

static const size_t errors[] = {FIRST_ERROR, LAST_ERROR};

static void extra_done(struct extra *extra)
{
	node_file_close(&extra->options);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		node_file_close(&extra->errcode[i]);
		node_file_close(&extra->func[i]);
	}
	free(extra->mount_point);
}

static void ext4_close(void *state)
{
	struct ext4 *e = state;

	for (size_t i = 0; i < e->nodes.n; i++)
		extra_done(&e->extras[i]);
	free(e->extras);
	sysfs_nodes_done(&e->nodes);
	fs_watch_close(&e->watch);
	free(e);
}

static void statep(struct ext4 **e)
{
	if (*e)
		ext4_close(*e);
}

static bool starts_with(struct slice text, const char *start)
{
	size_t len = strlen(start);

	return text.len >= len && !memcmp(text.p, start, len);
}

/* What the options say, one a line: "rw" or "ro", then all that is in force. */
struct options {
	int64_t state;
	char behavior[32];
	char all[INFO_TEXT_MAX];
};

static int read_options(struct slice rest, struct options *ret)
{
	static const char errors_option[] = "errors=";
	struct text all = TEXT_IN(ret->all);
	struct slice line;

	if (!slice_line(&rest, &line))
		return -EBADMSG;
	if (!slice_is(line, "rw") && !slice_is(line, "ro"))
		return -EBADMSG;
	ret->state = slice_is(line, "ro") ? STATE_RO : STATE_RW;
	ret->behavior[0] = '\0';
	while (slice_line(&rest, &line)) {
		text_str(&all, all.len ? "," : "");
		text_mem(&all, line.p, line.len);
		if (slice_is(line, "emergency_ro") && ret->state != STATE_SHUTDOWN)
			ret->state = STATE_EMERGENCY_RO;
		if (slice_is(line, "shutdown"))
			ret->state = STATE_SHUTDOWN;
		if (starts_with(line, errors_option)) {
			size_t skip = sizeof(errors_option) - 1;
			struct slice word = {line.p + skip, line.len - skip};

			if (slice_copy(word, ret->behavior, sizeof(ret->behavior)) < 0)
				return -EBADMSG;
		}
	}
	return 0;
}

static void sample_options(struct hw *hw, struct extra *extra, struct sink *sink, struct row *row)
{
	char buf[OPTIONS_MAX_BYTES];
	struct options options;
	int r = node_file_read(hw, &extra->options, buf, sizeof(buf));

	if (r == -ENOENT)
		return;
	if (r >= 0)
		r = read_options((struct slice){buf, (size_t)r}, &options);
	if (r < 0) {
		row_fault(row, STATE, r);
		return;
	}
	row_set(row, STATE, options.state);
	if (options.behavior[0])
		row_text(sink, row, ERRORS_BEHAVIOR, options.behavior);
	if (options.all[0])
		row_text(sink, row, OPTIONS, options.all);
}

static void set_absent(struct row *row, size_t field)
{
	row->values[field] = (struct value){0};
}

static void sample_errcode(struct hw *hw, struct node_file *file, struct row *row, size_t field)
{
	int64_t code = 0;
	int r = node_file_read_i64(hw, file, &code);

	/* The last of the names is NULL. */
	if (r >= 0 && (code < 0 || code >= (int64_t)ARRAY_SIZE(errcodes) - 1))
		r = -EINVAL;
	row_result(row, field, r, code);
}

/* Nothing is printed where no function is known. */
static void sample_func(struct hw *hw, struct node_file *file, struct sink *sink, struct row *row,
			size_t field)
{
	char line[64];
	int r = node_file_read_line(hw, file, line, sizeof(line));

	if (r >= 0)
		row_text(sink, row, field, line);
	else if (r != -ENOENT && r != -ENODATA)
		row_fault(row, field, r);
}

/* Of an error that never was all is 0, and so is what an error is not about. */
static void sample_error(struct hw *hw, struct extra *extra, size_t which, struct sink *sink,
			 struct row *row)
{
	const struct value *count = &row->values[ERRORS_COUNT];
	bool is_none = count->type == VALUE_INT && count->i == 0;
	size_t at = errors[which];

	sample_errcode(hw, &extra->errcode[which], row, at + ERROR_ERRCODE);
	sample_func(hw, &extra->func[which], sink, row, at + ERROR_FUNC);
	for (size_t i = at; i < at + N_ERROR_FIELDS; i++)
		if (row->values[i].type == VALUE_INT && (is_none || row->values[i].i == 0))
			set_absent(row, i);
	if (is_none && row->values[at + ERROR_FUNC].type == VALUE_TEXT)
		set_absent(row, at + ERROR_FUNC);
}

static void judge(struct row *row)
{
	static const size_t written[] = {LIFETIME_WRITE, SESSION_WRITE};

	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		const struct value *value = &row->values[written[i]];

		if (value->type == VALUE_INT && value->i > WRITE_MAX_KIBIBYTES)
			row_fault(row, written[i], ERANGE);
	}
	row_flag_negative(row, N_FIELDS);
}

static int ext4_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct ext4 *e = state;
	int r = sysfs_nodes_sample(hw, &e->nodes, sink);

	(void)group; /* there is only one */
	for (size_t i = 0; i < MIN(sink->n_rows, e->nodes.n); i++) {
		struct row *row = sink->rows[i];
		struct extra *extra = &e->extras[i];

		sample_options(hw, extra, sink, row);
		for (size_t k = 0; k < ARRAY_SIZE(errors); k++)
			sample_error(hw, extra, k, sink, row);
		if (extra->mount_point)
			row_text(sink, row, MOUNT_POINT, extra->mount_point);
		judge(row);
	}
	return r < 0 || !fs_watch_changed(hw, &e->watch) ? r : -ENODEV;
}

static void open_extra(struct hw *hw, struct fs_device *device, struct extra *ret)
{
	static const char *const which[] = {"first", "last"};

	*ret = (struct extra){.mount_point = device->mount_point};
	device->mount_point = NULL;
	node_file_open(hw, &ret->options, "proc/fs/ext4/%s/options", device->dir_name);
	for (size_t i = 0; i < ARRAY_SIZE(which); i++) {
		node_file_open(hw, &ret->errcode[i], "%s/%s_error_errcode", device->dir, which[i]);
		node_file_open(hw, &ret->func[i], "%s/%s_error_func", device->dir, which[i]);
	}
}

static void report_device(struct hw *hw, struct probe *probe, const struct fs_device *device)
{
	const char *point = device->mount_point;
	const char *on = point ? "on " : "mounted elsewhere than this process sees";
	int64_t n;
	int r = hw_read_i64(hw, &n, "%s/errors_count", device->dir);

	if (r == -EACCES || r == -EPERM)
		probe_node(probe, device->name, OUTCOME_DENIED, denied_advice,
			   "/%s may not be read", device->dir);
	else if (r < 0 || n == 0)
		probe_node(probe, device->name, OUTCOME_OK, "", "%s%s", on, point ? point : "");
	else
		probe_node(
			probe, device->name, OUTCOME_OK,
			"flashscope latest ext4 and dmesg (EXT4-fs error) tell what; e2fsck -f "
			"while it is not mounted repairs and clears them (of /: by the initramfs, "
			"with systemd fsck.mode=force at boot)",
			"%s%s; %lld error%s since the last fsck", on, point ? point : "",
			(long long)n, n == 1 ? "" : "s");
}

static void report_options(struct probe *probe, const char *name, const struct extra *extra)
{
	char part[NODE_NAME_MAX];

	probe_part(part, name, "options");
	if (node_file_is_denied(&extra->options))
		probe_node(probe, part, OUTCOME_DENIED, denied_advice,
			   "/proc/fs/ext4 may not be read: no state, and no options");
	else if (!node_file_exists(&extra->options))
		probe_node(probe, part, OUTCOME_NO_NODE,
			   "a daemon that sees all of /proc (systemd: ProcSubset=all)",
			   "there is no /proc/fs/ext4: no state, and no options");
}

static int add_device(struct hw *hw, struct probe *probe, struct ext4 *e, struct fs_device *device)
{
	int r = sysfs_nodes_add(hw, &e->nodes, device->dir, device->name, device->identity);

	if (r < 0)
		return r;

	struct extra *extra = &e->extras[e->nodes.n - 1];

	report_device(hw, probe, device);
	open_extra(hw, device, extra);
	sysfs_node_report_denied(probe, &e->nodes, e->nodes.n - 1);
	report_options(probe, device->name, extra);
	return 0;
}

static int ext4_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct ext4 *e = calloc(1, sizeof(*e));
	CLEANUP(fs_devices_done) struct fs_devices devices = {0};

	if (!e)
		return -ENOMEM;
	e->nodes.group = &groups[0];

	int r = fs_devices_probe(hw, probe, &driver, &e->watch, &devices);

	if (r < 0)
		return r;
	e->extras = calloc(devices.n + 1, sizeof(*e->extras));
	if (!e->extras)
		return -ENOMEM;
	for (size_t i = 0; i < devices.n; i++) {
		r = add_device(hw, probe, e, &devices.v[i]);
		if (r < 0)
			return r;
	}
	*ret_state = e;
	e = NULL;
	return 0;
}

const struct collector collector_ext4 = {
	.name = "ext4",
	.help = "Writes and errors of ext4 file systems.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = ext4_probe,
	.sample = ext4_sample,
	.close = ext4_close,
};
