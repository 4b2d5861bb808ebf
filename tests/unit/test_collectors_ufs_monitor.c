/* Collector ufs_monitor: on and off, resets, the size filter, what is not opened. */
#include <fcntl.h>
#include <sys/inotify.h>

#include "sampling/runner.h"
#include "tests/unit/collector_fixture.h"

#define HOST    "sys/devices/platform/soc/1d84000.ufshc"
#define MONITOR HOST "/monitor/"
#define NODE    "1d84000.ufshc"

static void put_number(const struct fixture *f, const char *name, long long value)
{
	char path[256], text[32];

	snprintf(path, sizeof(path), MONITOR "%s", name);
	snprintf(text, sizeof(text), "%lld\n", value);
	put(f, path, text);
}

/* All nodes of one direction, in proportion to the number of requests. */
static void put_direction(const struct fixture *f, const char *direction, long long n)
{
	static const struct {
		const char *name;
		long long each;
	} nodes[] = {
		{"nr_requests", 1},       {"total_sectors", 8},   {"total_busy", 100},
		{"req_latency_sum", 200}, {"req_latency_avg", 0},
	};
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		snprintf(name, sizeof(name), "%s_%s", direction, nodes[i].name);
		put_number(f, name, n * nodes[i].each);
	}
	snprintf(name, sizeof(name), "%s_req_latency_min", direction);
	put_number(f, name, n ? 23 : 0);
	snprintf(name, sizeof(name), "%s_req_latency_max", direction);
	put_number(f, name, n ? 4921 : 0);
}

static void put_monitor(const struct fixture *f, int enable, long long reads, long long writes)
{
	put_number(f, "monitor_enable", enable);
	put_number(f, "monitor_chunk_size", 0);
	put_direction(f, "read", reads);
	put_direction(f, "write", writes);
}

static void off_is_disabled_and_left_alone(void **unused)
{
	int fd = inotify_init1(IN_NONBLOCK);
	struct fixture f;
	char path[512], events[4096];

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 0, 0, 0);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	check_outcome(&f, NODE, OUTCOME_DISABLED);
	assert_non_null(
		strstr(item_of(&f, NODE)->advice, "echo 1 > /" HOST "/monitor/monitor_enable"));
	assert_non_null(strstr(item_of(&f, NODE)->advice, "costs a lock at every I/O"));

	/* Nothing is read but the switch. */
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/" MONITOR "read_nr_requests", f.root);
	assert_true(inotify_add_watch(fd, path, IN_ACCESS) >= 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, NODE, "monitor_enable", 0);
	check_absent(&f, NODE, "read_nr_requests");
	check_absent(&f, NODE, "monitor_chunk_size");
	assert_int_equal(read(fd, events, sizeof(events)), -1);
	assert_int_equal(fixture_sample(&f, 0), 0); /* no new probe while nothing changes */

	/* Switched on: values at once, then a new probe that says so. */
	put_monitor(&f, 1, 17, 116);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, NODE, "read_nr_requests", 17);
	assert_true(read(fd, events, sizeof(events)) > 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	check_outcome(&f, NODE, OUTCOME_OK);
	assert_int_equal(fixture_sample(&f, 0), 0);
	put_monitor(&f, 0, 0, 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, NODE, "monitor_enable", 0);
	check_absent(&f, NODE, "read_nr_requests");
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	check_absent(&f, NODE, "read_nr_requests");
	close(fd);
	fixture_end(&f);
}

static void several_queues_cost_more(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 0, 0, 0);
	put(&f, HOST "/host0/scsi_host/host0/nr_hw_queues", "9\n");
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	assert_non_null(strstr(item_of(&f, NODE)->advice, "all 9 hardware queues"));
	fixture_end(&f);
}

static void check_flags(const struct fixture *f, enum flag counters, enum flag gauges)
{
	static const char *const fields[] = {"nr_requests", "total_sectors", "total_busy",
					     "req_latency_sum"};
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		snprintf(name, sizeof(name), "read_%s", fields[i]);
		check_flag(f, NODE, name, counters);
		snprintf(name, sizeof(name), "write_%s", fields[i]);
		check_flag(f, NODE, name, counters);
	}
	check_flag(f, NODE, "read_req_latency_min", gauges);
	check_flag(f, NODE, "write_req_latency_max", gauges);
	check_flag(f, NODE, "monitor_enable", FLAG_NONE);
	check_flag(f, NODE, "monitor_chunk_size", FLAG_NONE);
}

