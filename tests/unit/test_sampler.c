/* The sampler: what it says of collectors and nodes, when it leaves one alone, when it probes
 * again, and that its ticks stand on the grid. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sampling/sampler.h"

/* What the collector does next. */
static struct {
	int probe_r, sample_r;
	size_t n_nodes;
	int fault[3]; /* of the nodes; 0: has a value */
	bool asleep;  /* node n1: the slow group leaves it unread */
	unsigned n_probes, n_samples[2];
	bool stale;          /* until the next probe each sample says ENODEV */
	size_t n_listed;     /* nodes that the probe names */
	size_t first_listed; /* the number in the first name */
} fake;

static const struct field fields[] = {
	{"read", UNIT_COUNT, KIND_GAUGE, "", "attr", 0, NULL},
	{.name = "known", .unit = UNIT_COUNT, .kind = KIND_GAUGE, .help = ""},
};

static const struct group groups[] = {
	{.name = "quick",
	 .cost = COST_F,
	 .period_ms = 1000,
	 .fields = fields,
	 .n_fields = ARRAY_SIZE(fields)},
	{.name = "slow",
	 .cost = COST_L,
	 .period_ms = 10000,
	 .fields = fields,
	 .n_fields = ARRAY_SIZE(fields)},
	{.name = "device",
	 .cost = COST_Q,
	 .period_ms = 1000,
	 .fields = fields,
	 .n_fields = ARRAY_SIZE(fields)},
};

static int fake_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	(void)hw;
	fake.n_probes++;
	fake.stale = false;
	for (size_t i = 0; i < fake.n_listed; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%zu", fake.first_listed + i);
		probe_node(probe, name, OUTCOME_OK, "", "%s", name);
	}
	if (fake.probe_r < 0) {
		probe_collector(probe, outcome_of_error(fake.probe_r), "do", "said so");
		return fake.probe_r;
	}
	*ret_state = NULL;
	return 0;
}

static int fake_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	char name[32];

	(void)state, (void)hw;
	assert_true(group < 2); /* class Q has no place here */
	fake.n_samples[group]++;
	if (fake.sample_r < 0)
		return fake.sample_r;
	for (size_t i = 0; i < fake.n_nodes; i++) {
		snprintf(name, sizeof(name), "n%zu", i);

		struct row *row = sink_row(sink, name, "");

		row->suspended = fake.asleep && group == 1 && i == 1;
		if (row->suspended)
			continue;
		row_result(row, 0, -fake.fault[i], (int64_t)i);
		row_set(row, 1, 7);
	}
	return fake.stale ? -ENODEV : 0;
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

/* What came out, as one line of text. */
static char log_buf[4096];
static struct text log_text;
static int64_t last_t_ms[2], last_step_ms[2];
static size_t n_rows; /* of the newest sample of the quick group */

static void on_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	size_t index = group == &groups[0] ? 0 : 1;

	(void)arg;
	assert_true(late_ms >= 0);
	assert_ptr_equal(sink->group, group);
	last_t_ms[index] = t_ms;
	n_rows = index ? n_rows : sink->n_rows;
	last_step_ms[index] = step_ms;
}

static void on_state(void *arg, const struct collector *c, const char *node, enum node_state state,
		     int error, int64_t since_ms)
{
	(void)arg, (void)error;
	assert_true(since_ms > 0);
	text_printf(&log_text, "%s%s%s=%s ", c->name, node[0] ? "." : "", node,
		    node_state_name(state));
}

static void on_probed(void *arg, const struct collector *c, const struct probe *probe, int64_t t_ms)
{
	(void)arg, (void)c, (void)t_ms;
	text_printf(&log_text, "probed:%s ", outcome_name(probe->items[0].outcome));
}

static void assert_said(const char *expected)
{
	assert_string_equal(log_buf, expected);
	text_reset(&log_text);
}

static struct sampler *sampler;
static int64_t now_ms;

static void start_with(int64_t rescan_ms, const int64_t *period_ms)
{
	struct sampler_options options = {
		.root = "/", .period_ms = period_ms, .rescan_ms = rescan_ms, .no_lane = true};
	struct sampler_callbacks callbacks = {
		.rows = on_rows, .state = on_state, .probed = on_probed};

	log_text = TEXT_IN(log_buf);
	assert_int_equal(sampler_open(&options, &catalog, &callbacks, &sampler), 0);
	now_ms = clock_boot_ms();
	assert_int_equal(sampler_start(sampler, now_ms), 0);
}

static void start(int64_t rescan_ms)
{
	start_with(rescan_ms, NULL);
}

