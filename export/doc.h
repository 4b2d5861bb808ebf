/* A JSON document in growing memory, up to a bound. For documents that are short or have to be made
 * in one go; what is long comes from export/stream.h.
 *
 * Errors stick: after the first one nothing is written any more, and doc_error() tells it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define DOC_DEPTH_MAX 16

struct doc {
	char *p; /* NUL-terminated; owned */
	size_t len, size, max_bytes;
	unsigned depth;
	char close[DOC_DEPTH_MAX]; /* what ends each open level */
	bool comma;                /* the level has an element already */
	int error;
};

/* Owns nothing until something is written. */
void doc_init(struct doc *doc, size_t max_bytes);
void doc_done(struct doc *doc);

/* -ENOMEM, -E2BIG past max_bytes, 0. */
int doc_error(const struct doc *doc);

/* Everywhere: key is the name within an object, NULL within an array and at the top. */
void doc_object(struct doc *doc, const char *key);
void doc_array(struct doc *doc, const char *key);
/* Ends the innermost object or array. */
void doc_end(struct doc *doc);

void doc_string(struct doc *doc, const char *key, const char *value);
/* null in place of "". */
void doc_string_or_null(struct doc *doc, const char *key, const char *value);
PRINTF_LIKE(3, 4)
void doc_printf(struct doc *doc, const char *key, const char *fmt, ...);
void doc_i64(struct doc *doc, const char *key, int64_t value);
/* A number that nobody knows is no zero: null. */
void doc_i64_or_null(struct doc *doc, const char *key, bool known, int64_t value);
void doc_u64(struct doc *doc, const char *key, uint64_t value);
void doc_bool(struct doc *doc, const char *key, bool value);
void doc_null(struct doc *doc, const char *key);
/* A wall-clock time as RFC 3339. */
void doc_time(struct doc *doc, const char *key, int64_t wall_ms);
/* Something that is JSON already. */
void doc_raw(struct doc *doc, const char *key, const char *text);

/* Hands the text over to the caller, who frees it; the document is empty again. */
char *doc_take(struct doc *doc, size_t *ret_len);
