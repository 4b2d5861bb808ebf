/* MMC and SD cards: the attributes below /sys/block/mmcblkN/device
 * Kernel: Documentation/driver-api/mmc/mmc-dev-attrs.rst, drivers/mmc/core/mmc.c and sd.c,
 * JESD84-B51 (EXT_CSD)
 *
 * The kernel asks a card for all of this once, when it finds it, and never again: not after a
 * suspend, and not after an error. So a read is free, and the wear is that of the day the machine
 * was started. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/block.h"
#include "model/collector.h"
#include "model/mmc.h"
#include "model/mmc_cards.h"
#include "model/mmc_life.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/sysfs_nodes.h"

enum {
	LIFE_TIME_A,
	LIFE_TIME_B,
	PRE_EOL_INFO,
	USED_A_LOW,
	USED_A_HIGH,
	USED_B_LOW,
	USED_B_HIGH,
	USED_LOW,
	USED_HIGH,
	INIT_TIME,
	REV,
	SIZE,
	BOOT0_SIZE,
	BOOT1_SIZE,
	RPMB_MULT,
	REL_SECTORS,
	ENHANCED_OFFSET,
	ENHANCED_SIZE,
	ERASE_SIZE,
	PREFERRED_ERASE_SIZE,
	FFU_CAPABLE,
	CMDQ_EN,
	RUNTIME_STATUS,
	SPEED_CLASS,
	UHS_GRADE,
	VIDEO_CLASS,
	APP_CLASS,
	TYPE,
	NAME,
	MANFID,
	OEMID,
	SERIAL,
	DATE,
	FWREV,
	HWREV,
	PRV,
	CID,
	CSD,
	OCR,
	SCR,
	SSR,
	N_FIELDS
};

static const char *const runtime_states[] = {"suspended",   "suspending", "resuming", "active",
					     "unsupported", "error",      NULL};

#define NO_LIFE                                                                                    \
	"no eMMC, a revision before 7, a card that says 0x00 (not defined), or a kernel before "   \
	"4.10"
#define NO_MMC "no eMMC, or the kernel does not show it"
#define NO_SD  "no SD card, or its SD Status could not be read"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[LIFE_TIME_A]  = {"life_time_a", UNIT_NONE, KIND_GAUGE,
			  "Life used of memory type A: 1 is 0 to 10 %, 10 is 90 to 100 %, 11 is above.",
			  .since = "4.10", .absence = NO_LIFE},
	[LIFE_TIME_B]  = {"life_time_b", UNIT_NONE, KIND_GAUGE,
			  "Life used of memory type B, in the same code.", .since = "4.10",
			  .absence = NO_LIFE},
	[PRE_EOL_INFO] = {"pre_eol_info", UNIT_NONE, KIND_STATE,
			  "Spare blocks: warning is 80 % of them used, urgent 90 %.",
			  .states = mmc_pre_eol_states, .since = "4.10", .absence = NO_LIFE},
	[USED_A_LOW]   = {"used_a_low", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of memory type A, at least.", .absence = NO_LIFE},
	[USED_A_HIGH]  = {"used_a_high", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of memory type A, at most; no bound when it is exceeded.",
			  .absence = NO_LIFE},
	[USED_B_LOW]   = {"used_b_low", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of memory type B, at least.", .absence = NO_LIFE},
	[USED_B_HIGH]  = {"used_b_high", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of memory type B, at most; no bound when it is exceeded.",
			  .absence = NO_LIFE},
	[USED_LOW]     = {"used_low", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of the type that is worse, at least.", .absence = NO_LIFE},
	[USED_HIGH]    = {"used_high", UNIT_PERCENT, KIND_GAUGE,
			  "Life used of the type that is worse, at most; no bound when it is exceeded, or one is unknown.",
			  .absence = NO_LIFE},
	[INIT_TIME]    = {"init_time", UNIT_MILLISECONDS, KIND_GAUGE,
			  "Boot clock when the kernel took the card: so old are all of these values.",
			  .absence = "the kernel has no runtime power management of the card, the machine "
				     "slept since it booted, or it is a recorded tree"},
	[REV]          = {"rev", UNIT_COUNT, KIND_GAUGE,
			  "Revision of EXT_CSD: 5 is eMMC 4.41, 6 is 4.5, 7 is 5.0, 8 is 5.1.",
			  .attr = "rev", .absence = NO_MMC},
	[SIZE]         = {"size", UNIT_SECTORS, KIND_GAUGE, "Size of the user area.",
			  .absence = "the card has no block device"},
	[BOOT0_SIZE]   = {"boot0_size", UNIT_SECTORS, KIND_GAUGE, "Size of the first boot area.",
			  .absence = "the card has none"},
	[BOOT1_SIZE]   = {"boot1_size", UNIT_SECTORS, KIND_GAUGE, "Size of the second boot area.",
			  .absence = "the card has none"},
	[RPMB_MULT]    = {"raw_rpmb_size_mult", UNIT_COUNT, KIND_GAUGE,
			  "Size of the replay protected area in 128 KiB.",
			  .attr = "raw_rpmb_size_mult", .absence = NO_MMC},
	[REL_SECTORS]  = {"rel_sectors", UNIT_SECTORS, KIND_GAUGE,
			  "Sectors that a reliable write writes at once.", .attr = "rel_sectors",
			  .absence = NO_MMC},
	[ENHANCED_OFFSET] = {"enhanced_area_offset", UNIT_BYTES, KIND_GAUGE,
			  "Where the enhanced area (pseudo-SLC) begins.",
			  .absence = "no enhanced area is set up"},
	[ENHANCED_SIZE] = {"enhanced_area_size", UNIT_KIBIBYTES, KIND_GAUGE,
			  "Size of the enhanced area.", .absence = "no enhanced area is set up"},
	[ERASE_SIZE]   = {"erase_size", UNIT_BYTES, KIND_GAUGE, "Smallest erase.",
			  .attr = "erase_size"},
	[PREFERRED_ERASE_SIZE] = {"preferred_erase_size", UNIT_BYTES, KIND_GAUGE,
			  "Size and alignment of an erase that the card likes; of SD its allocation unit.",
			  .attr = "preferred_erase_size"},
	[FFU_CAPABLE]  = {"ffu_capable", UNIT_COUNT, KIND_GAUGE,
			  "Whether the firmware can be updated in the field, 1 or 0.", .attr = "ffu_capable",
			  .absence = NO_MMC},
	[CMDQ_EN]      = {"cmdq_en", UNIT_COUNT, KIND_GAUGE,
			  "Command queueing, 1 or 0; 0 also for the moment of an ioctl.",
			  .attr = "cmdq_en", .absence = NO_MMC},
	[RUNTIME_STATUS] = {"runtime_status", UNIT_NONE, KIND_STATE,
			  "Runtime power management of the card.", .attr = "power/runtime_status",
			  .states = runtime_states, .absence = "a kernel without CONFIG_PM"},
	[SPEED_CLASS]  = {"speed_class", UNIT_COUNT, KIND_GAUGE,
			  "Speed class of an SD card: MB/s in sequential writing.", .absence = NO_SD},
	[UHS_GRADE]    = {"uhs_speed_grade", UNIT_COUNT, KIND_GAUGE,
			  "UHS speed grade: 1 is 10 MB/s, 3 is 30 MB/s; 0 is no UHS card.",
			  .absence = NO_SD},
	[VIDEO_CLASS]  = {"video_speed_class", UNIT_COUNT, KIND_GAUGE,
			  "Video speed class: MB/s in sequential writing.", .absence = NO_SD},
	[APP_CLASS]    = {"app_perf_class", UNIT_COUNT, KIND_GAUGE,
			  "Application performance class: 1 is A1, 2 is A2.", .absence = NO_SD},
	[TYPE]         = {"type", UNIT_NONE, KIND_INFO, "MMC or SD.", .attr = "type"},
	[NAME]         = {"name", UNIT_NONE, KIND_INFO, "Product name.", .attr = "name"},
	[MANFID]       = {"manfid", UNIT_NONE, KIND_INFO, "Number of the manufacturer.",
			  .attr = "manfid"},
	[OEMID]        = {"oemid", UNIT_NONE, KIND_INFO, "Number of the OEM.", .attr = "oemid"},
	[SERIAL]       = {"serial", UNIT_NONE, KIND_INFO, "Serial number; not unique by itself.",
			  .attr = "serial"},
	[DATE]         = {"date", UNIT_NONE, KIND_INFO, "Month of manufacture.", .attr = "date"},
	[FWREV]        = {"fwrev", UNIT_NONE, KIND_INFO,
			  "Firmware: eight bytes from EXT_CSD revision 7 on, else four bits.",
			  .attr = "fwrev"},
	[HWREV]        = {"hwrev", UNIT_NONE, KIND_INFO, "Hardware revision.", .attr = "hwrev"},
	[PRV]          = {"prv", UNIT_NONE, KIND_INFO, "Product revision.", .attr = "prv",
			  .absence = NO_MMC},
	[CID]          = {"cid", UNIT_NONE, KIND_INFO, "Card identification register.",
			  .attr = "cid"},
	[CSD]          = {"csd", UNIT_NONE, KIND_INFO, "Card specific data register.", .attr = "csd"},
	[OCR]          = {"ocr", UNIT_NONE, KIND_INFO, "Voltages that card and host share.",
			  .attr = "ocr"},
	[SCR]          = {"scr", UNIT_NONE, KIND_INFO, "SD configuration register.", .attr = "scr",
			  .absence = NO_SD},
	[SSR]          = {"ssr", UNIT_NONE, KIND_INFO, "SD Status.", .attr = "ssr", .absence = NO_SD},
};

static const struct derived derived[] = {
	{"rpmb_size", UNIT_BYTES, DERIVE_SCALE, "raw_rpmb_size_mult", NULL, 131072, 1,
	 "Size of the replay protected area."},
};
/* clang-format on */

