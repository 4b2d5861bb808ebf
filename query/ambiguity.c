#include "query/ambiguity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "query/plan.h"

/* As of a step: less is within the error of clocks. */
#define LEAST_MS           1000
/* Of a window with more of them, the newest are looked at. */
#define BOOTS_COMPARED_MAX 64

/* Of all boots. What is past them is left out: a file keeps a thousand steps. */
#define ERAS_MAX 4096

/* From one step of the clock of a boot to the next. */
struct era {
	int64_t boot, wall_offset_ms; /* wall_offset_ms: as it holds for the boot */
	int64_t from_ms, to_ms;       /* boot clock */
	int64_t offset_ms;            /* what the clock has shown */
};

struct eras {
	struct era v[ERAS_MAX];
	size_t n;
};

struct window {
	int64_t from_wall_ms, to_wall_ms;
};

static void add_item(struct ambiguity *found, const struct points_ambiguity *item)
{
	if (found->n < POINTS_AMBIGUITIES_MAX)
		found->items[found->n++] = *item;
}

static bool add_era(struct eras *eras, const struct boot *boot, int64_t from_ms, int64_t offset_ms)
{
	if (eras->n == ERAS_MAX)
		return false;
	eras->v[eras->n++] = (struct era){
		.boot = boot->id,
		.wall_offset_ms = boot->wall_offset_ms,
		.from_ms = from_ms,
		.to_ms = INT64_MAX,
		.offset_ms = offset_ms,
	};
	return true;
}

static int see_step(const struct clock_step *step, const struct boot *boot, void *arg)
{
	struct eras *eras = arg;

	if (!eras->n || eras->v[eras->n - 1].boot != boot->id)
		if (!add_era(eras, boot, -1, step->before_ms))
			return 1;
	eras->v[eras->n - 1].to_ms = step->t_ms;
	return !add_era(eras, boot, step->t_ms, step->after_ms);
}

static bool is_backward(const struct era *era)
{
	return era[-1].offset_ms - era->offset_ms >= LEAST_MS;
}

/* Whether somebody may ask for what the clock had shown before it was set back. */
static bool is_touched(const struct era *eras, size_t n, const struct window *w)
{
	for (size_t i = 1; i < n; i++)
		if (is_backward(&eras[i]) && eras[i].from_ms + eras[i].offset_ms <= w->to_wall_ms &&
		    eras[i].from_ms + eras[i - 1].offset_ms >= w->from_wall_ms)
			return true;
	return false;
}

static void add_span(const struct era *era, int64_t from_ms, int64_t to_ms, struct ambiguity *found)
{
	if (from_ms < to_ms && found->n_spans < AMBIGUITY_SPANS_MAX)
		found->spans[found->n_spans++] = (struct shown_span){
			.boot = era->boot,
			.from_ms = from_ms,
			.to_ms = to_ms,
			.shown_offset_ms = era->offset_ms,
			.wall_offset_ms = era->wall_offset_ms,
		};
}

/* What the clock showed as the window in this time, without what lies in the window anyway. A
 * sample of the look that has noticed a step comes after it. */
static void find_spans(const struct era *era, const struct window *w, struct ambiguity *found)
{
	int64_t from_ms = MAX(w->from_wall_ms - era->offset_ms, era->from_ms - 1);
	int64_t to_ms = MIN(w->to_wall_ms - era->offset_ms, era->to_ms - 1);
	int64_t in_from_ms = w->from_wall_ms - era->wall_offset_ms;
	int64_t in_to_ms = w->to_wall_ms - era->wall_offset_ms;

	if (llabs(era->offset_ms - era->wall_offset_ms) < LEAST_MS)
		return;
	add_span(era, from_ms, MIN(to_ms, in_from_ms), found);
	add_span(era, MAX(from_ms, in_to_ms), to_ms, found);
}

/* Where the clock began to show a time, or ended. */
struct edge {
	int64_t wall_ms;
	int by;
};

static int compare_edges(const void *p, const void *q)
{
	const struct edge *a = p, *b = q;

	if (a->wall_ms != b->wall_ms)
		return a->wall_ms < b->wall_ms ? -1 : 1;
	return b->by - a->by;
}

