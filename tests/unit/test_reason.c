/* What is said of a kernel option, for each thing that can be known of it. */
#include "tests/unit/collector_fixture.h"

#include "base/macros.h"
#include "model/reason.h"

static const struct need need = {"CONFIG_A", "a_core", OUTCOME_NO_HARDWARE, "plug one in"};

static void say(struct fixture *f, const char *node)
{
	fixture_unprobe(f);
	assert_int_equal(hw_open(f->root, &f->hw), 0);
	assert_int_equal(probe_init(&f->probe), 0);
	reason_option(f->hw, &f->probe, node, &need, "there is no /sys/class/%s", "a");
}

static void check_said(const struct fixture *f, const char *node, enum outcome outcome,
		       const char *reason, const char *advice)
{
	check_outcome(f, node, outcome);
	assert_string_equal(item_of(f, node)->reason, reason);
	assert_string_equal(item_of(f, node)->advice, advice);
}

static void each_state(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/uptime", "1 1\n");
	say(&f, "");
	check_said(&f, "", OUTCOME_NO_HARDWARE,
		   "there is no /sys/class/a: no such hardware, or a kernel without CONFIG_A (no "
		   "kernel config found that tells)",
		   "plug one in; needs CONFIG_A");
	put(&f, "proc/config.gz", "# CONFIG_A is not set\n");
	say(&f, "x0");
	check_said(&f, "x0", OUTCOME_NO_OPTION, "there is no /sys/class/a: CONFIG_A is not set",
		   "build the kernel with CONFIG_A=y or =m");
	check_outcome(&f, "", OUTCOME_OK);
	put(&f, "proc/config.gz", "CONFIG_A=m\n");
	say(&f, "");
	check_said(&f, "", OUTCOME_DISABLED,
		   "there is no /sys/class/a: CONFIG_A=m, module a_core is not loaded",
		   "load the module a_core");
	put(&f, "sys/module/a_core/refcnt", "0\n");
	say(&f, "");
	check_said(&f, "", OUTCOME_NO_HARDWARE, "there is no /sys/class/a although CONFIG_A is set",
		   "plug one in");
	put(&f, "proc/config.gz", "CONFIG_A=y\n");
	say(&f, "");
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	fixture_end(&f);
}

static void older_kernels(void **unused)
{
	static const struct {
		const char *kernel, *added;
	} table[] = {
		{"5.15.71-lts+g95\n", ", and this kernel is 5.15"},
		{"5.9.0\n", ", and this kernel is 5.9"},
		{"6.0\n", ", and this kernel is 6.0"},
		{"6.1.0-13-amd64\n", ""},
		{"6.12.0\n", ""},
		{"10.0\n", ""},
		{"six\n", ""},
		{"99999999999999999999.9\n", ""},
		{"-5.1\n", ""},
		{"\n", ""},
	};
	struct fixture f;
	char wanted[PROBE_TEXT_MAX];

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/uptime", "1 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		put(&f, "proc/sys/kernel/osrelease", table[i].kernel);
		fixture_unprobe(&f);
		assert_int_equal(hw_open(f.root, &f.hw), 0);
		assert_int_equal(probe_init(&f.probe), 0);
		reason_option(f.hw, &f.probe, "x", &need, "no x (since 6.1)");
		snprintf(wanted, sizeof(wanted), "no x (since 6.1)%s",
			 *table[i].added ? table[i].added
					 : ": no such hardware, or a kernel without CONFIG_A (no "
					   "kernel config found that tells)");
		check_said(&f, "x", *table[i].added ? OUTCOME_NO_NODE : OUTCOME_NO_HARDWARE, wanted,
			   *table[i].added ? "a kernel from 6.1 on, with CONFIG_A"
					   : "plug one in; needs CONFIG_A");
	}
	fixture_end(&f);
}

