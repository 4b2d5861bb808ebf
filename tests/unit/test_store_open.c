/* Files that are not ours, not readable, in use, damaged; and the bound on the size. */
/* label: long single */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/db.h"
#include "store/recover.h"
#include "tests/support/store_world.h"

#define FOUR_MIB (4 * MIB)

static int64_t size_of(const char *suffix)
{
	char name[128];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", world_path, suffix);
	return stat(name, &st) < 0 ? 0 : st.st_size;
}

static int try_open(struct store **ret)
{
	struct store_options options = world_options("boot-a");

	return store_open(&options, &world_catalog, ret);
}

static void run(const char *fmt)
{
	char command[512];

	snprintf(command, sizeof(command), "cd %s && %s", world_folder, fmt);
	assert_int_equal(system(command), 0);
}

static void others_files(void **state)
{
	struct store *store = NULL;
	struct reader *reader = NULL;

	(void)state;
	run("sqlite3 a.db 'CREATE TABLE x(y)' && cp a.db copy");
	assert_int_equal(try_open(&store), -EMEDIUMTYPE);
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -EMEDIUMTYPE);
	run("cmp a.db copy && test $(ls | wc -l) = 2");
	assert_int_equal(store_look(world_path), -EMEDIUMTYPE);
	run("head -c 9000 /dev/urandom >a.db && cp a.db copy");
	assert_int_equal(try_open(&store), -EMEDIUMTYPE);
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -EMEDIUMTYPE);
	run("cmp a.db copy && rm a.db");
	assert_int_equal(store_look(world_path), 0);
	run("mkfifo a.db");
	assert_int_equal(store_look(world_path), -EMEDIUMTYPE);
	run("rm a.db && mkdir a.db");
	assert_int_equal(store_look(world_path), -EISDIR);
	assert_int_equal(try_open(&store), -EISDIR);
	run("rmdir a.db && test $(ls | wc -l) = 1");
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -ENOENT);
}

static void newer_format(void **state)
{
	struct store *store = NULL;
	struct reader *reader = NULL;

	(void)state;
	assert_int_equal(try_open(&store), 0);
	store_close(store);
	run("sqlite3 a.db 'PRAGMA user_version=3'");
	assert_int_equal(try_open(&store), -EPROTO);
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -EPROTO);
}

static void nonsense(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;

	(void)state;
	options.size_max_bytes = 1000;
	assert_int_equal(store_open(&options, &world_catalog, &store), -EINVAL);
	options = world_options("boot-a");
	options.commit_ms = 0;
	assert_int_equal(store_open(&options, &world_catalog, &store), -EINVAL);
}

static void in_use(void **state)
{
	struct store *first = world_open("boot-a"), *second = world_open("boot-a");
	struct store_status status;

	(void)state;
	store_get_status(second, &status);
	assert_false(status.attached);
	assert_non_null(strstr(status.error, "another"));
	assert_true(store_commit(second, 1000, false) < 0);
	store_close(first);
	assert_int_equal(store_commit(second, 2000, false), 0);
	store_get_status(second, &status);
	assert_true(status.attached);
	assert_string_equal(status.error, "");
	store_close(second);
}

static void add_ticks(struct store *store, int64_t from_ms, int64_t to_ms)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_ms; t < to_ms; t += 1000)
		world_tick(store, &sink, t, 1);
	sink_done(&sink);
}

static void damaged(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;

	(void)state;
	add_ticks(store, 1000, 50000);
	assert_int_equal(store_commit(store, 50000, true), 0);
	store_close(store);
	/* The first page stays, so that it is still one of ours; the schema behind it is garbage.
	 */
	run("dd if=/dev/urandom of=a.db bs=1 seek=110 count=16000 conv=notrunc 2>/dev/null");
	store = world_open("boot-a");
	add_ticks(store, 51000, 60000);
	(void)!store_commit(store, 60000, false);
	assert_int_equal(store_commit(store, 61000, true), 0);
	store_get_status(store, &status);
	assert_true(status.attached);
	assert_true(status.moved_aside > 0);
	store_close(store);
	run("ls | grep -q 'a.db.broken-'");
	run("test \"$(sqlite3 a.db 'SELECT count(*) FROM disk')\" = 9");
	run("sqlite3 a.db 'SELECT kind FROM event' | grep -q database_broken");
}

