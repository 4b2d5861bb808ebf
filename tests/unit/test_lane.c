/* The lane and its keeper, with a collector that hangs, dies and comes back as told by files.
 * It hangs in its own code, so that a killed lane is gone at once and only the back-off counts;
 * tests/system/lane_hang.sh has the kind that hangs in the kernel. */
/* label: long */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hw.h"
#include "sampling/lane_keeper.h"

#define DEADLINE_MS     300
#define BACKOFF_MS      400
#define SLOW_US         80000
/* Where two things have to hang within one back-off, on a machine that is busy as well. */
#define LONG_BACKOFF_MS 3000

static char root[64];

static void obey_line(const char *line, const char *at)
{
	if (!strncmp(line, "hang ", 5) && strstr(at, line + 5))
		for (;;)
			pause();
	if (!strncmp(line, "slow ", 5) && strstr(at, line + 5))
		usleep(SLOW_US);
	if (!strncmp(line, "die ", 4) && !strcmp(line + 4, at))
		_exit(9);
}

/* What stands in the file "do" in the root: lines of a word, and the path at which to do it. */
static void obey(const char *at)
{
	char path[128], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/do", root);
	file = fopen(path, "r");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		obey_line(line, at);
	}
	fclose(file);
}

static void tell(const char *what)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/do", root);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(what, file);
	fclose(file);
}

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_GAUGE, "", "a", 0, NULL},
	{"b", UNIT_COUNT, KIND_GAUGE, "", "b", 0, NULL},
	{"c", UNIT_COUNT, KIND_GAUGE, "", "c", 0, NULL},
};

static const struct group groups[] = {
	{.name = "paths",
	 .cost = COST_L,
	 .period_ms = 1000,
	 .fields = fields,
	 .n_fields = ARRAY_SIZE(fields)},
	{.name = "pathless",
	 .cost = COST_H,
	 .period_ms = 1000,
	 .fields = fields,
	 .n_fields = ARRAY_SIZE(fields)},
};

static int fake_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	obey("probe");
	if (hw_exists(hw, "empty"))
		return -ENOENT;
	probe_node(probe, "n0", OUTCOME_OK, "", "there");
	*ret_state = NULL;
	return 0;
}

static void sample_attr(struct hw *hw, const char *node, size_t field, struct row *row)
{
	char path[64];
	int64_t value = 0;

	snprintf(path, sizeof(path), "sys/n/%s/%s", node, fields[field].attr);

	int r = hw_read_i64(hw, &value, "%s", path);

	if (r != -ETIME)
		obey(path);
	row_result(row, field, r, value);
}

static int fake_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	static const char *const nodes[] = {"n0", "n1", "n2"};

	(void)state;
	if (group == 1) {
		obey("pathless");
		row_set(sink_row(sink, "p", ""), 0, 1);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		struct row *row = sink_row(sink, nodes[i], "");

		for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
			sample_attr(hw, nodes[i], k, row);
	}
	return 0;
}

static const struct collector collector = {
	.name = "fake",
	.groups = groups,
	.n_groups = ARRAY_SIZE(groups),
	.probe = fake_probe,
	.sample = fake_sample,
};
static const struct collector *const collectors[] = {&collector};
static const struct catalog catalog = {collectors, 1};

/* What the keeper said last. */
static struct {
	unsigned n_probed, n_empty, n_hung, n_back, n_rows[2];
	int hung_group;
	char hung_node[NODE_NAME_MAX];
	int64_t hung_since_ms;
	struct value values[3][3]; /* of the group paths */
} said;

static void on_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	(void)arg;
	said.n_rows[head->group]++;
	for (size_t i = 0; head->group == 0 && i < sink->n_rows; i++)
		memcpy(said.values[i], sink->rows[i]->values, sizeof(said.values[i]));
}

static void on_probed(void *arg, size_t index, int error, bool news, struct probe *probe)
{
	(void)arg;
	assert_int_equal(index, 0);
	if (error) {
		assert_int_equal(error, -ENOENT);
		said.n_empty++;
		return;
	}
	assert_false(news);
	assert_int_equal(probe->n_items, 2);
	said.n_probed++;
}

