#include "query/ambiguity.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "query/plan.h"

/* As of a step: less is within the error of clocks. */
#define LEAST_MS 1000

struct search {
	struct ambiguity *found;
	int64_t from_wall_ms, to_wall_ms;
	/* of the boot that is looked at */
	struct boot boot;
	int64_t era_from_ms, era_offset_ms; /* since then the clock has shown this */
	struct shown_span spans[AMBIGUITY_SPANS_MAX];
	size_t n_spans;
	bool any, touched; /* touched: by a backward step */
};

static void add_item(struct ambiguity *found, const struct points_ambiguity *item)
{
	if (found->n < POINTS_AMBIGUITIES_MAX)
		found->items[found->n++] = *item;
}

static void add_span(struct search *s, int64_t from_ms, int64_t to_ms)
{
	if (from_ms < to_ms && s->n_spans < AMBIGUITY_SPANS_MAX)
		s->spans[s->n_spans++] = (struct shown_span){
			.boot = s->boot.id,
			.from_ms = from_ms,
			.to_ms = to_ms,
			.shown_offset_ms = s->era_offset_ms,
			.wall_offset_ms = s->boot.wall_offset_ms,
		};
}

/* What the clock showed as the window from the last step to this moment, without what lies in the
 * window anyway. */
static void end_era(struct search *s, int64_t until_ms)
{
	int64_t from_ms = MAX(s->from_wall_ms - s->era_offset_ms, s->era_from_ms);
	int64_t to_ms = MIN(s->to_wall_ms - s->era_offset_ms, until_ms);
	int64_t in_from_ms = s->from_wall_ms - s->boot.wall_offset_ms;
	int64_t in_to_ms = s->to_wall_ms - s->boot.wall_offset_ms;

	if (llabs(s->era_offset_ms - s->boot.wall_offset_ms) < LEAST_MS)
		return;
	add_span(s, from_ms, MIN(to_ms, in_from_ms));
	add_span(s, MAX(from_ms, in_to_ms), to_ms);
}

static void end_boot(struct search *s)
{
	if (!s->any)
		return;
	end_era(s, INT64_MAX);
	for (size_t i = 0; s->touched && i < s->n_spans; i++)
		if (s->found->n_spans < AMBIGUITY_SPANS_MAX)
			s->found->spans[s->found->n_spans++] = s->spans[i];
}

/* The clock went back: it has shown the time between twice. */
static void see_backward(struct search *s, const struct clock_step *step)
{
	struct points_ambiguity item = {
		.why = POINTS_CLOCK_STEP,
		.boot = s->boot.id,
		.at_ms = step->t_ms,
		.from_wall_ms = step->t_ms + step->after_ms,
		.to_wall_ms = step->t_ms + step->before_ms,
	};

	if (item.to_wall_ms - item.from_wall_ms < LEAST_MS || item.from_wall_ms > s->to_wall_ms ||
	    item.to_wall_ms < s->from_wall_ms)
		return;
	s->touched = true;
	add_item(s->found, &item);
}

static int see_step(const struct clock_step *step, const struct boot *boot, void *arg)
{
	struct search *s = arg;

	if (!s->any || s->boot.id != boot->id) {
		end_boot(s);
		s->any = true;
		s->touched = false;
		s->n_spans = 0;
		s->boot = *boot;
		s->era_from_ms = -1;
		s->era_offset_ms = step->before_ms;
	}
	see_backward(s, step);
	/* A sample of the look that has noticed it comes after it. */
	end_era(s, step->t_ms - 1);
	s->era_from_ms = step->t_ms - 1;
	s->era_offset_ms = step->after_ms;
	return 0;
}

int ambiguity_of_steps(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms,
		       struct ambiguity *ret)
{
	struct search s = {.found = ret, .from_wall_ms = from_wall_ms, .to_wall_ms = to_wall_ms};
	int r = reader_clock_steps(reader, see_step, &s);

	if (r < 0)
		return r;
	end_boot(&s);
	return 0;
}

static const struct boot *find_boot(const struct boot *boots, int n, int64_t id)
{
	for (int i = 0; i < n; i++)
		if (boots[i].id == id)
			return &boots[i];
	return NULL;
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