/* What is read once, at the probe: the kernel keeps it for the life of the card. */
struct known {
	int64_t value;
	bool is_known;
};

struct card {
	char cid[MMC_CID_MAX];
	struct node_file life_time, pre_eol_info;
	struct known known[N_FIELDS];
};

struct mmc {
	struct sysfs_nodes nodes;
	struct card *cards; /* one for each of nodes */
};

static void mmc_close(void *state)
{
	struct mmc *m = state;

	for (size_t i = 0; i < m->nodes.n; i++) {
		node_file_close(&m->cards[i].life_time);
		node_file_close(&m->cards[i].pre_eol_info);
	}
	free(m->cards);
	sysfs_nodes_done(&m->nodes);
	free(m);
}

static const struct mmc_life_fields life_fields = {
	.life_time_a = LIFE_TIME_A,
	.life_time_b = LIFE_TIME_B,
	.pre_eol_info = PRE_EOL_INFO,
	.used_a = USED_A_LOW,
	.used_b = USED_B_LOW,
	.used = USED_LOW,
	.flag = FLAG_CACHED_AT_BOOT,
};

static void sample_life_time(struct hw *hw, struct card *card, struct row *row)
{
	int64_t a = 0, b = 0;
	char line[64];
	int r = node_file_read_line(hw, &card->life_time, line, sizeof(line));

	if (r >= 0)
		r = mmc_life_time(line, &a, &b);
	if (r == -ENOENT)
		return;
	if (r < 0) {
		row_fault(row, LIFE_TIME_A, r);
		row_fault(row, LIFE_TIME_B, r);
		return;
	}
	mmc_life_set(row, &life_fields, a, b);
}

