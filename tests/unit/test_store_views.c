/* What the stock shell decodes is what went in: extremes of int64, gaps, steps of every size, from
 * chunks and from tail pages. And columns that a later version added. */
/* label: single */
#include "tests/support/store_world.h"

#define N_TICKS  4000 /* an hour's chunk and a rest in the tail */
#define N_FIELDS 5

static const struct field wide_fields[] = {
	{"a", UNIT_COUNT, KIND_GAUGE, "A.", NULL, 0, NULL},
	{"b", UNIT_COUNT, KIND_COUNTER, "B.", NULL, 0, NULL},
	{"c", UNIT_COUNT, KIND_GAUGE, "C.", NULL, 0, NULL},
	{"d", UNIT_COUNT, KIND_GAUGE, "D.", NULL, 0, NULL},
	{"e", UNIT_COUNT, KIND_GAUGE, "E.", NULL, 0, NULL},
};
static const struct group wide_group = {
	.name = "wide", .help = "Wide.", .fields = wide_fields, .n_fields = N_FIELDS};
static const struct collector wide_collector = {
	.name = "wide", .help = "Wide.", .groups = &wide_group, .n_groups = 1};
static const struct collector *const wide_collectors[] = {&wide_collector};
static const struct catalog wide_catalog = {wide_collectors, 1};

static uint64_t seed = 88172645463325252U;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int64_t extreme(void)
{
	static const int64_t values[] = {INT64_MIN, INT64_MAX,         -1, 0, 1, INT64_MIN + 1, 10,
					 -10,       999999999999999999};

	return values[next_random() % ARRAY_SIZE(values)];
}

/* Field 0 jumps between extremes, 1 counts in multiples of 512, 2 rests for long, 3 is wild, 4
 * never moves. Each may be absent. */
static void make_row(struct row *row, int64_t last[N_FIELDS])
{
	if (next_random() % 3)
		last[0] = extreme();
	last[1] += 512 * (int64_t)(next_random() % 1000);
	if (next_random() % 200 == 0)
		last[2] = (int64_t)(next_random() % 100) - 50;
	last[3] = (int64_t)next_random() >> next_random() % 60;
	last[4] = -42;
	for (size_t f = 0; f < N_FIELDS; f++)
		if (f == 4 || next_random() % 50)
			row_set(row, f, last[f]);
}

static void print_row(FILE *f, int64_t t_ms, const struct row *row)
{
	fprintf(f, "%jd", (intmax_t)t_ms);
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (row->values[i].type == VALUE_INT)
			fprintf(f, "|%jd", (intmax_t)row->values[i].i);
		else
			fputc('|', f);
	}
	fputc('\n', f);
}

static void fill(struct store *store, const char *expected_path)
{
	CLEANUP(fclosep) FILE *expected = fopen(expected_path, "we");
	int64_t last[N_FIELDS] = {0};
	struct sink sink;

	assert_non_null(expected);
	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = 1000; t <= N_TICKS * 1000; t += 1000) {
		sink_reset(&sink, &wide_group);
		struct row *row = sink_row(&sink, "w", "");

		make_row(row, last);
		/* A tick that was missed. */
		if (t / 1000 % 97 == 0)
			continue;
		print_row(expected, t, row);
		store_add(store, &wide_group, t, 0, 1000, &sink);
		if (t % 60000 == 0)
			assert_int_equal(store_commit(store, t, false), 0);
	}
	sink_done(&sink);
	assert_int_equal(store_commit(store, N_TICKS * 1000, true), 0);
}

static void exact(void **state)
{
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	char expected[128], command[512];

	(void)state;
	snprintf(expected, sizeof(expected), "%s/expected", world_folder);
	assert_int_equal(store_open(&options, &wide_catalog, &store), 0);
	fill(store, expected);
	store_close(store);
	snprintf(command, sizeof(command),
		 "sqlite3 %s 'SELECT t,a,b,c,d,e FROM wide' | cmp - %s && "
		 "sqlite3 %s \"SELECT count(*)=1 FROM wide_rows WHERE part='chunk'\" | grep -q 1",
		 world_path, expected, world_path);
	assert_int_equal(system(command), 0);
}

/* Of a cell that is cut, empty, endless or nonsense the others know nothing. */
static void damaged_cells(void **state)
{
	static const char *const codes[] = {
		"substr(a,1,length(a)/2)",   "x''",         "x'00'",   "x'5E5000000000C0'",
		"x'5E999999999999999999C0'", "x'0C0C5E0C'", "x'AAAA'", "'text'",
	};
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	char expected[128], command[1024];

	(void)state;
	snprintf(expected, sizeof(expected), "%s/expected", world_folder);
	assert_int_equal(store_open(&options, &wide_catalog, &store), 0);
	fill(store, expected);
	store_close(store);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		snprintf(command, sizeof(command),
			 "sqlite3 %s \"UPDATE wide_chunk SET a=%s\" && "
			 "sqlite3 %s 'SELECT t,b,c,d,e FROM wide' >%s.got && "
			 "cut -d'|' -f1,3- %s | cmp - %s.got",
			 world_path, codes[i], world_path, expected, expected, expected);
		if (system(command) != 0)
			fail_msg("a=%s changes other columns", codes[i]);
	}
}

static struct group narrow_group;

static void columns_added(void **state)
{
	static const struct collector narrow = {
		.name = "wide", .help = "Wide.", .groups = &narrow_group, .n_groups = 1};
	static const struct collector *const narrow_collectors[] = {&narrow};
	static const struct catalog narrow_catalog = {narrow_collectors, 1};
	struct store_options options = world_options("boot-a");
	struct store *store = NULL;
	struct sink sink;
	char answer[256];

	(void)state;
	narrow_group = wide_group;
	narrow_group.n_fields = 2;
	assert_int_equal(sink_init(&sink), 0);
	assert_int_equal(store_open(&options, &narrow_catalog, &store), 0);
	sink_reset(&sink, &narrow_group);
	row_set(sink_row(&sink, "w", ""), 1, 7);
	store_add(store, &narrow_group, 1000, 0, 1000, &sink);
	assert_int_equal(store_commit(store, 1000, true), 0);
	store_close(store);

	assert_int_equal(store_open(&options, &wide_catalog, &store), 0);
	sink_reset(&sink, &wide_group);
	struct row *row = sink_row(&sink, "w", "");
	row_set(row, 0, 5);
	row_set(row, 4, 9);
	store_add(store, &wide_group, 2000, 0, 1000, &sink);
	world_shell("SELECT t,a,b,c,d,e FROM wide", answer, sizeof(answer));
	assert_string_equal(answer, "1000||7|||");
	assert_int_equal(store_commit(store, 2000, true), 0);
	store_close(store);
	sink_done(&sink);
	world_shell("SELECT t,a,b,c,d,e FROM wide", answer, sizeof(answer));
	assert_string_equal(answer, "1000||7|||\n2000|5||||9");
	/* The older program still reads and writes it. */
	assert_int_equal(store_open(&options, &narrow_catalog, &store), 0);
	assert_int_equal(store_commit(store, 3000, true), 0);
	store_close(store);
	world_shell("SELECT t,a,b,c,d,e FROM wide", answer, sizeof(answer));
	assert_string_equal(answer, "1000||7|||\n2000|5||||9");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, world_start, world_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(exact), TEST(damaged_cells), TEST(columns_added)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
