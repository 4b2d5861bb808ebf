#include "query/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "query/suggest.h"

#define DEFAULT_POINTS    300
#define DEFAULT_WINDOW_MS 3600000
/* For a group that is read seldom. */
#define WINDOW_N_PERIODS  3
#define WINDOW_MAX_MS     INT64_C(604800000)

static const char *const agg_names[] = {
	[AGG_DEFAULT] = "default", [AGG_RATE] = "rate", [AGG_INCREASE] = "increase",
	[AGG_SUM] = "sum",         [AGG_MIN] = "min",   [AGG_MEAN] = "mean",
	[AGG_MAX] = "max",         [AGG_LAST] = "last",
};

const char *agg_name(enum agg agg)
{
	return agg_names[agg];
}

int plan_refuse(struct problem *problem, const char *parameter, const char *fmt, ...)
{
	va_list args;

	snprintf(problem->parameter, sizeof(problem->parameter), "%s", parameter);
	va_start(args, fmt);
	vsnprintf(problem->detail, sizeof(problem->detail), fmt, args);
	va_end(args);
	return -EINVAL;
}

int64_t plan_n_buckets(const struct query_plan *plan)
{
	return (plan->to_wall_ms - plan->from_wall_ms + plan->step_ms - 1) / plan->step_ms;
}

static bool given(const char *text)
{
	return text && *text;
}

static int refuse_metric(const struct catalog *catalog, const char *name, int error,
			 struct problem *problem)
{
	char buf[sizeof(problem->detail)];
	struct text text = TEXT_IN(buf);

	if (error == -EINVAL)
		text_printf(&text, "\"%.60s\" is no metric: write GROUP.QUANTITY", name);
	else if (error == -ENOENT)
		text_printf(&text, "\"%.60s\": there is no such group", name);
	else
		text_printf(&text, "\"%.60s\": the group has no such quantity", name);
	suggest_metrics(&text, catalog, name);
	return plan_refuse(problem, "metric", "%s", buf);
}

/* Writers come and go by the thousand: they are kept by hour, and are no series. */
static bool is_by_hour(const struct catalog *catalog, const char *name)
{
	char group[NODE_NAME_MAX];
	size_t i;

	snprintf(group, sizeof(group), "%.*s", (int)strcspn(name, "."), name);
	return catalog_find_group(catalog, group, &i) == 0 &&
	       catalog_group_at(catalog, i, NULL)->by_hour;
}

static int plan_metric(const struct catalog *catalog, const char *name, struct query_plan *plan,
		       struct problem *problem)
{
	if (!given(name))
		return plan_refuse(problem, "metric", "is missing: write GROUP.QUANTITY");
	if (is_by_hour(catalog, name))
		return plan_refuse(
			problem, "metric",
			"\"%.60s\" has no series, it is kept by hour: flashscope writers, or "
			"GET /api/v1/writers, shows it",
			name);

	int r = metric_find(catalog, name, &plan->metric);

	if (r < 0)
		return refuse_metric(catalog, name, r, problem);
	if (plan->metric.kind == KIND_INFO)
		return plan_refuse(problem, "metric",
				   "\"%.60s\" is a text and has no values over time: flashscope "
				   "sample shows it, "
				   "the view infos of a file has its changes",
				   name);
	plan->unit = plan->metric.unit;
	return 0;
}

/* A code, bits or a switch: what lies between two values means nothing. */
static bool is_code(const struct metric *metric)
{
	return metric->kind == KIND_STATE ||
	       (metric->kind == KIND_GAUGE && !metric->derived && metric->unit == UNIT_NONE);
}

static enum agg default_agg(const struct metric *metric)
{
	if (is_code(metric))
		return AGG_LAST;
	switch (metric->kind) {
	case KIND_COUNTER:
		return AGG_RATE;
	case KIND_STATE:
		return AGG_LAST;
	case KIND_GAUGE:
	case KIND_INFO:
		break;
	}
	return AGG_MEAN;
}

/* The aggregates that mean something, as a set of bits. */
static unsigned allowed_aggs(const struct metric *metric)
{
	unsigned all = 1U << AGG_MIN | 1U << AGG_MAX | 1U << AGG_LAST;

	if (is_code(metric))
		return all;
	all |= 1U << AGG_MEAN;
	if (metric->kind == KIND_COUNTER)
		return all | 1U << AGG_RATE | 1U << AGG_INCREASE | 1U << AGG_SUM;
	if (metric_is_delta(metric) ||
	    (metric->derived &&
	     (metric->derived->how == DERIVE_QUOTIENT || metric->derived->how == DERIVE_REST)))
		return all;
	return all | 1U << AGG_SUM;
}

static void name_aggs(struct text *text, unsigned aggs)
{
	const char *separator = "";

	for (unsigned agg = AGG_RATE; agg <= AGG_LAST; agg++) {
		if (!(aggs & 1U << agg))
			continue;
		text_printf(text, "%s%s", separator, agg_names[agg]);
		separator = ", ";
	}
}

