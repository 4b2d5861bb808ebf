/* What a file keeps, asked of the file alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "store/keep.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define CHUNK_SUFFIX  "_chunk"
#define CAP_MAX_BYTES (INT64_C(1) << 44) /* no file of SQLite is larger; more is damage */

static void groups_free(struct db *db)
{
	free(db->groups);
}

/* The tables of samples, by their names; which are slow is told by the catalog, as the store does.
 */
static int find_groups(struct reader *reader, struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int64_t n;
	int r = sql_int(reader->conn, &n, "SELECT count(*) FROM sqlite_master WHERE type='table'");

	if (!r)
		r = sql_prepare(reader->conn, &stmt,
				"SELECT name FROM sqlite_master WHERE type='table'");
	if (r < 0)
		return r;
	db->groups = calloc((size_t)MAX(n, 0) + 1, sizeof(*db->groups));
	if (!db->groups)
		return -ENOMEM;
	while ((r = sql_step(stmt)) > 0 && db->n_groups < (size_t)n) {
		struct file_group *group = &db->groups[db->n_groups];
		const char *name = column_text(stmt, 0);
		size_t len = strlen(name), suffix = strlen(CHUNK_SUFFIX), index;

		if (len <= suffix || len - suffix >= sizeof(group->name) ||
		    strcmp(name + len - suffix, CHUNK_SUFFIX) != 0)
			continue;
		memcpy(group->name, name, len - suffix);
		if (catalog_find_group(reader->catalog, group->name, &index) == 0)
			group->group = catalog_group_at(reader->catalog, index, NULL);
		db->n_groups++;
	}
	return MIN(r, 0);
}

static int cap_of(struct reader *reader, const char *what, int64_t unknown, int64_t *ret)
{
	int r = sql_int(reader->conn, ret,
			"SELECT min(bytes,%lld) FROM cap WHERE what=%Q AND bytes>0",
			(long long)CAP_MAX_BYTES, what);

	if (r == -ENOENT)
		*ret = unknown;
	return r == -ENOENT ? 0 : r;
}

/* A file of before has no table of it. */
static int take_caps(struct reader *reader, struct store_kept *kept, int64_t *ret_size_max_bytes)
{
	int64_t n;
	int r = sql_int(reader->conn, &n,
			"SELECT count(*) FROM sqlite_master WHERE type='table' AND name='cap'");

	*ret_size_max_bytes = 0;
	if (r < 0 || !n)
		return r;
	r = cap_of(reader, "file", 0, ret_size_max_bytes);
	for (size_t i = 0; i < KEEP_N && !r; i++)
		r = cap_of(reader, kept[i].name, -1, &kept[i].share_bytes);
	return r;
}

int reader_kept(struct reader *reader, struct store_kept *ret, size_t n,
		int64_t *ret_size_max_bytes)
{
	CLEANUP(groups_free) struct db db = {0};
	struct store_kept kept[KEEP_N] = {{0}};
	int64_t size_max_bytes = 0;
	int r = reader_begin(reader);

	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	db.conn = reader->conn;
	r = reader->has_rollups ? find_groups(reader, &db) : -ENOENT;
	if (!r)
		r = keep_look(&db, kept);
	if (!r)
		r = take_caps(reader, kept, &size_max_bytes);
	if (r < 0 && r != -ENOENT)
		r = reader_failed(reader, r);
	reader_end(reader);
	if (r < 0)
		return r;
	memcpy(ret, kept, MIN(n, (size_t)KEEP_N) * sizeof(*ret));
	*ret_size_max_bytes = size_max_bytes;
	return 0;
}
