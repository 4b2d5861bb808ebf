/* The workers of the helper, with collectors that do what a file tells them: devices that hang,
 * die, come and go. Worker processes are real; the clock is moved on between two samples of a class
 * that may be asked only once a minute. */
/* label: long */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
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
#include "helper/crew.h"
#include "helper/gather.h"
#include "model/asking.h"

#define DEADLINE_MS 800
#define BACKOFF_MS  400
#define NAMES_MAX   (CREW_WORKERS_MAX + 8)

static char root[64];

static void path_of(char ret[128], const char *name)
{
	snprintf(ret, 128, "%s/%s", root, name);
}

static void put(const char *name, const char *text)
{
	char path[128], next[128];
	FILE *file;

	path_of(path, name);
	path_of(next, "next");
	file = fopen(next, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(rename(next, path), 0);
}

static void obey_line(const char *line, const char *device)
{
	const char *of = strchr(line, ' ');

	if (!of || strcmp(of + 1, device) != 0)
		return;
	if (!strncmp(line, "hang ", 5))
		for (;;)
			pause();
	if (!strncmp(line, "slow ", 5))
		usleep(2000000);
	if (!strncmp(line, "die ", 4))
		_exit(9);
}

/* Lines of the file: a word, and the device at which to do it. */
static void obey(const char *device, const char *what)
{
	char path[128], line[128];
	FILE *file;

	path_of(path, what);
	file = fopen(path, "r");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		obey_line(line, device);
	}
	fclose(file);
}

static const struct field fields[] = {{"pid", UNIT_COUNT, KIND_GAUGE, "", "pid", 0, NULL}};

static const struct group commands[] = {
	{.name = "asked", .cost = COST_Q, .period_ms = 3600000, .fields = fields, .n_fields = 1},
	{.name = "also", .cost = COST_Q, .period_ms = 3600000, .fields = fields, .n_fields = 1},
};
static const struct group reads[] = {
	{.name = "read", .cost = COST_L, .period_ms = 10000, .fields = fields, .n_fields = 1},
};
static const struct group loops[] = {
	{.name = "looped", .cost = COST_F, .period_ms = 1000, .fields = fields, .n_fields = 1},
};
enum { ASKED, ALSO, READ, LOOPED };

struct devices {
	size_t n;
	char v[NAMES_MAX][16];
	struct asked *asked[NAMES_MAX];
};

static const struct asking asking = {
	.key = "asked", .n_devices = NAMES_MAX, .n_questions = 1, .known_bytes = 16};

/* First line of a file of the root; "" without one. */
static const char *line_of(const char *name)
{
	static char line[64];
	char path[128];
	FILE *file;

	path_of(path, name);
	line[0] = '\0';
	file = fopen(path, "r");
	if (!file)
		return line;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return line;
}

/* The command to a device: it answers with the error in the file "answer". Each is counted in the
 * file "asked". */
static void ask(const char *device, struct asked *asked)
{
	char path[128];
	FILE *file;

	if (asked_turn(asked) < 0)
		return;
	path_of(path, "asked");
	file = fopen(path, "a");
	if (file) {
		fprintf(file, "%s\n", device);
		fclose(file);
	}
	obey(device, "in-question");
	asked_note(asked, -(int)strtol(line_of("answer"), NULL, 10), 0);
}

static int asked_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	struct devices *devices = calloc(1, sizeof(*devices));
	struct asked_device *all = asking_begin(hw, &asking);
	char path[128], line[16], serial[64];
	FILE *file;

	if (*line_of("trouble") && !probe->device) {
		free(devices);
		probe_collector(probe, OUTCOME_FAILED, "", "too many open files");
		return -ENFILE;
	}
	snprintf(serial, sizeof(serial), "%s", line_of("serial"));
	path_of(path, "devices");
	file = fopen(path, "r");
	while (devices && all && file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!probe_takes(probe, line))
			continue;
		probe_node(probe, line,
			   strcmp(line, line_of("unsure")) != 0 || probe->device ? OUTCOME_OK
										 : OUTCOME_FAILED,
			   "", "there");
		devices->asked[devices->n] = asking_find(all, &asking, line, serial)->asked;
		snprintf(devices->v[devices->n++], sizeof(devices->v[0]), "%s", line);
	}
	if (file)
		fclose(file);
	if (!devices || !devices->n) {
		free(devices);
		probe_collector(probe, OUTCOME_NO_HARDWARE, "", "none");
		return -ENODEV;
	}
	*ret_state = devices;
	return 0;
}