/* Damage that is found in the midst of the work is looked at by a connection of its own before the
 * file is moved: one that is sound, or cannot be read, stays. */
static void damaged_while_open(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;

	(void)state;
	add_ticks(store, 1000, 50000);
	assert_int_equal(store_commit(store, 50000, true), 0);
	assert_false(db_is_damaged(world_path));
	assert_false(db_is_damaged("/proc/nowhere/a.db"));
	run("dd if=/dev/urandom of=a.db bs=4096 seek=1 count=40 conv=notrunc 2>/dev/null");
	assert_true(db_is_damaged(world_path));
	add_ticks(store, 51000, 60000);
	(void)!store_commit(store, 60000, false);
	assert_int_equal(store_commit(store, 61000, true), 0);
	store_get_status(store, &status);
	assert_true(status.attached);
	assert_true(status.moved_aside > 0);
	store_close(store);
	run("test \"$(sqlite3 a.db 'SELECT count(*) FROM disk')\" -ge 9");
}

/* A file that ends before its last page is no damage while the journal has the rest: so it stands
 * when the disk was full, or the power went, in the midst of a checkpoint. */
static void half_checkpointed(void **state)
{
	struct store *store = world_open("boot-a");
	sqlite3 *conn = NULL;
	struct store_status status;

	(void)state;
	add_ticks(store, 1000, 50000);
	assert_int_equal(store_commit(store, 50000, false), 0);
	store_close(store);
	/* All pages into the journal, and the last ones out of the file. */
	assert_int_equal(sqlite3_open(world_path, &conn), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(conn, "PRAGMA wal_autocheckpoint=0; VACUUM", NULL, NULL, NULL),
		SQLITE_OK);
	run("mkdir half && cp a.db a.db-wal half/ && truncate -s -64k half/a.db");
	sqlite3_close(conn);
	run("rm a.db && mv half/* .");
	store = world_open("boot-a");
	store_get_status(store, &status);
	assert_true(status.attached);
	assert_int_equal(status.moved_aside, 0);
	store_close(store);
	run("test \"$(sqlite3 a.db 'SELECT count(*) FROM disk')\" = 49");
}

static void lost_before(bool want)
{
	struct reader *reader = world_reader(NULL);
	char text[EVENT_TEXT_MAX] = "";

	assert_int_equal(reader_lost_before(reader, text), want);
	assert_true(!want || strstr(text, "2026-"));
	reader_close(reader);
}

/* The file goes away under the program: a new one is begun, and says all that is known; that
 * something was before, too. */
static void removed(void **state)
{
	static const char *const commands[] = {"rm a.db a.db-wal a.db-shm", "rm a.db",
					       "mv a.db moved.db"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct store *store = world_open("boot-a");
		struct store_status status;
		char answer[256];

		add_ticks(store, 1000, 10000);
		assert_int_equal(store_commit(store, 10000, false), 0);
		add_ticks(store, 10000, 11000);
		assert_int_equal(store_commit(store, 11000, false), 0);
		run(commands[i]);
		add_ticks(store, 11000, 20000);
		assert_int_equal(store_commit(store, 20000, false), 0);
		assert_int_equal(store_commit(store, 21000, true), 0);
		store_get_status(store, &status);
		assert_int_equal(status.n_mishaps, 1);
		assert_non_null(strstr(status.mishap, "removed"));
		store_close(store);
		world_shell("SELECT count(*), min(t), (SELECT value FROM infos), (SELECT "
			    "group_concat(kind || severity || t) FROM event) FROM disk",
			    answer, sizeof(answer));
		assert_string_equal(answer, "9|11000|X-1|database_lostwarning11000");
		lost_before(true);
		run("rm a.db");
	}
	/* What was moved has all that was committed. */
	run("test \"$(sqlite3 moved.db 'SELECT count(*) FROM disk')\" = 10");
}

