#include "model/crash_records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define PSTORE            "sys/fs/pstore"
#define MOVED             "var/lib/systemd/pstore"
#define MOVED_DEPTH       2  /* below it: a folder for each time, in it one for each number */
#define MOVED_DIRS_MAX    64 /* the newest ones of a folder */
/* 2015; a clock that was not set tells nothing. */
#define FOLDER_TIME_MIN_S INT64_C(1420070400)
#define FNV_OFFSET        0xcbf29ce484222325ULL
#define FNV_PRIME         0x100000001b3ULL

const char *crash_kind_name(enum crash_kind kind)
{
	static const char *const names[] = {
		[CRASH_OTHER] = "other",       [CRASH_CONSOLE] = "console",
		[CRASH_PANIC] = "panic",       [CRASH_OOPS] = "oops",
		[CRASH_ORDERLY] = "orderly",   [CRASH_EMERGENCY] = "emergency",
		[CRASH_UNREAD] = "unreadable",
	};

	return names[kind];
}

struct gather {
	struct hw *hw;
	int fd;
	char *buf;
	int n;
	size_t room; /* bytes */
};

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static uint64_t digest_of(const char *p, size_t len)
{
	uint64_t digest = FNV_OFFSET;

	for (size_t i = 0; i < len; i++)
		digest = (digest ^ (uint8_t)p[i]) * FNV_PRIME;
	return digest;
}

/* A blob: a line "SIZE MTIME_MS DIGEST HEAD TAIL NAME", the head, the tail. */
static int put_record(struct gather *g, const char *name, int64_t wall_ms, size_t len)
{
	size_t head = MIN(len, (size_t)CRASH_HEAD_BYTES), tail = MIN(len, (size_t)CRASH_TAIL_BYTES);
	char line[CRASH_NAME_MAX + 128];
	int n = snprintf(line, sizeof(line), "%zu %lld %lld %zu %zu %s\n", len, (long long)wall_ms,
			 (long long)(digest_of(g->buf, len) >> 1), head, tail, name);
	size_t all = (size_t)n + head + tail;
	int r;

	if (all > g->room)
		return 0;
	g->room -= all;
	g->n++;
	r = write_all(g->fd, line, (size_t)n);
	if (!r)
		r = write_all(g->fd, g->buf, head);
	return r ? r : write_all(g->fd, g->buf + len - tail, tail);
}

static int read_up_to(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += (size_t)n;
	}
	return (int)len;
}

static int take_file(struct gather *g, const char *path)
{
	CLEANUP(closep) int fd = hw_open_record(g->hw, path);
	struct stat st;
	int len;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	len = read_up_to(fd, g->buf, CRASH_READ_MAX_BYTES);
	if (len <= 0)
		return 0;
	return put_record(g, path, (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000,
			  (size_t)len);
}

/* The newest first where names are times, so that the bound cuts off the oldest. */
static int take_folder(struct gather *g, const char *dir, int depth)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	int r = hw_list(g->hw, &names, "", "%s", dir);

	for (size_t i = names.n; r == 0 && i > 0 && g->n < CRASH_FILES_MAX; i--) {
		char path[CRASH_NAME_MAX];

		if (names.n - i >= (depth ? MOVED_DIRS_MAX : CRASH_FILES_MAX))
			break;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, names.v[i - 1]) >=
			    sizeof(path) ||
		    strchr(path, '\n'))
			continue;
		/* What is no folder cannot be listed. */
		if (depth > 0 && take_folder(g, path, depth - 1) == 0)
			continue;
		r = take_file(g, path);
	}
	return r;
}