static void on_hung(void *arg, size_t index, int group, const char *node, int64_t since_ms)
{
	(void)arg, (void)index;
	said.n_hung++;
	said.hung_group = group;
	said.hung_since_ms = since_ms;
	snprintf(said.hung_node, sizeof(said.hung_node), "%s", node);
}

static void on_back(void *arg, size_t index, int group, const char *node)
{
	(void)arg, (void)index, (void)group, (void)node;
	said.n_back++;
}

static struct keeper *keeper;

/* One turn of a loop that asks for both groups whenever the lane is idle. */
static void turn(void)
{
	struct wire_tick tick = {0};
	int64_t now_ms = clock_boot_ms();

	keeper_receive(keeper, now_ms);
	keeper_check(keeper, now_ms);
	for (uint16_t i = 0; i < 2; i++)
		if (!keeper_leaves_out(keeper, 0, i))
			tick.groups[tick.n_groups++].group = i;
	if (keeper_is_ready(keeper) && tick.n_groups)
		assert_int_equal(keeper_request(keeper, &tick, now_ms), 0);
	usleep(2000);
}

/* Turns until *count has grown by n; no longer than 20 s, which is far beyond every back-off. */
static void await(const unsigned *count, unsigned n)
{
	unsigned start = *count;

	for (int64_t until_ms = clock_boot_ms() + 20000; *count - start < n; turn())
		assert_true(clock_boot_ms() < until_ms);
}

static int set_up_with(int64_t backoff_ms)
{
	static const bool wanted[] = {true};
	struct keeper_options options = {
		.lane = {.catalog = &catalog, .root = root, .wanted = wanted},
		.deadline_ms = DEADLINE_MS,
		.hang_first_ms = backoff_ms,
	};
	struct keeper_events events = {NULL, on_rows, on_probed, on_hung, on_back};
	char path[128];

	snprintf(root, sizeof(root), "/tmp/test_lane.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	for (int i = -2; i < 3; i++) {
		snprintf(path, sizeof(path), i == -2 ? "%s/sys" : "%s/sys/n", root);
		if (i >= 0)
			snprintf(path, sizeof(path), "%s/sys/n/n%d", root, i);
		mkdir(path, 0755);
		for (char c = 'a'; i >= 0 && c <= 'c'; c++) {
			snprintf(path, sizeof(path), "%s/sys/n/n%d/%c", root, i, c);

			FILE *file = fopen(path, "w");

			if (!file)
				return -1;
			fprintf(file, "%d\n", i);
			fclose(file);
		}
	}
	memset(&said, 0, sizeof(said));
	return keeper_open(&options, &events, &keeper);
}

static int set_up(void **state)
{
	(void)state;
	return set_up_with(BACKOFF_MS);
}

