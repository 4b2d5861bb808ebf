/* The size of the file: each resolution has a share of it, and gives its oldest when it is above.
 * Pages are recycled, the file is never rewritten. */
#include <errno.h>

#include "base/macros.h"
#include "store/keep.h"
#include "store/sql.h"

#define PAGE_BYTES            4096
#define WAL_MIN_BYTES         INT64_C(1048576)
/* What a transaction with a fold may add to the journal: all pages of the tail, as chunks. */
#define FOLD_BYTES            INT64_C(655360)
#define WAL_MAX_BYTES         INT64_C(16777216)
/* Half an hour's commits. Each start writes as much; 512 KiB in place of 192 saved 2 %. */
#define WAL_LONG_BYTES        INT64_C(262144)
#define BYTES_FOR_EACH_ROW    16384 /* of the cap, for events and the like */
#define BYTES_FOR_EACH_WRITER 2048
#define DELETE_STEPS_MAX      100000

int64_t retention_wal_bytes(int64_t size_max_bytes)
{
	return MAX(WAL_MIN_BYTES, MIN(WAL_MAX_BYTES, size_max_bytes / 8));
}

int64_t retention_wal_full_bytes(int64_t size_max_bytes)
{
	return retention_wal_bytes(size_max_bytes) - FOLD_BYTES;
}

int64_t retention_wal_long_bytes(int64_t size_max_bytes)
{
	return MIN(WAL_LONG_BYTES, retention_wal_full_bytes(size_max_bytes) / 2);
}

int64_t retention_max_pages(int64_t size_max_bytes)
{
	return (size_max_bytes - retention_wal_bytes(size_max_bytes)) / PAGE_BYTES;
}

/* Which kind is to give: the first that is above its share; when none is, the others take what is
 * missing from the oldest samples. What is seldom read comes last, but not above its share. */
static int choose(struct db *db, const bool *empty, enum keep_what *ret)
{
	int64_t pages[KEEP_N];
	int r = keep_pages(db, pages);

	if (r < 0)
		return r;
	if (pages[KEEP_SLOW] > keep_share_pages(db, KEEP_SLOW) && !empty[KEEP_SLOW]) {
		*ret = KEEP_SLOW;
		return 0;
	}
	for (int i = KEEP_RAW; i <= KEEP_HOUR; i++) {
		*ret = (enum keep_what)i;
		if (!empty[i] && pages[i] > keep_share_pages(db, *ret))
			return 0;
	}
	for (int i = KEEP_RAW; i < KEEP_N; i++) {
		*ret = (enum keep_what)i;
		if (!empty[i])
			return 0;
	}
	return -ENOENT;
}

/* Deletes what is oldest until there is room; -ENOENT when nothing is left. all: minutes as well
 * that are in no hour yet. */
static int delete_until(struct db *db, int64_t max_pages, bool all)
{
	bool empty[KEEP_N] = {false}, deleted;
	enum keep_what what;
	int64_t used;
	int r = keep_used_pages(db, &used);

	for (int i = 0; !r && used > max_pages && i < DELETE_STEPS_MAX; i++) {
		r = choose(db, empty, &what);
		if (!r)
			r = keep_delete_oldest(db, what, all, &deleted);
		if (r < 0)
			return r;
		empty[what] = !deleted;
		db->chunks_deleted |= deleted;
		r = keep_used_pages(db, &used);
	}
	return r;
}

int retention_make_room(struct db *db, int64_t more_pages)
{
	int64_t max_pages = retention_max_pages(db->size_max_bytes) - more_pages;
	int r = delete_until(db, max_pages, false);

	if (r == -ENOENT)
		r = delete_until(db, max_pages, true);
	return r == -ENOENT ? 0 : r;
}

static int bound_rows(struct db *db)
{
	long long n = db->size_max_bytes / BYTES_FOR_EACH_ROW;
	long long writers = db->size_max_bytes / BYTES_FOR_EACH_WRITER;

	return sql_exec(db->conn,
			"DELETE FROM event WHERE id<=(SELECT max(id) FROM event)-%lld;"
			"DELETE FROM mark WHERE id IN (SELECT id FROM mark ORDER BY id DESC LIMIT "
			"-1 OFFSET %lld);"
			"DELETE FROM flag WHERE id<=(SELECT max(id) FROM flag)-%lld;"
			"DELETE FROM fault WHERE id<=(SELECT max(id) FROM fault)-%lld;"
			"DELETE FROM outcome WHERE id<=(SELECT max(id) FROM outcome)-%lld;"
			"DELETE FROM info WHERE id<=(SELECT max(id) FROM info)-%lld AND id NOT IN"
			" (SELECT max(id) FROM info GROUP BY node,grp,field);"
			"DELETE FROM writer WHERE (boot,t)<=(SELECT boot,t FROM writer ORDER BY"
			" boot DESC,t DESC LIMIT 1 OFFSET %lld);",
			n, n, n, n, n, n, writers);
}

static int forget_nodes(struct db *db, long long boot, long long t_ms)
{
	return sql_exec(db->conn,
			"DELETE FROM node WHERE (boot<%lld OR (boot=%lld AND last_ms<%lld))"
			" AND (gone OR boot<>%lld);"
			"DELETE FROM baseline WHERE boot<>%lld OR id/10000 NOT IN"
			" (SELECT id FROM node);"
			"DELETE FROM info WHERE node NOT IN (SELECT id FROM node);"
			"DELETE FROM flag WHERE node NOT IN (SELECT id FROM node) OR boot<%lld;"
			"DELETE FROM fault WHERE node NOT IN (SELECT id FROM node) OR boot<%lld;"
			"DELETE FROM boot WHERE id<%lld AND id NOT IN (SELECT boot FROM node"
			" UNION SELECT boot FROM event UNION SELECT boot FROM mark"
			" UNION SELECT boot FROM info UNION SELECT boot FROM outcome"
			" UNION SELECT boot FROM writer);"
			"DELETE FROM boot_end WHERE boot NOT IN (SELECT id FROM boot);",
			boot, boot, t_ms, (long long)db->boot, (long long)db->boot, boot, boot,
			boot);
}

/* When the oldest of all that is kept began. */
static int oldest_of_all(struct db *db, int64_t *ret_boot, int64_t *ret_ms)
{
	bool found = false;

	for (int i = KEEP_RAW; i < KEEP_N; i++) {
		int64_t boot, t_ms;
		int r = keep_oldest(db, (enum keep_what)i, &boot, &t_ms);

		if (r < 0 && r != -ENOENT)
			return r;
		if (r < 0 ||
		    (found && (boot > *ret_boot || (boot == *ret_boot && t_ms >= *ret_ms))))
			continue;
		*ret_boot = boot;
		*ret_ms = t_ms;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

int retention_bound(struct db *db)
{
	int64_t boot = 0, t_ms = 0;
	int r = bound_rows(db);

	if (r < 0 || !db->chunks_deleted)
		return r;
	r = oldest_of_all(db, &boot, &t_ms);
	return r == -ENOENT ? 0 : r < 0 ? r : forget_nodes(db, boot, t_ms);
}
