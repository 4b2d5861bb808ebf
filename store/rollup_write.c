/* Ticks into the rows of their minutes. A row that is there already is completed: an hour comes in
 * two or more parts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/rollup_writer.h"
#include "store/sql.h"

bool rollup_takes(int64_t step_ms, enum resolution *ret)
{
	*ret = step_ms < MINUTE_MS ? RESOLUTION_MINUTE : RESOLUTION_HOUR;
	return step_ms > 0 && step_ms < HOUR_MS;
}

void rollup_writer_freep(struct rollup_writer **writer)
{
	struct rollup_writer *w = *writer;

	if (!w)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(w->get); i++) {
		sqlite3_finalize(w->get[i]);
		sqlite3_finalize(w->put[i]);
	}
	sqlite3_finalize(w->get_baseline);
	sqlite3_finalize(w->put_baseline);
	sqlite3_finalize(w->drop_baseline);
	free(w->measures);
	free(w->flags);
	free(w);
}

static int prepare(struct rollup_writer *w)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(w->get) && !r; i++) {
		const char *table = resolution_specs[i].table;

		r = sql_prepare(w->db->conn, &w->get[i],
				"SELECT " ROLLUP_COLUMNS " FROM %s WHERE id=?", table);
		if (!r)
			r = sql_prepare(w->db->conn, &w->put[i],
					"INSERT OR REPLACE INTO %s(id," ROLLUP_COLUMNS
					") VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
					table);
	}
	if (!r)
		r = sql_prepare(w->db->conn, &w->get_baseline,
				"SELECT t,a,b FROM baseline WHERE id=? AND boot=?");
	if (!r)
		r = sql_prepare(w->db->conn, &w->put_baseline,
				"INSERT OR REPLACE INTO baseline(id,boot,t,a,b) VALUES(?,?,?,?,?)");
	if (!r)
		r = sql_prepare(w->db->conn, &w->drop_baseline, "DELETE FROM baseline WHERE id=?");
	return r;
}

int rollup_writer_new(struct db *db, struct rollup_writer **ret)
{
	CLEANUP(rollup_writer_freep) struct rollup_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->db = db;

	int r = prepare(w);

	if (r < 0)
		return r;
	*ret = w;
	w = NULL;
	return 0;
}

int rollup_get_row(struct rollup_writer *w, enum resolution resolution, const struct measure *m,
		   int64_t id, struct rollup_row *ret)
{
	sqlite3_stmt *stmt = w->get[resolution];
	size_t n = resolution_specs[resolution].n;

	bind_int(stmt, 1, id);

	int r = sql_step(stmt);

	bool there = r > 0;

	if (there)
		r = rollup_load(m, stmt, 0, n, ret);
	sqlite3_reset(stmt);
	/* One that is damaged begins anew. */
	if (!there || r == -EBADMSG)
		*ret = (struct rollup_row){.n = n};
	return r == -EBADMSG ? 0 : r;
}

int rollup_put_row(struct rollup_writer *w, enum resolution resolution, const struct measure *m,
		   int64_t id, const struct rollup_row *row)
{
	sqlite3_stmt *stmt = w->put[resolution];

	bind_int(stmt, 1, id);
	rollup_bind(m, row, stmt);

	int r = sql_run(stmt);

	sqlite3_clear_bindings(stmt);
	return r;
}

/* A statement for each run is enough: most nodes never have a flag. */
static int load_flags(struct rollup_writer *w, const struct rollup_source *s)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(w->db->conn, &stmt,
			    "SELECT field,t,word FROM flag WHERE node=%lld AND grp=%Q AND"
			    " boot=%lld ORDER BY id",
			    (long long)s->node, s->group->name, (long long)s->boot);

	w->n_flags = 0;
	while (!r && (r = sql_step(stmt)) > 0) {
		size_t field;

		r = 0;
		if (group_find_field(s->group->group, column_text(stmt, 0), &field) < 0)
			continue;
		if (!(w->n_flags & (w->n_flags - 1))) {
			struct rollup_flag *flags = reallocarray(
				w->flags, w->n_flags ? 2 * w->n_flags : 1, sizeof(*flags));

			if (!flags)
				return -ENOMEM;
			w->flags = flags;
		}
		w->flags[w->n_flags++] =
			(struct rollup_flag){.field = field,
					     .t_ms = sqlite3_column_int64(stmt, 1),
					     .flag = (uint8_t)flag_of_name(column_text(stmt, 2))};
	}
	return r;
}

