/* Opening a file for reading, its boots and nodes. */
#include "store/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "store/db.h"
#include "store/reader_internal.h"
#include "store/sql.h"

#define BUSY_TIMEOUT_MS 1000

int reader_failed(struct reader *reader, int r)
{
	if (r < 0)
		snprintf(reader->error, sizeof(reader->error), "%s: %s", reader->path,
			 reader->conn && sqlite3_errcode(reader->conn) != SQLITE_OK
				 ? sqlite3_errmsg(reader->conn)
				 : strerror(-r));
	return r;
}

const char *reader_error(const struct reader *reader)
{
	return reader->error;
}

static int check(sqlite3 *conn, bool *ret_has_rollups)
{
	int64_t application, version, pages;
	int r = sql_int(conn, &pages, "PRAGMA page_count");

	if (!r)
		r = sql_int(conn, &application, "PRAGMA application_id");
	if (!r)
		r = sql_int(conn, &version, "PRAGMA user_version");
	if (r < 0)
		return r;
	if (application != FORMAT_APPLICATION_ID)
		return -EMEDIUMTYPE;
	*ret_has_rollups = version >= 2;
	if (version < 1)
		return -EMEDIUMTYPE;
	return version > FORMAT_VERSION ? -EPROTO : 0;
}

/* A view or a virtual table in the place of a table could run for ever. What they are is told by
 * their text, which is what SQLite goes by; no file of ours has virtual ones. */
static int check_tables(sqlite3 *conn)
{
	int64_t n;
	int r = sql_int(conn, &n,
			"SELECT count(*) FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%%' OR"
			" (rootpage=0 OR sql NOT LIKE 'CREATE TABLE%%') AND"
			" (name IN ('meta','boot','node','field','tail','event','mark','info',"
			"'flag','fault','outcome','log_position','boot_end','clock_step','measure',"
			"'minute','hour','baseline','kept','writer','spent','cap') OR name LIKE "
			"'%%\\_chunk' ESCAPE '\\')");

	return r < 0 ? r : n ? -EUCLEAN : 0;
}

/* Before anything is read. https://www.sqlite.org/wal.html#use_of_wal_without_shared_memory. Nor is
 * the journal moved into the file in the end. */
static int keep_index_in_memory(sqlite3 *conn)
{
	sqlite3_db_config(conn, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return sql_exec(conn, "PRAGMA locking_mode=EXCLUSIVE");
}

static int open_as(struct reader *reader, const char *query)
{
	char *uri = sql_uri(reader->path, query);
	int r;

	reader->error[0] = '\0';
	if (!uri)
		return -ENOMEM;
	r = sql_open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &reader->conn);
	sqlite3_free(uri);
	if (!r && reader->own_index)
		r = keep_index_in_memory(reader->conn);
	if (!r) {
		sqlite3_busy_timeout(reader->conn, BUSY_TIMEOUT_MS);
		r = sql_exec(reader->conn, "PRAGMA cache_size=-512; PRAGMA trusted_schema=OFF;"
					   "PRAGMA cell_size_check=ON");
	}
	if (!r)
		r = check(reader->conn, &reader->has_rollups);
	if (!r)
		r = check_tables(reader->conn);
	if (r < 0) {
		reader_failed(reader, r);
		sqlite3_close_v2(reader->conn); /* cursors may still have statements of it */
		reader->conn = NULL;
	}
	return r;
}

bool reader_has_index(const char *path)
{
	char name[RAW_PATH_BYTES];

	return raw_companion(path, "-shm", name) && !access(name, F_OK);
}

/* What a pulled copy is, before anything of it is believed. */
static int look_at_copy(struct reader *reader)
{
	CLEANUP(raw_closep) struct raw *raw = NULL;
	int r = raw_open(reader->path, &raw);

	if (r < 0)
		return r;
	raw_get_size(raw, &reader->size);
	return 0;
}

