/* An answer of HTTP as the command without libcurl reads it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "cli/http_answer.h"

#define OK "HTTP/1.1 200 OK\r\n"

struct heard {
	char body[256];
	size_t len;
};

static int hear(void *arg, long status, const char *p, size_t len)
{
	struct heard *heard = arg;

	(void)status;
	if (len > sizeof(heard->body) - 1 - heard->len)
		return -E2BIG;
	memcpy(heard->body + heard->len, p, len);
	heard->len += len;
	heard->body[heard->len] = '\0';
	return 0;
}

static int run(const char *sent, size_t step, struct http_answer *answer, struct heard *heard)
{
	size_t len = strlen(sent);
	int r = 0;

	*heard = (struct heard){0};
	http_answer_init(answer, hear, heard);
	for (size_t at = 0; r == 0 && at < len; at += step)
		r = http_answer_feed(answer, sent + at, MIN(step, len - at));
	return r < 0 ? r : http_answer_end(answer);
}

static void answers(void **unused)
{
	static const struct {
		const char *sent;
		int r;
		long status;
		const char *body;
	} cases[] = {
		{OK "Content-Length: 5\r\n\r\nhello", 0, 200, "hello"},
		{OK "content-LENGTH:5\r\n\r\nhello", 0, 200, "hello"},
		{OK "Content-Length: 5\n\nhello", 0, 200, "hello"},
		{OK "Content-Length: 0\r\n\r\n", 0, 200, ""},
		{OK "\r\nup to the end", 0, 200, "up to the end"},
		{OK
		 "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nB;x\r\n, world and\r\n0\r\n\r\n",
		 0, 200, "hello, world and"},
		{OK "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2\r\nhi\r\n0\r\nX: "
		    "y\r\n\r\n",
		 0, 200, "hi"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", 0, 404, "{}"},
		{"HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 1\r\n\r\nx", 0, 200, "x"},
		{"HTTP/1.1 204\r\n\r\n", 0, 204, ""},
		/* Broken off: what came is no whole answer. */
		{"", -EBADMSG, 0, ""},
		{OK, -EBADMSG, 200, ""},
		{OK "Content-Length: 5\r\n\r\nhell", -EBADMSG, 200, "hell"},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", -EBADMSG, 200, "hello"},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", -EBADMSG, 200,
		 "hello"},
		/* No such answer. */
		{"220 smtp\r\n\r\n", -EBADMSG, 0, ""},
		{"HTTP/1.1 20 OK\r\n\r\n", -EBADMSG, 0, ""},
		{"HTTP/1.1 2000 OK\r\n\r\n", -EBADMSG, 0, ""},
		{"HTTP/1.1 099 OK\r\n\r\n", -EBADMSG, 0, ""},
		{"HTTP/2 200\r\n\r\n", -EBADMSG, 0, ""},
		{OK "Content-Length: -1\r\n\r\n", -EBADMSG, 200, ""},
		{OK "Content-Length: 5x\r\n\r\nhello", -EBADMSG, 200, ""},
		{OK "Content-Length: 1\r\nContent-Length: 2\r\n\r\nhi", -EBADMSG, 200, ""},
		{OK "Transfer-Encoding: gzip\r\n\r\n", -EBADMSG, 200, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n\r\nhello", -EBADMSG, 200, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n5x\r\nhello", -EBADMSG, 200, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n123456789\r\n", -EBADMSG, 200, ""},
		{OK "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n", -EBADMSG, 200, "hello"},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* All at once, and byte by byte. */
		for (size_t step = 1; step <= 1000; step += 999) {
			static struct http_answer answer;
			struct heard heard;
			int r = run(cases[i].sent, step, &answer, &heard);

			if (r != cases[i].r || strcmp(heard.body, cases[i].body) != 0 ||
			    (r == 0 && answer.status != cases[i].status))
				fail_msg("'%s' in steps of %zu: %d, %ld, '%s'", cases[i].sent, step,
					 r, answer.status, heard.body);
		}
	}
}

static void bounds(void **unused)
{
	static struct http_answer answer;
	static char line[HTTP_LINE_MAX + 1];
	struct heard heard = {0};
	int r = 0;

	(void)unused;
	memset(line, 'a', sizeof(line));
	http_answer_init(&answer, hear, &heard);
	assert_int_equal(http_answer_feed(&answer, line, sizeof(line)), -EBADMSG);

	http_answer_init(&answer, hear, &heard);
	assert_int_equal(http_answer_feed(&answer, OK, strlen(OK)), 0);
	for (int i = 0; r == 0 && i < 2 * HTTP_LINES_MAX; i++)
		r = http_answer_feed(&answer, "A: b\r\n", 6);
	assert_int_equal(r, -EBADMSG);

	/* A zero byte hides nothing behind it. */
	http_answer_init(&answer, hear, &heard);
	assert_int_equal(http_answer_feed(&answer, "HTTP/1.1 200\0\r\n", 15), -EBADMSG);
}

static int refuse(void *arg, long status, const char *p, size_t len)
{
	(void)arg, (void)status, (void)p, (void)len;
	return -ENOSPC;
}

static void refused(void **unused)
{
	static struct http_answer answer;

	(void)unused;
	http_answer_init(&answer, refuse, NULL);
	assert_int_equal(http_answer_feed(&answer, OK "\r\nx", strlen(OK) + 3), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(bounds),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
