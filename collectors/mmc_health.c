/* What an eMMC says of itself now: its register EXT_CSD, read anew by CMD8.
 * JEDEC JESD84-B51, Extended CSD register; Linux drivers/mmc/core/block.c
 *
 * The kernel asks for the register once, when it finds the card, so what sysfs has of it is as old
 * as that (collector mmc). Each sample here is a command to the card. With command queueing the
 * driver lets the queue run empty and switches it off and on again around it, so all I/O of the
 * card waits; that is why nobody gets it who did not ask for it.
 *
 * It goes to the disk of an eMMC alone: to SD cards the same number is another command. A card that
 * sleeps, or is not the one that was probed, is not asked, and nothing is asked on an Android that
 * was sold. What failed is asked again seldom or never (model/asking.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/android.h"
#include "model/asking.h"
#include "model/collector.h"
#include "model/ext_csd.h"
#include "model/flaw.h"
#include "model/mmc.h"
#include "model/mmc_cards.h"
#include "model/mmc_command.h"
#include "model/mmc_life.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"

static const struct asking asking = {
	.key = "mmc_health", .n_devices = MMC_CARDS_MAX, .n_questions = 1};

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
	REV,
	SIZE,
	BKOPS_STATUS,
	BKOPS_MANUAL,
	BKOPS_AUTO,
	EXCEPTIONS,
	CACHE_SIZE,
	CACHE_ON,
	CMDQ_EN,
	CMDQ_DEPTH,
	TIMING,
	DRIVER_STRENGTH,
	BUS_WIDTH,
	BUS_BOTH_EDGES,
	POWER_OFF_NOTIFICATION,
	SECTOR_SIZE,
	N_NUMBERS,
	EXCEPTION_NAMES = N_NUMBERS,
	FIRMWARE,
	HEALTH_REPORT,
	PROBLEM,
	N_FIELDS
};

#define NO_LIFE   "a revision before 7, or a card that says 0x00 (not defined)"
#define NO_BKOPS  "a card without background operations, or a revision before 5"
#define BEFORE_45 "a revision before 6 (eMMC 4.5)"
#define NO_CMDQ   "a card without command queueing, or a revision before 8"

/* clang-format off */
static const struct field fields[N_FIELDS] = {
	[LIFE_TIME_A]  = {"life_time_a", UNIT_NONE, KIND_GAUGE,
			  "Life used of memory type A: 1 is 0 to 10 %, 10 is 90 to 100 %, 11 is above.",
			  .absence = NO_LIFE},
	[LIFE_TIME_B]  = {"life_time_b", UNIT_NONE, KIND_GAUGE,
			  "Life used of memory type B, in the same code.", .absence = NO_LIFE},
	[PRE_EOL_INFO] = {"pre_eol_info", UNIT_NONE, KIND_STATE,
			  "Spare blocks: warning is 80 % of them used, urgent 90 %.",
			  .states = mmc_pre_eol_states, .absence = NO_LIFE},
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
	[REV]          = {"rev", UNIT_COUNT, KIND_GAUGE,
			  "Revision of EXT_CSD: 5 is eMMC 4.41, 6 is 4.5, 7 is 5.0, 8 is 5.1."},
	[SIZE]         = {"size", UNIT_SECTORS, KIND_GAUGE, "Size of the user area, by the card (SEC_COUNT).",
			  .absence = "a card of up to 2 GiB"},
	[BKOPS_STATUS] = {"bkops_status", UNIT_NONE, KIND_STATE,
			  "Background operations that the card would like to do.",
			  .states = ext_csd_bkops_states, .absence = NO_BKOPS},
	[BKOPS_MANUAL] = {"bkops_manual", UNIT_NONE, KIND_GAUGE,
			  "1 when the host starts background operations.", .absence = NO_BKOPS},
	[BKOPS_AUTO]   = {"bkops_auto", UNIT_NONE, KIND_GAUGE,
			  "1 when the card starts background operations by itself.",
			  .absence = "a card without background operations, or a revision before 8"},
	[EXCEPTIONS]   = {"exception_events_status", UNIT_NONE, KIND_GAUGE,
			  "Bits of what the card wants to be noticed.", .absence = BEFORE_45},
	[CACHE_SIZE]   = {"cache_size", UNIT_BYTES, KIND_GAUGE, "Size of the volatile cache; 0 is none.",
			  .absence = BEFORE_45},
	[CACHE_ON]     = {"cache_ctrl", UNIT_NONE, KIND_GAUGE, "1 when the volatile cache is on.",
			  .absence = "a card without a cache, or a revision before 6"},
	[CMDQ_EN]      = {"cmdq_en", UNIT_NONE, KIND_GAUGE,
			  "Command queueing, 1 or 0, as the driver had it before this question: it answers "
			  "with the queue off.",
			  .absence = "the kernel does not show it"},
	[CMDQ_DEPTH]   = {"cmdq_depth", UNIT_COUNT, KIND_GAUGE, "Commands that fit into the card's queue.",
			  .absence = NO_CMDQ},
	[TIMING]       = {"hs_timing", UNIT_NONE, KIND_STATE, "Timing of the bus.",
			  .states = ext_csd_timing_states},
	[DRIVER_STRENGTH] = {"driver_strength", UNIT_NONE, KIND_GAUGE, "Type of the card's line drivers."},
	[BUS_WIDTH]    = {"bus_width", UNIT_COUNT, KIND_GAUGE, "Data lines of the bus.",
			  .absence = "one line, or a card that does not show what the host has written"},
	[BUS_BOTH_EDGES] = {"bus_both_edges", UNIT_NONE, KIND_GAUGE,
			  "1 when data goes over the bus at both edges of its clock.",
			  .absence = "one line, or a card that does not show what the host has written"},
	[POWER_OFF_NOTIFICATION] = {"power_off_notification", UNIT_NONE, KIND_STATE,
			  "Whether and how the host tells the card that power will go.",
			  .states = ext_csd_power_off_states, .absence = BEFORE_45},
	[SECTOR_SIZE]  = {"data_sector_size", UNIT_BYTES, KIND_GAUGE, "Sector that the card is addressed by.",
			  .absence = BEFORE_45},
	[EXCEPTION_NAMES] = {"exception_events", UNIT_NONE, KIND_INFO,
			  "The bits of exception_events_status by name.", .absence = "no bit is set"},
	[FIRMWARE]     = {"firmware_version", UNIT_NONE, KIND_INFO,
			  "Firmware: a text, or eight bytes in hexadecimal.",
			  .absence = "a revision before 7"},
	[HEALTH_REPORT] = {"vendor_health_report", UNIT_NONE, KIND_INFO,
			  "32 bytes of the vendor in hexadecimal; only the vendor knows what they mean.",
			  .absence = "a revision before 7, or all of it is zero"},
	[PROBLEM]      = {"problem", UNIT_NONE, KIND_INFO, "Why the card did not give the register.",
			  .absence = "it gave it", .explains = true},
};
/* clang-format on */

