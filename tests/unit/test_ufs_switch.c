/* What is written to the UFS monitors under each policy, and put back. */
#include <signal.h>
#include <sys/resource.h>

#include "base/hw_switch.h"
#include "helper/ufs_switch.h"
#include "tests/unit/collector_fixture.h"

#define HOST   "sys/devices/platform/soc/1d84000.ufshc"
#define ENABLE HOST "/monitor/monitor_enable"
#define QUEUES HOST "/host0/scsi_host/host0/nr_hw_queues"

struct scene {
	struct fixture f;
	struct ufs_switch *ufs;
	char memory[300];
	struct wire_monitored said;
	char written[64];  /* all that was written, in order */
	int fails;         /* errno of the next writes */
	const char *other; /* a second node that may be written */
	int64_t now_ms;
};

static int take_write(void *arg, const char *path, const char *value)
{
	struct scene *s = arg;

	if (s->other)
		assert_true(!strcmp(path, s->other) || !strcmp(path, ENABLE));
	else
		assert_string_equal(path, ENABLE);
	if (s->fails)
		return -s->fails;
	size_t len = strlen(s->written);

	snprintf(s->written + len, sizeof(s->written) - len, "%s", value);
	put(&s->f, ENABLE, value);
	return 0;
}

static void begin(struct scene *s, const char *n_queues)
{
	*s = (struct scene){.now_ms = 1000};
	fixture_start(&s->f);
	put(&s->f, ENABLE, "0\n");
	put(&s->f, QUEUES, n_queues);
	put(&s->f, "proc/sys/kernel/random/boot_id", "0a0a0a0a-1111-2222-3333-444444444444\n");
	snprintf(s->memory, sizeof(s->memory), "%s/memory", s->f.root);
	assert_int_equal(hw_open(s->f.root, &s->f.hw), 0);
	hw_switch_to(s->f.hw, take_write, s);
	assert_int_equal(ufs_switch_open(s->f.hw, s->memory, &s->ufs), 0);
}

static void end(struct scene *s)
{
	ufs_switch_close(s->ufs);
	fixture_end(&s->f);
}

static void apply(struct scene *s, enum ufs_monitor policy, bool asked)
{
	const struct wire_monitor wish = {policy, asked ? INT64_MAX : 0};

	s->now_ms += 5000;
	s->written[0] = '\0';
	ufs_switch_apply(s->ufs, &wish, s->now_ms, &s->said);
}

static void leave(struct scene *s)
{
	s->written[0] = '\0';
	ufs_switch_apply(s->ufs, NULL, s->now_ms, &s->said);
}

static void policies(void **unused)
{
	static const struct {
		enum ufs_monitor policy;
		bool asked;
		int64_t n_queues;
		bool wanted;
	} cases[] = {
		{UFS_MONITOR_AUTO, false, 1, true},    {UFS_MONITOR_AUTO, false, 9, false},
		{UFS_MONITOR_AUTO, false, -1, false},  {UFS_MONITOR_AUTO, true, 9, true},
		{UFS_MONITOR_AUTO, true, -1, true},    {UFS_MONITOR_ON, false, 9, true},
		{UFS_MONITOR_MARKED, false, 1, false}, {UFS_MONITOR_MARKED, true, 1, true},
		{UFS_MONITOR_OFF, true, 1, false},     {UFS_MONITOR_OFF, false, 1, false},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct wire_monitor wish = {cases[i].policy, cases[i].asked ? 1001 : 1000};

		assert_int_equal(ufs_monitor_is_wanted(&wish, cases[i].n_queues, 1000),
				 cases[i].wanted);
	}
	assert_false(ufs_monitor_is_wanted(NULL, 1, 0));
}