/* What the journal had is kept with the file that was emptied. */
static void emptied(void **state)
{
	struct store *store = world_open("boot-a");
	struct reader *idle = world_reader(store);
	struct store_status status;
	char answer[256];

	(void)state;
	add_ticks(store, 1000, 10000);
	assert_int_equal(store_commit(store, 10000, false), 0);
	assert_non_null(idle);
	run("truncate -s 0 a.db");
	add_ticks(store, 10000, 20000);
	assert_int_equal(store_commit(store, 20000, false), 0);
	store_get_status(store, &status);
	assert_int_equal(status.n_mishaps, 1);
	assert_non_null(strstr(status.mishap, "emptied"));
	reader_close(idle);
	assert_int_equal(store_commit(store, 21000, true), 0);
	store_close(store);
	world_shell("SELECT count(*), min(t), (SELECT group_concat(kind) FROM event) FROM disk",
		    answer, sizeof(answer));
	assert_string_equal(answer, "10|10000|database_broken,database_lost");
	lost_before(true);
	run("test -s a.db.broken-*-wal");
}

/* Neither who reads it nor who begins it anew does away with what is left of it. */
static void emptied_before(void **state)
{
	struct store *store = world_open("boot-a");
	struct reader *reader = NULL;
	char answer[256];

	(void)state;
	add_ticks(store, 1000, 10000);
	assert_int_equal(store_commit(store, 10000, false), 0);
	run("mkdir copy && cp a.db-wal copy/");
	store_close(store);
	run("rm a.db* && mv copy/* . && : >a.db");
	assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -EMEDIUMTYPE);
	run("test -s a.db-wal");
	store = world_open("boot-a");
	add_ticks(store, 10000, 20000);
	assert_int_equal(store_commit(store, 20000, true), 0);
	store_close(store);
	world_shell("SELECT count(*), (SELECT group_concat(kind) FROM event) FROM disk", answer,
		    sizeof(answer));
	assert_string_equal(answer, "10|database_broken");
	run("test -s a.db.broken-*-wal");
}

/* SQLite would go on with a journal that has no name any more, and nobody else could read it. */
static void journal_moved(void **state)
{
	static const char *const commands[] = {"mv a.db-wal gone", "rm a.db-wal a.db-shm",
					       "mv a.db-wal gone; : >a.db-wal", "mv a.db-shm gone"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct store *store = world_open("boot-a");
		struct reader *idle = world_reader(store);
		struct store_status status;
		struct world_seen seen = {.next_ms = 1000};
		char answer[256];

		add_ticks(store, 1000, 10000);
		assert_int_equal(store_commit(store, 10000, false), 0);
		assert_non_null(idle);
		run(commands[i]);
		for (int64_t t = 10000; t < 40000; t += 10000) {
			add_ticks(store, t, t + 10000);
			assert_int_equal(store_commit(store, t + 10000, false), 0);
		}
		store_get_status(store, &status);
		assert_int_equal(status.n_mishaps, 1);
		assert_string_equal(status.error, "");
		/* What stands there is what was written. */
		world_check(idle, 1, 0, 1000000, &seen);
		assert_int_equal(seen.n_bad, 0);
		assert_int_equal(seen.n_ticks, 39);
		world_shell("SELECT count(*), (SELECT group_concat(kind || severity) FROM event) "
			    "FROM disk",
			    answer, sizeof(answer));
		assert_string_equal(answer, "39|journal_lostwarning");
		reader_close(idle);
		assert_int_equal(store_commit(store, 41000, true), 0);
		store_close(store);
		lost_before(false);
		run("sqlite3 a.db 'PRAGMA integrity_check' | grep -qx ok");
		run("rm -f a.db* gone");
	}
}

static void pulled_copy(void **state)
{
	struct store *store = world_open("boot-a");
	struct world_seen seen = {.next_ms = 1000};
	struct reader *reader;

	(void)state;
	add_ticks(store, 1000, 90000);
	assert_int_equal(store_commit(store, 90000, true), 0);
	run("mkdir pulled && cp a.db pulled/ && chmod 555 pulled");
	snprintf(world_path, sizeof(world_path), "%s/pulled/a.db", world_folder);
	reader = world_reader(NULL);
	world_check(reader, 1, 0, 1000000, &seen);
	reader_close(reader);
	assert_int_equal(seen.n_bad, 0);
	assert_int_equal(seen.n_ticks, 89);
	run("test \"$(ls pulled)\" = a.db && chmod 755 pulled");
	store_close(store);
}

