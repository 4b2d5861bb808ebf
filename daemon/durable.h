/* Whether what is written stays when the machine starts anew. */
#pragma once

#include <stdbool.h>

/* Whether the folder of a file, or the nearest one above it that is there, lies in memory (tmpfs,
 * ramfs); of an overlay, whether the folder that takes its writes does. A link is followed. false
 * when it cannot be told, as where that folder is hidden from this process. */
#define DURABLE_MEMORY_WORDS                                                                       \
	"lies in memory (tmpfs or ramfs) and will not survive a restart of the machine"

bool durable_is_memory(const char *path);
