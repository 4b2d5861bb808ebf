/* Blocks that hw keeps for those that come and go: see hw_memory(). Used by hw.c and hw_memory.c
 * alone. */
#pragma once

#include <stddef.h>

#include "base/hw.h"

#define HW_MEMORIES_MAX 64

struct hw_memory {
	char *key;
	void *block;
	size_t size;
};

struct hw_memories {
	struct hw_memory v[HW_MEMORIES_MAX];
	size_t n;
};

struct hw_memories *hw_memories_of(struct hw *hw);
void hw_memories_done(struct hw_memories *memories);