/* The flag of a field at a time: its newest change. As flag_at() of store/cursor.c. */
static uint8_t flag_at(const struct rollup_writer *w, size_t field, int64_t t_ms)
{
	uint8_t flag = FLAG_NONE;
	int64_t since_ms = INT64_MIN;

	for (size_t i = 0; i < w->n_flags; i++) {
		const struct rollup_flag *f = &w->flags[i];

		if (f->field == field && f->t_ms <= t_ms && f->t_ms >= since_ms) {
			flag = f->flag;
			since_ms = f->t_ms;
		}
	}
	return flag;
}

/* Of two the one that weighs more: where one field began anew, there is no step. */
static uint8_t flag_of(const struct rollup_writer *w, const struct metric *metric, int64_t t_ms)
{
	if (!w->n_flags)
		return FLAG_NONE;

	uint8_t a = flag_at(w, metric->a, t_ms);

	return metric->a == metric->b ? a : rollup_flag_of_two(a, flag_at(w, metric->b, t_ms));
}

static int64_t baseline_id(const struct rollup_source *s, const struct measure *m)
{
	return s->node * ROLLUP_NODE_FACTOR + m->num;
}

static int load_baseline(struct rollup_writer *w, const struct rollup_source *s,
			 const struct measure *m, struct rollup_state *ret)
{
	*ret = (struct rollup_state){0};
	if (!metric_is_delta(&m->metric))
		return 0;
	bind_int(w->get_baseline, 1, baseline_id(s, m));
	bind_int(w->get_baseline, 2, s->boot);

	int r = sql_step(w->get_baseline);

	if (r > 0) {
		ret->has_baseline = true;
		ret->baseline = (struct derive_point){
			.t_ms = sqlite3_column_int64(w->get_baseline, 0),
			.a = sqlite3_column_int64(w->get_baseline, 1),
			.b = sqlite3_column_int64(w->get_baseline, 2),
			.has_a = true,
			.has_b = true,
		};
	}
	sqlite3_reset(w->get_baseline);
	return MIN(r, 0);
}

static int save_baseline(struct rollup_writer *w, const struct rollup_source *s,
			 const struct measure *m, const struct rollup_state *state, bool had)
{
	sqlite3_stmt *stmt = state->has_baseline ? w->put_baseline : w->drop_baseline;

	if (!metric_is_delta(&m->metric) || (!had && !state->has_baseline))
		return 0;
	bind_int(stmt, 1, baseline_id(s, m));
	if (state->has_baseline) {
		bind_int(stmt, 2, s->boot);
		bind_int(stmt, 3, state->baseline.t_ms);
		bind_int(stmt, 4, state->baseline.a);
		bind_int(stmt, 5, state->baseline.b);
	}
	return sql_run(stmt);
}

/* The row that ticks go into. */
struct filling {
	const struct rollup_source *source;
	const struct measure *measure;
	enum resolution resolution;
	int64_t slot; /* of the row that is in w->row, -1: none */
	int64_t id;
};

static bool has_any(const struct rollup_row *row)
{
	for (size_t i = 0; i < row->n; i++)
		if (!rollup_is_empty(&row->points[i]))
			return true;
	return false;
}

