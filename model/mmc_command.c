#include "model/mmc_command.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/mmc/ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/capability.h"
#include "base/hw.h"
#include "base/hw_command.h"
#include "model/command_record.h"

#define SEND_EXT_CSD 8
#define RECORD       "ext-csd"

/* What the answer looks like, include/linux/mmc/core.h: R1 (present, with checksum and opcode) with
 * a transfer of data by address; the last is what a host on SPI calls it. */
enum {
	RSP_PRESENT = 1 << 0,
	RSP_CRC = 1 << 2,
	RSP_OPCODE = 1 << 4,
	CMD_ADTC = 1 << 5,
	RSP_SPI_S1 = 1 << 7,
	ANSWER = RSP_PRESENT | RSP_CRC | RSP_OPCODE | CMD_ADTC | RSP_SPI_S1,
};

bool mmc_may_command(struct hw *hw)
{
	return !hw_is_live(hw) || capability_is_effective(CAP_SYS_RAWIO);
}

int mmc_may_answer(struct hw *hw, const char *disk)
{
	return command_record_look(hw, disk, RECORD);
}

static int read_record(struct hw *hw, const char *disk, uint8_t bytes[EXT_CSD_BYTES], int *ret_flaw)
{
	int r = command_record_status(hw, disk, RECORD, 0, ret_flaw);

	return r < 0 ? r : command_record_page(hw, disk, RECORD, bytes, EXT_CSD_BYTES, ret_flaw);
}

static int send(struct hw *hw, const char *node, const char *dir, uint8_t bytes[EXT_CSD_BYTES])
{
	struct mmc_ioc_cmd cmd = {
		.opcode = SEND_EXT_CSD,
		.flags = ANSWER,
		.blksz = EXT_CSD_BYTES,
		.blocks = 1,
		.data_ptr = (uint64_t)(uintptr_t)bytes,
	};
	struct hw_command command = {
		.node = node, .dir = dir, .request = MMC_IOC_CMD, .data = &cmd};

	memset(bytes, 0, EXT_CSD_BYTES);
	return hw_command(hw, &command);
}

/* mmcblk0, and none of its areas (mmcblk0boot0, mmcblk0rpmb) and partitions. */
static bool is_disk(const char *name)
{
	static const char prefix[] = "mmcblk";
	const char *number = name + sizeof(prefix) - 1;

	return !strncmp(name, prefix, sizeof(prefix) - 1) && *number &&
	       strspn(number, "0123456789") == strlen(number);
}

int mmc_read_ext_csd(struct hw *hw, const char *disk, const char *dir, uint8_t bytes[EXT_CSD_BYTES],
		     int *ret_flaw)
{
	char android[64];
	int r = is_disk(disk) ? send(hw, disk, dir, bytes) : -EINVAL;

	*ret_flaw = 0;
	if (r == -EOPNOTSUPP && !hw_is_live(hw))
		return read_record(hw, disk, bytes, ret_flaw);
	if (r == -ENOENT &&
	    snprintf(android, sizeof(android), "block/%s", disk) < (int)sizeof(android))
		r = send(hw, android, dir, bytes);
	return r > 0 ? -EIO : r;
}
