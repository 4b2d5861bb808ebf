/* What befell the open file from outside: SQLite goes on with what it has open, and notices nothing
 * of it. */
#include "store/mishap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/raw.h"

static const char *const suffixes[DB_PLACES] = {
	[DB_FILE] = "", [DB_JOURNAL] = "-wal", [DB_INDEX] = "-shm"};

static int stat_place(const char *path, enum db_place_of place, struct stat *st)
{
	char name[RAW_PATH_BYTES];

	if (!raw_companion(path, suffixes[place], name))
		return -ENAMETOOLONG;
	return stat(name, st) < 0 ? -errno : 0;
}

int db_note_places(const struct store *store, struct db *db)
{
	for (enum db_place_of i = 0; i < DB_PLACES; i++) {
		struct stat st;
		int r = stat_place(store->path, i, &st);

		if (r < 0 && i == DB_FILE)
			return r;
		/* One that is not there is not missed later. */
		db->places[i] = r < 0 ? (struct db_place){0}
				      : (struct db_place){.dev = st.st_dev, .ino = st.st_ino};
	}
	return 0;
}

/* One that cannot be looked at may be there. */
static bool is_gone(const struct store *store, enum db_place_of place)
{
	const struct db_place *known = &store->db->places[place];
	struct stat st;
	int r = stat_place(store->path, place, &st);

	if (r < 0)
		return known->ino && (r == -ENOENT || r == -ENOTDIR);
	return known->ino && (st.st_dev != known->dev || st.st_ino != known->ino);
}

static bool is_emptied(const struct store *store)
{
	struct stat st;

	return !stat_place(store->path, DB_FILE, &st) && !st.st_size;
}

/* From the last commit, whose file it was, to now. */
static void note(struct store *store, int64_t t_ms, const char *kind, const char *what,
		 bool is_lost)
{
	struct event event = {.t_end_ms = t_ms, .severity = SEVERITY_WARNING};
	struct text text = TEXT_IN(event.text);

	pthread_mutex_lock(&store->lock);
	int64_t last_ms = store->status.last_commit_ms, offset_ms = store->wall_offset_ms;

	event.t_ms = last_ms ? MIN(last_ms, t_ms) : t_ms;
	snprintf(event.kind, sizeof(event.kind), "%s", kind);
	text_str(&text, what);
	if (is_lost) {
		text_str(&text, "; what was recorded up to ");
		clock_rfc3339(&text, event.t_ms + offset_ms);
		text_str(&text, " is not in this file");
	}
	snprintf(store->status.mishap, sizeof(store->status.mishap), "%s", event.text);
	store->status.n_mishaps++;
	pthread_mutex_unlock(&store->lock);
	store_event(store, &event);
}

/* Whether all that the open journal has is in the file now, and none of it is looked for in the
 * journal: then the next one may be another. What keeps somebody's answer from being read to its
 * end is tried again. */
static bool move_in(struct db *db)
{
	int code;

	journal_pin_close(&db->pin);
	sqlite3_busy_timeout(db->conn, 0);
	code = sqlite3_wal_checkpoint_v2(db->conn, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(db->conn, DB_BUSY_TIMEOUT_MS);
	return code == SQLITE_OK;
}

int db_look_for_mishap(struct store *store, int64_t t_ms)
{
	struct db *db = store->db;

	if (is_gone(store, DB_FILE)) {
		/* It may have been moved: then it is whole where it is now. */
		(void)move_in(db);
		db_detach(store);
		note(store, t_ms, "database_lost",
		     "the database was removed or replaced while it was open", true);
	} else if (is_emptied(store)) {
		/* What stands in the journal stays there. */
		sqlite3_db_config(db->conn, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
		db_move_aside(store);
		note(store, t_ms, "database_lost", "the database was emptied while it was open",
		     true);
	} else if (is_gone(store, DB_JOURNAL) || is_gone(store, DB_INDEX)) {
		/* What is written into a journal without a name is there until we end. */
		if (!move_in(db))
			return -EBUSY;
		db_detach(store);
		note(store, t_ms, "journal_lost",
		     "the journal of the database was removed or replaced while it was open; what "
		     "it had is in the database",
		     false);
	}
	return 0;
}

bool db_is_emptied(const struct store *store)
{
	struct stat journal;

	return is_emptied(store) && !stat_place(store->path, DB_JOURNAL, &journal) &&
	       journal.st_size > 0;
}
