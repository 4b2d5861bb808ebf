/* The table of nodes: which group, which probe and which hang decides over a node. What a sampler
 * makes of it is in test_sampler.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/text.h"
#include "sampling/node_table.h"

enum { FAST, SLOW }; /* of the loop, of the lane */

#define BIT(group) ((uint8_t)(1U << (group)))

enum { VALUE, WORD, PROBLEM };

static const struct field fields[] = {
	[VALUE] = {.name = "value", .unit = UNIT_COUNT, .kind = KIND_GAUGE},
	[WORD] = {.name = "word", .kind = KIND_INFO},
	[PROBLEM] = {.name = "problem", .kind = KIND_INFO, .explains = true},
};
static const struct group groups[] = {
	[FAST] = {.name = "fast", .fields = fields, .n_fields = ARRAY_SIZE(fields)},
	[SLOW] = {.name = "slow", .fields = fields, .n_fields = ARRAY_SIZE(fields)},
};

static struct {
	const char *listed; /* by the probe: "a b" */
	const char *hung;
} world;

static char said_buf[512];
static struct text said_text;

static bool hangs(void *arg, const char *node)
{
	(void)arg;
	return world.hung && !strcmp(world.hung, node);
}

static bool lists(void *arg, const char *node)
{
	(void)arg;
	return strstr(world.listed, node);
}

static void said(void *arg, const struct node_entry *entry)
{
	(void)arg;
	text_printf(&said_text, "%s=%s ", entry->node, node_state_name(entry->state));
}

static const struct node_watch watch = {NULL, hangs, lists, said};
static struct node_table table;
static struct sink sink;

static int set_up(void **state)
{
	(void)state;
	world.listed = "a b";
	world.hung = NULL;
	said_text = TEXT_IN(said_buf);
	return sink_init(&sink);
}

static int tear_down(void **state)
{
	(void)state;
	node_table_done(&table);
	sink_done(&sink);
	return 0;
}

static void assert_said(const char *expected)
{
	assert_string_equal(said_buf, expected);
	text_reset(&said_text);
}

/* Nodes have names of one letter. */
static void sample(size_t group, const char *nodes)
{
	sink_reset(&sink, &groups[group]);
	for (; *nodes; nodes++)
		row_set(sink_row(&sink, (char[]){*nodes, '\0'}, ""), 0, 1);
	node_table_update(&table, group, &sink, 1000, &watch);
}

static void probe(size_t group, const char *listed)
{
	world.listed = listed;
	node_table_probed(&table, BIT(group), 2000, &watch);
}

/* As the loop's probe comes before that of the lane, samples of the lane are under way that still
 * have the node. */
static void both_lanes_have_to_miss_it(void **state)
{
	(void)state;
	sample(FAST, "ab");
	sample(SLOW, "ab");
	probe(FAST, "a");
	assert_said("");
	sample(SLOW, "ab");
	assert_said("");
	probe(SLOW, "a");
	assert_said("b=gone ");
	probe(SLOW, "a");
	assert_said("");
}

static void one_group_is_enough_for_what_is_in_one(void **state)
{
	(void)state;
	sample(FAST, "a");
	sample(SLOW, "b");
	probe(FAST, "a");
	assert_said("");
	probe(SLOW, "a");
	assert_said("b=gone ");
}

static void what_no_probe_named_is_not_missed(void **state)
{
	(void)state;
	world.listed = "a";
	sample(FAST, "ac");
	probe(FAST, "a");
	assert_said("");
	probe(FAST, "a c");
	probe(FAST, "a");
	assert_said("c=gone ");
}

/* Its reader is still held in the kernel, whatever a probe of another process sees. */
static void a_hung_node_stays_hung(void **state)
{
	(void)state;
	sample(SLOW, "ab");
	world.hung = "b";
	node_table_hung(&table, SLOW, "b", 1500, &watch);
	assert_said("b=hung ");
	probe(SLOW, "a");
	node_table_emptied(&table, BIT(SLOW), 2000, &watch);
	assert_said("a=gone ");
	world.hung = NULL;
	sample(SLOW, "ab");
	assert_said("b=ok ");
}

