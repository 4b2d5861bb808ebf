/* The rows that a path is found from may be those of a file from anywhere. Each line of the input
 * is a value: GROUP, node, field and text with tabs between; the first line is what is asked for.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "export/iopath.h"
#include "export/tree.h"
#include "model/catalog.h"
#include "sampling/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first letter of each word is enough, so that mutations keep their sense. */
static const struct group *group_of(struct slice word)
{
	size_t index;

	if (catalog_find_group(registry(), word.len && word.p[0] == 'm' ? "mounts" : "topology",
			       &index) < 0)
		abort();
	return catalog_group_at(registry(), index, NULL);
}

static void take_line(struct facts *facts, struct slice line)
{
	struct slice parts[3];
	char node[NODE_NAME_MAX], field[64], text[256];
	struct value value = {.type = VALUE_TEXT};
	size_t row, index;

	for (size_t i = 0; i < 3; i++)
		if (!slice_until(&line, '\t', &parts[i]))
			return;
	if (slice_copy(parts[1], node, sizeof(node)) < 0 ||
	    slice_copy(parts[2], field, sizeof(field)) < 0 ||
	    slice_copy(line, text, sizeof(text)) < 0)
		return;

	const struct group *group = group_of(parts[0]);

	if (group_find_field(group, field, &index) < 0)
		return;
	if (*text == '!')
		value = (struct value){.type = VALUE_FAULT, .i = EIO};
	if (facts_row(facts, group, node, &row) < 0 ||
	    facts_set(facts, row, index, &value, text) < 0)
		abort();
}

static void check(const struct iopaths *paths, const char *of)
{
	CLEANUP(doc_done) struct doc doc;
	CLEANUP(tree_freep) struct tree *tree = NULL;

	for (size_t i = 0; i < paths->n_paths; i++) {
		const struct iopath *path = &paths->paths[i];

		if (!path->n_layers || path->n_layers > IOPATH_LAYERS_MAX)
			abort();
		for (size_t k = 0; k < path->n_layers; k++) {
			const struct iopath_layer *layer = &paths->layers[path->first_layer + k];

			if ((layer->above == IOPATH_NO_LAYER) != (k == 0) ||
			    (k && layer->above >= k) || layer->depth >= IOPATH_DEPTH_MAX)
				abort();
		}
	}
	doc_init(&doc, IOPATH_DOC_MAX_BYTES);
	iopath_document(&doc, of, paths);
	if (doc_error(&doc) < 0 || tree_parse(doc.p, doc.len, &tree) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(facts_done) struct facts facts = {0};
	CLEANUP(iopaths_done) struct iopaths paths = {0};
	CLEANUP(freep) char *text = malloc(size + 1);
	struct slice rest = {text, size}, line;
	char of[256] = "", problem[IOPATH_PROBLEM_MAX];

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (slice_line(&rest, &line) && slice_copy(line, of, sizeof(of)) < 0)
		of[0] = '\0';
	while (slice_line(&rest, &line))
		take_line(&facts, line);
	if (iopath_find(&facts, of, &paths, problem) == 0)
		check(&paths, of);
	else if (!problem[0] || paths.n_paths)
		abort();
	return 0;
}
