/* The sampler beside a helper of this test's own: what it asks for and when, and what it says of
 * collectors while there is none, when it goes, and when it is back. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/packet_socket.h"
#include "sampling/sampler.h"

/* 30 days: no multiple of it on this machine's clock comes into the way of a test. */
#define PERIOD_MS 2592000000

static const struct field fields[] = {{"a", UNIT_COUNT, KIND_GAUGE, "", "a", 0, NULL}};
static const struct group commands[] = {
	{.name = "asked", .cost = COST_Q, .period_ms = PERIOD_MS, .fields = fields, .n_fields = 1},
};
static const struct group reads[] = {
	{.name = "read", .cost = COST_L, .period_ms = 10000, .fields = fields, .n_fields = 1},
};
enum { ASKED, READ };

static int fake_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	(void)hw;
	probe_node(probe, "n0", OUTCOME_OK, "", "there");
	*ret_state = NULL;
	return 0;
}

/* That of the lane; the helper of this test has the value 2. */
static int fake_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	(void)state, (void)hw, (void)group;
	row_set(sink_row(sink, "n0", ""), 0, 1);
	return 0;
}

static const struct collector asked = {.name = "asked",
				       .groups = commands,
				       .n_groups = 1,
				       .probe = fake_probe,
				       .sample = fake_sample};
static const struct collector read_only = {.name = "read",
					   .groups = reads,
					   .n_groups = 1,
					   .privileged = true,
					   .probe = fake_probe,
					   .sample = fake_sample};
static const struct collector *const collectors[] = {&asked, &read_only};
static const struct catalog catalog = {collectors, ARRAY_SIZE(collectors)};

static struct {
	unsigned n_rows[2], n_up, n_down;
	int64_t t_ms[2], value[2];
	size_t n_nodes; /* of the last rows */
	bool partial;
} said;

static void on_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	size_t i = group == commands ? ASKED : READ;

	(void)arg, (void)late_ms, (void)step_ms;
	said.n_rows[i]++;
	said.t_ms[i] = t_ms;
	said.value[i] = sink->n_rows ? sink->rows[0]->values[0].i : 0;
	said.n_nodes = sink->n_rows;
	said.partial = sink->partial;
}

static void on_helper(void *arg, const struct link_status *status)
{
	(void)arg;
	said.n_up += status->state == LINK_UP;
	said.n_down += status->state == LINK_DOWN;
}

static char dir[64], path[128];
static struct sampler *sampler;
static int listen_fd, helper_fd;
static int64_t now_ms; /* never behind the clock */
static uint8_t packet[WIRE_MESSAGE_MAX];

