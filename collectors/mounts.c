/* File systems, where they lie and how full they are: /proc/self/mountinfo, sysfs, statvfs(3)
 * Kernel: Documentation/filesystems/proc.rst section 3.5, fs/proc_namespace.c
 *
 * The table of mounts is built anew when the text of mountinfo changes; a tick without change reads
 * it and compares. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block_stack.h"
#include "model/collector.h"
#include "model/mountinfo.h"
#include "model/probe.h"
#include "model/reason.h"

enum { GROUP_MOUNTS, GROUP_SPACE };

enum {
	RO,
	SUPER_RO,
	FIRST_TEXT,
	MOUNT_POINT = FIRST_TEXT,
	FS_TYPE,
	SOURCE,
	ROOT,
	OPTIONS,
	SUPER_OPTIONS,
	PROPAGATION,
	MOUNT_ID,
	PARENT_ID,
	NUMBER,
	DEVICE,
	STACK,
	PARTITION,
	DISK,
	N_FIELDS
};

static const char *const writable[] = {"rw", "ro", NULL};

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[RO]            = {"ro", UNIT_NONE, KIND_STATE, "Read-only mount: 1 (ro) when it may not be written.",
			   .states = writable},
	[SUPER_RO]      = {"super_ro", UNIT_NONE, KIND_STATE,
			   "Read-only file system: 1 (ro); stays 0 (rw) after many fatal errors.",
			   .states = writable},
	[MOUNT_POINT]   = {"mount_point", UNIT_NONE, KIND_INFO, "Where it is mounted."},
	[FS_TYPE]       = {"fs_type", UNIT_NONE, KIND_INFO, "Type of the file system."},
	[SOURCE]        = {"source", UNIT_NONE, KIND_INFO, "What was mounted, as mount was told."},
	[ROOT]          = {"root", UNIT_NONE, KIND_INFO,
			   "Which part of the file system is mounted; / is all of it."},
	[OPTIONS]       = {"options", UNIT_NONE, KIND_INFO, "Options of this mount."},
	[SUPER_OPTIONS] = {"super_options", UNIT_NONE, KIND_INFO,
			   "Options of the file system, cut after 511 bytes."},
	[PROPAGATION]   = {"propagation", UNIT_NONE, KIND_INFO, "Tags such as shared:2."},
	[MOUNT_ID]      = {"mount_id", UNIT_NONE, KIND_INFO, "Number of the mount."},
	[PARENT_ID]     = {"parent_id", UNIT_NONE, KIND_INFO, "Number of the mount below it."},
	[NUMBER]        = {"number", UNIT_NONE, KIND_INFO,
			   "Device number; major 0 has no block device."},
	[DEVICE]        = {"device", UNIT_NONE, KIND_INFO, "Block device that is mounted."},
	[STACK]         = {"stack", UNIT_NONE, KIND_INFO,
			   "What the device lies on, where layers are between it and the disk."},
	[PARTITION]     = {"partition", UNIT_NONE, KIND_INFO, "Partition that it lies on."},
	[DISK]          = {"disk", UNIT_NONE, KIND_INFO, "Disks that it lies on."},
};

enum { SIZE, FREE, AVAILABLE, INODES, FREE_INODES, N_SPACE_FIELDS };

static const struct field space_fields[N_SPACE_FIELDS] = {
	[SIZE]        = {"size", UNIT_BYTES, KIND_GAUGE, "Size of the file system."},
	[FREE]        = {"free", UNIT_BYTES, KIND_GAUGE, "Free space, the reserve of root too."},
	[AVAILABLE]   = {"available", UNIT_BYTES, KIND_GAUGE, "Free space that any user can take."},
	[INODES]      = {"inodes", UNIT_COUNT, KIND_GAUGE,
			 "Inodes of the file system; absent where it has no fixed number."},
	[FREE_INODES] = {"free_inodes", UNIT_COUNT, KIND_GAUGE, "Free inodes."},
};

static const struct derived space_derived[] = {
	{"used", UNIT_BYTES, DERIVE_DIFF, "size", "free", 1, 1, "Space that is taken."},
	{"used_share", UNIT_RATIO, DERIVE_REST, "free", "size", 1, 1,
	 "Space that is taken as a share of the size."},
	{"used_inodes", UNIT_COUNT, DERIVE_DIFF, "inodes", "free_inodes", 1, 1,
	 "Inodes that are taken."},
};
/* clang-format on */

