#include "daemon/kernel_blocks.h"

#include <string.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/text.h"

/* A flood of lines asks once; a disk that is another one behind the same name is seen soon. */
#define ASK_AGAIN_MS 10000

struct question {
	const char *disk;
	int64_t bytes;
	bool is_there; /* bytes is of a disk that has not gone */
};

static int look_at(const struct latest_row *row, void *arg)
{
	struct question *question = arg;
	size_t field;

	if (strcmp(row->group->name, "blockqueue") != 0 || strcmp(row->node, question->disk) != 0 ||
	    (row->gone && question->is_there) ||
	    group_find_field(row->group, "logical_block_size", &field) < 0 ||
	    row->values[field].value.type != VALUE_INT)
		return 0;
	question->bytes = row->values[field].value.i;
	question->is_there = !row->gone;
	return 0;
}

int64_t kernel_blocks_bytes(void *arg, const char *disk)
{
	struct kernel_blocks *blocks = arg;
	struct question question = {.disk = disk};
	int64_t now_ms = clock_boot_ms();
	size_t i = 0;
	struct text name;

	while (i < KERNEL_BLOCKS_MAX && strcmp(blocks->known[i].disk, disk) != 0)
		i++;
	if (i < KERNEL_BLOCKS_MAX && now_ms - blocks->known[i].asked_ms < ASK_AGAIN_MS)
		return blocks->known[i].bytes;
	if (i == KERNEL_BLOCKS_MAX) {
		i = blocks->next;
		blocks->next = (blocks->next + 1) % KERNEL_BLOCKS_MAX;
	}
	(void)store_latest(blocks->store, look_at, &question);
	name = text_in(blocks->known[i].disk, NODE_NAME_MAX);
	text_str(&name, disk);
	blocks->known[i].bytes = question.bytes;
	blocks->known[i].asked_ms = now_ms;
	return question.bytes;
}
