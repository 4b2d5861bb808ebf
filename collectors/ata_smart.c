/* What an ATA disk says of its own health: its SMART attributes and its own judgement, and
 * IDENTIFY DEVICE.
 * ATA/ATAPI Command Set (ACS-3), feature set SMART.
 *
 * Each sample is commands to the disk, so this is of class Q. None is sent to a disk that the
 * kernel has suspended. One that does not spin is asked for its power mode alone, which leaves it
 * as it is, and that not again for a while, unless something is read or written. What failed is
 * asked again seldom or never (model/asking.h). SMART that is switched off is not switched on.
 * Disks on USB are left out: some bridges hang on such commands.
 *
 * A disk that is awake counts the commands as use, so one with a standby timer longer than the
 * period does not fall asleep. The log of device statistics, which has what was written in a unit
 * of the standard, is not read: there are disks that hang when their logs are listed
 * (ATA_HORKAGE_NO_LOG_DIR in drivers/ata/libata-core.c). */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hw.h"
#include "base/text.h"
#include "model/asking.h"
#include "model/ata_command.h"
#include "model/ata_device.h"
#include "model/ata_smart.h"
#include "model/collector.h"
#include "model/flaw.h"
#include "model/node_file.h"
#include "model/probe.h"
#include "model/reason.h"
#include "model/scsi_disks.h"

enum question { ASK_POWER, ASK_IDENTIFY, ASK_DATA, ASK_THRESHOLDS, ASK_STATUS, N_QUESTIONS };

#define DISKS_MAX 64

/* A third of the default period: a device that sleeps is looked at more often than that. */
#define STANDBY_MS (20 * 60 * 1000)
#define IO_MAX     256

/* That a disk was in standby when it was asked, and what it had done until then. */
struct standby {
	uint8_t is_known; /* 0 or 1 */
	int64_t at_ms;    /* of the boot clock */
	char io[IO_MAX];  /* the line of its file stat; "": none */
};

static const struct asking asking = {.key = "ata_smart",
				     .n_devices = DISKS_MAX,
				     .n_questions = N_QUESTIONS,
				     .known_bytes = sizeof(struct standby)};

enum {
	STATUS,
	TEMPERATURE,
	POWER_ON_TIME,
	POWER_CYCLES,
	REALLOCATED,
	PENDING,
	OFFLINE_UNCORRECTABLE,
	UNCORRECTED,
	CRC_ERRORS,
	LIFE_LEFT,
	LIFE_LEFT_ATTRIBUTE,
	WRITTEN,
	FAILING,
	FAILED,
	ROTATION_RATE,
	MODEL,
	SERIAL,
	FIRMWARE,
	PROBLEM,
};

static const char *const states[] = {"good", "failing", NULL};

