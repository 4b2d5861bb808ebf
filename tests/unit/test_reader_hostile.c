/* A damaged file is answered, with an error or with what is left of it; nothing crashes and nothing
 * runs on forever. AddressSanitizer and UndefinedBehaviorSanitizer watch. */
/* label: single */
#include <fcntl.h>
#include <sys/stat.h>

#include "tests/support/store_world.h"

#define N_ROUNDS 300

static uint64_t seed = 88172645463325252U;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int see_event(const struct event *event, const struct boot *boot, void *arg)
{
	(void)event;
	(void)boot;
	++*(size_t *)arg;
	return 0;
}

static int see_node(const struct node_info *node, void *arg)
{
	(void)node;
	++*(size_t *)arg;
	return 0;
}

static int see_info(const struct info_record *record, void *arg)
{
	(void)record;
	++*(size_t *)arg;
	return 0;
}

static int see_series(const struct series_key *key, const struct boot *boot, void *arg)
{
	struct series_key *keys = arg;

	(void)boot;
	*keys = *key;
	return 0;
}

static void read_cursor(struct reader *reader, const struct series_key *key, size_t *n)
{
	const size_t fields[] = {READS, TEMP};
	struct cursor *cursor;
	struct span span;
	int r, n_errors = 0;

	if (cursor_open(reader, &world_groups[0], key, fields, 2, INT64_MIN, INT64_MAX, &cursor) <
	    0)
		return;
	while (((r = cursor_next(cursor, &span)) > 0 || r == -EBADMSG) && n_errors < 100) {
		n_errors += r < 0;
		for (size_t i = 0; r > 0 && i < span.n; i++)
			*n += !span.absent[0][i] && span.values[0][i] > 0;
	}
	cursor_close(cursor);
}

static void read_everything(size_t *n)
{
	struct reader *reader = NULL;
	struct boot boots[16];
	struct boot_traces traces[16];
	struct series_key key = {.boot = 1, .node = "sd0", .identity = "id0"};
	int n_boots;

	if (reader_open(world_path, NULL, &world_catalog, &reader) < 0)
		return;
	n_boots = reader_boots(reader, boots, 16);
	if (n_boots > 0)
		(void)!reader_boot_traces(reader, boots, (size_t)n_boots, traces);
	(void)!reader_nodes(reader, "", see_node, n);
	(void)!reader_events(reader, INT64_MIN, INT64_MAX, 100, see_event, n);
	(void)!reader_infos(reader, INFO_TEXTS, see_info, n);
	(void)!reader_series(reader, &world_groups[0], NULL, INT64_MIN, INT64_MAX, see_series,
			     &key);
	read_cursor(reader, &key, n);
	reader_close(reader);
}

static uint8_t *make_file(size_t *ret_size)
{
	struct store *store = world_open("boot-a");
	struct sink sink;
	struct stat st;
	uint8_t *bytes;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= 4000000; t += 1000) {
		world_tick(store, &sink, t, 3);
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	assert_int_equal(store_commit(store, 4000000, true), 0);
	sink_done(&sink);
	store_close(store);
	assert_int_equal(stat(world_path, &st), 0);
	bytes = malloc((size_t)st.st_size);
	CLEANUP(fclosep) FILE *f = fopen(world_path, "re");
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
	*ret_size = (size_t)st.st_size;
	return bytes;
}

/* Most damage hits the pages of chunks and tail, some the schema. */
static void damage(const uint8_t *bytes, size_t size)
{
	CLEANUP(freep) uint8_t *copy = malloc(size);
	CLEANUP(fclosep) FILE *f = fopen(world_path, "we");

	memcpy(copy, bytes, size);
	for (uint64_t n = 1 + next_random() % 200; n > 0; n--) {
		size_t at = 100 + next_random() % (size - 100);

		uint8_t bit = (uint8_t)(1U << next_random() % 8);

		copy[at] = next_random() % 2 ? (uint8_t)next_random() : (uint8_t)(copy[at] ^ bit);
	}
	assert_int_equal(fwrite(copy, 1, size, f), size);
}

static void damaged_files(void **state)
{
	size_t size, n = 0;
	CLEANUP(freep) uint8_t *bytes = make_file(&size);

	(void)state;
	read_everything(&n);
	assert_true(n > 4000);
	for (unsigned i = 0; i < N_ROUNDS; i++) {
		damage(bytes, size);
		read_everything(&n);
	}
}

/* A file that was made to be large in memory: what is beyond the format's bounds is left out. */
static void too_much_of_it(void **state)
{
	size_t size, n = 0, n_nodes = 0;
	struct series_key key = {.boot = 1, .node = "sd0", .identity = "id0"};
	struct reader *reader;
	char answer[256];

	(void)state;
	free(make_file(&size));
	world_shell("WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<30000)"
		    " INSERT INTO node SELECT 9000+i,'disk','x'||i,'',1,1,0,0,0 FROM s;"
		    "WITH RECURSIVE p(i,d) AS (SELECT 1,'[1,0,5,5,5]' UNION ALL"
		    " SELECT i+1, d||',[1,0,5,5,5]' FROM p WHERE i<50)"
		    " INSERT OR REPLACE INTO tail SELECT s.value,1000000+s.value,1,"
		    "'{\\\"disk\\\":{\\\"t0\\\":4001000,\\\"step\\\":1000,\\\"n\\\":100,"
		    "\\\"nodes\\\":['"
		    "||p.d||']}}',x'00' FROM generate_series(1,300) s, p WHERE p.i=50",
		    answer, sizeof(answer));
	assert_string_equal(answer, "");
	reader = world_reader(NULL);
	assert_int_equal(reader_nodes(reader, "", see_node, &n_nodes), 0);
	assert_in_range(n_nodes, 3, 9999);
	read_cursor(reader, &key, &n);
	assert_in_range(n, 4000, 4000 + 1024 * 100);
	reader_close(reader);
}

#define ENDLESS " AS WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s) SELECT i AS id"

/* A view instead of a table, or what is fed by one, could be an endless one. */
static void what_is_no_table(void **state)
{
	static const char *const changes[] = {
		("DROP TABLE mark; CREATE VIEW mark" ENDLESS
		 ",1 AS boot,1 AS t,2 AS t_end,'' AS label FROM s"),
		("DROP TABLE cap; CREATE VIEW cap" ENDLESS ",'x' AS what,-1 AS bytes FROM s"),
		("DROP TABLE spent; CREATE VIEW spent" ENDLESS " FROM s"),
		("DROP TABLE cap; CREATE VIEW hang" ENDLESS ",'x' AS what,-1 AS bytes FROM s;"
		 "CREATE VIRTUAL TABLE cap USING fts5(what,bytes,content='hang',"
		 "content_rowid='id')"),
		"CREATE VIRTUAL TABLE other USING fts5(x)",
		("DROP TABLE mark; CREATE VIEW mark AS SELECT 1; PRAGMA writable_schema=1;"
		 "UPDATE sqlite_master SET type='table', rootpage=2 WHERE name='mark'"),
	};
	char answer[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct reader *reader = NULL;
		size_t size;

		unlink(world_path);
		free(make_file(&size));
		world_shell(changes[i], answer, sizeof(answer));
		assert_string_equal(answer, "");
		assert_int_equal(reader_open(world_path, NULL, &world_catalog, &reader), -EUCLEAN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(damaged_files, world_start, world_stop),
		cmocka_unit_test_setup_teardown(too_much_of_it, world_start, world_stop),
		cmocka_unit_test_setup_teardown(what_is_no_table, world_start, world_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