static void a_reset_by_somebody_is_flagged_once(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 1, 17, 116);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_NONE, FLAG_NONE);
	put_monitor(&f, 1, 20, 120);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_NONE, FLAG_NONE);
	/* Reads fell; writes have overtaken their old number already. */
	put_monitor(&f, 1, 3, 500);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_RESET, FLAG_NONE);
	check_value(&f, NODE, "write_nr_requests", 500);
	put_monitor(&f, 1, 4, 501);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_NONE, FLAG_NONE);
	fixture_end(&f);
}

static size_t index_of_collector(const char *name)
{
	size_t i = 0;

	while (strcmp(registry()->collectors[i]->name, name) != 0)
		assert_true(++i < registry()->n_collectors);
	return i;
}

/* As the daemon samples: what asks for a new probe is thrown away, and so is the state. */
static void switched_off_and_on_is_a_reset_across_probes(void **unused)
{
	static const struct {
		int enable;
		long long requests;
		enum flag flag; /* of counters */
		bool news;      /* probed again by the sample */
		bool probe;     /* for another reason, before it: a device came, the hour is over */
	} ticks[] = {
		{1, 900, FLAG_NONE, false},
		{1, 1000, FLAG_NONE, false},
		{0, 0, FLAG_NONE, false},
		{0, 0, FLAG_NONE, true},
		{0, 0, FLAG_NONE, false},
		{1, 5000, FLAG_RESET, false},
		{1, 5100, FLAG_NONE, true},
		{1, 5200, FLAG_NONE, false},
		/* off for one tick, and fallen just when the probe is due */
		{0, 0, FLAG_NONE, false},
		{1, 9000, FLAG_RESET, false},
		{1, 9100, FLAG_NONE, false},
		{0, 0, FLAG_NONE, false},
		{0, 0, FLAG_NONE, true},
		{1, 10000, FLAG_RESET, false},
		{1, 30, FLAG_RESET, false},
		{1, 40, FLAG_NONE, true},
		{1, 50, FLAG_NONE, false},
		/* a probe that finds it on again forgets nothing of what was before */
		{0, 0, FLAG_NONE, false},
		{1, 9999, FLAG_RESET, false, true},
		{1, 10000, FLAG_NONE, false, true},
		{1, 7, FLAG_RESET, false, true},
		{1, 8, FLAG_NONE, false, false},
	};
	size_t collector = index_of_collector("ufs_monitor");
	size_t group;
	struct runner_options options = {0};
	struct runner *runner;
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	f.group = &registry()->collectors[collector]->groups[0];
	options.root = f.root;
	assert_int_equal(catalog_find_group(registry(), "ufs_monitor", &group), 0);
	assert_int_equal(sink_init(&f.sink), 0);
	assert_int_equal(runner_open(&options, registry(), &runner), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ticks); i++) {
		put_monitor(&f, ticks[i].enable, ticks[i].requests, ticks[i].requests);
		if (i == 0 || ticks[i].probe)
			assert_int_equal(runner_probe(runner, collector), 0);
		assert_int_equal(runner_sample(runner, group, 1000 * (int64_t)i, &f.sink), 0);
		check_value(&f, NODE, "monitor_enable", ticks[i].enable);
		check_flags(&f, ticks[i].flag, FLAG_NONE);
		if (ticks[i].enable)
			check_value(&f, NODE, "read_nr_requests", ticks[i].requests);
		assert_int_equal(runner_news(runner, collector), ticks[i].news);
	}
	runner_close(runner);
	fixture_end(&f);
}

/* A probe for any other reason in between: what it saw off begins anew. */
static void off_at_the_probe_is_a_reset(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 0, 0, 0);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	put_monitor(&f, 1, 5000, 5000);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_RESET, FLAG_NONE);
	/* One that could not be read was not seen off. */
	put(&f, MONITOR "monitor_enable", "yes\n");
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	put_monitor(&f, 1, 5000, 5000);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_NONE, FLAG_NONE);
	fixture_end(&f);
}

static void a_size_filter_is_flagged(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 1, 17, 116);
	put_number(&f, "monitor_chunk_size", 4096);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	check_outcome(&f, NODE, OUTCOME_OK);
	assert_non_null(strstr(item_of(&f, NODE)->reason, "exactly 4096 bytes"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, NODE, "monitor_chunk_size", 4096);
	check_flags(&f, FLAG_FILTERED, FLAG_FILTERED);
	put_direction(&f, "read", 1);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_flags(&f, FLAG_RESET, FLAG_FILTERED);
	fixture_end(&f);
}

