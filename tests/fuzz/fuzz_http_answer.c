/* An answer of HTTP: cut anywhere it says the same, and no more body comes than was sent. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cli/http_answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	uint64_t sum;
	size_t len;
	long status;
};

static int hear(void *arg, long status, const char *p, size_t len)
{
	struct heard *heard = arg;

	for (size_t i = 0; i < len; i++)
		heard->sum = heard->sum * 31 + (unsigned char)p[i];
	heard->len += len;
	heard->status = status;
	return 0;
}

static int run(const char *data, size_t size, size_t step, struct heard *heard)
{
	static struct http_answer answer;
	int r = 0;

	*heard = (struct heard){0};
	http_answer_init(&answer, hear, heard);
	for (size_t at = 0; r == 0 && at < size; at += step)
		r = http_answer_feed(&answer, data + at, at + step < size ? step : size - at);
	return r < 0 ? r : http_answer_end(&answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heard whole, parts;
	int r = run((const char *)data, size, size + 1, &whole);

	if (run((const char *)data, size, 1, &parts) != r || whole.len > size)
		abort();
	if (whole.len && (whole.status < 100 || whole.status > 999))
		abort();
	if (r == 0 && (whole.sum != parts.sum || whole.len != parts.len))
		abort();
	return 0;
}
