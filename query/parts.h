/* Which resolution answers which part of a window. Private to query/. */
#pragma once

#include "query/query.h"

/* Rollups of before samples without, samples of an older format, samples and minutes up to what is
 * whole, hours, minutes, samples. */
#define PARTS_MAX 10

enum part_kind { PART_RAW, PART_MINUTE, PART_HOUR };

/* (from_ms, to_ms] on the boot clock. */
struct part {
	enum part_kind kind;
	int64_t from_ms, to_ms;
};

struct parts {
	struct part v[PARTS_MAX];
	size_t n;
};

/* What the step asks for. Buckets that begin and end with whole minutes or hours are the same
 * whichever they are made from. Others are made from samples, unless these are very many and a step
 * so long that its ends may be moved to the minute, or the hour, they are in. */
enum part_kind parts_wanted(const struct query_plan *plan, int64_t from_ms, int64_t to_ms);

/* Deals (from_ms, to_ms] out to what there is, in the order of time, without gap and overlap. */
void parts_make(enum part_kind wanted, const struct series_extent *extent, int64_t from_ms,
		int64_t to_ms, struct parts *ret);

const char *part_name(enum part_kind kind);
