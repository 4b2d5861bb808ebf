/* A journal beside a database, as bytes: what counts of it lies within it, and the commits that are
 * told are those that are counted. Also behind a header that is right, so that frames are looked
 * at. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/wal_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(const uint32_t *pages, uint32_t n, uint32_t first, uint32_t n_file_pages,
		 void *arg)
{
	uint32_t *n_frames = arg;

	(void)pages;
	if (!n || !n_file_pages || first != *n_frames + 1)
		abort();
	*n_frames += n;
	return 0;
}

static void scan(const uint8_t *head, size_t head_len, const uint8_t *data, size_t size)
{
	int fd = memfd_create("journal", MFD_CLOEXEC);
	struct wal_scan found;
	uint32_t n_frames = 0;

	if (fd < 0 || write(fd, head, head_len) != (ssize_t)head_len ||
	    write(fd, data, size) != (ssize_t)size)
		abort();
	if (wal_scan(fd, count, &n_frames, &found) < 0 || found.n_frames != n_frames ||
	    found.bytes != (int64_t)(head_len + size) ||
	    (n_frames && wal_frame_offset(n_frames + 1) > found.bytes) ||
	    found.n_lost_commits > size / WAL_FRAME_BYTES + 1)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of a journal that SQLite has made: version 3007000, pages of 4096 bytes, salt and sums.
	 */
	static const uint8_t header[WAL_HEADER_BYTES] = {
		0x37, 0x7f, 0x06, 0x82, 0x00, 0x2d, 0xe2, 0x18, 0x00, 0x00, 0x10,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0xaa, 0x2d, 0x75, 0x7f, 0xb7,
		0x86, 0xaa, 0x4a, 0x14, 0xad, 0x18, 0xac, 0x83, 0x3c, 0x3c};

	scan(NULL, 0, data, size);
	scan(header, sizeof(header), data, size);
	return 0;
}