static int finish_row(struct rollup_writer *w, struct filling *f)
{
	int r = 0;

	if (f->slot >= 0 && has_any(&w->row)) {
		r = rollup_get_row(w, f->resolution, f->measure, f->id, &w->old);
		for (size_t i = 0; i < w->old.n && !r; i++)
			rollup_merge(&w->old.points[i], &w->row.points[i]);
		if (!r)
			r = rollup_put_row(w, f->resolution, f->measure, f->id, &w->old);
	}
	f->slot = -1;
	return r;
}

/* The rollup that a tick belongs to; NULL where it has none. */
static int rollup_at(struct rollup_writer *w, struct filling *f, int64_t t_ms, struct rollup **ret)
{
	const struct resolution_spec *spec = &resolution_specs[f->resolution];
	int64_t point = (t_ms - 1) / spec->point_ms, slot = point / (int64_t)spec->n;
	int r = 0;

	*ret = NULL;
	if (t_ms < 1)
		return 0;
	if (slot != f->slot) {
		r = finish_row(w, f);
		if (r || rollup_id(f->resolution, f->source->boot, t_ms, f->source->node,
				   f->measure->num, &f->id) < 0)
			return r;
		f->slot = slot;
		w->row = (struct rollup_row){.n = spec->n};
	}
	*ret = &w->row.points[point % (int64_t)spec->n];
	return 0;
}

static void add_tick(struct rollup_writer *w, const struct filling *f, struct rollup_state *state,
		     size_t i, int64_t t_ms, struct rollup *rollup)
{
	const struct measure *m = f->measure;
	const struct derive_point point = {
		.t_ms = t_ms + w->late[i],
		.a = w->a.values[i],
		.b = w->b->values[i],
		.has_a = !w->a.absent[i],
		.has_b = !w->b->absent[i],
	};

	if (!m->is_state)
		rollup_add(rollup, state, &m->metric, &point, flag_of(w, &m->metric, t_ms));
	else if (rollup && point.has_a && point.a == m->state) {
		rollup->a += f->source->step_ms;
		rollup->n = 1;
	}
}

static int write_measure(struct rollup_writer *w, const struct rollup_source *s,
			 const struct measure *m)
{
	struct filling f = {.source = s, .measure = m, .slot = -1};
	struct rollup_state state;
	struct rollup *rollup;
	int r = rollup_takes(s->step_ms, &f.resolution) ? 0 : -EINVAL;

	if (!r)
		r = load_baseline(w, s, m, &state);
	if (r < 0)
		return r;

	bool had = state.has_baseline;

	for (size_t i = 0; i < s->n && !r; i++) {
		int64_t t_ms = s->t0_ms + (int64_t)i * s->step_ms;

		r = rollup_at(w, &f, t_ms, &rollup);
		if (!r)
			add_tick(w, &f, &state, i, t_ms, rollup);
	}
	if (!r)
		r = finish_row(w, &f);
	return r < 0 ? r : save_baseline(w, s, m, &state, had);
}

static void load_columns(struct rollup_writer *w, const struct rollup_source *s,
			 const struct measure *m)
{
	if (w->column != m->column + 1)
		s->column(s->arg, m->column + 1, w->a.values, w->a.absent);
	w->column = m->column + 1;
	w->b = &w->a;
	if (m->column_b == m->column)
		return;
	w->b = &w->second;
	s->column(s->arg, m->column_b + 1, w->second.values, w->second.absent);
}

int rollup_write(struct rollup_writer *w, const struct rollup_source *s)
{
	enum resolution resolution;
	int r = 0;

	if (!s->group->group || !rollup_takes(s->step_ms, &resolution))
		return 0;
	if (w->group != s->group) {
		free(w->measures);
		w->measures = NULL;
		w->n_measures = 0;
		r = measures_list(s->group, &w->measures, &w->n_measures);
		w->group = s->group;
	}
	if (!r)
		r = load_flags(w, s);
	w->column = 0;
	s->column(s->arg, 0, w->late, w->a.absent);
	for (size_t i = 0; i < w->n_measures && !r; i++) {
		load_columns(w, s, &w->measures[i]);
		r = write_measure(w, s, &w->measures[i]);
	}
	return r;
}