static void states_alone(void **unused)
{
	static const struct {
		const char *config, *module;
		enum option expected;
	} cases[] = {
		{"CONFIG_A=y\n", NULL, OPTION_SET},
		{"CONFIG_A=y\n", "a", OPTION_SET},
		{"CONFIG_A=m\n", NULL, OPTION_SET},
		{"CONFIG_A=m\n", "a", OPTION_NOT_LOADED},
		{"CONFIG_A=m\n", "loaded", OPTION_SET},
		{"CONFIG_AB=y\n", "a", OPTION_NOT_SET},
		{"CONFIG_A=\"a text of more than sixteen bytes\"\n", NULL, OPTION_SET},
		{"no config\n", "a", OPTION_UNKNOWN},
		{"", "a", OPTION_UNKNOWN},
		{"\x1f\x8b", "a", OPTION_UNKNOWN},
	};
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "sys/module/loaded/refcnt", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put(&f, "proc/config.gz", cases[i].config);
		assert_int_equal(hw_open(f.root, &f.hw), 0);

		enum option option = option_of(f.hw, "CONFIG_A", cases[i].module);

		if (option != cases[i].expected)
			fail_msg("case %zu: %d", i, (int)option);
		fixture_unprobe(&f);
	}
	fixture_end(&f);
}

/* A long reason is cut, no more. */
static void long_text(void **unused)
{
	char text[1000];
	struct fixture f;

	(void)unused;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fixture_start(&f);
	assert_int_equal(hw_open(f.root, &f.hw), 0);
	assert_int_equal(probe_init(&f.probe), 0);
	reason_option(f.hw, &f.probe, "", &need, "%s", text);
	assert_int_equal(strlen(f.probe.items[0].reason), PROBE_TEXT_MAX - 1);
	fixture_end(&f);
}

static void names_of_parts(void **unused)
{
	static const struct {
		size_t n; /* of the name's characters */
		const char *part;
		size_t kept;
	} cases[] = {
		{1, "aer", 1},
		{NODE_NAME_MAX - 5, "aer", NODE_NAME_MAX - 5},
		{NODE_NAME_MAX - 4, "aer", NODE_NAME_MAX - 5},
		{NODE_NAME_MAX - 1, "aer", NODE_NAME_MAX - 5},
		{NODE_NAME_MAX - 1, "runtime_status", NODE_NAME_MAX - 16},
		{4 * NODE_NAME_MAX, "files", NODE_NAME_MAX - 7},
	};
	char part[NODE_NAME_MAX], name[4 * NODE_NAME_MAX + 1];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(name, 'n', cases[i].n);
		name[cases[i].n] = '\0';
		probe_part(part, name, cases[i].part);
		assert_int_equal(strspn(part, "n"), cases[i].kept);
		assert_int_equal(part[cases[i].kept], ' ');
		assert_string_equal(part + cases[i].kept + 1, cases[i].part);
	}
	/* A character of two bytes that would be cut in the middle. */
	memset(name, 'n', NODE_NAME_MAX);
	memcpy(name + NODE_NAME_MAX - 6, "\xc3\xa4", 3);
	probe_part(part, name, "aer");
	assert_string_equal(part + NODE_NAME_MAX - 6, " aer");
	/* A part that leaves no room. */
	memset(name, 'p', NODE_NAME_MAX);
	name[NODE_NAME_MAX] = '\0';
	probe_part(part, "n", name);
	assert_int_equal(strlen(part), NODE_NAME_MAX - 1);
}