/* Ticks of the future: each at the time that the sampler asks for. */
static void tick(void)
{
	now_ms = sampler_next_ms(sampler);
	sampler_tick(sampler, now_ms);
}

static int set_up(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.n_nodes = 2;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sampler_close(sampler);
	sampler = NULL;
	return 0;
}

static void ticks_stand_on_the_grid(void **state)
{
	struct sampler_stats stats;

	(void)state;
	start(0);
	assert_said("probed:ok ");
	for (int i = 0; i < 25; i++) {
		tick();
		assert_int_equal(now_ms % 1000, 0);
		assert_int_equal(last_t_ms[0], now_ms);
	}
	assert_int_equal(last_t_ms[1] % 10000, 0);
	assert_int_equal(last_step_ms[0], 1000);
	assert_int_equal(last_step_ms[1], 10000);
	assert_int_equal(fake.n_samples[0], 25);
	assert_in_range(fake.n_samples[1], 2, 3);
	assert_said("");

	/* Half a minute late: one tick, the rest is counted. */
	sampler_tick(sampler, now_ms + 30500);
	assert_int_equal(fake.n_samples[0], 26);
	assert_int_equal(last_t_ms[0], now_ms + 30000);
	sampler_get_stats(sampler, &stats);
	assert_in_range(stats.n_missed_ticks, 29 + 1, 29 + 3);
	assert_int_equal(stats.n_ticks, 26);
}

/* Both groups have these nodes. */
static void changes_are_said_once(void **state)
{
	static const int64_t period_ms[] = {1000, 1000, 0};
	struct node_status node;

	(void)state;
	start_with(0, period_ms);
	fake.fault[1] = EINVAL;
	tick();
	tick();
	assert_said("probed:ok fake.n1=failed ");
	fake.fault[1] = EACCES;
	tick();
	tick();
	assert_said("fake.n1=denied ");
	assert_int_equal(sampler_node_status(sampler, 1, &node), 0);
	assert_string_equal(node.node, "n1");
	assert_int_equal(node.state, NODE_DENIED);
	assert_int_equal(node.error, -EACCES);
	fake.fault[1] = EOPNOTSUPP;
	tick();
	assert_said("fake.n1=unsupported ");
	fake.fault[1] = 0;
	tick();
	tick();
	assert_said("fake.n1=ok ");
	fake.n_nodes = 1;
	tick();
	tick();
	assert_said("fake.n1=gone ");
	fake.n_nodes = 3;
	tick();
	assert_said("");
	assert_int_equal(sampler_node_status(sampler, 999, &node), -ENOENT);
}

/* Its free fields are read all the same. */
static void sleep_is_said_once(void **state)
{
	static const int64_t period_ms[] = {1000, 1000, 0};
	struct node_status node;

	(void)state;
	start_with(0, period_ms);
	fake.asleep = true;
	tick();
	tick();
	assert_said("probed:ok fake.n1=suspended ");
	assert_int_equal(sampler_node_status(sampler, 1, &node), 0);
	assert_int_equal(node.state, NODE_SUSPENDED);
	assert_int_equal(node.error, 0);
	fake.fault[1] = EIO;
	tick();
	assert_said("fake.n1=failed ");
	fake.fault[1] = 0;
	tick();
	assert_said("fake.n1=suspended ");
	fake.asleep = false;
	tick();
	tick();
	assert_said("fake.n1=ok ");
	fake.asleep = true;
	tick();
	fake.n_nodes = 1;
	tick();
	tick();
	assert_said("fake.n1=suspended fake.n1=gone ");
	fake.asleep = false;
	fake.n_nodes = 2;
	tick();
	assert_said("");
}

static void a_collector_that_fails_is_left_alone(void **state)
{
	struct collector_status status;

	(void)state;
	start(0);
	tick();
	fake.sample_r = -EIO;
	for (int i = 0; i < 30; i++)
		tick();
	assert_said("probed:ok fake=failed ");
	assert_int_equal(sampler_collector_status(sampler, 0, &status), 0);
	assert_int_equal(status.state, NODE_FAILED);
	assert_int_equal(status.last_error, -EIO);
	/* The ticks come faster than the clock on which the back-off runs. */
	assert_in_range(status.n_failures, 1, 4);
	assert_in_range(fake.n_samples[0], 2, 4);
}

