/* I/O of block devices: /proc/diskstats
 * Kernel: Documentation/admin-guide/iostats.rst, block/genhd.c (diskstats_show)
 *
 * A line has major, minor, name and 11 statistics, since 4.18 four more for discards, since 5.5 two
 * more for flushes; kernels before 2.6.25 had four for a partition. The number of columns is a
 * matter of each line: files exist that mix all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/mountinfo.h"
#include "model/probe.h"
#include "model/reason.h"

/* In the order of the columns. */
enum {
	READS,
	READS_MERGED,
	READ_SECTORS,
	READ_TIME,
	WRITES,
	WRITES_MERGED,
	WRITE_SECTORS,
	WRITE_TIME,
	IN_FLIGHT,
	IO_TIME,
	WEIGHTED_IO_TIME,
	DISCARDS,
	DISCARDS_MERGED,
	DISCARD_SECTORS,
	DISCARD_TIME,
	FLUSHES,
	FLUSH_TIME,
	N_FIELDS
};

#define N_BASIC_STATS (WEIGHTED_IO_TIME + 1)
#define N_OLD_STATS   4 /* reads, sectors, writes, sectors */

/* The kernel prints its times as unsigned 32-bit numbers: they wrap after 49.7 days of requests. */
#define MS_BITS 32

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[READS]            = {"reads", UNIT_COUNT, KIND_COUNTER,
			      "Read requests completed, failed ones too."},
	[READS_MERGED]     = {"reads_merged", UNIT_COUNT, KIND_COUNTER,
			      "Reads that were merged into another request."},
	[READ_SECTORS]     = {"read_sectors", UNIT_SECTORS, KIND_COUNTER,
			      "Sectors of 512 bytes read, whatever the device's block size."},
	[READ_TIME]        = {"read_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time of all reads added up, queueing included.", .bits = MS_BITS},
	[WRITES]           = {"writes", UNIT_COUNT, KIND_COUNTER,
			      "Write requests completed, write-zeroes and secure erase too."},
	[WRITES_MERGED]    = {"writes_merged", UNIT_COUNT, KIND_COUNTER,
			      "Writes that were merged into another request."},
	[WRITE_SECTORS]    = {"write_sectors", UNIT_SECTORS, KIND_COUNTER,
			      "Sectors of 512 bytes written, whatever the device's block size."},
	[WRITE_TIME]       = {"write_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time of all writes added up, queueing included.", .bits = MS_BITS},
	[IN_FLIGHT]        = {"in_flight", UNIT_COUNT, KIND_GAUGE,
			      "Requests that are under way at this moment."},
	[IO_TIME]          = {"io_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time with at least one request under way, an estimate since 5.0.",
			      .bits = MS_BITS},
	[WEIGHTED_IO_TIME] = {"weighted_io_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time of all requests added up.", .bits = MS_BITS},
	[DISCARDS]         = {"discards", UNIT_COUNT, KIND_COUNTER,
			      "Discard requests completed.", .since = "4.18"},
	[DISCARDS_MERGED]  = {"discards_merged", UNIT_COUNT, KIND_COUNTER,
			      "Discards that were merged into another request.", .since = "4.18"},
	[DISCARD_SECTORS]  = {"discard_sectors", UNIT_SECTORS, KIND_COUNTER,
			      "Sectors of 512 bytes discarded.", .since = "4.18"},
	[DISCARD_TIME]     = {"discard_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time of all discards added up.", .bits = MS_BITS, .since = "4.18"},
	[FLUSHES]          = {"flushes", UNIT_COUNT, KIND_COUNTER,
			      "Cache flushes that the disk executed; 0 for partitions.", .since = "5.5"},
	[FLUSH_TIME]       = {"flush_time", UNIT_MILLISECONDS, KIND_COUNTER,
			      "Time of all cache flushes added up.", .bits = MS_BITS, .since = "5.5"},
};

