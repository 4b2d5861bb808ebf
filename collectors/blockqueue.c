/* How disks are queued: /sys/block/DISK/queue, mq and partitions
 * Kernel: Documentation/ABI/stable/sysfs-block, Documentation/block/queue-sysfs.rst,
 * block/blk-sysfs.c, block/blk-mq-sysfs.c, block/blk-crypto-sysfs.c
 *
 * Each read takes the lock of the queue, which whoever switches the scheduler holds while all
 * requests that are under way come to their end; so this is sampled rarely, and in the lane. What a
 * write to sysfs can change is read each time. What belongs to the device, and what cannot change
 * without a uevent, is read at the probe alone, which spares some hundred open files. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/partitions.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

enum {
	SCHEDULER,
	SCHEDULERS,
	NR_REQUESTS,
	WRITE_CACHE,
	WBT_LAT,
	READ_AHEAD,
	MAX_SECTORS,
	DISCARD_MAX,
	NOMERGES,
	RQ_AFFINITY,
	IOSTATS,
	IO_TIMEOUT,
	SIZE,
	RO,
	FIRST_FACT, /* from here on read once, at the probe */
	HW_QUEUES = FIRST_FACT,
	HW_QUEUE_DEPTH,
	ROTATIONAL,
	FUA,
	STABLE_WRITES,
	IO_POLL,
	DAX,
	LOGICAL_BLOCK_SIZE,
	PHYSICAL_BLOCK_SIZE,
	MINIMUM_IO_SIZE,
	OPTIMAL_IO_SIZE,
	MAX_HW_SECTORS,
	MAX_SEGMENTS,
	CHUNK_SECTORS,
	DISCARD_GRANULARITY,
	DISCARD_MAX_HW,
	ZONED,
	CRYPTO_MODES,
	CRYPTO_KEYSLOTS,
	CRYPTO_DUN_BITS,
	PARTITIONS,
	PARTITION_TABLE,
	N_FIELDS
};