static void enodev_asks_for_a_new_probe(void **state)
{
	(void)state;
	start(0);
	tick();
	fake.sample_r = -ENODEV;
	tick();
	/* At once, and again after a wait when that was of no help. */
	assert_int_equal(fake.n_probes, 2);
	tick();
	assert_int_equal(fake.n_probes, 2);
	assert_said("probed:ok probed:ok fake=failed ");
	fake.sample_r = 0;
	clock_sleep_until(clock_boot_ms() + 1000);
	tick();
	assert_int_equal(fake.n_probes, 3);
	assert_said("fake=ok probed:ok ");
	/* What one collector found changed is looked for by all, once. */
	for (int i = 0; i < 30; i++)
		tick();
	assert_int_equal(fake.n_probes, 4);
}

/* The sample that finds a node missing is made again after the probe, so that what it says is of
 * the devices that are there. */
static void a_sample_after_a_new_probe_counts(void **state)
{
	static const int64_t period_ms[] = {1000, 1000, 0};

	(void)state;
	start_with(0, period_ms); /* a node goes when its last group has missed it */
	tick();
	fake.stale = true;
	fake.n_nodes = 1;
	tick();
	assert_int_equal(fake.n_probes, 2);
	assert_int_equal(fake.n_samples[0], 3);
	assert_said("probed:ok probed:ok fake.n1=gone ");
}

static void the_last_node_goes(void **state)
{
	static const int64_t period_ms[] = {1000, 1000, 0};
	struct collector_status status;

	(void)state;
	start_with(0, period_ms);
	tick();
	assert_int_equal(n_rows, 2);
	fake.sample_r = -ENODEV;
	fake.probe_r = -ENOENT;
	tick();
	tick();
	assert_said("probed:ok fake=unsupported probed:no_node fake.n0=gone fake.n1=gone ");
	/* Once. */
	tick();
	tick();
	assert_said("");
	/* And it comes back with the next scan. */
	fake.sample_r = fake.probe_r = 0;
	sampler_rescan(sampler);
	tick();
	assert_said("fake=ok probed:ok ");
	assert_int_equal(sampler_collector_status(sampler, 0, &status), 0);
	assert_int_equal(status.state, NODE_OK);
}

static void scan_and_tick(void)
{
	sampler_rescan(sampler);
	tick();
}

/* Without waiting for the slow group: a node that was back by then would never have been away. */
static void a_probe_without_a_node_ends_it(void **state)
{
	struct node_status node;

	(void)state;
	fake.n_listed = 2;
	start(0);
	/* To right behind a sample of the slow group; the next is ten ticks away. */
	while (!fake.n_samples[1])
		tick();
	assert_said("probed:ok ");

	unsigned n_slow = fake.n_samples[1];

	fake.n_listed = fake.n_nodes = 1;
	scan_and_tick();
	assert_said("probed:ok fake.n1=gone ");
	assert_int_equal(fake.n_samples[1], n_slow);
	assert_int_equal(sampler_node_status(sampler, 1, &node), 0);
	assert_int_equal(node.state, NODE_GONE);
	fake.n_listed = fake.n_nodes = 2;
	scan_and_tick();
	assert_said("probed:ok ");
	assert_int_equal(sampler_node_status(sampler, 1, &node), 0);
	assert_int_equal(node.state, NODE_OK);
	/* And again, known by its name from before. */
	fake.n_listed = fake.n_nodes = 1;
	scan_and_tick();
	assert_said("probed:ok fake.n1=gone ");
}

static void an_empty_probe_ends_all(void **state)
{
	(void)state;
	start(0);
	tick();
	fake.probe_r = -ENOENT;
	scan_and_tick();
	assert_said("probed:ok fake=unsupported probed:no_node fake.n0=gone fake.n1=gone ");
}

/* Neither does a scan after an hour, a probe that could not look, or a list that is full. */
static void other_probes_end_nothing(void **state)
{
	(void)state;
	fake.n_listed = 2;
	start(5000);
	for (int i = 0; i < 17; i++)
		tick();
	assert_true(fake.n_probes >= 3);
	assert_null(strstr(log_buf, "gone"));
	text_reset(&log_text);

	static const int errors[] = {-EIO, -EMFILE, -EACCES};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		fake.probe_r = errors[i];
		fake.n_listed = 1;
		scan_and_tick();
		fake.probe_r = 0;
		fake.n_listed = 2;
		scan_and_tick();
		assert_null(strstr(log_buf, "gone"));
		text_reset(&log_text);
	}
	/* Those that no probe names are known by their rows alone. */
	fake.n_nodes = 3;
	tick();
	scan_and_tick();
	assert_null(strstr(log_buf, "gone"));
	assert_int_equal(n_rows, 3);
}