/* clang-format off */
static const struct field fields[] = {
	[STATUS]        = {"status", UNIT_NONE, KIND_STATE,
			   "What the disk thinks of itself; failing: a prefail attribute is at its threshold.", .states = states},
	[TEMPERATURE]   = {"temperature", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature, of attribute 194 or else 190."},
	[POWER_ON_TIME] = {"power_on_time", UNIT_HOURS, KIND_COUNTER,
			   "Time switched on (attribute 9); a few disks before 2008 count minutes or seconds."},
	[POWER_CYCLES]  = {"power_cycles", UNIT_COUNT, KIND_COUNTER, "Times it was switched on (attribute 12)."},
	[REALLOCATED]   = {"reallocated_sectors", UNIT_COUNT, KIND_COUNTER,
			   "Sectors that were replaced by spare ones (attribute 5); of an SSD blocks."},
	[PENDING]       = {"pending_sectors", UNIT_COUNT, KIND_GAUGE,
			   "Sectors that could not be read and wait to be written (attribute 197)."},
	[OFFLINE_UNCORRECTABLE] = {"offline_uncorrectable", UNIT_COUNT, KIND_GAUGE,
				   "Sectors that the disk's own scan could not read (attribute 198)."},
	[UNCORRECTED]   = {"uncorrected_errors", UNIT_COUNT, KIND_COUNTER,
			   "Errors that it could not correct and told the host of (attribute 187)."},
	[CRC_ERRORS]    = {"crc_errors", UNIT_COUNT, KIND_COUNTER,
			   "Errors on the link (attribute 199): cable, connector or backplane, seldom the disk."},
	[LIFE_LEFT]     = {"life_left", UNIT_PERCENT, KIND_GAUGE,
			   "Part of the life of an SSD that its vendor thinks is left.",
			   .absence = "the disk rotates, or says so in none of the attributes that are known"},
	[LIFE_LEFT_ATTRIBUTE] = {"life_left_attribute", UNIT_NONE, KIND_GAUGE,
				 "Attribute that life_left is the value of; its meaning is the vendor's.",
				 .absence = "there is no life_left"},
	[WRITTEN]       = {"written", UNIT_NONE, KIND_COUNTER,
			   "Attribute 241 as it stands: written by the host, in a unit of the vendor (512 bytes, 32 MiB, 1 GiB)."},
	[FAILING]       = {"failing_attributes", UNIT_NONE, KIND_INFO,
			   "Attributes that are at their threshold or below it: as they warn of failure (prefail) or of age.",
			   .absence = "there is none"},
	[FAILED]        = {"failed_attributes", UNIT_NONE, KIND_INFO, "Attributes that were, and are not now.",
			   .absence = "there is none"},
	[ROTATION_RATE] = {"rotation_rate", UNIT_NONE, KIND_GAUGE,
			   "Rotations per minute; 1 for a disk that does not rotate.", .absence = "the disk does not say"},
	[MODEL]         = {"model", UNIT_NONE, KIND_INFO, "Model of the disk."},
	[SERIAL]        = {"serial", UNIT_NONE, KIND_INFO, "Serial number of the disk."},
	[FIRMWARE]      = {"firmware", UNIT_NONE, KIND_INFO, "Revision of the firmware."},
	[PROBLEM]       = {"problem", UNIT_NONE, KIND_INFO, "What the disk did not answer, and why.",
			   .absence = "it answered all", .explains = true},
};
/* clang-format on */

/* Attributes whose raw value is a count. Where the vendors keep other things in the upper bytes,
 * the lower ones count. */
static const struct {
	size_t field;
	uint8_t id, bits;
} counts[] = {
	{POWER_ON_TIME, ATA_ATTRIBUTE_POWER_ON, 24},
	{POWER_CYCLES, ATA_ATTRIBUTE_POWER_CYCLES, 32},
	{REALLOCATED, ATA_ATTRIBUTE_REALLOCATED, 32},
	{PENDING, ATA_ATTRIBUTE_PENDING, 32},
	{OFFLINE_UNCORRECTABLE, ATA_ATTRIBUTE_OFFLINE_UNCORRECTABLE, 32},
	{UNCORRECTED, ATA_ATTRIBUTE_UNCORRECTED, 16},
	{CRC_ERRORS, ATA_ATTRIBUTE_CRC_ERRORS, 32},
	{WRITTEN, ATA_ATTRIBUTE_WRITTEN, 48},
};

#define POWER_ON_MAX_HOURS      (40 * 8766) /* as long as there has been SMART, and some */
#define TEMPERATURE_MIN_CELSIUS (-50)
#define TEMPERATURE_MAX_CELSIUS 120

struct disk {
	char name[NODE_NAME_MAX], identity[NODE_IDENTITY_MAX];
	char dir[HW_PATH_MAX];   /* of its SCSI device */
	struct asked *asked;     /* N_QUESTIONS, owned by hw */
	struct standby *standby; /* likewise */
};

struct smart {
	struct disk *disks;
	size_t n;
};

static void smart_close(void *state)
{
	struct smart *s = state;

	free(s->disks);
	free(s);
}

static void statep(struct smart **s)
{
	if (*s)
		smart_close(*s);
}

/* What one sample of a disk has learned. */
struct answers {
	uint8_t identify_page[ATA_PAGE_BYTES], data[ATA_PAGE_BYTES], thresholds[ATA_PAGE_BYTES];
	struct ata_identify identify;
	bool is_standby, is_failing, has_status, has_thresholds;
};

static int send(struct hw *hw, const char *name, enum question question, struct answers *a,
		int *ret_status)
{
	switch (question) {
	case ASK_POWER:
		return ata_check_power(hw, name, &a->is_standby, ret_status);
	case ASK_IDENTIFY:
		return ata_read_identify(hw, name, a->identify_page, ret_status);
	case ASK_DATA:
		return ata_read_smart(hw, name, a->data, ret_status);
	case ASK_THRESHOLDS:
		return ata_read_thresholds(hw, name, a->thresholds, ret_status);
	case ASK_STATUS:
		return ata_smart_status(hw, name, &a->is_failing, ret_status);
	case N_QUESTIONS:
		break;
	}
	return -EINVAL;
}

static int judge_page(const uint8_t page[ATA_PAGE_BYTES], bool is_identify, int *ret_flaw)
{
	int r = flaw_check_page(page, ATA_PAGE_BYTES, ret_flaw);

	if (r < 0)
		return r;
	if (ata_page_is_sound(page, is_identify))
		return 0;
	*ret_flaw = FLAW_CHECKSUM;
	return -EBADMSG;
}

static int judge_answer(enum question question, const struct answers *a, int *ret_flaw)
{
	switch (question) {
	case ASK_IDENTIFY:
		return judge_page(a->identify_page, true, ret_flaw);
	case ASK_DATA:
		return judge_page(a->data, false, ret_flaw);
	case ASK_THRESHOLDS:
		return judge_page(a->thresholds, false, ret_flaw);
	case ASK_POWER:
	case ASK_STATUS:
	case N_QUESTIONS:
		break;
	}
	return 0;
}

/* -EHOSTDOWN when the disk is not to be woken. */
static int ask(struct hw *hw, const struct disk *disk, enum question question, struct answers *a)
{
	struct asked *asked = &disk->asked[question];
	int status, r = ata_disk_ready(hw, disk->dir);

	if (r == 0)
		r = asked_turn(asked);
	if (r < 0)
		return r;
	r = send(hw, disk->name, question, a, &status);
	if (r == 0)
		r = judge_answer(question, a, &status);
	asked_note(asked, r, status);
	return r;
}

/* Why there was no answer, where the errno does not tell. */
static const char *why_not(struct hw *hw, const struct asked *asked, char *buf, size_t size)
{
	struct text flaw = text_in(buf, size);

	flaw_text(&flaw, asked->status, ATA_PAGE_BYTES);
	if (flaw.len)
		return buf;
	if (asked->error == -EACCES || asked->error == -EPERM)
		return "needs CAP_SYS_RAWIO, and to open the disk";
	if (asked->error == -ENOENT && !hw_is_live(hw))
		return "no answer of it is recorded in this tree";
	if (asked->status > 0) {
		snprintf(buf, size, "the disk %s the command (error %02Xh, status %02Xh)",
			 asked->error == -EINVAL ? "aborted" : "failed",
			 (unsigned)asked->status >> 8, (unsigned)asked->status & 0xff);
		return buf;
	}
	if (asked->error == -EINTR || asked->error == -ETIMEDOUT)
		return "the command timed out, and the driver resets the link";
	return NULL;
}

/* what: of the answers, when there are others; NULL. */
static void say_problem(struct hw *hw, struct sink *sink, struct row *row, const char *what,
			const struct asked *asked)
{
	char buf[INFO_TEXT_MAX], why[INFO_TEXT_MAX];
	struct text text = TEXT_IN(buf);

	if (what)
		text_printf(&text, "%s: ", what);
	asked_text(asked, why_not(hw, asked, why, sizeof(why)), &text);
	row_text(sink, row, PROBLEM, buf);
}

/* Why the disk cannot be asked, whatever the question: error of ata_disk_ready(). NULL for 0. */
static const char *not_ready_text(int error)
{
	switch (error) {
	case 0:
		return NULL;
	case -EIO:
		return "the power management of the device is in an error";
	case -ENODEV:
		return "the disk is gone";
	case -EHOSTDOWN:
		return "it fell asleep";
	default:
		return "whether the disk sleeps cannot be read";
	}
}

/* Without thresholds nobody knows which attributes fail. */
static void fail_names(struct row *row, int error)
{
	row_result(row, FAILING, error, 0);
	row_result(row, FAILED, error, 0);
}

/* Nothing is known of the attributes, by an error. */
static void fail_all(struct row *row, int error)
{
	row_result(row, STATUS, error, 0);
	row_result(row, TEMPERATURE, error, 0);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].field != WRITTEN)
			row_result(row, counts[i].field, error, 0);
	fail_names(row, error);
}