/* Android's kernels print it without the 0x, and it is hexadecimal all the same. */
static void sample_pre_eol(struct hw *hw, struct card *card, struct row *row)
{
	int64_t code = 0;
	char line[64];
	int r = node_file_read_line(hw, &card->pre_eol_info, line, sizeof(line));

	if (r >= 0)
		r = mmc_hex(slice_of(line), &code);
	if (r == -ENOENT)
		return;
	if (r < 0)
		row_fault(row, PRE_EOL_INFO, r);
	else
		mmc_pre_eol_set(row, &life_fields, code);
}

/* Whether the files are of another card by now: its successor has taken its names. */
static bool is_other_card(const struct sink *sink, const struct card *card, const struct row *row)
{
	const struct value *cid = &row->values[CID];

	if (row_first_fault(row, N_FIELDS) == ENODEV)
		return true;
	return card->cid[0] && cid->type == VALUE_TEXT &&
	       strcmp(sink_text(sink, cid), card->cid) != 0;
}

static bool is_before_life(int64_t rev)
{
	return rev >= 0 && rev < MMC_LIFE_REV;
}

static void sample_card(struct hw *hw, struct card *card, struct row *row)
{
	const struct value *rev = &row->values[REV];

	for (size_t i = 0; i < N_FIELDS; i++)
		if (card->known[i].is_known)
			row_set(row, i, card->known[i].value);
	/* Before that revision the bytes are reserved. */
	if (rev->type == VALUE_INT && is_before_life(rev->i))
		return;
	sample_life_time(hw, card, row);
	sample_pre_eol(hw, card, row);
}

