/* How long the logical blocks of a disk are, for lines of the kernel's log that count in them: as
 * the collector blockqueue has read it last. Its file takes a lock of the queue, which is held
 * while a disk does not answer, so the loop does not read it. */
#pragma once

#include <stdint.h>

#include "model/sink.h"
#include "store/store.h"

#define KERNEL_BLOCKS_MAX 8 /* disks that are remembered */

struct kernel_blocks {
	struct store *store;
	struct {
		char disk[NODE_NAME_MAX]; /* "": none */
		int64_t bytes, asked_ms;
	} known[KERNEL_BLOCKS_MAX];
	size_t next;
};

/* What incidents_block_bytes asks (analysis/incidents.h); arg is the struct kernel_blocks. */
int64_t kernel_blocks_bytes(void *arg, const char *disk);
