/* The minutes of days that are over become hours, a day at a time: cheaper than to write each row
 * of a day 24 times. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/rollup_writer.h"
#include "store/sql.h"

/* What comes late, as from a device in trouble, has come by then. */
#define LATE_MS      HOUR_MS
#define DAYS_A_FOLD  4
#define HOURS_OF_DAY 24

struct day {
	struct rollup_writer *writer;
	int64_t boot, day;
	sqlite3_stmt *minutes; /* of a node in an hour */
	const struct measure *measures;
	size_t n_measures;
	struct rollup (*hours)[HOURS_OF_DAY]; /* of each measure */
	int64_t first_num, last_num;
};

static int64_t minute_id(const struct day *d, int64_t hour, int64_t node, int64_t num)
{
	return d->boot * FORMAT_BOOT_FACTOR + (d->day * HOURS_OF_DAY + hour) * ROLLUP_SLOT_FACTOR +
	       node * ROLLUP_NODE_FACTOR + num;
}

static size_t find_measure(const struct day *d, int64_t num)
{
	for (size_t i = 0; i < d->n_measures; i++)
		if (d->measures[i].num == num)
			return i;
	return SIZE_MAX;
}

static int add_hour(struct day *d, int64_t node, size_t hour, bool *any)
{
	struct rollup_row *row = &d->writer->row;
	int r = 0;

	bind_int(d->minutes, 1, minute_id(d, (int64_t)hour, node, d->first_num));
	bind_int(d->minutes, 2, minute_id(d, (int64_t)hour, node, d->last_num));
	while ((r = sql_step(d->minutes)) > 0) {
		size_t m =
			find_measure(d, sqlite3_column_int64(d->minutes, 0) % ROLLUP_NODE_FACTOR);

		if (m == SIZE_MAX ||
		    rollup_load(&d->measures[m], d->minutes, 1, ROLLUP_N_MAX, row) < 0)
			continue;
		for (size_t i = 0; i < row->n; i++)
			rollup_merge(&d->hours[m][hour], &row->points[i]);
		*any = true;
	}
	return r;
}

static int put_day(struct day *d, int64_t node, size_t m)
{
	struct rollup_writer *w = d->writer;
	int64_t id;
	bool any = false;
	int r = 0;

	for (size_t h = 0; h < HOURS_OF_DAY; h++)
		any = any || !rollup_is_empty(&d->hours[m][h]);
	if (!any || rollup_id(RESOLUTION_HOUR, d->boot, d->day * DAY_MS + 1, node,
			      d->measures[m].num, &id) < 0)
		return 0;
	r = rollup_get_row(w, RESOLUTION_HOUR, &d->measures[m], id, &w->old);
	for (size_t h = 0; h < HOURS_OF_DAY && !r; h++)
		rollup_merge(&w->old.points[h], &d->hours[m][h]);
	return r ? r : rollup_put_row(w, RESOLUTION_HOUR, &d->measures[m], id, &w->old);
}

static int roll_node(struct day *d, int64_t node)
{
	bool any = false;
	int r = 0;

	memset(d->hours, 0, d->n_measures * sizeof(*d->hours));
	for (size_t hour = 0; hour < HOURS_OF_DAY && !r; hour++)
		r = add_hour(d, node, hour, &any);
	for (size_t m = 0; m < d->n_measures && any && !r; m++)
		r = put_day(d, node, m);
	return r;
}

static int roll_nodes(struct day *d, const struct collector *collector)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(d->writer->db->conn, &stmt,
			    "SELECT id FROM node WHERE collector=%Q AND id BETWEEN 1 AND %d",
			    collector->name, FORMAT_NODES_MAX);

	while (!r && (r = sql_step(stmt)) > 0)
		r = roll_node(d, sqlite3_column_int64(stmt, 0));
	return r;
}

static int roll_group(struct day *d, const struct file_group *group)
{
	CLEANUP(freep) struct measure *measures = NULL;
	CLEANUP(freep) void *hours = NULL;
	int r = measures_list(group, &measures, &d->n_measures);

	if (r < 0 || !d->n_measures)
		return r;
	hours = calloc(d->n_measures, sizeof(*d->hours));
	if (!hours)
		return -ENOMEM;
	d->measures = measures;
	d->hours = hours;
	d->first_num = d->last_num = measures[0].num;
	for (size_t i = 0; i < d->n_measures; i++) {
		d->first_num = MIN(d->first_num, measures[i].num);
		d->last_num = MAX(d->last_num, measures[i].num);
	}
	return roll_nodes(d, group->collector);
}

static int roll_day(struct rollup_writer *w, int64_t boot, int64_t day)
{
	CLEANUP(stmt_closep) sqlite3_stmt *minutes = NULL;
	struct day d = {.writer = w, .boot = boot, .day = day};
	int r = sql_prepare(w->db->conn, &minutes,
			    "SELECT id," ROLLUP_COLUMNS " FROM minute WHERE id BETWEEN ? AND ?");

	d.minutes = minutes;
	for (size_t i = 0; i < w->db->n_groups && !r; i++)
		if (w->db->groups[i].group)
			r = roll_group(&d, &w->db->groups[i]);
	return r;
}

/* The first minute row that is in no hour yet, below a bound. */
static int first_undone(struct db *db, int64_t from, int64_t to, int64_t *ret)
{
	return sql_int(db->conn, ret, "SELECT min(id) FROM minute WHERE id>=%lld AND id<%lld",
		       (long long)from, (long long)to);
}

int rollup_hours(struct rollup_writer *w, int64_t to_ms)
{
	struct db *db = w->db;
	int64_t day_now = MIN(MAX(to_ms - LATE_MS - 1, 0) / DAY_MS, ROLLUP_SLOT_MAX / HOURS_OF_DAY);
	int64_t to = db->boot * FORMAT_BOOT_FACTOR + day_now * HOURS_OF_DAY * ROLLUP_SLOT_FACTOR;
	int64_t done = 0, id;
	int r = sql_int(db->conn, &done, "SELECT done FROM kept WHERE what='hour'");
	int64_t before = done;

	for (int i = 0; i < DAYS_A_FOLD && !r && done < to; i++) {
		r = first_undone(db, done, to, &id);
		if (r == -ENOENT) {
			done = to;
			r = 0;
			break;
		}
		if (r < 0)
			return r;

		int64_t boot = id / FORMAT_BOOT_FACTOR;
		int64_t day = id % FORMAT_BOOT_FACTOR / ROLLUP_SLOT_FACTOR / HOURS_OF_DAY;

		r = roll_day(w, boot, day);
		done = boot * FORMAT_BOOT_FACTOR + (day + 1) * HOURS_OF_DAY * ROLLUP_SLOT_FACTOR;
	}
	if (r < 0 || done == before)
		return r;
	return sql_exec(db->conn, "UPDATE kept SET done=%lld WHERE what='hour'", (long long)done);
}
