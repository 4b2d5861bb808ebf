/* Collector interrupts: sums over the CPUs that the head has, lines of others, tables of limits,
 * hostile and oversized files. */
#include "tests/unit/collector_fixture.h"

static void lines(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	/* cpu2 is offline. A line may have several names, and those of IPIs have none. */
	put(&f, "proc/interrupts",
	    "           CPU0       CPU1       CPU3       \n"
	    " 13:        100        200        300     GICv3  30 Level     arch_timer\n"
	    "231:          5          6          7     GICv3  63 Level     dcvsh-irq-0\n"
	    "232:          0         10          0     GICv3  67 Level     other, dcvsh-irq-4\n"
	    "233:          1          1          1     GICv3  68 Level     my-dcvsh-irq-5\n"
	    "IPI0:         1          2          3       Rescheduling interrupts\n"
	    "Err:          0\n");
	assert_int_equal(fixture_probe(&f, "interrupts", false), 0);
	check_outcome(&f, "", OUTCOME_OK);
	check_outcome(&f, "dcvsh-irq-0", OUTCOME_OK);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 2);
	check_value(&f, "dcvsh-irq-0", "interrupts", 18);
	check_value(&f, "dcvsh-irq-4", "interrupts", 10);
	fixture_end(&f);
}

static void hostile(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/interrupts",
	    "CPU0 CPU1\n1: -1 2 dcvsh-irq-0\n2: 1 dcvsh-irq-1\n"
	    "3: 9223372036854775807 1 dcvsh-irq-2\n 1 2 dcvsh-irq-3\n4: 1 2 dcvsh-irq-\n5:");
	assert_int_equal(fixture_probe(&f, "interrupts", false), 0);
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 3);
	check_fault(&f, "dcvsh-irq-0", "interrupts", EBADMSG);
	check_fault(&f, "dcvsh-irq-1", "interrupts", EBADMSG);
	check_fault(&f, "dcvsh-irq-2", "interrupts", EBADMSG);
	/* A line that came after the probe waits for the next one; one that goes has no row. */
	put(&f, "proc/interrupts", "CPU0\n1: 3 dcvsh-irq-0\n9: 3 dcvsh-irq-9\n10: 4 dcvsh-irq-0\n");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 1);
	check_value(&f, "dcvsh-irq-0", "interrupts", 3);
	fixture_end(&f);
}

static void limits(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/interrupts", "CPU0\n");
	put(&f, "sys/kernel/lmh_stats_0/dcvsh_freq_limit", "1785600\n");
	put(&f, "sys/kernel/lmh_stats_0/dcvsh_freq_limit_residency",
	    "Frequency(KHz)\tTime\tCount\n1785600\t250\t3\n1612800 50 1\n1 2\n1 2 3 4\n1 -2 3\n");
	put(&f, "sys/kernel/lmh_stats_6/dcvsh_freq_limit", "4294967295\n");
	put(&f, "sys/kernel/lmh_stats_6/dcvsh_freq_limit_residency", "");
	put(&f, "sys/kernel/lmh_stats_7/dcvsh_freq_limit", "none\n");
	put(&f, "sys/kernel/lmh_stats_7/dcvsh_freq_limit_residency",
	    "1 9223372036854775807 1\n1 1 1\n");
	put(&f, "sys/kernel/lmh_stats_8/other", "");
	put(&f, "sys/kernel/lmh_stats_x/dcvsh_freq_limit", "1\n");
	assert_int_equal(fixture_probe(&f, "interrupts", false), 0);
	check_outcome(&f, "cpu0", OUTCOME_OK);
	check_outcome(&f, "cpu8", OUTCOME_NO_NODE);
	assert_null(item_of(&f, "cpux"));
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	assert_int_equal(fixture_sample(&f, 1), 0);
	check_value(&f, "cpu0", "dcvsh_freq_limit", 1785600);
	check_value(&f, "cpu0", "residency", 300);
	check_value(&f, "cpu0", "limits", 4);
	check_absent(&f, "cpu6", "dcvsh_freq_limit");
	check_value(&f, "cpu6", "residency", 0);
	check_value(&f, "cpu6", "limits", 0);
	check_fault(&f, "cpu7", "dcvsh_freq_limit", EINVAL);
	check_fault(&f, "cpu7", "residency", ERANGE);
	assert_null(row_of(&f, "cpu8"));
	fixture_end(&f);
}

static void reasons(void **unused)
{
	size_t size = 1200 * 1024;
	char *text = malloc(size + 1);
	struct fixture f;

	(void)unused;
	assert_non_null(text);
	memset(text, '1', size);
	text[size] = '\0';
	fixture_start(&f);
	assert_int_equal(fixture_probe(&f, "interrupts", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_NODE);
	put(&f, "proc/interrupts", "CPU0\n1: 2 timer\n");
	assert_int_equal(fixture_probe(&f, "interrupts", false), -ENOENT);
	check_outcome(&f, "", OUTCOME_NO_HARDWARE);
	put(&f, "proc/interrupts", text);
	assert_int_equal(fixture_probe(&f, "interrupts", false), -E2BIG);
	check_outcome(&f, "", OUTCOME_UNSUPPORTED);
	put(&f, "ERRORS", "proc/interrupts\tread\tEACCES\n");
	assert_int_equal(fixture_probe(&f, "interrupts", false), -EACCES);
	check_outcome(&f, "", OUTCOME_DENIED);
	fixture_end(&f);
	free(text);
}

/* A file that became empty gives no row, and no count of 0. */
static void empty_later(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_start(&f);
	put(&f, "proc/interrupts", "CPU0\n1: 2 dcvsh-irq-0\n");
	assert_int_equal(fixture_probe(&f, "interrupts", false), 0);
	put(&f, "proc/interrupts", "");
	assert_int_equal(fixture_sample(&f, 0), 0);
	assert_int_equal(f.sink.n_rows, 0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),   cmocka_unit_test(hostile),     cmocka_unit_test(limits),
		cmocka_unit_test(reasons), cmocka_unit_test(empty_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