#define NO_MQ     "bio-based devices (device mapper, zram) have none"
#define NO_CRYPTO "the host controller encrypts nothing, or CONFIG_BLK_INLINE_ENCRYPTION is not set"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[SCHEDULER]    = {"scheduler", UNIT_NONE, KIND_INFO, "Scheduler of the queue.",
			  .absence = NO_MQ},
	[SCHEDULERS]   = {"schedulers", UNIT_NONE, KIND_INFO,
			  "Schedulers to choose from; others may be modules.",
			  .attr = "queue/scheduler", .absence = NO_MQ},
	[NR_REQUESTS]  = {"nr_requests", UNIT_COUNT, KIND_GAUGE,
			  "Requests that the scheduler may hold for each hardware queue; not the depth of the device.",
			  .attr = "queue/nr_requests", .absence = NO_MQ},
	[WRITE_CACHE]  = {"write_cache", UNIT_NONE, KIND_INFO,
			  "What the block layer takes the cache for: write back is flushed, write through is not.",
			  .attr = "queue/write_cache", .since = "4.7"},
	[WBT_LAT]      = {"wbt_lat", UNIT_MICROSECONDS, KIND_GAUGE,
			  "Latency that writeback throttling aims at; 0 is off.",
			  .attr = "queue/wbt_lat_usec", .since = "4.10",
			  .absence = "no throttling was ever set up, or CONFIG_BLK_WBT is not set"},
	[READ_AHEAD]   = {"read_ahead", UNIT_KIBIBYTES, KIND_GAUGE, "Read ahead of sequential readers.",
			  .attr = "queue/read_ahead_kb"},
	[MAX_SECTORS]  = {"max_sectors", UNIT_KIBIBYTES, KIND_GAUGE,
			  "Largest request that the block layer makes.", .attr = "queue/max_sectors_kb"},
	[DISCARD_MAX]  = {"discard_max", UNIT_BYTES, KIND_GAUGE,
			  "Largest discard that the block layer makes; 0 is none.",
			  .attr = "queue/discard_max_bytes"},
	[NOMERGES]     = {"nomerges", UNIT_COUNT, KIND_GAUGE,
			  "Merging of requests: 0 full, 1 simple, 2 none.", .attr = "queue/nomerges"},
	[RQ_AFFINITY]  = {"rq_affinity", UNIT_COUNT, KIND_GAUGE,
			  "Where requests complete: 0 anywhere, 1 in the group of the CPU that asked, 2 on that CPU.",
			  .attr = "queue/rq_affinity", .absence = NO_MQ},
	[IOSTATS]      = {"iostats", UNIT_COUNT, KIND_GAUGE,
			  "Whether diskstats counts this disk: 1, or 0 while its counters stand still.",
			  .attr = "queue/iostats"},
	[IO_TIMEOUT]   = {"io_timeout", UNIT_MILLISECONDS, KIND_GAUGE,
			  "Time after which a request counts as hung.",
			  .attr = "queue/io_timeout", .since = "5.0", .absence = NO_MQ},
	[SIZE]         = {"size", UNIT_SECTORS, KIND_GAUGE, "Size of the disk; 0 without a medium.",
			  .attr = "size"},
	[RO]           = {"ro", UNIT_COUNT, KIND_GAUGE, "1 when the disk is write protected.",
			  .attr = "ro"},
	[HW_QUEUES]    = {"hw_queues", UNIT_COUNT, KIND_GAUGE,
			  "Hardware queues that CPUs are mapped to; 1 on UFS 4.0 means that MCQ is off.",
			  .absence = NO_MQ},
	[HW_QUEUE_DEPTH] = {"hw_queue_depth", UNIT_COUNT, KIND_GAUGE,
			  "Requests that a hardware queue takes.", .absence = NO_MQ},
	[ROTATIONAL]   = {"rotational", UNIT_COUNT, KIND_GAUGE,
			  "1 for what the kernel takes for a spinning disk."},
	[FUA]          = {"fua", UNIT_COUNT, KIND_GAUGE,
			  "1 when the device takes writes past its cache.", .since = "4.18"},
	[STABLE_WRITES] = {"stable_writes", UNIT_COUNT, KIND_GAUGE,
			  "1 when pages must not change while they are written.", .since = "5.10"},
	[IO_POLL]      = {"io_poll", UNIT_COUNT, KIND_GAUGE, "1 when completions may be polled for.",
			  .since = "4.4"},
	[DAX]          = {"dax", UNIT_COUNT, KIND_GAUGE, "1 for memory that is reached without a cache.",
			  .since = "4.8"},
	[LOGICAL_BLOCK_SIZE] = {"logical_block_size", UNIT_BYTES, KIND_GAUGE,
			  "Smallest block that can be addressed."},
	[PHYSICAL_BLOCK_SIZE] = {"physical_block_size", UNIT_BYTES, KIND_GAUGE,
			  "Smallest block that is written at once."},
	[MINIMUM_IO_SIZE] = {"minimum_io_size", UNIT_BYTES, KIND_GAUGE,
			  "Smallest request that costs no more than it must."},
	[OPTIMAL_IO_SIZE] = {"optimal_io_size", UNIT_BYTES, KIND_GAUGE,
			  "Request size that the device prefers; 0 is unknown."},
	[MAX_HW_SECTORS] = {"max_hw_sectors", UNIT_KIBIBYTES, KIND_GAUGE,
			  "Largest request that the hardware takes."},
	[MAX_SEGMENTS] = {"max_segments", UNIT_COUNT, KIND_GAUGE, "Pieces of memory in a request."},
	[CHUNK_SECTORS] = {"chunk_sectors", UNIT_SECTORS, KIND_GAUGE,
			  "Size of a stripe or zone; 0 is none.", .since = "4.10"},
	[DISCARD_GRANULARITY] = {"discard_granularity", UNIT_BYTES, KIND_GAUGE,
			  "Smallest discard; 0 is none."},
	[DISCARD_MAX_HW] = {"discard_max_hw", UNIT_BYTES, KIND_GAUGE,
			  "Largest discard that the hardware takes; 0 is none.", .since = "4.3"},
	[ZONED]        = {"zoned", UNIT_NONE, KIND_INFO, "Zone model of the disk.", .since = "4.10"},
	[CRYPTO_MODES] = {"crypto_modes", UNIT_NONE, KIND_INFO,
			  "Ciphers of inline encryption, each with its data unit sizes in bytes.",
			  .since = "5.18", .absence = NO_CRYPTO},
	[CRYPTO_KEYSLOTS] = {"crypto_keyslots", UNIT_COUNT, KIND_GAUGE,
			  "Keys that the host controller holds.", .since = "5.18", .absence = NO_CRYPTO},
	[CRYPTO_DUN_BITS] = {"crypto_dun_bits", UNIT_COUNT, KIND_GAUGE,
			  "Bits of the number of a data unit.", .since = "5.18", .absence = NO_CRYPTO},
	[PARTITIONS]   = {"partitions", UNIT_COUNT, KIND_GAUGE, "Partitions of the disk."},
	[PARTITION_TABLE] = {"partition_table", UNIT_NONE, KIND_INFO,
			  "Each partition as number:start+size in sectors of 512 bytes.",
			  .absence = "no partitions"},
};
/* clang-format on */

