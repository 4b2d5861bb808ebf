#include "daemon/request.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "export/api.h"

#define PROBLEM_MAX_BYTES (64 * 1024)

const char *request_param(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->n_params; i++)
		if (!strcmp(request->params[i].name, name))
			return request->params[i].value;
	return "";
}

void answer_done(struct answer *answer)
{
	free(answer->body);
	stream_close(answer->stream);
	if (answer->release)
		answer->release(answer->source);
	*answer = (struct answer){0};
}

static const char *status_title(unsigned status)
{
	static const struct {
		unsigned status;
		const char *title;
	} titles[] = {
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{413, "Content Too Large"},
		{500, "Internal Server Error"},
		{503, "Service Unavailable"},
		{507, "Insufficient Storage"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		if (titles[i].status == status)
			return titles[i].title;
	return "Error";
}

void answer_problem(struct answer *answer, unsigned status, const char *parameter,
		    const char *detail_fmt, ...)
{
	char detail[1024];
	struct answer before = *answer;
	struct doc doc;
	va_list args;

	va_start(args, detail_fmt);
	vsnprintf(detail, sizeof(detail), detail_fmt, args);
	va_end(args);
	answer_done(answer);
	doc_init(&doc, PROBLEM_MAX_BYTES);
	api_problem(&doc, status, status_title(status), detail, parameter);
	answer->status = status;
	answer->type = "application/problem+json";
	answer->allow = before.allow;
	answer->authenticate = before.authenticate;
	answer->retry_after = before.retry_after;
	/* Without memory the answer has no body. */
	answer->body = doc_take(&doc, &answer->len);
}

void answer_doc(struct answer *answer, struct doc *doc)
{
	int r = doc_error(doc);

	if (r < 0) {
		doc_done(doc);
		answer_problem(answer, 500, "", "the document cannot be made: %s", strerror(-r));
		return;
	}
	answer->status = 200;
	answer->type = "application/json";
	answer->body = doc_take(doc, &answer->len);
}

void answer_text(struct answer *answer, const char *type, const char *text, size_t len)
{
	answer->body = malloc(len + 1);
	if (!answer->body) {
		answer_problem(answer, 500, "", "out of memory");
		return;
	}
	memcpy(answer->body, text, len);
	answer->len = len;
	answer->status = 200;
	answer->type = type;
}
