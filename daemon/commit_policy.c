#include "daemon/commit_policy.h"

#include "base/macros.h"

/* In thousandths of the budget. */
#define WIDENS_FROM 750
#define ENDS_BELOW  700
#define SPENT       1000

/* Of 16 looks. */
#define OFTEN_ACTIVE 8

static int64_t share_of_budget(const struct commit_policy *policy, int64_t spent_bytes)
{
	if (policy->budget_bytes <= 0)
		return 0;
	if (spent_bytes >= policy->budget_bytes)
		return SPENT;
	return spent_bytes / (policy->budget_bytes / SPENT + 1);
}

/* By the square of what is spent beyond three quarters, so that it begins gently. */
int64_t commit_policy_bound_ms(const struct commit_policy *policy, int64_t spent_bytes)
{
	int64_t over = share_of_budget(policy, spent_bytes) - WIDENS_FROM;
	int64_t room_ms = COMMIT_WIDEST_MS - policy->bound_ms;

	if (over <= 0 || room_ms <= 0)
		return policy->bound_ms;
	return policy->bound_ms +
	       room_ms * over / (SPENT - WIDENS_FROM) * over / (SPENT - WIDENS_FROM);
}

void commit_policy_look(struct commit_policy *policy, bool active)
{
	policy->looks = (uint16_t)(policy->looks << 1 | active);
}

static void forget_causes(struct commit_policy *policy, int64_t now_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < policy->n_causes; i++)
		if (now_ms - policy->causes[i].t_ms < COMMIT_CAUSE_AGAIN_MS)
			policy->causes[kept++] = policy->causes[i];
	policy->n_causes = kept;
}

bool commit_policy_critical(struct commit_policy *policy, int64_t now_ms, uint64_t cause,
			    int64_t spent_bytes)
{
	forget_causes(policy, now_ms);
	for (size_t i = 0; i < policy->n_causes; i++)
		if (policy->causes[i].cause == cause)
			return false;
	/* So many causes in an hour are a storm, and one more of them changes nothing. */
	if (policy->n_causes == COMMIT_CAUSES_MAX)
		return false;
	policy->causes[policy->n_causes].cause = cause;
	policy->causes[policy->n_causes++].t_ms = now_ms;
	policy->critical_now = true;
	if (share_of_budget(policy, spent_bytes) >= SPENT)
		return false;
	policy->critical_until_ms = now_ms + COMMIT_CRITICAL_FOR_MS;
	return true;
}

static bool is_critical(const struct commit_policy *policy, int64_t now_ms, int64_t spent_bytes)
{
	return now_ms < policy->critical_until_ms && share_of_budget(policy, spent_bytes) < SPENT;
}

static bool rides(const struct commit_policy *policy, int64_t bound_ms, int64_t age_ms)
{
	return bound_ms >= COMMIT_RIDE_LEAST_MS && age_ms >= bound_ms / 4 * 3 &&
	       (policy->looks & 1) && __builtin_popcount(policy->looks) < OFTEN_ACTIVE;
}

enum commit_why commit_policy_due(const struct commit_policy *policy, int64_t now_ms,
				  int64_t spent_bytes, bool urgent)
{
	int64_t age_ms = now_ms - policy->last_ms;
	int64_t bound_ms = commit_policy_bound_ms(policy, spent_bytes);
	bool spent = share_of_budget(policy, spent_bytes) >= SPENT;

	if (policy->critical_now)
		return COMMIT_CRITICAL;
	if (is_critical(policy, now_ms, spent_bytes) && age_ms >= COMMIT_CRITICAL_EVERY_MS)
		return COMMIT_CRITICAL;
	if (urgent && (!spent || age_ms >= policy->bound_ms))
		return COMMIT_URGENT;
	if (age_ms >= bound_ms)
		return COMMIT_BOUND;
	return rides(policy, bound_ms, age_ms) ? COMMIT_RIDES : COMMIT_NOT;
}

bool commit_policy_may(const struct commit_policy *policy, int64_t spent_bytes)
{
	return share_of_budget(policy, spent_bytes) < SPENT;
}

bool commit_policy_ask(struct commit_policy *policy, int64_t now_ms, int64_t spent_bytes)
{
	if (policy->was_asked &&
	    now_ms - policy->asked_ms < commit_policy_bound_ms(policy, spent_bytes))
		return false;
	policy->was_asked = true;
	policy->asked_ms = now_ms;
	return true;
}

int64_t commit_policy_next_ms(const struct commit_policy *policy, int64_t now_ms,
			      int64_t spent_bytes)
{
	int64_t next_ms = policy->last_ms + commit_policy_bound_ms(policy, spent_bytes);

	if (is_critical(policy, now_ms, spent_bytes))
		next_ms = MIN(next_ms, policy->last_ms + COMMIT_CRITICAL_EVERY_MS);
	return next_ms;
}

void commit_policy_done(struct commit_policy *policy, int64_t now_ms)
{
	policy->last_ms = now_ms;
	policy->critical_now = false;
}

enum commit_budget commit_policy_budget(struct commit_policy *policy, int64_t spent_bytes)
{
	int64_t share = share_of_budget(policy, spent_bytes);
	bool widened = share > WIDENS_FROM || (policy->is_widened && share >= ENDS_BELOW);

	if (widened == policy->is_widened)
		return BUDGET_SAME;
	policy->is_widened = widened;
	return widened ? BUDGET_BEGINS : BUDGET_ENDS;
}
