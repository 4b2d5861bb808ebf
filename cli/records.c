#include "cli/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/macros.h"
#include "base/text.h"
#include "cli/cli.h"
#include "export/api.h"
#include "export/tree.h"
#include "query/query.h"

#define BOOTS_MAX       1024
#define RECORDS_MAX     10000
#define DOC_MAX_BYTES   (16 * 1024 * 1024)
#define WALL_FOREVER_MS (INT64_MAX / 4)

void records_done(struct records_source *source)
{
	reader_closep(&source->reader);
}

static int add_event(const struct event *event, const struct boot *boot, void *arg)
{
	api_event(arg, event, boot->id, boot->wall_offset_ms);
	return doc_error(arg);
}

static int add_mark(const struct mark *mark, const struct boot *boot, void *arg)
{
	api_mark(arg, mark, boot->id, boot->wall_offset_ms);
	return doc_error(arg);
}

int records_time(const char *command, struct reader *reader, const char *name, const char *text,
		 int64_t *ret_ms)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int64_t now_ms;
	struct problem problem = {0};
	int n;

	if (!text)
		return EXIT_DONE;
	n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;
	if (n < 0) {
		fprintf(stderr, "flashscope %s: %s\n", command, reader_error(reader));
		return EXIT_FAILED;
	}
	/* What was recorded has its own now. */
	if (cli_file_newest(reader, &now_ms) < 0)
		now_ms = clock_wall_ms();
	if (query_time(text, now_ms, boots, (size_t)n, ret_ms, &problem) == 0)
		return EXIT_DONE;
	fprintf(stderr, "flashscope %s: %s: ", command, name);
	cli_put_text(stderr, problem.detail);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int make_events(struct reader *reader, int64_t from_ms, int64_t to_ms, struct doc *doc,
		       void *arg)
{
	int r;

	(void)arg;
	doc_array(doc, NULL);
	r = reader_events(reader, from_ms, to_ms, RECORDS_MAX, add_event, doc);
	doc_end(doc);
	return r;
}

static int make_marks(struct reader *reader, int64_t from_ms, int64_t to_ms, struct doc *doc,
		      void *arg)
{
	int r;

	(void)arg;
	doc_array(doc, NULL);
	r = reader_marks(reader, from_ms, to_ms, RECORDS_MAX, add_mark, doc);
	doc_end(doc);
	return r;
}

static const char *from_of(const struct records_source *source,
			   const struct records_document *document)
{
	return source->from ? source->from : document->default_from;
}

static int get_from_file(struct records_source *source, const struct records_document *document,
			 char **ret)
{
	int64_t from_ms = -WALL_FOREVER_MS, to_ms = WALL_FOREVER_MS;
	struct doc doc;
	size_t len;
	int r;

	if (!source->reader && cli_open_file(source->command, source->db, &source->reader) < 0)
		return EXIT_FAILED;

	struct reader *reader = source->reader;

	r = records_time(source->command, reader, "from", from_of(source, document), &from_ms);
	if (r == EXIT_DONE)
		r = records_time(source->command, reader, "to", source->to, &to_ms);
	if (r != EXIT_DONE)
		return r;
	doc_init(&doc, DOC_MAX_BYTES);
	r = document->make(reader, from_ms, to_ms, &doc, document->arg);
	if (r == 0)
		r = doc_error(&doc);
	if (r < 0) {
		doc_done(&doc);
		return cli_file_failed(source->command, source->db, reader, r);
	}
	*ret = doc_take(&doc, &len);
	return EXIT_DONE;
}

static int put_parameter(struct text *path, const char *name, const char *value)
{
	CLEANUP(freep) char *escaped = client_escape(value);

	if (!escaped)
		return -ENOMEM;
	text_printf(path, "&%s=%s", name, escaped);
	return path->truncated ? -ENAMETOOLONG : 0;
}

static int get_from_daemon(const struct records_source *source,
			   const struct records_document *document, struct client_reply *reply)
{
	char buf[1024];
	struct text path = TEXT_IN(buf);
	const char *from = from_of(source, document);
	int r;

	text_str(&path, document->path);
	r = put_parameter(&path, "from", from ? from : "0");
	if (r == 0 && source->to)
		r = put_parameter(&path, "to", source->to);
	if (r == 0)
		return client_get(&source->target, buf, reply);
	snprintf(reply->error, sizeof(reply->error), "%s", strerror(-r));
	return r;
}

