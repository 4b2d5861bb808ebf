/* Opening the file for writing, and letting go of it. */
#include "store/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/errno_name.h"
#include "store/keep.h"
#include "store/mishap.h"
#include "store/rollup.h"
#include "store/sql.h"

#define CACHE_KIB 256
#define SEQ_MAX   (INT64_C(1) << 60)

void db_note(struct store *store, int error, const char *detail)
{
	char text[sizeof(store->status.error)] = "";

	if (error < 0)
		snprintf(text, sizeof(text), "%s: %s (%s)", store->path,
			 detail && *detail ? detail : strerror(-error), errno_name(error));
	pthread_mutex_lock(&store->lock);
	snprintf(store->status.error, sizeof(store->status.error), "%s", text);
	pthread_mutex_unlock(&store->lock);
}

static int check_mark(int64_t application, int64_t version)
{
	if (application != FORMAT_APPLICATION_ID)
		return -EMEDIUMTYPE;
	return version < 1 || version > FORMAT_VERSION ? -EPROTO : 0;
}

static int check_file(sqlite3 *conn)
{
	int64_t application, version;
	int r = sql_int(conn, &application, "PRAGMA application_id");

	if (!r)
		r = sql_int(conn, &version, "PRAGMA user_version");
	return r < 0 ? r : check_mark(application, version);
}

/* Places of the first page, https://www.sqlite.org/fileformat.html. */
#define HEADER_VERSION     60
#define HEADER_APPLICATION 68
#define HEADER_TABLES      100 /* the tree of sqlite_master: kind 13 is a leaf, then 2 + 2 bytes */

