#include "tests/unit/fake_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_history fake;

struct cursor {
	struct series_key key;
	size_t fields[SPAN_FIELDS_MAX], n_fields;
	int64_t from_ms, to_ms;
	size_t next;
};

void fake_reset(int64_t wall_offset_ms)
{
	memset(&fake, 0, sizeof(fake));
	fake.boots[0] = (struct boot){
		.id = 1,
		.boot_id = "boot-one",
		.wall_offset_ms = wall_offset_ms,
	};
	fake.n_boots = 1;
}

struct fake_span *fake_add(const char *node, int64_t boot, int64_t t0_ms, int64_t step_ms, size_t n)
{
	struct fake_span *span = &fake.spans[fake.n_spans++];

	span->node = node;
	span->boot = boot;
	span->t0_ms = t0_ms;
	span->step_ms = step_ms;
	span->n = n;
	return span;
}

int reader_boots(struct reader *reader, struct boot *boots, size_t max)
{
	(void)reader;
	for (size_t i = 0; i < fake.n_boots && i < max; i++)
		boots[i] = fake.boots[i];
	return (int)fake.n_boots;
}

int reader_clock_steps(struct reader *reader,
		       int (*visit)(const struct clock_step *step, const struct boot *boot,
				    void *arg),
		       void *arg)
{
	int r = 0;

	(void)reader;
	for (size_t i = 0; i < fake.n_steps && !r; i++)
		r = visit(&fake.steps[i], &fake.boots[0], arg);
	return r;
}

int reader_nodes(struct reader *reader, const char *collector,
		 int (*visit)(const struct node_info *node, void *arg), void *arg)
{
	int r = 0;

	(void)reader;
	(void)collector;
	for (size_t i = 0; i < fake.n_spans && !r; i++) {
		struct node_info node = {.id = (int64_t)i + 1};

		snprintf(node.name, sizeof(node.name), "%s", fake.spans[i].node);
		r = visit(&node, arg);
	}
	return r;
}

static const struct boot *boot_of(int64_t id)
{
	for (size_t i = 0; i < fake.n_boots; i++)
		if (fake.boots[i].id == id)
			return &fake.boots[i];
	abort();
}

static bool seen_before(size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (fake.spans[i].boot == fake.spans[index].boot &&
		    !strcmp(fake.spans[i].node, fake.spans[index].node))
			return true;
	return false;
}

int reader_series(struct reader *reader, const struct group *group, const char *node,
		  int64_t from_wall_ms, int64_t to_wall_ms,
		  int (*visit)(const struct series_key *key, const struct boot *boot, void *arg),
		  void *arg)
{
	int r = fake.error;

	(void)reader;
	(void)group;
	for (size_t i = 0; i < fake.n_spans && !r; i++) {
		const struct fake_span *span = &fake.spans[i];
		const struct boot *boot = boot_of(span->boot);
		int64_t start_ms = span->t0_ms + boot->wall_offset_ms;
		struct series_key key = {.boot = span->boot, .identity = "id"};

		if (seen_before(i) || (node && *node && strcmp(node, span->node)))
			continue;
		if (start_ms > to_wall_ms || start_ms + FAKE_TICKS_MAX * 100000 < from_wall_ms)
			continue;
		snprintf(key.node, sizeof(key.node), "%s", span->node);
		r = visit(&key, boot, arg);
	}
	return r;
}

int cursor_open(struct reader *reader, const struct group *group, const struct series_key *key,
		const size_t *fields, size_t n_fields, int64_t from_ms, int64_t to_ms,
		struct cursor **ret)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	(void)reader;
	(void)group;
	if (!cursor)
		return -ENOMEM;
	cursor->key = *key;
	memcpy(cursor->fields, fields, n_fields * sizeof(*fields));
	cursor->n_fields = n_fields;
	cursor->from_ms = from_ms;
	cursor->to_ms = to_ms;
	*ret = cursor;
	return 0;
}

static bool wanted(const struct cursor *cursor, const struct fake_span *span)
{
	int64_t last_ms = span->t0_ms + (int64_t)(span->n - 1) * span->step_ms;

	return span->boot == cursor->key.boot && !strcmp(span->node, cursor->key.node) &&
	       span->t0_ms <= cursor->to_ms && last_ms >= cursor->from_ms;
}

int cursor_next(struct cursor *cursor, struct span *ret)
{
	while (cursor->next < fake.n_spans && !wanted(cursor, &fake.spans[cursor->next]))
		cursor->next++;
	if (cursor->next == fake.n_spans)
		return 0;

	const struct fake_span *span = &fake.spans[cursor->next++];

	if (span->damaged)
		return -EBADMSG;
	*ret = (struct span){
		.t0_ms = span->t0_ms,
		.step_ms = span->step_ms,
		.n = span->n,
		.late_ms = span->late_ms,
		.fresh = span->fresh,
	};
	for (size_t i = 0; i < cursor->n_fields; i++) {
		ret->values[i] = span->values[cursor->fields[i]];
		ret->absent[i] = span->absent[cursor->fields[i]];
		ret->flag[i] = span->flag[cursor->fields[i]];
	}
	fake.n_returned++;
	return 1;
}

void cursor_close(struct cursor *cursor)
{
	free(cursor);
}

/* The fake has samples and nothing else. */
int reader_extent(struct reader *reader, const struct metric *metric, const struct series_key *key,
		  struct series_extent *ret)
{
	(void)reader;
	(void)metric;
	(void)key;
	*ret = (struct series_extent){
		.rolled_from_ms = INT64_MAX, .raw_from_ms = INT64_MIN, .minute_from_ms = INT64_MAX};
	return 0;
}

int reader_last_before(struct reader *reader, const struct group *group,
		       const struct series_key *key, int64_t t_ms, int64_t *ret_t_ms)
{
	(void)reader;
	(void)group;
	(void)key;
	(void)t_ms;
	(void)ret_t_ms;
	return 0;
}

int rollup_open(struct reader *reader, const struct metric *metric, const struct series_key *key,
		enum resolution resolution, int64_t from_ms, int64_t to_ms,
		struct rollup_cursor **ret)
{
	(void)reader;
	(void)metric;
	(void)key;
	(void)resolution;
	(void)from_ms;
	(void)to_ms;
	(void)ret;
	return -ENOSYS;
}

int rollup_next(struct rollup_cursor *cursor, struct rollup_span *ret)
{
	(void)cursor;
	(void)ret;
	return 0;
}

void rollup_close(struct rollup_cursor *cursor)
{
	(void)cursor;
}
