/* The command to an eMMC that reads its register EXT_CSD anew: CMD8, SEND_EXT_CSD, by MMC_IOC_CMD
 * on the node of the whole disk. Kernel: include/uapi/linux/mmc/ioctl.h, drivers/mmc/core/block.c;
 * JEDEC JESD84-B51, commands of class 2.
 *
 * It needs CAP_SYS_RAWIO. It waits behind the I/O of the card; where command queueing is on, the
 * driver lets the queue run empty, switches it off and on again for this one command. The card has
 * to be an eMMC: to an SD card the same number is another command.
 *
 * In a recorded tree the answer is the file COMMANDS/mmcblk0/ext-csd with the bytes of the
 * register, or ext-csd.status with an errno (model/command_record.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "model/ext_csd.h"

struct hw;

/* Whether this process has the capability; a recorded tree asks for none. */
bool mmc_may_command(struct hw *hw);

/* -ENOENT when a recorded tree has no answer of a disk; else 0. */
int mmc_may_answer(struct hw *hw, const char *disk);

/* Of a disk ("mmcblk0"), whose directory in sysfs is dir. Its node is looked for where Linux has
 * it, and where Android has it (/dev/block). 0; -EINVAL for a name that is not that of a disk, so
 * that no boot area and no RPMB is ever asked; -EPERM without the capability; -ENODEV when the node
 * is not the device of dir, or it is gone; -ETIMEDOUT, -EILSEQ (a checksum), -EIO of the card;
 * -ENOENT without a node or record, -EBADMSG for a record that is none, with what is
 * wrong with it in *ret_flaw (model/flaw.h; else 0). */
MUST_CHECK int mmc_read_ext_csd(struct hw *hw, const char *disk, const char *dir,
				uint8_t bytes[EXT_CSD_BYTES], int *ret_flaw);
