/* Times as people and programs write them. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "query/plan.h"

#define TIME_TEXT_MAX 64

static int refuse(struct problem *problem, const char *text, const char *why)
{
	problem->parameter[0] = '\0';
	snprintf(problem->detail, sizeof(problem->detail), "\"%.40s\" %s", text, why);
	return -EINVAL;
}

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return false;
	return s.len > 0;
}

/* "1796097600", "1796097600.25" */
static bool is_epoch(const char *text)
{
	return text[0] && isdigit((unsigned char)text[0]) && !text[strspn(text, "0123456789.")];
}

static int parse_epoch(const char *text, int64_t *ret_wall_ms, struct problem *problem)
{
	int64_t ms;

	if (parse_fixed_slice(slice_of(text), 3, &ms) < 0)
		return refuse(problem, text, "is no number of seconds since 1970");
	if (ms > QUERY_WALL_MAX_MS)
		return refuse(problem, text,
			      "is beyond the year 9999: give seconds since 1970, "
			      "not milliseconds");
	*ret_wall_ms = ms;
	return 0;
}

static int parse_before_now(const char *text, int64_t now_wall_ms, int64_t *ret_wall_ms,
			    struct problem *problem)
{
	int64_t ms;

	if (parse_duration_ms(text + 1, &ms) < 0)
		return refuse(problem, text, "is no time before now: write -90s, -15min, -1h, -2d");
	if (ms > now_wall_ms)
		return refuse(problem, text, "is before 1970");
	*ret_wall_ms = now_wall_ms - ms;
	return 0;
}

/* BOOT+MS. A + that a web form turned into a blank is taken as well. */
static bool split_boot(const char *text, struct slice *ret_boot, struct slice *ret_ms)
{
	size_t n = strcspn(text, "+ ");

	if (!text[n])
		return false;
	*ret_boot = (struct slice){text, n};
	*ret_ms = slice_of(text + n + 1);
	return all_digits(*ret_boot) && all_digits(*ret_ms);
}

bool query_time_needs_boots(const char *text)
{
	struct slice boot, ms;

	return text && split_boot(text, &boot, &ms);
}

static int parse_in_boot(const char *text, struct slice boot, struct slice ms,
			 const struct boot *boots, size_t n_boots, int64_t *ret_wall_ms,
			 struct problem *problem)
{
	int64_t id, at_ms, wall_ms;

	if (parse_i64_slice(boot, &id) < 0 || parse_i64_slice(ms, &at_ms) < 0)
		return refuse(problem, text, "is no BOOT+MILLISECONDS");
	for (size_t i = 0; i < n_boots; i++) {
		if (boots[i].id != id)
			continue;
		if (__builtin_add_overflow(at_ms, boots[i].wall_offset_ms, &wall_ms) ||
		    wall_ms < 0 || wall_ms > QUERY_WALL_MAX_MS)
			return refuse(problem, text, "is too long after the start of its boot");
		*ret_wall_ms = wall_ms;
		return 0;
	}
	return refuse(problem, text, "names a boot that is not in this file");
}

/* As clock_parse_rfc3339(), and the zone may begin with a blank in place of its +. */
static int parse_date(const char *text, int64_t *ret_wall_ms, struct problem *problem)
{
	char buf[TIME_TEXT_MAX];

	if (strlen(text) < sizeof(buf)) {
		memcpy(buf, text, strlen(text) + 1);

		char *blank = strrchr(buf, ' ');

		if (blank && blank - buf > 10)
			*blank = '+';
		if (clock_parse_rfc3339(buf, ret_wall_ms) == 0 && *ret_wall_ms >= 0 &&
		    *ret_wall_ms <= QUERY_WALL_MAX_MS)
			return 0;
	}
	return refuse(problem, text,
		      "is no time: write 2026-12-01T04:13:20Z, seconds since 1970, now, -1h, "
		      "or BOOT+MILLISECONDS");
}

int query_time(const char *text, int64_t now_wall_ms, const struct boot *boots, size_t n_boots,
	       int64_t *ret_wall_ms, struct problem *ret_problem)
{
	struct slice boot, ms;
	int64_t wall_ms;
	int r;

	if (!strcmp(text, "now")) {
		*ret_wall_ms = now_wall_ms;
		return 0;
	}
	if (text[0] == '-')
		r = parse_before_now(text, now_wall_ms, &wall_ms, ret_problem);
	else if (is_epoch(text))
		r = parse_epoch(text, &wall_ms, ret_problem);
	else if (split_boot(text, &boot, &ms))
		r = parse_in_boot(text, boot, ms, boots, n_boots, &wall_ms, ret_problem);
	else
		r = parse_date(text, &wall_ms, ret_problem);
	if (r == 0)
		*ret_wall_ms = wall_ms;
	return r;
}
