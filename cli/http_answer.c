#include "cli/http_answer.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"

#define CHUNK_DIGITS_MAX 8

void http_answer_init(struct http_answer *answer,
		      int (*data)(void *arg, long status, const char *p, size_t len), void *arg)
{
	*answer = (struct http_answer){.data = data, .arg = arg};
}

/* "HTTP/1.1 200 OK" */
static int take_status(struct http_answer *answer)
{
	const char *line = answer->line;

	if (strncmp(line, "HTTP/1.", 7) != 0 || !isdigit((unsigned char)line[7]) || line[8] != ' ')
		return -EBADMSG;
	answer->status = 0;
	for (int i = 9; i < 12; i++) {
		if (!isdigit((unsigned char)line[i]))
			return -EBADMSG;
		answer->status = answer->status * 10 + (line[i] - '0');
	}
	if ((line[12] && line[12] != ' ') || answer->status < 100)
		return -EBADMSG;
	answer->state = HTTP_HEADER;
	return 0;
}

/* The value of the header of this name, or NULL. */
static const char *value_of(const char *line, const char *name)
{
	size_t len = strlen(name);

	if (strncasecmp(line, name, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	return line + strspn(line, " \t");
}

static int take_header(struct http_answer *answer)
{
	const char *length = value_of(answer->line, "Content-Length");
	const char *coding = value_of(answer->line, "Transfer-Encoding");

	if (coding) {
		answer->chunked = !strcasecmp(coding, "chunked");
		return answer->chunked ? 0 : -EBADMSG;
	}
	if (!length)
		return 0;
	/* Twice is one too many. */
	if (answer->has_length || parse_i64(length, &answer->left) < 0 || answer->left < 0)
		return -EBADMSG;
	answer->has_length = true;
	return 0;
}

static void begin_body(struct http_answer *answer)
{
	bool none = answer->status == 204 || answer->status == 304;

	if (answer->status < 200) { /* another head follows */
		*answer = (struct http_answer){
			.data = answer->data, .arg = answer->arg, .n_lines = answer->n_lines};
		return;
	}
	if (none || (!answer->chunked && answer->has_length && !answer->left))
		answer->state = HTTP_COMPLETE;
	else if (answer->chunked)
		answer->state = HTTP_CHUNK_SIZE;
	else
		answer->state = answer->has_length ? HTTP_BODY : HTTP_BODY_OPEN;
}

/* "1a3f", with extensions behind a semicolon that mean nothing here. */
static int take_chunk_size(struct http_answer *answer)
{
	const char *p = answer->line;
	int64_t size = 0;

	for (; isxdigit((unsigned char)*p); p++) {
		if (p - answer->line == CHUNK_DIGITS_MAX)
			return -EBADMSG;
		size = size * 16 + (isdigit((unsigned char)*p)
					    ? *p - '0'
					    : tolower((unsigned char)*p) - 'a' + 10);
	}
	if (p == answer->line || (*p && *p != ';' && *p != ' ' && *p != '\t'))
		return -EBADMSG;
	answer->left = size;
	answer->state = size ? HTTP_CHUNK : HTTP_TRAILER;
	return 0;
}

static int take_line(struct http_answer *answer)
{
	switch (answer->state) {
	case HTTP_STATUS_LINE:
		return take_status(answer);
	case HTTP_HEADER:
		if (*answer->line)
			return take_header(answer);
		begin_body(answer);
		return 0;
	case HTTP_CHUNK_SIZE:
		return take_chunk_size(answer);
	case HTTP_CHUNK_END:
		answer->state = HTTP_CHUNK_SIZE;
		return *answer->line ? -EBADMSG : 0;
	case HTTP_TRAILER:
		if (!*answer->line)
			answer->state = HTTP_COMPLETE;
		return 0;
	case HTTP_BODY:
	case HTTP_BODY_OPEN:
	case HTTP_CHUNK:
	case HTTP_COMPLETE:
		break;
	}
	return -EBADMSG;
}

static bool is_counted(enum http_state state)
{
	return state == HTTP_STATUS_LINE || state == HTTP_HEADER || state == HTTP_TRAILER;
}

/* Takes up to the end of a line. Returns how much, or -errno. */
static ssize_t feed_line(struct http_answer *answer, const char *p, size_t len)
{
	const char *end = memchr(p, '\n', len);
	size_t n = end ? (size_t)(end - p) : len;
	int r;

	if (n >= sizeof(answer->line) - answer->line_len || memchr(p, '\0', n))
		return -EBADMSG;
	memcpy(answer->line + answer->line_len, p, n);
	answer->line_len += n;
	if (!end)
		return (ssize_t)n;
	if (answer->line_len && answer->line[answer->line_len - 1] == '\r')
		answer->line_len--;
	answer->line[answer->line_len] = '\0';
	answer->line_len = 0;
	if (is_counted(answer->state) && ++answer->n_lines > HTTP_LINES_MAX)
		return -EBADMSG;
	r = take_line(answer);
	return r < 0 ? r : (ssize_t)n + 1;
}

static ssize_t feed_body(struct http_answer *answer, const char *p, size_t len)
{
	bool open = answer->state == HTTP_BODY_OPEN;
	size_t n = open ? len : MIN(len, (size_t)answer->left);
	int r = answer->data(answer->arg, answer->status, p, n);

	if (r)
		return r;
	if (open)
		return (ssize_t)n;
	answer->left -= (int64_t)n;
	if (!answer->left)
		answer->state = answer->state == HTTP_CHUNK ? HTTP_CHUNK_END : HTTP_COMPLETE;
	return (ssize_t)n;
}

int http_answer_feed(struct http_answer *answer, const char *p, size_t len)
{
	while (len && answer->state != HTTP_COMPLETE) {
		bool body = answer->state == HTTP_BODY || answer->state == HTTP_BODY_OPEN ||
			    answer->state == HTTP_CHUNK;
		ssize_t n = body ? feed_body(answer, p, len) : feed_line(answer, p, len);

		if (n < 0)
			return (int)n;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int http_answer_end(struct http_answer *answer)
{
	if (answer->state == HTTP_BODY_OPEN)
		answer->state = HTTP_COMPLETE;
	return answer->state == HTTP_COMPLETE ? 0 : -EBADMSG;
}