/* The step by which a time came again that the clock had shown: the first one back since then. */
static int64_t step_of(const struct era *eras, size_t n, int64_t from_wall_ms, int64_t to_wall_ms)
{
	bool was_shown = false;

	for (size_t i = 0; i < n; i++) {
		if (was_shown && is_backward(&eras[i]))
			return eras[i].from_ms;
		was_shown |= eras[i].from_ms < eras[i].to_ms &&
			     eras[i].from_ms + eras[i].offset_ms < to_wall_ms &&
			     eras[i].to_ms + eras[i].offset_ms > from_wall_ms;
	}
	return eras[n - 1].from_ms;
}

/* The times that more than one of the eras has shown. */
static int find_twice(const struct era *eras, size_t n, const struct window *w,
		      struct ambiguity *found)
{
	CLEANUP(freep) struct edge *edges = calloc(2 * n, sizeof(*edges));
	size_t n_edges = 0;
	int depth = 0;

	if (!edges)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (eras[i].from_ms >= eras[i].to_ms)
			continue;
		edges[n_edges++] = (struct edge){eras[i].from_ms + eras[i].offset_ms, 1};
		edges[n_edges++] = (struct edge){eras[i].to_ms + eras[i].offset_ms, -1};
	}
	qsort(edges, n_edges, sizeof(*edges), compare_edges);
	for (size_t i = 0, from = 0; i < n_edges; i++) {
		struct points_ambiguity item = {
			.why = POINTS_CLOCK_STEP,
			.boot = eras->boot,
			.from_wall_ms = edges[from].wall_ms,
			.to_wall_ms = edges[i].wall_ms,
		};

		depth += edges[i].by;
		if (depth == 2 && edges[i].by > 0)
			from = i;
		if (depth != 1 || edges[i].by > 0 ||
		    item.to_wall_ms - item.from_wall_ms < LEAST_MS ||
		    item.from_wall_ms > w->to_wall_ms || item.to_wall_ms < w->from_wall_ms)
			continue;
		item.at_ms = step_of(eras, n, item.from_wall_ms, item.to_wall_ms);
		add_item(found, &item);
	}
	return 0;
}

static const struct boot *find_boot(const struct boot *boots, int n, int64_t id)
{
	for (int i = 0; i < n; i++)
		if (boots[i].id == id)
			return &boots[i];
	return NULL;
}

/* The eras of one boot, of which nothing is known before its first sample and after its last. */
static int look_at_boot(struct era *eras, size_t n, const struct boot *boot, const struct window *w,
			struct ambiguity *found)
{
	if (is_touched(eras, n, w))
		for (size_t i = 0; i < n; i++)
			find_spans(&eras[i], w, found);
	if (!boot)
		return 0;
	for (size_t i = 0; i < n; i++) {
		eras[i].from_ms = MAX(eras[i].from_ms, boot->first_ms);
		eras[i].to_ms = MIN(eras[i].to_ms, boot->last_ms);
	}
	return find_twice(eras, n, w, found);
}

static int look_at_boots(struct reader *reader, struct eras *eras, const struct window *w,
			 struct ambiguity *found)
{
	CLEANUP(freep) struct boot *boots = calloc(QUERY_BOOTS_MAX, sizeof(*boots));
	int n_boots = boots ? reader_boots(reader, boots, QUERY_BOOTS_MAX) : -ENOMEM;
	int r = MIN(n_boots, 0);

	for (size_t i = 0, n; i < eras->n && !r; i += n) {
		const struct boot *boot = find_boot(boots, n_boots, eras->v[i].boot);

		for (n = 1; i + n < eras->n && eras->v[i + n].boot == eras->v[i].boot;)
			n++;
		r = look_at_boot(&eras->v[i], n, boot, w, found);
	}
	return r;
}

int ambiguity_of_steps(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		       struct ambiguity *ret)
{
	const struct window w = {from_wall_ms, to_wall_ms};
	CLEANUP(freep) struct eras *eras = malloc(sizeof(*eras));
	int r;

	if (!eras)
		return -ENOMEM;
	eras->n = 0;
	r = reader_clock_steps(reader, see_step, eras);
	return r < 0 || !eras->n ? MIN(r, 0) : look_at_boots(reader, eras, &w, ret);
}

