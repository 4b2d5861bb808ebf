/* The daemon's side of the socket, against a helper of this test's own: one that is not there, says
 * no, talks nonsense, says nothing, goes and comes back. Time is what the test says it is. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/packet_socket.h"
#include "sampling/helper_link.h"

static const struct field fields[] = {
	{"a", UNIT_COUNT, KIND_COUNTER, ""},
	{"b", UNIT_NONE, KIND_INFO, ""},
};
static const struct group commands[] = {
	{.name = "asked", .cost = COST_Q, .period_ms = 3600000, .fields = fields, .n_fields = 2},
};
static const struct group reads[] = {
	{.name = "read", .cost = COST_L, .period_ms = 10000, .fields = fields, .n_fields = 2},
};
static const struct collector asked = {.name = "asked", .groups = commands, .n_groups = 1};
static const struct collector read_only = {
	.name = "read", .groups = reads, .n_groups = 1, .privileged = true};
static const struct collector plain = {.name = "plain", .groups = reads, .n_groups = 1};
static const struct collector *const collectors[] = {&asked, &read_only, &plain};
static const struct catalog catalog = {collectors, ARRAY_SIZE(collectors)};

static struct {
	unsigned n_rows, n_probed, n_nodes, n_changed;
	struct wire_rows head;
	size_t rows;
	bool partial;
	int probe_error;
	size_t probe_items;
	unsigned n_logs;
	int log_error;
} said;

static void on_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	(void)arg;
	said.n_rows++;
	said.head = *head;
	said.rows = sink->n_rows;
	said.partial = sink->partial;
}

static void on_probed(void *arg, size_t collector, int error, struct probe *probe)
{
	(void)arg, (void)collector;
	said.n_probed++;
	said.probe_error = error;
	said.probe_items = probe->n_items;
}

static void on_node(void *arg, const struct wire_node *node)
{
	(void)arg, (void)node;
	said.n_nodes++;
}

static void on_changed(void *arg)
{
	(void)arg;
	said.n_changed++;
}

static void on_log(void *arg, int fd, int error)
{
	(void)arg;
	said.n_logs++;
	said.log_error = error;
	if (fd >= 0)
		close(fd);
}

static char dir[64], path[128];
static struct link *link_;
static int listen_fd, helper_fd;
static int64_t now_ms;
static uint8_t packet[WIRE_MESSAGE_MAX + 16];

static void open_link(const char *of_path)
{
	struct link_options options = {
		.catalog = &catalog, .path = of_path, .off_reason = "not wanted"};

	assert_int_equal(link_open(&options,
				   &(struct link_events){NULL, on_rows, on_probed, on_node,
							 on_changed, on_log},
				   &link_),
			 0);
}

static void hear(void)
{
	listen_fd = packet_socket_listen(path, geteuid());
	assert_true(listen_fd >= 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(&said, 0, sizeof(said));
	snprintf(dir, sizeof(dir), "/tmp/test_helper_link.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sub/helper.sock", dir);
	listen_fd = helper_fd = -1;
	now_ms = 1000000;
	open_link(path);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	link_close(link_);
	close_fd(&helper_fd);
	close_fd(&listen_fd);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void say(size_t len)
{
	assert_int_equal(send(helper_fd, packet, len, 0), (ssize_t)len);
	link_receive(link_, now_ms);
}

static ssize_t hear_packet(void)
{
	return recv(helper_fd, packet, sizeof(packet), MSG_DONTWAIT);
}

static const struct link_status *status(void)
{
	return link_status(link_);
}

static void assert_down(const char *reason)
{
	assert_int_equal(status()->state, LINK_DOWN);
	assert_non_null(strstr(status()->reason, reason));
	assert_int_equal(link_fd(link_), -1);
	assert_true(link_is_settled(link_));
	assert_false(link_serves(link_, 0));
	assert_true(link_due_ms(link_) > now_ms);
	assert_true(link_due_ms(link_) <= now_ms + 60000);
}

/* Connects, and takes the greeting of the link. */
static void connect_only(void)
{
	struct wire_hello hello;
	ssize_t n;

	link_check(link_, now_ms);
	assert_true(link_fd(link_) >= 0);
	helper_fd = accept(listen_fd, NULL, NULL);
	assert_true(helper_fd >= 0);
	n = hear_packet();
	assert_true(n > 0);
	assert_int_equal(wire_get_hello(packet, (size_t)n, &hello), 0);
	assert_string_equal(hello.version, FLASHSCOPE_VERSION);
	assert_int_equal(hello.digest, wire_digest(&catalog));
}

