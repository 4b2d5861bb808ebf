/* Opening a file for reading, its boots and nodes. */
#include "store/reader.h"

#include <errno.h>
#include <fcntl.h>
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
			 reader->conn ? sqlite3_errmsg(reader->conn) : strerror(-r));
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
	return version < 1 || version > FORMAT_VERSION ? -EPROTO : 0;
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

static int open_as(struct reader *reader, const char *query)
{
	char *uri = sql_uri(reader->path, query);
	int r;

	if (!uri)
		return -ENOMEM;
	r = sql_open(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, &reader->conn);
	sqlite3_free(uri);
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

static bool has_journal(const char *path)
{
	char name[4096];
	struct stat st;

	return (size_t)snprintf(name, sizeof(name), "%s-wal", path) < sizeof(name) &&
	       !stat(name, &st);
}

/* Bytes 18 and 19 of the header are 2 in WAL mode. */
static bool is_wal(const char *path)
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t versions[2];

	return fd >= 0 && pread(fd, versions, sizeof(versions), 18) == (ssize_t)sizeof(versions) &&
	       versions[0] == 2 && versions[1] == 2;
}

/* A file without its journal is a copy of a closed one: read as it is, so that nothing is made
 * beside it. A journal that cannot be read, in a folder that cannot be written, is left out. */
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
	if (!reader->store && !has_journal(reader->path)) {
		reader->without_journal = is_wal(reader->path);
		reader->immutable = true;
		return open_as(reader, "immutable=1");
	}
	reader->immutable = false;
	r = open_as(reader, "mode=ro");
	if ((r == -EACCES || r == -EROFS) && !reader->store) {
		reader->immutable = true;
		r = open_as(reader, "immutable=1");
	}
	return r;
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
	sqlite3_close_v2(reader->conn); /* cursors may still have statements of it */
	reader->conn = NULL;
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

int reader_may_lack(struct reader *reader)
{
	int64_t stopped = 0;
	int r = reader->without_journal ? last_event_is_stop(reader, &stopped) : 0;

	if (r < 0 && r != -ENOENT)
		return reader_failed(reader, r);
	return reader->without_journal && !stopped;
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