static const struct group groups[] = {
	{
		.name = "blockqueue",
		.help = "Scheduler, limits and abilities of the queues of disks.",
		.cost = COST_L,
		.period_ms = 60000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "disk by its name, kept apart by serial, WWID or CID",
		.absence = "the kernel has no such attribute for this kind of disk",
	},
};

/* The files of facts that are one number or one line. */
static const char *const fact_files[N_FIELDS] = {
	[HW_QUEUE_DEPTH] = "mq/0/nr_tags",
	[ROTATIONAL] = "queue/rotational",
	[FUA] = "queue/fua",
	[STABLE_WRITES] = "queue/stable_writes",
	[IO_POLL] = "queue/io_poll",
	[DAX] = "queue/dax",
	[LOGICAL_BLOCK_SIZE] = "queue/logical_block_size",
	[PHYSICAL_BLOCK_SIZE] = "queue/physical_block_size",
	[MINIMUM_IO_SIZE] = "queue/minimum_io_size",
	[OPTIMAL_IO_SIZE] = "queue/optimal_io_size",
	[MAX_HW_SECTORS] = "queue/max_hw_sectors_kb",
	[MAX_SEGMENTS] = "queue/max_segments",
	[CHUNK_SECTORS] = "queue/chunk_sectors",
	[DISCARD_GRANULARITY] = "queue/discard_granularity",
	[DISCARD_MAX_HW] = "queue/discard_max_hw_bytes",
	[ZONED] = "queue/zoned",
	[CRYPTO_KEYSLOTS] = "queue/crypto/num_keyslots",
	[CRYPTO_DUN_BITS] = "queue/crypto/max_dun_bits",
};

#define DISKS_MAX      SINK_ROWS_MAX
#define LINE_MAX_BYTES 256

struct fact {
	int r; /* of the read; -ENOENT is absent */
	int64_t value;
	char *text;
};

struct disk {
	char name[BLOCK_NAME_MAX];
	char identity[NODE_IDENTITY_MAX];
	char dir[HW_PATH_MAX];
	struct fact facts[N_FIELDS];
};

struct blockqueue {
	struct sysfs_nodes nodes; /* one for each of disks */
	struct disk *disks;
	size_t n;
};

static void blockqueue_close(void *state)
{
	struct blockqueue *b = state;

	for (size_t i = 0; i < b->n; i++)
		for (size_t f = FIRST_FACT; f < N_FIELDS; f++)
			free(b->disks[i].facts[f].text);
	free(b->disks);
	sysfs_nodes_done(&b->nodes);
	free(b);
}

static bool is_bracket(char c)
{
	return c == '[' || c == ']';
}

/* Takes the brackets off both ends; true when there were any. */
static bool strip(struct slice *word)
{
	size_t len = word->len;

	while (word->len && is_bracket(word->p[0]))
		*word = (struct slice){word->p + 1, word->len - 1};
	while (word->len && is_bracket(word->p[word->len - 1]))
		word->len--;
	return word->len != len;
}

/* Of "none [mq-deadline] kyber" the words, and as active the one in brackets or the only one. false
 * when none is. */
static bool read_schedulers(struct slice line, struct text *words, struct text *active)
{
	struct slice word;
	size_t n = 0;

	while (slice_token(&line, &word)) {
		bool marked = strip(&word);

		if (!word.len)
			continue;
		text_str(words, n++ ? " " : "");
		text_mem(words, word.p, word.len);
		if (marked && !active->len)
			text_mem(active, word.p, word.len);
	}
	if (n == 1 && !active->len)
		text_str(active, words->p);
	return active->len;
}