/* The file by itself, without its journal, is never older than a few commits. */
static void file_alone_is_fresh(void **state)
{
	struct store *store = world_open("boot-a");
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s", world_path);
	for (int64_t t = 1000; t < 1200000; t += 60000) {
		struct world_seen seen = {.next_ms = 1000};
		struct reader *reader;

		add_ticks(store, t, t + 60000);
		assert_int_equal(store_commit(store, t + 60000, false), 0);
		run("rm -rf alone && mkdir alone && cp a.db alone/");
		snprintf(world_path, sizeof(world_path), "%s/alone/a.db", world_folder);
		reader = world_reader(NULL);
		world_check(reader, 1, 0, 10000000, &seen);
		reader_close(reader);
		assert_int_equal(seen.n_bad, 0);
		assert_true(seen.next_ms >= t + 60000 - 300000);
		assert_true(seen.n_ticks > 0);
		snprintf(world_path, sizeof(world_path), "%s", path);
	}
	store_close(store);
}

/* Its companions lie beside what the link leads to. */
static void journal_gone_behind_a_link(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;

	(void)state;
	store_close(store);
	run("mkdir real && mv a.db real/ && ln -s real/a.db a.db");
	store = world_open("boot-a");
	add_ticks(store, 1000, 10000);
	assert_int_equal(store_commit(store, 10000, false), 0);
	store_get_status(store, &status);
	assert_true(status.wal_bytes > 0);
	run("mv real/a.db-wal gone");
	add_ticks(store, 10000, 20000);
	assert_int_equal(store_commit(store, 20000, false), 0);
	store_get_status(store, &status);
	assert_int_equal(status.n_mishaps, 1);
	store_close(store);
}

/* A reader keeps what a removed journal had from being moved into the file: nothing is written into
 * what goes with the process, and nothing of what waits is lost. */
