/* Facts for the IO path by sampling once, without a daemon. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/iopath.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/path.h"
#include "sampling/registry.h"
#include "sampling/runner.h"

static void choose(bool *wanted)
{
	const struct catalog *catalog = registry();

	for (size_t i = 0; i < catalog->n_collectors; i++)
		for (size_t k = 0; k < catalog->collectors[i]->n_groups; k++)
			if (iopath_needs(catalog->collectors[i]->groups[k].name))
				wanted[i] = true;
}

static int sample_all(struct runner *runner, struct facts *facts)
{
	const struct catalog *catalog = registry();
	struct sink sink;
	int r = sink_init(&sink);

	for (size_t i = 0; i < catalog->n_collectors && r == 0; i++)
		if (runner_wants(runner, i))
			runner_probe(runner, i);
	for (size_t i = 0; i < catalog_n_groups(catalog) && r == 0; i++) {
		if (!iopath_needs(catalog_group_at(catalog, i, NULL)->name) ||
		    !runner_wants(runner, runner_collector_of(runner, i)))
			continue;
		/* Rows count, however the sample ended. */
		runner_sample(runner, i, clock_boot_ms(), &sink);
		r = facts_add_sink(facts, &sink);
	}
	sink_done(&sink);
	return r;
}

int path_read_root(const char *root, bool pseudo, struct facts *facts)
{
	CLEANUP(freep) bool *wanted = calloc(registry()->n_collectors + 1, sizeof(*wanted));
	CLEANUP(runner_closep) struct runner *runner = NULL;
	struct runner_options options = {.root = root, .wanted = wanted, .all_nodes = pseudo};
	int r = wanted ? 0 : -ENOMEM;

	if (r == 0) {
		choose(wanted);
		r = runner_open(&options, registry(), &runner);
	}
	if (r == 0) {
		cli_check_root("path", root);
		r = sample_all(runner, facts);
	}
	if (r < 0)
		fprintf(stderr, "flashscope path: %s: %s\n", root, strerror(-r));
	return r;
}
