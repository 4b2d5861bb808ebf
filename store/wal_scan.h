/* The journal beside an SQLite file, read without SQLite: what it has committed, and whether it is
 * whole. SQLite takes a journal up to the first frame that is not right, and says nothing: after a
 * power cut that is what has to be done, of a copy it hides what was lost. Nothing is written,
 * nothing is locked. Layout: https://www.sqlite.org/fileformat2.html, "The Write-Ahead Log".
 * Private to store/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

#define WAL_HEADER_BYTES   32
#define WAL_FRAME_HEADER   24
#define WAL_PAGE_BYTES     4096
#define WAL_FRAME_BYTES    (WAL_FRAME_HEADER + WAL_PAGE_BYTES)
#define WAL_FRAMES_MAX     (UINT32_C(1) << 23)
#define WAL_LOST_MEANS_BAD 2 /* lost commits; one may be what the power has cut off */

struct wal_scan {
	int64_t bytes;
	uint8_t salt[8];         /* of the frames that count */
	uint32_t n_frames;       /* up to the last commit */
	uint32_t n_lost_commits; /* behind a frame that is not right */
	bool bad_header;         /* neither that of a journal nor zeros */
	bool is_cut;             /* it ends within a transaction */
};

/* Calls commit, unless it is NULL, for each commit: its frames hold these pages, the first of them
 * is frame first (from 1), and the file has n_file_pages pages then. It stops at its first error. A
 * journal that is begun anew meanwhile is not said to be damaged. -errno */
MUST_CHECK int wal_scan(int fd,
			int (*commit)(const uint32_t *pages, uint32_t n, uint32_t first,
				      uint32_t n_file_pages, void *arg),
			void *arg, struct wal_scan *ret);

/* Where a frame begins. */
int64_t wal_frame_offset(uint32_t frame);
