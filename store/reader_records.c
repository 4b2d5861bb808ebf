/* Events, marks, infos, flags and outcomes, from file and memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define READ_MARKS_MAX 20000 /* at a time, whatever is asked for */

struct event_view {
	struct event event;
	struct boot boot;
	int64_t id;
	bool in_file, goes_on;
};

struct event_views {
	struct event_view *v;
	size_t n, alloc;
};

static void views_done(struct event_views *views)
{
	free(views->v);
}

static struct event_view *add_view(struct event_views *views)
{
	if (views->n == views->alloc) {
		struct event_view *v =
			reallocarray(views->v, views->alloc * 2 + 16, sizeof(*views->v));

		if (!v)
			return NULL;
		views->v = v;
		views->alloc = views->alloc * 2 + 16;
	}
	memset(&views->v[views->n], 0, sizeof(*views->v));
	return &views->v[views->n++];
}

/* The end that counts for a window: what is open reaches into the future. */
static bool touches(const struct boot *boot, int64_t t_ms, int64_t t_end_ms, int64_t from_wall_ms,
		    int64_t to_wall_ms)
{
	return boot->wall_offset_ms + t_ms <= to_wall_ms &&
	       (t_end_ms == TIME_OPEN ||
		boot->wall_offset_ms + MAX(t_ms, t_end_ms) >= from_wall_ms);
}

static void boot_columns(sqlite3_stmt *stmt, int at, struct boot *boot)
{
	boot->id = sqlite3_column_int64(stmt, at);
	snprintf(boot->boot_id, sizeof(boot->boot_id), "%s", column_text(stmt, at + 1));
	snprintf(boot->kernel, sizeof(boot->kernel), "%s", column_text(stmt, at + 2));
	boot->first_ms = reader_time(stmt, at + 3);
	boot->last_ms = reader_time(stmt, at + 4);
	boot->wall_offset_ms = reader_time(stmt, at + 5);
}

#define BOOT_COLUMNS "b.id,b.boot_id,b.kernel,b.first_ms,b.last_ms,b.wall_offset_ms"

static int64_t column_time(sqlite3_stmt *stmt, int i)
{
	return sqlite3_column_type(stmt, i) == SQLITE_NULL ? TIME_OPEN : reader_time(stmt, i);
}

static void event_columns(sqlite3_stmt *stmt, struct event *e)
{
	e->t_ms = reader_time(stmt, 7);
	e->t_end_ms = column_time(stmt, 8);
	e->severity = severity_named(column_text(stmt, 9));
	snprintf(e->kind, sizeof(e->kind), "%s", column_text(stmt, 10));
	snprintf(e->collector, sizeof(e->collector), "%s", column_text(stmt, 11));
	snprintf(e->node, sizeof(e->node), "%s", column_text(stmt, 12));
	snprintf(e->text, sizeof(e->text), "%s", column_text(stmt, 13));
	snprintf(e->evidence, sizeof(e->evidence), "%s", column_text(stmt, 14));
}

/* The newest max of a window. */
static int prepare_window(struct reader *reader, sqlite3_stmt **ret, const char *table,
			  const char *columns, int64_t from_ms, int64_t to_ms, size_t max)
{
	return sql_prepare(reader->conn, ret,
			   "SELECT * FROM (SELECT " BOOT_COLUMNS ",e.id,%s FROM %s e JOIN boot b"
			   " ON b.id=e.boot WHERE e.t+b.wall_offset_ms<=%lld AND (e.t_end IS NULL"
			   " OR max(e.t,e.t_end)+b.wall_offset_ms>=%lld)"
			   " ORDER BY b.id DESC, e.t DESC, e.id DESC LIMIT %lld)",
			   columns, table, (long long)to_ms, (long long)from_ms, (long long)max);
}

static int load_events(struct reader *reader, int64_t from_ms, int64_t to_ms, size_t max,
		       struct event_views *views)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = prepare_window(reader, &stmt, "event",
			       "e.t,e.t_end,e.severity,e.kind,e.collector,e.node,e.text,e.evidence",
			       from_ms, to_ms, max);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct event_view *view = add_view(views);

		if (!view)
			return -ENOMEM;
		boot_columns(stmt, 0, &view->boot);
		view->id = sqlite3_column_int64(stmt, 6);
		view->in_file = true;
		event_columns(stmt, &view->event);
		r = 0;
	}
	return r;
}

