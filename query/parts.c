#include "query/parts.h"

#include "base/macros.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS   INT64_C(3600000)

/* More samples than this of one series, some 28 hours at one a second. */
#define TICKS_MANY     100000
/* Ends are moved by less than a tenth of the step. */
#define POINTS_OF_STEP 10

const char *part_name(enum part_kind kind)
{
	static const char *const names[] = {
		[PART_RAW] = "raw", [PART_MINUTE] = "minute", [PART_HOUR] = "hour"};

	return names[kind];
}

static bool suits(const struct query_plan *plan, int64_t from_ms, int64_t to_ms, int64_t point_ms)
{
	int64_t period_ms = MAX((int64_t)plan->metric.group->period_ms, 1);

	if (plan->step_ms % point_ms == 0 && from_ms % point_ms == 0)
		return true;
	return plan->step_ms >= POINTS_OF_STEP * point_ms &&
	       (to_ms - from_ms) / period_ms > TICKS_MANY;
}

enum part_kind parts_wanted(const struct query_plan *plan, int64_t from_ms, int64_t to_ms)
{
	if (suits(plan, from_ms, to_ms, HOUR_MS))
		return PART_HOUR;
	return suits(plan, from_ms, to_ms, MINUTE_MS) ? PART_MINUTE : PART_RAW;
}

static void add(struct parts *parts, enum part_kind kind, int64_t *from_ms, int64_t to_ms)
{
	if (to_ms <= *from_ms)
		return;
	parts->v[parts->n++] = (struct part){kind, *from_ms, to_ms};
	*from_ms = to_ms;
}

static int64_t floor_to(int64_t ms, int64_t point_ms)
{
	int64_t rest = ms % point_ms;

	return ms - rest - (rest < 0 ? point_ms : 0);
}

static int64_t ceil_to(int64_t ms, int64_t point_ms)
{
	return ms > INT64_MAX - point_ms ? ms : floor_to(ms + point_ms - 1, point_ms);
}

/* Minutes where they are, hours before. */
static void add_rollups(struct parts *parts, const struct series_extent *extent, int64_t *from_ms,
			int64_t to_ms)
{
	add(parts, PART_HOUR, from_ms,
	    MIN(MIN(extent->minute_from_ms, extent->hour_to_ms), floor_to(to_ms, HOUR_MS)));
	if (extent->minute_from_ms != INT64_MAX)
		add(parts, PART_MINUTE, from_ms,
		    MIN(extent->minute_to_ms, floor_to(to_ms, MINUTE_MS)));
}

/* Up to where rollups answer what asks for samples. Where samples were deleted, the first that is
 * left lies within a point that knows more than it; where none were, that point knows less, and has
 * nothing before it. */
static int64_t deleted_to_ms(const struct series_extent *extent)
{
	int64_t raw_ms = extent->raw_from_ms;

	if (extent->minute_from_ms == INT64_MAX)
		return floor_to(raw_ms - 1, HOUR_MS);
	return extent->minute_from_ms < floor_to(raw_ms - 1, HOUR_MS)
		       ? ceil_to(raw_ms, MINUTE_MS)
		       : floor_to(raw_ms - 1, MINUTE_MS);
}

void parts_make(enum part_kind wanted, const struct series_extent *extent, int64_t from_ms,
		int64_t to_ms, struct parts *ret)
{
	bool has_minutes = extent->minute_from_ms != INT64_MAX;
	int64_t point_ms = has_minutes ? MINUTE_MS : HOUR_MS;

	*ret = (struct parts){0};
	/* A file that was saved from a damaged one has rollups of before its samples, too. */
	if (extent->raw_from_ms < extent->rolled_from_ms && extent->raw_from_ms > from_ms)
		add_rollups(ret, extent, &from_ms, MIN(deleted_to_ms(extent), to_ms));
	if (extent->raw_from_ms < extent->rolled_from_ms)
		add(ret, PART_RAW, &from_ms, MIN(extent->rolled_from_ms, to_ms));
	/* What begins within a minute, or an hour, begins with what is finer. */
	if (wanted != PART_RAW && extent->raw_from_ms <= from_ms)
		add(ret, PART_RAW, &from_ms, MIN(ceil_to(from_ms, point_ms), to_ms));
	if (wanted == PART_HOUR && extent->minute_from_ms <= from_ms)
		add(ret, PART_MINUTE, &from_ms,
		    MIN(ceil_to(from_ms, HOUR_MS),
			MIN(extent->minute_to_ms, floor_to(to_ms, MINUTE_MS))));
	if (wanted == PART_HOUR)
		add(ret, PART_HOUR, &from_ms, MIN(extent->hour_to_ms, floor_to(to_ms, HOUR_MS)));
	if (wanted == PART_HOUR || (wanted == PART_MINUTE && has_minutes))
		add_rollups(ret, extent, &from_ms, to_ms);
	/* Before the first sample there is nothing but rollups. */
	else if (extent->raw_from_ms > from_ms)
		add_rollups(ret, extent, &from_ms, MIN(deleted_to_ms(extent), to_ms));
	add(ret, PART_RAW, &from_ms, to_ms);
}