static bool is_unplugged(const char *device)
{
	char path[128], name[32];

	snprintf(name, sizeof(name), "gone-%s", device);
	path_of(path, name);
	return access(path, F_OK) == 0;
}

static int asked_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	const struct devices *devices = state;

	(void)hw;
	for (size_t i = 0; i < devices->n; i++) {
		struct row *row;

		if (is_unplugged(devices->v[i]))
			return -ENODEV;
		row = sink_row(sink, devices->v[i], "");
		if (group == 0)
			ask(devices->v[i], devices->asked[i]);
		obey(devices->v[i], "do");
		row_set(row, 0, getpid());
		row->suspended = !strcmp(line_of("asleep"), devices->v[i]);
	}
	return 0;
}

static int read_probe(struct hw *hw, struct probe *probe, void **ret_state)
{
	(void)hw;
	probe_node(probe, "r", OUTCOME_OK, "", "there");
	*ret_state = NULL;
	return 0;
}

static int read_sample(void *state, struct hw *hw, size_t group, struct sink *sink)
{
	(void)state, (void)hw, (void)group;
	row_set(sink_row(sink, "r", ""), 0, getpid());
	return 0;
}

static const struct collector asked = {.name = "asked",
				       .groups = commands,
				       .n_groups = ARRAY_SIZE(commands),
				       .probe = asked_probe,
				       .sample = asked_sample,
				       .close = free};
static const struct collector read_only = {.name = "read",
					   .groups = reads,
					   .n_groups = 1,
					   .privileged = true,
					   .probe = read_probe,
					   .sample = read_sample};
static const struct collector looped = {.name = "looped",
					.groups = loops,
					.n_groups = 1,
					.probe = read_probe,
					.sample = read_sample};
static const struct collector *const collectors[] = {&asked, &read_only, &looped};
static const struct catalog catalog = {collectors, ARRAY_SIZE(collectors)};

/* What the crew said. */
static struct {
	unsigned n_probed, n_hung, n_back, n_gone, n_rows;
	struct wire_rows head;   /* of the last sample */
	size_t n_nodes, n_of[4]; /* of it; of the last of each group */
	char nodes[NAMES_MAX][NODE_NAME_MAX];
	int64_t pids[NAMES_MAX];
	size_t n_devices; /* that the last probe of the class named */
	int probe_error;
	char hung_node[NODE_NAME_MAX];
} said;

static struct crew *crew;
static int64_t skew_ms;

static int64_t now(void)
{
	return clock_boot_ms() + skew_ms;
}

static void on_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	(void)arg;
	said.n_rows++;
	said.head = *head;
	said.n_nodes = said.n_of[head->group] = sink->n_rows;
	assert_ptr_equal(sink->group, catalog_group_at(&catalog, head->group, NULL));
	for (size_t i = 0; i < sink->n_rows; i++) {
		snprintf(said.nodes[i], sizeof(said.nodes[i]), "%s", sink->rows[i]->node);
		said.pids[i] = sink->rows[i]->values[0].i;
	}
}

static void on_probed(void *arg, size_t collector, int error, const struct probe *probe)
{
	(void)arg;
	assert_true(collector < 2); /* the loop is not the helper's */
	if (collector)
		return;
	said.n_probed++;
	said.n_devices = probe->n_items - 1;
	said.probe_error = error;
}

static void on_node(void *arg, const struct wire_node *node)
{
	(void)arg;
	assert_int_equal(node->collector, 0);
	said.n_hung += node->hung;
	said.n_back += !node->hung && !node->gone;
	said.n_gone += node->gone;
	if (node->hung)
		snprintf(said.hung_node, sizeof(said.hung_node), "%s", node->node);
}

static void turn(void)
{
	struct pollfd fds[CREW_FDS_MAX];
	size_t n = crew_fds(crew, fds);

	assert_true(n <= CREW_FDS_MAX);
	poll(fds, (nfds_t)n, 5);
	crew_turn(crew, now());
}