static void open_sampler(const char *helper_path, const char *off_reason)
{
	struct sampler_options options = {.root = dir,
					  .deadline_ms = 300,
					  .helper_path = helper_path,
					  .helper_off_reason = off_reason};
	struct sampler_callbacks callbacks = {.rows = on_rows, .helper = on_helper};

	assert_int_equal(sampler_open(&options, &catalog, &callbacks, &sampler), 0);
	now_ms = clock_boot_ms();
	assert_int_equal(sampler_start(sampler, now_ms), 0);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int set_up(void **state)
{
	(void)state;
	memset(&said, 0, sizeof(said));
	snprintf(dir, sizeof(dir), "/tmp/test_sampler_helper.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/helper.sock", dir);
	listen_fd = helper_fd = -1;
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	sampler_close(sampler);
	close_fd(&helper_fd);
	close_fd(&listen_fd);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void tick(int64_t step_ms)
{
	now_ms = MAX(now_ms + step_ms, clock_boot_ms());
	sampler_tick(sampler, now_ms);
}

static void say(size_t len)
{
	assert_int_equal(send(helper_fd, packet, len, 0), (ssize_t)len);
	sampler_helper_input(sampler);
}

static void greet(void)
{
	struct wire_hello hello = {.version = FLASHSCOPE_VERSION, .digest = wire_digest(&catalog)};

	helper_fd = accept(listen_fd, NULL, NULL);
	assert_true(helper_fd >= 0);
	say(wire_put_hello(packet, &hello));
}

static void say_probed(size_t collector, const char *node)
{
	struct wire_probed head = {.collector = collector};
	struct probe probe;
	size_t next = 0, len;

	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, node, OUTCOME_OK, "", "there");
	len = wire_put_probed(packet, &head, &probe, &next);
	say(len);
	probe_done(&probe);
}

static bool asked_rest; /* by the last request */

/* The time that a group was asked for since the last call, 0 when it was not. */
static int64_t asked_for(size_t group)
{
	struct wire_tick request;
	int64_t t_ms = 0;
	ssize_t n;

	while ((n = recv(helper_fd, packet, sizeof(packet), MSG_DONTWAIT)) > 0) {
		if (wire_get_tick(packet, (size_t)n, &catalog, &request) < 0)
			continue;
		for (size_t i = 0; i < request.n_groups; i++)
			if (request.groups[i].group == group) {
				t_ms = request.groups[i].t_ms;
				asked_rest = request.groups[i].rest;
			}
	}
	return t_ms;
}

static void answer(size_t group, int64_t t_ms, int error, const char *node)
{
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = now_ms, .error = error};
	struct sink sink = {0};
	size_t next = 0, len;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, catalog_group_at(&catalog, group, NULL));
	if (!error)
		row_set(sink_row(&sink, node, ""), 0, 2);
	len = wire_put_rows(packet, &head, &sink, &next);
	say(len);
	sink_done(&sink);
}

static struct collector_status status_of(size_t collector)
{
	struct collector_status status;

	assert_int_equal(sampler_collector_status(sampler, collector, &status), 0);
	return status;
}

static void assert_reason(enum outcome outcome, const char *reason)
{
	const struct probe *probe = status_of(ASKED).probe;

	assert_non_null(probe);
	assert_int_equal(probe->items[0].outcome, outcome);
	assert_non_null(strstr(probe->items[0].reason, reason));
	assert_non_null(strstr(probe->items[0].advice, outcome == OUTCOME_DISABLED
							       ? "mode = auto in [helper]"
							       : "flashscope-helper --socket"));
}

/* A helper that has looked, with one device. */
static void come_up(void)
{
	listen_fd = packet_socket_listen(path, geteuid());
	assert_true(listen_fd >= 0);
	open_sampler(path, NULL);
	greet();
	assert_int_equal(said.n_up, 1);
	say_probed(ASKED, "n0");
}

static void off(void **state)
{
	(void)state;
	open_sampler(NULL, "it is switched off");
	assert_reason(OUTCOME_DISABLED, "it is switched off");
	assert_int_equal(status_of(ASKED).state, NODE_UNSUPPORTED);
	tick(PERIOD_MS);
	tick(PERIOD_MS);
	assert_int_equal(said.n_rows[ASKED], 0);
	assert_int_equal(sampler_helper_fd(sampler), -1);
}

static void not_there(void **state)
{
	(void)state;
	open_sampler(path, NULL);
	assert_reason(OUTCOME_DENIED, "it cannot be reached at");
	assert_int_equal(status_of(ASKED).state, NODE_DENIED);
	tick(PERIOD_MS);
	assert_int_equal(said.n_rows[ASKED], 0);
	assert_int_equal(said.n_down, 0);                 /* it has never been there */
	assert_int_equal(status_of(READ).state, NODE_OK); /* by the lane */

	/* It comes later. */
	listen_fd = packet_socket_listen(path, geteuid());
	tick(61000);
	greet();
	say_probed(ASKED, "n0");
	assert_int_equal(status_of(ASKED).state, NODE_OK);
	tick(1);
	assert_true(asked_for(ASKED) > 0);
}