/* File systems of the kernel's own that hold no data of anybody. autofs too: asking for its space
 * would mount what waits behind it. */
static const char *const pseudo_types[] = {
	"autofs",   "binder",    "binfmt_misc",    "bpf",        "cgroup",    "cgroup2",
	"configfs", "debugfs",   "devpts",         "devtmpfs",   "efivarfs",  "functionfs",
	"fusectl",  "hugetlbfs", "mqueue",         "nsfs",       "proc",      "pstore",
	"resctrl",  "rootfs",    "rpc_pipefs",     "securityfs", "selinuxfs", "smackfs",
	"sysfs",    "tracefs",   "incremental-fs",
};

/* Local file systems without a block device. Not the network and FUSE: a server that does not
 * answer would hold the lane. */
static const char *const local_types[] = {
	"bcachefs", "btrfs", "jffs2", "overlay", "tmpfs", "ubifs", "zfs",
};

/* Whether the space of a mount is asked for, and why not. */
enum space {
	SPACE_ASKED,
	SPACE_REMOTE,       /* a server has to answer */
	SPACE_BY_OTHER,     /* another mount of the same file system stands for it */
	SPACE_NOT_RECORDED, /* in a recorded tree */
	SPACE_TOO_LONG,     /* the path is cut, and would lead elsewhere */
};

struct entry {
	char name[NODE_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	size_t device_len;     /* of the identity: the part that is the device's */
	char *texts[N_FIELDS]; /* of the info fields; NULL is absent */
	bool ro, super_ro;
	enum space space;
	int64_t major, minor;
};

struct mounts {
	struct hw_file file;
	char *known, *fresh; /* mountinfo as the table shows it, and as just read */
	size_t known_len, known_size, fresh_size;
	struct entry *v;
	size_t n;
	unsigned n_pseudo, n_odd, n_over; /* lines left out, and why */
	bool want_all;
	int want; /* of what it takes to look at a device, when the table was made; else 0 */
};

#define FILE_BYTES_MAX    (1024 * 1024)
#define SUPER_OPTIONS_MAX 512

static void forget(struct mounts *m)
{
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < N_FIELDS; k++)
			free(m->v[i].texts[k]);
	m->n = 0;
	m->n_pseudo = m->n_odd = m->n_over = 0;
}

static void mounts_close(void *state)
{
	struct mounts *m = state;

	forget(m);
	hw_file_close(&m->file);
	free(m->v);
	free(m->known);
	free(m->fresh);
	free(m);
}

static bool is_one_of(struct slice word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(word, words[i]))
			return true;
	return false;
}

static bool has_option(struct slice options, const char *option)
{
	struct slice one;

	while (slice_until(&options, ',', &one))
		if (slice_is(one, option))
			return true;
	return slice_is(options, option);
}

static const char *mount_point_of(const struct entry *entry)
{
	return entry->texts[MOUNT_POINT] ? entry->texts[MOUNT_POINT] : "/";
}

/* Out of memory leaves the field absent. */
static void set_text(struct entry *entry, size_t field, const char *text)
{
	free(entry->texts[field]);
	entry->texts[field] = *text ? strdup(text) : NULL;
}

/* Returns false when it was cut. */
static bool set_slice(struct entry *entry, size_t field, struct slice slice, size_t max_bytes)
{
	char text[HW_PATH_MAX];
	bool whole = mountinfo_unescape(slice, text, MIN(max_bytes, sizeof(text)));

	set_text(entry, field, text);
	return whole;
}

static void set_number(struct entry *entry, size_t field, int64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	set_text(entry, field, text);
}

static const struct entry *find_device(const struct mounts *m, const char *device)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->v[i].texts[DEVICE] && !strcmp(m->v[i].texts[DEVICE], device))
			return &m->v[i];
	return NULL;
}

static void read_device(struct hw *hw, struct mounts *m, struct entry *entry, const char *device)
{
	struct block_stack stack;
	int r;

	block_stack_read(hw, device, &stack);
	set_text(entry, DEVICE, device);
	set_text(entry, STACK, stack.text);
	set_text(entry, PARTITION, stack.partition);
	set_text(entry, DISK, stack.disks);
	r = block_identity(hw, device, false, entry->identity, sizeof(entry->identity));
	if (r < 0)
		m->want = r;
	entry->device_len = strlen(entry->identity);
}