static void compare_boots(const struct boot *a, const struct boot *b, int64_t from_wall_ms,
			  int64_t to_wall_ms, struct ambiguity *ret)
{
	int64_t from_ms = MAX(a->first_ms + a->wall_offset_ms, b->first_ms + b->wall_offset_ms);
	int64_t to_ms = MIN(a->last_ms + a->wall_offset_ms, b->last_ms + b->wall_offset_ms);
	struct points_ambiguity item = {
		.why = POINTS_TWO_BOOTS,
		.boot = b->id,
		.other_boot = a->id,
		.from_wall_ms = MAX(from_ms, from_wall_ms),
		.to_wall_ms = MIN(to_ms, to_wall_ms),
	};

	if (item.to_wall_ms - item.from_wall_ms >= LEAST_MS)
		add_item(ret, &item);
}

int ambiguity_of_boots(struct reader *reader, const int64_t *boots, size_t n_boots,
		       int64_t from_wall_ms, int64_t to_wall_ms, struct ambiguity *ret)
{
	CLEANUP(freep) struct boot *all = NULL;
	int n;

	if (n_boots < 2)
		return 0;
	all = calloc(QUERY_BOOTS_MAX, sizeof(*all));
	if (!all)
		return -ENOMEM;
	n = reader_boots(reader, all, QUERY_BOOTS_MAX);
	for (size_t i = 1; n > 0 && i < n_boots; i++)
		for (size_t j = 0; j < i; j++) {
			const struct boot *a = find_boot(all, n, boots[j]);
			const struct boot *b = find_boot(all, n, boots[i]);

			if (a && b)
				compare_boots(a, b, from_wall_ms, to_wall_ms, ret);
		}
	return MIN(n, 0);
}

static int64_t first_wall_ms(const struct boot *boot)
{
	return boot->first_ms + boot->wall_offset_ms;
}

static int64_t last_wall_ms(const struct boot *boot)
{
	return boot->last_ms + boot->wall_offset_ms;
}

/* Each two of the newest boots that touch the window. */
static void compare_all(const struct boot *boots, int n, const struct window *w,
			struct ambiguity *found)
{
	const struct boot *in[BOOTS_COMPARED_MAX];
	size_t n_in = 0;

	for (int i = n - 1; i >= 0 && n_in < BOOTS_COMPARED_MAX; i--)
		if (boots[i].last_ms && first_wall_ms(&boots[i]) <= w->to_wall_ms &&
		    last_wall_ms(&boots[i]) >= w->from_wall_ms)
			in[n_in++] = &boots[i];
	for (size_t i = 1; i < n_in; i++)
		for (size_t j = 0; j < i; j++)
			compare_boots(in[i], in[j], w->from_wall_ms, w->to_wall_ms, found);
}

/* When it really was, as far as anything was recorded. */
static bool tell_span(const struct shown_span *span, const struct boot *boot,
		      struct points_ambiguity *ret)
{
	int64_t from_ms = MAX(span->from_ms, boot->first_ms);
	int64_t to_ms = MIN(span->to_ms, boot->last_ms);

	*ret = (struct points_ambiguity){
		.why = POINTS_AS_SHOWN,
		.boot = span->boot,
		.from_wall_ms = from_ms + span->wall_offset_ms,
		.to_wall_ms = to_ms + span->wall_offset_ms,
	};
	return from_ms < to_ms;
}

int query_ambiguous(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		    struct points_ambiguity *ret, size_t max)
{
	const struct window w = {from_wall_ms, to_wall_ms};
	CLEANUP(freep) struct ambiguity *found = calloc(1, sizeof(*found));
	CLEANUP(freep) struct boot *boots = calloc(QUERY_BOOTS_MAX, sizeof(*boots));
	int n_boots = found && boots ? reader_boots(reader, boots, QUERY_BOOTS_MAX) : -ENOMEM;
	size_t n;
	int r = MIN(n_boots, 0);

	if (!r)
		r = ambiguity_of_steps(reader, from_wall_ms, to_wall_ms, found);
	if (r < 0)
		return r;
	compare_all(boots, n_boots, &w, found);
	n = MIN(found->n, max);
	memcpy(ret, found->items, n * sizeof(*ret));
	for (size_t i = 0; i < found->n_spans && n < max; i++) {
		const struct boot *boot = find_boot(boots, n_boots, found->spans[i].boot);

		n += boot && tell_span(&found->spans[i], boot, &ret[n]);
	}
	return (int)n;
}