static const struct derived derived[] = {
	{"read_bytes", UNIT_BYTES, DERIVE_SCALE, "read_sectors", NULL, 512, 1, "Bytes read."},
	{"write_bytes", UNIT_BYTES, DERIVE_SCALE, "write_sectors", NULL, 512, 1, "Bytes written."},
	{"discard_bytes", UNIT_BYTES, DERIVE_SCALE, "discard_sectors", NULL, 512, 1,
	 "Bytes discarded."},
	{"read_latency", UNIT_MICROSECONDS, DERIVE_MEAN, "read_time", "reads", 1000, 1,
	 "Mean time of a read, queueing included."},
	{"write_latency", UNIT_MICROSECONDS, DERIVE_MEAN, "write_time", "writes", 1000, 1,
	 "Mean time of a write, queueing included."},
	{"discard_latency", UNIT_MICROSECONDS, DERIVE_MEAN, "discard_time", "discards", 1000, 1,
	 "Mean time of a discard, queueing included."},
	{"flush_latency", UNIT_MICROSECONDS, DERIVE_MEAN, "flush_time", "flushes", 1000, 1,
	 "Mean time of a cache flush."},
	{"read_size", UNIT_BYTES, DERIVE_MEAN, "read_sectors", "reads", 512, 1,
	 "Mean size of a read."},
	{"write_size", UNIT_BYTES, DERIVE_MEAN, "write_sectors", "writes", 512, 1,
	 "Mean size of a write."},
	{"busy", UNIT_RATIO, DERIVE_SHARE, "io_time", NULL, 1, 1,
	 "Share of the time with at least one request under way; 1 does not mean saturated."},
	{"queue_length", UNIT_COUNT, DERIVE_AVERAGE, "weighted_io_time", NULL, 1, 1,
	 "Mean number of requests under way."},
};
/* clang-format on */

/* Why a line of the file is sampled or left out. */
enum use {
	USE_YES,
	USE_NO_MOUNT, /* a partition that no mount uses */
	USE_IDLE,     /* a pseudo device that has never done I/O */
	USE_HIDDEN,   /* a path of NVMe multipath, whose I/O counts at the disk as well */
};

#define NO_PARENT SIZE_MAX

struct disk {
	char name[BLOCK_NAME_MAX];
	size_t name_len;
	char identity[NODE_IDENTITY_MAX];
	size_t parent; /* of a partition: index of its disk */
	enum use use;
	int64_t n_done;  /* reads and writes at the last sample */
	bool seen;       /* in this sample */
	bool miscounted; /* a partition of this disk had a negative in_flight */
	struct row *row; /* of this sample */
};

struct diskstats {
	struct hw_file file;
	char *buf;
	size_t buf_size;
	struct disk *disks; /* all lines, in the order of the file */
	size_t n_disks;
};

#define FILE_BYTES_MAX (1024 * 1024)
#define DISKS_MAX      4096

static void diskstats_close(void *state)
{
	struct diskstats *d = state;

	hw_file_close(&d->file);
	free(d->buf);
	free(d->disks);
	free(d);
}

/* Takes major, minor and name off the front of a line. */
static bool take_name(struct slice *line, struct slice *ret_name)
{
	struct slice token;
	int64_t number;

	for (int i = 0; i < 2; i++)
		if (!slice_token(line, &token) || parse_i64_slice(token, &number) < 0)
			return false;
	return slice_token(line, ret_name) && ret_name->len < BLOCK_NAME_MAX &&
	       !memchr(ret_name->p, '\0', ret_name->len);
}

/* Returns the number of columns, which may be more than fields are known. */
static size_t take_stats(struct slice line, struct slice stats[N_FIELDS])
{
	struct slice token;
	size_t n = 0;

	for (; slice_token(&line, &token); n++)
		if (n < N_FIELDS)
			stats[n] = token;
	return n;
}

static void set_counter(struct row *row, size_t field, struct slice text)
{
	int64_t value = 0;
	int r = parse_i64_slice(text, &value);

	row_result(row, field, r == 0 && value < 0 ? -EINVAL : r, value);
}

/* The kernel counts the requests under way for reads and writes apart and prints the sum unsigned.
 * A driver that ends a request twice, or on another partition than it began, makes it negative for
 * good: 4294967064 is -232. Returns whether it was negative. */
static bool set_in_flight(struct row *row, struct slice text)
{
	const int64_t range = (int64_t)1 << 32;
	int64_t value = 0;
	int r = parse_i64_slice(text, &value);

	row_result(row, IN_FLIGHT, r, value);
	if (r < 0)
		return false;
	if (value > INT32_MAX && value < range)
		value -= range;
	if (value >= 0 && value < range)
		return false;
	row_set(row, IN_FLIGHT, value);
	row_flag(row, IN_FLIGHT, FLAG_IMPLAUSIBLE);
	return value < 0;
}

/* A driver that does not count sectors shows none after any number of requests. Few requests may
 * well have carried no data. */
static void judge_sectors(struct row *row, size_t requests, size_t sectors)
{
	static const int64_t min_requests = 1000;

	if (row->values[sectors].type == VALUE_INT && row->values[sectors].i == 0 &&
	    row->values[requests].type == VALUE_INT && row->values[requests].i >= min_requests)
		row_flag(row, sectors, FLAG_IMPLAUSIBLE);
}

