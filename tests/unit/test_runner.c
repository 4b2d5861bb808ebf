/* The runner: how often a collector is probed again whose device stays away. Time is an argument.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sampling/runner.h"

static unsigned n_probes;

static const struct field fields[] = {
	{.name = "a", .unit = UNIT_COUNT, .kind = KIND_GAUGE, .help = ""},
};

static const struct group groups[] = {
	{.name = "gone", .cost = COST_H, .fields = fields, .n_fields = 1, .period_ms = 1000},
	{.name = "there", .cost = COST_L, .fields = fields, .n_fields = 1, .period_ms = 1000},
};

static int fake_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	(void)hw, (void)probe;
	n_probes++;
	*ret_state = NULL;
	return 0;
}

/* A zone whose driver says ENODEV for ever, beside a group that is well. */
static int fake_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	(void)state, (void)hw;
	row_set(sink_row(sink, "n", ""), 0, 1);
	return group == 0 ? -ENODEV : 0;
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

static void a_device_that_stays_away_is_looked_for_less_and_less(void **state)
{
	struct runner_options options = {.root = "/"};
	struct runner *runner;
	struct sink sink;

	(void)state;
	assert_int_equal(sink_init(&sink), 0);
	assert_int_equal(runner_open(&options, &catalog, &runner), 0);
	assert_int_equal(runner_probe(runner, 0), 0);
	for (int64_t t_ms = 1000; t_ms <= 600000; t_ms += 1000) {
		assert_int_equal(runner_sample(runner, 0, t_ms, &sink), -ENODEV);
		assert_int_equal(runner_sample(runner, 1, t_ms, &sink), 0);
	}
	/* After 0.9 s, 1.8 s ... 60 s. */
	assert_in_range(n_probes, 10, 20);
	runner_close(runner);
	sink_done(&sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_that_stays_away_is_looked_for_less_and_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