static bool is_of_boot(const struct event_view *view, const struct event_view *other)
{
	return view->boot.id == other->boot.id && event_is_same(&view->event, &other->event);
}

/* A commit may bring an event into the file after memory was looked at. */
static bool is_known(const struct event_views *views, const struct event_view *v)
{
	for (size_t i = 0; i < views->n; i++)
		if (views->v[i].in_file && is_of_boot(&views->v[i], v) &&
		    !strcmp(views->v[i].event.kind, v->event.kind) &&
		    !strcmp(views->v[i].event.text, v->event.text))
			return true;
	return false;
}

/* What goes on is newer in memory, unless a commit has brought a newer one into the file after
 * memory was looked at: it only grows. Whether there was one to replace. */
static bool replace_view(struct event_views *views, const struct event_view *v)
{
	for (size_t i = 0; i < views->n; i++) {
		struct event *event = &views->v[i].event;

		if (!is_of_boot(&views->v[i], v))
			continue;
		if (v->event.t_end_ms >= event->t_end_ms)
			*event = v->event;
		return true;
	}
	return false;
}

static int add_memory(struct event_views *views, const struct event_view *v)
{
	struct event_view *view;

	if (v->goes_on ? replace_view(views, v) : is_known(views, v))
		return 0;
	view = add_view(views);
	if (!view)
		return -ENOMEM;
	*view = *v;
	return 0;
}

static int add_pending(const struct event_list *list, const struct boot *boot, int64_t from_ms,
		       int64_t to_ms, struct event_views *views)
{
	for (const struct pending_event *p = list->first; p; p = p->next) {
		struct event_view *view;

		if (!touches(boot, p->event.t_ms, p->event.t_end_ms, from_ms, to_ms))
			continue;
		view = add_view(views);
		if (!view)
			return -ENOMEM;
		view->event = p->event;
		view->goes_on = p->goes_on;
		view->boot = *boot;
		view->id = INT64_MAX;
	}
	return 0;
}

static int load_pending(struct reader *reader, int64_t from_ms, int64_t to_ms,
			struct event_views *views)
{
	struct store *store = reader->store;
	struct boot boot;

	pthread_mutex_lock(&store->lock);
	reader_current_boot(reader, &boot);
	int r = add_pending(&store->writing_events, &boot, from_ms, to_ms, views);

	if (!r)
		r = add_pending(&store->events, &boot, from_ms, to_ms, views);
	pthread_mutex_unlock(&store->lock);
	return r;
}

/* By the wall clock a boot may seem to be before an earlier one, whose clock was ahead. */
static int compare_times(const struct boot *a, int64_t a_ms, const struct boot *b, int64_t b_ms)
{
	/* One that is in no file yet is the newest. */
	int64_t a_id = a->id ? a->id : INT64_MAX, b_id = b->id ? b->id : INT64_MAX;

	if (a_id != b_id)
		return a_id < b_id ? -1 : 1;
	return (a_ms > b_ms) - (a_ms < b_ms);
}