static void the_first_sample_is_taken_at_once(void **state)
{
	int64_t t_ms;

	(void)state;
	come_up();
	assert_int_equal(status_of(ASKED).state, NODE_OK);
	assert_true(sampler_next_ms(sampler) <= clock_boot_ms());
	tick(1);
	t_ms = asked_for(ASKED);
	assert_in_range(t_ms, now_ms, now_ms + 1000);
	/* Not for each tick again. */
	tick(1000);
	assert_int_equal(asked_for(ASKED), 0);
	/* An answer to what was not asked is none. */
	answer(ASKED, t_ms + 1, 0, "n0");
	assert_int_equal(said.n_rows[ASKED], 0);
	answer(ASKED, t_ms, 0, "n0");
	assert_int_equal(said.n_rows[ASKED], 1);
	assert_int_equal(said.t_ms[ASKED], t_ms);
	assert_int_equal(said.value[ASKED], 2);

	/* The next one stands on its multiple, but for one that is late. */
	tick(PERIOD_MS - now_ms % PERIOD_MS);
	t_ms = asked_for(ASKED);
	assert_true(t_ms > 0);
	assert_int_equal(t_ms % PERIOD_MS, 0);
	answer(ASKED, t_ms, 0, "n0");
	tick(2 * PERIOD_MS - now_ms % PERIOD_MS - 5000);
	assert_in_range(asked_for(ASKED), now_ms - 1, now_ms);
}

/* The daemon before this one had its sample a moment ago. */
static void a_first_sample_that_comes_too_soon(void **state)
{
	int64_t t_ms;

	(void)state;
	come_up();
	tick(1);
	for (int i = 0; i < 3; i++) {
		t_ms = asked_for(ASKED);
		assert_true(t_ms > 0);
		answer(ASKED, t_ms, -EAGAIN, NULL);
		assert_int_equal(status_of(ASKED).state, NODE_OK);
		tick((9000 << i) - 1000);
		assert_int_equal(asked_for(ASKED), 0);
		tick((1000 << i) + 2000);
	}
	t_ms = asked_for(ASKED);
	answer(ASKED, t_ms, 0, "n0");
	assert_int_equal(said.n_rows[ASKED], 1);
	tick(20000);
	assert_int_equal(asked_for(ASKED), 0);
}

static void answer_asleep(size_t group, int64_t t_ms)
{
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = now_ms};
	struct sink sink = {0};
	size_t next = 0, len;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, catalog_group_at(&catalog, group, NULL));
	sink_row(&sink, "n0", "")->suspended = true;
	len = wire_put_rows(packet, &head, &sink, &next);
	say(len);
	sink_done(&sink);
}

/* A phone's UFS is awake for seconds: each hour on the hour it would be found asleep for ever. */
static void one_that_sleeps_is_looked_at_again(void **state)
{
	struct node_status node;

	(void)state;
	come_up();
	tick(1);
	for (int i = 0; i < 3; i++) {
		int64_t t_ms = asked_for(ASKED);

		assert_true(t_ms > 0);
		answer_asleep(ASKED, t_ms);
		assert_int_equal(said.n_rows[ASKED], 0);
		assert_int_equal(sampler_node_status(sampler, 0, &node), 0);
		assert_int_equal(node.state, NODE_SUSPENDED);
		tick(50000);
		assert_int_equal(asked_for(ASKED), 0);
		tick(11000);
	}
	answer(ASKED, asked_for(ASKED), 0, "n0");
	assert_int_equal(said.n_rows[ASKED], 1);
	assert_int_equal(sampler_node_status(sampler, 0, &node), 0);
	assert_int_equal(node.state, NODE_OK);
	tick(61000);
	assert_int_equal(asked_for(ASKED), 0);
}

/* Of two, one that sleeps, and has fallen asleep half-way if so. */
static void answer_one_asleep(int64_t t_ms, bool half_way)
{
	struct wire_rows head = {.group = ASKED, .t_ms = t_ms, .at_ms = now_ms};
	struct sink sink = {0};
	struct row *row;
	size_t next = 0, len;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, catalog_group_at(&catalog, ASKED, NULL));
	row_set(sink_row(&sink, "n0", ""), 0, 2);
	row = sink_row(&sink, "n1", "");
	row->suspended = true;
	if (half_way)
		row_set(row, 0, 3);
	len = wire_put_rows(packet, &head, &sink, &next);
	say(len);
	sink_done(&sink);
}