static void copy_device(struct entry *entry, const struct entry *known)
{
	for (size_t i = DEVICE; i <= DISK; i++)
		set_text(entry, i, known->texts[i] ? known->texts[i] : "");
	memcpy(entry->identity, known->identity, known->device_len);
	entry->device_len = known->device_len;
}

/* A device is looked at once, in however many places it is mounted: there may be hundreds. */
static void set_device(struct hw *hw, struct mounts *m, struct entry *entry, const char *device)
{
	const struct entry *known = find_device(m, device);
	struct text identity = {.p = entry->identity, .size = sizeof(entry->identity)};

	if (known)
		copy_device(entry, known);
	else
		read_device(hw, m, entry, device);
	text_rewind(&identity, entry->device_len);
	if (entry->device_len)
		text_printf(&identity, " on %s", entry->name);
}

/* The mount point is the name. One that is too long is cut, and where another has the same
 * beginning, ends in "~2". */
static void set_name(struct mounts *m, struct entry *entry)
{
	const char *point = mount_point_of(entry);
	struct text name = text_in(entry->name, sizeof(entry->name));
	bool is_taken = true;

	text_str(&name, point);
	for (unsigned n = 2; name.truncated && is_taken && n < 10000; n++) {
		is_taken = false;
		for (size_t i = 0; i < m->n && !is_taken; i++)
			is_taken = !strcmp(m->v[i].name, entry->name);
		if (!is_taken)
			break;
		text_rewind(&name, sizeof(entry->name) - 6);
		text_printf(&name, "~%u", n);
		name.truncated = true;
	}
}

/* What was mounted over another is all that can be seen there. */
static void drop_covered(struct mounts *m, const struct entry *entry)
{
	for (size_t i = 0; i < m->n; i++) {
		struct entry *other = &m->v[i];

		if (!other->texts[MOUNT_POINT] || !entry->texts[MOUNT_POINT] ||
		    strcmp(other->texts[MOUNT_POINT], entry->texts[MOUNT_POINT]) != 0)
			continue;
		for (size_t k = 0; k < N_FIELDS; k++)
			free(other->texts[k]);
		memmove(other, other + 1, (m->n - i - 1) * sizeof(*other));
		m->n--;
		return;
	}
}

static void fill_entry(struct hw *hw, struct mounts *m, const struct mount *mount,
		       struct entry *entry)
{
	char device[BLOCK_NAME_MAX], number[64];
	bool has_device = mountinfo_device(hw, mount, device) == 0;

	*entry = (struct entry){.major = mount->major, .minor = mount->minor};
	entry->ro = has_option(mount->options, "ro");
	entry->super_ro = has_option(mount->super_options, "ro") ||
			  has_option(mount->super_options, "emergency_ro");
	if (!set_slice(entry, MOUNT_POINT, mount->mount_point, HW_PATH_MAX))
		entry->space = SPACE_TOO_LONG;
	drop_covered(m, entry);
	set_name(m, entry);
	set_slice(entry, FS_TYPE, mount->fs_type, HW_PATH_MAX);
	set_slice(entry, SOURCE, mount->source, HW_PATH_MAX);
	set_slice(entry, ROOT, mount->root, HW_PATH_MAX);
	set_slice(entry, OPTIONS, mount->options, SUPER_OPTIONS_MAX);
	set_slice(entry, SUPER_OPTIONS, mount->super_options, SUPER_OPTIONS_MAX);
	set_slice(entry, PROPAGATION, mount->tags, SUPER_OPTIONS_MAX);
	set_number(entry, MOUNT_ID, mount->id);
	set_number(entry, PARENT_ID, mount->parent_id);
	snprintf(number, sizeof(number), "%lld:%lld", (long long)mount->major,
		 (long long)mount->minor);
	set_text(entry, NUMBER, number);
	if (has_device)
		set_device(hw, m, entry, device);

	bool is_fuse = mount->fs_type.len >= 4 && !memcmp(mount->fs_type.p, "fuse", 4);

	if ((!has_device || is_fuse) &&
	    !is_one_of(mount->fs_type, local_types, ARRAY_SIZE(local_types)))
		entry->space = SPACE_REMOTE;
}

static void add_line(struct hw *hw, struct mounts *m, struct slice line)
{
	struct mount mount;
	struct entry entry;

	if (mountinfo_parse(line, &mount) < 0) {
		m->n_odd++;
		return;
	}
	if (!m->want_all && is_one_of(mount.fs_type, pseudo_types, ARRAY_SIZE(pseudo_types))) {
		m->n_pseudo++;
		return;
	}
	if (m->n == SINK_ROWS_MAX) {
		m->n_over++;
		return;
	}
	fill_entry(hw, m, &mount, &entry);
	m->v[m->n++] = entry;
}

