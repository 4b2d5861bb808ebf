/* What boots have left beside samples. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/sql.h"

/* As the event "boot" has it. */
#define ID_IS_OWN "\"boot_id_is_own\":true"

struct traces {
	const struct boot *boots;
	struct boot_traces *v;
	size_t n;
};

static struct boot_traces *find(const struct traces *traces, int64_t boot)
{
	for (size_t i = 0; i < traces->n; i++)
		if (traces->boots[i].id == boot)
			return &traces->v[i];
	return NULL;
}

static void take_time(struct boot_traces *traces, int64_t t_ms, int64_t t_end_ms)
{
	traces->last_ms = MAX(traces->last_ms, t_ms);
	if (t_end_ms != TIME_OPEN)
		traces->last_ms = MAX(traces->last_ms, t_end_ms);
}

static void take_pending(struct boot_traces *traces, const struct event_list *list)
{
	for (const struct pending_event *p = list->first; p; p = p->next) {
		take_time(traces, p->event.t_ms, p->event.t_end_ms);
		traces->id_is_own |= !strcmp(p->event.kind, "boot") &&
				     strstr(p->event.evidence, ID_IS_OWN) != NULL;
	}
}

static void look_at_memory(struct reader *reader, const struct traces *traces)
{
	struct store *store = reader->store;
	struct boot_traces *found;
	struct boot now;

	pthread_mutex_lock(&store->lock);
	reader_current_boot(reader, &now);
	found = find(traces, now.id);
	if (found) {
		take_pending(found, &store->writing_events);
		take_pending(found, &store->events);
		for (size_t i = 0; i < store->n_marks; i++)
			take_time(found, store->marks[i].mark.t_ms, store->marks[i].mark.t_end_ms);
	}
	pthread_mutex_unlock(&store->lock);
}

static int look_at_file(struct reader *reader, const struct traces *traces)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(
		reader->conn, &stmt,
		"SELECT boot,max(t),max(t_end),max(kind='boot' AND instr(evidence,%Q)>0)"
		" FROM event GROUP BY boot UNION ALL"
		" SELECT boot,max(t),max(t_end),0 FROM mark GROUP BY boot",
		ID_IS_OWN);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct boot_traces *found = find(traces, sqlite3_column_int64(stmt, 0));

		r = 0;
		if (!found)
			continue;
		/* There is no end where all are open. */
		take_time(found, reader_time(stmt, 1), reader_time(stmt, 2));
		found->id_is_own |= sqlite3_column_int(stmt, 3) == 1;
	}
	return r;
}

int reader_boot_traces(struct reader *reader, const struct boot *boots, size_t n,
		       struct boot_traces *ret)
{
	const struct traces traces = {boots, ret, n};
	int r;

	memset(ret, 0, n * sizeof(*ret));
	/* Memory first: what a commit moves meanwhile is then found in the file. */
	if (reader->store)
		look_at_memory(reader, &traces);
	r = reader_begin(reader);
	if (r <= 0)
		return r;
	r = look_at_file(reader, &traces);
	reader_end(reader);
	return r < 0 ? reader_failed(reader, r) : 0;
}