/* Returns whether in_flight was negative. */
static bool fill_row(struct row *row, struct slice line)
{
	static const size_t old_fields[N_OLD_STATS] = {READS, READ_SECTORS, WRITES, WRITE_SECTORS};
	struct slice stats[N_FIELDS];
	size_t n = take_stats(line, stats);
	bool negative = false;

	if (n == N_OLD_STATS) {
		for (size_t i = 0; i < n; i++)
			set_counter(row, old_fields[i], stats[i]);
		return false;
	}
	for (size_t i = 0; i < N_BASIC_STATS && n < N_BASIC_STATS; i++)
		row_fault(row, i, EBADMSG);
	for (size_t i = 0; i < MIN(n, N_FIELDS) && n >= N_BASIC_STATS; i++) {
		if (i == IN_FLIGHT)
			negative = set_in_flight(row, stats[i]);
		else
			set_counter(row, i, stats[i]);
	}
	judge_sectors(row, READS, READ_SECTORS);
	judge_sectors(row, WRITES, WRITE_SECTORS);
	return negative;
}

static bool disk_is(const struct disk *disk, struct slice name)
{
	return disk->name_len == name.len && memcmp(disk->name, name.p, name.len) == 0;
}

/* The lines come in the same order each time, so the one at *next is nearly always right. */
static struct disk *find_disk(struct diskstats *d, struct slice name, size_t *next)
{
	for (size_t n = 0; n < d->n_disks; n++) {
		struct disk *disk = &d->disks[*next < d->n_disks ? *next : 0];

		*next = (size_t)(disk - d->disks) + 1;
		if (disk_is(disk, name))
			return disk;
	}
	return NULL;
}

/* Whether the line shows any completed read or write. */
static bool has_done_io(struct slice line)
{
	struct slice stats[N_FIELDS];
	size_t n = take_stats(line, stats);
	int64_t reads = 0, writes = 0;

	if (n > READS)
		parse_i64_slice(stats[READS], &reads);
	if (n > WRITES)
		parse_i64_slice(stats[WRITES], &writes);
	return reads || writes;
}

/* Where a request ends on another partition than it began, one of them counts below zero and the
 * other too much, and times that are made from the count go with it. Only the disk is right. */
static void flag_miscounted(struct disk *disk)
{
	static const size_t made_from_it[] = {IN_FLIGHT, IO_TIME, WEIGHTED_IO_TIME};

	if (disk->row->values[IN_FLIGHT].type != VALUE_INT || disk->row->values[IN_FLIGHT].i == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(made_from_it); i++)
		if (disk->row->values[made_from_it[i]].type == VALUE_INT)
			row_flag(disk->row, made_from_it[i], FLAG_IMPLAUSIBLE);
}

static void flag_partitions(struct diskstats *d)
{
	for (size_t i = 0; i < d->n_disks; i++) {
		struct disk *disk = &d->disks[i];

		if (disk->row && disk->parent != NO_PARENT && d->disks[disk->parent].miscounted)
			flag_miscounted(disk);
	}
}

/* Fewer requests than before: a card that was changed between two samples has its predecessor's
 * name, and another identity. */
static bool began_anew(struct disk *disk)
{
	const struct value *reads = &disk->row->values[READS];
	const struct value *writes = &disk->row->values[WRITES];
	int64_t n_done, n_before = disk->n_done;

	if (reads->type != VALUE_INT || writes->type != VALUE_INT ||
	    __builtin_add_overflow(reads->i, writes->i, &n_done))
		return false;
	disk->n_done = n_done;
	return n_done < n_before;
}

/* Returns -ENODEV when the line says that the set of nodes is no longer right. */
static int sample_line(struct diskstats *d, struct slice line, size_t *next, struct sink *sink,
		       bool *miscounted)
{
	struct slice name;

	if (!take_name(&line, &name))
		return 0;

	struct disk *disk = find_disk(d, name, next);

	if (!disk)
		return -ENODEV;
	if (disk->seen)
		return 0;
	disk->seen = true;
	if (disk->use == USE_IDLE)
		return has_done_io(line) ? -ENODEV : 0;
	if (disk->use != USE_YES)
		return 0;
	disk->row = sink_row(sink, disk->name, disk->identity);
	if (fill_row(disk->row, line) && disk->parent != NO_PARENT)
		d->disks[disk->parent].miscounted = true;
	*miscounted =
		*miscounted || (disk->parent != NO_PARENT && d->disks[disk->parent].miscounted);
	return began_anew(disk) ? -ENODEV : 0;
}

