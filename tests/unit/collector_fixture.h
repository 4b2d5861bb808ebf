/* For tests of collectors: a tree made of a few files, one collector that was probed on it, and its
 * last rows. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hw.h"
#include "model/catalog.h"
#include "model/probe.h"
#include "model/sink.h"
#include "sampling/registry.h"

struct fixture {
	char root[256];
	bool made; /* root is a temporary tree */
	struct hw *hw;
	const struct collector *collector;
	const struct group *group;
	struct probe probe;
	void *state;
	struct sink sink;
	size_t n_config_looks; /* at files that may be a kernel config, since the last probe began
				*/
};

static inline void put(const struct fixture *f, const char *path, const char *text)
{
	char full[1024];
	int len = snprintf(full, sizeof(full), "%s/%s", f->root, path);

	assert_true(len > 0 && (size_t)len < sizeof(full));
	for (char *p = full + strlen(f->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}

	FILE *file = fopen(full, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	fclose(file);
}

static inline void put_link(const struct fixture *f, const char *path, const char *target)
{
	char full[1024];

	put(f, path, "");
	snprintf(full, sizeof(full), "%s/%s", f->root, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(target, full), 0);
}

static inline void take_away(const struct fixture *f, const char *path)
{
	char command[1024];

	snprintf(command, sizeof(command), "rm -rf '%s/%s'", f->root, path);
	assert_int_equal(system(command), 0);
}

static inline void fixture_start(struct fixture *f)
{
	*f = (struct fixture){.made = true};
	snprintf(f->root, sizeof(f->root), "/tmp/flashscope-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	/* sysfs is mounted, if only with this. */
	put(f, "sys/kernel/profiling", "0\n");
}

static inline void fixture_start_at(struct fixture *f, const char *root)
{
	*f = (struct fixture){0};
	snprintf(f->root, sizeof(f->root), "%s", root);
}

static inline void fixture_unprobe(struct fixture *f)
{
	if (f->state && f->collector->close)
		f->collector->close(f->state);
	f->state = NULL;
	probe_done(&f->probe);
	sink_done(&f->sink);
	hw_close(f->hw);
	f->hw = NULL;
}

static inline void fixture_end(struct fixture *f)
{
	fixture_unprobe(f);
	if (f->made)
		take_away(f, "");
}

/* For hw_trace(): counts looks for a kernel config in the size_t at arg. */
static inline void count_config_look(void *arg, const char *path, bool contents)
{
	size_t *n = arg;

	(void)contents;
	*n += strstr(path, "config") != NULL;
}

static inline int fixture_probe(struct fixture *f, const char *collector, bool want_all)
{
	fixture_unprobe(f);
	assert_int_equal(hw_open(f->root, &f->hw), 0);
	f->n_config_looks = 0;
	hw_trace(f->hw, count_config_look, &f->n_config_looks);
	f->collector = catalog_find_collector(registry(), collector);
	assert_non_null(f->collector);
	assert_int_equal(probe_init(&f->probe), 0);
	assert_int_equal(sink_init(&f->sink), 0);
	f->probe.want_all = want_all;
	return f->collector->probe(f->hw, &f->probe, &f->state);
}

/* Group by number within the collector. */
static inline int fixture_sample(struct fixture *f, size_t group)
{
	f->group = &f->collector->groups[group];
	sink_reset(&f->sink, f->group);
	return f->collector->sample(f->state, f->hw, group, &f->sink);
}

static inline const struct row *row_of(const struct fixture *f, const char *node)
{
	for (size_t i = 0; i < f->sink.n_rows; i++)
		if (!strcmp(f->sink.rows[i]->node, node))
			return f->sink.rows[i];
	return NULL;
}

static inline const struct value *value_of(const struct fixture *f, const char *node,
					   const char *field)
{
	const struct row *row = row_of(f, node);
	size_t index;

	if (!row)
		fail_msg("no row of %s", node);
	if (group_find_field(f->group, field, &index) < 0)
		fail_msg("no field %s", field);
	return &row->values[index];
}

static inline void check_value(const struct fixture *f, const char *node, const char *field,
			       int64_t expected)
{
	const struct value *value = value_of(f, node, field);

	if (value->type != VALUE_INT || value->i != expected)
		fail_msg("%s.%s: type %u, value %lld, expected %lld", node, field, value->type,
			 (long long)value->i, (long long)expected);
}

static inline void check_absent(const struct fixture *f, const char *node, const char *field)
{
	const struct value *value = value_of(f, node, field);

	if (value->type != VALUE_ABSENT)
		fail_msg("%s.%s: type %u, value %lld, expected none", node, field, value->type,
			 (long long)value->i);
}

static inline void check_fault(const struct fixture *f, const char *node, const char *field,
			       int error)
{
	const struct value *value = value_of(f, node, field);

	if (value->type != VALUE_FAULT || value->i != error)
		fail_msg("%s.%s: type %u, value %lld, expected error %d", node, field, value->type,
			 (long long)value->i, error);
}

/* answer: the value, or the -errno of a fault. */
static inline void check_answer(const struct fixture *f, const char *node, const char *field,
				int64_t answer)
{
	if (answer < 0)
		check_fault(f, node, field, (int)-answer);
	else
		check_value(f, node, field, answer);
}

static inline void check_flag(const struct fixture *f, const char *node, const char *field,
			      enum flag flag)
{
	const struct value *value = value_of(f, node, field);

	if (value->flag != flag)
		fail_msg("%s.%s: flag '%s', expected '%s'", node, field,
			 flag_name((enum flag)value->flag), flag_name(flag));
}

static inline void check_text(const struct fixture *f, const char *node, const char *field,
			      const char *expected)
{
	const struct value *value = value_of(f, node, field);

	if (value->type != VALUE_TEXT)
		fail_msg("%s.%s: type %u, expected '%s'", node, field, value->type, expected);
	assert_string_equal(sink_text(&f->sink, value), expected);
}

/* The outcome of a node, "" for the collector. */
static inline const struct probe_item *item_of(const struct fixture *f, const char *node)
{
	for (size_t i = 0; i < f->probe.n_items; i++)
		if (!strcmp(f->probe.items[i].node, node))
			return &f->probe.items[i];
	return NULL;
}

static inline void check_outcome(const struct fixture *f, const char *node, enum outcome outcome)
{
	const struct probe_item *item = item_of(f, node);

	if (!item)
		fail_msg("nothing said of %s", node);
	if (item->outcome != outcome)
		fail_msg("%s: %s (%s), expected %s", node, outcome_name(item->outcome),
			 item->reason, outcome_name(outcome));
}

static inline void check_reason(const struct fixture *f, const char *node, const char *reason)
{
	const struct probe_item *item = item_of(f, node);

	if (!item)
		fail_msg("nothing said of %s", node);
	assert_string_equal(item->reason, reason);
}