static bool node_state(const char *name, enum node_state want)
{
	struct node_status node;

	for (size_t i = 0; sampler_node_status(sampler, i, &node) == 0; i++)
		if (node.collector == &asked && !strcmp(node.node, name))
			return node.state == want;
	return false;
}

/* Of two, the one that slept is looked at each minute, and no other; so is one that is new. */
static void one_of_two_is_looked_at_again(void **state)
{
	(void)state;
	come_up();
	tick(1);
	answer_one_asleep(asked_for(ASKED), false);
	for (int i = 0; i < 2; i++) {
		int64_t t_ms;

		tick(50000);
		assert_int_equal(asked_for(ASKED), 0);
		tick(11000);
		t_ms = asked_for(ASKED);
		assert_true(t_ms > 0);
		assert_true(asked_rest);
		/* One that comes too soon is made up for. */
		if (i == 0)
			answer(ASKED, t_ms, -EAGAIN, NULL);
		else
			answer(ASKED, t_ms, 0, "n1");
	}
	tick(61000);
	assert_int_equal(asked_for(ASKED), 0);
	say_probed(ASKED, "n2");
	tick(1);
	answer(ASKED, asked_for(ASKED), 0, "n2");
	assert_true(node_state("n2", NODE_OK));
	assert_true(asked_rest);
	tick(PERIOD_MS);
	assert_true(asked_for(ASKED) > 0);
	assert_false(asked_rest);
}

/* What sleeps has no sample, whoever else has one, also when it was awake at first. */
static void one_that_sleeps_has_no_row(void **state)
{
	(void)state;
	come_up();
	for (int half_way = 0; half_way < 2; half_way++) {
		tick(PERIOD_MS);
		answer_one_asleep(asked_for(ASKED), half_way);
		assert_int_equal(said.n_rows[ASKED], half_way + 1);
		assert_int_equal(said.n_nodes, 1);
		assert_true(said.partial);
		assert_int_equal(said.value[ASKED], 2);
		assert_true(node_state("n0", NODE_OK));
		assert_true(node_state("n1", NODE_SUSPENDED));
	}
}

static void it_goes_and_comes_back(void **state)
{
	int64_t t_ms;

	(void)state;
	come_up();
	tick(1);
	t_ms = asked_for(ASKED);
	answer(ASKED, t_ms, 0, "n0");
	close_fd(&helper_fd);
	sampler_helper_input(sampler);
	assert_int_equal(said.n_down, 1);
	assert_int_equal(status_of(ASKED).state, NODE_FAILED);
	assert_int_equal(status_of(ASKED).last_error, -EHOSTDOWN);
	assert_reason(OUTCOME_FAILED, "it has gone");

	tick(2000);
	greet();
	assert_int_equal(said.n_up, 2);
	say_probed(ASKED, "n0");
	assert_int_equal(status_of(ASKED).state, NODE_OK);
	tick(1);
	assert_int_equal(asked_for(ASKED), 0); /* there is a sample of this run */
}

/* One of a device that took long, after those of the others: at a time of its own, or it would take
 * their place. */
static void late_rows_stand_beside_the_others(void **state)
{
	int64_t asked_ms, t_ms;

	(void)state;
	come_up();
	tick(1);
	asked_ms = t_ms = asked_for(ASKED);
	answer(ASKED, asked_ms, 0, "n0");
	assert_int_equal(said.t_ms[ASKED], asked_ms);
	answer(ASKED, asked_ms, 0, "n1");
	assert_int_equal(said.n_rows[ASKED], 2);
	assert_true(said.t_ms[ASKED] > t_ms);
	t_ms = said.t_ms[ASKED];
	answer(ASKED, asked_ms, 0, "n2");
	assert_true(said.t_ms[ASKED] > t_ms);
}

