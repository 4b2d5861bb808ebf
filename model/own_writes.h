/* What flashscoped itself does to the disk of its database: the committer writes it down, in a
 * block of hw_memory() the collector self finds it. Both are in one thread and have one struct hw.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/hw.h"

struct own_writes {
	bool is_served;                               /* else nothing below counts */
	bool bytes_known, sectors_known, sleep_known; /* one commit at least has been measured */
	int64_t commits, failed_commits;
	int64_t commit_time_us;
	int64_t commit_bytes;        /* made dirty for a block device */
	int64_t commit_sectors;      /* that the disk wrote while commits ran, whoever wanted it */
	int64_t disk_wakes;          /* commits that found the disk suspended */
	int64_t turns, turn_time_us; /* of the loop */
};

/* The block; NULL without memory. */
struct own_writes *own_writes_of(struct hw *hw);