/* The kernel prints one line with both: the schedulers there are, and which one is on. */
static void split_schedulers(struct sink *sink, struct row *row)
{
	const struct value *line = &row->values[SCHEDULERS];
	char words_buf[INFO_TEXT_MAX], active_buf[INFO_TEXT_MAX];
	struct text words = TEXT_IN(words_buf), active = TEXT_IN(active_buf);

	if (line->type != VALUE_TEXT) {
		row->values[SCHEDULER] = *line;
		return;
	}
	if (read_schedulers(slice_of(sink_text(sink, line)), &words, &active))
		row_text(sink, row, SCHEDULER, active_buf);
	else
		row_fault(row, SCHEDULER, EBADMSG);
	row_text(sink, row, SCHEDULERS, words_buf);
}

static void add_facts(struct sink *sink, struct row *row, const struct disk *disk)
{
	for (size_t i = FIRST_FACT; i < N_FIELDS; i++) {
		const struct fact *fact = &disk->facts[i];

		if (fact->r >= 0 && fact->text)
			row_text(sink, row, i, fact->text);
		else
			row_result(row, i, fact->r, fact->value);
	}
}

/* None of these quantities can be below zero. */
static void judge(struct row *row)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		if (row->values[i].type == VALUE_INT && row->values[i].i < 0)
			row_flag(row, i, FLAG_IMPLAUSIBLE);
}

static int blockqueue_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct blockqueue *b = state;
	int r = sysfs_nodes_sample(hw, &b->nodes, sink);

	(void)group; /* there is only one */
	for (size_t i = 0; i < MIN(sink->n_rows, b->n); i++) {
		struct row *row = sink->rows[i];
		struct value *wbt = &row->values[WBT_LAT];

		/* Says that throttling was never set up, which is no failure. */
		if (wbt->type == VALUE_FAULT && wbt->i == EINVAL)
			*wbt = (struct value){0};
		split_schedulers(sink, row);
		add_facts(sink, row, &b->disks[i]);
		judge(row);
	}
	return r;
}

static void set_text(struct fact *fact, const char *text)
{
	fact->text = strdup(text);
	fact->r = fact->text ? 0 : -ENOMEM;
}

static void read_file_fact(struct hw *hw, struct disk *disk, size_t field)
{
	struct fact *fact = &disk->facts[field];
	char line[LINE_MAX_BYTES];

	if (fields[field].kind != KIND_INFO) {
		fact->r = hw_read_i64(hw, &fact->value, "%s/%s", disk->dir, fact_files[field]);
		return;
	}
	fact->r = hw_read_line(hw, line, sizeof(line), "%s/%s", disk->dir, fact_files[field]);
	if (fact->r >= 0)
		set_text(fact, line);
}

static void count_queues(struct hw *hw, struct disk *disk)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	struct fact *fact = &disk->facts[HW_QUEUES];

	fact->r = hw_list(hw, &names, "", "%s/mq", disk->dir);
	for (size_t i = 0; i < names.n; i++)
		fact->value += isdigit((unsigned char)names.v[i][0]) != 0;
}

/* The sizes of data units are the bits of a mask: 0x1000 is 4096 bytes. */
static void write_mode(struct hw *hw, const struct disk *disk, const char *mode, struct text *out)
{
	int64_t mask;
	int r = hw_read_i64(hw, &mask, "%s/queue/crypto/modes/%s", disk->dir, mode);

	text_printf(out, "%s%s", out->len ? ", " : "", mode);
	if (r < 0)
		text_str(out, " ?");
	for (int bit = 0; r == 0 && bit < 63; bit++)
		if ((uint64_t)mask & (uint64_t)1 << bit)
			text_printf(out, " %lld", 1LL << bit);
}

static void read_crypto(struct hw *hw, struct disk *disk)
{
	CLEANUP(hw_names_done) struct hw_names modes = {0};
	struct fact *fact = &disk->facts[CRYPTO_MODES];
	char buf[INFO_TEXT_MAX];
	struct text out = TEXT_IN(buf);

	fact->r = hw_list(hw, &modes, "", "%s/queue/crypto/modes", disk->dir);
	for (size_t i = 0; i < modes.n; i++)
		write_mode(hw, disk, modes.v[i], &out);
	if (fact->r >= 0)
		set_text(fact, buf);
}