/* Not only after its hour: a first sample that fails, and a device that was plugged in. */
static void what_is_new_is_asked_soon(void **state)
{
	int64_t t_ms;

	(void)state;
	come_up();
	tick(1);
	answer(ASKED, asked_for(ASKED), -EIO, NULL);
	assert_int_equal(status_of(ASKED).state, NODE_FAILED);
	tick(12000);
	t_ms = asked_for(ASKED);
	assert_true(t_ms > 0);
	answer(ASKED, t_ms, 0, "n0");
	assert_int_equal(status_of(ASKED).state, NODE_OK);
	tick(12000);
	assert_int_equal(asked_for(ASKED), 0);
	say_probed(ASKED, "n1");
	tick(1);
	assert_true(asked_for(ASKED) > 0);
}

static void nodes_go(void **state)
{
	struct wire_node hung = {.hung = true, .collector = 0, .group = 0, .node = "n0"};

	(void)state;
	come_up();
	tick(1);
	answer(ASKED, asked_for(ASKED), 0, "n0");
	assert_true(node_state("n0", NODE_OK));
	hung.since_ms = now_ms;
	say(wire_put_node(packet, &hung));
	assert_true(node_state("n0", NODE_HUNG));
	/* A sample without it, as it hangs: it has not gone. */
	tick(PERIOD_MS);
	answer(ASKED, asked_for(ASKED), 0, "n1");
	assert_true(node_state("n0", NODE_HUNG));
	hung.hung = false;
	say(wire_put_node(packet, &hung));
	/* What a probe does not name has gone. */
	say_probed(ASKED, "n1");
	assert_true(node_state("n0", NODE_GONE));
	assert_true(node_state("n1", NODE_OK));
}

/* It is said at once, whatever its collector samples next and when. */
static void one_that_hung_went(void **state)
{
	struct wire_node node = {.hung = true, .collector = 0, .group = 0, .node = "n0"};

	(void)state;
	come_up();
	tick(1);
	answer(ASKED, asked_for(ASKED), 0, "n0");
	node.since_ms = now_ms;
	say(wire_put_node(packet, &node));
	say_probed(ASKED, "n1");
	assert_true(node_state("n0", NODE_HUNG));
	node.hung = false;
	node.gone = true;
	say(wire_put_node(packet, &node));
	assert_true(node_state("n0", NODE_GONE));
}

static void lane_turns(unsigned *count, unsigned n)
{
	for (int64_t until_ms = clock_boot_ms() + 10000; *count < n;) {
		struct pollfd fd = {.fd = sampler_lane_fd(sampler), .events = POLLIN};

		assert_true(clock_boot_ms() < until_ms);
		poll(&fd, 1, 10);
		sampler_lane_input(sampler);
		tick(1);
	}
}

/* What only root may read is read by the helper, and without it by the lane. */
static void what_is_read_falls_back(void **state)
{
	int64_t t_ms;

	(void)state;
	come_up();
	tick(10000);
	assert_int_equal(asked_for(READ), 0);
	lane_turns(&said.n_rows[READ], 1);
	assert_int_equal(said.value[READ], 1);

	say_probed(READ, "n0");
	tick(10000);
	t_ms = asked_for(READ);
	assert_true(t_ms > 0);
	answer(READ, t_ms, 0, "n0");
	assert_int_equal(said.value[READ], 2);
	assert_int_equal(said.n_rows[READ], 2);

	close_fd(&helper_fd);
	sampler_helper_input(sampler);
	tick(10000);
	lane_turns(&said.n_rows[READ], 3);
	assert_int_equal(said.value[READ], 1);
	assert_int_equal(status_of(READ).state, NODE_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(off),
		TEST(not_there),
		TEST(the_first_sample_is_taken_at_once),
		TEST(a_first_sample_that_comes_too_soon),
		TEST(one_that_sleeps_is_looked_at_again),
		TEST(one_of_two_is_looked_at_again),
		TEST(one_that_sleeps_has_no_row),
		TEST(late_rows_stand_beside_the_others),
		TEST(what_is_new_is_asked_soon),
		TEST(it_goes_and_comes_back),
		TEST(nodes_go),
		TEST(one_that_hung_went),
		TEST(what_is_read_falls_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
