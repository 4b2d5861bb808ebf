/* A log is read piece by piece: one of a serial console may have gigabytes. It comes as text, as
 * text that was compressed by gzip, or as the entries of journalctl -o json. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/inflate.h"
#include "cli/kernel_log.h"

#define PIECE_BYTES (256 * 1024)

/* What is no text begins so. */
static const struct {
	const char *magic;
	size_t len;
	const char *problem;
} others[] = {
	{"\x28\xb5\x2f\xfd", 4, "is compressed by zstd: zstdcat FILE | flashscope kernel-log -"},
	{"\xfd\x37zXZ", 5, "is compressed by xz: xzcat FILE | flashscope kernel-log -"},
	{"BZh", 3, "is compressed by bzip2: bzcat FILE | flashscope kernel-log -"},
	{"\x04\x22\x4d\x18", 4, "is compressed by lz4: lz4cat FILE | flashscope kernel-log -"},
	{"PK\x03\x04", 4, "is an archive: unzip -p FILE | flashscope kernel-log -"},
	{"LPKSHHRH", 8,
	 "is a journal: journalctl --file FILE -k -o json | flashscope kernel-log -"},
	{"__CURSOR=", 9,
	 "is an export of a journal: journalctl -k -o json | flashscope kernel-log -"},
	{"{\n", 2, "is no JSON of one line an entry: journalctl -k -o json"},
	{"[{", 2, "is no JSON of one line an entry: journalctl -k -o json"},
	{"\xff\xfe", 2, "is UTF-16: iconv -f UTF-16 -t UTF-8 FILE | flashscope kernel-log -"},
	{"\xfe\xff", 2, "is UTF-16: iconv -f UTF-16 -t UTF-8 FILE | flashscope kernel-log -"},
};

struct input {
	struct kernel_log *log;
	char *buf; /* what is not taken yet, PIECE_BYTES at most */
	size_t len;
	long long n_text; /* bytes that came */
	bool is_json, has_begun;
};

/* How much of it is whole messages: up to the last line behind which no blank stands, since lines
 * that begin with one may belong to the line before. All of it when that is nothing. */
static size_t whole_bytes(const char *p, size_t len, bool is_full)
{
	for (size_t n = len; n > 1; n--)
		if (p[n - 2] == '\n' && p[n - 1] != ' ')
			return n - 1;
	return is_full ? len : 0;
}

static int take_text(struct input *input, size_t len)
{
	struct slice text = {input->buf, len}, line;
	struct kernel_message message;
	int r = 0;

	if (!input->is_json) {
		while (r == 0 && kernel_message_next(&text, &message))
			r = kernel_log_take(input->log, &message);
		return r;
	}
	while (r == 0 && slice_line(&text, &line))
		if (kernel_log_json(input->log, line, &message))
			r = kernel_log_take(input->log, &message);
	return r;
}

/* Zeros are what a power cut leaves, and a terminal is coloured by escapes. */
static void note_control(struct kernel_log *log, const char *p, size_t len)
{
	static const char of_text[] = "\t\n\v\f\r\b\x1b";

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		log->n_bytes += c != 0;
		log->n_control += c && c < ' ' && !memchr(of_text, c, sizeof(of_text) - 1);
	}
}

static int add(void *arg, const char *piece, size_t len)
{
	struct input *input = arg;
	int r = 0;

	if (!input->has_begun && len) {
		input->has_begun = true;
		input->is_json = piece[0] == '{';
		note_control(input->log, piece, len);
	}
	input->n_text += (long long)len;
	while (r == 0 && len) {
		size_t n = MIN(len, PIECE_BYTES - input->len), whole;

		memcpy(input->buf + input->len, piece, n);
		input->len += n;
		piece += n;
		len -= n;
		/* Each piece is looked through once. */
		if (input->len < PIECE_BYTES)
			break;
		whole = whole_bytes(input->buf, input->len, true);
		r = take_text(input, whole);
		memmove(input->buf, input->buf + whole, input->len - whole);
		input->len -= whole;
	}
	return r;
}

static int read_some(int fd, char *buf, size_t size, size_t *ret_len)
{
	ssize_t n;

	do {
		n = read(fd, buf, size);
		/* Of /dev/kmsg: records were written over while it was read. */
	} while (n < 0 && (errno == EINTR || errno == EPIPE));
	/* It has no end, but for now; see read_log(). */
	if (n < 0 && errno == EAGAIN)
		n = 0;
	*ret_len = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -errno : 0;
}

/* Enough to tell what it is. */
static int read_first(int fd, char *buf, size_t size, size_t *ret_len)
{
	size_t len = 0, n = 1;
	int r = 0;

	while (r == 0 && n && len < 16) {
		r = read_some(fd, buf + len, size - len, &n);
		len += n;
	}
	*ret_len = len;
	return r;
}

static int read_rest(struct input *input, int fd, char *piece, size_t len)
{
	int r = add(input, piece, len);

	while (r == 0 && len) {
		r = read_some(fd, piece, PIECE_BYTES, &len);
		if (r == 0)
			r = add(input, piece, len);
	}
	return r;
}

static int read_gzip(struct input *input, int fd, const char *first, size_t len)
{
	int r = inflate_rest(fd, first, len, SIZE_MAX, add, input);

	if (r == -EOPNOTSUPP)
		input->log->problem = "is compressed by gzip: zcat FILE | flashscope kernel-log -";
	if (r == -EBADMSG && input->n_text) {
		/* A power cut, a full disk or half of a transfer: what there is tells something. */
		input->log->cut_at = input->n_text;
		return 0;
	}
	if (r == -EBADMSG)
		input->log->problem = "is compressed by gzip, and damaged or cut off";
	return r;
}

static int read_all(struct input *input, int fd, char *piece)
{
	size_t len;
	int r = read_first(fd, piece, PIECE_BYTES, &len);

	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (len >= others[i].len && !memcmp(piece, others[i].magic, others[i].len)) {
			input->log->problem = others[i].problem;
			return -EBADMSG;
		}
	}
	if (len >= 3 && !memcmp(piece, "\x1f\x8b\x08", 3))
		return read_gzip(input, fd, piece, len);
	return read_rest(input, fd, piece, len);
}

int kernel_log_read(struct kernel_log *log, int fd)
{
	CLEANUP(freep) char *buf = malloc(PIECE_BYTES);
	CLEANUP(freep) char *piece = malloc(PIECE_BYTES);
	struct input input = {.log = log, .buf = buf};
	int r = buf && piece ? read_all(&input, fd, piece) : -ENOMEM;

	if (r == 0)
		r = take_text(&input, input.len);
	return r < 0 ? r : kernel_log_end(log);
}