static int read_partitions(struct hw *hw, struct disk *disk)
{
	struct fact *n = &disk->facts[PARTITIONS];
	char buf[INFO_TEXT_MAX];
	struct text table = TEXT_IN(buf);

	n->r = partitions_text(hw, disk->dir, &table, &n->value);
	if (table.len)
		set_text(&disk->facts[PARTITION_TABLE], buf);
	return n->r == -ENOMEM ? n->r : 0;
}

static int read_facts(struct hw *hw, struct disk *disk)
{
	for (size_t i = FIRST_FACT; i < N_FIELDS; i++) {
		disk->facts[i].r = -ENOENT;
		if (fact_files[i])
			read_file_fact(hw, disk, i);
	}
	count_queues(hw, disk);
	read_crypto(hw, disk);
	return read_partitions(hw, disk);
}

/* Whether diskstats shows a completed read or write of the device; it is by this that the group
 * diskstats leaves out pseudo devices. */
static bool has_done_io(struct slice diskstats, const char *name)
{
	struct slice line, major, minor, token;
	int64_t reads, writes;

	while (slice_line(&diskstats, &line)) {
		if (!slice_token(&line, &major) || !slice_token(&line, &minor) ||
		    !slice_token(&line, &token) || !slice_is(token, name))
			continue;
		if (!slice_token(&line, &token) || parse_i64_slice(token, &reads) < 0)
			return false;
		for (int i = 0; i < 4; i++)
			if (!slice_token(&line, &token))
				return reads != 0;
		return reads || (parse_i64_slice(token, &writes) == 0 && writes);
	}
	return false;
}

/* Finds the disks, sorted by name and number. Hidden paths of NVMe multipath are among them: the
 * queues are theirs, the disk above them is bio-based. */
static int find_disks(struct hw *hw, struct blockqueue *b, const struct probe *probe)
{
	static const size_t max_bytes = 256 * 1024;
	CLEANUP(hw_names_done) struct hw_names names = {0};
	CLEANUP(freep) char *buf = malloc(max_bytes);
	int r = hw_list(hw, &names, "", "sys/block");

	b->disks = calloc(MIN(names.n, DISKS_MAX) + 1, sizeof(*b->disks));
	if (!buf || !b->disks)
		return -ENOMEM;
	if (r < 0)
		return r;
	r = hw_read(hw, buf, max_bytes, "proc/diskstats");
	for (size_t i = 0; i < names.n && b->n < DISKS_MAX; i++) {
		struct disk *disk = &b->disks[b->n];

		if (slice_copy(slice_of(names.v[i]), disk->name, sizeof(disk->name)) < 0)
			continue;
		block_name_of_kobject(disk->name);
		if (block_dir(hw, disk->name, disk->dir, sizeof(disk->dir)) < 0)
			continue;
		if (probe->want_all || !block_is_pseudo(disk->name) ||
		    has_done_io((struct slice){buf, r > 0 ? (size_t)r : 0}, disk->name))
			b->n++;
	}
	return 0;
}

static int identify(struct hw *hw, struct blockqueue *b)
{
	CLEANUP(freep) const char **names = calloc(b->n + 1, sizeof(*names));
	CLEANUP(freep) char **identities = calloc(b->n + 1, sizeof(*identities));

	if (!names || !identities)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++) {
		names[i] = b->disks[i].name;
		identities[i] = b->disks[i].identity;
	}
	return block_identities(hw, names, identities, b->n, sizeof(b->disks[0].identity));
}

static void report_abilities(const struct disk *disk, struct text *out)
{
	const struct fact *queues = &disk->facts[HW_QUEUES], *crypto = &disk->facts[CRYPTO_MODES];

	if (queues->r >= 0)
		text_printf(out, ", %lld hardware queue%s", (long long)queues->value,
			    queues->value == 1 ? "" : "s");
	else
		text_str(out, ", bio-based");
	if (crypto->r >= 0)
		text_printf(out, ", inline encryption");
}