static void without_a_request_there_is_no_extreme(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 1, 0, 5);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_value(&f, NODE, "read_nr_requests", 0);
	check_value(&f, NODE, "read_req_latency_sum", 0);
	check_absent(&f, NODE, "read_req_latency_min");
	check_absent(&f, NODE, "read_req_latency_max");
	check_value(&f, NODE, "write_req_latency_min", 23);
	check_value(&f, NODE, "write_req_latency_max", 4921);
	fixture_end(&f);
}

static void garbage_is_a_fault_of_its_field(void **unused)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{"", ENODATA},      {"\n", ENODATA},   {"-1\n", EINVAL},
		{"many\n", EINVAL}, {"1.5\n", EINVAL}, {"18446744073709551615\n", ERANGE},
		{"1 2\n", EINVAL},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 1, 17, 116);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, MONITOR "read_total_busy", cases[i].text);
		assert_int_equal(fixture_sample(&f, 0), 0);
		check_fault(&f, NODE, "read_total_busy", cases[i].error);
		check_value(&f, NODE, "read_nr_requests", 17);
		check_flag(&f, NODE, "read_nr_requests", FLAG_NONE);
	}
	/* Of the switch itself: then nothing else is read. */
	put(&f, MONITOR "monitor_enable", "yes\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, NODE, "monitor_enable", EINVAL);
	check_absent(&f, NODE, "read_nr_requests");
	take_away(&f, MONITOR "read_total_busy");
	put_number(&f, "monitor_enable", 1);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_absent(&f, NODE, "read_total_busy");
	fixture_end(&f);
}

static void the_mean_of_the_kernel_is_not_opened(void **unused)
{
	int fd = inotify_init1(IN_NONBLOCK);
	struct fixture f;
	char path[512], events[4096];

	(void)unused;
	assert_true(fd >= 0);
	fixture_start(&f);
	put_monitor(&f, 1, 0, 0);
	snprintf(path, sizeof(path), "%s/" MONITOR "read_req_latency_avg", f.root);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	snprintf(path, sizeof(path), "%s/" MONITOR "write_req_latency_avg", f.root);
	assert_true(inotify_add_watch(fd, path, IN_OPEN) >= 0);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", true), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(read(fd, events, sizeof(events)), -1);
	close(open(path, O_RDONLY));
	assert_true(read(fd, events, sizeof(events)) > 0);
	close(fd);
	fixture_end(&f);
}

static void what_the_probe_says(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, HOST "/rpm_lvl", "3\n");
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	check_outcome(&f, NODE, OUTCOME_NO_NODE);
	assert_non_null(strstr(item_of(&f, NODE)->reason, "5.14"));
	put_monitor(&f, 1, 1, 1);
	put(&f, "ERRORS", MONITOR "monitor_enable\topen\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	check_outcome(&f, NODE, OUTCOME_DENIED);
	assert_int_equal(fixture_sample(&f, 0), 0);
	check_fault(&f, NODE, "monitor_enable", EACCES);
	fixture_end(&f);
}

static void a_driver_that_goes_is_looked_for_again(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put_monitor(&f, 1, 1, 1);
	put(&f, "ERRORS", MONITOR "monitor_enable\tread\tENODEV\n");
	assert_int_equal(fixture_probe(&f, "ufs_monitor", false), 0);
	assert_int_equal(fixture_sample(&f, 0), -ENODEV);
	check_fault(&f, NODE, "monitor_enable", ENODEV);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_is_disabled_and_left_alone),
		cmocka_unit_test(several_queues_cost_more),
		cmocka_unit_test(a_reset_by_somebody_is_flagged_once),
		cmocka_unit_test(switched_off_and_on_is_a_reset_across_probes),
		cmocka_unit_test(off_at_the_probe_is_a_reset),
		cmocka_unit_test(a_size_filter_is_flagged),
		cmocka_unit_test(without_a_request_there_is_no_extreme),
		cmocka_unit_test(garbage_is_a_fault_of_its_field),
		cmocka_unit_test(the_mean_of_the_kernel_is_not_opened),
		cmocka_unit_test(what_the_probe_says),
		cmocka_unit_test(a_driver_that_goes_is_looked_for_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
