/* What is asked once and remembered, since asking costs a command to a device or a read of a disk.
 * Used by hw.c and hw_facts.c alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"

#define HW_FACTS_MAX      64
#define HW_FACT_KEY_MAX   96
#define HW_FACT_VALUE_MAX 64

struct hw_fact {
	char key[HW_FACT_KEY_MAX];
	char value[HW_FACT_VALUE_MAX];
	int64_t generation;
	int r; /* what the function that asked returned: a length, 0, or -errno */
};

struct hw_facts {
	struct hw_fact v[HW_FACTS_MAX];
	size_t n, oldest;
};

struct hw_facts *hw_facts_of(struct hw *hw);

/* For whoever has a node open and is about to wait in it: what hw_watch() shows. */
void hw_at(struct hw *hw, const char *path);

/* Opens a file for reading, for what is too large to be read whole. Returns the descriptor, the
 * errno of open, the one that a recorded tree plans for a read, or -ENODATA where it plans that the
 * file reads as empty. */
MUST_CHECK int hw_open_fd(struct hw *hw, const char *path);

/* Opens a directory for reading its names. Returns the descriptor or -errno. */
MUST_CHECK int hw_open_dir(struct hw *hw, const char *path);