static void put_identify(struct sink *sink, struct row *row, const struct ata_identify *identify)
{
	const struct {
		size_t field;
		const char *text;
	} texts[] = {
		{MODEL, identify->model},
		{SERIAL, identify->serial},
		{FIRMWARE, identify->firmware},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (*texts[i].text)
			row_text(sink, row, texts[i].field, texts[i].text);
	if (identify->rotation_rate)
		row_set(row, ROTATION_RATE, identify->rotation_rate);
}

static void put_numbers(struct row *row, const struct ata_smart *smart)
{
	int64_t value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		int r = ata_smart_count(smart, counts[i].id, counts[i].bits, &value);

		row_result(row, counts[i].field, r, value);
		if (r == 0 && counts[i].field == POWER_ON_TIME && value > POWER_ON_MAX_HOURS)
			row_flag(row, POWER_ON_TIME, FLAG_IMPLAUSIBLE);
	}
	if (ata_smart_temperature(smart, &value) < 0)
		return;
	row_set(row, TEMPERATURE, value);
	if (value < TEMPERATURE_MIN_CELSIUS * 1000 || value > TEMPERATURE_MAX_CELSIUS * 1000)
		row_flag(row, TEMPERATURE, FLAG_IMPLAUSIBLE);
}

static void put_life(struct row *row, const struct ata_smart *smart)
{
	int64_t percent;
	uint8_t id;

	if (ata_smart_life_left(smart, &percent, &id) < 0)
		return;
	row_set(row, LIFE_LEFT, percent);
	row_set(row, LIFE_LEFT_ATTRIBUTE, id);
}

