/* Increase of a counter between two samples. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* bits: where the kernel wraps the counter (field.bits; 0 is 64).
 * A value that fell is a wrap when the counter has 32 bits, both values fit into them and the step
 * across the wrap is less than half of the range; else it is a reset: false, and the new value is
 * only a baseline. */
bool counter_increase(int64_t before, int64_t after, unsigned bits, int64_t *ret_increase);