static void say_hello(int64_t digest)
{
	struct wire_hello hello = {.version = FLASHSCOPE_VERSION, .digest = digest};

	say(wire_put_hello(packet, &hello));
}

/* Also takes what the link says then of the UFS monitor. */
static void come_up(void)
{
	struct wire_monitor monitor;
	ssize_t n;

	hear();
	connect_only();
	say_hello(wire_digest(&catalog));
	assert_int_equal(status()->state, LINK_UP);
	assert_string_equal(status()->reason, "");
	assert_int_equal(said.n_changed, 1);
	assert_false(link_is_settled(link_));
	n = hear_packet();
	assert_int_equal(wire_get_monitor(packet, (size_t)n, &monitor), 0);
}

static void say_probed(size_t collector, int error)
{
	struct wire_probed head = {.collector = collector, .error = error};
	struct probe probe;
	size_t next = 0, len;

	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, "n", OUTCOME_OK, "", "there");
	len = wire_put_probed(packet, &head, &probe, &next);
	assert_true(head.last);
	say(len);
	probe_done(&probe);
}

static void say_rows(size_t group, int64_t t_ms)
{
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = t_ms};
	struct sink sink = {0};
	size_t next = 0, len;

	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, catalog_group_at(&catalog, group, NULL));
	row_set(sink_row(&sink, "n", ""), 0, 5);
	len = wire_put_rows(packet, &head, &sink, &next);
	say(len);
	sink_done(&sink);
}

static void say_node(bool hung, const char *node)
{
	struct wire_node message = {.hung = hung, .collector = 0, .group = 0, .since_ms = 5};

	snprintf(message.node, sizeof(message.node), "%s", node);
	say(wire_put_node(packet, &message));
}

static void ask(uint16_t group)
{
	link_request(link_, &(struct wire_tick){1, {{group, now_ms}}}, now_ms);
}

static void off(void **state)
{
	(void)state;
	link_close(link_);
	open_link(NULL);
	link_check(link_, now_ms);
	assert_int_equal(status()->state, LINK_OFF);
	assert_string_equal(status()->reason, "not wanted");
	assert_int_equal(link_due_ms(link_), INT64_MAX);
	assert_int_equal(link_fd(link_), -1);
	ask(0);
	link_rescan(link_, now_ms);
	link_receive(link_, now_ms);
	assert_int_equal(said.n_changed, 0);
}

static void a_path_that_is_too_long(void **state)
{
	char name[LINK_PATH_MAX + 2];
	struct link *none;
	struct link_options options = {.catalog = &catalog, .path = name};

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(link_open(&options, &(struct link_events){0}, &none), -ENAMETOOLONG);
	/* One that fits here, and into no address. */
	name[200] = '\0';
	link_close(link_);
	open_link(name);
	link_check(link_, now_ms);
	assert_down("File name too long");
}

static void nobody_there(void **state)
{
	unsigned n = 0;

	(void)state;
	assert_int_equal(status()->state, LINK_DOWN);
	for (int64_t until_ms = now_ms + 600000; now_ms < until_ms; n++) {
		link_check(link_, now_ms);
		assert_down("No such file or directory");
		/* Never sooner than it says. */
		link_check(link_, link_due_ms(link_) - 1);
		assert_int_equal(status()->n_connects, 0);
		now_ms = link_due_ms(link_);
	}
	assert_true(n < 25); /* not all the time */
	assert_int_equal(said.n_changed, 0);

	come_up();
	assert_int_equal(status()->n_connects, 1);
}

static void a_socket_that_nobody_hears(void **state)
{
	(void)state;
	hear();
	close_fd(&listen_fd);
	link_check(link_, now_ms);
	assert_down("Connection refused");
}

static void refused(void **state)
{
	(void)state;
	hear();
	connect_only();
	say(wire_put_refused(packet, &(struct wire_refused){"user 7 may not ask"}));
	assert_down("user 7 may not ask");
	assert_int_equal(said.n_changed, 0);
}

/* As a helper does for one that it does not serve at all: it says so, reads nothing and hangs up,
 * before or after it is greeted. */