/* "5 (prefail), 194" */
static void name_attribute(struct text *text, const struct ata_attribute *attribute)
{
	text_printf(text, "%s%u%s", text->len ? ", " : "", attribute->id,
		    attribute->is_prefail ? " (prefail)" : "");
}

static void name_failures(struct sink *sink, struct row *row, const struct ata_smart *smart)
{
	char now[INFO_TEXT_MAX], past[INFO_TEXT_MAX];
	struct text failing = TEXT_IN(now), failed = TEXT_IN(past);

	for (size_t i = 0; i < smart->n; i++) {
		const struct ata_attribute *attribute = &smart->v[i];

		if (ata_attribute_fails(attribute))
			name_attribute(&failing, attribute);
		else if (ata_attribute_failed(attribute))
			name_attribute(&failed, attribute);
	}
	if (failing.len)
		row_text(sink, row, FAILING, now);
	if (failed.len)
		row_text(sink, row, FAILED, past);
}

static void put_answers(struct sink *sink, struct row *row, const struct answers *a)
{
	struct ata_smart smart;

	ata_smart_parse(a->data, a->has_thresholds ? a->thresholds : NULL, &smart);
	put_numbers(row, &smart);
	if (a->identify.rotation_rate == 1)
		put_life(row, &smart);
	if (a->has_thresholds)
		name_failures(sink, row, &smart);
}

/* Gone, or fallen asleep: then it is not asked for more. */
static bool is_away(int error)
{
	return error == -ENODEV || error == -EHOSTDOWN;
}

/* The questions on SMART, once the disk is known to have it. The first problem is told. */
static int ask_smart(struct hw *hw, const struct disk *disk, struct answers *a, struct sink *sink,
		     struct row *row)
{
	int r = ask(hw, disk, ASK_DATA, a), thresholds, status;

	if (r < 0)
		return r;
	thresholds = ask(hw, disk, ASK_THRESHOLDS, a);
	if (is_away(thresholds))
		return thresholds;
	status = ask(hw, disk, ASK_STATUS, a);
	if (is_away(status))
		return status;
	a->has_thresholds = thresholds == 0;
	row_result(row, STATUS, status, a->is_failing);
	put_answers(sink, row, a);
	if (thresholds < 0) {
		fail_names(row, thresholds);
		say_problem(hw, sink, row, "thresholds", &disk->asked[ASK_THRESHOLDS]);
	} else if (status < 0) {
		say_problem(hw, sink, row, "status", &disk->asked[ASK_STATUS]);
	}
	return 0;
}

