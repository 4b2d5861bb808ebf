/* A database file that a command was given. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"
#include "sampling/registry.h"
#include "store/reader.h"

#define BOOTS_MAX   1024
#define WALL_MAX_MS INT64_C(253402300799999) /* the end of the year 9999 */

static const char *open_words(int r)
{
	if (r == -EMEDIUMTYPE)
		return "is no flashscope database; if it was one, flashscope recover FILE saves "
		       "what is left";
	if (r == -EPROTO)
		return "was written by a newer flashscope";
	if (r == -EUCLEAN)
		return "is damaged or cut off: flashscope recover FILE saves what is left";
	return strerror(-r);
}

/* A pipe would be waited for, and a folder opens as a broken database. */
static int check_type(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -EMEDIUMTYPE;
}

/* What a copy lacks, before its last sample is told. */
static void put_lack(FILE *out, const char *path, const struct reader_lack *lack)
{
	switch (lack->kind) {
	case READER_LACKS_NOTHING:
		break;
	case READER_LACKS_JOURNAL:
		fprintf(out,
			"%s may lack the newest minutes: it was not closed, and %s-wal is not "
			"beside it; take both along, or flashscope snapshot COPY",
			path, path);
		break;
	case READER_JOURNAL_EMPTY:
		fprintf(out,
			"%s may lack the newest minutes: it was not closed, and %s-wal is empty",
			path, path);
		break;
	case READER_JOURNAL_UNREADABLE:
		fprintf(out,
			"%s may lack the newest minutes: it was not closed, and %s-wal cannot be "
			"read: %s",
			path, path, strerror(lack->error));
		break;
	case READER_JOURNAL_CUT:
		fprintf(out,
			"%s lacks what came last: %s-wal ends in the middle of a commit, cut off "
			"or never written to its end",
			path, path);
		break;
	case READER_JOURNAL_DAMAGED:
		if (lack->n)
			fprintf(out,
				"%s may lack what came last: %s-wal has %u commits behind a place "
				"that is not right; it is damaged there, or they failed",
				path, path, lack->n);
		else
			fprintf(out,
				"%s lacks what came last: %s-wal is damaged, nothing in it can be "
				"read",
				path, path);
		break;
	case READER_LACKS_PAGES:
		fprintf(out,
			"%s is cut off: %u of its pages are in neither it nor its journal; "
			"flashscope recover FILE saves what is left",
			path, lack->n);
		break;
	}
}

static void tell_lack(const char *command, const char *path, struct reader *reader)
{
	struct reader_lack lack;
	int64_t last_ms;
	char buf[64];
	struct text text = TEXT_IN(buf);

	if (reader_lacks(reader, &lack) < 0 || lack.kind == READER_LACKS_NOTHING)
		return;
	fprintf(stderr, "flashscope %s: ", command);
	put_lack(stderr, path, &lack);
	if (cli_file_newest(reader, &last_ms) == 0) {
		clock_rfc3339(&text, last_ms);
		fprintf(stderr, "; its newest sample is of %s\n", buf);
	} else {
		fputs("; it has no sample\n", stderr);
	}
}

int cli_open_file(const char *command, const char *path, struct reader **ret)
{
	int r = check_type(path);

	if (r == 0)
		r = reader_open(path, NULL, registry(), ret);
	if (r < 0)
		fprintf(stderr, "flashscope %s: %s: %s\n", command, path, open_words(r));
	else
		tell_lack(command, path, *ret);
	return r;
}

int cli_file_failed(const char *command, const char *path, const struct reader *reader, int r)
{
	const char *why = reader_error(reader);

	fprintf(stderr, "flashscope %s: ", command);
	if (r == -ENODATA)
		fprintf(stderr, "%s: holds no boot", path);
	else if (*why)
		fputs(why, stderr);
	else
		fprintf(stderr, "%s: %s", path, strerror(-r));
	fputs(r == -EUCLEAN ? "; flashscope recover FILE saves what is left\n" : "\n", stderr);
	return EXIT_FAILED;
}

const char *cli_usual_file(const char *command)
{
	static const char *const files[] = {"var/flashscope.db", DEFAULT_DATABASE};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (access(files[i], R_OK) < 0)
			continue;
		fprintf(stderr, "flashscope %s: no daemon answers; this is %s\n", command,
			files[i]);
		return files[i];
	}
	return NULL;
}

int cli_file_span(struct reader *reader, int64_t *ret_first_ms, int64_t *ret_last_ms)
{
	CLEANUP(freep) struct boot *boots = calloc(BOOTS_MAX, sizeof(*boots));
	int64_t first_ms = INT64_MAX, last_ms = INT64_MIN;
	int n = boots ? reader_boots(reader, boots, BOOTS_MAX) : -ENOMEM;

	for (int i = 0; i < n; i++) {
		int64_t first = boots[i].first_ms + boots[i].wall_offset_ms;
		int64_t last = boots[i].last_ms + boots[i].wall_offset_ms;

		/* A boot of which no sample was written, or a file that makes no sense. */
		if (!boots[i].last_ms || first < 0 || last > WALL_MAX_MS)
			continue;
		first_ms = MIN(first_ms, first);
		last_ms = MAX(last_ms, last);
	}
	if (n < 0)
		return n;
	if (first_ms > last_ms)
		return -ENODATA;
	*ret_first_ms = first_ms;
	*ret_last_ms = last_ms;
	return 0;
}
