#include "base/hw_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define KEPT_MAX     16
#define KEPT_KEY_MAX 32

/* At the begin of memory that is kept; the blocks follow in this order, each aligned. Whoever wrote
 * it may have done so out of its mind. */
struct kept {
	size_t n;
	struct {
		char key[KEPT_KEY_MAX];
		size_t size;
	} v[KEPT_MAX];
};

static size_t aligned(size_t bytes)
{
	const size_t step = _Alignof(max_align_t);

	return (bytes + step - 1) / step * step;
}

/* Where the block behind the first n begins; 0 when they do not fit. */
static size_t offset_of(const struct kept *kept, size_t n, size_t bytes)
{
	size_t offset = aligned(sizeof(*kept));

	for (size_t i = 0; i < n; i++) {
		if (kept->v[i].size > bytes - offset || aligned(kept->v[i].size) > bytes - offset)
			return 0;
		offset += aligned(kept->v[i].size);
	}
	return offset;
}

void hw_memory_keep(struct hw *hw, void *memory, size_t bytes)
{
	struct hw_memories *memories = hw_memories_of(hw);
	struct kept *kept = memory;

	if (bytes < aligned(sizeof(*kept)))
		return;
	if (kept->n > KEPT_MAX || !offset_of(kept, kept->n, bytes))
		memset(memory, 0, bytes);
	memories->kept = memory;
	memories->kept_bytes = bytes;
}

/* A process that is killed on the way leaves no block, or a whole one. */
static void *keep(const struct hw_memories *memories, const char *key, size_t size)
{
	struct kept *kept = memories->kept;
	size_t n = kept ? kept->n : 0, offset;

	if (!kept || strlen(key) >= KEPT_KEY_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (kept->v[i].size == size && !strncmp(kept->v[i].key, key, KEPT_KEY_MAX))
			return (char *)kept + offset_of(kept, i, memories->kept_bytes);
	offset = offset_of(kept, n, memories->kept_bytes);
	if (n == KEPT_MAX || !offset || size > memories->kept_bytes - offset ||
	    aligned(size) > memories->kept_bytes - offset)
		return NULL;
	memset((char *)kept + offset, 0, size);
	memset(kept->v[n].key, 0, KEPT_KEY_MAX);
	memcpy(kept->v[n].key, key, strlen(key));
	kept->v[n].size = size;
	kept->n = n + 1;
	return (char *)kept + offset;
}

void *hw_memory(struct hw *hw, const char *key, size_t size)
{
	struct hw_memories *memories = hw_memories_of(hw);

	for (size_t i = 0; i < memories->n; i++)
		if (memories->v[i].size == size && !strcmp(memories->v[i].key, key))
			return memories->v[i].block;
	if (memories->n == HW_MEMORIES_MAX)
		return NULL;

	CLEANUP(freep) char *own_key = strdup(key);
	void *block = own_key ? keep(memories, key, size) : NULL;
	bool is_kept = block != NULL;

	if (own_key && !block)
		block = calloc(1, size);
	if (!block)
		return NULL;
	memories->v[memories->n++] = (struct hw_memory){own_key, block, size, is_kept};
	own_key = NULL;
	return block;
}

void hw_memories_done(struct hw_memories *memories)
{
	for (size_t i = 0; i < memories->n; i++) {
		free(memories->v[i].key);
		if (!memories->v[i].is_kept)
			free(memories->v[i].block);
	}
	memories->n = 0;
}
