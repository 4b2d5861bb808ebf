/* Parts of the daemon that stand alone: settings, locks, the board. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "daemon/board.h"
#include "daemon/lock.h"
#include "daemon/settings.h"
#include "sampling/registry.h"
#include "store/store.h"

static void settings_donep(struct settings *settings)
{
	settings_done(settings);
}

static int set(struct settings *settings, const char *text)
{
	CLEANUP(fclosep) FILE *file = tmpfile();

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	rewind(file);
	return config_read(settings->config, file, "f");
}

static void test_settings(void **state)
{
	const struct catalog *catalog = registry();
	CLEANUP(settings_donep) struct settings settings = {0};
	size_t group;

	(void)state;
	assert_int_equal(settings_init(&settings, catalog), 0);
	settings_apply(&settings);
	for (size_t g = 0; g < catalog_n_groups(catalog); g++)
		assert_int_equal(settings.period_ms[g],
				 catalog_group_at(catalog, g, NULL)->period_ms);
	/* What risks something is off. */
	for (size_t c = 0; c < catalog->n_collectors; c++)
		assert_int_equal(settings.disabled[c], catalog->collectors[c]->opt_in != NULL);
	assert_int_equal(set(&settings, "[collector load]\nenabled = no\nperiod.load = 250ms\n"
					"[collector mmc_health]\nenabled = yes\n"),
			 0);
	settings_apply(&settings);
	assert_int_equal(catalog_find_group(catalog, "load", &group), 0);
	assert_int_equal(settings.period_ms[group], 250);
	for (size_t c = 0; c < catalog->n_collectors; c++)
		assert_int_equal(settings.disabled[c],
				 !strcmp(catalog->collectors[c]->name, "load"));
}

/* No option lets a group be read more often than its class allows. */
static void test_least_periods(void **state)
{
	static const char *const too_short[] = {
		[COST_F] = "99ms", [COST_L] = "999ms", [COST_H] = "999ms", [COST_Q] = "59s"};
	const struct catalog *catalog = registry();
	const struct collector *collector;
	const struct group *group;

	(void)state;
	for (size_t g = 0; (group = catalog_group_at(catalog, g, &collector)); g++) {
		CLEANUP(settings_donep) struct settings settings = {0};
		char text[256];

		assert_int_equal(settings_init(&settings, catalog), 0);
		snprintf(text, sizeof(text), "[collector %s]\nperiod.%s = %s\n", collector->name,
			 group->name, too_short[group->cost]);
		assert_int_equal(set(&settings, text), -EINVAL);
		assert_non_null(strstr(config_error(settings.config, 0), "f:2: "));
		if (!group->least_period_ms)
			continue;
		snprintf(text, sizeof(text), "[collector %s]\nperiod.%s = %ums\n", collector->name,
			 group->name, group->least_period_ms - 1);
		assert_int_equal(set(&settings, text), -EINVAL);
	}
}

/* What the configuration allows, the store takes. */
static void test_least_sizes(void **state)
{
	(void)state;
	assert_true(option_table[OPTION_SIZE_MAX].min >= STORE_SIZE_MIN_BYTES);
}

static void test_lock(void **state)
{
	char dir[] = "/tmp/test_daemon.XXXXXX", path[128];
	int fd = -1, pid = 0, status;
	bool made = false;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a/b/file", dir);
	assert_int_equal(lock_make_parent(path, &made), 0);
	assert_true(made);
	assert_int_equal(lock_make_parent(path, &made), 0);
	assert_false(made);
	assert_int_equal(lock_take(path, &fd, &pid), 0);
	/* Somebody else in this process opens and closes the file. */
	close(open(path, O_RDWR | O_CLOEXEC));

	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		int other = -1, holder = 0;

		_exit(lock_take(path, &other, &holder) == -EBUSY && holder == getppid() ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(lock_make_dir("/proc/nowhere/at/all"), -ENOENT);
	snprintf(path, sizeof(path), "%s/file", dir);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(lock_make_dir(path), -ENOTDIR);
	unlink(path);
	snprintf(path, sizeof(path), "%s/a/b", dir);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/a", dir);
	rmdir(path);
	assert_int_equal(rmdir(dir), 0);
}

/* Root locks in a folder of the user, who may have put anything there. */
static void test_lock_of_a_link(void **state)
{
	char dir[] = "/tmp/test_daemon.XXXXXX", path[64], other[64], text[16] = "";
	int fd, pid = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/lock", dir);
	snprintf(other, sizeof(other), "%s/precious", dir);
	fd = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
	assert_int_equal(link(other, path), 0);
	assert_int_equal(lock_take(path, &fd, &pid), -ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(lock_take(path, &fd, &pid), -ELOOP);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lock_take(path, &fd, &pid), -ELOOP);
	assert_int_equal(unlink(path), 0);
	fd = open(other, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof(text)), 8);
	assert_string_equal(text, "precious");
	close(fd);
	unlink(other);
	assert_int_equal(rmdir(dir), 0);
}