static int plan_agg(const char *name, struct query_plan *plan, struct problem *problem)
{
	unsigned allowed = allowed_aggs(&plan->metric), agg = AGG_DEFAULT;
	char buf[96];
	struct text names = TEXT_IN(buf);

	if (given(name)) {
		for (agg = AGG_RATE; agg <= AGG_LAST && strcmp(agg_names[agg], name); agg++)
			continue;
		name_aggs(&names, allowed);
		if (agg > AGG_LAST)
			return plan_refuse(problem, "agg", "\"%.40s\" is no aggregate: use %s",
					   name, buf);
		if (!(allowed & 1U << agg))
			return plan_refuse(problem, "agg", "%s has no %s: use %s",
					   plan->metric.name, name, buf);
	}
	plan->agg = agg == AGG_DEFAULT ? default_agg(&plan->metric) : (enum agg)agg;
	plan->per_second = plan->metric.kind == KIND_COUNTER && plan->agg != AGG_INCREASE &&
			   plan->agg != AGG_SUM && plan->agg != AGG_LAST;
	return 0;
}

static int plan_time(const char *parameter, const char *text, int64_t now_wall_ms,
		     const struct boot *boots, size_t n_boots, int64_t *ret_wall_ms,
		     struct problem *problem)
{
	int r = query_time(text, now_wall_ms, boots, n_boots, ret_wall_ms, problem);

	if (r < 0)
		snprintf(problem->parameter, sizeof(problem->parameter), "%s", parameter);
	return r;
}

/* An hour, or a few samples. */
static int64_t default_window_ms(const struct metric *metric)
{
	int64_t periods_ms = (int64_t)metric->group->period_ms * WINDOW_N_PERIODS;

	return MIN(MAX(periods_ms, DEFAULT_WINDOW_MS), WINDOW_MAX_MS);
}

static int plan_window(struct reader *reader, const struct query_params *params,
		       int64_t now_wall_ms, struct query_plan *plan, struct problem *problem)
{
	const char *to = given(params->to) ? params->to : "now";
	CLEANUP(freep) struct boot *boots = NULL;
	int n_boots = 0;

	if (query_time_needs_boots(params->from) || query_time_needs_boots(to)) {
		boots = calloc(QUERY_BOOTS_MAX, sizeof(*boots));
		if (!boots)
			return -ENOMEM;
		n_boots = reader_boots(reader, boots, QUERY_BOOTS_MAX);
		if (n_boots < 0)
			return n_boots;
	}

	int r = plan_time("to", to, now_wall_ms, boots, (size_t)n_boots, &plan->to_wall_ms,
			  problem);

	plan->from_wall_ms = MAX(plan->to_wall_ms - default_window_ms(&plan->metric), 0);
	if (r == 0 && given(params->from))
		r = plan_time("from", params->from, now_wall_ms, boots, (size_t)n_boots,
			      &plan->from_wall_ms, problem);
	if (r < 0)
		return r;
	if (plan->from_wall_ms >= plan->to_wall_ms)
		return plan_refuse(problem, "from", "the window is empty: from is not before to%s",
				   given(params->to) ? "" : ", which is now when not given");
	return 0;
}

static int64_t rounded_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* A window of 300 steps, on whole seconds and on whole periods of the group. */
static int64_t default_step_ms(const struct query_plan *plan)
{
	int64_t window_ms = plan->to_wall_ms - plan->from_wall_ms;
	int64_t step_ms = rounded_up((window_ms + DEFAULT_POINTS - 1) / DEFAULT_POINTS, 1000);

	return rounded_up(step_ms, MAX(plan->metric.group->period_ms, 1));
}

static int plan_step(const char *text, struct query_plan *plan, struct problem *problem)
{
	int64_t window_ms = plan->to_wall_ms - plan->from_wall_ms;

	if (!given(text)) {
		plan->step_ms = default_step_ms(plan);
		return 0;
	}

	int r = parse_duration_ms(text, &plan->step_ms);

	if (r == 0 && (plan->step_ms < 1 || plan->step_ms > QUERY_STEP_MAX_MS))
		r = -ERANGE;
	if (r == -ERANGE)
		return plan_refuse(problem, "step", "\"%.40s\" is out of range: 1ms to 100 years",
				   text);
	if (r < 0)
		return plan_refuse(problem, "step",
				   "\"%.40s\" is no duration: write 500ms, 10s, 5min, 1h", text);
	if (plan_n_buckets(plan) > QUERY_POINTS_MAX)
		return plan_refuse(
			problem, "step",
			"%lld points are too many, at most %d a series: the least step "
			"for this window is %lldms",
			(long long)plan_n_buckets(plan), QUERY_POINTS_MAX,
			(long long)((window_ms + QUERY_POINTS_MAX - 1) / QUERY_POINTS_MAX));
	return 0;
}

int plan_make(struct reader *reader, const struct catalog *catalog,
	      const struct query_params *params, int64_t now_wall_ms, struct query_plan *ret,
	      struct problem *ret_problem)
{
	struct query_plan plan = {0};
	int r = plan_metric(catalog, params->metric, &plan, ret_problem);

	if (r == 0)
		r = plan_agg(params->agg, &plan, ret_problem);
	if (r == 0)
		r = plan_window(reader, params, now_wall_ms, &plan, ret_problem);
	if (r == 0)
		r = plan_step(params->step, &plan, ret_problem);
	if (r == 0)
		*ret = plan;
	return r;
}