static void on_and_put_back(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_AUTO, false);
	assert_string_equal(s.written, "1");
	assert_int_equal(s.said.n_hosts, 1);
	assert_int_equal(s.said.n_wanted, 1);
	assert_int_equal(s.said.n_on, 1);
	assert_int_equal(s.said.n_ours, 1);
	apply(&s, UFS_MONITOR_AUTO, false);
	assert_string_equal(s.written, "");
	leave(&s);
	assert_string_equal(s.written, "0");
	assert_int_equal(s.said.n_on, 0);
	assert_int_equal(s.said.n_ours, 0);
	assert_int_equal(access(s.memory, F_OK), -1);
	end(&s);
}

static void several_queues_wait_for_a_mark(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "9\n");
	apply(&s, UFS_MONITOR_AUTO, false);
	assert_string_equal(s.written, "");
	assert_int_equal(s.said.n_wanted, 0);
	apply(&s, UFS_MONITOR_AUTO, true);
	assert_string_equal(s.written, "1");
	apply(&s, UFS_MONITOR_AUTO, false);
	assert_string_equal(s.written, "0");
	end(&s);
}

/* A daemon that hangs says no more that the mark is over. */
static void a_mark_ends_by_itself(void **unused)
{
	struct wire_monitor wish = {.policy = UFS_MONITOR_MARKED, .asked_until_ms = 60000};
	struct scene s;

	(void)unused;
	begin(&s, "9\n");
	ufs_switch_apply(s.ufs, &wish, 59999, &s.said);
	assert_string_equal(s.written, "1");
	ufs_switch_apply(s.ufs, &wish, 60000, &s.said);
	assert_string_equal(s.written, "10");
	assert_int_equal(s.said.n_wanted, 0);
	assert_int_equal(s.said.n_ours, 0);
	end(&s);
}

/* As a kill in the middle of it: what was known before is known still. */
static void a_memory_that_cannot_be_written(void **unused)
{
	const char *other = "sys/devices/platform/soc/1d84001.ufshc";
	char path[300], line[128] = "";
	struct rlimit before, none;
	struct scene s;
	FILE *file;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(access(s.memory, F_OK), 0);
	snprintf(path, sizeof(path), "%s/monitor/monitor_enable", other);
	put(&s.f, path, "0\n");
	s.fails = EACCES;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){0, before.rlim_max};
	s.other = path;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	file = fopen(s.memory, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, HOST "\n");
	fclose(file);
	end(&s);
}

