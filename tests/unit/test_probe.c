/* The word of a collector, where its nodes have one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/probe.h"

static void judge(struct probe *probe, enum outcome outcome, const char *reason)
{
	probe_judge(probe);
	assert_int_equal(probe->items[0].outcome, outcome);
	assert_string_equal(probe->items[0].reason, reason);
}

static void word_of_the_nodes(void **state)
{
	struct probe probe;

	(void)state;
	assert_int_equal(probe_init(&probe), 0);
	judge(&probe, OUTCOME_OK, "");

	probe_left_out(&probe, "loop0", "--partitions", "a pseudo device");
	judge(&probe, OUTCOME_DISABLED, "loop0: a pseudo device");
	assert_string_equal(probe.items[0].advice, "--partitions");

	probe_collector(&probe, OUTCOME_OK, "", "%s", "");
	probe_node(&probe, "sda", OUTCOME_NO_NODE, "another kernel", "none");
	judge(&probe, OUTCOME_NO_NODE, "sda: none");

	probe_collector(&probe, OUTCOME_OK, "", "%s", "");
	probe_node(&probe, "sdb", OUTCOME_DENIED, "as root", "Permission denied");
	probe_node(&probe, "sdc", OUTCOME_UNSUPPORTED, "", "refused");
	judge(&probe, OUTCOME_DENIED, "none of 3 nodes is ok; sdb: Permission denied");
	assert_string_equal(probe.items[0].advice, "as root");

	probe_collector(&probe, OUTCOME_OK, "", "%s", "");
	probe_node(&probe, "sdd", OUTCOME_OK, "", "%s", "");
	judge(&probe, OUTCOME_OK, "");
	probe_done(&probe);
}

/* What the collector says itself stands, and a long reason is cut. */
static void own_word_stands(void **state)
{
	struct probe probe;
	char reason[PROBE_TEXT_MAX];

	(void)state;
	assert_int_equal(probe_init(&probe), 0);
	probe_node(&probe, "sda", OUTCOME_FAILED, "", "%s", "it fails");
	probe_collector(&probe, OUTCOME_NO_HARDWARE, "", "no such device");
	judge(&probe, OUTCOME_NO_HARDWARE, "no such device");

	memset(reason, 'x', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	probe_collector(&probe, OUTCOME_OK, "", "%s", "");
	probe_node(&probe, "sdb", OUTCOME_FAILED, "", "%s", reason);
	probe.items[1].outcome = OUTCOME_NO_NODE;
	probe_judge(&probe);
	assert_int_equal(probe.items[0].outcome, OUTCOME_FAILED);
	assert_int_equal(strncmp(probe.items[0].reason, "none of 2 nodes is ok; sdb: xxx", 31), 0);
	assert_int_equal(strlen(probe.items[0].reason), PROBE_TEXT_MAX - 1);
	probe_done(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(word_of_the_nodes),
		cmocka_unit_test(own_word_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
