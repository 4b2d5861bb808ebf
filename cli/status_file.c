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
#include "export/tree.h"
#include "query/boots.h"
#include "store/reader.h"
#include "store/store.h"

#define BOOTS_MAX     1024
#define DOC_MAX_BYTES (8 * 1024 * 1024)

struct holding {
	struct boot *boots;
	struct boot_traces *traces;
	int n_boots;
};

static void holding_done(struct holding *holding)
{
	free(holding->boots);
	free(holding->traces);
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

/* size_max_bytes and kept; nothing is known of a file of before there was such an account. */
static int add_kept(struct doc *doc, struct reader *reader)
{
	struct store_kept kept[STORE_N_KEPT];
	int64_t size_max_bytes = 0, first_ms, newest_ms = 0;
	int r = reader_kept(reader, kept, ARRAY_SIZE(kept), &size_max_bytes);

	if (r < 0 && r != -ENOENT)
		return r;
	if (cli_file_span(reader, &first_ms, &newest_ms) < 0)
		newest_ms = 0;
	if (size_max_bytes)
		doc_i64(doc, "size_max_bytes", size_max_bytes);
	else
		doc_null(doc, "size_max_bytes");
	doc_array(doc, "kept");
	for (size_t i = 0; i < ARRAY_SIZE(kept) && !r; i++) {
		const struct api_kept k = {.what = kept[i].name,
					   .bytes = kept[i].bytes,
					   .share_bytes = kept[i].share_bytes,
					   .oldest_wall_ms = kept[i].oldest_wall_ms,
					   .newest_wall_ms = newest_ms,
					   .bytes_per_day = kept[i].bytes_per_day};

		api_kept(doc, &k);
	}
	doc_end(doc);
	return 0;
}

static int print_json(const char *path, int64_t file_bytes, struct reader *reader)
{
	CLEANUP(doc_done) struct doc doc;

	doc_init(&doc, DOC_MAX_BYTES);
	doc_object(&doc, NULL);
	doc_string(&doc, "path", path);
	doc_i64(&doc, "file_bytes", file_bytes);

	int r = add_kept(&doc, reader);

	if (r == 0)
		r = add_boots(&doc, reader);
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

/* One that was killed before the first commit with samples has left events at most. */
static void print_no_samples(const struct boot *boot, const struct boot_traces *traces)
{
	print_wall(", began", boot->wall_offset_ms);
	fputs(", no samples", stdout);
	if (traces->last_ms)
		print_wall("; events until", traces->last_ms + boot->wall_offset_ms);
}

static void print_boots(const struct holding *holding)
{
	for (int i = 0; i < holding->n_boots; i++) {
		const struct boot *b = &holding->boots[i];

		printf("boot %lld  kernel ", (long long)b->id);
		cli_put_text(stdout, *b->kernel ? b->kernel : "?");
		if (b->last_ms) {
			print_wall(", from", b->first_ms + b->wall_offset_ms);
			print_wall(" to", b->last_ms + b->wall_offset_ms);
		} else {
			print_no_samples(b, &holding->traces[i]);
		}
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

/* What the daemon had in its memory when it ended, or when the file was copied, is in no file; and
 * what a file had in whose place this one is, not in this one. */
static void print_end(struct reader *reader)
{
	char lost[EVENT_TEXT_MAX];
	struct reader_lack lack;
	int64_t last_ms;

	if (reader_lost_before(reader, lost) > 0) {
		fputs("before    ", stdout);
		cli_put_text(stdout, lost);
		putchar('\n');
	}
	if (cli_file_newest(reader, &last_ms) < 0 || reader_lacks(reader, &lack) < 0)
		return;
	print_wall("newest    sample", last_ms);
	if (reader_was_stopped(reader) <= 0)
		puts("; no stop of the daemon is in it: what came after that is missing");
	else if (lack.kind != READER_LACKS_NOTHING)
		puts("; what came after that may be missing");
	else
		puts("; the daemon was stopped, nothing is missing after it");
}

/* As the status of a daemon tells it. */
static int kept_of(struct reader *reader, struct tree **ret)
{
	CLEANUP(doc_done) struct doc doc;

	doc_init(&doc, DOC_MAX_BYTES);
	doc_object(&doc, NULL);

	int r = add_kept(&doc, reader);

	doc_end(&doc);
	if (r == 0)
		r = doc_error(&doc);
	return r < 0 ? r : tree_parse(doc.p, strlen(doc.p), ret);
}

static int print_text(const char *path, int64_t file_bytes, struct reader *reader,
		      const struct holding *holding)
{
	CLEANUP(tree_freep) struct tree *status = NULL;
	char buf[64];
	struct text text = TEXT_IN(buf);
	int r = kept_of(reader, &status);

	if (r < 0)
		return r;
	status_bytes(&text, file_bytes);
	if (tree_get(status, "size_max_bytes")) {
		text_str(&text, " of ");
		status_bytes(&text, tree_i64(status, "size_max_bytes"));
	}
	printf("database  %s: %s, %d %s\n", path, buf, holding->n_boots,
	       holding->n_boots == 1 ? "boot" : "boots");
	status_kept(tree_get(status, "kept"));
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
	holding.traces = calloc(BOOTS_MAX, sizeof(*holding.traces));
	holding.n_boots = holding.boots && holding.traces
				  ? reader_boots(reader, holding.boots, BOOTS_MAX)
				  : -ENOMEM;
	r = MIN(holding.n_boots, 0);
	/* Where events are damaged, the boots are told without them. */
	if (r == 0 && reader_boot_traces(reader, holding.boots, (size_t)holding.n_boots,
					 holding.traces) == -ENOMEM)
		r = -ENOMEM;
	if (r == 0) {
		(void)stat(path, &st);
		r = json ? print_json(path, st.st_size, reader)
			 : print_text(path, st.st_size, reader, &holding);
	}
	return r < 0 ? cli_file_failed("status", path, reader, r) : EXIT_DONE;
}