static void what_others_switched_on_stays(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	put(&s.f, ENABLE, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	assert_string_equal(s.written, "");
	assert_int_equal(s.said.n_on, 1);
	assert_int_equal(s.said.n_ours, 0);
	apply(&s, UFS_MONITOR_OFF, false);
	leave(&s);
	assert_string_equal(s.written, "");
	end(&s);
}

static void on_again_after_others(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	put(&s.f, ENABLE, "0\n");
	/* Not in a fight: 5 s later it is left alone, 10 s later it is not. */
	apply(&s, UFS_MONITOR_ON, false);
	assert_string_equal(s.written, "");
	assert_int_equal(s.said.n_on, 0);
	apply(&s, UFS_MONITOR_ON, false);
	assert_string_equal(s.written, "1");
	assert_int_equal(s.said.n_again, 1);
	/* Somebody else put it back already. */
	put(&s.f, ENABLE, "0\n");
	apply(&s, UFS_MONITOR_MARKED, false);
	assert_string_equal(s.written, "");
	assert_int_equal(s.said.n_ours, 0);
	end(&s);
}

static void driver_bound_anew(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	take_away(&s.f, HOST);
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(s.said.n_hosts, 0);
	assert_int_equal(s.said.n_ours, 0);
	put(&s.f, ENABLE, "0\n");
	put(&s.f, QUEUES, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	assert_string_equal(s.written, "1");
	assert_int_equal(s.said.n_again, 0);
	end(&s);
}

static void refused(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	s.fails = EACCES;
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(s.said.error, -EACCES);
	assert_int_equal(s.said.n_on, 0);
	assert_int_equal(s.said.n_ours, 0);
	/* It stays said, and nobody is blamed for it. */
	for (int i = 0; i < 4; i++) {
		apply(&s, UFS_MONITOR_ON, false);
		assert_int_equal(s.said.error, -EACCES);
	}
	assert_int_equal(s.said.n_again, 0);
	s.fails = 0;
	apply(&s, UFS_MONITOR_ON, false);
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(s.said.error, 0);
	assert_int_equal(s.said.n_ours, 1);
	end(&s);
}

static void remembered_after_a_kill(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	ufs_switch_close(s.ufs);
	assert_int_equal(ufs_switch_open(s.f.hw, s.memory, &s.ufs), 0);
	leave(&s);
	assert_string_equal(s.written, "0");

	/* Of another boot the file says nothing. */
	apply(&s, UFS_MONITOR_ON, false);
	ufs_switch_close(s.ufs);
	put(&s.f, "proc/sys/kernel/random/boot_id", "0b0b0b0b-1111-2222-3333-444444444444\n");
	assert_int_equal(ufs_switch_open(s.f.hw, s.memory, &s.ufs), 0);
	assert_int_equal(access(s.memory, F_OK), -1);
	leave(&s);
	assert_string_equal(s.written, "");
	end(&s);
}

/* One that another holds is neither read nor written, and what stands in it is not put back. */
static void memory_of_another(void **unused)
{
	struct ufs_switch *other;
	struct wire_monitored said;
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(ufs_switch_open(s.f.hw, s.memory, &other), 0);
	s.written[0] = '\0';
	ufs_switch_apply(other, NULL, s.now_ms, &said);
	assert_int_equal(said.n_ours, 0);
	assert_string_equal(s.written, "");
	assert_int_equal(access(s.memory, F_OK), 0);
	ufs_switch_close(other);
	leave(&s);
	assert_string_equal(s.written, "0");
	end(&s);
}

static int n_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int n = 0;

	assert_non_null(file);
	for (int c; (c = fgetc(file)) != EOF;)
		n += c == '\n';
	fclose(file);
	return n;
}

/* It is tried again and again, and said once. */
static void cannot_be_put_back(void **unused)
{
	char log[300];
	struct scene s;
	int saved = dup(STDERR_FILENO);

	(void)unused;
	begin(&s, "1\n");
	apply(&s, UFS_MONITOR_ON, false);
	snprintf(log, sizeof(log), "%s/log", s.f.root);
	assert_non_null(freopen(log, "w", stderr));
	s.fails = EACCES;
	for (int i = 0; i < 3; i++) {
		apply(&s, UFS_MONITOR_OFF, false);
		assert_int_equal(s.said.n_ours, 1);
	}
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	assert_int_equal(n_lines(log), 1);
	s.fails = 0;
	apply(&s, UFS_MONITOR_OFF, false);
	assert_string_equal(s.written, "0");
	assert_int_equal(s.said.n_ours, 0);
	end(&s);
}

static void recorded_tree_is_not_written(void **unused)
{
	struct scene s;

	(void)unused;
	begin(&s, "1\n");
	hw_switch_to(s.f.hw, NULL, NULL);
	apply(&s, UFS_MONITOR_ON, false);
	assert_int_equal(s.said.error, -EROFS);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies),
		cmocka_unit_test(on_and_put_back),
		cmocka_unit_test(several_queues_wait_for_a_mark),
		cmocka_unit_test(a_mark_ends_by_itself),
		cmocka_unit_test(a_memory_that_cannot_be_written),
		cmocka_unit_test(what_others_switched_on_stays),
		cmocka_unit_test(on_again_after_others),
		cmocka_unit_test(driver_bound_anew),
		cmocka_unit_test(refused),
		cmocka_unit_test(remembered_after_a_kill),
		cmocka_unit_test(memory_of_another),
		cmocka_unit_test(cannot_be_put_back),
		cmocka_unit_test(recorded_tree_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
