/* Probes that run out of file descriptors on the way: what they cannot see must not pass for what
 * is not there, for a probe that ends well and does not name a node ends it. */
#pragma once

#include "tests/unit/collector_fixture.h"
#include "tests/unit/descriptors.h"

enum { SCARCE_NODES_MAX = 16, SCARCE_DESCRIPTORS = 32 };

struct scarcity {
	size_t n_touched;
	size_t at, length; /* the first touch without a descriptor, and how many there are */
	struct rlimit limit;
	int fds[64];
	size_t n;
};

/* For hw_trace(). */
static inline void take_at_touch(void *arg, const char *path, bool contents)
{
	struct scarcity *scarcity = arg;

	(void)path;
	(void)contents;
	if (scarcity->n && scarcity->n_touched == scarcity->at + scarcity->length) {
		give_back(scarcity->fds, scarcity->n, &scarcity->limit);
		scarcity->n = 0;
	}
	if (scarcity->n_touched++ == scarcity->at)
		scarcity->n = take_descriptors(scarcity->fds, &scarcity->limit);
}

static inline void scarce_start(struct fixture *f)
{
	fixture_unprobe(f);
	assert_int_equal(hw_open(f->root, &f->hw), 0);
	assert_int_equal(probe_init(&f->probe), 0);
	assert_int_equal(sink_init(&f->sink), 0);
}

/* Probes with n_free descriptors. */
static inline int scarce_probe(struct fixture *f, size_t n_free)
{
	struct rlimit limit;
	int fds[64], r;
	size_t n;

	scarce_start(f);
	n = take_descriptors(fds, &limit);
	assert_true(n > n_free);
	for (size_t i = 0; i < n_free; i++)
		close(fds[--n]);
	r = f->collector->probe(f->hw, &f->probe, &f->state);
	give_back(fds, n, &limit);
	return r;
}

/* Probes with none for length touches of a path. Returns whether there was the first of them. */
static inline bool scarce_touch(struct fixture *f, size_t at, size_t length, int *ret)
{
	struct scarcity scarcity = {.at = at, .length = length};

	scarce_start(f);
	hw_trace(f->hw, take_at_touch, &scarcity);
	*ret = f->collector->probe(f->hw, &f->probe, &f->state);
	hw_trace(f->hw, NULL, NULL);
	if (scarcity.n)
		give_back(scarcity.fds, scarcity.n, &scarcity.limit);
	return scarcity.n_touched > at;
}

struct scarce_names {
	char v[SCARCE_NODES_MAX][NODE_NAME_MAX];
	size_t n;
};

static inline void check_scarce(const struct fixture *f, const struct scarce_names *names, int r,
				const char *what, size_t n)
{
	if (r < 0 && r != -EMFILE)
		fail_msg("%s %zu: %s", what, n, strerror(-r));
	for (size_t i = 0; i < names->n && r == 0; i++)
		if (!item_of(f, names->v[i]))
			fail_msg("%s %zu: %s is missing", what, n, names->v[i]);
}

/* With each number of them from none on, and without one for each single look, the probe fails for
 * want of them or names all nodes that are well with enough. */
static inline void check_scarce_probes(struct fixture *f, const char *collector)
{
	struct scarce_names names = {.n = 0};
	int r;

	assert_int_equal(fixture_probe(f, collector, false), 0);
	for (size_t i = 1; i < f->probe.n_items && names.n < SCARCE_NODES_MAX; i++)
		if (f->probe.items[i].outcome == OUTCOME_OK)
			memcpy(names.v[names.n++], f->probe.items[i].node, NODE_NAME_MAX);
	assert_true(names.n > 0);
	for (size_t n_free = 0; n_free < SCARCE_DESCRIPTORS; n_free++)
		check_scarce(f, &names, scarce_probe(f, n_free), "with descriptors:", n_free);
	for (size_t at = 0; scarce_touch(f, at, 1, &r); at++)
		check_scarce(f, &names, r, "none at touch", at);
}

/* The same for the identities of the rows of a group: none for one look is no reason for a node to
 * pass for another one. */
static inline void check_scarce_identities(struct fixture *f, const char *collector, size_t group)
{
	char names[SCARCE_NODES_MAX][NODE_NAME_MAX];
	char identities[SCARCE_NODES_MAX][NODE_IDENTITY_MAX];
	size_t n = 0;
	int r;

	assert_int_equal(fixture_probe(f, collector, false), 0);
	assert_int_equal(fixture_sample(f, group), 0);
	for (; n < f->sink.n_rows && n < SCARCE_NODES_MAX; n++) {
		memcpy(names[n], f->sink.rows[n]->node, NODE_NAME_MAX);
		memcpy(identities[n], f->sink.rows[n]->identity, NODE_IDENTITY_MAX);
	}
	assert_true(n > 0);
	for (size_t at = 0; scarce_touch(f, at, 1, &r); at++) {
		if (r < 0)
			continue;
		fixture_sample(f, group);
		for (size_t i = 0; i < n; i++)
			if (!row_of(f, names[i]) ||
			    strcmp(row_of(f, names[i])->identity, identities[i]) != 0)
				fail_msg("none at touch %zu: %s is '%s'", at, names[i],
					 row_of(f, names[i]) ? row_of(f, names[i])->identity
							     : "missing");
	}
}
