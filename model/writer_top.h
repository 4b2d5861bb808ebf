/* The largest of those that come one by one, in bounded memory; what has no room is added up as
 * WRITER_OTHERS. */
#pragma once

#include "model/writers.h"

#define WRITER_TOP_MAX 64

struct writer_top {
	enum writer_source source;
	bool counts;
	size_t n, smallest; /* of v, once it is full */
	struct writer v[WRITER_TOP_MAX];
	struct writer others;
};

/* counts: there was a look before, since when it is counted; else nobody is known to have written.
 */
void writer_top_begin(struct writer_top *top, enum writer_source source, bool counts);
/* One that is the same as another that is there is added to it. Who has neither read nor written is
 * passed over. */
void writer_top_add(struct writer_top *top, const struct writer *writer);
/* As rows, others last; the order is none. Where it counts and nobody has written, the row of the
 * others says so, with 0 bytes. */
void writer_top_rows(const struct writer_top *top, struct sink *sink);
