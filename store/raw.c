#include "store/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define FILE_HEADER_BYTES 100
#define HEADER_MODES      18
#define HEADER_PAGES      28
#define HEADER_FIRST_FREE 32
#define PAYLOAD_MAX_BYTES (1 << 20)
#define MAGIC             "SQLite format 3"

/* How much of a row stands in its cell. */
#define LOCAL_MAX       (RAW_PAGE_BYTES - 35)
#define INDEX_LOCAL_MAX ((RAW_PAGE_BYTES - 12) * 64 / 255 - 23)
#define LOCAL_MIN       ((RAW_PAGE_BYTES - 12) * 32 / 255 - 23)
#define NEXT_MAX        (RAW_PAGE_BYTES - 4)

_Static_assert(RAW_PAGE_BYTES == WAL_PAGE_BYTES, "one size of pages");

struct raw {
	int fd, wal_fd;
	struct raw_size size;
	uint32_t n_in_file;
	uint32_t n_header_pages; /* as the first page has it; 0: it cannot be read */
	uint32_t *frames;        /* of each page, 0: it is not in the journal */
	uint32_t n_frames_alloc;
	uint8_t page[RAW_PAGE_BYTES];
	uint8_t *payload;
	size_t payload_alloc;
};

static uint32_t u16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) << 16 | u16(p + 2);
}

void raw_closep(struct raw **raw)
{
	struct raw *r = *raw;

	if (!r)
		return;
	closep(&r->fd);
	closep(&r->wal_fd);
	free(r->frames);
	free(r->payload);
	free(r);
}

/* Once for each page, however often a journal says that the file becomes smaller and larger: of a
 * page that goes and comes back SQLite too takes the newest frame. */
