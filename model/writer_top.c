#include "model/writer_top.h"

#include <stdio.h>

void writer_top_begin(struct writer_top *top, enum writer_source source, bool counts)
{
	top->source = source;
	top->counts = counts;
	top->n = 0;
	top->others = (struct writer){.source = source, .id = -1};
	snprintf(top->others.name, sizeof(top->others.name), WRITER_OTHERS);
}

static void find_smallest(struct writer_top *top)
{
	top->smallest = 0;
	for (size_t i = 1; i < top->n; i++)
		if (writer_is_smaller(&top->v[i], &top->v[top->smallest]))
			top->smallest = i;
}

static void add_to_others(struct writer_top *top, const struct writer *writer)
{
	writer_io_add(&top->others.io, &writer->io);
	top->others.n += MAX(writer->n, INT64_C(1));
}

void writer_top_add(struct writer_top *top, const struct writer *writer)
{
	if (writer_io_is_zero(&writer->io))
		return;
	for (size_t i = 0; i < top->n; i++) {
		if (!writer_is_same(&top->v[i], writer))
			continue;
		writer_io_add(&top->v[i].io, &writer->io);
		top->v[i].n += writer->n;
		if (i == top->smallest)
			find_smallest(top);
		return;
	}
	if (top->n < WRITER_TOP_MAX) {
		top->v[top->n++] = *writer;
		find_smallest(top);
	} else if (writer_is_smaller(&top->v[top->smallest], writer)) {
		add_to_others(top, &top->v[top->smallest]);
		top->v[top->smallest] = *writer;
		find_smallest(top);
	} else {
		add_to_others(top, writer);
	}
}

void writer_top_rows(const struct writer_top *top, struct sink *sink)
{
	for (size_t i = 0; i < top->n; i++)
		writer_to_row(&top->v[i], sink);
	if ((top->counts && !top->n) || !writer_io_is_zero(&top->others.io))
		writer_to_row(&top->others, sink);
}
