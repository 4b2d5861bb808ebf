/* What is rolled up, numbered in the file: fields, derived quantities that do not follow from their
 * fields' rollups, and the time in each state that has a name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/rollup.h"
#include "store/sql.h"

#define STATES_MAX 64

/* A scale is that of its field; a share or an average differs in its last step alone. */
static bool is_kept(const struct metric *metric)
{
	return metric->kind != KIND_INFO &&
	       (!metric->derived || metric->derived->how != DERIVE_SCALE);
}

static size_t n_states(const struct field *field)
{
	size_t n = 0;

	while (field->kind == KIND_STATE && field->states && n < STATES_MAX && field->states[n])
		n++;
	return n;
}

/* The column of a field, from 0; SIZE_MAX. */
static size_t column_of(const struct file_group *group, size_t field)
{
	for (size_t c = 0; c < group->n_columns; c++)
		if (group->columns[c].field == field)
			return c;
	return SIZE_MAX;
}

struct listing {
	struct measure *v; /* NULL: they are only counted */
	size_t n;
};

static void add_measure(struct listing *l, const struct metric *metric, bool is_state,
			int64_t state)
{
	if (l->v)
		l->v[l->n] =
			(struct measure){.metric = *metric, .is_state = is_state, .state = state};
	l->n++;
}

/* Fields and derived quantities first, then states. */
static size_t list(const struct collector *collector, const struct group *group, struct measure *v)
{
	struct listing l = {.v = v};
	struct metric metric;

	for (size_t i = 0; metric_at(collector, group, i, &metric) == 0; i++)
		if (is_kept(&metric))
			add_measure(&l, &metric, false, 0);
	for (size_t f = 0; f < group->n_fields; f++)
		for (size_t i = 0; i < n_states(&group->fields[f]); i++)
			if (metric_at(collector, group, f, &metric) == 0)
				add_measure(&l, &metric, true, (int64_t)i);
	return l.n;
}

int measures_list(const struct file_group *group, struct measure **ret, size_t *ret_n)
{
	size_t n = list(group->collector, group->group, NULL), kept = 0;
	struct measure *v = calloc(n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	list(group->collector, group->group, v);
	for (size_t i = 0; i < n; i++) {
		v[i].column = column_of(group, v[i].metric.a);
		v[i].column_b = column_of(group, v[i].metric.b);
		v[i].num = i < group->n_nums ? group->nums[i] : 0;
		if (v[i].num && v[i].column != SIZE_MAX && v[i].column_b != SIZE_MAX)
			v[kept++] = v[i];
	}
	*ret = v;
	*ret_n = kept;
	return 0;
}

/* Numbers are given in the order of the catalog, so the next one is mostly the one looked for. */
static int find_number(sqlite3_stmt *find, const struct measure *m, int64_t above, int64_t *ret)
{
	bind_text(find, 1, m->metric.group->name);
	bind_text(find, 2, m->metric.name);
	sqlite3_bind_null(find, 3);
	if (m->is_state)
		bind_int(find, 3, m->state);
	bind_int(find, 4, above);

	int r = sql_step(find);

	if (r > 0)
		*ret = sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	return r;
}

static int add_number(struct db *db, const struct measure *m, int64_t *ret)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(db->conn, &stmt, "INSERT INTO measure(grp,name,state) VALUES(?,?,?)");

	if (r < 0)
		return r;
	bind_text(stmt, 1, m->metric.group->name);
	bind_text(stmt, 2, m->metric.name);
	if (m->is_state)
		bind_int(stmt, 3, m->state);
	r = sql_run(stmt);
	*ret = sqlite3_last_insert_rowid(db->conn);
	return r;
}

static int sync_group(struct db *db, sqlite3_stmt *find, const struct collector *collector,
		      struct file_group *group, int64_t *last)
{
	size_t n = list(collector, group->group, NULL);
	CLEANUP(freep) struct measure *v = calloc(n + 1, sizeof(*v));
	int r = 0;

	group->nums = calloc(n + 1, sizeof(*group->nums));
	if (!group->nums || !v)
		return -ENOMEM;
	group->n_nums = n;
	list(collector, group->group, v);
	for (size_t i = 0; i < n && r >= 0; i++) {
		int64_t num = 0;

		r = find_number(find, &v[i], *last, &num);
		if (!r)
			r = find_number(find, &v[i], 0, &num);
		if (!r)
			r = add_number(db, &v[i], &num);
		*last = num;
		group->nums[i] = num <= MEASURE_NUM_MAX ? (uint16_t)num : 0;
	}
	return MIN(r, 0);
}

int measures_sync(struct db *db, const struct catalog *catalog)
{
	CLEANUP(stmt_closep) sqlite3_stmt *find = NULL;
	int64_t last = 0;
	int r = sql_prepare(db->conn, &find,
			    "SELECT num FROM measure WHERE grp=? AND name=? AND state IS ?"
			    " AND num>? ORDER BY num LIMIT 1");

	for (size_t i = 0; i < db->n_groups && !r; i++) {
		struct file_group *group = &db->groups[i];
		const struct collector *collector = NULL;

		if (group->index == SIZE_MAX)
			continue;
		group->group = catalog_group_at(catalog, group->index, &collector);
		group->collector = collector;
		r = sync_group(db, find, collector, group, &last);
	}
	return r;
}
