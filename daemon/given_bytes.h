/* What a thread has given the kernel to write.
 * Kernel: Documentation/filesystems/proc.rst, section 3.3 */
#pragma once

#include <stdint.h>

#include "base/hw.h"

/* The account of the calling thread: whoever reads it later reads this one's. -errno, and then it
 * is not known. */
int given_open(struct hw *hw, struct hw_file *ret);

/* So far; -1: not known. Allocates nothing. */
int64_t given_bytes(struct hw *hw, struct hw_file *account);

/* The same of the calling thread, once. */
int64_t given_bytes_now(void);