int records_document(struct records_source *source, const struct records_document *document,
		     char **ret)
{
	CLEANUP(client_reply_done) struct client_reply reply = {0};
	int r;

	if (source->db)
		return get_from_file(source, document, ret);
	r = get_from_daemon(source, document, &reply);
	if (r == -ECONNREFUSED && !source->target.socket && !source->target.url) {
		source->db = cli_usual_file(source->command);
		if (source->db)
			return get_from_file(source, document, ret);
	}
	if (r < 0 && reply.status == 404 && document->optional) {
		*ret = strdup("[]");
		return *ret ? EXIT_DONE : EXIT_FAILED;
	}
	if (r < 0) {
		fprintf(stderr, "flashscope %s: %s\n", source->command, reply.error);
		return reply.status == 400 ? EXIT_USAGE : EXIT_FAILED;
	}
	*ret = reply.body;
	reply.body = NULL;
	return EXIT_DONE;
}

int records_get(struct records_source *source, bool marks, char **ret)
{
	char path[64];
	const struct records_document document = {.path = path,
						  .make = marks ? make_marks : make_events};

	snprintf(path, sizeof(path), "/api/v1/%s?limit=%d", marks ? "marks" : "events",
		 RECORDS_MAX);
	return records_document(source, &document, ret);
}

static int make_ambiguous(struct reader *reader, int64_t from_ms, int64_t to_ms, struct doc *doc,
			  void *arg)
{
	struct points_ambiguity items[QUERY_AMBIGUOUS_MAX];
	int n = query_ambiguous(reader, from_ms, to_ms, items, ARRAY_SIZE(items));

	(void)arg;
	doc_array(doc, NULL);
	for (int i = 0; i < n; i++)
		api_ambiguous(doc, &items[i]);
	doc_end(doc);
	return MIN(n, 0);
}

int records_ambiguous(struct records_source *source, char **ret)
{
	const struct records_document document = {
		.path = "/api/v1/ambiguous?limit=32", .optional = true, .make = make_ambiguous};

	if (source->from || source->to)
		return records_document(source, &document, ret);
	*ret = strdup("[]");
	return *ret ? EXIT_DONE : EXIT_FAILED;
}

static struct tree *find_mark(struct tree *marks, const char *wanted)
{
	struct tree *found = NULL;
	char id[32];

	for (size_t i = 0; i < tree_n(marks); i++) {
		struct tree *mark = tree_at(marks, i);

		snprintf(id, sizeof(id), "%lld", (long long)tree_i64(mark, "id"));
		if (!strcmp(id, wanted))
			return mark;
		if (!strcmp(tree_text(mark, "label"), wanted))
			found = mark;
	}
	return found;
}

int records_find_mark(struct records_source *source, const char *wanted, struct mark_span *ret)
{
	CLEANUP(freep) char *json = NULL;
	CLEANUP(tree_freep) struct tree *marks = NULL;
	int r = records_get(source, true, &json);

	if (r != EXIT_DONE)
		return r;
	if (tree_parse(json, strlen(json), &marks) < 0) {
		fprintf(stderr, "flashscope %s: the list of marks is none\n", source->command);
		return EXIT_FAILED;
	}

	struct tree *mark = find_mark(marks, wanted);

	if (!mark) {
		fprintf(stderr, "flashscope %s: no mark has the id or the label \"",
			source->command);
		cli_put_text(stderr, wanted);
		fputs("\"; flashscope events shows them\n", stderr);
		return EXIT_USAGE;
	}

	long long boot = tree_i64(mark, "boot");

	snprintf(ret->from, sizeof(ret->from), "%lld+%lld", boot,
		 (long long)tree_i64(mark, "boot_ms"));
	if (*tree_text(mark, "t_end"))
		snprintf(ret->to, sizeof(ret->to), "%lld+%lld", boot,
			 (long long)tree_i64(mark, "boot_ms_end"));
	else
		snprintf(ret->to, sizeof(ret->to), "now");
	return EXIT_DONE;
}
