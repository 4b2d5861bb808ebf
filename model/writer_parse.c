#include "model/writer_parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */

/* Of /proc/PID/stat, counted behind the name. */
enum { STAT_PARENT = 1, STAT_FLAGS = 6, STAT_START = 19, STAT_FIELDS };

static int64_t sum(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? INT64_MAX : r;
}

void writer_io_add(struct writer_io *to, const struct writer_io *io)
{
	to->read = sum(to->read, io->read);
	to->written = sum(to->written, io->written);
	to->cancelled = sum(to->cancelled, io->cancelled);
	to->syncs = sum(to->syncs, io->syncs);
}

struct writer_io writer_io_minus(const struct writer_io *a, const struct writer_io *b)
{
	/* None is negative, so nothing overflows. */
	return (struct writer_io){
		.read = MAX(a->read - b->read, INT64_C(0)),
		.written = MAX(a->written - b->written, INT64_C(0)),
		.cancelled = MAX(a->cancelled - b->cancelled, INT64_C(0)),
		.syncs = MAX(a->syncs - b->syncs, INT64_C(0)),
	};
}

bool writer_io_is_zero(const struct writer_io *io)
{
	return !io->read && !io->written && !io->cancelled && !io->syncs;
}

static int parse_count(struct slice text, int64_t *ret)
{
	int64_t value;
	int r = parse_i64_slice(text, &value);

	if (r < 0 || value < 0)
		return -EINVAL;
	*ret = value;
	return 0;
}

int writer_parse_io(struct slice text, struct writer_io *ret)
{
	struct writer_io io = {0};
	struct slice line, name, value;
	unsigned seen = 0;
	int r = 0;

	while (!r && slice_line(&text, &line)) {
		if (!slice_until(&line, ':', &name) || !slice_token(&line, &value))
			continue;
		if (slice_is(name, "read_bytes")) {
			r = parse_count(value, &io.read);
			seen |= 1;
		} else if (slice_is(name, "write_bytes")) {
			r = parse_count(value, &io.written);
			seen |= 2;
		} else if (slice_is(name, "cancelled_write_bytes")) {
			r = parse_count(value, &io.cancelled);
		}
	}
	if (!r && seen != 3)
		r = -ENODATA;
	if (!r)
		*ret = io;
	return r;
}

/* Anybody may name a process or a group like a row of ours. */
static void take_brackets(char *name)
{
	size_t len = strlen(name);

	if (strcmp(name, WRITER_OTHERS) != 0 && strcmp(name, WRITER_UNSEEN) != 0)
		return;
	memmove(name, name + 1, len - 2);
	name[len - 2] = '\0';
}

static void write_name(struct writer_stat *stat, struct slice comm)
{
	struct text name = text_in(stat->name, sizeof(stat->name));

	if (stat->is_kernel && comm.len >= 8 && !memcmp(comm.p, "kworker/", 8))
		comm.len = 7;
	text_str(&name, stat->is_kernel ? "[" : "");
	text_mem(&name, comm.p, MIN(comm.len, sizeof(stat->name) - 3));
	text_str(&name, stat->is_kernel ? "]" : "");
	take_brackets(stat->name);
}

/* The name may hold brackets, blanks and newlines: it ends at the last bracket. */
int writer_parse_stat(struct slice text, struct writer_stat *ret)
{
	const char *open = memchr(text.p, '(', text.len);
	const char *close = open ? memrchr(open, ')', text.len - (size_t)(open - text.p)) : NULL;
	struct writer_stat stat = {0};
	struct slice rest, token, before;
	int64_t flags = 0;
	int r;

	if (!close)
		return -EINVAL;
	before = (struct slice){text.p, (size_t)(open - text.p)};
	if (!slice_token(&before, &token) || parse_count(token, &stat.pid) < 0)
		return -EINVAL;
	rest = (struct slice){close + 1, text.len - (size_t)(close + 1 - text.p)};
	for (int i = 0; i < STAT_FIELDS; i++) {
		if (!slice_token(&rest, &token))
			return -EINVAL;
		r = i == STAT_PARENT  ? parse_count(token, &stat.parent)
		    : i == STAT_FLAGS ? parse_count(token, &flags)
		    : i == STAT_START ? parse_count(token, &stat.start)
				      : 0;
		if (r < 0)
			return r;
	}
	stat.is_kernel = flags & PF_KTHREAD;
	write_name(&stat, (struct slice){open + 1, (size_t)(close - open - 1)});
	*ret = stat;
	return 0;
}

int writer_parse_iostat(struct slice line, int64_t *ret_major, int64_t *ret_minor,
			struct writer_io *ret)
{
	struct writer_io io = {0};
	struct slice token, name;
	unsigned seen = 0;

