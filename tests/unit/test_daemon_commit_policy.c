/* When a commit is due, and what was spent in a day. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "daemon/commit_policy.h"
#include "model/rolling_day.h"

#define MIB      (INT64_C(1) << 20)
#define BOUND_MS 60000
#define BUDGET   (64 * MIB)

static struct commit_policy policy;
static int64_t now_ms, spent;

static void begin(void)
{
	policy = (struct commit_policy){
		.bound_ms = BOUND_MS, .budget_bytes = BUDGET, .last_ms = 1000000};
	now_ms = 1000000;
	spent = 0;
}

/* One turn of the loop a second later; a commit is made when one is due. */
static enum commit_why turn(bool active, bool urgent)
{
	enum commit_why why;

	now_ms += 1000;
	commit_policy_look(&policy, active);
	why = commit_policy_due(&policy, now_ms, spent, urgent);
	if (why != COMMIT_NOT)
		commit_policy_done(&policy, now_ms);
	return why;
}

/* Turns until a commit: after how many seconds, and why. */
static int until_commit(bool active, enum commit_why *ret_why)
{
	for (int s = 1; s <= 4000; s++) {
		*ret_why = turn(active, false);
		if (*ret_why != COMMIT_NOT)
			return s;
	}
	return -1;
}

static void at_the_bound(void **state)
{
	enum commit_why why;

	(void)state;
	begin();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(until_commit(false, &why), 60);
		assert_int_equal(why, COMMIT_BOUND);
	}
	assert_int_equal(commit_policy_next_ms(&policy, now_ms, 0), now_ms + BOUND_MS);
	/* A disk that is always busy will be so at the bound. */
	for (int i = 0; i < 3; i++)
		assert_int_equal(until_commit(true, &why), 60);
	assert_int_equal(why, COMMIT_BOUND);
}

static void rides_on_others(void **state)
{
	(void)state;
	begin();
	for (int s = 1; s < 45; s++)
		assert_int_equal(turn(s == 40, false), COMMIT_NOT);
	assert_int_equal(turn(false, false), COMMIT_NOT);
	assert_int_equal(turn(true, false), COMMIT_RIDES);
	assert_int_equal(turn(true, false), COMMIT_NOT);
	/* Not of a bound that is short anyway. */
	begin();
	policy.bound_ms = 8000;
	for (int s = 1; s < 8; s++)
		assert_int_equal(turn(s == 7, false), COMMIT_NOT);
	assert_int_equal(turn(false, false), COMMIT_BOUND);
}

static void urgent_is_at_once(void **state)
{
	(void)state;
	begin();
	assert_int_equal(turn(false, true), COMMIT_URGENT);
	assert_int_equal(turn(false, true), COMMIT_URGENT);
	assert_int_equal(turn(false, false), COMMIT_NOT);
}

static void critical_is_often(void **state)
{
	int n = 0;

	(void)state;
	begin();
	turn(false, false);
	assert_true(commit_policy_critical(&policy, now_ms, 7, spent));
	assert_int_equal(turn(false, true), COMMIT_CRITICAL);
	for (int s = 1; s < 600; s++)
		n += turn(false, false) == COMMIT_CRITICAL;
	assert_int_equal(n, 119);
	assert_int_equal(turn(false, false), COMMIT_NOT);
	/* The same within an hour: it is urgent, and no more. */
	assert_false(commit_policy_critical(&policy, now_ms, 7, spent));
	assert_int_equal(turn(false, true), COMMIT_URGENT);
	for (int s = 1; s < 60; s++)
		assert_int_equal(turn(false, false), COMMIT_NOT);
	/* Another one does it again, and the same after an hour. */
	assert_true(commit_policy_critical(&policy, now_ms, 8, spent));
	assert_int_equal(commit_policy_next_ms(&policy, now_ms, 0), policy.last_ms + 5000);
	now_ms += COMMIT_CAUSE_AGAIN_MS;
	assert_true(commit_policy_critical(&policy, now_ms, 7, spent));
}

/* A device that dies with a hundred faces. */
static void a_storm_of_causes(void **state)
{
	int n = 0;

	(void)state;
	begin();
	for (uint64_t cause = 0; cause < 1000; cause++)
		n += commit_policy_critical(&policy, now_ms, cause, spent);
	assert_int_equal(n, COMMIT_CAUSES_MAX);
}

static void the_budget_widens(void **state)
{
	int64_t bound_ms = BOUND_MS;
	enum commit_why why;

	(void)state;
	begin();
	assert_int_equal(commit_policy_bound_ms(&policy, BUDGET / 4 * 3), BOUND_MS);
	for (spent = BUDGET / 4 * 3; spent < BUDGET; spent += MIB) {
		assert_true(commit_policy_bound_ms(&policy, spent) >= bound_ms);
		bound_ms = commit_policy_bound_ms(&policy, spent);
	}
	assert_true(bound_ms > 40 * 60000 && bound_ms < COMMIT_WIDEST_MS);
	spent = BUDGET;
	assert_int_equal(commit_policy_bound_ms(&policy, spent), COMMIT_WIDEST_MS);
	assert_int_equal(commit_policy_bound_ms(&policy, INT64_MAX), COMMIT_WIDEST_MS);
	assert_int_equal(until_commit(false, &why), 3600);
	assert_int_equal(why, COMMIT_BOUND);
	/* Whoever asks for it gets none, and what is urgent waits for the bound as configured. */
	assert_true(commit_policy_may(&policy, BUDGET - MIB));
	assert_false(commit_policy_may(&policy, BUDGET));
	for (int s = 1; s < 60; s++)
		assert_int_equal(turn(false, true), COMMIT_NOT);
	assert_int_equal(turn(false, true), COMMIT_URGENT);
	/* Something critical is worth one. */
	assert_false(commit_policy_critical(&policy, now_ms, 7, spent));
	assert_int_equal(turn(false, true), COMMIT_CRITICAL);
	assert_int_equal(turn(false, true), COMMIT_NOT);
	/* No budget is no limit; a bound of an hour cannot become wider. */
	policy.budget_bytes = 0;
	assert_int_equal(commit_policy_bound_ms(&policy, INT64_MAX), BOUND_MS);
	assert_true(commit_policy_may(&policy, INT64_MAX));
	policy.budget_bytes = 1;
	policy.bound_ms = COMMIT_WIDEST_MS;
	assert_int_equal(commit_policy_bound_ms(&policy, 5), COMMIT_WIDEST_MS);
}