static void journal_gone_while_read(void **state)
{
	struct store *store = world_open("boot-a");
	struct store_status status;
	sqlite3 *reader = NULL;
	char answer[64];

	(void)state;
	for (int64_t t = 0; t < 20000; t += 10000) {
		add_ticks(store, t + 1000, t + 11000);
		assert_int_equal(store_commit(store, t + 11000, false), 0);
	}
	assert_int_equal(sqlite3_open_v2(world_path, &reader, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM disk", NULL, NULL, NULL),
			 0);
	run("mv a.db-wal gone");
	add_ticks(store, 21000, 31000);
	assert_int_equal(store_commit(store, 31000, false), -EBUSY);
	store_get_status(store, &status);
	assert_int_equal(status.n_mishaps, 0);
	assert_non_null(strstr(status.error, "keeps the journal from being emptied"));
	sqlite3_close(reader);
	assert_int_equal(store_commit(store, 31000, false), 0);
	store_get_status(store, &status);
	assert_int_equal(status.n_mishaps, 1);
	assert_string_equal(status.error, "");
	store_close(store);
	world_shell("SELECT count(*) FROM disk", answer, sizeof(answer));
	assert_string_equal(answer, "30");
}

/* Of a journal that is damaged early, behind which the file was given all of it, what can be read
 * is older than the file. */
static void damaged_journal_is_left(void **state)
{
	struct store *store = world_open("boot-a");
	struct recover_report report;
	char to[96];
	int64_t t_ms = 1000;

	(void)state;
	/* A checkpoint lies in the midst; commits go on behind it in the same journal. */
	for (; t_ms < 500000; t_ms += 10000) {
		add_ticks(store, t_ms, t_ms + 10000);
		assert_int_equal(store_commit(store, t_ms + 10000, false), 0);
	}
	run("mkdir -p alone && cp a.db alone/ && cp a.db-wal alone/");
	store_close(store);
	snprintf(world_path, sizeof(world_path), "%s/alone/a.db", world_folder);

	struct reader *whole = world_reader(NULL);

	assert_int_equal(reader_check(whole), 0);
	reader_close(whole);
	run("printf garbage | dd of=alone/a.db-wal bs=1 seek=20900 conv=notrunc status=none");

	struct world_seen seen = {.next_ms = 1000};
	struct reader *reader = world_reader(NULL);
	struct reader_lack lack;

	assert_int_equal(reader_lacks(reader, &lack), 0);
	assert_int_equal(lack.kind, READER_JOURNAL_DAMAGED);
	assert_int_equal(reader_check(reader), 0);
	world_check(reader, 1, 0, 10000000, &seen);
	assert_int_equal(seen.n_bad, 0);
	assert_true(seen.next_ms >= 200000);
	reader_close(reader);
	run("rm -f new.db");
	snprintf(to, sizeof(to), "%s/new.db", world_folder);
	assert_int_equal(recover(world_path, to, &world_catalog, &report), 0);
	assert_int_equal(report.n_journal_pages, 0);
}

/* A copy without its journal says what it may lack, unless the daemon closed the file. */
static void file_alone_says_so(void **state)
{
	struct store *store = world_open("boot-a");
	const struct event stop = {.t_ms = 20000, .t_end_ms = 20000, .kind = "stop"};
	const struct event other = {.t_ms = 10000, .t_end_ms = 10000, .kind = "other"};
	const struct {
		const char *command;
		enum reader_lack_kind lacks;
	} copies[] = {
		{"rm -rf alone; mkdir alone; cp a.db alone/", READER_LACKS_JOURNAL},
		{": >alone/a.db-wal", READER_JOURNAL_EMPTY},
		{"head -c 6000 a.db-wal >alone/a.db-wal", READER_JOURNAL_CUT},
		{"cp a.db-wal alone/ && printf garbage | dd of=alone/a.db-wal bs=1 seek=4300"
		 " conv=notrunc status=none",
		 READER_JOURNAL_DAMAGED},
		{"cp a.db-wal alone/ && printf garbage | dd of=alone/a.db-wal bs=1 seek=16"
		 " conv=notrunc status=none",
		 READER_JOURNAL_DAMAGED},
		{"rm alone/a.db-wal && mkfifo alone/a.db-wal", READER_JOURNAL_UNREADABLE},
		{"rm alone/a.db-wal && cp a.db-wal alone/ && truncate -s 1T alone/a.db-wal",
		 READER_LACKS_NOTHING},
		{"cp a.db-wal alone/", READER_LACKS_NOTHING},
		{"rm -rf alone; mkdir alone; sqlite3 a.db \"VACUUM INTO 'alone/a.db'\"",
		 READER_LACKS_NOTHING},
		{"sqlite3 alone/a.db 'CREATE TABLE ballast AS SELECT randomblob(20000)' &&"
		 " truncate -s -1000 alone/a.db",
		 READER_LACKS_PAGES},
	};
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s", world_path);
	store_event(store, &other);
	for (int64_t t = 1000; t < 20000; t += 5000) {
		add_ticks(store, t, t + 5000);
		assert_int_equal(store_commit(store, t + 5000, false), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		run(copies[i].command);
		snprintf(world_path, sizeof(world_path), "%s/alone/a.db", world_folder);

		struct reader *reader = world_reader(NULL);

		struct reader_lack lack;

		assert_int_equal(reader_lacks(reader, &lack), 0);
		assert_int_equal(lack.kind, copies[i].lacks);
		reader_close(reader);
		snprintf(world_path, sizeof(world_path), "%s", path);
	}
	store_event(store, &stop);
	assert_int_equal(store_commit(store, 20000, true), 0);
	store_close(store);

	struct reader *reader = world_reader(NULL);

	struct reader_lack lack;

	assert_int_equal(reader_lacks(reader, &lack), 0);
	assert_int_equal(lack.kind, READER_LACKS_NOTHING);
	reader_close(reader);
}

static uint64_t seed = 88172645463325252U;

static int64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int64_t)seed;
}