enum way { BY_PROBE, BY_EMPTY_PROBE, BY_SAMPLE, BY_SAMPLE_OF_ANOTHER };

static void go_on(enum way way)
{
	if (way == BY_PROBE)
		probe(SLOW, "a");
	else if (way == BY_EMPTY_PROBE)
		node_table_emptied(&table, BIT(SLOW), 2000, &watch);
	else
		sample(way == BY_SAMPLE ? SLOW : FAST, "a");
}

/* Whatever has said that it went, and whatever is said first when it hangs no more. */
static void what_went_while_it_hung_is_said_gone(void **state)
{
	(void)state;
	for (enum way went = BY_PROBE; went <= BY_SAMPLE; went++) {
		for (enum way over = BY_PROBE; over <= BY_SAMPLE_OF_ANOTHER; over++) {
			world.listed = "a b";
			sample(FAST, "a");
			sample(SLOW, "ab");
			world.hung = "b";
			node_table_hung(&table, SLOW, "b", 1500, &watch);
			go_on(went);
			go_on(over);
			assert_said("b=hung ");
			world.hung = NULL;
			go_on(over);
			assert_said("b=gone ");
			go_on(over);
			sample(SLOW, "ab");
			assert_said("");
		}
	}
}

/* Nothing has said yet that it went: the rows of its first sample are late. */
static void one_that_hung_at_its_first_sample_is_there(void **state)
{
	(void)state;
	sample(FAST, "a");
	world.hung = "b";
	node_table_hung(&table, SLOW, "b", 1500, &watch);
	assert_said("b=hung ");
	world.hung = NULL;
	sample(FAST, "a");
	assert_said("");
	sample(SLOW, "b");
	assert_said("b=ok ");
	world.hung = "b";
	node_table_hung(&table, SLOW, "b", 1500, &watch);
	world.hung = NULL;
	sample(SLOW, "");
	assert_said("b=hung b=gone ");
}

static void emptied_lanes_end_all_that_is_in_no_other(void **state)
{
	(void)state;
	sample(FAST, "ab");
	sample(SLOW, "b");
	node_table_emptied(&table, BIT(FAST), 2000, &watch);
	assert_said("a=gone ");
	node_table_emptied(&table, BIT(FAST) | BIT(SLOW), 2000, &watch);
	assert_said("b=gone ");
	sample(FAST, "ab");
	assert_said("");
}

static void sample_row(int error, const char *word, const char *problem)
{
	struct row *row;

	sink_reset(&sink, &groups[FAST]);
	row = sink_row(&sink, "a", "");
	row_result(row, VALUE, error, 1);
	if (word)
		row_text(&sink, row, WORD, word);
	if (problem)
		row_text(&sink, row, PROBLEM, problem);
	node_table_update(&table, FAST, &sink, 1000, &watch);
}

/* What explains a fault is no value; any other text is one. */
static void a_problem_is_no_value(void **state)
{
	(void)state;
	sample_row(0, NULL, "half of it");
	assert_said("");
	sample_row(-EIO, NULL, "no answer");
	assert_said("a=failed ");
	sample_row(-EIO, "word", "no answer");
	assert_said("a=ok ");
	sample_row(-EOPNOTSUPP, NULL, "no answer; not asked again");
	assert_said("a=unsupported ");
	/* One that is not live has no values, so it is not ok. */
	sample_row(-EAGAIN, NULL, "not live");
	assert_said("a=failed ");
	/* Nothing is there to be asked, so nothing failed. */
	sample_row(-ENOENT, NULL, "not recorded");
	assert_said("a=ok ");
}

int main(void)
{
#define TABLE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TABLE_TEST(both_lanes_have_to_miss_it),
		TABLE_TEST(one_group_is_enough_for_what_is_in_one),
		TABLE_TEST(what_no_probe_named_is_not_missed),
		TABLE_TEST(a_hung_node_stays_hung),
		TABLE_TEST(what_went_while_it_hung_is_said_gone),
		TABLE_TEST(one_that_hung_at_its_first_sample_is_there),
		TABLE_TEST(a_problem_is_no_value),
		TABLE_TEST(emptied_lanes_end_all_that_is_in_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
