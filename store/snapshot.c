/* SQLite has no way to hand out the pages of a transaction one by one, other than into a second
 * file. So they are read as SQLite reads them, through its own descriptors (to close another one
 * would drop its locks): from the journal what it has up to the end of the transaction, the rest
 * from the file. The layout of both is that of https://www.sqlite.org/walformat.html.
 *
 * Which frames belong to the transaction is told by the header of the index in shared memory: when
 * it reads the same before and after the transaction began, that is what the transaction took. As
 * long as the transaction lasts no checkpoint goes beyond it, and the journal is not begun anew.
 * When all of the journal was in the file already it may be begun anew, but then nothing is written
 * into the file, which has everything. */
#include "store/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "store/db.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define PAGE_BYTES    SNAPSHOT_PIECE_BYTES
#define HEADER_MODES  18 /* of page 1: 2, 2 for a file with a journal, 1, 1 without */
#define FRAMES_MAX    (1U << 20)
#define INDEX_BYTES   32768 /* of a part of the index */
#define INDEX_VERSION 3007000
#define BEGIN_TRIES   100
#define LOOK_PAGES    16 /* between looks at the journal */

/* Of the index in shared memory, twice; in the byte order of the machine. */
struct index_header {
	uint32_t version, unused, change;
	uint8_t is_init, big_endian_sums;
	uint16_t page_bytes;
	uint32_t n_frames, n_pages;
	uint32_t frame_sum[2];
	uint8_t salt[8]; /* as it stands in the journal */
	uint32_t sum[2];
};

struct index_info {
	struct index_header header[2];
	uint32_t n_backfilled; /* frames that the file has */
};

struct frame {
	uint32_t page, at; /* from 1 */
};

struct snapshot {
	struct reader *reader;
	sqlite3_file *file, *wal;
	const volatile uint8_t *index; /* NULL: there is no journal */
	struct index_header header;
	struct frame *frames; /* of each page its last one, by page */
	size_t n_frames;
	int64_t n_pages, at;
	int64_t lacks_wall_ms;
	int64_t wal_max_bytes; /* 0: whatever it is */
	struct sha256 sha;
	bool sealed, given_up;
};

void snapshot_close(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	if (snapshot->reader && snapshot->reader->conn)
		reader_end(snapshot->reader);
	reader_close(snapshot->reader);
	free(snapshot->frames);
	free(snapshot);
}

void snapshot_closep(struct snapshot **snapshot)
{
	snapshot_close(*snapshot);
}

