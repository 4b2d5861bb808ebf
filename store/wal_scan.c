#include "store/wal_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define WAL_MAGIC UINT32_C(0x377f0682) /* + 1: sums of numbers with their high byte first */
#define AT_SALT   16                   /* in the header */

#define LOOK_BEHIND_BYTES (INT64_C(1) << 28)

/* Of a frame. */
#define AT_FILE_PAGES 4 /* after a commit; 0: it is none */
#define AT_FRAME_SALT 8
#define AT_SUMS       16

struct scan {
	int fd;
	uint8_t header[WAL_HEADER_BYTES];
	uint32_t sums[2];
	bool big;
	uint32_t *pages; /* of frames that no commit has followed yet */
	uint32_t n_pages, n_alloc;
	int (*commit)(const uint32_t *pages, uint32_t n, uint32_t first, uint32_t n_file_pages,
		      void *arg);
	void *arg;
	struct wal_scan *result;
};

static uint32_t u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int64_t wal_frame_offset(uint32_t frame)
{
	return WAL_HEADER_BYTES + (int64_t)(frame - 1) * WAL_FRAME_BYTES;
}

/* The running sums of the journal. */
static void add_sums(uint32_t sums[2], const uint8_t *p, size_t len, bool big)
{
	for (size_t i = 0; i < len; i += 8, p += 8) {
		uint32_t x = u32(p), y = u32(p + 4);

		sums[0] += (big ? x : __builtin_bswap32(x)) + sums[1];
		sums[1] += (big ? y : __builtin_bswap32(y)) + sums[0];
	}
}

static int keep_page(struct scan *scan, uint32_t page)
{
	if (scan->n_pages == scan->n_alloc) {
		uint32_t *pages =
			reallocarray(scan->pages, scan->n_alloc * 2U + 64, sizeof(*pages));

		if (!pages)
			return -ENOMEM;
		scan->pages = pages;
		scan->n_alloc = scan->n_alloc * 2 + 64;
	}
	scan->pages[scan->n_pages++] = page;
	return 0;
}

static int take_commit(struct scan *scan, uint32_t n_file_pages)
{
	uint32_t first = scan->result->n_frames + 1;
	int r = scan->commit
			? scan->commit(scan->pages, scan->n_pages, first, n_file_pages, scan->arg)
			: 0;

	scan->result->n_frames += scan->n_pages;
	scan->n_pages = 0;
	return r;
}

static bool has_salt(const struct scan *scan, const uint8_t *frame)
{
	return !memcmp(frame + AT_FRAME_SALT, scan->header + AT_SALT, sizeof(scan->result->salt));
}

/* 1 for a frame that belongs to the journal, 0 at its end. */
static int read_frame(struct scan *scan, uint32_t frame)
{
	uint8_t buf[WAL_FRAME_BYTES];
	int r;

	if (pread(scan->fd, buf, sizeof(buf), wal_frame_offset(frame)) != (ssize_t)sizeof(buf) ||
	    !has_salt(scan, buf))
		return 0;
	add_sums(scan->sums, buf, AT_FRAME_SALT, scan->big);
	add_sums(scan->sums, buf + WAL_FRAME_HEADER, WAL_PAGE_BYTES, scan->big);
	if (scan->sums[0] != u32(buf + AT_SUMS) || scan->sums[1] != u32(buf + AT_SUMS + 4))
		return 0;
	r = keep_page(scan, u32(buf));
	if (!r && u32(buf + AT_FILE_PAGES))
		r = take_commit(scan, u32(buf + AT_FILE_PAGES));
	return r < 0 ? r : 1;
}

/* Whether frames count at all. A journal with room and nothing in it has zeros. */
static bool read_header(struct scan *scan)
{
	static const uint8_t zeros[WAL_HEADER_BYTES];
	const uint8_t *h = scan->header;
	struct wal_scan *result = scan->result;
	ssize_t n = pread(scan->fd, scan->header, WAL_HEADER_BYTES, 0);

	if (n != WAL_HEADER_BYTES) {
		result->is_cut = n > 0;
		return false;
	}
	scan->big = u32(h) & 1;
	add_sums(scan->sums, h, 24, scan->big);
	result->bad_header = (u32(h) | 1) != (WAL_MAGIC | 1) || u32(h + 8) != WAL_PAGE_BYTES ||
			     scan->sums[0] != u32(h + 24) || scan->sums[1] != u32(h + 28);
	if (result->bad_header)
		result->bad_header = memcmp(h, zeros, sizeof(zeros)) != 0;
	else
		memcpy(result->salt, h + AT_SALT, sizeof(result->salt));
	return !result->bad_header && u32(h) != 0;
}

/* From the first frame that does not count: those of an earlier round have another salt. Not to the
 * end of a file that has no end. */
static void look_behind(struct scan *scan, uint32_t frame)
{
	struct wal_scan *result = scan->result;
	uint8_t head[WAL_FRAME_HEADER];
	int64_t at = wal_frame_offset(frame), end = MIN(result->bytes, at + LOOK_BEHIND_BYTES);

	if (at + WAL_FRAME_BYTES > result->bytes) {
		ssize_t n = pread(scan->fd, head, sizeof(head), at);

		result->is_cut = n >= AT_SUMS ? has_salt(scan, head) : scan->n_pages > 0;
		return;
	}
	for (; at + WAL_FRAME_BYTES <= end; at += WAL_FRAME_BYTES)
		if (pread(scan->fd, head, sizeof(head), at) == (ssize_t)sizeof(head) &&
		    has_salt(scan, head) && u32(head + AT_FILE_PAGES))
			result->n_lost_commits++;
}

static bool is_begun_anew(const struct scan *scan)
{
	uint8_t header[WAL_HEADER_BYTES];

	return pread(scan->fd, header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	       memcmp(header, scan->header, sizeof(header)) != 0;
}

static int read_frames(struct scan *scan)
{
	uint32_t frame = 0;
	int r = 1;

	while (r > 0 && frame < WAL_FRAMES_MAX)
		r = read_frame(scan, ++frame);
	if (r < 0)
		return r;
	look_behind(scan, frame);
	if (is_begun_anew(scan)) {
		scan->result->n_lost_commits = 0;
		scan->result->is_cut = false;
	}
	return 0;
}

int wal_scan(int fd,
	     int (*commit)(const uint32_t *pages, uint32_t n, uint32_t first, uint32_t n_file_pages,
			   void *arg),
	     void *arg, struct wal_scan *ret)
{
	struct scan scan = {.fd = fd, .commit = commit, .arg = arg, .result = ret};
	struct stat st;
	int r;

	*ret = (struct wal_scan){0};
	if (fstat(fd, &st) < 0)
		return -errno;
	ret->bytes = st.st_size;
	r = read_header(&scan) ? read_frames(&scan) : 0;
	free(scan.pages);
	return r;
}