/* What is missing whether the daemon closed the file or not. */
static enum reader_lack_kind what_is_broken(const struct raw_size *size, uint32_t *ret_n)
{
	*ret_n = size->wal.bad_header ? 0 : size->wal.n_lost_commits;
	if (size->wal.bad_header || size->wal.n_lost_commits >= WAL_LOST_MEANS_BAD)
		return READER_JOURNAL_DAMAGED;
	if (size->wal.is_cut)
		return READER_JOURNAL_CUT;
	*ret_n = size->n_missing;
	return size->n_missing ? READER_LACKS_PAGES : READER_LACKS_NOTHING;
}

static void close_conn(struct reader *reader)
{
	sqlite3_close_v2(reader->conn); /* cursors may still have statements of it */
	reader->conn = NULL;
}

static int open_without_journal(struct reader *reader)
{
	reader->immutable = true;
	return open_as(reader, "immutable=1");
}

static int open_with_journal(struct reader *reader)
{
	int r;

	reader->own_index = true;
	r = open_as(reader, "mode=ro&vfs=unix-none");
	reader->own_index = r == 0;
	return r;
}

/* The number of its newest page of the tail: each commit that has samples makes one. */
static int64_t newest_page(struct reader *reader)
{
	int64_t seq;

	return reader->conn && !sql_int(reader->conn, &seq, "SELECT max(seq) FROM tail") ? seq : -1;
}

/* The file may have been given more of a journal than can be read of it now. What is left of the
 * journal is older then, and with it the file is neither. */
static int open_pulled(struct reader *reader)
{
	int64_t seq;
	uint32_t n;
	int r;

	if (what_is_broken(&reader->size, &n) == READER_LACKS_NOTHING)
		return open_with_journal(reader);
	(void)open_without_journal(reader);
	seq = newest_page(reader);
	close_conn(reader);
	reader->immutable = false;
	r = open_with_journal(reader);
	if (newest_page(reader) > seq)
		return r;
	close_conn(reader);
	reader->own_index = false;
	return open_without_journal(reader);
}

/* Without an index in shared memory nobody has the file open. So its journal is read with an index
 * of our own and without locks: nothing is made beside it, and its folder may be one that cannot be
 * written. A copy without a journal, or with one that cannot be opened, is read as it is. */
static int open_copy(struct reader *reader)
{
	int r = look_at_copy(reader);

	if (r < 0)
		return r;
	if (!reader->size.wal.bytes)
		return open_without_journal(reader);
	if (!reader_has_index(reader->path))
		return open_pulled(reader);
	r = open_as(reader, "mode=ro");
	return r == -EACCES || r == -EROFS ? open_pulled(reader) : r;
}

static int open_file(struct reader *reader)
{
	struct stat st;
	int r;

	if (stat(reader->path, &st) < 0) {
		r = -errno;
		snprintf(reader->error, sizeof(reader->error), "%s: %s", reader->path,
			 strerror(errno));
		return r;
	}
	/* SQLite would take its journal for a rest of another file, and delete it. */
	if (!st.st_size)
		return -EMEDIUMTYPE;
	if (!reader->store)
		return open_copy(reader);
	return open_as(reader, "mode=ro");
}

static uint64_t attach_count(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	uint64_t n = store->attach_count;
	pthread_mutex_unlock(&store->lock);
	return n;
}

/* The file of a store may come late, or be replaced. */
static int follow_store(struct reader *reader)
{
	uint64_t n = attach_count(reader->store);
	int r;

	if (reader->conn && n == reader->attach_count)
		return 1;
	close_conn(reader);
	r = open_file(reader);
	if (r < 0)
		return r == -ENOENT || !n ? 0 : r;
	reader->attach_count = n;
	return 1;
}

int reader_begin(struct reader *reader)
{
	int r = reader->store ? follow_store(reader) : 1;

	if (r <= 0)
		return r;
	r = sql_exec(reader->conn, "BEGIN");
	return r < 0 ? reader_failed(reader, r) : 1;
}

void reader_end(struct reader *reader)
{
	sqlite3_exec(reader->conn, "COMMIT", NULL, NULL, NULL);
}

int reader_open(const char *path, struct store *store, const struct catalog *catalog,
		struct reader **ret)
{
	CLEANUP(reader_closep) struct reader *reader = calloc(1, sizeof(*reader));
	int r;

