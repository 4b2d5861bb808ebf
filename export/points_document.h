/* The JSON document of a query, read back: for the command that asks a daemon. */
#pragma once

#include <stddef.h>

#include "export/points.h"

struct points_document;

/* text is NUL-terminated. -EBADMSG when it is no such document, -ENOMEM. */
MUST_CHECK int points_document_parse(const char *text, struct points_document **ret);
void points_document_free(struct points_document *document);
void points_document_freep(struct points_document **document);

/* Its strings live as long as the document. */
void points_document_head(const struct points_document *document, struct points_head *ret);

/* A source of points_stream(), self a struct points_document *: the items in their order, numbers
 * exactly as they were written. -EBADMSG at an element that is none. */
int points_document_next(void *self, struct points_item *ret);