static void refused_unread(void **state)
{
	struct link_options options = {.catalog = &catalog, .path = path};
	size_t len;

	(void)state;
	hear();
	link_check(link_, now_ms);
	helper_fd = accept(listen_fd, NULL, NULL);
	len = wire_put_refused(packet, &(struct wire_refused){"process 7 asks already"});
	assert_int_equal(send(helper_fd, packet, len, 0), (ssize_t)len);
	close_fd(&helper_fd);
	link_receive(link_, now_ms);
	assert_down("process 7 asks already");

	/* While it is up: the reason is that of the refusal, too. */
	link_close(link_);
	assert_int_equal(
		link_open(&options,
			  &(struct link_events){NULL, on_rows, on_probed, on_node, on_changed},
			  &link_),
		0);
	connect_only();
	say_hello(wire_digest(&catalog));
	len = wire_put_refused(packet, &(struct wire_refused){"enough"});
	assert_int_equal(send(helper_fd, packet, len, 0), (ssize_t)len);
	close_fd(&helper_fd);
	ask(0);
	assert_down("enough");
}

static void another_build(void **state)
{
	(void)state;
	hear();
	connect_only();
	say_hello(wire_digest(&catalog) + 1);
	assert_down("cannot be understood");
	assert_int_equal(said.n_changed, 0);
}

static void hangs_up(void **state)
{
	(void)state;
	hear();
	connect_only();
	close_fd(&helper_fd);
	link_receive(link_, now_ms);
	assert_down("has gone");
}

static void samples(void **state)
{
	struct wire_tick tick;
	ssize_t n;

	(void)state;
	come_up();
	say_probed(0, 0);
	assert_true(link_serves(link_, 0));
	assert_false(link_is_settled(link_));
	say_probed(1, -ENOENT);
	assert_false(link_serves(link_, 1));
	assert_true(link_is_settled(link_));
	assert_int_equal(said.n_probed, 2);
	assert_int_equal(said.probe_error, -ENOENT);
	assert_int_equal(said.probe_items, 2);

	assert_int_equal(link_due_ms(link_), INT64_MAX);
	ask(0);
	assert_true(link_due_ms(link_) < INT64_MAX);
	n = hear_packet();
	assert_int_equal(wire_get_tick(packet, (size_t)n, &catalog, &tick), 0);
	assert_int_equal(tick.n_groups, 1);
	assert_int_equal(tick.groups[0].t_ms, now_ms);
	say_rows(0, now_ms);
	assert_int_equal(said.n_rows, 1);
	assert_int_equal(said.rows, 1);
	assert_true(said.partial);
	assert_int_equal(link_due_ms(link_), INT64_MAX);
	say_rows(1, now_ms);
	assert_false(said.partial);

	link_rescan(link_, now_ms);
	assert_int_equal(hear_packet(), 1);
	assert_int_equal(packet[0], WIRE_RESCAN);

	say(wire_put_account(packet, &(struct wire_account){2, 1, 0, 77}));
	assert_int_equal(status()->account.n_workers, 2);
	assert_int_equal(status()->account.cpu_us, 77);

	say(wire_put_monitored(packet, &(struct wire_monitored){1, 1, 1, 1, 0, 0}));
	assert_int_equal(status()->monitored.n_ours, 1);
	/* Numbers are no news, that nobody keeps the monitors is, and that somebody does again. */
	unsigned changed = said.n_changed;
	assert_true(link_keeps_monitors(status()));
	for (int i = 0; i < 2; i++) {
		say(wire_put_monitored(packet, &(struct wire_monitored){.error = -ESRCH}));
		assert_false(link_keeps_monitors(status()));
		assert_int_equal(said.n_changed, changed + 1);
	}
	say(wire_put_monitored(packet, &(struct wire_monitored){1, 1, 1, 0, 0, 0}));
	assert_true(link_keeps_monitors(status()));
	assert_int_equal(said.n_changed, changed + 2);
	assert_int_equal(status()->state, LINK_UP);
}

/* The policy goes out when it has changed, and to each helper that comes. */
static void monitor(void **state)
{
	struct wire_monitor policy = {UFS_MONITOR_MARKED, 4711}, got;
	ssize_t n;

	(void)state;
	come_up();
	link_monitor(link_, &policy, now_ms);
	n = hear_packet();
	assert_int_equal(wire_get_monitor(packet, (size_t)n, &got), 0);
	assert_int_equal(got.policy, UFS_MONITOR_MARKED);
	assert_int_equal(got.asked_until_ms, 4711);
	link_monitor(link_, &policy, now_ms);
	assert_int_equal(hear_packet(), -1);

	close_fd(&helper_fd);
	link_receive(link_, now_ms);
	now_ms = link_due_ms(link_);
	connect_only();
	say_hello(wire_digest(&catalog));
	n = hear_packet();
	assert_int_equal(wire_get_monitor(packet, (size_t)n, &got), 0);
	assert_int_equal(got.policy, UFS_MONITOR_MARKED);
}