/* Without a command. */
static void read_io(struct hw *hw, const struct disk *disk, char io[IO_MAX])
{
	if (hw_read_line(hw, io, IO_MAX, "sys/class/block/%s/stat", disk->name) < 0)
		io[0] = '\0';
}

/* A disk in standby stays there until it has something to do. */
static bool is_still_standby(struct hw *hw, const struct disk *disk)
{
	const struct standby *standby = disk->standby;
	char io[IO_MAX];
	int64_t now_ms;

	if (!standby->is_known || hw_boot_ms(hw, &now_ms) < 0 || now_ms < standby->at_ms ||
	    standby->at_ms <= now_ms - STANDBY_MS)
		return false;
	read_io(hw, disk, io);
	return !strncmp(io, standby->io, IO_MAX);
}

/* 0 when it spins, -EHOSTDOWN when it sleeps, or why nobody knows. Some kernels count the question
 * as I/O, so what the disk has done is looked at behind it. */
static int check_power(struct hw *hw, const struct disk *disk, struct answers *a)
{
	struct standby *standby = disk->standby;
	int r = ata_disk_ready(hw, disk->dir);

	if (r == 0 && is_still_standby(hw, disk))
		return -EHOSTDOWN;
	standby->is_known = 0;
	if (r == 0)
		r = ask(hw, disk, ASK_POWER, a);
	if (r < 0 || !a->is_standby)
		return r;
	standby->is_known = hw_boot_ms(hw, &standby->at_ms) == 0;
	read_io(hw, disk, standby->io);
	return -EHOSTDOWN;
}

/* Which question failed stands in *ret_failed. */
static int sample_disk(struct hw *hw, const struct disk *disk, struct sink *sink, struct row *row,
		       enum question *ret_failed)
{
	struct answers a = {0};
	int r;

	*ret_failed = ASK_POWER;
	r = check_power(hw, disk, &a);
	if (r < 0)
		return r;
	r = ask(hw, disk, *ret_failed = ASK_IDENTIFY, &a);
	if (r < 0)
		return r;
	ata_identify_parse(a.identify_page, &a.identify);
	put_identify(sink, row, &a.identify);
	if (!a.identify.smart_supported || !a.identify.smart_enabled) {
		row_text(sink, row, PROBLEM,
			 a.identify.smart_supported ? "SMART is switched off"
						    : "the disk has no SMART");
		return 0;
	}
	*ret_failed = ASK_DATA;
	return ask_smart(hw, disk, &a, sink, row);
}

static int smart_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	struct smart *s = state;
	bool gone = false;

	(void)group; /* there is only one */
	for (size_t i = 0; i < s->n; i++) {
		const struct disk *disk = &s->disks[i];
		struct row *row = sink_row(sink, disk->name, disk->identity);
		enum question failed;
		const char *why;
		int r = sample_disk(hw, disk, sink, row, &failed);

		gone = gone || r == -ENODEV;
		row->suspended = r == -EHOSTDOWN;
		if (r == 0 || row->suspended)
			continue;
		fail_all(row, r);
		why = not_ready_text(ata_disk_ready(hw, disk->dir));
		if (why)
			row_text(sink, row, PROBLEM, why);
		else
			say_problem(hw, sink, row, NULL, &disk->asked[failed]);
	}
	return gone ? -ENODEV : 0;
}

/* By the files that cost nothing. Whether SMART is switched on is asked with each sample: what the
 * driver remembers is as old as the disk's start. */
static void report_disk(struct hw *hw, struct probe *probe, const struct scsi_disk *disk)
{
	int r = ata_disk_ready(hw, disk->dir);
	const char *why = r < 0 ? not_ready_text(r) : "";

	if (r == 0)
		r = ata_may_answer(hw, disk->name);
	if (!ata_may_command(hw))
		probe_node(probe, disk->name, OUTCOME_DENIED, "as root, or with CAP_SYS_RAWIO",
			   "the kernel lets nobody else send the commands");
	else
		reason_asked(probe, disk->name,
			     "the pages are asked for by commands to the disk, unless it sleeps", r,
			     why);
}