static const struct mmc_life_fields life_fields = {
	.life_time_a = LIFE_TIME_A,
	.life_time_b = LIFE_TIME_B,
	.pre_eol_info = PRE_EOL_INFO,
	.used_a = USED_A_LOW,
	.used_b = USED_B_LOW,
	.used = USED_LOW,
};

struct card {
	struct mmc_card found;
	char block[HW_PATH_MAX]; /* directory of the disk, with its device number */
	struct asked *asked;     /* owned by hw */
};

struct health {
	struct card *cards;
	size_t n;
};

static void health_close(void *state)
{
	struct health *h = state;

	free(h->cards);
	free(h);
}

/* Its successor may have taken its names; 0, -ENODEV, or the error of a read. */
static int check_same(struct hw *hw, const struct card *card)
{
	char type[MMC_TYPE_MAX], cid[MMC_CID_MAX];
	int r = hw_read_line(hw, type, sizeof(type), "%s/type", card->found.dir);

	if (r >= 0)
		r = hw_read_line(hw, cid, sizeof(cid), "%s/cid", card->found.dir);
	if (r < 0)
		return r == -ENOENT ? -ENODEV : r;
	return !strcmp(type, "MMC") && !strcmp(cid, card->found.cid) ? 0 : -ENODEV;
}

