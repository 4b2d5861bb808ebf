/* The partitions of a disk, as sysfs has them below the disk's directory.
 * Kernel: Documentation/ABI/testing/sysfs-block (partition, start, size) */
#pragma once

#include <stdint.h>

#include "base/hw.h"
#include "base/text.h"

/* More of one disk are not looked at; the kernel makes 255 at most. */
#define PARTITIONS_MAX 256

/* Appends each partition as "number:start+size", by number, in sectors of 512 bytes; "?" for what
 * cannot be read. A table that is too long ends in " ..."; *ret_n counts all. dir is the disk's
 * ("sys/class/block/sda"). Returns 0, -ENOMEM, or the error of listing dir. */
int partitions_text(struct hw *hw, const char *dir, struct text *text, int64_t *ret_n);
