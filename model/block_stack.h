/* What a block device lies on: device mapper and md by way of sysfs slaves, down to the disk. */
#pragma once

#include "model/block.h"

struct block_stack {
	char text[512]; /* "dm-3 userdata -> sda12", "" where nothing lies between */
	char partition[BLOCK_NAME_MAX]; /* the first one at the bottom, "" when it is a whole disk
					 */
	char disks[256];                /* at the bottom, separated by blanks */
};

void block_stack_read(struct hw *hw, const char *name, struct block_stack *ret);