/* 0 when it is awake; -EHOSTDOWN; -EIO in an error of its power management; or the error of the
 * read. Without runtime power management cards do not sleep. */
static int check_awake(struct hw *hw, const struct card *card)
{
	char status[32];
	int r = hw_read_line(hw, status, sizeof(status), "%s/power/runtime_status",
			     card->found.dir);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	if (!strcmp(status, "active") || !strcmp(status, "unsupported"))
		return 0;
	return strcmp(status, "error") ? -EHOSTDOWN : -EIO;
}

static const char *why_not_ready(struct hw *hw, const struct card *card, int error)
{
	if (error == -ENODEV)
		return "the card is gone";
	return check_awake(hw, card) == -EIO ? "the power management of the device is in an error"
					     : "nobody knows whether the card is awake";
}

static void say_problem(struct hw *hw, struct sink *sink, struct row *row,
			const struct asked *asked)
{
	char buf[INFO_TEXT_MAX], flaw_buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf), flaw = TEXT_IN(flaw_buf);
	const char *why = NULL;

	flaw_text(&flaw, asked->status, EXT_CSD_BYTES);
	if (flaw.len)
		why = flaw_buf;
	else if (asked->error == -ENODATA)
		why = "all bytes of the answer are alike";
	else if (asked->error == -EACCES || asked->error == -EPERM)
		why = "needs CAP_SYS_RAWIO";
	else if (asked->error == -ENOENT)
		why = hw_is_live(hw) ? "no node of the disk below /dev"
				     : "no answer of it is recorded in this tree";
	else if (asked->error == -ETIMEDOUT)
		why = "the card did not answer in time";
	else if (asked->error == -EILSEQ)
		why = "the answer came with a wrong checksum";
	asked_text(asked, why, &text);
	row_text(sink, row, PROBLEM, buf);
}

static void fail_all(struct row *row, int error)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (i != CMDQ_EN)
			row_result(row, i, error, 0);
	row_result(row, EXCEPTION_NAMES, error, 0);
}

static void set(struct row *row, size_t field, int64_t value)
{
	if (value >= 0)
		row_set(row, field, value);
}

/* A code without a word is reserved. */
static void set_state(struct row *row, size_t field, int64_t code)
{
	int64_t n = 0;

	while (fields[field].states[n])
		n++;
	set(row, field, code);
	if (code >= n)
		row_flag(row, field, FLAG_IMPLAUSIBLE);
}

