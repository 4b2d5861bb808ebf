/* Queries on a real store: file and tail are one history, and the file alone tells the same of what
 * was committed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "query/query.h"
#include "store/store.h"

#define OFFSET_MS INT64_C(1796000000000)

/* clang-format off */
static const struct field fields[] = {
	{"reads", UNIT_COUNT, KIND_COUNTER, "Reads.", NULL, 0, NULL},
	{"read_time", UNIT_MILLISECONDS, KIND_COUNTER, "Time.", NULL, 32, NULL},
	{"temp", UNIT_MILLICELSIUS, KIND_GAUGE, "Temperature.", NULL, 0, NULL},
};

static const struct derived derived[] = {
	{"latency", UNIT_MICROSECONDS, DERIVE_MEAN, "read_time", "reads", 1000, 1, "Latency."},
};
/* clang-format on */

static const struct group groups[] = {{
	.name = "disk",
	.help = "Disks.",
	.cost = COST_F,
	.period_ms = 1000,
	.fields = fields,
	.n_fields = ARRAY_SIZE(fields),
	.derived = derived,
	.n_derived = ARRAY_SIZE(derived),
}};

static const struct collector collector = {
	.name = "disk", .help = "Disks.", .groups = groups, .n_groups = 1};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

static char folder[] = "/tmp/test_query_store.XXXXXX", path[64];

static struct store *open_store(const char *boot_id, int64_t offset_ms)
{
	struct store_options options = {
		.path = path,
		.boot_id = boot_id,
		.kernel = "test",
		.wall_offset_ms = offset_ms,
		.size_max_bytes = 16 << 20,
		.tail_max_bytes = 1 << 20,
		.commit_ms = 60000,
	};
	struct store *store = NULL;

	assert_int_equal(store_open(&options, &catalog, &store), 0);
	return store;
}

/* Each second 5 reads of 2 ms on vda, 1 of 10 ms on vdb; vdb comes with the first tick. */
static void add_ticks(struct store *store, int64_t from_s, int64_t to_s)
{
	struct sink sink;

	assert_int_equal(sink_init(&sink), 0);
	for (int64_t t = from_s; t < to_s; t++) {
		sink_reset(&sink, &groups[0]);
		for (int node = 0; node < 2; node++) {
			struct row *row = sink_row(&sink, node ? "vdb" : "vda", "");

			row_set(row, 0, t * (node ? 1 : 5));
			row_set(row, 1, t * 10);
			row_set(row, 2, 20000 + t);
			if (!node && t == 250)
				row_flag(row, 2, FLAG_IMPLAUSIBLE);
		}
		store_add(store, &groups[0], t * 1000, 0, 1000, &sink);
		if (t % 60 == 59)
			assert_int_equal(store_commit(store, t * 1000, false), 0);
	}
	sink_done(&sink);
}

struct summary {
	unsigned n_series, n_points, n_values, n_flags;
	struct decimal min, max;
};

static struct summary ask(struct reader *reader, const struct query_params *params)
{
	CLEANUP(query_closep) struct query *query = NULL;
	struct summary sum = {.min = {INT64_MAX, 0}, .max = {INT64_MIN, 0}};
	struct problem problem = {0};
	struct points_item item;
	int r = query_open(reader, &catalog, params, OFFSET_MS + 3600000, &query, &problem);

	if (r < 0)
		fail_msg("%d %s: %s", r, problem.parameter, problem.detail);
	while ((r = query_next(query, &item)) > 0) {
		sum.n_series += item.type == POINTS_SERIES;
		assert_int_not_equal(item.type, POINTS_DAMAGE);
		if (item.type != POINTS_POINT)
			continue;
		sum.n_points++;
		sum.n_flags += item.flag != 0;
		if (!item.has_value)
			continue;
		sum.n_values++;
		if (decimal_compare(item.value, sum.min) < 0)
			sum.min = item.value;
		if (decimal_compare(item.value, sum.max) > 0)
			sum.max = item.value;
	}
	assert_int_equal(r, 0);
	return sum;
}