static int mmc_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct mmc *m = state;
	bool changed = false;

	(void)group; /* there is only one */
	for (size_t i = 0; i < m->nodes.n; i++) {
		struct row *row = sysfs_node_sample(hw, &m->nodes, i, sink);

		sample_card(hw, &m->cards[i], row);
		changed = changed || is_other_card(sink, &m->cards[i], row);
	}
	return changed ? -ENODEV : 0;
}

static void know(struct card *card, size_t field, int64_t value)
{
	if (value >= 0)
		card->known[field] = (struct known){value, true};
}

/* Where no enhanced area is set up the kernel prints -EINVAL as an unsigned number of 64 or 32
 * bits.
 */
static void know_enhanced(struct hw *hw, struct card *card, const char *dir)
{
	static const int64_t unset = UINT32_MAX - EINVAL + 1;
	int64_t offset, size;

	if (hw_read_i64(hw, &offset, "%s/enhanced_area_offset", dir) < 0 || offset < 0 ||
	    hw_read_i64(hw, &size, "%s/enhanced_area_size", dir) < 0 || size < 0 || size == unset)
		return;
	know(card, ENHANCED_OFFSET, offset);
	know(card, ENHANCED_SIZE, size);
}

static void know_sizes(struct hw *hw, struct card *card, const char *disk)
{
	static const struct {
		const char *suffix;
		size_t field;
	} areas[] = {{"", SIZE}, {"boot0", BOOT0_SIZE}, {"boot1", BOOT1_SIZE}};
	char name[BLOCK_NAME_MAX + 8], dir[HW_PATH_MAX];
	int64_t sectors;

	for (size_t i = 0; i < ARRAY_SIZE(areas) && disk[0]; i++) {
		struct text text = TEXT_IN(name);

		text_printf(&text, "%s%s", disk, areas[i].suffix);
		if (block_dir(hw, name, dir, sizeof(dir)) == 0 &&
		    hw_read_i64(hw, &sectors, "%s/size", dir) == 0)
			know(card, areas[i].field, sectors);
	}
}

static void know_speed(struct hw *hw, struct card *card, const char *dir)
{
	char line[256];
	struct mmc_ssr ssr;

	if (hw_read_line(hw, line, sizeof(line), "%s/ssr", dir) < 0 || mmc_ssr(line, &ssr) < 0)
		return;
	know(card, SPEED_CLASS, ssr.speed_class);
	know(card, UHS_GRADE, ssr.uhs_grade);
	know(card, VIDEO_CLASS, ssr.video_class);
	know(card, APP_CLASS, ssr.app_class);
}

/* The block driver enables runtime power management as the last thing when it takes a new card, and
 * from then on the kernel adds up the time in either state. */
