/* Blocks that hw keeps for those that come and go: see hw_memory(). Used by hw.c and hw_memory.c
 * alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/hw.h"

#define HW_MEMORIES_MAX 64

struct hw_memory {
	char *key;
	void *block;
	size_t size;
	bool is_kept; /* in memory that is not hw's own */
};

struct hw_memories {
	struct hw_memory v[HW_MEMORIES_MAX];
	size_t n;
	void *kept; /* see hw_memory_keep(); NULL: none */
	size_t kept_bytes;
};

struct hw_memories *hw_memories_of(struct hw *hw);
void hw_memories_done(struct hw_memories *memories);
