/* What is known elsewhere of boots whose rows were lost: the time, from when the clock was set,
 * from the event that began the boot, or from when the next one saw its end; and from that event
 * the name. All of it may be damaged too, so it is taken for what it is only where it makes sense.
 */
#include "store/recover_internal.h"
#include "store/sql.h"

/* Each source is a SELECT of boots (b) and what it says of them (v), one pass over a table that has
 * no index by boot: a crafted file may have very many of both. Of several rows the newest counts.
 */

/* Of the wall clock more than the boot clock: what it was set to last. */
#define OF_CLOCK_STEP "SELECT boot AS b, max(id), after_ms AS v FROM clock_step GROUP BY boot"

#define OF_EVENT(key)                                                                              \
	"SELECT boot AS b, max(id), json_extract(evidence,'$." key "') AS v FROM event"            \
	" WHERE kind='boot' AND json_valid(evidence) GROUP BY boot"

/* The next boot wrote down when this one's last sample or event was, to the second. */
#define OF_END                                                                                     \
	"SELECT x.boot AS b, strftime('%s',json_extract(x.evidence,'$.recorder.last'))*1000"       \
	" -max(coalesce(o.last_ms,e.t,0),coalesce(e.t,o.last_ms,0)) AS v FROM boot_end x"          \
	" JOIN boot o ON o.id=x.boot"                                                              \
	" LEFT JOIN (SELECT boot, max(t) AS t FROM event GROUP BY boot) e ON e.boot=x.boot"        \
	" WHERE json_valid(x.evidence) AND coalesce(o.last_ms,e.t) IS NOT NULL"

#define IS_MADE_UP "boot_id='' AND wall_offset_ms=0"

static int take_time(struct recovery *rec, const char *source)
{
	return sql_exec(rec->db.conn,
			"UPDATE boot SET wall_offset_ms=o.v FROM (%s) o WHERE o.b=boot.id"
			" AND " IS_MADE_UP " AND typeof(o.v)='integer' AND o.v BETWEEN 1 AND %lld",
			source, (long long)FORMAT_TIME_MAX_MS);
}

static int take_name(struct recovery *rec, const char *column, const char *source)
{
	return sql_exec(rec->db.conn,
			"UPDATE boot SET %s=o.v FROM (%s) o WHERE o.b=boot.id"
			" AND coalesce(%s,'')='' AND typeof(o.v)='text' AND length(o.v)<%d",
			column, source, column, NODE_NAME_MAX);
}

int recover_boots(struct recovery *rec)
{
	int r = take_time(rec, OF_CLOCK_STEP);

	if (!r)
		r = take_time(rec, OF_EVENT("wall_offset_ms"));
	if (!r)
		r = take_time(rec, OF_END);
	if (!r)
		r = sql_int(rec->db.conn, &rec->report->n_boots_without_time,
			    "SELECT count(*) FROM boot WHERE " IS_MADE_UP);
	if (!r)
		r = take_name(rec, "kernel", OF_EVENT("kernel"));
	return r ? r : take_name(rec, "boot_id", OF_EVENT("boot_id"));
}
