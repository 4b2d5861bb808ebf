/* The journal goes on behind the last commit, until it is long; and whoever has to empty it can. */
#include <sys/stat.h>

#include "tests/support/store_world.h"

#define COMMIT_MS    300000
#define LONG_BYTES   262144
#define SALT_AT      16 /* of the journal's head: another number each time it is begun anew */
#define N_NODES      40
#define COMMITS_MAX  200
#define COMMIT_BYTES (MIB) /* with a fold */

static int64_t t_ms;

static void commit_some(struct store *store, size_t n_nodes)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t end_ms = t_ms + COMMIT_MS; t_ms < end_ms; t_ms += 1000)
		world_tick(store, &sink, t_ms, n_nodes);
	sink_done(&sink);
	assert_int_equal(store_commit(store, t_ms, false), 0);
}

static int64_t journal_bytes(void)
{
	struct stat st;
	char name[128];

	snprintf(name, sizeof(name), "%s-wal", world_path);
	return stat(name, &st) < 0 ? 0 : st.st_size;
}

static uint32_t journal_salt(void)
{
	CLEANUP(fclosep) FILE *file = NULL;
	unsigned char p[4];
	char name[128];

	snprintf(name, sizeof(name), "%s-wal", world_path);
	file = fopen(name, "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, SALT_AT, SEEK_SET), 0);
	assert_int_equal(fread(p, 1, sizeof(p), file), sizeof(p));
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static struct store *begin(void)
{
	t_ms = 1000;

	struct store *store = world_open("boot-a");

	commit_some(store, 1);
	commit_some(store, 1);
	return store;
}

/* Who is started and stopped writes no room that nobody uses. The file is there already: making it
 * takes a longer journal. */
static void has_room_from_the_second_commit_on(void **state)
{
	struct store *store = begin();

	(void)state;
	assert_int_equal(store_commit(store, t_ms, true), 0);
	store_close(store);
	store = world_open("boot-a");
	commit_some(store, 1);
	assert_true(journal_bytes() > 0);
	assert_true(journal_bytes() < LONG_BYTES);
	commit_some(store, 1);
	assert_true(journal_bytes() >= LONG_BYTES);
	store_close(store);
}

static void goes_on(void **state)
{
	CLEANUP(store_closep) struct store *store = begin();
	uint32_t salt = journal_salt();

	(void)state;
	for (int i = 0; i < 5; i++) {
		int64_t before_bytes = journal_bytes();

		commit_some(store, 1);
		assert_int_equal(journal_salt(), salt);
		assert_true(journal_bytes() >= before_bytes);
	}
}

static void is_begun_anew(void **state)
{
	CLEANUP(store_closep) struct store *store = begin();
	uint32_t salt = journal_salt();
	int n_anew = 0;

	(void)state;
	for (int i = 0; i < COMMITS_MAX; i++) {
		commit_some(store, N_NODES);
		n_anew += journal_salt() != salt;
		salt = journal_salt();
		assert_true(journal_bytes() < LONG_BYTES + COMMIT_BYTES);
	}
	assert_true(n_anew > 0);
	assert_true(n_anew < COMMITS_MAX / 2);
}

/* All of it can be moved by another process, too. */
static void others_can_move_it(void **state)
{
	CLEANUP(store_closep) struct store *store = begin();
	char answer[64];

	(void)state;
	world_shell("PRAGMA wal_checkpoint(PASSIVE)", answer, sizeof(answer));
	assert_int_equal(strncmp(answer, "0|", 2), 0);

	char *log = answer + 2, *moved = strchr(log, '|');

	assert_non_null(moved);
	*moved++ = '\0';
	assert_string_equal(log, moved);
	commit_some(store, 1);
	world_shell("PRAGMA integrity_check", answer, sizeof(answer));
	assert_string_equal(answer, "ok");
}

static void a_close_leaves_no_journal(void **state)
{
	struct store *store = begin();

	(void)state;
	assert_int_equal(store_commit(store, t_ms, true), 0);
	store_close(store);
	assert_int_equal(journal_bytes(), 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)
	const struct CMUnitTest tests[] = {
		TEST(has_room_from_the_second_commit_on),
		TEST(goes_on),
		TEST(is_begun_anew),
		TEST(others_can_move_it),
		TEST(a_close_leaves_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