/* min and max are the same number, at each of n points */
static void assert_flat(struct summary sum, unsigned n, int64_t value)
{
	assert_int_equal(sum.n_values, n);
	assert_int_equal(sum.n_points, n);
	assert_int_equal(decimal_compare(sum.min, decimal_of(value)), 0);
	assert_int_equal(decimal_compare(sum.max, decimal_of(value)), 0);
}

static void assert_history(struct reader *reader, unsigned n_steps, const char *to)
{
	struct query_params params = {
		.metric = "disk.reads", .node = "vda", .from = "1+0", .to = to, .step = "10s"};

	assert_flat(ask(reader, &params), n_steps, 5);
	params.agg = "max";
	assert_flat(ask(reader, &params), n_steps, 5);
	params.agg = "increase";
	assert_flat(ask(reader, &params), n_steps, 50);
	params.metric = "disk.latency";
	params.agg = NULL;
	assert_flat(ask(reader, &params), n_steps, 2000);
	params.node = "vdb";
	assert_flat(ask(reader, &params), n_steps, 10000);
	params.node = NULL;
	params.metric = "disk.temp";
	params.agg = "last";

	struct summary sum = ask(reader, &params);

	assert_int_equal(sum.n_series, 2);
	assert_int_equal(sum.n_values, 2 * n_steps);
	assert_int_equal(decimal_compare(sum.min, decimal_of(20010)), 0);
	/* a window in the middle has its baseline from before */
	params = (struct query_params){.metric = "disk.reads",
				       .node = "vda",
				       .from = "1+123000",
				       .to = "1+133000",
				       .step = "1s"};
	assert_flat(ask(reader, &params), 10, 5);
}

static void file_and_tail_are_one_history(void **state)
{
	CLEANUP(store_closep) struct store *store = open_store("boot-one", OFFSET_MS);
	CLEANUP(reader_closep) struct reader *both = NULL;

	(void)state;
	add_ticks(store, 0, 331);
	assert_int_equal(reader_open(path, store, &catalog, &both), 0);
	assert_history(both, 33, "1+330000");

	struct query_params flagged = {.metric = "disk.temp",
				       .node = "vda",
				       .from = "1+240000",
				       .to = "1+260000",
				       .step = "1s",
				       .agg = "mean"};
	struct summary sum = ask(both, &flagged);

	assert_int_equal(sum.n_points, 20);
	assert_int_equal(sum.n_flags, 1);
	assert_int_equal(sum.n_values, 19);
	assert_int_equal(store_commit(store, 331000, true), 0);
	assert_history(both, 33, "1+330000");
}

static void the_file_alone_tells_the_same(void **state)
{
	CLEANUP(reader_closep) struct reader *reader = NULL;

	(void)state;
	assert_int_equal(reader_open(path, NULL, &catalog, &reader), 0);
	assert_history(reader, 33, "1+330000");
}

static void a_second_boot_is_a_second_series(void **state)
{
	CLEANUP(store_closep) struct store *store = open_store("boot-two", OFFSET_MS + 1000000);
	CLEANUP(reader_closep) struct reader *reader = NULL;
	struct query_params params = {.metric = "disk.reads",
				      .node = "vda",
				      .from = "1+0",
				      .to = "2+100000",
				      .step = "10s"};

	(void)state;
	add_ticks(store, 0, 101);
	assert_int_equal(reader_open(path, store, &catalog, &reader), 0);

	struct summary sum = ask(reader, &params);

	assert_int_equal(sum.n_series, 2);
	assert_int_equal(sum.n_values, 33 + 10);
	assert_int_equal(decimal_compare(sum.min, decimal_of(5)), 0);
	assert_int_equal(decimal_compare(sum.max, decimal_of(5)), 0);
	params.node = "vdz";

	struct query *query = NULL;
	struct problem problem;

	assert_int_equal(query_open(reader, &catalog, &params, OFFSET_MS, &query, &problem),
			 -EINVAL);
	assert_string_equal(problem.parameter, "node");
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/db", folder);
	return 0;
}

static int remove_folder(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", ".lock"};
	char name[96];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_and_tail_are_one_history),
		cmocka_unit_test(the_file_alone_tells_the_same),
		cmocka_unit_test(a_second_boot_is_a_second_series),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
