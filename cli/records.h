/* Events and marks, from a daemon or from a file, as the API writes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "cli/client.h"

struct reader;
struct doc;

struct records_source {
	const char *command; /* for messages */
	struct client_target target;
	/* A file instead of a daemon; set when no daemon answered and none was named. */
	const char *db;
	const char *from, *to; /* as query_time() reads them; NULL is all */
	struct reader *reader; /* of db, once it was opened */
};

void records_done(struct records_source *source);

/* A document about a window of time, from wherever. */
struct records_document {
	const char *path;         /* of the API, with at least one parameter: "...?limit=1" */
	bool optional;            /* an array that a daemon of before does not have: it is empty */
	const char *default_from; /* as query_time() reads it; NULL is the beginning */
	/* The same document from a file; adds to doc. 0 or -errno. */
	int (*make)(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		    struct doc *doc, void *arg);
	void *arg;
};

/* As text; *ret is the caller's. What is wrong is said on stderr; returns the exit status. */
MUST_CHECK int records_document(struct records_source *source,
				const struct records_document *document, char **ret);

/* The array of GET /api/v1/events or /api/v1/marks as text; *ret is the caller's. What is wrong is
 * said on stderr; returns the exit status. */
MUST_CHECK int records_get(struct records_source *source, bool marks, char **ret);

/* The array of GET /api/v1/ambiguous for the window, as records_get(); empty when none was given.
 */
MUST_CHECK int records_ambiguous(struct records_source *source, char **ret);

/* A time that was given for a file, whose newest sample is "now"; text NULL leaves *ret_ms as it
 * is. Returns the exit status; what is wrong is said on stderr. */
MUST_CHECK int records_time(const char *command, struct reader *reader, const char *name,
			    const char *text, int64_t *ret_ms);

/* The span of a mark, by its id or its label (of several the newest), as times that a query takes:
 * the boot and the milliseconds on its clock, "now" for the end of an open one. */
struct mark_span {
	char from[64], to[64];
};

MUST_CHECK int records_find_mark(struct records_source *source, const char *mark,
				 struct mark_span *ret);