static void turn_for(int64_t duration_ms)
{
	for (int64_t until_ms = clock_boot_ms() + duration_ms; clock_boot_ms() < until_ms;)
		turn();
}

/* Turns until *count has grown by n, which is given far more time than it takes. */
static void await(const unsigned *count, unsigned n)
{
	unsigned start = *count;

	for (int64_t until_ms = clock_boot_ms() + 30000; *count - start < n; turn())
		assert_true(clock_boot_ms() < until_ms);
}

/* Until there are as many workers beside the scout, and nothing is going on. */
static void await_workers(int64_t n)
{
	struct wire_account account;
	int64_t until_ms = clock_boot_ms() + 30000;

	do {
		assert_true(clock_boot_ms() < until_ms);
		turn();
		crew_account(crew, &account);
	} while (account.n_workers != n + 1 || crew_due_ms(crew, now()) != INT64_MAX);
}

static void request(uint16_t group)
{
	struct wire_tick tick = {1, {{group, now()}}};

	crew_request(crew, &tick, now());
}

/* A sample of the group in full, of so many nodes. */
static void sample(uint16_t group, size_t n_nodes)
{
	unsigned before = said.n_rows;

	request(group);
	if (said.n_rows == before)
		await(&said.n_rows, 1);
	assert_int_equal(said.head.group, group);
	assert_int_equal(said.head.error, 0);
	assert_int_equal(said.n_nodes, n_nodes);
}

static struct crew_options options;

static int open_crew(void)
{
	return crew_open(&options, &(struct crew_events){NULL, on_rows, on_probed, on_node}, &crew);
}

