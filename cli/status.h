/* flashscope status in two halves: of a daemon (status.c) and of a file (status_file.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* What a database holds. Returns the exit status. */
int status_of_file(const char *path, bool json);

struct tree;

/* The line that tells what is kept, of the array "kept" of a document; nothing of an empty one. */
void status_kept(struct tree *kept);

/* "12.3 MiB" */
void status_bytes(struct text *text, int64_t bytes);