static void name_exceptions(struct sink *sink, struct row *row, int64_t bits)
{
	char buf[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	for (unsigned i = 0; i < 16 && bits > 0; i++) {
		if (!(bits >> i & 1))
			continue;
		text_str(&text, text.len ? ", " : "");
		if (i < EXT_CSD_N_EXCEPTIONS)
			text_str(&text, ext_csd_exceptions[i]);
		else
			text_printf(&text, "bit %u", i);
	}
	if (text.len)
		row_text(sink, row, EXCEPTION_NAMES, buf);
}

static void fill(struct sink *sink, struct row *row, const struct ext_csd *csd)
{
	if (csd->life_time_a >= 0) {
		mmc_life_set(row, &life_fields, csd->life_time_a, csd->life_time_b);
		mmc_pre_eol_set(row, &life_fields, csd->pre_eol_info);
	}
	set(row, REV, csd->rev);
	set(row, SIZE, csd->sectors);
	set_state(row, BKOPS_STATUS, csd->bkops_status);
	set(row, BKOPS_MANUAL, csd->bkops_manual);
	set(row, BKOPS_AUTO, csd->bkops_auto);
	set(row, EXCEPTIONS, csd->exceptions);
	set(row, CACHE_SIZE, csd->cache_bytes);
	set(row, CACHE_ON, csd->cache_on);
	set(row, CMDQ_DEPTH, csd->cmdq_depth);
	set_state(row, TIMING, csd->timing);
	set(row, DRIVER_STRENGTH, csd->driver_strength);
	set(row, BUS_WIDTH, csd->bus_width);
	set(row, BUS_BOTH_EDGES, csd->bus_both_edges);
	set_state(row, POWER_OFF_NOTIFICATION, csd->power_off_notification);
	set(row, SECTOR_SIZE, csd->sector_bytes);
	name_exceptions(sink, row, csd->exceptions);
	if (csd->firmware[0])
		row_text(sink, row, FIRMWARE, csd->firmware);
	if (csd->health[0])
		row_text(sink, row, HEALTH_REPORT, csd->health);
}

static int ask(struct hw *hw, const struct card *card, struct ext_csd *ret)
{
	uint8_t bytes[EXT_CSD_BYTES];
	int flaw, r = asked_turn(card->asked);

	if (r < 0)
		return r;
	r = mmc_read_ext_csd(hw, card->found.disk, card->block, bytes, &flaw);
	if (r == 0)
		r = ext_csd_decode(bytes, ret);
	asked_note(card->asked, r, flaw);
	return r;
}

static int sample_card(struct hw *hw, const struct card *card, struct sink *sink, struct row *row)
{
	struct ext_csd csd;
	int64_t cmdq_en = 0;
	int r_cmdq = hw_read_i64(hw, &cmdq_en, "%s/cmdq_en", card->found.dir);
	int r = ask(hw, card, &csd);

	if (r < 0) {
		fail_all(row, r);
		say_problem(hw, sink, row, card->asked);
		return r;
	}
	row_result(row, CMDQ_EN, r_cmdq, cmdq_en);
	fill(sink, row, &csd);
	return 0;
}

static int health_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct health *h = state;
	bool gone = false;

	(void)group; /* there is only one */
	for (size_t i = 0; i < h->n; i++) {
		const struct card *card = &h->cards[i];
		struct row *row = sink_row(sink, card->found.name, card->found.identity);
		int r = check_same(hw, card);

		if (r == 0)
			r = check_awake(hw, card);
		if (r == 0) {
			r = sample_card(hw, card, sink, row);
		} else if (r == -EHOSTDOWN) {
			row->suspended = true;
		} else {
			row_text(sink, row, PROBLEM, why_not_ready(hw, card, r));
			fail_all(row, r);
		}
		gone = gone || r == -ENODEV;
	}
	return gone ? -ENODEV : 0;
}

static int add_card(struct hw *hw, struct health *h, const struct mmc_card *found,
		    struct asked *asked)
{
	struct card *grown = realloc(h->cards, (h->n + 1) * sizeof(*grown));
	int r;

	if (!grown)
		return -ENOMEM;
	h->cards = grown;
	grown[h->n] = (struct card){.found = *found, .asked = asked};
	r = block_dir(hw, found->disk, grown[h->n].block, sizeof(grown[h->n].block));
	if (r == 0)
		h->n++;
	return r;
}

/* By the files that cost nothing. */
static void report_card(struct hw *hw, struct probe *probe, const struct card *card)
{
	int r = check_awake(hw, card);
	const char *why = r < 0 ? why_not_ready(hw, card, r) : "";

	if (r == 0)
		r = mmc_may_answer(hw, card->found.disk);
	reason_asked(probe, card->found.name,
		     "eMMC: the register is asked for by a command to the card", r, why);
}

static int take_card(struct hw *hw, struct health *h, struct asked_device *devices,
		     struct probe *probe, const struct mmc_card *found)
{
	struct asked_device *device = asking_find(devices, &asking, found->name, found->identity);
	int r = device ? add_card(hw, h, found, device->asked) : 0;

	if (is_want(r))
		return r;
	if (!device)
		probe_node(probe, found->name, OUTCOME_FAILED, "", "more than %d cards",
			   MMC_CARDS_MAX);
	else if (r < 0)
		probe_node(probe, found->name, outcome_of_error(r), "", "the disk is gone");
	else if (!mmc_may_command(hw))
		probe_node(probe, found->name, OUTCOME_DENIED, "as root, or with CAP_SYS_RAWIO",
			   "the kernel lets nobody else send the command");
	else
		report_card(hw, probe, &h->cards[h->n - 1]);
	return 0;
}