/* Rows in two packets are one sample. */
static void say_logged(int error, int fd)
{
	size_t len = wire_put_logged(packet, &(struct wire_logged){error});

	if (fd < 0)
		say(len);
	else
		assert_int_equal(packet_socket_send_fd(helper_fd, packet, len, fd), 0);
}

/* The number that the next descriptor gets: one that was kept would raise it. */
static int next_fd(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

static void kernel_log(void **state)
{
	int before;

	(void)state;
	link_want_log(link_, true, now_ms);
	come_up();
	assert_int_equal(hear_packet(), 1);
	assert_int_equal(packet[0], WIRE_LOG);
	before = next_fd();
	say_logged(-EPERM, -1);
	link_receive(link_, now_ms);
	assert_int_equal(said.n_logs, 1);
	assert_int_equal(said.log_error, -EPERM);
	say_logged(0, STDERR_FILENO);
	link_receive(link_, now_ms);
	assert_int_equal(said.n_logs, 2);
	assert_int_equal(said.log_error, 0);
	/* Beside what is no answer of that kind it is closed. */
	assert_int_equal(packet_socket_send_fd(helper_fd, packet,
					       wire_put_account(packet, &(struct wire_account){0}),
					       STDERR_FILENO),
			 0);
	link_receive(link_, now_ms);
	assert_int_equal(status()->state, LINK_UP);
	assert_int_equal(next_fd(), before);
	/* Asked for when it is wanted again, and not while it is. */
	link_want_log(link_, true, now_ms);
	link_want_log(link_, false, now_ms);
	link_want_log(link_, true, now_ms);
	assert_int_equal(hear_packet(), 1);
	assert_int_equal(packet[0], WIRE_LOG);
	say_logged(0, -1);
	link_receive(link_, now_ms);
	assert_down("it says");
}

static void rows_in_pieces(void **state)
{
	struct wire_rows head = {.group = 0, .t_ms = 5, .at_ms = 5};
	struct sink sink = {0};
	char name[32];
	size_t next = 0;

	(void)state;
	come_up();
	assert_int_equal(sink_init(&sink), 0);
	sink_reset(&sink, &commands[0]);
	for (size_t i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "a_device_with_a_long_name_%zu", i);

		struct row *row = sink_row(&sink, name, "an_identity_that_takes_its_place_as_well");

		row_text(&sink, row, 1, "a text of some length, as they all have one");
	}
	while (!head.last) {
		assert_int_equal(said.n_rows, 0);
		say(wire_put_rows(packet, &head, &sink, &next));
	}
	assert_int_equal(said.n_rows, 1);
	assert_int_equal(said.rows, sink.n_rows);
	sink_done(&sink);
}

static void nonsense(void **state)
{
	static const char *const table[] = {"\1", "\2\0", "\3", "\4\4", "\5", "\7", "\xff garbage"};

	(void)state;
	come_up();
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		size_t len = MAX(strlen(table[i]), 1);

		memcpy(packet, table[i], len);
		say(len);
		assert_down("cannot be understood");
		assert_int_equal(said.n_changed, 2 + 2 * i);
		close_fd(&helper_fd);
		now_ms = link_due_ms(link_);
		connect_only();
		say_hello(wire_digest(&catalog));
		assert_int_equal(status()->state, LINK_UP);
	}
	/* Longer than any message. */
	packet[0] = WIRE_ROWS;
	say(WIRE_MESSAGE_MAX + 1);
	assert_down("cannot be understood");
}

/* Before its greeting a helper has nothing to say, and it greets once. */
static void out_of_turn(void **state)
{
	(void)state;
	hear();
	connect_only();
	say_rows(0, 5);
	assert_down("cannot be understood");
	assert_int_equal(said.n_rows, 0);
	close_fd(&helper_fd);
	now_ms = link_due_ms(link_);
	connect_only();
	say_hello(wire_digest(&catalog));
	say_hello(wire_digest(&catalog));
	assert_down("cannot be understood");
	assert_int_equal(said.n_changed, 2);
}

