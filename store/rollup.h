/* Rollups in the file: what each measure of each node did in each minute, and in each hour.
 *
 * A row of the table minute has the 60 minutes of an hour of the boot clock, a row of hour the 24
 * hours of a day of it. A point is the time (end - length, end], as a bucket of a query. Private to
 * store/. */
#pragma once

#include "model/rollup.h"
#include "store/db.h"
#include "store/reader.h"

#define MINUTE_MS          INT64_C(60000)
#define HOUR_MS            INT64_C(3600000)
#define DAY_MS             INT64_C(86400000)
#define ROLLUP_N_MAX       60
#define ROLLUP_COLUMNS     "count,sum,sum2,span,min,min2,max,max2,first,last,last2,flag"
#define ROLLUP_N_CELLS     12
#define ROLLUP_SLOT_MAX    99999 /* hours or days of a boot */
#define MEASURE_NUM_MAX    9999
#define ROLLUP_SLOT_FACTOR INT64_C(100000000) /* id: boot, hour or day, node, measure */
#define ROLLUP_NODE_FACTOR INT64_C(10000)

struct resolution_spec {
	const char *table;
	int64_t point_ms;
	size_t n; /* points of a row */
};

extern const struct resolution_spec resolution_specs[];

/* What is rolled up: a field, a derived quantity, or the time in a state. */
struct measure {
	int64_t num; /* in the file */
	struct metric metric;
	size_t column, column_b; /* of the file's group, from 0 */
	bool is_state;
	int64_t state;
};

struct rollup_row {
	struct rollup points[ROLLUP_N_MAX];
	size_t n;
};

/* -ERANGE for a time or node that has no place in an id. */
MUST_CHECK int rollup_id(enum resolution resolution, int64_t boot, int64_t end_ms, int64_t node,
			 int64_t num, int64_t *ret);

/* Binds the cells of a row behind its id. */
void rollup_bind(const struct measure *measure, const struct rollup_row *row, sqlite3_stmt *stmt);
/* Reads the cells of a row of a SELECT, from a column on. -EBADMSG. */
MUST_CHECK int rollup_load(const struct measure *measure, sqlite3_stmt *stmt, int column, size_t n,
			   struct rollup_row *ret);

/* measure.c. Numbers what is rolled up of each group, at open. */
MUST_CHECK int measures_sync(struct db *db, const struct catalog *catalog);
/* What of a group is rolled up into this file; the caller frees it. */
MUST_CHECK int measures_list(const struct file_group *group, struct measure **ret, size_t *ret_n);

/* The ticks of one node, side by side. */
struct rollup_source {
	struct file_group *group;
	int64_t boot, node, t0_ms, step_ms;
	size_t n;
	/* Column k of the chunk, from 1; 0 is the lateness. */
	void (*column)(void *arg, size_t k, int64_t *values, uint8_t *absent);
	void *arg;
};

struct rollup_writer;
MUST_CHECK int rollup_writer_new(struct db *db, struct rollup_writer **ret);
void rollup_writer_freep(struct rollup_writer **writer);
/* Which resolution the ticks of a step are rolled up to first; false: to none. */
bool rollup_takes(int64_t step_ms, enum resolution *ret);
/* Adds the ticks to the rows of their minutes, or of their hours when they are a minute or more
 * apart. Sources of a node come in the order of time. */
MUST_CHECK int rollup_write(struct rollup_writer *writer, const struct rollup_source *source);
/* The minutes of days that are over become hours. to_ms: samples before it are all there. */
MUST_CHECK int rollup_hours(struct rollup_writer *writer, int64_t to_ms);