static void test_board_troubles(void **state)
{
	const struct collector *c = registry()->collectors[0];
	struct board *board = NULL;
	struct board_view view;
	char node[32];

	(void)state;
	assert_int_equal(board_new(registry(), &board), 0);
	board_state(board, c, "a", NODE_HUNG, EIO, 100);
	board_state(board, c, "b", NODE_FAILED, 0, 200);
	assert_int_equal(board_state(board, c, "a", NODE_FAILED, EACCES, 300), NODE_HUNG);
	assert_int_equal(board_view(board, &view), 0);
	assert_int_equal(view.n_troubles, 2);
	assert_int_equal(board_find_trouble(&view, c, "a")->since_ms, 300);
	assert_null(board_find_trouble(&view, c, "c"));
	board_view_done(&view);
	board_state(board, c, "a", NODE_OK, 0, 400);
	assert_int_equal(board_state(board, c, "never", NODE_GONE, 0, 400), NODE_OK);
	/* More than fit are left out, and nothing is overwritten. */
	for (int i = 0; i < BOARD_TROUBLES_MAX + 10; i++) {
		snprintf(node, sizeof(node), "n%d", i);
		board_state(board, c, node, NODE_FAILED, EIO, i);
	}
	assert_int_equal(board_view(board, &view), 0);
	assert_int_equal(view.n_troubles, BOARD_TROUBLES_MAX);
	assert_non_null(board_find_trouble(&view, c, "b"));
	assert_null(board_find_trouble(&view, c, "a"));
	board_view_done(&view);
	board_free(board);
}

/* A view keeps the probe that it saw while the loop puts up a new one. */
static void test_board_probes(void **state)
{
	const struct collector *c = registry()->collectors[0];
	struct board *board = NULL;
	struct board_view view;
	struct probe probe;

	(void)state;
	assert_int_equal(board_new(registry(), &board), 0);
	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, "first", OUTCOME_OK, "", "%s", "");
	board_probed(board, c, &probe);
	assert_int_equal(board_view(board, &view), 0);
	probe_node(&probe, "second", OUTCOME_DENIED, "", "%s", "");
	assert_false(board_has_said(board, c, "second", NODE_FAILED));
	board_probed(board, c, &probe);
	assert_false(board_has_said(board, c, "first", NODE_FAILED));
	assert_true(board_has_said(board, c, "second", NODE_DENIED));
	assert_false(board_has_said(board, c, "third", NODE_FAILED));
	assert_int_equal(board_n_items(view.collectors[0].probe), 2);
	assert_string_equal(board_item(view.collectors[0].probe, 1)->node, "first");
	board_view_done(&view);
	assert_int_equal(board_view(board, &view), 0);
	assert_int_equal(board_n_items(view.collectors[0].probe), 3);
	board_view_done(&view);
	probe_done(&probe);
	board_free(board);
}

struct worked {
	size_t n;
	char node[NODE_NAME_MAX];
};

static void count_worked(void *arg, const struct collector *collector, const char *node)
{
	struct worked *worked = arg;

	(void)collector;
	worked->n++;
	snprintf(worked->node, sizeof(worked->node), "%s", node);
}

/* What failed only when it was probed is well once a sample of it has a value, and a view from
 * before does not change. */
