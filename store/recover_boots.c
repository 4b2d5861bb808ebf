/* What is known elsewhere of boots whose rows were lost: the time, from when the clock was set,
 * from the event that began the boot, or from when the next one saw its end; and from that event
 * the name. All of it may be damaged too, so it is taken for what it is only where it makes sense.
 */
#include "store/recover_internal.h"
#include "store/sql.h"

/* Of the wall clock more than the boot clock: what it was set to last. */
#define OF_CLOCK_STEP                                                                              \
	"(SELECT s.after_ms FROM clock_step s WHERE s.boot=boot.id ORDER BY s.id DESC LIMIT 1)"

#define OF_EVENT(key)                                                                              \
	"(SELECT json_extract(e.evidence,'$." key "') FROM event e WHERE e.boot=boot.id"           \
	" AND e.kind='boot' AND json_valid(e.evidence) ORDER BY e.id DESC LIMIT 1)"

/* The next boot wrote down when this one's last sample or event was, to the second. */
#define OF_END                                                                                     \
	"(SELECT strftime('%s',json_extract(x.evidence,'$.recorder.last'))*1000"                   \
	" -max(boot.last_ms,coalesce((SELECT max(e.t) FROM event e"                                \
	" WHERE e.boot=boot.id),0)) FROM boot_end x"                                               \
	" WHERE x.boot=boot.id AND json_valid(x.evidence))"

#define IS_MADE_UP "boot_id='' AND wall_offset_ms=0"

static int take_time(struct recovery *rec, const char *source)
{
	return sql_exec(rec->db.conn,
			"UPDATE boot SET wall_offset_ms=o.ms FROM (SELECT id AS b, %s AS ms FROM"
			" boot) o WHERE o.b=boot.id AND " IS_MADE_UP
			" AND typeof(o.ms)='integer' AND o.ms BETWEEN 1 AND %lld",
			source, (long long)FORMAT_TIME_MAX_MS);
}

static int take_name(struct recovery *rec, const char *column, const char *source)
{
	return sql_exec(rec->db.conn,
			"UPDATE boot SET %s=o.name FROM (SELECT id AS b, %s AS name FROM boot) o"
			" WHERE o.b=boot.id AND coalesce(%s,'')='' AND typeof(o.name)='text'"
			" AND length(o.name)<%d",
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