static int64_t header_u32(const uint8_t *p)
{
	return (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* A page with neither mark nor table is what stands there before the first journal is moved in. */
static bool is_blank(const uint8_t *header)
{
	return !header_u32(header + HEADER_APPLICATION) && header[HEADER_TABLES] == 13 &&
	       !header[HEADER_TABLES + 3] && !header[HEADER_TABLES + 4];
}

int db_check_header(const uint8_t *header, int64_t *ret_version)
{
	static const char magic[] = "SQLite format 3";

	if (memcmp(header, magic, sizeof(magic)) != 0)
		return -EMEDIUMTYPE;
	*ret_version = header_u32(header + HEADER_VERSION);
	if (is_blank(header))
		return 0;
	return check_mark(header_u32(header + HEADER_APPLICATION), *ret_version);
}

static int look_at_header(const char *path)
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t header[DB_HEADER_BYTES];
	ssize_t n = fd < 0 ? -1 : pread(fd, header, sizeof(header), 0);
	int64_t version;

	if (n < 0)
		return -errno;
	if (!n)
		return 0;
	return n < DB_HEADER_BYTES ? -EMEDIUMTYPE : db_check_header(header, &version);
}

/* Not by SQLite: without the journal, which is not to be touched, it would take a file that the
 * journal completes for a damaged one. */
int db_look(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EMEDIUMTYPE;
	return look_at_header(path);
}

/* One writer only: held for as long as the file is open. The lock stands on a file of its own,
 * since closing any descriptor of the database would drop the locks of SQLite. */
static int take_lock(const char *path, int *ret_fd)
{
	char name[4096];
	CLEANUP(closep) int fd = -1;

	if ((size_t)snprintf(name, sizeof(name), "%s.lock", path) >= sizeof(name))
		return -ENAMETOOLONG;
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int set_up(sqlite3 *conn)
{
	sqlite3_busy_timeout(conn, DB_BUSY_TIMEOUT_MS);
	/* EXTRA: of a new file the first page is written with a rollback journal. Where a file
	 * system may bring that back after a power cut (f2fs), it would empty the file. */
	return sql_exec(conn,
			"PRAGMA page_size=4096; PRAGMA synchronous=EXTRA; PRAGMA journal_mode=WAL;"
			"PRAGMA synchronous=FULL;"
			"PRAGMA secure_delete=OFF; PRAGMA wal_autocheckpoint=0;"
			"PRAGMA cache_size=-%d; PRAGMA temp_store=MEMORY",
			CACHE_KIB);
}

static int is_empty(sqlite3 *conn)
{
	int64_t n;
	int r = sql_int(conn, &n, "SELECT count(*) FROM sqlite_master");

	return r < 0 ? r : n == 0;
}

/* Numbers this boot: the row of its boot id, or a new one. */
static int find_boot(struct store *store, struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_int(db->conn, &db->boot,
			"SELECT max(id) FROM boot WHERE boot_id=%Q AND boot_id<>''",
			store->boot_id);

	if (r == -ENOENT) {
		r = sql_prepare(db->conn, &stmt,
				"INSERT INTO boot(boot_id,kernel,wall_offset_ms) VALUES(?,?,?)");
		if (r < 0)
			return r;
		bind_text(stmt, 1, store->boot_id);
		bind_text(stmt, 2, store->kernel);
		bind_int(stmt, 3, store->wall_offset_ms);
		r = sql_run(stmt);
		db->boot = sqlite3_last_insert_rowid(db->conn);
		return r;
	}
	return r < 0 ? r
		     : sql_exec(db->conn,
				"UPDATE boot SET wall_offset_ms=%lld WHERE id=%lld AND"
				" wall_offset_ms<>%lld",
				(long long)store->wall_offset_ms, (long long)db->boot,
				(long long)store->wall_offset_ms);
}

#define OPEN_INCIDENTS                                                                             \
	"SELECT id FROM (SELECT * FROM event ORDER BY id DESC LIMIT " EVENTS_BACK                  \
	") WHERE collector='kmsg' AND evidence LIKE '{\"open\":true,%%'"

/* No boot goes on in the next one. */
static int end_incidents(struct db *db)
{
	return sql_exec(db->conn,
			"UPDATE event SET evidence='{\"open\":false,'||substr(evidence,14)"
			" WHERE id IN (" OPEN_INCIDENTS ") AND boot<>%lld",
			(long long)db->boot);
}

static void load_incident(sqlite3_stmt *stmt, struct event *e)
{
	*e = (struct event){.t_ms = sqlite3_column_int64(stmt, 0),
			    .t_end_ms = sqlite3_column_int64(stmt, 1),
			    .severity = severity_named(column_text(stmt, 2))};
	snprintf(e->kind, sizeof(e->kind), "%s", column_text(stmt, 3));
	snprintf(e->collector, sizeof(e->collector), "kmsg");
	snprintf(e->node, sizeof(e->node), "%s", column_text(stmt, 4));
	snprintf(e->evidence, sizeof(e->evidence), "%s", column_text(stmt, 5));
}

static int load_incidents(struct store *store, struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	struct event *events = calloc(STORE_LOG_OPEN_MAX, sizeof(*events));
	size_t n = 0;
	int r = events ? 0 : -ENOMEM;

	if (!r)
		r = sql_prepare(db->conn, &stmt,
				"SELECT t,t_end,severity,kind,node,evidence FROM event WHERE id IN"
				" (" OPEN_INCIDENTS ") AND boot=%lld ORDER BY id DESC LIMIT %d",
				(long long)db->boot, STORE_LOG_OPEN_MAX);
	while (!r && (r = sql_step(stmt)) > 0) {
		load_incident(stmt, &events[n++]);
		r = 0;
	}
	pthread_mutex_lock(&store->lock);
	free(store->log_open);
	store->log_open = n ? events : NULL;
	store->n_log_open = n;
	pthread_mutex_unlock(&store->lock);
	if (!n)
		free(events);
	return r;
}

/* Positions of earlier boots lead nowhere. */
static int find_log_position(struct store *store, struct db *db)
{
	int64_t next = -1;
	bool is_first;
	int r = sql_exec(db->conn, "DELETE FROM log_position WHERE boot<>%lld",
			 (long long)db->boot);

	if (!r)
		r = sql_int(db->conn, &next, "SELECT next FROM log_position");
	if (r < 0 && r != -ENOENT)
		return r;
	pthread_mutex_lock(&store->lock);
	/* One that was reached without the file counts; it is written. */
	is_first = store->log_next < 0;
	store->log_next = MAX(store->log_next, next);
	store->log_dirty = store->log_next >= 0;
	if (next >= 0) {
		events_drop_told(&store->events, next);
		events_drop_told(&store->writing_events, next);
	}
	pthread_mutex_unlock(&store->lock);
	r = end_incidents(db);
	return r || !is_first ? r : load_incidents(store, db);
}

static int find_tail(struct db *db)
{
	int64_t live = 0;
	int r = sql_int(db->conn, &db->folded, "SELECT folded FROM meta");

	if (!r)
		r = sql_int(db->conn, &db->seq, "SELECT max(seq) FROM tail");
	if (!r)
		r = sql_int(db->conn, &db->n_slots, "SELECT max(slot) FROM tail");
	if (!r)
		r = sql_int(db->conn, &live, "SELECT count(*) FROM tail WHERE seq>%lld",
			    (long long)db->folded);
	if (!r && (db->folded < 0 || db->seq < 0 || MAX(db->seq, db->folded) > SEQ_MAX))
		r = -EUCLEAN;
	db->seq = MAX(db->seq, db->folded);
	db->live_t0_ms = TIME_OPEN;
	db->next_slot = 1;
	db->fold_first = live > 0;
	return r;
}

/* An id is given away at once and written later, and a kill may come between: at most MARKS_MAX
 * wait at a time, and so many are always reserved. */
int db_reserve_marks(struct db *db, int64_t id)
{
	if (id < db->marks_below - MARKS_MAX)
		return 0;
	db->marks_below = id + 2 * MARKS_MAX;
	return sql_exec(db->conn, "UPDATE meta SET mark=%lld", (long long)db->marks_below);
}

int db_settle_marks(struct store *store)
{
	pthread_mutex_lock(&store->lock);
	int64_t next_id = store->next_mark_id;

	pthread_mutex_unlock(&store->lock);
	store->db->marks_below = next_id;
	return sql_exec(store->db->conn, "UPDATE meta SET mark=%lld WHERE mark<>%lld",
			(long long)next_id, (long long)next_id);
}

static int find_mark_id(struct store *store, struct db *db)
{
	int64_t next_id = 1, given = 1;
	int r = sql_int(db->conn, &next_id, "SELECT coalesce(max(id),0)+1 FROM mark");

	if (!r)
		r = sql_int(db->conn, &given, "SELECT mark FROM meta");
	if (r < 0)
		return r;
	pthread_mutex_lock(&store->lock);
	store->next_mark_id = next_id = MAX(store->next_mark_id, MAX(next_id, given));
	pthread_mutex_unlock(&store->lock);
	return db_reserve_marks(db, next_id);
}

/* A file of a version that kept no wishes. */
static int add_wishes(struct db *db)
{
	int64_t n;
	int r = sql_int(db->conn, &n,
			"SELECT count(*) FROM pragma_table_info('mark') WHERE name='ufs_until'");

	return r || n ? r : sql_exec(db->conn, "ALTER TABLE mark ADD COLUMN ufs_until INTEGER");
}

/* Marks of an earlier run in this boot that are still open, so that they can be ended. */
static int load_marks(struct store *store, struct db *db)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	int r = sql_prepare(
		db->conn, &stmt,
		"SELECT id,t,label,ufs_until FROM mark WHERE boot=%lld AND t_end IS NULL"
		" ORDER BY id DESC LIMIT %d",
		(long long)db->boot, MARKS_MAX / 2);

	while (!r && (r = sql_step(stmt)) > 0) {
		struct mark mark = {.id = sqlite3_column_int64(stmt, 0),
				    .t_ms = sqlite3_column_int64(stmt, 1),
				    .t_end_ms = TIME_OPEN,
				    .ufs_until_ms = sqlite3_column_int64(stmt, 3)};

		snprintf(mark.label, sizeof(mark.label), "%s", column_text(stmt, 2));
		pthread_mutex_lock(&store->lock);
		if (store->n_marks < MARKS_MAX)
			store->marks[store->n_marks++] = (struct mark_entry){.mark = mark};
		pthread_mutex_unlock(&store->lock);
		r = 0;
	}
	return r;
}

static int fill(struct store *store, struct db *db)
{
	int r = is_empty(db->conn);

	if (r > 0)
		r = schema_create(db);
	if (!r)
		r = check_file(db->conn);
	if (!r)
		r = add_wishes(db);
	if (!r)
		r = schema_add_tables(db);
	if (!r)
		r = keep_note_cap(db);
	if (!r)
		r = schema_sync(db, store->catalog);
	if (!r)
		r = find_boot(store, db);
	if (!r)
		r = schema_upgrade(db);
	if (!r)
		r = measures_sync(db, store->catalog);
	if (!r)
		r = spent_load(store, db);
	if (!r)
		r = find_log_position(store, db);
	if (!r)
		r = find_mark_id(store, db);
	return r ? r : find_tail(db);
}

static int checkpoint_some(sqlite3 *conn)
{
	int r = sql_errno(
		sqlite3_wal_checkpoint_v2(conn, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));

	return r == -EUCLEAN ? r : 0;
}

static int open_conn(struct store *store, struct db *db)
{
	int r = sql_open(store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db->conn);

	if (!r)
		r = sqlite3_db_readonly(db->conn, "main") > 0 ? -EROFS : set_up(db->conn);
	if (!r)
		r = sql_exec(db->conn, "BEGIN IMMEDIATE");
	if (!r)
		r = fill(store, db);
	if (!r)
		r = sql_exec(db->conn, "COMMIT");
	if (!r)
		r = sql_exec(db->conn, "PRAGMA max_page_count=%lld",
			     (long long)retention_max_pages(store->size_max_bytes));
	/* A full disk leaves it in the journal. */
	return r ? r : checkpoint_some(db->conn);
}

static void db_free(struct db *db)
{
	sqlite3_finalize(db->write_page);
	schema_groups_free(db);
	journal_pin_close(&db->pin);
	sqlite3_close(db->conn);
	closep(&db->lock_fd);
	free(db);
}

static int open_db(struct store *store, struct db *db)
{
	int r = db_look(store->path);

	if (!r)
		r = take_lock(store->path, &db->lock_fd);
	if (!r && db_is_emptied(store))
		db_move_aside(store);
	if (!r)
		r = open_conn(store, db);
	return r ? r : db_note_places(store, db);
}

static void attached(struct store *store, struct db *db)
{
	pthread_mutex_lock(&store->lock);
	store->db = db;
	store->status.attached = true;
	store->status.boot = db->boot;
	store->wall_dirty = true;
	store->attach_count++;
	/* A young file is not to be empty without its journal. */
	store->checkpointed = false;
	pthread_mutex_unlock(&store->lock);
}

/* That a file is not there is no reason where its folder is missing; what is, is why nobody makes
 * it. Returns the errno that fits. */
static int missing_folder(const char *path, struct text *why)
{
	char dir[4096];
	struct stat st;
	bool is_missing = false;

	if (slice_copy(slice_of(path), dir, sizeof(dir)) < 0)
		return -ENOENT;
	for (char *slash; (slash = strrchr(dir, '/')) && slash != dir;) {
		*slash = '\0';
		if (stat(dir, &st) == 0)
			break;
		is_missing = true;
	}
	if (!is_missing)
		return -ENOENT;
	text_printf(why, "its folder is not there, below %s", dir);
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
		return -ENOENT;
	text_printf(why, ", where user %u may make nothing", geteuid());
	return -EACCES;
}

static void note_failed(struct store *store, const struct db *db, int error)
{
	char buf[sizeof(store->status.error) - 64] = "";
	struct text text = TEXT_IN(buf);

	if (error == -EBUSY && db->lock_fd < 0)
		text_str(&text, "another flashscoped has this file open");
	else if (error == -ENOENT && db->lock_fd < 0)
		error = missing_folder(store->path, &text);
	else if (db->conn)
		text_str(&text, sqlite3_errmsg(db->conn));
	db_note(store, error, buf);
}

int db_attach(struct store *store)
{
	struct db *db;

	if (store->db)
		return 0;
	db = calloc(1, sizeof(*db));
	if (!db)
		return -ENOMEM;
	db->lock_fd = -1;
	db->size_max_bytes = store->size_max_bytes;
	db->shares = store->shares;

	int r = open_db(store, db);

	if (!r)
		r = load_marks(store, db);
	if (r < 0) {
		note_failed(store, db, r);
		db_free(db);
		if (r == -EUCLEAN)
			db_move_aside(store);
		return r;
	}
	attached(store, db);
	db_note(store, 0, NULL);
	return 0;
}

static void forget_member(struct store *store, const struct tail_group *g, struct member *member)
{
	for (size_t f = 0; f < g->group->n_fields; f++) {
		if (member->values[f].text)
			pending_change(store, CHANGE_INFO, member->node, g->group, f, member->t_ms,
				       member->values[f].text);
		/* The next sample says it again. */
		member->faults[f] = 0;
	}
}

/* All that the file knew must be written again, into whatever file comes next. */
static void forget_file(struct store *store)
{
	for (struct tail_node *n = store->nodes; n; n = n->next) {
		n->id = 0;
		n->dirty = true;
	}
	for (size_t i = 0; i < store->n_outcomes; i++)
		store->outcomes[i].dirty = true;
	for (size_t i = 0; i < store->n_marks; i++)
		store->marks[i].dirty = true;
	for (size_t i = 0; i < store->n_groups; i++) {
		const struct tail_group *g = &store->groups[i];

		for (size_t m = 0; m < g->n_members; m++)
			forget_member(store, g, g->members[m]);
	}
}

void db_detach(struct store *store)
{
	struct db *db = store->db;

	if (!db)
		return;
	pthread_mutex_lock(&store->lock);
	store->db = NULL;
	store->status.attached = false;
	store->status.boot = 0;
	forget_file(store);
	pthread_mutex_unlock(&store->lock);
	db_free(db);
}

/* The views make SQLite's parse of the schema some 1.1 MB. Parsing it again costs each commit some
 * 10 ms; holding it all the time would be a quarter of the daemon's memory. Statements would
 * stand in the midst of what is freed, and go as well. */
void db_rest(struct db *db)
{
	stmt_closep(&db->write_page);
	db->write_page = NULL;
	for (size_t i = 0; i < db->n_groups; i++) {
		stmt_closep(&db->groups[i].insert);
		db->groups[i].insert = NULL;
	}
	sqlite3_exec(db->conn, "PRAGMA writable_schema=RESET", NULL, NULL, NULL);
	sqlite3_db_release_memory(db->conn);
}

static int rename_with(const char *path, const char *suffix, int64_t stamp)
{
	char from[4096], to[4096];

	if ((size_t)snprintf(from, sizeof(from), "%s%s", path, suffix) >= sizeof(from) ||
	    (size_t)snprintf(to, sizeof(to), "%s.broken-%jd%s", path, (intmax_t)stamp, suffix) >=
		    sizeof(to))
		return -ENAMETOOLONG;
	return rename(from, to) < 0 ? -errno : 0;
}

bool db_is_damaged(const char *path)
{
	CLEANUP(stmt_closep) sqlite3_stmt *stmt = NULL;
	sqlite3 *conn = NULL;
	int r = sql_open(path, SQLITE_OPEN_READONLY, &conn);

	if (!r)
		r = sql_prepare(conn, &stmt, "PRAGMA quick_check(1)");
	if (!r)
		r = sql_step(stmt);

	bool sound = r > 0 && !strcmp((const char *)sqlite3_column_text(stmt, 0), "ok");

	stmt_closep(&stmt);
	stmt = NULL;
	sqlite3_close(conn);
	return r == -EUCLEAN || (r > 0 && !sound);
}

void db_move_aside(struct store *store)
{
	struct event event = {.t_ms = clock_boot_ms(), .severity = SEVERITY_ERROR};
	int64_t stamp = clock_wall_ms() / 1000;

	db_detach(store);
	if (store->moved_aside || rename_with(store->path, "", stamp) < 0)
		return;
	store->moved_aside = true;
	pthread_mutex_lock(&store->lock);
	store->status.moved_aside = stamp;
	pthread_mutex_unlock(&store->lock);
	if (rename_with(store->path, "-wal", stamp) < 0 && errno != ENOENT)
		return;
	event.t_end_ms = event.t_ms;
	snprintf(event.kind, sizeof(event.kind), "database_broken");
	snprintf(event.text, sizeof(event.text),
		 "the database was damaged; it is kept with the suffix .broken-%jd",
		 (intmax_t)stamp);
	store_event(store, &event);
}