static void silence(void **state)
{
	(void)state;
	hear();
	connect_only();
	now_ms = link_due_ms(link_) - 1;
	link_check(link_, now_ms);
	assert_true(link_fd(link_) >= 0);
	now_ms++;
	link_check(link_, now_ms);
	assert_down("did not answer");

	close_fd(&helper_fd);
	now_ms = link_due_ms(link_);
	connect_only();
	say_hello(wire_digest(&catalog));
	say_probed(0, 0);
	ask(0);
	ask(1);
	now_ms += 10000;
	ask(0); /* the first one counts */
	say_rows(1, 5);
	assert_int_equal(link_due_ms(link_), now_ms + 30000);
	now_ms = link_due_ms(link_);
	link_check(link_, now_ms);
	assert_down("did not answer");
	assert_int_equal(said.n_changed, 2);
}

static void goes_and_comes_back(void **state)
{
	int64_t went_ms;

	(void)state;
	come_up();
	say_probed(0, 0);
	say(wire_put_account(packet, &(struct wire_account){2, 1, 1, 77}));
	say(wire_put_monitored(packet, &(struct wire_monitored){1, 1, 1, 1, 1, 0}));
	ask(0);
	now_ms += 500;
	close_fd(&helper_fd);
	link_receive(link_, now_ms);
	assert_down("has gone");
	/* What it said of itself was of the one that has gone. */
	assert_int_equal(status()->account.n_workers, 0);
	assert_int_equal(status()->account.n_left, 0);
	assert_int_equal(status()->monitored.n_on, 0);
	assert_true(status()->was_up);
	assert_int_equal(status()->since_ms, now_ms);
	assert_int_equal(said.n_changed, 2);
	went_ms = now_ms;

	/* That it is still away is no news. */
	close_fd(&listen_fd);
	now_ms = link_due_ms(link_);
	link_check(link_, now_ms);
	assert_down("Connection refused");
	assert_int_equal(said.n_changed, 2);
	assert_int_equal(status()->since_ms, went_ms);

	hear();
	now_ms = link_due_ms(link_);
	connect_only();
	say_hello(wire_digest(&catalog));
	assert_int_equal(status()->state, LINK_UP);
	assert_int_equal(said.n_changed, 3);
	assert_int_equal(status()->since_ms, now_ms);
	assert_false(link_serves(link_, 0)); /* it has to say so anew */
	assert_int_equal(link_due_ms(link_), INT64_MAX);
}

/* A request to one that has gone is noticed at once. */
static void goes_while_it_is_asked(void **state)
{
	(void)state;
	come_up();
	close_fd(&helper_fd);
	ask(0);
	assert_down("has gone");
	assert_int_equal(said.n_changed, 2);
}

static void nodes_that_hang(void **state)
{
	char name[32];

	(void)state;
	come_up();
	say_node(true, "nvme0");
	say_node(true, "nvme0");
	assert_true(link_hangs(link_, 0, "nvme0"));
	assert_false(link_hangs(link_, 1, "nvme0"));
	assert_false(link_hangs(link_, 0, "nvme1"));
	say_node(true, "nvme1");
	say_node(false, "nvme0");
	assert_false(link_hangs(link_, 0, "nvme0"));
	assert_true(link_hangs(link_, 0, "nvme1"));
	say_node(false, "nvme7"); /* of which nothing was known */
	assert_int_equal(said.n_nodes, 5);

	/* More than there is room for. */
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		say_node(true, name);
	}
	assert_true(link_hangs(link_, 0, "d0"));
	assert_false(link_hangs(link_, 0, "d99"));
	assert_int_equal(status()->state, LINK_UP);

	close_fd(&helper_fd);
	link_receive(link_, now_ms);
	assert_false(link_hangs(link_, 0, "nvme1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(off),
		TEST(a_path_that_is_too_long),
		TEST(nobody_there),
		TEST(a_socket_that_nobody_hears),
		TEST(refused),
		TEST(refused_unread),
		TEST(another_build),
		TEST(hangs_up),
		TEST(samples),
		TEST(monitor),
		TEST(kernel_log),
		TEST(rows_in_pieces),
		TEST(nonsense),
		TEST(out_of_turn),
		TEST(silence),
		TEST(goes_and_comes_back),
		TEST(goes_while_it_is_asked),
		TEST(nodes_that_hang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