/* The same file system is asked once, however often it is mounted; in a recorded tree only what was
 * recorded. */
static void choose_space(struct hw *hw, struct mounts *m)
{
	struct hw_space space;

	for (size_t i = 0; i < m->n; i++) {
		struct entry *entry = &m->v[i];

		if (entry->space != SPACE_ASKED)
			continue;
		for (size_t k = 0; k < i; k++)
			if (m->v[k].space == SPACE_ASKED && m->v[k].major == entry->major &&
			    m->v[k].minor == entry->minor)
				entry->space = SPACE_BY_OTHER;
		if (!hw_is_live(hw) && entry->space == SPACE_ASKED &&
		    hw_space(hw, mount_point_of(entry), &space) < 0)
			entry->space = SPACE_NOT_RECORDED;
	}
}

/* Builds the table from the text in fresh, which becomes the known one. */
static void build(struct hw *hw, struct mounts *m, size_t len)
{
	struct slice rest = {m->fresh, len}, line;
	char *spare = m->known;
	size_t spare_size = m->known_size;

	forget(m);
	m->want = 0;
	while (slice_line(&rest, &line))
		add_line(hw, m, line);
	choose_space(hw, m);
	m->known = m->fresh;
	m->known_len = len;
	m->known_size = m->fresh_size;
	m->fresh = spare;
	m->fresh_size = spare_size;
}

/* Brings the table up to date. Returns -ENODEV when it changed, so that the probe tells of it. */
static int refresh(struct hw *hw, struct mounts *m)
{
	/* At the start of a machine it may well double between two samples. */
	int r = hw_file_read_grow(hw, &m->file, &m->fresh, &m->fresh_size, FILE_BYTES_MAX);

	if (r < 0)
		return r;
	if ((size_t)r == m->known_len && !memcmp(m->fresh, m->known, m->known_len))
		return 0;
	build(hw, m, (size_t)r);
	if (!m->want)
		return -ENODEV;
	/* A device without its identity would pass for another one. */
	forget(m);
	m->known_len = 0;
	return m->want;
}

static void add_row(struct sink *sink, const struct entry *entry)
{
	struct row *row = sink_row(sink, entry->name, entry->identity);

	row_set(row, RO, entry->ro);
	row_set(row, SUPER_RO, entry->super_ro);
	for (size_t i = FIRST_TEXT; i < N_FIELDS; i++)
		if (entry->texts[i])
			row_text(sink, row, i, entry->texts[i]);
}

static void set_bytes(struct row *row, size_t field, uint64_t blocks, uint64_t fragment_bytes)
{
	int64_t bytes;

	if (__builtin_mul_overflow(blocks, fragment_bytes, &bytes))
		row_fault(row, field, ERANGE);
	else
		row_set(row, field, bytes);
}

static void add_space_row(struct hw *hw, struct sink *sink, const struct entry *entry)
{
	struct row *row = sink_row(sink, entry->name, entry->identity);
	struct hw_space s;
	int r = hw_space(hw, mount_point_of(entry), &s);

	if (r < 0) {
		row_fault(row, SIZE, r);
		return;
	}
	set_bytes(row, SIZE, s.blocks, s.fragment_bytes);
	set_bytes(row, FREE, s.free_blocks, s.fragment_bytes);
	set_bytes(row, AVAILABLE, s.available_blocks, s.fragment_bytes);
	if (s.free_blocks > s.blocks || s.available_blocks > s.free_blocks) {
		row_flag(row, FREE, FLAG_IMPLAUSIBLE);
		row_flag(row, AVAILABLE, FLAG_IMPLAUSIBLE);
	}
	if (!s.inodes)
		return;
	set_bytes(row, INODES, s.inodes, 1);
	set_bytes(row, FREE_INODES, s.free_inodes, 1);
}

static int mounts_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct mounts *m = state;
	int r = refresh(hw, m);

	if (r < 0 && r != -ENODEV)
		return r;
	for (size_t i = 0; i < m->n; i++) {
		if (group == GROUP_MOUNTS)
			add_row(sink, &m->v[i]);
		else if (m->v[i].space == SPACE_ASKED)
			add_space_row(hw, sink, &m->v[i]);
	}
	return r;
}