static int set_up_long(void **state)
{
	(void)state;
	return set_up_with(LONG_BACKOFF_MS);
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	keeper_close(keeper);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void it_answers(void **state)
{
	struct keeper_stats stats;

	(void)state;
	await(&said.n_rows[0], 3);
	assert_int_equal(said.n_probed, 1);
	assert_int_equal(said.n_hung, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(said.values[i][0].type, VALUE_INT);
		assert_int_equal(said.values[i][0].i, i);
	}
	keeper_rescan(keeper);
	await(&said.n_probed, 1);
	await(&said.n_rows[1], 1);
	keeper_get_stats(keeper, &stats);
	assert_int_equal(stats.n_restarts, 0);
	assert_true(stats.cpu_us > 0);
}

static void a_second_request_has_to_wait(void **state)
{
	struct wire_tick tick = {.n_groups = 1};

	(void)state;
	assert_int_equal(keeper_request(keeper, &tick, 0), -EHOSTDOWN);
	await(&said.n_rows[0], 1);
	while (!keeper_is_ready(keeper))
		keeper_receive(keeper, clock_boot_ms());
	assert_int_equal(keeper_request(keeper, &tick, clock_boot_ms()), 0);
	assert_int_equal(keeper_request(keeper, &tick, clock_boot_ms()), -EBUSY);
}

static void what_hangs_is_left_out_and_tried_again(void **state)
{
	(void)state;
	await(&said.n_rows[0], 1);
	tell("hang sys/n/n1/a");

	int64_t hang_ms = clock_boot_ms();

	await(&said.n_hung, 1);
	assert_true(said.hung_since_ms >= hang_ms - DEADLINE_MS);
	/* The request that hangs may have been under way when the file was told to. */
	hang_ms = said.hung_since_ms;
	assert_true(clock_boot_ms() - hang_ms >= DEADLINE_MS);
	assert_string_equal(said.hung_node, "n1");
	assert_int_equal(said.hung_group, 0);
	assert_true(keeper_hangs(keeper, 0, "n1"));
	assert_false(keeper_hangs(keeper, 0, "n0"));

	/* The next lane reads the others, and the other attribute. */
	await(&said.n_rows[0], 2);
	assert_int_equal(said.values[0][0].i, 0);
	assert_int_equal(said.values[1][0].type, VALUE_FAULT);
	assert_int_equal(said.values[1][0].i, ETIME);
	assert_int_equal(said.values[1][1].type, VALUE_INT);
	assert_int_equal(said.values[2][0].i, 2);

	/* It is tried again and hangs again; the second wait is longer than the first. Counted from
	 * when the lane came to the path: when that is seen here depends on how busy the machine
	 * is. */
	await(&said.n_hung, 1);

	int64_t second_ms = said.hung_since_ms;

	assert_true(second_ms - hang_ms >= DEADLINE_MS + BACKOFF_MS);
	assert_int_equal(said.n_back, 0);
	tell("");
	await(&said.n_back, 1);
	assert_true(clock_boot_ms() - second_ms >= DEADLINE_MS + 2 * BACKOFF_MS);
	assert_false(keeper_hangs(keeper, 0, "n1"));
	await(&said.n_rows[0], 1);
	assert_int_equal(said.values[1][0].type, VALUE_INT);
	assert_int_equal(said.values[1][0].i, 1);
}

/* No sample can answer for what hung when there is nothing to sample any more. */
static void what_hung_may_go(void **state)
{
	char path[128];

	(void)state;
	await(&said.n_rows[0], 1);
	tell("hang sys/n/n1/a");
	await(&said.n_hung, 1);
	assert_true(keeper_hangs(keeper, 0, "n1"));
	snprintf(path, sizeof(path), "%s/empty", root);

	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fclose(file);
	/* Of the lane that still avoids it, maybe, and of that which tries it again. */
	for (int i = 0; i < 2 && keeper_hangs(keeper, 0, "n1"); i++)
		await(&said.n_empty, 1);
	assert_false(keeper_hangs(keeper, 0, "n1"));
	assert_int_equal(said.n_back, 0);
}

/* After a second attribute of one device nothing of it is touched. */
static void a_device_is_left_out_as_a_whole(void **state)
{
	(void)state;
	await(&said.n_rows[0], 1);
	tell("hang sys/n/n2/");
	await(&said.n_hung, 2);
	await(&said.n_rows[0], 1);
	assert_int_equal(said.n_hung, 2);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		assert_int_equal(said.values[2][i].type, VALUE_FAULT);
		assert_int_equal(said.values[2][i].i, ETIME);
		assert_int_equal(said.values[0][i].type, VALUE_INT);
		assert_int_equal(said.values[1][i].type, VALUE_INT);
	}
	tell("");
	await(&said.n_back, 2);
}

/* What hangs without a path cannot be avoided by path. */
static void a_group_is_left_out(void **state)
{
	(void)state;
	await(&said.n_rows[1], 1);
	tell("hang pathless");
	await(&said.n_hung, 1);
	assert_int_equal(said.hung_group, 1);
	assert_string_equal(said.hung_node, "");
	assert_true(keeper_leaves_out(keeper, 0, 1));
	assert_false(keeper_leaves_out(keeper, 0, 0));
	await(&said.n_rows[0], 1);
	tell("");
	await(&said.n_rows[1], 1);
	assert_int_equal(said.n_back, 1);
	assert_false(keeper_leaves_out(keeper, 0, 1));
}