static int diskstats_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct diskstats *d = state;
	int r = hw_file_read_grow(hw, &d->file, &d->buf, &d->buf_size, FILE_BYTES_MAX);
	struct slice rest = {d->buf, r > 0 ? (size_t)r : 0}, line;
	bool miscounted = false, changed = false;
	size_t next = 0;

	(void)group;
	if (r < 0)
		return r;
	for (size_t i = 0; i < d->n_disks; i++) {
		d->disks[i].seen = false;
		d->disks[i].row = NULL;
	}
	while (slice_line(&rest, &line))
		changed = sample_line(d, line, &next, sink, &miscounted) < 0 || changed;
	if (miscounted)
		flag_partitions(d);
	/* A name that is gone may come back as another device. */
	for (size_t i = 0; i < d->n_disks; i++)
		changed = changed || !d->disks[i].seen;
	return changed ? -ENODEV : 0;
}

/* Reads the names of all lines. Returns how many lines are not understood, or -errno. */
static int read_names(struct diskstats *d, struct slice rest, bool want_all)
{
	struct slice line, name;
	int n_odd = 0;

	while (slice_line(&rest, &line) && d->n_disks < DISKS_MAX) {
		size_t next = 0;

		if (!take_name(&line, &name)) {
			n_odd++;
			continue;
		}
		if (find_disk(d, name, &next))
			continue;

		struct disk *grown = realloc(d->disks, (d->n_disks + 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		d->disks = grown;

		struct disk *disk = &d->disks[d->n_disks++];

		*disk = (struct disk){.name_len = name.len, .parent = NO_PARENT};
		memcpy(disk->name, name.p, name.len);
		if (!want_all && block_is_pseudo(disk->name) && !has_done_io(line))
			disk->use = USE_IDLE;
	}
	return n_odd;
}

static size_t find_name(const struct diskstats *d, const char *name)
{
	for (size_t i = 0; i < d->n_disks; i++)
		if (!strcmp(d->disks[i].name, name))
			return i;
	return NO_PARENT;
}

/* Sysfs says what is a partition; where it does not know the device, the names in the file do. */
static void find_parent(struct hw *hw, struct diskstats *d, struct disk *disk)
{
	char dir[HW_PATH_MAX], parent[BLOCK_NAME_MAX];

	if (block_dir(hw, disk->name, dir, sizeof(dir)) == 0) {
		block_disk_of(hw, disk->name, parent);
		if (strcmp(parent, disk->name) != 0)
			disk->parent = find_name(d, parent);
		return;
	}
	for (size_t i = 0; i < d->n_disks; i++)
		if (block_is_partition_of(disk->name, d->disks[i].name))
			disk->parent = i;
}

/* A mount uses its device and, below a device mapper, what that lies on. */
static void mark_used(struct hw *hw, struct diskstats *d, const char *name, bool *used,
		      unsigned depth)
{
	CLEANUP(hw_names_done) struct hw_names slaves = {0};
	char dir[HW_PATH_MAX];
	size_t index = find_name(d, name);

	if (index != NO_PARENT && used[index])
		return;
	if (index != NO_PARENT)
		used[index] = true;
	if (!depth || block_dir(hw, name, dir, sizeof(dir)) < 0 ||
	    hw_list(hw, &slaves, "", "%s/slaves", dir) < 0)
		return;
	for (size_t i = 0; i < slaves.n; i++) {
		block_name_of_kobject(slaves.v[i]);
		mark_used(hw, d, slaves.v[i], used, depth - 1);
	}
}

static int mark_mounts(struct hw *hw, struct diskstats *d, bool *used)
{
	static const unsigned max_depth = 8;
	static const size_t max_bytes = 256 * 1024;
	CLEANUP(freep) char *buf = malloc(max_bytes);
	int r = buf ? hw_read(hw, buf, max_bytes, "proc/self/mountinfo") : -ENOMEM;
	struct slice rest = {buf, r > 0 ? (size_t)r : 0}, line;
	char name[BLOCK_NAME_MAX];
	struct mount mount;

	if (r < 0)
		return r;
	while (slice_line(&rest, &line))
		if (mountinfo_parse(line, &mount) == 0 && mountinfo_device(hw, &mount, name) == 0)
			mark_used(hw, d, name, used, max_depth);
	return 0;
}

/* Decides what is sampled. Where the tree has no mounts nothing tells which partitions matter, so
 * all of them are taken. */
static int choose(struct hw *hw, struct diskstats *d, bool want_all)
{
	CLEANUP(freep) bool *used = calloc(d->n_disks + 1, sizeof(*used));
	char name[BLOCK_NAME_MAX];

	if (!used)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_disks; i++)
		find_parent(hw, d, &d->disks[i]);

	int r = mark_mounts(hw, d, used);

	if (r == -ENOMEM)
		return r;
	for (size_t i = 0; i < d->n_disks; i++) {
		struct disk *disk = &d->disks[i];

		if (r == 0 && !want_all && disk->parent != NO_PARENT && !used[i])
			disk->use = USE_NO_MOUNT;
		if (!want_all && block_is_path(hw, disk->name, name) &&
		    find_name(d, name) != NO_PARENT)
			disk->use = USE_HIDDEN;
	}
	return 0;
}

static int identify(struct hw *hw, struct diskstats *d)
{
	CLEANUP(freep) const char **names = calloc(d->n_disks + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(d->n_disks + 1, sizeof(*identities));
	size_t n = 0;

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_disks; i++) {
		if (d->disks[i].use != USE_YES)
			continue;
		names[n] = d->disks[i].name;
		identities[n++] = d->disks[i].identity;
	}
	return block_identities(hw, names, identities, n, sizeof(d->disks[0].identity));
}

static void report(struct probe *probe, const struct diskstats *d, int n_odd)
{
	if (!d->n_disks && !n_odd)
		probe_collector(probe, OUTCOME_NO_HARDWARE,
				"see the kernel log for what became of the drivers of its disks",
				"/proc/diskstats is empty: no block device");
	else if (n_odd)
		probe_collector(probe, OUTCOME_OK, "", "%d lines of /proc/diskstats make no sense",
				n_odd);
	for (size_t i = 0; i < d->n_disks; i++) {
		const struct disk *disk = &d->disks[i];

		switch (disk->use) {
		case USE_YES:
			probe_node(probe, disk->name, OUTCOME_OK, "", "%s", disk->identity);
			break;
		case USE_NO_MOUNT:
			probe_left_out(probe, disk->name,
				       "--partitions, or [sampling] partitions = yes",
				       "partition that no mount uses");
			break;
		case USE_HIDDEN:
			probe_left_out(probe, disk->name,
				       "--partitions, or [sampling] partitions = yes",
				       "hidden path of NVMe multipath: its I/O counts at the disk");
			break;
		case USE_IDLE:
			probe_left_out(probe, disk->name,
				       "--partitions, or [sampling] partitions = yes",
				       "pseudo device that has not done any I/O");
			break;
		}
	}
}

static void report_failure(struct hw *hw, struct probe *probe, int r)
{
	if (r == -ENOENT)
		probe_collector(probe, OUTCOME_NO_NODE,
				advice_no_folder(
					hw, "mount procfs on /proc; the kernel needs CONFIG_BLOCK"),
				"there is no /proc/diskstats");
	else if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read proc_diskstats",
				"/proc/diskstats may not be read");
	else
		reason_error(hw, probe, "", r, "/proc/diskstats");
}