static void report_disk(struct hw *hw, struct probe *probe, const struct disk *disk)
{
	char line[LINE_MAX_BYTES], buf[PROBE_TEXT_MAX];
	struct text out = TEXT_IN(buf);
	int r = hw_read_line(hw, line, sizeof(line), "%s/queue/scheduler", disk->dir);

	if (r == -ENOENT && !hw_exists(hw, "%s/queue", disk->dir)) {
		probe_node(probe, disk->name, OUTCOME_NO_NODE,
			   advice_of_error(hw, -ENOENT, "/sys/"), "there is no /%s/queue",
			   disk->dir);
		return;
	}
	if (r == -EACCES || r == -EPERM) {
		probe_node(probe, disk->name, OUTCOME_DENIED, denied_advice,
			   "/%s/queue/scheduler may not be read", disk->dir);
		return;
	}
	if (r < 0 && r != -ENOENT) {
		reason_error(hw, probe, disk->name, r, "/%s/queue/scheduler", disk->dir);
		return;
	}
	text_str(&out, r < 0 ? "no scheduler" : line);
	report_abilities(disk, &out);
	probe_node(probe, disk->name, OUTCOME_OK, "", "%s", buf);
}

/* Abilities that are a matter of the kernel's options, where not one disk shows them. */
static void report_missing(struct hw *hw, struct probe *probe, const struct blockqueue *b)
{
	static const struct need wbt = {"CONFIG_BLK_WBT", NULL, OUTCOME_NO_NODE, ""};
	static const struct need crypto = {"CONFIG_BLK_INLINE_ENCRYPTION", NULL,
					   OUTCOME_NO_HARDWARE,
					   "a host controller that encrypts, with "
					   "CONFIG_SCSI_UFS_CRYPTO or CONFIG_MMC_CRYPTO"};
	bool has_wbt = false, has_crypto = false;

	for (size_t i = 0; i < b->n; i++) {
		has_wbt = has_wbt || hw_exists(hw, "%s/queue/wbt_lat_usec", b->disks[i].dir);
		has_crypto = has_crypto || b->disks[i].facts[CRYPTO_MODES].r >= 0;
	}
	if (!has_wbt)
		reason_option(hw, probe, "queue/wbt_lat_usec", &wbt, "no disk has it (since 4.10)");
	if (!has_crypto)
		reason_option(hw, probe, "queue/crypto", &crypto, "no disk has it (since 5.18)");
}

static void report_none(struct hw *hw, struct probe *probe, int r)
{
	const struct need need = {"CONFIG_BLOCK", NULL, OUTCOME_NO_NODE,
				  advice_no_folder(hw, "mount sysfs on /sys")};

	if (r == -ENOENT)
		reason_option(hw, probe, "", &need, "there is no /sys/block");
	else if (r == -EACCES || r == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs_block",
				"/sys/block may not be listed");
	else if (r < 0)
		reason_error(hw, probe, "", r, "/sys/block");
	else
		probe_collector(probe, OUTCOME_NO_HARDWARE, "--partitions takes the others",
				"/sys/block has no disk that is in use");
}

static void statep(struct blockqueue **b)
{
	if (*b)
		blockqueue_close(*b);
}

static int blockqueue_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct blockqueue *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->nodes.group = &groups[0];

	int r = find_disks(hw, b, probe);

	if (r == -ENOMEM)
		return r;
	if (!b->n) {
		report_none(hw, probe, r);
		return r < 0 ? r : -ENOENT;
	}
	r = identify(hw, b);
	for (size_t i = 0; i < b->n && r >= 0; i++) {
		struct disk *disk = &b->disks[i];

		r = read_facts(hw, disk);
		if (r >= 0)
			r = sysfs_nodes_add(hw, &b->nodes, disk->dir, disk->name, disk->identity);
		report_disk(hw, probe, disk);
		if (r >= 0)
			sysfs_node_report_denied(probe, &b->nodes, b->nodes.n - 1);
	}
	if (r < 0)
		return r;
	report_missing(hw, probe, b);
	*ret_state = b;
	b = NULL;
	return 0;
}

const struct collector collector_blockqueue = {
	.name = "blockqueue",
	.help = "Queues of disks.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = blockqueue_probe,
	.sample = blockqueue_sample,
	.close = blockqueue_close,
};