static void add_noise(struct store *store, struct sink *sink, int64_t t_ms)
{
	sink_reset(sink, &world_groups[0]);
	for (size_t i = 0; i < 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "sd%zu", i);
		struct row *row = sink_row(sink, name, "");

		row_set(row, READS, next_random());
		row_set(row, TEMP, next_random());
	}
	store_add(store, &world_groups[0], t_ms, 0, 1000, sink);
}

static void size_bound(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status = {0};
	struct sink sink;
	int64_t largest = 0;
	char answer[64];

	(void)state;
	options.size_max_bytes = FOUR_MIB;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 14400000; t += 1000) {
		add_noise(store, &sink, t);
		if (t % 60000)
			continue;
		assert_int_equal(store_commit(store, t, false), 0);
		largest = MAX(largest, size_of("") + size_of("-wal") + size_of("-shm"));
	}
	sink_done(&sink);
	store_get_status(store, &status);
	store_close(store);
	assert_in_range(largest, FOUR_MIB / 2, FOUR_MIB);
	assert_true(status.kept[0].oldest_wall_ms > WALL_OFFSET_MS + 3600000);
	assert_int_equal(status.n_failed_commits, 0);
	world_shell("SELECT max(t) FROM disk WHERE node='sd3'", answer, sizeof(answer));
	assert_string_equal(answer, "14400000");
	world_shell("PRAGMA integrity_check", answer, sizeof(answer));
	assert_string_equal(answer, "ok");
}

/* A reader that stays open holds the journal: it grows to its share and no further, commits wait in
 * memory, and nothing is lost when the reader goes. */
static void reader_that_stays(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;
	sqlite3 *conn = NULL;
	int n_busy = 0;
	char answer[64], since[64] = "";

	(void)state;
	options.size_max_bytes = FOUR_MIB;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sqlite3_open(world_path, &conn), SQLITE_OK);
	assert_int_equal(sqlite3_exec(conn, "BEGIN; SELECT * FROM node", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 1800000; t += 1000) {
		if (t == 1500000)
			sqlite3_exec(conn, "COMMIT", NULL, NULL, NULL);
		add_noise(store, &sink, t);
		if (t % 60000)
			continue;
		n_busy += store_commit(store, t, false) == -EBUSY;
		store_get_status(store, &status);
		assert_true(status.wal_bytes <= FOUR_MIB / 4);
		assert_true((t < 1500000 && n_busy) == (strlen(status.error) > 0));
		if (!*status.error)
			continue;
		assert_non_null(strstr(status.error, "this process keeps the journal"));
		/* The first time stays. */
		if (n_busy == 1)
			snprintf(since, sizeof(since), "%s", strstr(status.error, ", since "));
		assert_non_null(strstr(status.error, since));
	}
	sqlite3_close(conn);
	sink_done(&sink);
	store_close(store);
	assert_true(n_busy > 5);
	assert_int_equal(status.n_dropped_ticks, 0);
	world_shell("SELECT count(*) FROM disk WHERE node='sd3'", answer, sizeof(answer));
	assert_string_equal(answer, "1800");
}

/* A process that reads the file until its input ends. */
static pid_t start_reader(int *ret_end)
{
	int ready[2], end[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		sqlite3 *conn = NULL;

		close(end[1]);
		if (sqlite3_open(world_path, &conn) == SQLITE_OK &&
		    sqlite3_exec(conn, "BEGIN; SELECT * FROM node", NULL, NULL, NULL) ==
			    SQLITE_OK &&
		    write(ready[1], "", 1) == 1)
			c = (char)read(end[0], &c, 1);
		_exit(0);
	}
	close(ready[1]);
	close(end[0]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*ret_end = end[1];
	return pid;
}

/* Of another process name and number are told. */
static void reader_of_another(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;
	char who[32];
	int end;

	(void)state;
	store_close(world_open("boot-a"));

	pid_t pid = start_reader(&end);

	options.size_max_bytes = FOUR_MIB;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 1500000; t += 1000) {
		add_noise(store, &sink, t);
		if (t % 60000 == 0 && store_commit(store, t, false) == -EBUSY)
			break;
	}
	store_get_status(store, &status);
	snprintf(who, sizeof(who), " (process %d) keeps", (int)pid);
	assert_non_null(strstr(status.error, who));
	close(end);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(store_commit(store, 1560000, false), 0);
	sink_done(&sink);
	store_close(store);
}