	if (!slice_token(&line, &token) || !slice_until(&token, ':', &name) ||
	    parse_count(name, ret_major) < 0 || parse_count(token, ret_minor) < 0)
		return -EINVAL;
	while (slice_token(&line, &token)) {
		int r = 0;

		if (!slice_until(&token, '=', &name))
			continue;
		if (slice_is(name, "rbytes")) {
			r = parse_count(token, &io.read);
			seen |= 1;
		} else if (slice_is(name, "wbytes")) {
			r = parse_count(token, &io.written);
			seen |= 2;
		}
		if (r < 0)
			return r;
	}
	if (seen != 3)
		return -ENODATA;
	*ret = io;
	return 0;
}

int writer_parse_uid(struct slice line, int64_t *ret_uid, struct writer_io *ret)
{
	enum { UID, FG_READ = 3, FG_WRITTEN, BG_READ = 7, BG_WRITTEN, FG_SYNCS, BG_SYNCS, N };
	int64_t v[N];
	struct slice token;

	for (int i = 0; i < N; i++)
		if (!slice_token(&line, &token) || parse_count(token, &v[i]) < 0)
			return -EINVAL;
	if (slice_token(&line, &token) || v[UID] > UINT32_MAX)
		return -EINVAL;
	*ret_uid = v[UID];
	*ret = (struct writer_io){.read = sum(v[FG_READ], v[BG_READ]),
				  .written = sum(v[FG_WRITTEN], v[BG_WRITTEN]),
				  .syncs = sum(v[FG_SYNCS], v[BG_SYNCS])};
	return 0;
}

int writer_parse_package(struct slice line, struct slice *ret_name, int64_t *ret_uid)
{
	struct slice name, uid;
	int64_t number;

	if (!slice_token(&line, &name) || !slice_token(&line, &uid) ||
	    parse_count(uid, &number) < 0 || number > UINT32_MAX)
		return -EINVAL;
	*ret_name = name;
	*ret_uid = number;
	return 0;
}

static bool ends_in(struct slice part, const char *end)
{
	size_t len = strlen(end);

	return part.len > len && !memcmp(part.p + part.len - len, end, len);
}

static bool is_hex(struct slice part, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		if (i >= part.len || !strchr("0123456789abcdef", part.p[i]))
			return false;
	return n;
}

#define CONTAINER_ID    64 /* digits */
#define CONTAINER_SHOWN 12

/* A container: "docker-<id>.scope", or "<id>" below "docker". */
static bool put_container(struct text *unit, struct slice parent, struct slice part)
{
	static const struct {
		const char *prefix, *name;
	} kinds[] = {
		{"docker-", "docker"},
		{"libpod-", "podman"},
		{"cri-containerd-", "containerd"},
		{"crio-", "crio"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);

		if (part.len > len && !memcmp(part.p, kinds[i].prefix, len) &&
		    is_hex(part, len, CONTAINER_ID)) {
			text_printf(unit, "%s-%.*s", kinds[i].name, CONTAINER_SHOWN, part.p + len);
			return true;
		}
	}
	if (part.len != CONTAINER_ID || !is_hex(part, 0, CONTAINER_ID))
		return false;
	text_printf(unit, "%s-%.*s", slice_is(parent, "docker") ? "docker" : "container",
		    CONTAINER_SHOWN, part.p);
	return true;
}

static bool is_unit(struct slice part)
{
	static const char *const ends[] = {".service", ".scope", ".socket", ".mount", ".swap"};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_in(part, ends[i]))
			return true;
	return false;
}

/* Takes the last part off the path. */
static bool last_part(struct slice *path, struct slice *ret)
{
	while (path->len && path->p[path->len - 1] == '/')
		path->len--;
	if (!path->len)
		return false;

	const char *slash = memrchr(path->p, '/', path->len);
	size_t at = slash ? (size_t)(slash + 1 - path->p) : 0;

	*ret = (struct slice){path->p + at, path->len - at};
	path->len = at;
	return true;
}

void writer_unit_of(const char *path, char unit[WRITER_UNIT_MAX], bool *ret_is_slice)
{
	struct text text = text_in(unit, WRITER_UNIT_MAX);
	struct slice rest = slice_of(path), part, last = slice_of("");

	text_reset(&text);
	*ret_is_slice = false;
	while (last_part(&rest, &part)) {
		struct slice above = rest, parent = {0};

		if (!last.len) {
			last = part;
			*ret_is_slice = ends_in(part, ".slice");
		}
		(void)last_part(&above, &parent);
		if (put_container(&text, parent, part))
			return;
		if (is_unit(part)) {
			text_mem(&text, part.p, part.len);
			return;
		}
	}
	text_mem(&text, last.p, last.len);
	take_brackets(unit);
}

int writer_parse_cgroup(struct slice text, char *buf, size_t size)
{
	struct slice line;

	while (slice_line(&text, &line))
		if (line.len > 3 && !memcmp(line.p, "0::", 3))
			return slice_copy((struct slice){line.p + 3, line.len - 3}, buf, size);
	return -ENOENT;
}
