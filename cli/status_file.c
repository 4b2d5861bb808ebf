/* flashscope status --db FILE: what a database holds, without a daemon. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/boots.h"
#include "cli/cli.h"
#include "cli/status.h"
#include "cli/table.h"
#include "export/api.h"
#include "query/boots.h"
#include "store/reader.h"

#define BOOTS_MAX     1024
#define DOC_MAX_BYTES (8 * 1024 * 1024)

struct holding {
	struct boot *boots;
	int n_boots;
};

static void holding_done(struct holding *holding)
{
	free(holding->boots);
}

static void say_error(const char *path, const struct reader *reader, int r)
{
	const char *why = reader_error(reader);

	fprintf(stderr, "flashscope status: %s: %s\n", path, *why ? why : strerror(-r));
}

static int add_node(const struct node_info *node, void *arg)
{
	const struct api_node n = {
		.collector = node->collector,
		.node = node->name,
		.identity = node->identity,
		.run = node->run,
		.boot = node->boot,
		.first_ms = node->first_ms,
		.last_ms = node->last_ms,
		.gone = node->gone,
	};

	api_node(arg, &n);
	return doc_error(arg);
}

static int add_boots(struct doc *doc, struct reader *reader)
{
	int r;

	doc_array(doc, "boots");
	r = query_boots(reader, boots_add, doc);
	doc_end(doc);
	return r;
}

static int print_json(const char *path, int64_t file_bytes, struct reader *reader)
{
	CLEANUP(doc_done) struct doc doc;

	doc_init(&doc, DOC_MAX_BYTES);
	doc_object(&doc, NULL);
	doc_string(&doc, "path", path);
	doc_i64(&doc, "file_bytes", file_bytes);

	int r = add_boots(&doc, reader);

	doc_array(&doc, "nodes");
	if (r == 0)
		r = reader_nodes(reader, NULL, add_node, &doc);

	doc_end(&doc);
	doc_end(&doc);
	if (r == 0)
		r = doc_error(&doc);
	if (r == 0)
		puts(doc.p);
	return r;
}

static void print_wall(const char *what, int64_t wall_ms)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	clock_rfc3339(&text, wall_ms);
	printf("%s %s", what, buf);
}

static void print_boots(const struct holding *holding)
{
	for (int i = 0; i < holding->n_boots; i++) {
		const struct boot *b = &holding->boots[i];

		printf("boot %lld  kernel ", (long long)b->id);
		cli_put_text(stdout, *b->kernel ? b->kernel : "?");
		print_wall(", from", b->first_ms + b->wall_offset_ms);
		print_wall(" to", b->last_ms + b->wall_offset_ms);
		putchar('\n');
	}
}

static int add_node_line(const struct node_info *node, void *arg)
{
	struct table *table = arg;
	char boot[32], run[32];
	int r = table_line(table);

	snprintf(boot, sizeof(boot), "%lld", (long long)node->boot);
	snprintf(run, sizeof(run), "%lld", (long long)node->run);
	if (r == 0)
		r = table_cell(table, node->collector);
	if (r == 0)
		r = table_cell(table, node->name);
	if (r == 0)
		r = table_cell(table, boot);
	if (r == 0)
		r = table_cell(table, run);
	if (r == 0)
		r = table_cell(table, node->gone ? "gone" : "");
	return r < 0 ? r : table_cell(table, node->identity);
}

static int print_nodes(struct reader *reader)
{
	CLEANUP(table_closep) struct table *table = NULL;
	static const struct {
		const char *name;
		enum table_column column;
	} columns[] = {
		{"COLLECTOR", TABLE_TEXT}, {"NODE", TABLE_TEXT},  {"LAST BOOT", TABLE_NUMBER},
		{"RUN", TABLE_NUMBER},     {"STATE", TABLE_TEXT}, {"IDENTITY", TABLE_WRAP},
	};
	int r = table_open(&table);

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(columns); i++)
		r = table_column(table, columns[i].name, columns[i].column);
	if (r == 0)
		r = reader_nodes(reader, NULL, add_node_line, table);
	return r < 0 ? r : table_print(table, stdout);
}

/* What the daemon had in its memory when it ended, or when the file was copied, is in no file. */
static void print_end(struct reader *reader)
{
	int64_t first_ms, last_ms;

	if (cli_file_span(reader, &first_ms, &last_ms) < 0)
		return;
	print_wall("newest    sample", last_ms);
	puts(reader_was_stopped(reader) > 0
		     ? "; the daemon was stopped, nothing is missing"
		     : "; no stop of the daemon is in it: what came after that is missing");
}

static int print_text(const char *path, int64_t file_bytes, struct reader *reader,
		      const struct holding *holding)
{
	char buf[64];
	struct text text = TEXT_IN(buf);

	status_bytes(&text, file_bytes);
	printf("database  %s: %s, %d %s\n", path, buf, holding->n_boots,
	       holding->n_boots == 1 ? "boot" : "boots");
	print_boots(holding);
	print_end(reader);
	putchar('\n');
	return print_nodes(reader);
}

int status_of_file(const char *path, bool json)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	CLEANUP(holding_done) struct holding holding = {0};
	struct stat st = {0};
	int r;

	if (cli_open_file("status", path, &reader) < 0)
		return EXIT_FAILED;
	holding.boots = calloc(BOOTS_MAX, sizeof(*holding.boots));
	holding.n_boots = holding.boots ? reader_boots(reader, holding.boots, BOOTS_MAX) : -ENOMEM;
	r = MIN(holding.n_boots, 0);
	if (r == 0) {
		(void)stat(path, &st);
		r = json ? print_json(path, st.st_size, reader)
			 : print_text(path, st.st_size, reader, &holding);
	}
	if (r < 0)
		say_error(path, reader, r);
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}
