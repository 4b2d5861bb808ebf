/* The codes in which a UFS device tells how much of its life is used, as fields of a row: 0x01 is 0
 * to 10 %, 0x0A 90 to 100 %, 0x0B above. JESD220 (UFS): bDeviceLifeTimeEstA and B,
 * bWriteBoosterBufferLifeTimeEst. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/sink.h"

/* Sets the code and the range in percent that it stands for: its low end in field low, the high end
 * in the next one. 0 is "not defined", and leaves all absent; above 100 % there is no high end, and
 * what is left is flagged saturated; a code that is reserved has no range and is implausible. */
void ufs_life_set(struct row *row, size_t code_field, size_t low, int64_t code);

/* Sets the range of the worse of two memories, from the code and the range of each: either kind
 * ends the life of the device. One that has a code without a range, or could not be read, may be
 * the worse one: then there is no high end. */
void ufs_life_set_worse(struct row *row, size_t code_a, size_t low_a, size_t code_b, size_t low_b,
			size_t low);