static int compare_views(const void *a, const void *b)
{
	const struct event_view *x = a, *y = b;
	int order = compare_times(&x->boot, x->event.t_ms, &y->boot, y->event.t_ms);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

int reader_events(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms, size_t max,
		  int (*visit)(const struct event *event, const struct boot *boot, void *arg),
		  void *arg)
{
	CLEANUP(views_done) struct event_views memory = {0}, views = {0};
	int r = reader->store ? load_pending(reader, from_wall_ms, to_wall_ms, &memory) : 0;

	if (!r && (r = reader_begin(reader)) > 0) {
		r = load_events(reader, from_wall_ms, to_wall_ms, max, &views);
		reader_end(reader);
	}
	for (size_t i = 0; i < memory.n && !r; i++)
		r = add_memory(&views, &memory.v[i]);
	if (r < 0)
		return reader_failed(reader, r);
	if (views.n)
		qsort(views.v, views.n, sizeof(*views.v), compare_views);
	for (size_t i = views.n > max ? views.n - max : 0; i < views.n && !r; i++)
		r = visit(&views.v[i].event, &views.v[i].boot, arg);
	return r;
}

struct mark_view {
	struct mark mark;
	struct boot boot;
};

struct mark_views {
	struct mark_view *v;
	size_t n, max;
};

static void marks_done(struct mark_views *views)
{
	free(views->v);
}

/* What memory says of a mark is newer than what the file says. */
static void put_mark(struct mark_views *views, const struct mark *mark, const struct boot *boot)
{
	size_t i = 0;

	while (i < views->n && views->v[i].mark.id != mark->id)
		i++;
	if (i == views->max)
		return;
	views->v[i] = (struct mark_view){*mark, *boot};
	views->n = MAX(views->n, i + 1);
}

static void copy_marks(struct reader *reader, int64_t from_ms, int64_t to_ms,
		       struct mark_views *views)
{
	struct store *store = reader->store;
	struct boot boot;

	pthread_mutex_lock(&store->lock);
	reader_current_boot(reader, &boot);
	for (size_t i = 0; i < store->n_marks; i++) {
		const struct mark *m = &store->marks[i].mark;

		if (touches(&boot, m->t_ms, m->t_end_ms, from_ms, to_ms))
			put_mark(views, m, &boot);
	}
	pthread_mutex_unlock(&store->lock);
}

static int load_marks(struct reader *reader, int64_t from_ms, int64_t to_ms, size_t max,
		      struct mark_views *views)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = prepare_window(reader, &stmt, "mark", "e.t,e.t_end,e.label", from_ms, to_ms, max);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct mark mark = {.id = sqlite3_column_int64(stmt, 6),
				    .t_ms = reader_time(stmt, 7),
				    .t_end_ms = column_time(stmt, 8)};
		struct boot boot = {0};

		boot_columns(stmt, 0, &boot);
		snprintf(mark.label, sizeof(mark.label), "%s", column_text(stmt, 9));
		put_mark(views, &mark, &boot);
		r = 0;
	}
	return r;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark_view *x = a, *y = b;
	int order = compare_times(&x->boot, x->mark.t_ms, &y->boot, y->mark.t_ms);

	return order ? order : (x->mark.id > y->mark.id) - (x->mark.id < y->mark.id);
}

int reader_marks(struct reader *reader, int64_t from_wall_ms, int64_t to_wall_ms, size_t max,
		 int (*visit)(const struct mark *mark, const struct boot *boot, void *arg),
		 void *arg)
{
	CLEANUP(marks_done) struct mark_views views = {.max = MIN(max, READ_MARKS_MAX) + MARKS_MAX};
	CLEANUP(marks_done) struct mark_views memory = {.max = MARKS_MAX};
	int r = 0;

	views.v = calloc(views.max, sizeof(*views.v));
	memory.v = calloc(memory.max, sizeof(*memory.v));
	if (!views.v || !memory.v)
		return -ENOMEM;
	if (reader->store)
		copy_marks(reader, from_wall_ms, to_wall_ms, &memory);
	r = reader_begin(reader);
	if (r > 0) {
		r = load_marks(reader, from_wall_ms, to_wall_ms, MIN(max, READ_MARKS_MAX), &views);
		reader_end(reader);
	}
	if (r < 0)
		return reader_failed(reader, r);
	for (size_t i = 0; i < memory.n; i++)
		put_mark(&views, &memory.v[i].mark, &memory.v[i].boot);
	qsort(views.v, views.n, sizeof(*views.v), compare_marks);
	for (size_t i = views.n > max ? views.n - max : 0; i < views.n && !r; i++)
		r = visit(&views.v[i].mark, &views.v[i].boot, arg);
	return r;
}

static const char *const newest_records[] = {
	[INFO_TEXTS] = "SELECT d.collector,i.grp,d.name,i.field,i.boot,i.t,i.value,'' FROM info i"
		       " JOIN node d ON d.id=i.node WHERE i.id IN"
		       " (SELECT max(id) FROM info GROUP BY node,grp,field)"
		       " ORDER BY d.collector,i.grp,d.name,i.id",
	[INFO_FLAGS] = "SELECT d.collector,f.grp,d.name,f.field,f.boot,f.t,f.word,'' FROM flag f"
		       " JOIN node d ON d.id=f.node WHERE f.id IN"
		       " (SELECT max(id) FROM flag GROUP BY node,grp,field)"
		       " ORDER BY d.collector,f.grp,d.name,f.id",
	[INFO_FAULTS] = "SELECT d.collector,f.grp,d.name,f.field,f.boot,f.t,f.error,'' FROM fault f"
			" JOIN node d ON d.id=f.node WHERE f.id IN"
			" (SELECT max(id) FROM fault GROUP BY node,grp,field)"
			" ORDER BY d.collector,f.grp,d.name,f.id",
	[INFO_OUTCOMES] = "SELECT collector,'',node,'',boot,t,outcome,reason FROM outcome"
			  " WHERE id IN (SELECT max(id) FROM outcome GROUP BY collector,node)"
			  " ORDER BY collector,node",
};