	if (!reader)
		return -ENOMEM;
	reader->store = store;
	reader->catalog = catalog;
	reader->path = strdup(path);
	if (!reader->path)
		return -ENOMEM;
	r = store ? follow_store(reader) : open_file(reader);
	if (r < 0)
		return r;
	*ret = reader;
	reader = NULL;
	return 0;
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	sqlite3_close_v2(reader->conn); /* cursors may still have statements of it */
	free(reader->path);
	free(reader);
}

void reader_closep(struct reader **reader)
{
	reader_close(*reader);
}

const struct collector *reader_collector(const struct reader *reader, const struct group *group)
{
	const struct collector *collector;
	const struct group *g;

	for (size_t i = 0; (g = catalog_group_at(reader->catalog, i, &collector)); i++)
		if (g == group)
			return collector;
	return NULL;
}

/* -ENOENT without any event. */
static int last_event_is_stop(struct reader *reader, int64_t *ret)
{
	return sql_int(reader->conn, ret, "SELECT kind='stop' FROM event ORDER BY id DESC LIMIT 1");
}

int reader_was_stopped(struct reader *reader)
{
	int64_t stopped;
	int r = last_event_is_stop(reader, &stopped);

	if (r < 0)
		return r == -ENOENT ? -ENODATA : reader_failed(reader, r);
	return stopped != 0;
}

bool reader_left_journal(const char *path, const struct raw_size *size)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;
	uint32_t n;

	return what_is_broken(size, &n) != READER_LACKS_NOTHING &&
	       reader_open(path, NULL, NULL, &reader) == 0 && reader->immutable;
}

int reader_lacks(struct reader *reader, struct reader_lack *ret)
{
	const struct raw_size *size = &reader->size;
	int64_t stopped = 0;
	int r;

	*ret = (struct reader_lack){.error = size->journal_error};
	ret->kind = what_is_broken(size, &ret->n);
	if (ret->kind != READER_LACKS_NOTHING ||
	    (!size->wants_journal && !(size->journal && !size->wal.bytes)))
		return 0;
	r = last_event_is_stop(reader, &stopped);
	if (r < 0 && r != -ENOENT)
		return reader_failed(reader, r);
	if (!stopped)
		ret->kind = size->journal         ? READER_JOURNAL_EMPTY
			    : size->journal_error ? READER_JOURNAL_UNREADABLE
						  : READER_LACKS_JOURNAL;
	return 0;
}

int reader_check(struct reader *reader)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt, "PRAGMA quick_check(1)");

	if (!r)
		r = sql_step(stmt);
	if (r < 0)
		return reader_failed(reader, r);
	if (!strcmp(column_text(stmt, 0), "ok"))
		return 0;
	snprintf(reader->error, sizeof(reader->error), "%s: its trees do not hold together",
		 reader->path);
	return -EUCLEAN;
}

int reader_has_group(struct reader *reader, const struct group *group)
{
	int64_t n;
	int r = sql_int(reader->conn, &n,
			"SELECT count(*) FROM field WHERE grp=%Q AND col IS NOT NULL", group->name);

	return r < 0 ? r : n > 0;
}

int reader_column(struct reader *reader, const struct group *group, const char *field, int64_t *ret)
{
	int r = sql_int(reader->conn, ret, "SELECT col FROM field WHERE grp=%Q AND name=%Q",
			group->name, field);

	if (r == -ENOENT) {
		*ret = 0;
		return 0;
	}
	return r;
}

static int visit_page(sqlite3_stmt *stmt, struct dir_reader *dir,
		      int (*visit)(int64_t boot, const struct dir_node *node, const uint8_t *data,
				   void *arg),
		      void *arg)
{
	const uint8_t *data = sqlite3_column_blob(stmt, 2);
	int r = 0;

	dir_start(dir, slice_of(column_text(stmt, 1)), (size_t)sqlite3_column_bytes(stmt, 2));
	while (!r && dir_next(dir) > 0)
		r = visit(sqlite3_column_int64(stmt, 0), &dir->node, data, arg);
	return r;
}