static int append(struct smart *s, const struct scsi_disk *disk, const struct asked_device *known)
{
	struct disk *grown = realloc(s->disks, (s->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->disks = grown;
	grown[s->n] = (struct disk){.asked = known->asked, .standby = known->known};
	snprintf(grown[s->n].name, sizeof(grown->name), "%s", disk->name);
	snprintf(grown[s->n].identity, sizeof(grown->identity), "%s", disk->identity);
	snprintf(grown[s->n].dir, sizeof(grown->dir), "%s", disk->dir);
	s->n++;
	return 0;
}

static int add_disk(struct hw *hw, struct smart *s, struct asked_device *devices,
		    struct probe *probe, const struct scsi_disk *disk)
{
	struct ata_identify identify;
	struct ata_device device;
	struct asked_device *known;
	bool is_known;
	int r = ata_device_find(hw, disk, &device);

	if (is_want(r))
		return r;
	is_known = r == 0 && ata_device_identify(hw, &device, &identify) == 0;
	if (is_known && !identify.smart_supported) {
		probe_node(probe, disk->name, OUTCOME_UNSUPPORTED, "", "the disk has no SMART");
		return 0;
	}
	known = asking_find(devices, &asking, disk->name, disk->identity);
	if (!known) {
		probe_node(probe, disk->name, OUTCOME_FAILED, "", "more than %d disks", DISKS_MAX);
		return 0;
	}
	report_disk(hw, probe, disk);
	return append(s, disk, known);
}

static int report_usb(struct hw *hw, struct probe *probe)
{
	CLEANUP(scsi_disks_done) struct scsi_disks disks = {0};
	int r = scsi_disks_find(hw, "usb", &disks);

	for (size_t i = 0; i < disks.n; i++)
		if (probe_takes(probe, disks.v[i].name))
			probe_node(probe, disks.v[i].name, OUTCOME_UNSUPPORTED,
				   "by hand, at that risk: smartctl -d sat",
				   "on USB: some bridges hang on ATA commands, so none is asked");
	return r;
}

static int find_disks(struct hw *hw, struct smart *s, struct probe *probe)
{
	CLEANUP(scsi_disks_done) struct scsi_disks disks = {0};
	struct asked_device *devices = asking_begin(hw, &asking);
	int r = devices ? scsi_disks_find(hw, "ata", &disks) : -ENOMEM;

	for (size_t i = 0; i < disks.n && r >= 0; i++)
		if (probe_takes(probe, disks.v[i].name))
			r = add_disk(hw, s, devices, probe, &disks.v[i]);
	return r < 0 ? r : report_usb(hw, probe);
}

static int smart_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	static const struct need driver = {"CONFIG_ATA", "libata", OUTCOME_NO_HARDWARE,
					   "if there is one: see what the collector ata says"};
	CLEANUP(statep) struct smart *s = calloc(1, sizeof(*s));
	int r = s ? find_disks(hw, s, probe) : -ENOMEM;

	if (r < 0) {
		reason_error(hw, probe, "", r, "/sys/class/block");
		return r;
	}
	if (!s->n) {
		reason_option(hw, probe, "", &driver,
			      "no disk with SMART behind libata in /sys/class/block");
		return -ENOENT;
	}
	*ret_state = s;
	s = NULL;
	return 0;
}

static const struct group groups[] = {
	{
		.name = "ata_smart",
		.help = "Health of ATA disks, as the disk counts it.",
		.cost = COST_Q,
		.period_ms = 3600000,
		.least_period_ms = 600000,
		.fields = fields,
		.n_fields = ARRAY_SIZE(fields),
		.node = "disk, by its name",
		.absence = "the disk does not tell, or was not asked: it sleeps",
	},
};

const struct collector collector_ata_smart = {
	.name = "ata_smart",
	.help = "Health of ATA disks (SMART), by commands to them.",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = smart_probe,
	.sample = smart_sample,
	.close = smart_close,
};
