/* The size of the file: the oldest chunks of all groups go first, in steps of an hour. Pages are
 * recycled, the file is never rewritten. */
#include <errno.h>

#include "base/macros.h"
#include "store/db.h"
#include "store/sql.h"

#define PAGE_BYTES         4096
#define WAL_MIN_BYTES      INT64_C(1048576)
#define WAL_MAX_BYTES      INT64_C(16777216)
#define BYTES_FOR_EACH_ROW 16384 /* of the cap, for events and the like */
#define HOUR_S             3600
#define DELETE_STEPS_MAX   100000

int64_t retention_wal_bytes(int64_t size_max_bytes)
{
	return MAX(WAL_MIN_BYTES, MIN(WAL_MAX_BYTES, size_max_bytes / 8));
}

int64_t retention_max_pages(int64_t size_max_bytes)
{
	return (size_max_bytes - retention_wal_bytes(size_max_bytes)) / PAGE_BYTES;
}

static int used_pages(struct db *db, int64_t *ret)
{
	int64_t all, unused;
	int r = sql_int(db->conn, &all, "PRAGMA page_count");

	if (!r)
		r = sql_int(db->conn, &unused, "PRAGMA freelist_count");
	if (!r)
		*ret = all - unused;
	return r;
}

/* The smallest chunk id of all groups; -ENOENT when there is no chunk. */
static int oldest_chunk(struct db *db, int64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < db->n_groups; i++) {
		int64_t id;
		int r = sql_int(db->conn, &id, "SELECT min(id) FROM \"%w_chunk\"",
				db->groups[i].name);

		if (r == -ENOENT)
			continue;
		if (r < 0)
			return r;
		if (!found || id < *ret)
			*ret = id;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

static int delete_below(struct db *db, int64_t id)
{
	int r = 0;

	for (size_t i = 0; i < db->n_groups && !r; i++)
		r = sql_exec(db->conn, "DELETE FROM \"%w_chunk\" WHERE id<%lld", db->groups[i].name,
			     (long long)id);
	return r;
}

int retention_make_room(struct db *db, int64_t more_pages)
{
	int64_t max_pages = retention_max_pages(db->size_max_bytes);
	int64_t used, id;
	int r = used_pages(db, &used);

	for (int i = 0; !r && used + more_pages > max_pages && i < DELETE_STEPS_MAX; i++) {
		r = oldest_chunk(db, &id);
		if (r == -ENOENT)
			return 0;
		if (!r)
			r = delete_below(db, (id / FORMAT_SECOND_FACTOR + HOUR_S) *
						     FORMAT_SECOND_FACTOR);
		db->chunks_deleted = true;
		if (!r)
			r = used_pages(db, &used);
	}
	return r;
}

static int bound_rows(struct db *db)
{
	long long n = db->size_max_bytes / BYTES_FOR_EACH_ROW;

	return sql_exec(db->conn,
			"DELETE FROM event WHERE id<=(SELECT max(id) FROM event)-%lld;"
			"DELETE FROM mark WHERE id IN (SELECT id FROM mark ORDER BY id DESC LIMIT "
			"-1 OFFSET %lld);"
			"DELETE FROM flag WHERE id<=(SELECT max(id) FROM flag)-%lld;"
			"DELETE FROM fault WHERE id<=(SELECT max(id) FROM fault)-%lld;"
			"DELETE FROM outcome WHERE id<=(SELECT max(id) FROM outcome)-%lld;"
			"DELETE FROM info WHERE id<=(SELECT max(id) FROM info)-%lld AND id NOT IN"
			" (SELECT max(id) FROM info GROUP BY node,grp,field);",
			n, n, n, n, n, n);
}

static int forget_nodes(struct db *db, int64_t oldest_id)
{
	long long boot = oldest_id / FORMAT_BOOT_FACTOR;
	long long t_ms = oldest_id % FORMAT_BOOT_FACTOR / FORMAT_SECOND_FACTOR * 1000;

	return sql_exec(db->conn,
			"DELETE FROM node WHERE (boot<%lld OR (boot=%lld AND last_ms<%lld))"
			" AND (gone OR boot<>%lld);"
			"DELETE FROM info WHERE node NOT IN (SELECT id FROM node);"
			"DELETE FROM flag WHERE node NOT IN (SELECT id FROM node) OR boot<%lld;"
			"DELETE FROM fault WHERE node NOT IN (SELECT id FROM node) OR boot<%lld;"
			"DELETE FROM boot WHERE id<%lld AND id NOT IN (SELECT boot FROM node"
			" UNION SELECT boot FROM event UNION SELECT boot FROM mark"
			" UNION SELECT boot FROM info UNION SELECT boot FROM outcome);"
			"DELETE FROM boot_end WHERE boot NOT IN (SELECT id FROM boot);",
			boot, boot, t_ms, (long long)db->boot, boot, boot, boot);
}

int retention_bound(struct db *db)
{
	int64_t id;
	int r = bound_rows(db);

	if (r < 0)
		return r;
	r = oldest_chunk(db, &id);
	if (r == -ENOENT) {
		db->oldest_id = 0;
		return 0;
	}
	if (!r && db->chunks_deleted)
		r = forget_nodes(db, id);
	if (!r)
		db->oldest_id = id;
	return r;
}