static void the_budget_is_told_of_once(void **state)
{
	(void)state;
	begin();
	assert_int_equal(commit_policy_budget(&policy, 0), BUDGET_SAME);
	assert_int_equal(commit_policy_budget(&policy, BUDGET / 100 * 80), BUDGET_BEGINS);
	assert_int_equal(commit_policy_budget(&policy, BUDGET), BUDGET_SAME);
	assert_int_equal(commit_policy_budget(&policy, BUDGET / 100 * 72), BUDGET_SAME);
	assert_int_equal(commit_policy_budget(&policy, BUDGET / 100 * 69), BUDGET_ENDS);
	assert_int_equal(commit_policy_budget(&policy, BUDGET / 100 * 72), BUDGET_SAME);
}

/* Days at 50 KB a commit: what is written stays within the budget. */
static void days_within_the_budget(void **state)
{
	struct rolling_day day = {0};
	int64_t most = 0;

	(void)state;
	begin();
	policy.budget_bytes = 16 * MIB;
	for (int s = 0; s < 3 * 86400; s++) {
		spent = rolling_day_sum(&day, now_ms);
		if (turn(s % 3 == 0, false) != COMMIT_NOT)
			rolling_day_add(&day, now_ms, 50000);
		most = spent > most ? spent : most;
	}
	assert_true(most < 16 * MIB);
	assert_true(most > 12 * MIB);
}

static void a_rolling_day(void **state)
{
	struct rolling_day day = {0};

	(void)state;
	for (int64_t h = 0; h < 30; h++)
		rolling_day_add(&day, h * ROLLING_HOUR_MS + 5, 1);
	assert_int_equal(rolling_day_sum(&day, 29 * ROLLING_HOUR_MS), 24);
	assert_int_equal(rolling_day_sum(&day, 32 * ROLLING_HOUR_MS), 21);
	assert_int_equal(rolling_day_sum(&day, 100 * ROLLING_HOUR_MS), 0);
	assert_int_equal(rolling_day_hour(&day, 5), 0);
	assert_int_equal(rolling_day_hour(&day, 6), 1);
	/* Of before the boot, added late, and too late. */
	day = (struct rolling_day){0};
	rolling_day_add(&day, -1, 5);
	rolling_day_add(&day, -23 * ROLLING_HOUR_MS, 7);
	rolling_day_add(&day, -24 * ROLLING_HOUR_MS, 9);
	assert_int_equal(rolling_hour_of(-1), -1);
	assert_int_equal(rolling_day_sum(&day, 0), 12);
	assert_int_equal(rolling_day_sum(&day, ROLLING_HOUR_MS), 5);
	/* Nothing wraps. */
	rolling_day_add(&day, 0, INT64_MAX);
	rolling_day_add(&day, 1, INT64_MAX);
	assert_int_equal(rolling_day_sum(&day, 1), INT64_MAX);
}

/* Whoever asks each second has no more commits made than one for each that comes by itself. */
static void copies_share_the_bound(void **state)
{
	int asked = 0, others = 0;

	(void)state;
	begin();
	for (int s = 0; s < 3600; s++) {
		others += turn(false, false) != COMMIT_NOT;
		if (!commit_policy_ask(&policy, now_ms, spent))
			continue;
		asked++;
		commit_policy_done(&policy, now_ms);
	}
	assert_int_equal(asked, 60);
	assert_true(others <= 60);

	/* The first one has it at once, soon after the machine has started as well. */
	begin();
	assert_true(commit_policy_ask(&policy, 5, spent));
	assert_false(commit_policy_ask(&policy, 5 + BOUND_MS - 1, spent));
	assert_true(commit_policy_ask(&policy, 5 + BOUND_MS, spent));

	/* A budget that is spent makes them as rare as all others. */
	begin();
	spent = BUDGET;
	asked = 0;
	for (int s = 0; s < 3 * 3600; s++, now_ms += 1000)
		asked += commit_policy_ask(&policy, now_ms, spent);
	assert_int_equal(asked, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_bound),
		cmocka_unit_test(rides_on_others),
		cmocka_unit_test(urgent_is_at_once),
		cmocka_unit_test(critical_is_often),
		cmocka_unit_test(a_storm_of_causes),
		cmocka_unit_test(the_budget_widens),
		cmocka_unit_test(the_budget_is_told_of_once),
		cmocka_unit_test(days_within_the_budget),
		cmocka_unit_test(copies_share_the_bound),
		cmocka_unit_test(a_rolling_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