static void a_probe_may_hang(void **state)
{
	(void)state;
	tell("hang probe");
	await(&said.n_hung, 1);
	assert_int_equal(said.hung_group, -1);
	assert_int_equal(said.n_probed, 0);
	tell("");
	await(&said.n_probed, 1);
	assert_int_equal(said.n_back, 1);
	await(&said.n_rows[0], 1);
}

static void a_dead_lane_is_replaced(void **state)
{
	struct keeper_stats stats;

	(void)state;
	await(&said.n_rows[0], 1);
	tell("die sys/n/n0/b");
	for (int64_t until_ms = clock_boot_ms() + 200; clock_boot_ms() < until_ms;)
		turn();
	tell("");

	int64_t start_ms = clock_boot_ms();

	await(&said.n_rows[0], 1);
	assert_true(clock_boot_ms() - start_ms >= 500); /* there was a back-off */
	keeper_get_stats(keeper, &stats);
	assert_int_equal(stats.n_restarts, 1);
	assert_int_equal(stats.n_left, 0);
	assert_int_equal(said.n_hung, 0);
}

/* Nine attributes of 80 ms each are more than the deadline, which counts for each of them. */
static void a_slow_lane_does_not_hang(void **state)
{
	struct keeper_stats stats;

	(void)state;
	await(&said.n_rows[0], 1);
	tell("slow sys/n/");
	await(&said.n_rows[0], 3);
	keeper_get_stats(keeper, &stats);
	assert_int_equal(said.n_hung, 0);
	assert_int_equal(stats.n_restarts, 0);
}

/* The answer of a lane that avoids what hangs is none of that. */
static void a_lane_at_work_is_not_asked_whether_it_is_back(void **state)
{
	(void)state;
	await(&said.n_rows[0], 1);
	tell("hang sys/n/n1/a");
	await(&said.n_hung, 1);
	tell("hang sys/n/n1/a\nslow sys/n/n0/a");
	await(&said.n_hung, 2);
	assert_int_equal(said.n_back, 0);
}

static void what_lanes_die_of_is_left_out(void **state)
{
	(void)state;
	await(&said.n_rows[0], 1);
	tell("die sys/n/n1/b");
	await(&said.n_hung, 1);
	assert_string_equal(said.hung_node, "n1");
	await(&said.n_rows[0], 1);
	assert_int_equal(said.values[1][1].type, VALUE_FAULT);
	assert_int_equal(said.values[1][0].type, VALUE_INT);
	tell("");
	await(&said.n_back, 1);
}

/* A machine that was suspended for an hour while the lane was at work. */
static void a_suspend_is_no_hang(void **state)
{
	struct wire_tick tick = {.n_groups = 1};
	int64_t now_ms;

	(void)state;
	await(&said.n_rows[0], 1);
	tell("slow sys/n/n0/a");
	while (!keeper_is_ready(keeper))
		keeper_receive(keeper, clock_boot_ms());
	now_ms = clock_boot_ms();
	keeper_check(keeper, now_ms);
	assert_int_equal(keeper_request(keeper, &tick, now_ms), 0);
	keeper_check(keeper, now_ms + 3600000);
	assert_true(keeper_is_busy(keeper));
	for (unsigned n = said.n_rows[0]; said.n_rows[0] == n;)
		keeper_receive(keeper, now_ms + 3600000);
	assert_int_equal(said.n_hung, 0);
}

int main(void)
{
#define LANE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LANE_TEST(it_answers),
		LANE_TEST(a_second_request_has_to_wait),
		LANE_TEST(what_hangs_is_left_out_and_tried_again),
		cmocka_unit_test_setup_teardown(a_device_is_left_out_as_a_whole, set_up_long,
						tear_down),
		LANE_TEST(what_hung_may_go),
		LANE_TEST(a_group_is_left_out),
		LANE_TEST(a_probe_may_hang),
		LANE_TEST(a_dead_lane_is_replaced),
		LANE_TEST(a_slow_lane_does_not_hang),
		LANE_TEST(a_lane_at_work_is_not_asked_whether_it_is_back),
		LANE_TEST(what_lanes_die_of_is_left_out),
		LANE_TEST(a_suspend_is_no_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