static void statep(struct diskstats **d)
{
	if (*d)
		diskstats_close(*d);
}

static int open_file(struct hw *hw, struct diskstats *d)
{
	int r = hw_file_open(hw, &d->file, "proc/diskstats");

	if (r < 0)
		return r;
	d->buf = malloc(FILE_BYTES_MAX);
	return d->buf ? hw_file_read(hw, &d->file, d->buf, FILE_BYTES_MAX) : -ENOMEM;
}

/* Room for the numbers to grow; new devices lead to a new probe. */
static int fit_buffer(struct diskstats *d, size_t len)
{
	size_t size = MIN(len * 2 + 4096, FILE_BYTES_MAX);
	char *buf = realloc(d->buf, size);

	if (!buf)
		return -ENOMEM;
	d->buf = buf;
	d->buf_size = size;
	return 0;
}

static int diskstats_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct diskstats *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;

	int r = open_file(hw, d);

	if (r < 0) {
		report_failure(hw, probe, r);
		return r;
	}

	size_t len = (size_t)r;
	int n_odd = read_names(d, (struct slice){d->buf, len}, probe->want_all);

	if (n_odd < 0)
		return n_odd;
	r = choose(hw, d, probe->want_all);
	if (r == 0)
		r = identify(hw, d);
	if (r == 0)
		r = fit_buffer(d, len);
	if (r < 0)
		return r;
	report(probe, d, n_odd);
	*ret_state = d;
	d = NULL;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "diskstats",
		.help = "Requests, sectors and times of block devices.",
		.cost = COST_F,
		.period_ms = 1000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "block device by its name, kept apart by serial, WWID or CID",
		.absence = "the kernel prints fewer columns",
	},
};

const struct collector collector_diskstats = {
	.name = "diskstats",
	.help = "I/O of block devices.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = diskstats_probe,
	.sample = diskstats_sample,
	.close = diskstats_close,
};