static void test_board_worked(void **state)
{
	const struct collector *c = registry()->collectors[0];
	struct worked worked = {0};
	struct board *board = NULL;
	struct board_view view, later;
	struct probe probe;
	struct sink sink;

	(void)state;
	assert_int_equal(board_new(registry(), &board), 0);
	assert_int_equal(probe_init(&probe), 0);
	assert_int_equal(sink_init(&sink), 0);
	probe_node(&probe, "a", OUTCOME_FAILED, "advice", "%s", "why");
	probe_node(&probe, "b", OUTCOME_FAILED, "", "%s", "why");
	probe_node(&probe, "c", OUTCOME_DISABLED, "", "%s", "why");
	probe_judge(&probe);
	assert_int_equal(probe.items[0].outcome, OUTCOME_FAILED);
	sink_reset(&sink, &c->groups[0]);
	row_set(sink_row(&sink, "a", ""), 0, 1);
	row_fault(sink_row(&sink, "b", ""), 0, EIO);
	row_set(sink_row(&sink, "c", ""), 0, 1);
	board_sampled(board, &c->groups[0], &sink, count_worked, &worked);
	assert_int_equal(worked.n, 0);
	board_probed(board, c, &probe);
	assert_int_equal(board_view(board, &view), 0);
	board_sampled(board, &c->groups[0], &sink, count_worked, &worked);
	board_sampled(board, &c->groups[0], &sink, count_worked, &worked);
	/* The node, and the collector that had none. */
	assert_int_equal(worked.n, 2);
	assert_string_equal(worked.node, "");
	assert_false(board_has_said(board, c, "a", NODE_FAILED));
	assert_true(board_has_said(board, c, "b", NODE_FAILED));
	assert_true(board_has_said(board, c, "c", NODE_FAILED));
	assert_int_equal(board_item(view.collectors[0].probe, 1)->outcome, OUTCOME_FAILED);
	assert_int_equal(board_view(board, &later), 0);
	assert_int_equal(board_item(later.collectors[0].probe, 1)->outcome, OUTCOME_OK);
	assert_string_equal(board_item(later.collectors[0].probe, 1)->reason, "");
	assert_string_equal(board_item(later.collectors[0].probe, 1)->advice, "");
	assert_int_equal(board_item(view.collectors[0].probe, 0)->outcome, OUTCOME_FAILED);
	assert_int_equal(board_item(later.collectors[0].probe, 0)->outcome, OUTCOME_OK);
	assert_string_equal(board_item(later.collectors[0].probe, 0)->reason, "");
	board_view_done(&later);
	board_view_done(&view);
	/* The next look says how it is. */
	board_probed(board, c, &probe);
	assert_true(board_has_said(board, c, "a", NODE_FAILED));
	sink_done(&sink);
	probe_done(&probe);
	board_free(board);
}

/* A node is told of once: with its trouble, or with what its probe said. */
static void test_board_news(void **state)
{
	static const struct {
		const char *node;
		enum node_state state;
		bool news;
	} cases[] = {
		{"ok", NODE_FAILED, true},    {"ok", NODE_SUSPENDED, true},
		{"bad", NODE_DENIED, false},  {"bad", NODE_SUSPENDED, false},
		{"bad", NODE_HUNG, true},     {"bad", NODE_SLOW, true},
		{"bad", NODE_FAILED, false},  {"sick", NODE_FAILED, false},
		{"sick", NODE_HUNG, true},    {"sick", NODE_DENIED, false},
		{"none", NODE_FAILED, false}, {"none", NODE_DENIED, true},
		{"none", NODE_HUNG, true},    {"none", NODE_SUSPENDED, false},
		{"other", NODE_FAILED, true}, {"", NODE_FAILED, true},
	};
	const struct collector *c = registry()->collectors[0];
	struct board *board = NULL;
	struct board_view view;
	struct probe probe;

	(void)state;
	assert_int_equal(board_new(registry(), &board), 0);
	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, "ok", OUTCOME_OK, "", "%s", "");
	probe_node(&probe, "bad", OUTCOME_DENIED, "", "%s", "why");
	probe_node(&probe, "sick", OUTCOME_FAILED, "", "%s", "why");
	probe_node(&probe, "none", OUTCOME_NO_NODE, "", "%s", "why");
	board_probed(board, c, &probe);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		board_state(board, c, cases[i].node, cases[i].state, 0, 1);
		assert_int_equal(board_view(board, &view), 0);
		assert_int_equal(board_is_news(&view, board_find_trouble(&view, c, cases[i].node)),
				 cases[i].news);
		assert_int_equal(!board_has_said(board, c, cases[i].node, cases[i].state),
				 cases[i].news);
		board_view_done(&view);
	}
	probe_collector(&probe, OUTCOME_NO_NODE, "", "%s", "why");
	board_probed(board, c, &probe);
	assert_int_equal(board_view(board, &view), 0);
	assert_false(board_is_news(&view, board_find_trouble(&view, c, "")));
	board_view_done(&view);
	probe_done(&probe);
	board_free(board);
}

