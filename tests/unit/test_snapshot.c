/* Snapshots of a file that is written while they are read: each is the file of one moment, whole.
 */
/* label: long single */
/* timeout: 400 */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "store/snapshot.h"
#include "tests/support/store_world.h"

#define COMMIT_MS INT64_C(60000)
#define ROUNDS    60

static char copy_path[128];

static int64_t ask(const char *path, const char *sql)
{
	sqlite3 *conn = NULL;
	sqlite3_stmt *stmt = NULL;

	assert_int_equal(sqlite3_open_v2(path, &conn, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	sqlite3_busy_timeout(conn, 1000);
	assert_int_equal(sqlite3_prepare_v2(conn, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);

	int64_t value = sqlite3_column_int64(stmt, 0);

	sqlite3_finalize(stmt);
	sqlite3_close(conn);
	return value;
}

static int64_t t_ms;

static void commit_minutes(struct store *store, struct sink *sink, int n)
{
	for (int i = 0; i < n; i++) {
		for (int64_t end_ms = t_ms + COMMIT_MS; t_ms < end_ms;) {
			t_ms += 1000;
			world_tick(store, sink, t_ms, 4);
		}
		assert_int_equal(store_commit(store, t_ms, false), 0);
	}
}

static int write_pages(struct snapshot *snapshot, int fd, int64_t n)
{
	uint8_t buf[SNAPSHOT_PIECE_BYTES];
	ssize_t len = 1;

	while (n-- && (len = snapshot_read(snapshot, buf)) > 0)
		assert_int_equal(write(fd, buf, (size_t)len), len);
	return (int)len;
}

/* What the copy is to have, told at the moment it was begun. */
static void check_copy(int64_t seq, int64_t folded, int64_t chunks)
{
	struct snapshot_seal seal;
	struct stat st;
	int fd = open(copy_path, O_RDONLY);

	assert_int_equal(snapshot_check(fd, &seal), 0);
	assert_int_equal(seal.lacks_wall_ms, -1);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_int_equal(st.st_size % 4096, SNAPSHOT_SEAL_BYTES);
	assert_int_equal(ask(copy_path, "SELECT integrity_check='ok' FROM pragma_integrity_check"),
			 1);
	assert_int_equal(ask(copy_path, "SELECT max(seq) FROM tail"), seq);
	assert_int_equal(ask(copy_path, "SELECT folded FROM meta"), folded);
	assert_int_equal(ask(copy_path, "SELECT count(*) FROM disk_chunk"), chunks);
}

/* With commits, folds and checkpoints before, between and after the pages that are read. */
static void one_moment_while_written(void **state)
{
	struct store *store = world_open("boot-a");
	struct sink sink;

	(void)state;
	t_ms = 0;
	assert_int_equal(sink_init(&sink), 0);
	snprintf(copy_path, sizeof(copy_path), "%s/copy.db", world_folder);
	commit_minutes(store, &sink, 3);
	for (int i = 0; i < ROUNDS; i++) {
		struct snapshot *snapshot = NULL;
		int fd = open(copy_path, O_RDWR | O_CREAT | O_TRUNC, 0600);

		commit_minutes(store, &sink, i % 7);

		int64_t seq = ask(world_path, "SELECT max(seq) FROM tail");
		int64_t folded = ask(world_path, "SELECT folded FROM meta");
		int64_t chunks = ask(world_path, "SELECT count(*) FROM disk_chunk");

		assert_int_equal(
			snapshot_open(world_path, i % 2 ? store : NULL, &world_catalog, &snapshot),
			0);
		commit_minutes(store, &sink, i % 5);
		assert_true(write_pages(snapshot, fd, 20 + i) > 0);
		commit_minutes(store, &sink, i % 3 ? 6 : 70);
		assert_int_equal(write_pages(snapshot, fd, -1), 0);
		assert_int_equal(lseek(fd, 0, SEEK_CUR), snapshot_bytes(snapshot));
		snapshot_close(snapshot);
		close(fd);
		check_copy(seq, folded, chunks);
	}
	sink_done(&sink);
	store_close(store);
}

/* A file whose journal cannot be begun anew grows to its bound; before that the snapshot gives up.
 */
static void gives_up_before_the_journal_is_full(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct snapshot *snapshot = NULL;
	struct sink sink;
	int fd = open("/dev/null", O_WRONLY);

	(void)state;
	t_ms = 0;
	options.size_max_bytes = STORE_SIZE_MIN_BYTES;
	assert_int_equal(store_open(&options, &world_catalog, &store), 0);
	assert_int_equal(sink_init(&sink), 0);
	commit_minutes(store, &sink, 2);
	assert_int_equal(snapshot_open(world_path, store, &world_catalog, &snapshot), 0);
	for (int i = 0; i < 2000 && snapshot_look(snapshot); i++)
		commit_minutes(store, &sink, 1);
	assert_false(snapshot_look(snapshot));
	assert_int_equal(write_pages(snapshot, fd, 1), -EBUSY);
	commit_minutes(store, &sink, 200);
	snapshot_close(snapshot);
	commit_minutes(store, &sink, 10);
	sink_done(&sink);
	store_close(store);
	close(fd);
}

static void seals(void **state)
{
	struct store *store = world_open("boot-a");
	struct snapshot *snapshot = NULL;
	struct snapshot_seal seal;
	struct sink sink;
	char byte;
	int fd;

	(void)state;
	t_ms = 0;
	assert_int_equal(sink_init(&sink), 0);
	snprintf(copy_path, sizeof(copy_path), "%s/copy.db", world_folder);
	commit_minutes(store, &sink, 2);
	assert_int_equal(store_commit(store, t_ms, true), 0);
	sink_done(&sink);
	store_close(store);
	assert_int_equal(snapshot_open(world_path, NULL, &world_catalog, &snapshot), 0);
	snapshot_set_lacks(snapshot, 1790000000123);
	fd = open(copy_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write_pages(snapshot, fd, -1), 0);
	snapshot_close(snapshot);
	assert_int_equal(snapshot_check(fd, &seal), 0);
	assert_int_equal(seal.lacks_wall_ms, 1790000000123);
	for (int64_t at = 0; at < lseek(fd, 0, SEEK_END) - SNAPSHOT_SEAL_BYTES; at += 40961) {
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 4;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		assert_int_equal(snapshot_check(fd, &seal), -EBADMSG);
		byte ^= 4;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_int_equal(snapshot_check(fd, &seal), 0);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
	assert_int_equal(snapshot_check(fd, &seal), -ENODATA);
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_int_equal(snapshot_check(fd, &seal), -ENODATA);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_moment_while_written, world_start, world_stop),
		cmocka_unit_test_setup_teardown(gives_up_before_the_journal_is_full, world_start,
						world_stop),
		cmocka_unit_test_setup_teardown(seals, world_start, world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