int reader_tail(struct reader *reader,
		int (*visit)(int64_t boot, const struct dir_node *node, const uint8_t *data,
			     void *arg),
		void *arg)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	CLEANUP(freep) struct dir_reader *dir = malloc(sizeof(*dir));
	int r = dir ? sql_prepare(reader->conn, &stmt, TAIL_LIVE, TAIL_SLOTS,
				  "(SELECT folded FROM meta)", TAIL_DIR_MAX_BYTES)
		    : -ENOMEM;

	while (!r && (r = sql_step(stmt)) > 0)
		r = visit_page(stmt, dir, visit, arg);
	return r;
}

void reader_current_boot(const struct reader *reader, struct boot *ret)
{
	const struct store *s = reader->store;
	bool any = s->first_ms != TIME_OPEN;

	*ret = (struct boot){
		.id = s->status.boot,
		.first_ms = any ? s->first_ms : 0,
		.last_ms = any ? s->last_ms : 0,
		.wall_offset_ms = s->wall_offset_ms,
		.current = true,
	};
	snprintf(ret->boot_id, sizeof(ret->boot_id), "%s", s->boot_id);
	snprintf(ret->kernel, sizeof(ret->kernel), "%s", s->kernel);
}

struct boot_list {
	struct boot *v;
	size_t n;
};

static void widen(struct boot *boot, int64_t first_ms, int64_t last_ms)
{
	bool empty = !boot->first_ms && !boot->last_ms;

	boot->first_ms = empty ? first_ms : MIN(boot->first_ms, first_ms);
	boot->last_ms = empty ? last_ms : MAX(boot->last_ms, last_ms);
}

static int widen_by_page(int64_t boot, const struct dir_node *node, const uint8_t *data, void *arg)
{
	struct boot_list *list = arg;

	(void)data;
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].id == boot)
			widen(&list->v[i], node->t0_ms,
			      node->t0_ms + (int64_t)(node->n - 1) * node->step_ms);
	return 0;
}

int64_t reader_time(sqlite3_stmt *stmt, int column)
{
	int64_t ms = sqlite3_column_int64(stmt, column);

	return MAX(-FORMAT_TIME_MAX_MS, MIN(FORMAT_TIME_MAX_MS, ms));
}

static int load_boots(struct reader *reader, struct boot_list *list, size_t max)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt,
			    "SELECT * FROM (SELECT id,boot_id,kernel,first_ms,last_ms,"
			    "wall_offset_ms FROM boot WHERE id BETWEEN 1 AND %d"
			    " ORDER BY id DESC LIMIT %lld) ORDER BY id",
			    FORMAT_BOOTS_MAX, (long long)max);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct boot *boot = &list->v[list->n++];

		*boot = (struct boot){.id = sqlite3_column_int64(stmt, 0),
				      .first_ms = reader_time(stmt, 3),
				      .last_ms = reader_time(stmt, 4),
				      .wall_offset_ms = reader_time(stmt, 5)};
		snprintf(boot->boot_id, sizeof(boot->boot_id), "%s", column_text(stmt, 1));
		snprintf(boot->kernel, sizeof(boot->kernel), "%s", column_text(stmt, 2));
		r = 0;
	}
	return r < 0 ? r : reader_tail(reader, widen_by_page, list);
}

static void add_current(struct reader *reader, struct boot_list *list, size_t max)
{
	struct boot now;

	pthread_mutex_lock(&reader->store->lock);
	reader_current_boot(reader, &now);
	pthread_mutex_unlock(&reader->store->lock);
	for (size_t i = 0; i < list->n; i++) {
		struct boot *boot = &list->v[i];

		if (!now.id || boot->id != now.id)
			continue;
		boot->current = true;
		boot->wall_offset_ms = now.wall_offset_ms;
		if (now.first_ms || now.last_ms)
			widen(boot, now.first_ms, now.last_ms);
		return;
	}
	if (list->n < max)
		list->v[list->n++] = now;
}

int reader_boots(struct reader *reader, struct boot *boots, size_t max)
{
	struct boot_list list = {.v = boots};
	int r = reader_begin(reader);

	if (r > 0) {
		r = load_boots(reader, &list, max);
		reader_end(reader);
	}
	if (r < 0)
		return reader_failed(reader, r);
	if (reader->store)
		add_current(reader, &list, max);
	return (int)list.n;
}

struct node_list {
	struct node_info *v;
	size_t n, alloc;
};