static void know_init_time(struct hw *hw, struct card *card, const char *dir)
{
	int64_t active_ms, suspended_ms, now_ms, asleep_ms;

	if (hw_asleep_ms(hw, &asleep_ms) < 0 ||
	    hw_read_i64(hw, &active_ms, "%s/power/runtime_active_time", dir) < 0 ||
	    hw_read_i64(hw, &suspended_ms, "%s/power/runtime_suspended_time", dir) < 0 ||
	    hw_boot_ms(hw, &now_ms) < 0)
		return;
	know(card, INIT_TIME, mmc_init_ms(now_ms, asleep_ms, active_ms, suspended_ms));
}

/* What life_time says at the probe. */
struct life {
	int64_t rev; /* of EXT_CSD, -1: not known */
	int r;       /* of reading and understanding the file */
	bool is_defined;
};

static struct life read_life(struct hw *hw, const char *dir)
{
	struct life life = {.rev = -1};
	int64_t a = 0, b = 0;
	char line[64];

	if (hw_read_i64(hw, &life.rev, "%s/rev", dir) < 0)
		life.rev = -1;
	life.r = hw_read_line(hw, line, sizeof(line), "%s/life_time", dir);
	if (life.r >= 0)
		life.r = mmc_life_time(line, &a, &b);
	life.is_defined = !is_before_life(life.rev) && life.r >= 0 && (a || b);
	return life;
}

/* Why there is no wear, as a node of its own. */
static void report_no_life(struct hw *hw, struct probe *probe, const char *name, const char *dir,
			   const struct life *life)
{
	char part[NODE_NAME_MAX];

	probe_part(part, name, "life_time");
	if (is_before_life(life->rev))
		probe_node(probe, part, OUTCOME_UNSUPPORTED, "",
			   "EXT_CSD revision %lld: no life estimate before 7 (eMMC 5.0)",
			   (long long)life->rev);
	else if (life->r == -ENOENT)
		probe_node(probe, part, OUTCOME_NO_NODE,
			   "a kernel from 4.10 on, or its patch that exports the lifetime",
			   "no life_time in /%s: kernels have it from 4.10 on", dir);
	else if (life->r == -EACCES || life->r == -EPERM)
		probe_node(probe, part, OUTCOME_DENIED, denied_advice,
			   "/%s/life_time may not be read", dir);
	else if (life->r < 0)
		reason_error(hw, probe, part, life->r, "/%s/life_time", dir);
	else
		probe_node(probe, part, OUTCOME_UNSUPPORTED, "",
			   "the card gives no life estimate: 0x00 0x00 is not defined, not new");
}

static void report_mmc(struct hw *hw, struct probe *probe, const char *name, const char *dir)
{
	struct life life = read_life(hw, dir);

	if (life.is_defined) {
		probe_node(probe, name, OUTCOME_OK, "a reboot reads it anew",
			   "eMMC: life_time is of the time when the kernel found the card");
		return;
	}
	probe_node(probe, name, OUTCOME_OK, "", "eMMC");
	report_no_life(hw, probe, name, dir, &life);
}