static int set_up_with(int64_t deadline_ms, int64_t gather_ms)
{
	options = (struct crew_options){.catalog = &catalog,
					.root = root,
					.command_deadline_ms = deadline_ms,
					.read_deadline_ms = deadline_ms,
					.gather_ms = gather_ms,
					.hang_first_ms = BACKOFF_MS};
	snprintf(root, sizeof(root), "/tmp/test_helper_crew.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	skew_ms = 0;
	return open_crew();
}

static int set_up_alone(void **state)
{
	(void)state;
	memset(&said, 0, sizeof(said));
	return set_up_with(DEADLINE_MS, 0);
}

/* Before there is any device, so that each gets its worker when it comes. */
static int ask_once(int r)
{
	if (r < 0)
		return r;
	request(ASKED);
	assert_int_equal(said.head.error, -ENXIO);
	memset(&said, 0, sizeof(said));
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	return ask_once(set_up_with(DEADLINE_MS, 0));
}

static int set_up_soon(void **state)
{
	(void)state;
	return ask_once(set_up_with(DEADLINE_MS, 300));
}

static int set_up_late(void **state)
{
	(void)state;
	return ask_once(set_up_with(20000, 1500));
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	crew_close(crew);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void each_device_has_its_worker(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	assert_int_equal(said.n_devices, 2);
	sample(ASKED, 2);
	assert_int_not_equal(said.pids[0], said.pids[1]);
	assert_int_not_equal(said.pids[0], getpid());
	assert_int_equal(said.n_hung, 0);

	int64_t first = said.pids[0], second = said.pids[1];

	/* Another group of theirs in the same processes; what is read, in the scout's. */
	sample(ALSO, 2);
	assert_true(said.pids[0] == first || said.pids[0] == second);
	sample(READ, 1);
	assert_true(said.pids[0] != first && said.pids[0] != second);
	assert_int_not_equal(said.pids[0], getpid());
}

/* All at once, before there are the workers. */
static void a_request_while_workers_start(void **state)
{
	struct wire_tick tick = {3, {{ASKED, 100}, {READ, 100}, {ALSO, 100}}};

	(void)state;
	put("devices", "a\nb\nc\n");
	await(&said.n_probed, 1);
	crew_request(crew, &tick, now());
	await(&said.n_rows, 3 - said.n_rows);
	assert_int_equal(said.n_of[ASKED], 3);
	assert_int_equal(said.n_of[READ], 1);
	assert_int_equal(said.n_of[ALSO], 3);
	assert_int_equal(said.head.error, 0);
	assert_int_equal(said.head.t_ms, 100);
}

static void one_that_hangs_holds_up_no_other(void **state)
{
	struct wire_account account;
	int64_t start_ms;

	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("do", "hang b\n");
	start_ms = clock_boot_ms();
	request(ASKED);
	await(&said.n_rows, 1);
	assert_true(clock_boot_ms() - start_ms >= 300);
	assert_int_equal(said.n_nodes, 1);
	assert_string_equal(said.nodes[0], "a");
	await(&said.n_hung, 1 - said.n_hung);
	assert_string_equal(said.hung_node, "b");

	/* While it hangs, nobody waits for it. */
	skew_ms += 60000;
	put("do", "hang b\n");
	request(ASKED);
	await(&said.n_rows, 1);
	assert_int_equal(said.n_nodes, 1);
	assert_string_equal(said.nodes[0], "a");

	put("do", "");
	for (int i = 0; !said.n_back && i < 10; i++) {
		/* One that was just tried again has to be given up first. */
		turn_for(DEADLINE_MS + 200);
		skew_ms += 60000;
		request(ASKED);
		await(&said.n_rows, 1);
	}
	assert_int_equal(said.n_back, 1);
	assert_int_equal(said.n_nodes, 2);
	crew_account(crew, &account);
	assert_true(account.n_restarts >= 1);
	assert_int_equal(account.n_left, 0);
}

/* All hang: there is no sample, in time; that they hang is told when it is sure. */
static void all_hang(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("do", "hang a\nhang b\n");
	request(ASKED);
	await(&said.n_rows, 1);
	assert_int_equal(said.n_nodes, 0);
	assert_int_equal(said.head.error, -EAGAIN);
	await(&said.n_hung, 2 - said.n_hung);
	sample(READ, 1);
}

/* What comes too late for one sample is not taken for the next, and keeps it from nothing. */
static void a_late_answer(void **state)
{
	(void)state;
	put("devices", "a\n");
	await_workers(1);
	put("do", "slow a\n");
	request(ASKED);
	await(&said.n_rows, 1);
	assert_int_equal(said.head.error, -EAGAIN);
	assert_int_equal(said.n_nodes, 0);

	/* It is still at the first one while the second is asked for. */
	put("do", "");
	skew_ms += 60000;
	sample(ASKED, 1);
	assert_int_equal(said.n_rows, 2);
	assert_int_equal(said.n_hung, 0);
}

/* A drive in trouble answers after half a minute: what it says is worth most. */
static void late_but_it_comes(void **state)
{
	int64_t asked_ms;

	(void)state;
	put("devices", "a\n");
	await_workers(1);
	put("do", "slow a\n");
	asked_ms = now();
	request(ASKED);
	await(&said.n_rows, 2);
	assert_int_equal(said.head.error, 0);
	assert_int_equal(said.n_nodes, 1);
	assert_true(said.head.t_ms - asked_ms < 100);
	assert_int_equal(said.n_hung, 0);
}

/* A daemon that comes later is told; a device that goes while it hangs does not hang any more. */
static void what_hangs_is_told_again(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("do", "hang b\n");
	request(ASKED);
	await(&said.n_hung, 1);
	crew_tell_hung(crew);
	assert_int_equal(said.n_hung, 2);
	assert_string_equal(said.hung_node, "b");
	put("devices", "a\n");
	crew_rescan(crew);
	await(&said.n_gone, 1);
	crew_tell_hung(crew);
	assert_int_equal(said.n_hung, 2);
}

static void a_worker_that_dies(void **state)
{
	struct wire_account account;
	int64_t start_ms, pid;

	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	sample(ASKED, 2);
	pid = said.pids[strcmp(said.nodes[0], "a") ? 1 : 0];
	put("do", "die a\n");
	skew_ms += 60000;
	start_ms = clock_boot_ms();
	request(ASKED);
	await(&said.n_rows, 1);
	/* That it died is known at once: nobody waits until the sample is late. */
	assert_true(clock_boot_ms() - start_ms < GATHER_MS / 2);
	assert_int_equal(said.n_nodes, 1);
	assert_string_equal(said.nodes[0], "b");
	assert_int_equal(said.head.error, -EHOSTDOWN);

	put("do", "");
	await_workers(2);
	skew_ms += 60000;
	sample(ASKED, 2);
	assert_int_not_equal(said.pids[strcmp(said.nodes[0], "a") ? 1 : 0], pid);
	crew_account(crew, &account);
	assert_int_equal(account.n_restarts, 1);
	assert_int_equal(said.n_hung, 0);
}

static unsigned n_asked(void)
{
	char path[128];
	unsigned n = 0;
	FILE *file;

	path_of(path, "asked");
	file = fopen(path, "r");
	if (!file)
		return 0;
	for (int c; (c = fgetc(file)) != EOF;)
		n += c == '\n';
	fclose(file);
	return n;
}

/* The next sample, in which the worker of the only device dies once it has asked. */
static void sample_and_die(void)
{
	unsigned before = said.n_rows;

	put("do", "die a\n");
	skew_ms += 60000;
	request(ASKED);
	if (said.n_rows == before)
		await(&said.n_rows, 1);
	assert_int_equal(said.head.error, -EHOSTDOWN);
	put("do", "");
	await_workers(1);
}

static void sample_later(void)
{
	skew_ms += 60000;
	sample(ASKED, 1);
}

static void what_is_never_answered_is_not_asked_by_the_next_worker(void **state)
{
	int64_t pid;

	(void)state;
	put("serial", "s1");
	put("answer", "95"); /* EOPNOTSUPP */
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	pid = said.pids[0];
	assert_int_equal(n_asked(), 1);
	sample_and_die();
	sample_later();
	assert_int_not_equal(said.pids[0], pid);
	assert_int_equal(n_asked(), 1);

	/* One that the kernel kills, between two samples. */
	assert_int_equal(kill((pid_t)said.pids[0], SIGKILL), 0);
	turn_for(100);
	await_workers(1);
	sample_later();
	assert_int_equal(n_asked(), 1);

	/* Another one at the same place, though nobody has seen the first one go. */
	put("serial", "s2");
	crew_rescan(crew);
	await_workers(1);
	sample_later();
	assert_int_equal(n_asked(), 2);
}

/* Asked, left out for one sample, asked, left out for three. */
static void what_failed_is_left_out_by_the_next_worker(void **state)
{
	(void)state;
	put("serial", "s1");
	put("answer", "5"); /* EIO */
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	sample_and_die();
	assert_int_equal(n_asked(), 1);
	sample_later();
	assert_int_equal(n_asked(), 2);
	sample_and_die();
	sample_later();
	sample_later();
	assert_int_equal(n_asked(), 2);
	sample_later();
	assert_int_equal(n_asked(), 3);
}

/* The worker is gone before it can note that the question failed, and again. */
static void what_kills_is_left_out_by_the_next_worker(void **state)
{
	(void)state;
	put("serial", "s1");
	put("devices", "a\n");
	await_workers(1);
	put("in-question", "die a\n");
	for (unsigned n_left_out = 1, n = 1; n <= 3; n_left_out = 2 * n_left_out + 1, n++) {
		skew_ms += 60000;
		request(ASKED);
		await(&said.n_rows, 1);
		assert_int_equal(said.head.error, -EHOSTDOWN);
		await_workers(1);
		assert_int_equal(n_asked(), n);
		for (unsigned i = 0; i < n_left_out; i++)
			sample_later();
		assert_int_equal(n_asked(), n);
	}
	put("in-question", "");
	sample_later();
	assert_int_equal(n_asked(), 4);
	sample_later();
	assert_int_equal(n_asked(), 5);
}

/* As a disk that takes longer than the deadline each time, and has its link reset for it. */
static void what_hangs_is_left_out_by_the_next_worker(void **state)
{
	(void)state;
	put("serial", "s1");
	put("devices", "a\n");
	await_workers(1);
	put("in-question", "hang a\n");
	request(ASKED);
	await(&said.n_hung, 1);
	assert_int_equal(n_asked(), 1);
	for (int i = 0; !said.n_back && i < 10; i++) {
		unsigned before = said.n_rows;

		turn_for(DEADLINE_MS + 200);
		skew_ms += 60000;
		request(ASKED);
		if (said.n_rows == before)
			await(&said.n_rows, 1);
	}
	/* Its worker is back, and has left it out; the time after it is asked again. */
	assert_int_equal(said.n_hung, 1);
	assert_int_equal(said.n_back, 1);
	assert_int_equal(n_asked(), 1);
	put("in-question", "");
	sample_later();
	assert_int_equal(n_asked(), 2);
}

static void what_was_unplugged_is_asked_anew(void **state)
{
	(void)state;
	put("serial", "s1");
	put("answer", "95");
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	sample_later();
	assert_int_equal(n_asked(), 1);
	put("devices", "");
	crew_rescan(crew);
	await_workers(0);
	put("devices", "a\n");
	crew_rescan(crew);
	await_workers(1);
	sample_later();
	assert_int_equal(n_asked(), 2);
}

/* What could not be looked at has not gone: its worker stays, and what hangs does not answer. */
static void a_look_that_fails(void **state)
{
	unsigned before;
	int64_t pid;

	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	sample(ASKED, 2);
	pid = said.pids[strcmp(said.nodes[0], "a") ? 1 : 0];
	put("trouble", "yes");
	put("do", "hang b\n");
	skew_ms += 60000;
	request(ASKED);
	await(&said.n_hung, 1);
	crew_rescan(crew);
	await(&said.n_probed, 1);
	turn_for(300);
	assert_int_equal(said.probe_error, -ENFILE);
	assert_int_equal(said.n_back, 0);
	put("trouble", "");
	put("unsure", "a");
	crew_rescan(crew);
	await(&said.n_probed, 1);
	turn_for(300);
	skew_ms += 60000;
	before = said.n_rows;
	request(ALSO);
	if (said.n_rows == before)
		await(&said.n_rows, 1);
	assert_true(said.n_nodes >= 1);
	assert_int_equal(said.pids[strcmp(said.nodes[0], "a") ? 1 : 0], pid);
}

static void devices_come_and_go(void **state)
{
	(void)state;
	await_workers(0);
	assert_int_equal(said.probe_error, -ENODEV);
	put("devices", "a\n");
	crew_rescan(crew);
	await_workers(1);
	sample(ASKED, 1);

	put("devices", "a\nb\n");
	crew_rescan(crew);
	await_workers(2);
	skew_ms += 60000;
	sample(ASKED, 2);

	put("devices", "b\n");
	crew_rescan(crew);
	await_workers(1);
	skew_ms += 60000;
	sample(ASKED, 1);
	assert_string_equal(said.nodes[0], "b");

	put("devices", "");
	crew_rescan(crew);
	await_workers(0);
	assert_int_equal(said.probe_error, -ENODEV);
	skew_ms += 60000;
	request(ASKED);
	assert_int_equal(said.head.error, -ENXIO);
}

/* The one went a moment ago, which is no error of the other's sample. */
static void one_that_goes_costs_no_other(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("devices", "a\n");
	put("gone-b", "");
	sample(ASKED, 1);
	assert_string_equal(said.nodes[0], "a");
}

/* It has not answered again. */
static void one_that_hangs_goes(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("do", "hang b\n");
	request(ASKED);
	await(&said.n_hung, 1);
	put("devices", "a\n");
	crew_rescan(crew);
	await(&said.n_gone, 1);
	assert_int_equal(said.n_gone, said.n_hung);
	assert_int_equal(said.n_back, 0);
}

/* An eMMC whose collector is off by default. */
static void nobody_asks(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	await_workers(0);
	assert_int_equal(said.n_devices, 2);
	sample(READ, 1);
	await_workers(0);
	sample(ALSO, 2);
	await_workers(2);
}

/* Nobody is woken for one that hangs before it is tried again. */
static void no_look_before_its_time(void **state)
{
	int64_t due_ms;

	(void)state;
	put("devices", "a\n");
	await_workers(1);
	put("do", "hang a\n");
	request(ASKED);
	await(&said.n_hung, 1);
	for (int64_t until_ms = clock_boot_ms() + 10000; said.n_hung < 4;) {
		assert_true(clock_boot_ms() < until_ms);
		turn_for(50);
		skew_ms += 60000;
		request(ASKED);
		turn_for(DEADLINE_MS + 200);
	}
	turn_for(BACKOFF_MS / 2);
	due_ms = crew_due_ms(crew, now());
	assert_true(due_ms > now() + 1000 && due_ms <= now() + BACKOFF_MS * 8);
}

static void what_is_not_sampled_is_refused(void **state)
{
	static const uint16_t nobodys[] = {ASKED, ALSO, LOOPED};

	(void)state;
	await_workers(0);
	for (size_t i = 0; i < ARRAY_SIZE(nobodys); i++) {
		unsigned before = said.n_rows;

		request(nobodys[i]);
		assert_int_equal(said.n_rows, before + 1);
		assert_int_equal(said.head.group, nobodys[i]);
		assert_int_equal(said.head.error, -ENXIO);
		assert_int_equal(said.n_nodes, 0);
	}
}

static void too_soon_is_refused(void **state)
{
	unsigned before;

	(void)state;
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	for (int i = 0; i < 3; i++) {
		before = said.n_rows;
		request(ASKED);
		assert_int_equal(said.n_rows, before + 1);
		assert_int_equal(said.head.error, -EAGAIN);
		assert_int_equal(said.n_nodes, 0);
		skew_ms += 17000; /* 51 s in the end, of 54 */
	}
	/* Each group has a time of its own, and its own least period. */
	sample(ALSO, 1);
	sample(READ, 1);
	skew_ms += 4000;
	sample(READ, 1);
	skew_ms += 6000;
	sample(ASKED, 1);
}

static void look(size_t n_nodes, int error)
{
	struct wire_tick tick = {1, {{ASKED, now(), true}}};
	unsigned before = said.n_rows;

	crew_request(crew, &tick, now());
	if (said.n_rows == before)
		await(&said.n_rows, 1);
	assert_int_equal(said.head.error, error);
	assert_int_equal(said.n_nodes, n_nodes);
}

/* The helper was killed and is started again, over and over. */
static void also_after_a_kill(void **state)
{
	struct rate_memory *memory = rate_map(NULL, 1);

	(void)state;
	assert_non_null(memory);
	crew_close(crew);
	options.rate = memory;
	assert_int_equal(ask_once(open_crew()), 0);
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	for (int i = 0; i < 2; i++) {
		crew_close(crew);
		assert_int_equal(open_crew(), 0);
		request(ASKED);
		assert_int_equal(said.head.error, -EAGAIN);
		await_workers(1);
		look(0, -EAGAIN);
		skew_ms += 25000;
	}
	/* Each group has a time of its own. */
	sample(ALSO, 1);
	skew_ms += 6000;
	sample(ASKED, 1);
	/* What is still to come was not written by this clock. */
	memory->asked_ms[ASKED] = now() + 3600000;
	sample(ASKED, 1);
}

/* What one helper has noted, the next one knows where the file is in memory; not that of another
 * program, and nothing where others can write or the file would lie on a disk. */
static void memory_in_a_file(void **state)
{
	char path[] = "/dev/shm/flashscope-rate-XXXXXX", on_disk[128];
	int fd = mkstemp(path);
	struct rate_memory *memory;

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	memory = rate_map(path, 7);
	assert_non_null(memory);
	memory->asked_ms[ASKED] = 1234;
	memory = rate_map(path, 7);
	assert_int_equal(memory->asked_ms[ASKED], 1234);
	assert_int_equal(chmod(path, 0666), 0);
	assert_int_equal(rate_map(path, 7)->asked_ms[ASKED], 0);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(rate_map(path, 8)->asked_ms[ASKED], 0);
	assert_int_equal(rate_map(path, 7)->asked_ms[ASKED], 0);
	unlink(path);
	assert_int_equal(symlink("/dev/shm/flashscope-rate-none", path), 0);
	assert_non_null(rate_map(path, 7));
	assert_int_equal(access("/dev/shm/flashscope-rate-none", F_OK), -1);
	unlink(path);
	snprintf(on_disk, sizeof(on_disk), "%s/none/asked", getenv("HOME") ? getenv("HOME") : "/");
	assert_non_null(rate_map(on_disk, 7));
}

/* Somebody stops the process of an idle worker: that is no device that hangs. */
static void one_that_was_stopped(void **state)
{
	unsigned before;
	int64_t pid;

	(void)state;
	put("devices", "a\n");
	await_workers(1);
	sample(ASKED, 1);
	turn_for(300); /* until it is done with it */
	pid = said.pids[0];
	before = said.n_rows;
	assert_int_equal(kill((pid_t)pid, SIGSTOP), 0);
	skew_ms += 60000;
	request(ASKED);
	if (said.n_rows == before)
		await(&said.n_rows, 1);
	assert_int_equal(said.n_nodes, 0);
	await_workers(1);
	assert_int_equal(said.n_hung, 0);
	sample_later();
	assert_int_not_equal(said.pids[0], pid);
}

/* One that slept, or was plugged in, is looked at alone: the others have answered. */
static void the_rest(void **state)
{
	(void)state;
	put("devices", "a\nb\n");
	put("asleep", "b\n");
	await_workers(2);
	look(2, 0); /* the first one is a sample */
	look(1, 0);
	assert_string_equal(said.nodes[0], "b");
	look(0, -EAGAIN);
	skew_ms += 55000;
	look(1, 0);
	put("asleep", "");
	skew_ms += 55000;
	look(1, 0);
	skew_ms += 55000;
	look(0, -ENXIO);
	put("devices", "a\nb\nc\n");
	crew_rescan(crew);
	await_workers(3);
	skew_ms += 55000;
	look(1, 0);
	assert_string_equal(said.nodes[0], "c");
	/* A look does not put the sample off. */
	sample(ASKED, 3);
}

static void more_devices_than_workers(void **state)
{
	char text[NAMES_MAX * 16] = "";
	size_t len = 0;

	(void)state;
	for (int i = 0; i < NAMES_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "d%d\n", i);
	put("devices", text);
	await_workers(CREW_WORKERS_MAX);
	assert_int_equal(said.n_devices, NAMES_MAX);
	sample(ASKED, CREW_WORKERS_MAX);

	/* Some go, and those that had no place have one. */
	put("devices", strstr(text, "d16\n"));
	crew_rescan(crew);
	await_workers(NAMES_MAX - 16);
	skew_ms += 60000;
	sample(ASKED, NAMES_MAX - 16);
}

static void a_stop_ends_all(void **state)
{
	struct crew_held held;

	(void)state;
	put("devices", "a\nb\n");
	await_workers(2);
	put("do", "hang b\n");
	request(ASKED);
	turn();
	crew_stop(crew, now());
	/* It hangs in its own code, where a signal reaches it. */
	for (int64_t until_ms = clock_boot_ms() + 10000; crew_held(crew, 0, &held);)
		assert_true(clock_boot_ms() < until_ms);
	crew_turn(crew, now());
	assert_int_equal(crew_fds(crew, (struct pollfd[CREW_FDS_MAX]){{0}}), 0);
}

#define TEST(name, set_up) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_device_has_its_worker, set_up),
		TEST(a_request_while_workers_start, set_up),
		TEST(one_that_hangs_holds_up_no_other, set_up_soon),
		TEST(all_hang, set_up_soon),
		TEST(a_late_answer, set_up_late),
		TEST(late_but_it_comes, set_up_late),
		TEST(what_hangs_is_told_again, set_up_soon),
		TEST(a_worker_that_dies, set_up),
		TEST(what_is_never_answered_is_not_asked_by_the_next_worker, set_up),
		TEST(what_failed_is_left_out_by_the_next_worker, set_up),
		TEST(what_kills_is_left_out_by_the_next_worker, set_up),
		TEST(what_hangs_is_left_out_by_the_next_worker, set_up),
		TEST(what_was_unplugged_is_asked_anew, set_up),
		TEST(a_look_that_fails, set_up),
		TEST(devices_come_and_go, set_up),
		TEST(one_that_goes_costs_no_other, set_up),
		TEST(nobody_asks, set_up_alone),
		TEST(one_that_hangs_goes, set_up_soon),
		TEST(no_look_before_its_time, set_up_soon),
		TEST(what_is_not_sampled_is_refused, set_up),
		TEST(too_soon_is_refused, set_up),
		TEST(also_after_a_kill, set_up),
		cmocka_unit_test(memory_in_a_file),
		TEST(one_that_was_stopped, set_up),
		TEST(the_rest, set_up),
		TEST(more_devices_than_workers, set_up),
		TEST(a_stop_ends_all, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