static void node_list_done(struct node_list *list)
{
	free(list->v);
}

static struct node_info *add_info(struct node_list *list)
{
	if (list->n == list->alloc) {
		struct node_info *v = reallocarray(list->v, list->alloc * 2 + 16, sizeof(*list->v));

		if (!v)
			return NULL;
		list->v = v;
		list->alloc = list->alloc * 2 + 16;
	}
	list->v[list->n] = (struct node_info){0};
	return &list->v[list->n++];
}

static struct node_info *find_info(struct node_list *list, int64_t id)
{
	for (size_t i = 0; id && i < list->n; i++)
		if (list->v[i].id == id)
			return &list->v[i];
	return NULL;
}

static int see_on_page(int64_t boot, const struct dir_node *node, const uint8_t *data, void *arg)
{
	struct node_info *info = find_info(arg, node->node);

	(void)data;
	if (info && info->boot == boot)
		info->last_ms =
			MAX(info->last_ms, node->t0_ms + (int64_t)(node->n - 1) * node->step_ms);
	return 0;
}

static int load_nodes(struct reader *reader, const char *collector, struct node_list *list)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(reader->conn, &stmt,
			    "SELECT id,collector,name,identity,run,boot,first_ms,last_ms,gone"
			    " FROM node WHERE id BETWEEN 1 AND %d AND %Q IN ('',collector)",
			    FORMAT_NODES_MAX, collector);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct node_info *info = add_info(list);

		if (!info)
			return -ENOMEM;
		info->id = sqlite3_column_int64(stmt, 0);
		snprintf(info->collector, sizeof(info->collector), "%s", column_text(stmt, 1));
		snprintf(info->name, sizeof(info->name), "%s", column_text(stmt, 2));
		snprintf(info->identity, sizeof(info->identity), "%s", column_text(stmt, 3));
		info->run = sqlite3_column_int64(stmt, 4);
		info->boot = sqlite3_column_int64(stmt, 5);
		info->first_ms = reader_time(stmt, 6);
		info->last_ms = reader_time(stmt, 7);
		info->gone = sqlite3_column_int(stmt, 8);
		r = 0;
	}
	return r < 0 ? r : reader_tail(reader, see_on_page, list);
}

static int add_memory_nodes(struct store *store, const char *collector, struct node_list *list)
{
	for (const struct tail_node *n = store->nodes; n; n = n->next) {
		struct node_info *info = find_info(list, n->id);

		if (*collector && strcmp(collector, n->collector->name) != 0)
			continue;
		if (!info) {
			info = add_info(list);
			if (!info)
				return -ENOMEM;
			snprintf(info->collector, sizeof(info->collector), "%s",
				 n->collector->name);
			snprintf(info->name, sizeof(info->name), "%s", n->name);
			snprintf(info->identity, sizeof(info->identity), "%s", n->identity);
			info->run = n->run;
			info->first_ms = n->first_ms;
		}
		info->boot = store->status.boot;
		info->last_ms = n->last_ms;
		info->gone = n->gone;
	}
	return 0;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node_info *x = a, *y = b;
	int order = strcmp(x->collector, y->collector);

	if (!order)
		order = strverscmp(x->name, y->name);
	if (!order)
		order = (x->run > y->run) - (x->run < y->run);
	return order ? order : strcmp(x->identity, y->identity);
}

int reader_nodes(struct reader *reader, const char *collector,
		 int (*visit)(const struct node_info *node, void *arg), void *arg)
{
	CLEANUP(node_list_done) struct node_list list = {0};
	const char *name = collector ? collector : "";
	int r = reader_begin(reader);

	if (r > 0) {
		r = load_nodes(reader, name, &list);
		reader_end(reader);
	}
	if (!r && reader->store) {
		pthread_mutex_lock(&reader->store->lock);
		r = add_memory_nodes(reader->store, name, &list);
		pthread_mutex_unlock(&reader->store->lock);
	}
	if (r < 0)
		return reader_failed(reader, r);
	if (list.n)
		qsort(list.v, list.n, sizeof(list.v[0]), compare_nodes);
	for (size_t i = 0; i < list.n && !r; i++)
		r = visit(&list.v[i], arg);
	return r;
}