static void a_full_list_ends_nothing(void **state)
{
	(void)state;
	fake.n_listed = 2;
	start(0);
	tick();
	fake.first_listed = 100;
	fake.n_listed = PROBE_ITEMS_MAX + 7;
	scan_and_tick();
	assert_said("probed:ok probed:ok ");
}

static void a_rescan_probes_again(void **state)
{
	struct collector_status status;

	(void)state;
	fake.probe_r = -ENOENT;
	start(5000);
	assert_said("probed:no_node ");
	tick();
	assert_int_equal(fake.n_samples[0], 0);
	assert_int_equal(sampler_collector_status(sampler, 0, &status), 0);
	assert_int_equal(status.state, NODE_UNSUPPORTED);
	assert_string_equal(status.probe->items[0].reason, "said so");
	fake.probe_r = 0;
	sampler_rescan(sampler);
	tick();
	assert_said("fake=ok probed:ok ");
	assert_int_equal(fake.n_samples[0], 1);
	for (int i = 0; i < 17; i++)
		tick();
	assert_in_range(fake.n_probes, 4, 5);
	assert_int_equal(sampler_collector_status(sampler, 1, &status), -ENOENT);
}

/* Without memory for a moment: not without samples for an hour. */
static void a_passing_failure_of_a_probe_is_tried_again(void **state)
{
	(void)state;
	start(3600000);
	tick();
	fake.probe_r = -ENOMEM;
	sampler_rescan(sampler);
	tick();
	assert_said("probed:ok fake=failed probed:failed ");
	fake.probe_r = 0;
	for (int i = 0; i < 12; i++)
		tick();
	assert_said("fake=ok probed:ok ");
	assert_in_range(fake.n_samples[0], 2, 5);
	assert_int_equal(fake.n_probes, 3);
}

static void what_is_switched_off_stays_off(void **state)
{
	static const bool disabled[] = {true};
	struct sampler_options options = {.root = "/", .disabled = disabled, .no_lane = true};
	struct sampler_callbacks callbacks = {0};
	struct collector_status status;

	(void)state;
	assert_int_equal(sampler_open(&options, &catalog, &callbacks, &sampler), 0);
	assert_int_equal(sampler_start(sampler, 1), 0);
	assert_int_equal(sampler_next_ms(sampler), INT64_MAX);
	sampler_tick(sampler, clock_boot_ms());
	assert_int_equal(fake.n_probes, 0);
	assert_int_equal(fake.n_samples[0], 0);
	assert_int_equal(sampler_collector_status(sampler, 0, &status), 0);
	assert_false(status.enabled);
	assert_null(status.probe);
}

static void periods_can_be_chosen(void **state)
{
	static const int64_t period_ms[] = {250, 0, 0};
	struct sampler_options options = {.root = "/", .period_ms = period_ms, .no_lane = true};
	struct sampler_callbacks callbacks = {.rows = on_rows};

	(void)state;
	assert_int_equal(sampler_open(&options, &catalog, &callbacks, &sampler), 0);
	assert_int_equal(sampler_start(sampler, clock_boot_ms()), 0);
	for (int i = 0; i < 8; i++)
		tick();
	assert_int_equal(fake.n_samples[0], 8);
	assert_int_equal(last_step_ms[0], 250);
}

static void a_missing_root_is_an_error(void **state)
{
	struct sampler_options options = {.root = "/nowhere/at/all"};
	struct sampler_callbacks callbacks = {0};

	(void)state;
	assert_int_equal(sampler_open(&options, &catalog, &callbacks, &sampler), -ENOENT);
}

int main(void)
{
#define SAMPLER_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SAMPLER_TEST(ticks_stand_on_the_grid),
		SAMPLER_TEST(changes_are_said_once),
		SAMPLER_TEST(sleep_is_said_once),
		SAMPLER_TEST(a_collector_that_fails_is_left_alone),
		SAMPLER_TEST(enodev_asks_for_a_new_probe),
		SAMPLER_TEST(a_sample_after_a_new_probe_counts),
		SAMPLER_TEST(the_last_node_goes),
		SAMPLER_TEST(a_probe_without_a_node_ends_it),
		SAMPLER_TEST(an_empty_probe_ends_all),
		SAMPLER_TEST(other_probes_end_nothing),
		SAMPLER_TEST(a_full_list_ends_nothing),
		SAMPLER_TEST(a_rescan_probes_again),
		SAMPLER_TEST(a_passing_failure_of_a_probe_is_tried_again),
		SAMPLER_TEST(what_is_switched_off_stays_off),
		SAMPLER_TEST(periods_can_be_chosen),
		SAMPLER_TEST(a_missing_root_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