int reader_infos(struct reader *reader, enum info_what what,
		 int (*visit)(const struct info_record *record, void *arg), void *arg)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = reader_begin(reader);
	int stop = 0;

	if (r <= 0)
		return r;
	r = sql_prepare(reader->conn, &stmt, "%s", newest_records[what]);
	while (!r && !stop && (r = sql_step(stmt)) > 0) {
		const struct info_record record = {
			.collector = column_text(stmt, 0),
			.group = column_text(stmt, 1),
			.node = column_text(stmt, 2),
			.field = column_text(stmt, 3),
			.boot = sqlite3_column_int64(stmt, 4),
			.t_ms = reader_time(stmt, 5),
			.value = column_text(stmt, 6),
			.reason = column_text(stmt, 7),
		};

		stop = visit(&record, arg);
		r = 0;
	}
	if (stmt)
		sqlite3_reset(stmt);
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : stop;
}

static int has_boot_ends(struct reader *reader)
{
	int64_t n = 0;
	int r = sql_int(reader->conn, &n,
			"SELECT count(*) FROM sqlite_master WHERE name='boot_end'");

	return r < 0 ? r : n > 0;
}

static void boot_end_columns(sqlite3_stmt *stmt, struct boot_end_record *ret)
{
	ret->boot = sqlite3_column_int64(stmt, 0);
	snprintf(ret->cause, sizeof(ret->cause), "%s", column_text(stmt, 1));
	snprintf(ret->certainty, sizeof(ret->certainty), "%s", column_text(stmt, 2));
	snprintf(ret->text, sizeof(ret->text), "%s", column_text(stmt, 3));
	snprintf(ret->evidence, sizeof(ret->evidence), "%s", column_text(stmt, 4));
}

static int visit_boot_ends(struct reader *reader,
			   int (*visit)(const struct boot_end_record *record, void *arg), void *arg)
{
	CLEANUP(freep) struct boot_end_record *record = malloc(sizeof(*record));
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int stop = 0, r = record ? has_boot_ends(reader) : -ENOMEM;

	if (r <= 0)
		return r;
	/* What is no JSON would break the documents that it is put into. */
	r = sql_prepare(reader->conn, &stmt,
			"SELECT boot,cause,certainty,text,iif(json_valid(evidence) AND"
			" length(evidence)<%d,evidence,'{}') FROM boot_end ORDER BY boot",
			BOOT_END_EVIDENCE_MAX);
	while (!r && !stop && (r = sql_step(stmt)) > 0) {
		boot_end_columns(stmt, record);
		stop = visit(record, arg);
		r = 0;
	}
	return r < 0 ? r : stop;
}

int reader_boot_ends(struct reader *reader,
		     int (*visit)(const struct boot_end_record *record, void *arg), void *arg)
{
	int r = reader_begin(reader);

	if (r <= 0)
		return r;
	r = visit_boot_ends(reader, visit, arg);
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : r;
}

static int load_last_event(struct reader *reader, int64_t boot, struct event *ret)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(
		reader->conn, &stmt,
		"SELECT 0,0,0,0,0,0,id,t,t_end,severity,kind,collector,node,text,evidence"
		" FROM event WHERE boot=%lld ORDER BY id DESC LIMIT 1",
		(long long)boot);

	if (!r)
		r = sql_step(stmt);
	if (r > 0) {
		*ret = (struct event){0};
		event_columns(stmt, ret);
	}
	return r;
}

int reader_last_event(struct reader *reader, int64_t boot, struct event *ret)
{
	int r = reader_begin(reader);

	if (r <= 0)
		return r;
	r = load_last_event(reader, boot, ret);
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : r;
}