/* What cannot be written stays in memory up to its bound; the oldest goes first. */
static void bound_of_the_tail(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;

	(void)state;
	options.path = "/proc/nowhere/a.db";
	options.tail_max_bytes = 100000;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 3600000; t += 1000) {
		add_noise(store, &sink, t);
		if (t % 60000 == 0)
			assert_true(store_commit(store, t, false) < 0);
	}
	sink_done(&sink);
	store_get_status(store, &status);
	assert_in_range(status.tail_bytes, 50000, 100000);
	assert_true(status.n_dropped_ticks > 3000);
	store_close(store);
}

/* 9999 nodes are all that the file can tell apart: the next one is said to be left out, and the
 * others go on. */
static void nodes_are_full(void **state)
{
	struct store *store;
	struct sink sink;
	char answer[64];

	(void)state;
	store = world_open("boot-a");
	assert_int_equal(sink_init(&sink), 0);
	world_tick(store, &sink, 1000, 1);
	assert_int_equal(store_commit(store, 1000, true), 0);
	run("sqlite3 a.db \"WITH RECURSIVE i(n) AS (SELECT 2 UNION ALL SELECT n+1 FROM i WHERE "
	    "n<9999)"
	    " INSERT INTO node SELECT n,'disk','old'||n,'',1,1,1000,1000,1 FROM i\"");
	world_tick(store, &sink, 2000, 2);
	world_tick(store, &sink, 3000, 2);
	assert_int_equal(store_commit(store, 3000, false), 0);
	assert_int_equal(store_commit(store, 3001, true), 0);
	sink_done(&sink);
	store_close(store);
	world_shell("SELECT count(*), count(DISTINCT node) FROM disk", answer, sizeof(answer));
	assert_string_equal(answer, "3|1");
	world_shell("SELECT kind, node FROM event WHERE kind='nodes_full'", answer, sizeof(answer));
	assert_string_equal(answer, "nodes_full|sd1");
}

/* What waited while there was no disk is written in parts that the journal's share can hold. */
static void backlog(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct store_status status;
	struct sink sink;
	char path[96], answer[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/later/a.db", world_folder);
	snprintf(world_path, sizeof(world_path), "%s", path);
	options.size_max_bytes = FOUR_MIB + MIB;
	options.tail_max_bytes = FOUR_MIB;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 5400000; t += 1000) {
		add_noise(store, &sink, t);
		if (t % 60000 == 0 && t < 5400000)
			assert_true(store_commit(store, t, false) < 0);
	}
	run("mkdir later");
	assert_int_equal(store_commit(store, 5400000, false), 0);
	sink_done(&sink);
	store_get_status(store, &status);
	store_close(store);
	assert_true(status.wal_bytes <= FOUR_MIB / 4);
	assert_int_equal(status.n_dropped_ticks, 0);
	world_shell("SELECT count(*), max(t) FROM disk WHERE node='sd3'", answer, sizeof(answer));
	assert_string_equal(answer, "5400|5400000");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(others_files),
		TEST(newer_format),
		TEST(nonsense),
		TEST(in_use),
		TEST(damaged),
		TEST(removed),
		TEST(emptied),
		TEST(emptied_before),
		TEST(journal_moved),
		TEST(pulled_copy),
		TEST(size_bound),
		TEST(bound_of_the_tail),
		TEST(file_alone_is_fresh),
		TEST(reader_that_stays),
		TEST(reader_of_another),
		TEST(backlog),
		TEST(nodes_are_full),
		TEST(journal_gone_behind_a_link),
		TEST(journal_gone_while_read),
		TEST(damaged_journal_is_left),
		TEST(file_alone_says_so),
		TEST(half_checkpointed),
		TEST(damaged_while_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
