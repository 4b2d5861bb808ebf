#include "base/kernel_config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/parse.h"

#define CONFIG_BYTES_MAX (4 * 1024 * 1024)
/* The longest line of a config has some hundred bytes (CONFIG_CC_VERSION_TEXT). */
#define LINE_BYTES_MAX   512

struct search {
	const char *option;
	char *buf;
	size_t size;
	bool has_options;
	size_t len; /* of line; LINE_BYTES_MAX: too long, to be left out */
	char line[LINE_BYTES_MAX];
};

enum { SEARCH_ON, SEARCH_FOUND };

/* Returns SEARCH_FOUND, or -ENAMETOOLONG for a value that does not fit. */
static int take_line(struct search *s)
{
	static const char prefix[] = "CONFIG_", off[] = "# CONFIG_";
	struct slice line = {s->line, s->len}, name;
	bool too_long = s->len == LINE_BYTES_MAX;

	s->len = 0;
	if (too_long)
		return SEARCH_ON;
	if (line.len >= sizeof(off) && !memcmp(line.p, off, sizeof(off) - 1))
		s->has_options = true;
	if (line.len < sizeof(prefix) || memcmp(line.p, prefix, sizeof(prefix) - 1) != 0 ||
	    !slice_until(&line, '=', &name))
		return SEARCH_ON;
	s->has_options = true;
	if (!slice_is(name, s->option))
		return SEARCH_ON;
	if (line.len && line.p[line.len - 1] == '\r')
		line.len--;

	int r = slice_copy(line, s->buf, s->size);

	return r < 0 ? r : SEARCH_FOUND;
}

static int take_text(void *arg, const char *piece, size_t len)
{
	struct search *s = arg;

	for (size_t i = 0; i < len; i++) {
		int r = piece[i] == '\n' ? take_line(s) : SEARCH_ON;

		if (r)
			return r;
		if (piece[i] != '\n' && s->len < LINE_BYTES_MAX)
			s->line[s->len++] = piece[i];
	}
	return 0;
}

static int take_plain(int fd, struct search *s)
{
	char piece[4096];
	size_t total = 0;

	for (;;) {
		ssize_t n = read(fd, piece, sizeof(piece));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		total += (size_t)n;
		if (total > CONFIG_BYTES_MAX)
			return -E2BIG;

		int r = take_text(s, piece, (size_t)n);

		if (r)
			return r;
	}
}

/* Whether the file begins as gzip does; leaves its offset at the begin. */
static bool is_gzip(int fd)
{
	unsigned char magic[2];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && magic[0] == 0x1f &&
	       magic[1] == 0x8b;
}

int kernel_config_find(int fd, const char *option, char *buf, size_t size)
{
	struct search s = {.option = option, .buf = buf, .size = size};
	int r = is_gzip(fd) ? inflate_fd(fd, CONFIG_BYTES_MAX, take_text, &s) : take_plain(fd, &s);

	/* The last line may lack its newline. */
	if (r == 0)
		r = take_line(&s);
	if (r != SEARCH_ON)
		return r < 0 ? r : 0;
	return s.has_options ? slice_copy(slice_of("n"), buf, size) : -ENODATA;
}
