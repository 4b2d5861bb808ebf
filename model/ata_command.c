#include "model/ata_command.h"

#include <errno.h>
#include <linux/capability.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <string.h>

#include "base/capability.h"
#include "base/hw.h"
#include "base/hw_command.h"
#include "model/command_record.h"
#include "model/flaw.h"

enum {
	PASS_THROUGH_16 = 0x85,
	PROTOCOL_NON_DATA = 3 << 1,
	PROTOCOL_PIO_IN = 4 << 1,
	CK_COND = 0x20,   /* the registers are to come back in the sense data */
	TO_HOST = 0x08,   /* T_DIR */
	IN_BLOCKS = 0x04, /* BYT_BLOK */
	IN_COUNT = 0x02,  /* T_LENGTH: the length is in the register count */
	COMMAND_CHECK_POWER_MODE = 0xe5,
	COMMAND_IDENTIFY_DEVICE = 0xec,
	COMMAND_SMART = 0xb0,
	FEATURE_READ_DATA = 0xd0,
	FEATURE_READ_THRESHOLDS = 0xd1,
	FEATURE_RETURN_STATUS = 0xda,
	SMART_KEY = 0xc24f, /* LBA high and mid of each SMART command */
	SMART_FAILING = 0x2cf4,
	POWER_STANDBY = 0x00,
	POWER_STANDBY_Y = 0x01,
	POWER_NV_SPUN_DOWN = 0x40,
	ERROR_ABORT = 0x04,
	STATUS_FAILED = 0x21, /* device fault, error */
	SENSE_ILLEGAL_REQUEST = 0x5,
	SENSE_ABORTED_COMMAND = 0xb,
	SENSE_BYTES = 64,
	SCSI_CHECK_CONDITION = 0x02,
	HOST_NO_CONNECT = 0x01,
	HOST_BUS_BUSY = 0x02,
	HOST_TIME_OUT = 0x03,
};

#define RECORD_POWER "check-power" /* without it nothing else is asked */

/* A command, and what came back. */
struct question {
	const char *disk, *record; /* record: name of the file in a recorded tree */
	uint8_t feature, command;
	uint8_t *page; /* NULL: none, the registers are asked for */
	uint8_t count; /* of the registers that came back */
	uint16_t lba;  /* high and mid of them */
	uint8_t error, status;
	bool has_registers;
	int flaw; /* what is wrong with the answer, 0: nothing */
};

bool ata_may_command(struct hw *hw)
{
	return !hw_is_live(hw) || capability_is_effective(CAP_SYS_RAWIO);
}

int ata_may_answer(struct hw *hw, const char *disk)
{
	return command_record_look(hw, disk, RECORD_POWER);
}

int ata_disk_ready(struct hw *hw, const char *dir)
{
	char line[32];
	int r = hw_read_line(hw, line, sizeof(line), "%s/power/runtime_status", dir);

	/* A kernel without CONFIG_PM suspends nothing. */
	if (r == -ENOENT)
		return hw_exists(hw, "%s", dir) ? 0 : -ENODEV;
	if (r < 0)
		return r;
	if (!strcmp(line, "active") || !strcmp(line, "unsupported"))
		return 0;
	return strcmp(line, "error") ? -EHOSTDOWN : -EIO;
}

static void make_cdb(const struct question *q, uint8_t cdb[16])
{
	memset(cdb, 0, 16);
	cdb[0] = PASS_THROUGH_16;
	cdb[1] = q->page ? PROTOCOL_PIO_IN : PROTOCOL_NON_DATA;
	cdb[2] = q->page ? TO_HOST | IN_BLOCKS | IN_COUNT : CK_COND;
	cdb[4] = q->feature;
	cdb[6] = q->page ? 1 : 0;
	if (q->command == COMMAND_SMART) {
		cdb[10] = SMART_KEY & 0xff;
		cdb[12] = SMART_KEY >> 8;
	}
	cdb[14] = q->command;
}

/* Descriptor format, as libata always makes it of a command that succeeded (but some 6.10). */
static void take_descriptors(const uint8_t *sense, size_t len, struct question *q)
{
	size_t end = 8 + (size_t)sense[7];

	for (size_t at = 8; at + 14 <= end && at + 14 <= len; at += 2 + (size_t)sense[at + 1]) {
		const uint8_t *d = sense + at;

		if (d[0] != 0x09)
			continue;
		q->has_registers = true;
		q->error = d[3];
		q->count = d[5];
		q->lba = (uint16_t)(d[11] << 8 | d[9]);
		q->status = d[13];
		return;
	}
}

/* In the fixed format kernels before 6.11 have them at other places, without the bit VALID. */
static void take_sense(const uint8_t *sense, size_t len, struct question *q)
{
	if (len >= 8 && (sense[0] & 0x7f) == 0x72) {
		take_descriptors(sense, len, q);
	} else if (len >= 12 && sense[0] == 0xf0) {
		q->has_registers = true;
		q->error = sense[3];
		q->status = sense[4];
		q->count = sense[6];
		q->lba = (uint16_t)(sense[11] << 8 | sense[10]);
	}
}

static int error_of_host(unsigned host_status)
{
	switch (host_status) {
	case HOST_NO_CONNECT:
		return -ENODEV;
	case HOST_BUS_BUSY:
		return -EAGAIN;
	case HOST_TIME_OUT:
		return -ETIMEDOUT;
	default:
		return -EIO;
	}
}

/* Without registers: SCSI's own word for it. */
static int error_of_sense(const uint8_t *sense, size_t len)
{
	bool has_descriptors = (sense[0] & 0x7f) >= 0x72;

	if (len < 3)
		return -EIO;
	switch (sense[has_descriptors ? 1 : 2] & 0xf) {
	case SENSE_ILLEGAL_REQUEST:
		return -EOPNOTSUPP;
	case SENSE_ABORTED_COMMAND:
		return -EINVAL;
	default:
		return -EIO;
	}
}