/* One that is being written while it is copied has two parts that differ. */
static bool read_index(const struct snapshot *s, struct index_info *ret)
{
	uint8_t bytes[sizeof(*ret)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = s->index[i];
	memcpy(ret, bytes, sizeof(*ret));
	return !memcmp(&ret->header[0], &ret->header[1], sizeof(ret->header[0]));
}

static int read_at(sqlite3_file *file, void *buf, int n, int64_t offset)
{
	int code = file->pMethods ? file->pMethods->xRead(file, buf, n, offset) : SQLITE_IOERR;

	return code == SQLITE_IOERR_SHORT_READ ? -EUCLEAN : sql_errno(code);
}

/* What belongs to a journal whose index nobody shares, told by itself: nobody writes to it. */
static int find_end(struct snapshot *s)
{
	const struct wal_scan *wal = &s->reader->size.wal;

	s->header.n_frames = wal->n_frames;
	memcpy(s->header.salt, wal->salt, sizeof(s->header.salt));
	return wal->n_frames && (!s->wal || !s->wal->pMethods) ? -ENOTSUP : 0;
}

static int find_index(struct snapshot *s)
{
	void volatile *index = NULL;
	int r;

	if (s->file->pMethods->iVersion < 2 || !s->wal || !s->wal->pMethods)
		return -ENOTSUP;
	r = sql_errno(s->file->pMethods->xShmMap(s->file, 0, INDEX_BYTES, 0, &index));
	s->index = index;
	return r || index ? r : -ENOTSUP;
}

static int find_files(struct snapshot *s)
{
	uint8_t modes[2];
	sqlite3 *conn = s->reader->conn;
	int r = sql_errno(sqlite3_file_control(conn, "main", SQLITE_FCNTL_FILE_POINTER, &s->file));

	if (!r)
		r = read_at(s->file, modes, sizeof(modes), HEADER_MODES);
	if (r || s->reader->immutable || modes[0] != 2)
		return r;
	r = sql_errno(sqlite3_file_control(conn, "main", SQLITE_FCNTL_JOURNAL_POINTER, &s->wal));
	if (!r)
		r = s->reader->own_index ? find_end(s) : find_index(s);
	return r;
}

static int begin(struct snapshot *s)
{
	int64_t n;
	int r = sql_exec(s->reader->conn, "BEGIN");

	return r ? r : sql_int(s->reader->conn, &n, "SELECT count(*) FROM meta");
}

/* Begins the transaction, and tells what the index said at that moment. */
static int begin_with_index(struct snapshot *s)
{
	struct index_info before, after;

	for (int i = 0; i < BEGIN_TRIES; i++) {
		bool good = read_index(s, &before);
		int r = begin(s);

		if (r < 0)
			return r;
		if (good && read_index(s, &after) &&
		    !memcmp(&before.header, &after.header, sizeof(before.header))) {
			s->header = after.header[0];
			/* All is in the file, and the journal may be begun anew. */
			if (after.n_backfilled >= s->header.n_frames)
				s->header.n_frames = 0;
			return s->header.version == INDEX_VERSION ? 0 : -ENOTSUP;
		}
		reader_end(s->reader);
		usleep(1000);
	}
	return -EBUSY;
}

static int by_page(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

static uint32_t u32_of(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int find_frames(struct snapshot *s)
{
	uint8_t header[16];
	size_t n = 0;

	if (s->header.n_frames > FRAMES_MAX)
		return -ENOTSUP;
	s->frames = calloc(s->header.n_frames + 1, sizeof(*s->frames));
	if (!s->frames)
		return -ENOMEM;
	for (uint32_t i = 1; i <= s->header.n_frames; i++) {
		int r = read_at(s->wal, header, sizeof(header), wal_frame_offset(i));

		if (r || memcmp(header + 8, s->header.salt, sizeof(s->header.salt)) != 0)
			return r ? r : -EUCLEAN;
		s->frames[i - 1] = (struct frame){u32_of(header), i};
	}
	if (s->header.n_frames)
		qsort(s->frames, s->header.n_frames, sizeof(*s->frames), by_page);
	for (uint32_t i = 0; i < s->header.n_frames; i++)
		if (!n || s->frames[n - 1].page != s->frames[i].page)
			s->frames[n++] = s->frames[i];
	s->n_frames = n;
	return 0;
}

static int start(struct snapshot *s)
{
	int64_t page_bytes;
	int r = find_files(s);

	if (!r)
		r = s->index ? begin_with_index(s) : begin(s);
	if (!r)
		r = sql_int(s->reader->conn, &page_bytes, "PRAGMA page_size");
	if (!r && page_bytes != PAGE_BYTES)
		r = -ENOTSUP;
	if (!r)
		r = sql_int(s->reader->conn, &s->n_pages, "PRAGMA page_count");
	return r ? r : find_frames(s);
}

int snapshot_open(const char *path, struct store *store, const struct catalog *catalog,
		  struct snapshot **ret)
{
	CLEANUP(snapshot_closep) struct snapshot *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->lacks_wall_ms = -1;
	sha256_init(&s->sha);
	r = reader_open(path, store, catalog, &s->reader);
	if (!r && !s->reader->conn)
		r = -ENOENT;
	if (!r)
		r = start(s);
	if (r < 0)
		return r;
	if (store)
		s->wal_max_bytes = retention_wal_full_bytes(store->size_max_bytes) / 4 * 3;
	*ret = s;
	s = NULL;
	return 0;
}

void snapshot_set_lacks(struct snapshot *snapshot, int64_t wall_ms)
{
	snapshot->lacks_wall_ms = wall_ms;
}

int64_t snapshot_bytes(const struct snapshot *snapshot)
{
	return snapshot->n_pages * PAGE_BYTES + SNAPSHOT_SEAL_BYTES;
}

/* Whether what is written meanwhile still has room: a journal that cannot be begun anew grows. */
static bool has_room(const struct snapshot *s)
{
	struct index_info info;

	if (!s->index || !s->wal_max_bytes || !read_index(s, &info))
		return true;
	return info.header[0].n_frames <= s->header.n_frames ||
	       (int64_t)info.header[0].n_frames * WAL_FRAME_BYTES <= s->wal_max_bytes;
}

bool snapshot_look(struct snapshot *snapshot)
{
	if (snapshot->given_up || has_room(snapshot))
		return !snapshot->given_up;
	snapshot->given_up = true;
	reader_end(snapshot->reader);
	return false;
}

static const struct frame *find_frame(const struct snapshot *s, uint32_t page)
{
	size_t from = 0, to = s->n_frames;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (s->frames[middle].page == page)
			return &s->frames[middle];
		if (s->frames[middle].page < page)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* A journal that was begun anew meanwhile has other frames there, with another salt: the file has
 * what stood in them before. */
static int read_frame(const struct snapshot *s, const struct frame *frame, uint8_t *buf)
{
	uint8_t whole[WAL_FRAME_HEADER + PAGE_BYTES];
	int r = read_at(s->wal, whole, sizeof(whole), wal_frame_offset(frame->at));

	if (!r && (u32_of(whole) != frame->page ||
		   memcmp(whole + 8, s->header.salt, sizeof(s->header.salt)) != 0))
		r = -EUCLEAN;
	if (!r)
		memcpy(buf, whole + WAL_FRAME_HEADER, PAGE_BYTES);
	return r;
}

static int read_page(const struct snapshot *s, uint32_t page, uint8_t *buf)
{
	const struct frame *frame = find_frame(s, page);

	return frame ? read_frame(s, frame, buf)
		     : read_at(s->file, buf, PAGE_BYTES, (int64_t)(page - 1) * PAGE_BYTES);
}

static void put_time(struct text *text, int64_t wall_ms)
{
	if (wall_ms >= 0)
		clock_rfc3339(text, wall_ms);
	else
		text_char(text, '-');
	text_char(text, '\n');
}

static void seal(struct snapshot *s, uint8_t *buf)
{
	char sum[SHA256_HEX_BYTES], line[SNAPSHOT_SEAL_BYTES + 1];
	struct text text = TEXT_IN(line);

	sha256_hex(&s->sha, sum);
	text_printf(&text, "\nflashscope snapshot 1\nsha256 %s\ntaken ", sum);
	put_time(&text, clock_wall_ms());
	text_str(&text, "lacks-after ");
	put_time(&text, s->lacks_wall_ms);
	memset(buf, ' ', SNAPSHOT_SEAL_BYTES);
	memcpy(buf, line, text.len);
	buf[SNAPSHOT_SEAL_BYTES - 1] = '\n';
	s->sealed = true;
}

ssize_t snapshot_read(struct snapshot *snapshot, uint8_t buf[SNAPSHOT_PIECE_BYTES])
{
	struct snapshot *s = snapshot;

	if (s->sealed)
		return 0;
	if (s->at == s->n_pages) {
		/* Somebody has opened what was read without locks. */
		if (s->reader->own_index && reader_has_index(s->reader->path))
			return -EBUSY;
		seal(s, buf);
		return SNAPSHOT_SEAL_BYTES;
	}
	if (s->given_up || (s->at % LOOK_PAGES == 0 && !snapshot_look(s)))
		return -EBUSY;

	int r = read_page(s, (uint32_t)++s->at, buf);

	if (r < 0)
		return r;
	if (s->at == 1)
		buf[HEADER_MODES] = buf[HEADER_MODES + 1] = 1;
	sha256_add(&s->sha, buf, PAGE_BYTES);
	return PAGE_BYTES;
}

/* The rest of a line that begins with a word; what stands behind it in *ret_rest. */
static bool take_line(const char **text, const char *word, char *ret, size_t size)
{
	size_t len = strlen(word), n;

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	n = strcspn(*text, "\n");
	if (n >= size || (*text)[n] != '\n')
		return false;
	memcpy(ret, *text, n);
	ret[n] = '\0';
	*text += n + 1;
	return true;
}

static bool take_time(const char **text, const char *word, int64_t *ret)
{
	char line[64];

	if (!take_line(text, word, line, sizeof(line)))
		return false;
	*ret = -1;
	return !strcmp(line, "-") || clock_parse_rfc3339(line, ret) == 0;
}

static int read_seal(int fd, int64_t offset, struct snapshot_seal *ret)
{
	char buf[SNAPSHOT_SEAL_BYTES + 1] = "", rest[2];
	const char *text = buf;
	ssize_t n = offset < 0 ? 0 : pread(fd, buf, SNAPSHOT_SEAL_BYTES, offset);

	if (n < 0)
		return -errno;
	return take_line(&text, "\nflashscope snapshot 1", rest, sizeof(rest)) &&
			       take_line(&text, "sha256 ", ret->sha256, sizeof(ret->sha256)) &&
			       take_time(&text, "taken ", &ret->taken_wall_ms) &&
			       take_time(&text, "lacks-after ", &ret->lacks_wall_ms)
		       ? 0
		       : -ENODATA;
}

int snapshot_check(int fd, struct snapshot_seal *ret)
{
	uint8_t buf[SNAPSHOT_PIECE_BYTES];
	char sum[SHA256_HEX_BYTES];
	int64_t end = lseek(fd, 0, SEEK_END) - SNAPSHOT_SEAL_BYTES;
	int r = read_seal(fd, end, ret);
	struct sha256 sha;

	sha256_init(&sha);
	for (int64_t at = 0; !r && at < end;) {
		ssize_t n = pread(fd, buf, (size_t)MIN((int64_t)sizeof(buf), end - at), at);

		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		sha256_add(&sha, buf, (size_t)n);
		at += n;
	}
	sha256_hex(&sha, sum);
	return r ? r : strcmp(sum, ret->sha256) ? -EBADMSG : 0;
}