static void report_entry(struct probe *probe, const struct entry *entry)
{
	static const char *const notes[] = {
		[SPACE_ASKED] = "",
		[SPACE_REMOTE] = "; space is not asked for, since a server might not answer",
		[SPACE_BY_OTHER] = "; space by another mount of it",
		[SPACE_NOT_RECORDED] = "; space is not recorded",
		[SPACE_TOO_LONG] = "; space is not asked for, since the path is too long",
	};
	const char *type = entry->texts[FS_TYPE] ? entry->texts[FS_TYPE] : "";
	const char *device = entry->texts[DEVICE], *stack = entry->texts[STACK];
	const char *on = device ? " on " : ", no block device";

	probe_node(probe, entry->name, OUTCOME_OK, "", "%s%s%s%s", type, on,
		   stack    ? stack
		   : device ? device
			    : "",
		   notes[entry->space]);
}

static void report(struct hw *hw, struct probe *probe, const struct mounts *m)
{
	char buf[PROBE_TEXT_MAX];
	struct text reason = TEXT_IN(buf);

	if (m->n_pseudo)
		text_printf(&reason, "%u pseudo file systems left out", m->n_pseudo);
	if (m->n_odd)
		text_printf(&reason, "%s%u lines make no sense", reason.len ? "; " : "", m->n_odd);
	if (m->n_over)
		text_printf(&reason, "%s%u mounts are too many", reason.len ? "; " : "", m->n_over);
	if (!m->known_len)
		probe_collector(probe, OUTCOME_FAILED, advice_of_error(hw, -ENODATA, "/proc/"),
				"/proc/self/mountinfo is empty");
	else
		probe_collector(probe, OUTCOME_OK, "", "%s", buf);
	for (size_t i = 0; i < m->n; i++)
		report_entry(probe, &m->v[i]);
}

static void statep(struct mounts **m)
{
	if (*m)
		mounts_close(*m);
}

/* Reads the file into fresh, and makes both buffers large enough for it to grow. */
static int open_file(struct hw *hw, struct mounts *m)
{
	CLEANUP(freep) char *text = malloc(FILE_BYTES_MAX);
	int r = text ? hw_file_open(hw, &m->file, "proc/self/mountinfo") : -ENOMEM;

	if (r < 0)
		return r;
	r = hw_file_read(hw, &m->file, text, FILE_BYTES_MAX);
	if (r < 0)
		return r;
	m->known_size = m->fresh_size = MIN((size_t)r * 2 + 4096, FILE_BYTES_MAX);
	m->known = malloc(m->known_size);
	m->fresh = malloc(m->fresh_size);
	m->v = calloc(SINK_ROWS_MAX, sizeof(*m->v));
	if (!m->known || !m->fresh || !m->v)
		return -ENOMEM;
	memcpy(m->fresh, text, (size_t)r);
	return r;
}

static int mounts_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct mounts *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->want_all = probe->want_all;

	int r = open_file(hw, m);

	if (r < 0) {
		reason_error(hw, probe, "", r, "/proc/self/mountinfo");
		return r;
	}
	build(hw, m, (size_t)r);
	if (m->want)
		return m->want;
	report(hw, probe, m);
	*ret_state = m;
	m = NULL;
	return 0;
}

static const struct group groups[] = {
	[GROUP_MOUNTS] =
		{
			.name = "mounts",
			.help = "File systems, their options, and the disks that they lie on.",
			/* Each file system is asked for its options; btrfs may read its disk. */
			.cost = COST_L,
			.period_ms = 10000,
			.fields = fields,
			.n_fields = ARRAY_SIZE(fields),
			.node = "mount of a disk, by its mount point",
			.absence = "the file system lies on no disk, or on one without that layer",
		},
	[GROUP_SPACE] =
		{
			.name = "mounts_space",
			.help = "Size and free space of file systems.",
			.cost = COST_L,
			.period_ms = 10000,
			.fields = space_fields,
			.n_fields = ARRAY_SIZE(space_fields),
			.derived = space_derived,
			.n_derived = ARRAY_SIZE(space_derived),
			.node = "mount of a disk, by its mount point",
			.absence = "the file system does not count it",
		},
};

const struct collector collector_mounts = {
	.name = "mounts",
	.help = "File systems and their space.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.privileged = true,
	.probe = mounts_probe,
	.sample = mounts_sample,
	.close = mounts_close,
};
