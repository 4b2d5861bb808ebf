#include "base/hw_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void *hw_memory(struct hw *hw, const char *key, size_t size)
{
	struct hw_memories *memories = hw_memories_of(hw);

	for (size_t i = 0; i < memories->n; i++)
		if (memories->v[i].size == size && !strcmp(memories->v[i].key, key))
			return memories->v[i].block;
	if (memories->n == HW_MEMORIES_MAX)
		return NULL;

	CLEANUP(freep) char *own_key = strdup(key);
	void *block = own_key ? calloc(1, size) : NULL;

	if (!block)
		return NULL;
	memories->v[memories->n++] = (struct hw_memory){own_key, block, size};
	own_key = NULL;
	return block;
}

void hw_memories_done(struct hw_memories *memories)
{
	for (size_t i = 0; i < memories->n; i++) {
		free(memories->v[i].key);
		free(memories->v[i].block);
	}
	memories->n = 0;
}
