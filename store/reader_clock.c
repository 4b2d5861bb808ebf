/* How often the wall clock was set, from file and memory. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/reader_internal.h"
#include "store/sql.h"

struct waiting {
	struct boot boot;
	struct clock_step steps[STORE_CLOCK_STEPS];
	size_t n;
	int64_t told_ms; /* of the newest step of the boot that the file has; TIME_OPEN: none */
};

static void look_at_memory(struct reader *reader, struct waiting *ret)
{
	struct store *store = reader->store;

	if (!store)
		return;
	pthread_mutex_lock(&store->lock);
	reader_current_boot(reader, &ret->boot);
	ret->n = store->n_clock_steps;
	memcpy(ret->steps, store->clock_steps, sizeof(ret->steps));
	pthread_mutex_unlock(&store->lock);
}

static int has_steps(struct reader *reader)
{
	int64_t n = 0;
	int r = sql_int(reader->conn, &n,
			"SELECT count(*) FROM sqlite_master WHERE name='clock_step'");

	return r < 0 ? r : n > 0;
}

static int visit_file(struct reader *reader, struct waiting *waiting,
		      int (*visit)(const struct clock_step *step, const struct boot *boot,
				   void *arg),
		      void *arg)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int stop = 0, r = has_steps(reader);

	if (r <= 0)
		return r;
	r = sql_prepare(reader->conn, &stmt,
			"SELECT b.id,b.wall_offset_ms,s.t,s.before_ms,s.after_ms FROM clock_step s"
			" JOIN boot b ON b.id=s.boot ORDER BY b.id,s.t,s.id");
	while (!r && !stop && (r = sql_step(stmt)) > 0) {
		struct boot boot = {.id = sqlite3_column_int64(stmt, 0),
				    .wall_offset_ms = reader_time(stmt, 1)};
		const struct clock_step step = {reader_time(stmt, 2), reader_time(stmt, 3),
						reader_time(stmt, 4)};

		if (waiting->boot.id == boot.id && boot.id) {
			boot = waiting->boot;
			waiting->told_ms = step.t_ms;
		}
		stop = visit(&step, &boot, arg);
		r = 0;
	}
	return r < 0 ? r : stop;
}

int reader_clock_steps(struct reader *reader,
		       int (*visit)(const struct clock_step *step, const struct boot *boot,
				    void *arg),
		       void *arg)
{
	struct waiting waiting = {.told_ms = TIME_OPEN};
	int r;

	/* Memory first: what a commit moves meanwhile is then found in the file. */
	look_at_memory(reader, &waiting);
	r = reader_begin(reader);
	if (r > 0) {
		r = visit_file(reader, &waiting, visit, arg);
		reader_end(reader);
	}
	if (r < 0)
		return reader_failed(reader, r);
	for (size_t i = 0; i < waiting.n && !r; i++)
		if (waiting.steps[i].t_ms > waiting.told_ms)
			r = visit(&waiting.steps[i], &waiting.boot, arg);
	return r;
}