static int grow_frames(struct raw *raw, uint32_t n_pages)
{
	uint32_t n_alloc = MIN(MAX(n_pages + 1U, raw->n_frames_alloc * 2), RAW_PAGES_MAX + 1U);
	uint32_t *frames;

	if (n_pages > RAW_PAGES_MAX)
		return -EFBIG;
	if (n_pages < raw->n_frames_alloc)
		return 0;
	frames = reallocarray(raw->frames, n_alloc, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	memset(frames + raw->n_frames_alloc, 0, (n_alloc - raw->n_frames_alloc) * sizeof(*frames));
	raw->frames = frames;
	raw->n_frames_alloc = n_alloc;
	return 0;
}

/* The pages up to here count, and the file has this many. */
static int take_commit(const uint32_t *pages, uint32_t n, uint32_t first, uint32_t n_file_pages,
		       void *arg)
{
	struct raw *raw = arg;
	int r = grow_frames(raw, n_file_pages);

	if (r < 0)
		return r;
	raw->size.n_pages = n_file_pages;
	for (uint32_t i = 0; i < n; i++)
		if (pages[i] >= 1 && pages[i] <= n_file_pages)
			raw->frames[pages[i]] = first + i;
	return 0;
}

bool raw_companion(const char *path, const char *suffix, char ret[RAW_PATH_BYTES])
{
	char file[PATH_MAX];

	return snprintf(ret, RAW_PATH_BYTES, "%s%s", realpath(path, file) ? file : path, suffix) <
	       RAW_PATH_BYTES;
}

static int open_wal(struct raw *raw, const char *path)
{
	char name[RAW_PATH_BYTES];
	struct stat st;
	int r;

	if (!raw_companion(path, "-wal", name))
		return -ENAMETOOLONG;
	raw->wal_fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (raw->wal_fd < 0 || fstat(raw->wal_fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		raw->size.journal_error = raw->wal_fd >= 0  ? EMEDIUMTYPE
					  : errno == ENOENT ? 0
							    : errno;
		return 0;
	}
	raw->size.journal = true;
	r = wal_scan(raw->wal_fd, take_commit, raw, &raw->size.wal);
	for (uint32_t i = 1; i <= raw->size.n_pages; i++)
		raw->size.n_in_journal += raw->frames[i] > 0;
	return r;
}

/* What the first page says of the file, where it is one. */
static void read_header(struct raw *raw)
{
	const uint8_t *p = raw_page(raw, 1);

	if (!p || memcmp(p, MAGIC, sizeof(MAGIC)) != 0)
		return;
	raw->n_header_pages = u32(p + HEADER_PAGES);
	raw->size.wants_journal = p[HEADER_MODES] == 2 && !raw->size.journal;
	if (u32(p + HEADER_PAGES) > raw->size.n_pages && u32(p + HEADER_PAGES) < RAW_PAGES_MAX)
		raw->size.n_cut = u32(p + HEADER_PAGES) - raw->size.n_pages;
}

/* Behind its last page a snapshot has its seal, which is none. */
static uint32_t missing_pages(const struct raw *raw, uint32_t n_whole)
{
	uint32_t n = raw->size.n_cut;
	uint32_t end = raw->size.wal.n_frames ? raw->size.n_pages : raw->n_header_pages;

	for (uint32_t page = n_whole + 1; page <= MIN(end, raw->size.n_pages); page++)
		n += !raw->frames[page];
	return n;
}

void raw_leave_journal(struct raw *raw)
{
	memset(raw->frames, 0, raw->n_frames_alloc * sizeof(*raw->frames));
	raw->size.n_pages = raw->n_in_file;
	raw->size.n_in_journal = 0;
	raw->size.n_cut = 0;
	read_header(raw);
}

int raw_open(const char *path, struct raw **ret)
{
	CLEANUP(raw_closep) struct raw *raw = calloc(1, sizeof(*raw));
	struct stat st;
	int r;

	if (!raw)
		return -ENOMEM;
	raw->wal_fd = -1;
	raw->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (raw->fd < 0 || fstat(raw->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EMEDIUMTYPE;
	if (st.st_size / RAW_PAGE_BYTES >= RAW_PAGES_MAX)
		return -EFBIG;
	raw->n_in_file = (uint32_t)((st.st_size + RAW_PAGE_BYTES - 1) / RAW_PAGE_BYTES);
	raw->size.n_pages = raw->n_in_file;
	r = grow_frames(raw, raw->n_in_file);
	if (!r)
		r = open_wal(raw, path);
	if (r < 0)
		return r;
	read_header(raw);
	raw->size.n_missing = missing_pages(raw, (uint32_t)(st.st_size / RAW_PAGE_BYTES));
	*ret = raw;
	raw = NULL;
	return 0;
}

void raw_get_size(const struct raw *raw, struct raw_size *ret)
{
	*ret = raw->size;
}

const uint8_t *raw_page(struct raw *raw, uint32_t page)
{
	uint32_t frame = page >= 1 && page <= raw->size.n_pages ? raw->frames[page] : 0;
	int64_t at = frame ? wal_frame_offset(frame) + WAL_FRAME_HEADER
			   : (int64_t)(page - 1) * RAW_PAGE_BYTES;
	ssize_t n;

	if (page < 1 || page > raw->size.n_pages || (!frame && page > raw->n_in_file))
		return NULL;
	n = pread(frame ? raw->wal_fd : raw->fd, raw->page, RAW_PAGE_BYTES, at);
	if (n <= 0) {
		raw->size.n_unreadable++;
		return NULL;
	}
	/* The end of a file that was cut within a page. */
	memset(raw->page + n, 0, RAW_PAGE_BYTES - (size_t)n);
	return raw->page;
}

static size_t head_of(uint32_t page)
{
	return page == 1 ? FILE_HEADER_BYTES : 0;
}

static bool is_inner(uint8_t kind)
{
	return kind == RAW_TABLE_INNER || kind == RAW_INDEX_INNER;
}

static bool is_index(uint8_t kind)
{
	return kind == RAW_INDEX_LEAF || kind == RAW_INDEX_INNER;
}

/* Where the places of its cells stand. */
static size_t pointers_of(const uint8_t *p, uint32_t page)
{
	size_t head = head_of(page);

	return head + (is_inner(p[head]) ? 12 : 8);
}

enum raw_kind raw_page_kind(const uint8_t *p, uint32_t page)
{
	size_t head = head_of(page);
	uint8_t kind = p[head];

	if (!is_inner(kind) && kind != RAW_TABLE_LEAF && kind != RAW_INDEX_LEAF)
		return RAW_OTHER;

	size_t cells = pointers_of(p, page) + 2 * (size_t)u16(p + head + 3);

	return cells <= RAW_PAGE_BYTES ? (enum raw_kind)kind : RAW_OTHER;
}

/* A page that changes between two reads has been looked at before: no more than it has room for. */
size_t raw_page_cells(const uint8_t *p, uint32_t page)
{
	size_t pointers = pointers_of(p, page), n = u16(p + head_of(page) + 3);

	return MIN(n, (RAW_PAGE_BYTES - pointers) / 2);
}

/* Returns the length, 0 when it does not end before end. */
static size_t varint(const uint8_t *p, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8 && p + i < end; i++) {
		value = value << 7 | (p[i] & 0x7f);
		if (!(p[i] & 0x80)) {
			*ret = value;
			return i + 1;
		}
	}
	if (p + 9 > end)
		return 0;
	*ret = value << 8 | p[8];
	return 9;
}

/* Where a cell begins, NULL when not on the page. */
static const uint8_t *cell_at(const uint8_t *p, uint32_t page, size_t cell)
{
	size_t pointers = pointers_of(p, page);
	size_t at = u16(p + pointers + 2 * cell);

	return at >= pointers + 2 * raw_page_cells(p, page) && at + 4 <= RAW_PAGE_BYTES ? p + at
											: NULL;
}

int raw_child(const uint8_t *p, uint32_t page, size_t cell, uint32_t *ret_child, int64_t *ret_last)
{
	uint64_t key;

	if (cell == raw_page_cells(p, page)) {
		*ret_child = u32(p + head_of(page) + 8);
		*ret_last = INT64_MAX;
		return 0;
	}

	const uint8_t *at = cell < raw_page_cells(p, page) ? cell_at(p, page, cell) : NULL;

	if (!at || !varint(at + 4, p + RAW_PAGE_BYTES, &key))
		return -EBADMSG;
	*ret_child = u32(at);
	*ret_last = is_index(p[head_of(page)]) ? INT64_MAX : (int64_t)key;
	return 0;
}

static size_t local_bytes(size_t len, bool index)
{
	size_t max = index ? INDEX_LOCAL_MAX : LOCAL_MAX;

	if (len <= max)
		return len;

	size_t k = LOCAL_MIN + (len - LOCAL_MIN) % NEXT_MAX;

	return k <= max ? k : LOCAL_MIN;
}

/* The rest of a row, from the pages that it goes on on. */
static int read_rest(struct raw *raw, uint32_t page, size_t at, size_t len)
{
	while (at < len) {
		const uint8_t *p = raw_page(raw, page);
		size_t n = MIN(len - at, (size_t)NEXT_MAX);

		if (!p)
			return -EBADMSG;
		memcpy(raw->payload + at, p + 4, n);
		at += n;
		page = u32(p);
		/* The last one says so, the others have a next one. */
		if ((at == len) != (page == 0))
			return -EBADMSG;
	}
	return 0;
}

static int read_payload(struct raw *raw, uint32_t page, size_t cell, int64_t *ret_rowid,
			size_t *ret_len)
{
	const uint8_t *p = raw_page(raw, page), *end = p ? p + RAW_PAGE_BYTES : NULL;
	const uint8_t *at = p && cell < raw_page_cells(p, page) ? cell_at(p, page, cell) : NULL;
	bool index = p && is_index(p[head_of(page)]);
	uint64_t len = 0, rowid = 0;
	size_t n, m;

	/* In front of a row on an inner page stands its child. */
	if (at && is_inner(p[head_of(page)]))
		at += 4;
	n = at ? varint(at, end, &len) : 0;
	m = n && !index ? varint(at + n, end, &rowid) : 0;
	if (!n || (!m && !index) || !len || len > PAYLOAD_MAX_BYTES)
		return -EBADMSG;
	at += n + m;

	size_t local = local_bytes((size_t)len, index);

	if (local + (local < len ? 4 : 0) > (size_t)(end - at))
		return -EBADMSG;
	if (len > raw->payload_alloc) {
		free(raw->payload);
		raw->payload_alloc = 0;
		raw->payload = malloc((size_t)len);
		if (!raw->payload)
			return -ENOMEM;
		raw->payload_alloc = (size_t)len;
	}
	memcpy(raw->payload, at, local);
	*ret_rowid = (int64_t)rowid;
	*ret_len = (size_t)len;
	return local < len ? read_rest(raw, u32(at + local), local, (size_t)len) : 0;
}

static int64_t big_endian(const uint8_t *p, size_t len)
{
	uint64_t value = p[0] & 0x80 ? UINT64_MAX : 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | p[i];
	return (int64_t)value;
}

/* The length of a value in the body; SIZE_MAX for a kind that there is not. */
static size_t value_bytes(uint64_t kind)
{
	static const uint8_t bytes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

	if (kind < ARRAY_SIZE(bytes))
		return bytes[kind];
	return kind < 12 ? SIZE_MAX : (size_t)(kind - 12) / 2;
}

static void take_value(uint64_t kind, const uint8_t *p, size_t len, struct raw_value *ret)
{
	*ret = (struct raw_value){.p = (const char *)p, .len = len};
	if (kind == 0)
		ret->type = RAW_NULL;
	else if (kind == 7)
		ret->type = RAW_REAL;
	else if (kind >= 12)
		ret->type = kind & 1 ? RAW_TEXT : RAW_BLOB;
	else
		ret->type = RAW_INT;
	if (ret->type == RAW_INT)
		ret->i = len ? big_endian(p, len) : (int64_t)kind - 8;
}

static int take_values(const uint8_t *p, size_t len, struct raw_row *ret)
{
	uint64_t head, kind;
	size_t at = varint(p, p + len, &head);

	if (!at || head > len || head < at)
		return -EBADMSG;

	const uint8_t *body = p + head, *end = p + len;

	for (ret->n = 0; at < head; ret->n++) {
		size_t n = varint(p + at, p + head, &kind),
		       bytes = n ? value_bytes(kind) : SIZE_MAX;

		if (ret->n == RAW_COLUMNS_MAX || bytes > (size_t)(end - body))
			return -EBADMSG;
		take_value(kind, body, bytes, &ret->v[ret->n]);
		body += bytes;
		at += n;
	}
	return body == end ? 0 : -EBADMSG;
}

int raw_row(struct raw *raw, uint32_t page, size_t cell, struct raw_row *ret)
{
	size_t len = 0;
	int r = read_payload(raw, page, cell, &ret->rowid, &len);

	return r < 0 ? r : take_values(raw->payload, len, ret);
}

bool raw_free_pages(struct raw *raw, void (*visit)(uint32_t page, void *arg), void *arg)
{
	const uint8_t *p = raw_page(raw, 1);
	uint32_t trunk, n_trunks = 0;

	if (!p || memcmp(p, MAGIC, sizeof(MAGIC)) != 0)
		return false;
	trunk = u32(p + HEADER_FIRST_FREE);
	while (trunk) {
		p = raw_page(raw, trunk);
		if (!p || n_trunks++ > raw->size.n_pages || u32(p + 4) > RAW_PAGE_BYTES / 4 - 2)
			return false;
		visit(trunk, arg);
		for (uint32_t i = 0; i < u32(p + 4); i++)
			if (u32(p + 8 + 4 * i) <= raw->size.n_pages)
				visit(u32(p + 8 + 4 * i), arg);
		trunk = u32(p);
	}
	return true;
}
