/* flashscope recover: a new database of what can be read of a damaged one. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/options.h"
#include "sampling/registry.h"
#include "store/reader.h"
#include "store/recover.h"

static const char help[] =
	"Usage: flashscope recover FILE [--to NEW]\n"
	"\n"
	"Writes a new database with everything that can be read of one that is damaged: cut off,\n"
	"with pages that were lost or overwritten, without its journal, without its beginning. "
	"FILE\n"
	"is not changed; FILE-wal is read where it is there. Says what is missing, and since "
	"when.\n"
	"\n"
	"  --to NEW   default FILE.recovered; is not replaced when it is there already\n";

static int complain(const char *path, const char *words)
{
	fprintf(stderr, "flashscope recover: %s: %s\n", path, words);
	return EXIT_FAILED;
}

static const char *words_of(int r)
{
	return r == -EMEDIUMTYPE ? "nothing of a flashscope database is in it" : strerror(-r);
}

static void put_time(struct text *text, int64_t wall_ms, const char *open)
{
	if (wall_ms >= 0)
		clock_rfc3339(text, wall_ms);
	else
		text_str(text, open);
}

static void print_times(const struct recover_gap *gap)
{
	char buf[128];
	struct text text = TEXT_IN(buf);

	put_time(&text, gap->from_wall_ms, "the beginning");
	text_str(&text, " to ");
	put_time(&text, gap->to_wall_ms, "the end");
	printf(": from %s\n", buf);
}

static void print_gap(const struct recover_gap *gap)
{
	if (!strcmp(gap->table, "sqlite_master")) {
		puts("  the names of tables: told by what stands in their pages instead; samples "
		     "of "
		     "groups that have no sound page may have been in it as well");
		return;
	}
	if (!strcmp(gap->table, "tail")) {
		fputs("  tail: pages of the newest samples, of which none may be elsewhere yet",
		      stdout);
		if (gap->is_found)
			puts(": all were found");
		else
			print_times(gap);
		return;
	}
	printf("  %s", gap->table);
	if (gap->has_time && gap->from_wall_ms < 0 && gap->to_wall_ms < 0)
		puts(": all of it, if there was any");
	else if (gap->has_time)
		print_times(gap);
	else
		puts(": rows");
}

static void print_count(int64_t n, const char *what)
{
	if (n)
		printf("%lld %s\n", (long long)n, what);
}

static void print_gaps(const struct recover_report *report)
{
	size_t n = MIN(report->n_gaps, (size_t)RECOVER_GAPS_MAX);

	if (!n)
		return;
	puts("lost with their pages, unless they were found on others:");
	for (size_t i = 0; i < n; i++)
		print_gap(&report->gaps[i]);
	if (report->n_gaps > n)
		printf("  and %zu more\n", report->n_gaps - n);
}

static void print_span(struct reader *reader)
{
	int64_t first_ms, last_ms;
	char buf[128];
	struct text text = TEXT_IN(buf);

	if (cli_file_span(reader, &first_ms, &last_ms) < 0) {
		puts("samples: none");
		return;
	}
	clock_rfc3339(&text, first_ms);
	text_str(&text, " to ");
	clock_rfc3339(&text, last_ms);
	printf("samples: from %s\n", buf);
}

/* All that a young file has may stand in its journal, events too. */
static void print_end(const char *path, bool wants_journal)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	int stopped;

	if (reader_open(path, NULL, registry(), &reader) < 0)
		return;
	print_span(reader);
	stopped = reader_was_stopped(reader);
	if (stopped > 0)
		return;
	if (stopped == 0)
		puts("the old file was not closed: what came after its last sample is not in it");
	if (wants_journal)
		puts("there was no journal beside it: the last minutes may be missing");
}

static void print_report(const char *path, const struct recover_report *report)
{
	printf("%s: %lld rows of %lld pages\n", path, (long long)report->n_rows,
	       (long long)report->n_pages);
	print_end(path, report->wants_journal);
	if (report->newer_format)
		printf("its format is %lld, which a newer flashscope wrote: what this one does not "
		       "know was left out\n",
		       (long long)report->newer_format);
	if (report->bad_header)
		puts("its first 100 bytes, which say what a file is, are damaged");
	print_count(report->n_journal_pages, "pages were taken from the journal");
	print_count(report->n_cut_pages, "pages that it should have are cut off");
	print_count(report->n_unreadable_pages, "times a page could not be read");
	print_count(report->n_stray_rows, "rows stood on pages that no table names any more");
	print_count(report->n_bad_rows, "rows made no sense and were left out");
	print_count(report->n_bad_values, "columns of samples made no sense and were left out");
	print_count(report->n_untold_rows,
		    "rows of samples were left out: of which group they are cannot be told");
	print_count(report->n_made_up,
		    "boots, nodes and measures have lost their rows: what nothing else tells of "
		    "them is a number");
	print_count(report->n_boots_without_time,
		    "boots of these have no time: they count from 1970");
	print_gaps(report);
	if (!report->n_gaps && !report->bad_header && !report->n_cut_pages && !report->n_bad_rows &&
	    !report->n_bad_values && !report->n_untold_rows && !report->n_unreadable_pages)
		puts("nothing was found to be damaged");
}

static int save(const char *from, const char *to)
{
	CLEANUP(new_file_drop) struct new_file file = NEW_FILE_NONE;
	CLEANUP(freep) struct recover_report *report = calloc(1, sizeof(*report));
	int r = report ? new_file_begin(&file, to) : -ENOMEM;

	if (r < 0)
		return complain(to, r == -EEXIST ? "is there already" : strerror(-r));
	r = recover(from, file.part, registry(), report);
	if (r < 0)
		return complain(from, words_of(r));
	r = new_file_keep(&file);
	if (r < 0)
		return complain(to, strerror(-r));
	print_report(to, report);
	return EXIT_DONE;
}

int command_recover(int argc, char **argv)
{
	const char *to = NULL;
	char name[NEW_FILE_PATH_MAX];
	const struct cli_option options[] = {
		{"to", .text = &to},
	};
	int r = cli_options("recover", help, options, ARRAY_SIZE(options), argc, argv);

	if (r >= 0)
		return r;
	if (optind + 1 != argc)
		return cli_wrong_usage("recover", "takes one file");
	if ((size_t)snprintf(name, sizeof(name), "%s.recovered", argv[optind]) >= sizeof(name))
		return complain(argv[optind], strerror(ENAMETOOLONG));
	return save(argv[optind], to ? to : name);
}
