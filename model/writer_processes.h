/* What processes have written and read, by /proc/PID/io, in bounded memory and bounded pieces.
 *
 * One look at all processes is made in turns of WRITER_PROCESSES_AT_ONCE. What a process has
 * written since the look before is its own, but for what it took over from its children: the kernel
 * adds the counters of a child to those of the parent that waits for it (kernel/exit.c,
 * wait_task_zombie()). So a child that was seen is taken off its parent again when it has gone, and
 * what one wrote that came and went between two looks stands with its parent. Who never waits for
 * its children (SIGCHLD ignored) takes nothing over, and they are lost to this account. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/writer_top.h"

struct hw;
struct writer_processes;

#define WRITER_PROCESSES_AT_ONCE 4096 /* in one turn */
#define WRITER_PROCESSES_MAX     4096 /* that are known: such as have read or written anything */

struct writer_processes_stats {
	size_t n_known;
	size_t n_seen, n_denied; /* of the last whole look */
	int64_t n_forgotten;     /* since the start: the smallest, for want of room */
	size_t n_turns;          /* that the last look took */
	struct writer_io io;     /* of all processes since the start */
	bool has_looked;         /* one look is complete */
};

/* Kept by hw (hw_memory()), so it outlives the state of a collector. NULL without memory. */
struct writer_processes *writer_processes_of(struct hw *hw);

/* Goes on with the look, for one turn. Returns 1 when it is complete, with what was written since
 * the one before in top; 0 when more is left; -errno when /proc cannot be listed. */
MUST_CHECK int writer_processes_look(struct writer_processes *processes, struct hw *hw,
				     struct writer_top *top);

void writer_processes_get(const struct writer_processes *processes,
			  struct writer_processes_stats *ret);