static int error_of_registers(const struct question *q)
{
	if (!(q->status & STATUS_FAILED))
		return 0;
	return q->error & ERROR_ABORT ? -EINVAL : -EIO;
}

static int flawed(struct question *q, int flaw)
{
	q->flaw = flaw;
	return -EBADMSG;
}

/* How much came; what is left may be any number. */
static int bytes_of(const struct sg_io_hdr *header)
{
	return MIN(MAX(ATA_PAGE_BYTES - header->resid, 0), ATA_PAGE_BYTES - 1);
}

static int judge(const struct sg_io_hdr *header, const uint8_t *sense, struct question *q)
{
	if (header->host_status)
		return error_of_host(header->host_status);
	if (header->status == SCSI_CHECK_CONDITION) {
		take_sense(sense, header->sb_len_wr, q);
		if (q->has_registers && error_of_registers(q))
			return error_of_registers(q);
		if (!q->has_registers || q->page)
			return error_of_sense(sense, header->sb_len_wr);
	} else if (header->status) {
		return -EIO;
	}
	if (q->page)
		return header->resid ? flawed(q, FLAW_LENGTH(bytes_of(header))) : 0;
	return q->has_registers ? 0 : flawed(q, FLAW_NO_REGISTERS);
}

/* A status of which the registers say no failure is none. */
static int read_record(struct hw *hw, struct question *q)
{
	uint16_t number;
	int status = 0, r = command_record_status(hw, q->disk, q->record, UINT16_MAX, &status);

	if (r < 0) {
		q->flaw = status;
		return r;
	}
	if (r == 1) {
		q->error = (uint8_t)(status >> 8);
		q->status = (uint8_t)status;
		r = error_of_registers(q);
		return r < 0 ? r : flawed(q, FLAW_NO_FAILURE);
	}
	if (q->page)
		return command_record_page(hw, q->disk, q->record, q->page, ATA_PAGE_BYTES,
					   &q->flaw);
	r = command_record_number(hw, q->disk, q->record, &number, &q->flaw);
	if (r < 0)
		return r;
	q->count = (uint8_t)number;
	q->lba = number;
	return 0;
}

static int ask(struct hw *hw, struct question *q)
{
	uint8_t cdb[16], sense[SENSE_BYTES] = {0};
	char dir[HW_PATH_MAX];
	struct sg_io_hdr header = {
		.interface_id = 'S',
		.dxfer_direction = q->page ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = sizeof(cdb),
		.mx_sb_len = sizeof(sense),
		.dxfer_len = q->page ? ATA_PAGE_BYTES : 0,
		.dxferp = q->page,
		.cmdp = cdb,
		.sbp = sense,
	};
	struct hw_command command = {
		.node = q->disk, .dir = dir, .request = SG_IO, .data = &header};
	int r;

	snprintf(dir, sizeof(dir), "sys/class/block/%s", q->disk);
	make_cdb(q, cdb);
	if (q->page)
		memset(q->page, 0, ATA_PAGE_BYTES);
	r = hw_command(hw, &command);
	if (r == -EOPNOTSUPP && !hw_is_live(hw))
		return read_record(hw, q);
	if (r)
		return r < 0 ? r : -EIO;
	return judge(&header, sense, q);
}

static int ask_and_tell(struct hw *hw, struct question *q, int *ret_status)
{
	int r = ask(hw, q);

	if (r < 0)
		*ret_status = q->flaw ? q->flaw : q->error << 8 | q->status;
	else
		*ret_status = 0;
	return r;
}

static int ask_for_page(struct hw *hw, struct question q, uint8_t *page, int *ret_status)
{
	q.page = page;
	return ask_and_tell(hw, &q, ret_status);
}

int ata_check_power(struct hw *hw, const char *disk, bool *ret_is_standby, int *ret_status)
{
	struct question q = {disk, RECORD_POWER, 0, COMMAND_CHECK_POWER_MODE};
	int r = ask_and_tell(hw, &q, ret_status);

	if (r == 0)
		*ret_is_standby = q.count == POWER_STANDBY || q.count == POWER_STANDBY_Y ||
				  q.count == POWER_NV_SPUN_DOWN;
	return r;
}

int ata_read_identify(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES],
		      int *ret_status)
{
	struct question q = {disk, "identify", 0, COMMAND_IDENTIFY_DEVICE};

	return ask_for_page(hw, q, page, ret_status);
}

int ata_read_smart(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES], int *ret_status)
{
	struct question q = {disk, "smart-data", FEATURE_READ_DATA, COMMAND_SMART};

	return ask_for_page(hw, q, page, ret_status);
}

int ata_read_thresholds(struct hw *hw, const char *disk, uint8_t page[ATA_PAGE_BYTES],
			int *ret_status)
{
	struct question q = {disk, "smart-thresholds", FEATURE_READ_THRESHOLDS, COMMAND_SMART};

	return ask_for_page(hw, q, page, ret_status);
}

int ata_smart_status(struct hw *hw, const char *disk, bool *ret_is_failing, int *ret_status)
{
	struct question q = {disk, "smart-status", FEATURE_RETURN_STATUS, COMMAND_SMART};
	int r = ask_and_tell(hw, &q, ret_status);

	if (r < 0)
		return r;
	if (q.lba != SMART_KEY && q.lba != SMART_FAILING) {
		*ret_status = FLAW_NO_JUDGEMENT;
		return -EBADMSG;
	}
	*ret_is_failing = q.lba == SMART_FAILING;
	return 0;
}
