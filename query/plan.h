/* From what a user asked to what is to be done. Private to query/. */
#pragma once

#include "query/query.h"

/* The end of the year 9999: no time of a request lies beyond. */
#define QUERY_WALL_MAX_MS INT64_C(253402300799999)
#define QUERY_STEP_MAX_MS INT64_C(3155760000000) /* 100 years */
#define QUERY_BOOTS_MAX   4096

/* Whether query_time() will look at the boots. */
bool query_time_needs_boots(const char *text);

/* Checks all parameters but the node. Returns as query_open(). */
int plan_make(struct reader *reader, const struct catalog *catalog,
	      const struct query_params *params, int64_t now_wall_ms, struct query_plan *ret,
	      struct problem *ret_problem);

/* Fills in a problem; returns -EINVAL. */
PRINTF_LIKE(3, 4)
int plan_refuse(struct problem *problem, const char *parameter, const char *fmt, ...);

/* Number of buckets of the window. */
int64_t plan_n_buckets(const struct query_plan *plan);