static void report_sd(struct probe *probe, const char *name, const struct card *card)
{
	char buf[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	text_str(&text, "SD card: no life estimate, the standard has none");
	if (card->known[SPEED_CLASS].is_known)
		text_printf(&text, "; speed class %lld", (long long)card->known[SPEED_CLASS].value);
	if (card->known[UHS_GRADE].value > 0)
		text_printf(&text, ", U%lld", (long long)card->known[UHS_GRADE].value);
	if (card->known[VIDEO_CLASS].value > 0)
		text_printf(&text, ", V%lld", (long long)card->known[VIDEO_CLASS].value);
	if (card->known[APP_CLASS].value > 0)
		text_printf(&text, ", A%lld", (long long)card->known[APP_CLASS].value);
	probe_node(probe, name, OUTCOME_OK, "", "%s", buf);
}

static void report_no_disk(struct hw *hw, struct probe *probe, const struct mmc_card *found)
{
	static const struct need need = {"CONFIG_MMC_BLOCK", "mmc_block", OUTCOME_OK,
					 "bind the driver mmcblk"};

	reason_option(hw, probe, found->name, &need, "%s card without a disk",
		      found->type[0] ? found->type : "a");
}

static int add_card(struct hw *hw, struct mmc *m, struct probe *probe, const struct mmc_card *found)
{
	struct card *grown = realloc(m->cards, (m->nodes.n + 1) * sizeof(*grown));
	bool is_sd = !strcmp(found->type, "SD") || !strcmp(found->type, "SDcombo");

	if (!grown)
		return -ENOMEM;
	m->cards = grown;

	struct card *card = &m->cards[m->nodes.n];
	int r = sysfs_nodes_add(hw, &m->nodes, found->dir, found->name, found->identity);

	if (r < 0)
		return r;
	*card = (struct card){0};
	memcpy(card->cid, found->cid, sizeof(card->cid));
	know_sizes(hw, card, found->disk);
	know_init_time(hw, card, found->dir);
	if (is_sd)
		know_speed(hw, card, found->dir);
	else
		know_enhanced(hw, card, found->dir);
	node_file_open(hw, &card->life_time, "%s/life_time", found->dir);
	node_file_open(hw, &card->pre_eol_info, "%s/pre_eol_info", found->dir);
	if (!found->disk[0])
		report_no_disk(hw, probe, found);
	else if (is_sd)
		report_sd(probe, found->name, card);
	else if (found->type[0] || card->life_time.error == 0)
		report_mmc(hw, probe, found->name, found->dir);
	else
		probe_node(probe, found->name, OUTCOME_OK, "",
			   "card of a kind that cannot be read");
	sysfs_node_report_denied(probe, &m->nodes, m->nodes.n - 1);
	return 0;
}

static void report_none(struct hw *hw, struct probe *probe, const struct mmc_cards *cards)
{
	static const struct need need = {
		"CONFIG_MMC", "mmc_core", OUTCOME_NO_HARDWARE,
		"with a card there: the driver of its host (CONFIG_MMC_SDHCI_...)"};

	if (cards->error == -EACCES || cards->error == -EPERM)
		probe_collector(probe, OUTCOME_DENIED,
				"Android: allow the domain to read sysfs (block and mmc_host)",
				"neither /sys/block nor /sys/class/mmc_host may be listed");
	else if (cards->n_hosts)
		probe_collector(probe, OUTCOME_NO_HARDWARE, "put a card in",
				"%zu host%s in /sys/class/mmc_host, and no MMC or SD card",
				cards->n_hosts, cards->n_hosts == 1 ? "" : "s");
	else
		reason_option(hw, probe, "", &need,
			      "no mmcblkN in /sys/block and no host in /sys/class/mmc_host");
}

static void statep(struct mmc **m)
{
	if (*m)
		mmc_close(*m);
}

static const struct group groups[] = {
	{
		.name = "mmc",
		.help = "What MMC and SD cards are and how worn, as the kernel read it when it "
			"found them.",
		.cost = COST_F,
		.period_ms = 10000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.derived = derived,
		.n_derived = ARRAY_SIZE(derived),
		.node = "card by its disk (mmcblkN), kept apart by CID or slot",
		.absence = "cards of this kind, or this kernel, do not have it",
	},
};

static int mmc_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(mmc_cards_done) struct mmc_cards cards = {0};
	CLEANUP(statep) struct mmc *m = calloc(1, sizeof(*m));
	int r = m ? mmc_cards_find(hw, &cards) : -ENOMEM;

	if (r < 0)
		return r;
	m->nodes.group = &groups[0];
	for (size_t i = 0; i < cards.n; i++) {
		const struct mmc_card *card = &cards.v[i];

		if (!strcmp(card->type, "SDIO"))
			probe_node(probe, card->name, OUTCOME_UNSUPPORTED, "",
				   "SDIO card: no storage");
		else
			r = add_card(hw, m, probe, card);
		if (r < 0)
			return r;
	}
	if (!m->nodes.n) {
		report_none(hw, probe, &cards);
		return -ENOENT;
	}
	*ret_state = m;
	m = NULL;
	return 0;
}

const struct collector collector_mmc = {
	.name = "mmc",
	.help = "MMC and SD cards.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = mmc_probe,
	.sample = mmc_sample,
	.close = mmc_close,
};