/* What a probe finds first is no news. What a later one finds of a node that could not be sampled
 * for another reason is, unless the node has said it itself. */
static void test_board_comes_to(void **state)
{
	static const struct {
		enum outcome before, now;
		enum node_state sampled, news;
	} cases[] = {
		{OUTCOME_NO_NODE, OUTCOME_DENIED, NODE_OK, NODE_DENIED},
		{OUTCOME_NO_OPTION, OUTCOME_FAILED, NODE_OK, NODE_FAILED},
		{OUTCOME_DISABLED, OUTCOME_DENIED, NODE_OK, NODE_DENIED},
		{OUTCOME_DENIED, OUTCOME_FAILED, NODE_OK, NODE_FAILED},
		{OUTCOME_FAILED, OUTCOME_DENIED, NODE_OK, NODE_DENIED},
		{OUTCOME_FAILED, OUTCOME_DENIED, NODE_FAILED, NODE_DENIED},
		{OUTCOME_FAILED, OUTCOME_DENIED, NODE_DENIED, NODE_OK},
		{OUTCOME_FAILED, OUTCOME_FAILED, NODE_OK, NODE_OK},
		{OUTCOME_DENIED, OUTCOME_NO_NODE, NODE_OK, NODE_OK},
		{OUTCOME_DENIED, OUTCOME_OK, NODE_OK, NODE_OK},
		/* Its samples say so. */
		{OUTCOME_OK, OUTCOME_FAILED, NODE_OK, NODE_OK},
	};
	const struct collector *c = registry()->collectors[0];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct board *board = NULL;
		struct probe probe;

		assert_int_equal(board_new(registry(), &board), 0);
		assert_int_equal(probe_init(&probe), 0);
		probe_node(&probe, "a", cases[i].before, "", "%s", "why");
		assert_int_equal(board_comes_to(board, c, &probe.items[1]), NODE_OK);
		board_probed(board, c, &probe);
		board_state(board, c, "a", cases[i].sampled, 0, 1);
		probe.items[1].outcome = cases[i].now;
		assert_int_equal(board_comes_to(board, c, &probe.items[1]), cases[i].news);
		probe_done(&probe);
		board_free(board);
	}
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A killed process with a thread in a hung disk looks the same: its first thread is a zombie, and
 * the files are still open. */
static void test_lock_of_the_dying(void **state)
{
	char folder[] = "/tmp/flashscope-daemon-XXXXXX", path[64], proc[64], text[256] = "";
	int fd, pid = 0, status;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lock", folder);

	pid_t child = fork();

	if (!child) {
		pthread_t thread;

		if (lock_take(path, &fd, &pid) < 0 ||
		    pthread_create(&thread, NULL, wait_for_ever, NULL))
			_exit(1);
		pthread_exit(NULL);
	}
	snprintf(proc, sizeof(proc), "/proc/%d/stat", child);
	for (int i = 0; i < 500 && !strstr(text, ") Z"); i++) {
		int stat_fd = open(proc, O_RDONLY);

		assert_true(read(stat_fd, text, sizeof(text) - 1) > 0);
		close(stat_fd);
		usleep(10000);
	}
	assert_int_equal(lock_take(path, &fd, &pid), -EOWNERDEAD);
	assert_int_equal(pid, child);
	assert_int_equal(lock_take_over(path, &fd, &pid), 0);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);

	/* The successor holds it now, also against one who saw the same dying holder. */
	int other;

	assert_int_equal(lock_take_over(path, &other, &pid), -EBUSY);
	assert_int_equal(lock_take(path, &other, &pid), -EBUSY);
	assert_int_equal(pid, getpid());
	close(fd);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {

		cmocka_unit_test(test_settings),       cmocka_unit_test(test_least_periods),
		cmocka_unit_test(test_least_sizes),    cmocka_unit_test(test_lock),
		cmocka_unit_test(test_lock_of_a_link), cmocka_unit_test(test_lock_of_the_dying),
		cmocka_unit_test(test_board_troubles), cmocka_unit_test(test_board_probes),
		cmocka_unit_test(test_board_worked),   cmocka_unit_test(test_board_news),
		cmocka_unit_test(test_board_comes_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