/* Each errno that a node has answered with in the trees, and those of nodes that are odd. */
static void errors(void **unused)
{
	static const char file[] = "/sys/class/a/value", proc[] = "/proc/a";
	static const struct {
		int error;
		const char *what;
		enum outcome outcome;
		const char *words, *advice; /* a part of it; "" none */
	} cases[] = {
		{-ENOENT, file, OUTCOME_NO_NODE, "No such file or directory",
		 "tools/capture as root"},
		{-EACCES, file, OUTCOME_DENIED, "Permission denied", "genfs_contexts"},
		{-EPERM, file, OUTCOME_DENIED, "Operation not permitted", "chmod a+r"},
		{-EACCES, proc, OUTCOME_DENIED, "Permission denied", "as root; Android: allow"},
		{-EOPNOTSUPP, file, OUTCOME_UNSUPPORTED, "Operation not supported", ""},
		{-ENODATA, file, OUTCOME_FAILED, "No data available", "while its device is in use"},
		{-EAGAIN, file, OUTCOME_FAILED, "Resource temporarily unavailable",
		 "while its device is in use"},
		{-EBUSY, file, OUTCOME_FAILED, "Device or resource busy",
		 "while its device is in use"},
		{-EINVAL, file, OUTCOME_FAILED, "Invalid argument", "cat it: where that fails"},
		{-EIO, file, OUTCOME_FAILED, "Input/output error", "supply, clock and wiring"},
		{-ETIMEDOUT, file, OUTCOME_FAILED, "Connection timed out",
		 "supply, clock and wiring"},
		{-EREMOTEIO, file, OUTCOME_FAILED, "Remote I/O error", "supply, clock and wiring"},
		{-ENODEV, file, OUTCOME_FAILED, "No such device", "lost its driver"},
		{-ENXIO, file, OUTCOME_FAILED, "No such device or address", "lost its driver"},
		{-ERANGE, file, OUTCOME_FAILED, "Numerical result out of range", "with what cat"},
		{-E2BIG, file, OUTCOME_FAILED, "Argument list too long", "with what cat"},
		{-EISDIR, file, OUTCOME_FAILED, "Is a directory", "ls -l"},
		{-ELOOP, file, OUTCOME_FAILED, "Too many levels of symbolic links", "ls -l"},
		{-EMFILE, file, OUTCOME_FAILED, "Too many open files", "ulimit -n"},
		{-ETIME, file, OUTCOME_FAILED, "Timer expired", "hung tasks"},
		{-EIO, proc, OUTCOME_FAILED, "Input/output error", "mounted over it"},
		{-ENODATA, proc, OUTCOME_FAILED, "No data available", "mounted over it"},
		{-EMFILE, proc, OUTCOME_FAILED, "Too many open files", "ulimit -n"},
		{-ENODATA, "adjtimex", OUTCOME_FAILED, "No data available",
		 "report it with uname -r"},
		{-EDOM, "adjtimex", OUTCOME_FAILED, "Numerical argument out of domain",
		 "report it with uname -r"},
	};
	char reason[PROBE_TEXT_MAX];
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/uptime", "1 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fixture_unprobe(&f);
		assert_int_equal(hw_open(f.root, &f.hw), 0);
		assert_int_equal(probe_init(&f.probe), 0);
		reason_error(f.hw, &f.probe, i % 2 ? "x" : "", cases[i].error, "%s", cases[i].what);
		snprintf(reason, sizeof(reason), "%s: %s", cases[i].what, cases[i].words);

		const char *node = i % 2 ? "x" : "", *advice = item_of(&f, node)->advice;

		check_said(&f, node, cases[i].outcome, reason, advice);
		if (*cases[i].advice ? !strstr(advice, cases[i].advice) : *advice)
			fail_msg("%s: %s", reason, advice);
	}
	fixture_end(&f);
}

/* On a machine nothing is to be recorded again, and a file of procfs is missing for another reason
 * than one of a driver. */
static void missing_here(void **unused)
{
	struct hw *hw;

	(void)unused;
	assert_int_equal(hw_open("/", &hw), 0);
	assert_non_null(strstr(advice_of_error(hw, -ENOENT, "/proc/a"), "mount -t proc"));
	assert_non_null(strstr(advice_of_error(hw, -ENOENT, "/sys/class/a"), "lost its driver"));
	hw_close(hw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_state),     cmocka_unit_test(older_kernels),
		cmocka_unit_test(states_alone),   cmocka_unit_test(errors),
		cmocka_unit_test(missing_here),   cmocka_unit_test(long_text),
		cmocka_unit_test(names_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