/* Only what says that it is an eMMC, and can be told from another, is asked. */
static int look_at(struct hw *hw, struct health *h, struct asked_device *devices,
		   struct probe *probe, const struct mmc_card *found)
{
	if (!probe_takes(probe, found->name))
		return 0;
	if (found->type[0] && strcmp(found->type, "MMC") != 0)
		probe_node(probe, found->name, OUTCOME_UNSUPPORTED, "",
			   "%s card, no eMMC: to it the same number is another command",
			   found->type);
	else if (!found->type[0] || !found->cid[0])
		probe_node(probe, found->name, OUTCOME_FAILED, denied_advice,
			   "%s cannot be read, so it is not asked",
			   found->type[0] ? "cid" : "type");
	else if (!found->disk[0])
		probe_node(probe, found->name, OUTCOME_DISABLED, "bind the driver mmcblk",
			   "no block driver has the card");
	else
		return take_card(hw, h, devices, probe, found);
	return 0;
}

static int find_cards(struct hw *hw, struct health *h, struct probe *probe)
{
	CLEANUP(mmc_cards_done) struct mmc_cards cards = {0};
	struct asked_device *devices = asking_begin(hw, &asking);
	int r = devices ? mmc_cards_find(hw, &cards) : -ENOMEM;

	for (size_t i = 0; i < cards.n && r >= 0; i++)
		r = look_at(hw, h, devices, probe, &cards.v[i]);
	if (r == 0 && !h->n && probe->n_items == 1)
		probe_collector(probe, OUTCOME_NO_HARDWARE, "see what the collector mmc says",
				"no eMMC");
	else if (r == 0 && !h->n)
		probe_collector(probe, OUTCOME_NO_HARDWARE,
				"flashscope probe mmc_health says why of each card",
				"no eMMC that could be asked");
	return r;
}

/* 0 where cards may be asked; -EPERM, said, on an Android that is not for those who work on it; or
 * want of a descriptor to look with. */
static int check_android(struct hw *hw, struct probe *probe)
{
	static const char advice[] = "a build of the type userdebug or eng";
	char type[ANDROID_TYPE_MAX];
	int r = android_build_type(hw, type);

	if (r == -ENOENT || is_want(r))
		return r == -ENOENT ? 0 : r;
	if (r == -ENODATA)
		probe_collector(probe, OUTCOME_DISABLED, advice,
				"an Android whose ro.build.type is not known: no card is asked");
	else if (r < 0)
		probe_collector(probe, outcome_of_error(r), advice,
				"an Android whose ro.build.type cannot be read: no card is asked");
	else if (!strcmp(type, "user"))
		probe_collector(probe, OUTCOME_DISABLED, advice,
				"an Android whose ro.build.type is user: no card is asked");
	else
		return 0;
	return -EPERM;
}

static void statep(struct health **h)
{
	if (*h)
		health_close(*h);
}

static int health_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	CLEANUP(statep) struct health *h = calloc(1, sizeof(*h));
	int r = h ? check_android(hw, probe) : -ENOMEM;

	if (r == 0)
		r = find_cards(hw, h, probe);
	if (r < 0)
		return r;
	if (!h->n)
		return -ENOENT;
	*ret_state = h;
	h = NULL;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "mmc_health",
		.help = "Wear and settings of eMMC cards, as the card answers now.",
		.cost = COST_Q,
		.period_ms = 24 * 3600 * 1000,
		.least_period_ms = 3600 * 1000,
		.fields = fields,
		.n_fields = N_FIELDS,
		.node = "eMMC by its disk (mmcblkN), kept apart by CID",
		.absence = "the card was not asked, since it sleeps",
	},
};

const struct collector collector_mmc_health = {
	.name = "mmc_health",
	.help = "Wear of eMMC cards, by a command to them.",
	.opt_in = "I/O of the card waits for each question: with command queueing the driver "
		  "lets the queue run empty, and switches it off and on again",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = health_probe,
	.sample = health_sample,
	.close = health_close,
};
