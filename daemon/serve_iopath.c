/* GET /api/v1/iopath: from the newest rows in memory; nothing is read of the machine for it. */
#include <errno.h>

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "daemon/api.h"
#include "export/iopath.h"

static struct value value_of(const struct latest_value *latest)
{
	if (latest->fault)
		return (struct value){.type = VALUE_FAULT, .i = latest->fault};
	if (latest->text)
		return (struct value){.type = VALUE_TEXT};
	return latest->value.type == VALUE_INT ? latest->value
					       : (struct value){.type = VALUE_ABSENT};
}

/* Under the lock of the store: copies, and no more; what a row costs does not grow with the rows.
 */
static int take_row(const struct latest_row *row, void *arg)
{
	struct facts *facts = arg;
	size_t index;
	int r;

	if (row->gone || !iopath_needs(row->group->name))
		return 0;
	r = facts_row(facts, row->group, row->node, &index);
	for (size_t f = 0; r == 0 && f < row->group->n_fields; f++) {
		struct value value = value_of(&row->values[f]);

		r = facts_set(facts, index, f, &value, row->values[f].text);
	}
	return r == -ENOSPC ? 0 : r;
}

void serve_iopath(struct api *api, const struct request *request, struct answer *ret)
{
	CLEANUP(facts_done) struct facts facts = {0};
	CLEANUP(iopaths_done) struct iopaths paths = {0};
	const char *of = request_param(request, "of");
	char problem[IOPATH_PROBLEM_MAX];
	struct doc doc;
	int r = store_latest(api->store, take_row, &facts);

	if (r == 0)
		r = iopath_find(&facts, of, &paths, problem);
	if (r == -ENOENT) {
		answer_problem(ret, 400, "of", "%s", problem);
		return;
	}
	if (r == -ENODATA) {
		answer_problem(ret, 503, "", "%s yet: the first sample is to come", problem);
		return;
	}
	if (r < 0) {
		answer_problem(ret, 500, "", "out of memory");
		return;
	}
	paths.truncated = paths.truncated || facts.truncated;
	doc_init(&doc, IOPATH_DOC_MAX_BYTES);
	iopath_document(&doc, of, &paths);
	answer_doc(ret, &doc);
}
