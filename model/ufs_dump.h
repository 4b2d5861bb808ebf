/* The health descriptor of a UFS device as some vendors' kernels dump it: a line for each value, in
 * any order, such as "Health Descriptor[Byte offset 0x2]: bPreEOLInfo = 0x1". Names are those of
 * the specification, JESD220: Device Health Descriptor. */
#pragma once

#include <stdint.h>

#include "base/parse.h"

/* A value that is not there; one that is no number, or there twice and not the same. */
#define UFS_DUMP_MISSING (-1)
#define UFS_DUMP_ODD     (-2)

struct ufs_dump {
	int64_t pre_eol_info, life_time_a, life_time_b;
};

/* Returns how many values were found. Lines and names that are none of these do not matter. */
size_t ufs_dump_parse(struct slice text, struct ufs_dump *ret);