int crash_records_gather(struct hw *hw, int fd)
{
	CLEANUP(freep) char *buf = malloc(CRASH_READ_MAX_BYTES);
	struct gather g = {.hw = hw, .fd = fd, .buf = buf, .room = CRASH_GATHERED_MAX};
	int r, moved;

	if (!buf)
		return -ENOMEM;
	r = take_folder(&g, PSTORE, 0);
	moved = take_folder(&g, MOVED, MOVED_DEPTH);
	return r < 0 && moved < 0 && !g.n ? r : g.n;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool head_has(struct slice head, const char *word)
{
	return memmem(head.p, head.len, word, strlen(word));
}

/* The reason stands in the first line; systemd-pstore joins the parts of a record into dmesg.txt,
 * and leaves these lines where the parts began. */
static enum crash_kind kind_of(const char *name, struct slice head, struct slice tail)
{
	const char *file = base_name(name);

	if (starts(file, "console-"))
		return CRASH_CONSOLE;
	if (!starts(file, "dmesg"))
		return CRASH_OTHER;
	if (strstr(file, ".enc.z"))
		return CRASH_UNREAD;
	if (head_has(head, "Panic#"))
		return CRASH_PANIC;
	if (head_has(head, "Oops#"))
		return CRASH_OOPS;
	if (head_has(head, "Emergency#"))
		return CRASH_EMERGENCY;
	if (head_has(head, "Shutdown#") || head_has(head, "Restart#") || head_has(head, "Halt#") ||
	    head_has(head, "Poweroff#"))
		return CRASH_ORDERLY;
	if (head_has(tail, "Kernel panic - not syncing"))
		return CRASH_PANIC;
	return head_has(tail, "Oops") || head_has(tail, "BUG:") ? CRASH_OOPS : CRASH_OTHER;
}

static bool take_number(struct slice *line, int64_t *ret)
{
	struct slice part;

	return slice_until(line, ' ', &part) && parse_i64_slice(part, ret) == 0;
}

static bool take_bytes(struct slice *rest, int64_t len, struct slice *ret)
{
	if (len < 0 || (uint64_t)len > rest->len)
		return false;
	*ret = (struct slice){rest->p, (size_t)len};
	rest->p += len;
	rest->len -= (size_t)len;
	return true;
}

/* "Panic#1 Part2": a reason, how many dumps this kernel has made, and which piece it is. */
static bool take_part(struct slice line, struct crash_record *ret)
{
	static const char word[] = "Part";
	struct slice reason, number;

	if (!slice_until(&line, '#', &reason) || !reason.len ||
	    slice_copy(reason, ret->reason, sizeof(ret->reason)) < 0 ||
	    !take_number(&line, &ret->number) || line.len <= strlen(word) ||
	    memcmp(line.p, word, strlen(word)) != 0)
		return false;
	number = (struct slice){line.p + strlen(word), line.len - strlen(word)};
	return parse_i64_slice(number, &ret->part) == 0 && ret->part > 0;
}

/* The line is the first one, or the second after that of a backend (pstore_zone). Where systemd has
 * joined the parts it is the line of one of them. */
static void find_part(struct slice head, struct crash_record *ret)
{
	bool is_whole = (size_t)ret->size_bytes == ret->tail.len;
	struct slice rest = head, line;

	if (!starts(base_name(ret->name), "dmesg-"))
		return;
	for (int i = 0; i < 2 && slice_until(&rest, '\n', &line); i++)
		if (take_part(line, ret)) {
			ret->body_at = is_whole ? MIN((size_t)(rest.p - head.p), ret->tail.len) : 0;
			return;
		}
	ret->part = 0;
}

/* systemd-pstore names the folder of a dump after the time that the backend has of it, in seconds:
 * "1796000000/001/dmesg.txt". -1: there is none. */
static int64_t folder_time_ms(const char *name)
{
	struct slice rest = slice_of(name + strlen(MOVED) + 1), folder;
	int64_t s;

	if (!slice_until(&rest, '/', &folder) || folder.len != 10 ||
	    parse_i64_slice(folder, &s) < 0 || s < FOLDER_TIME_MIN_S)
		return -1;
	return s * 1000;
}

static void find_time(struct crash_record *record, int64_t file_ms)
{
	int64_t folder_ms = -1;

	record->is_copy = starts(record->name, MOVED "/");
	if (record->is_copy && record->kind != CRASH_CONSOLE)
		folder_ms = folder_time_ms(record->name);
	if (folder_ms >= 0) {
		record->wall_ms = folder_ms;
		record->is_copy = false;
		return;
	}
	/* The console's record has no time of its own: its file is as old as the mount. */
	record->wall_ms = record->kind == CRASH_CONSOLE || file_ms <= 0 ? CRASH_TIME_NONE : file_ms;
}

bool crash_records_next(struct slice *rest, struct crash_record *ret)
{
	struct slice line, head, tail;
	int64_t size, wall_ms, digest, n_head, n_tail;

	if (!slice_until(rest, '\n', &line) || !take_number(&line, &size) ||
	    !take_number(&line, &wall_ms) || !take_number(&line, &digest) ||
	    !take_number(&line, &n_head) || !take_number(&line, &n_tail) ||
	    !take_bytes(rest, n_head, &head) || !take_bytes(rest, n_tail, &tail) || size < 0 ||
	    size > CRASH_READ_MAX_BYTES)
		return false;
	*ret = (struct crash_record){.size_bytes = size, .digest = (uint64_t)digest, .tail = tail};
	if (slice_copy(line, ret->name, sizeof(ret->name)) < 0)
		return false;
	ret->kind = kind_of(ret->name, head, tail);
	find_part(head, ret);
	find_time(ret, wall_ms);
	return true;
}
