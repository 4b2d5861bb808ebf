/* What a sampler has done by flashscope-helper, and what it says while there is none. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampling/sampler_state.h"

/* A first sample that fails, or that the helper refuses since the daemon before this one had its
 * own a moment ago, is asked for again after 10 s, doubled up to 10 min. */
#define FIRST_AGAIN_MS  10000
#define FIRST_DOUBLINGS 6
/* A device that sleeps is not woken, and may be awake for a moment only: its next tick would find
 * it asleep as well. It alone is looked at, which costs no command, or a rare one
 * (collectors/ata_smart.c); those that are awake have answered. */
#define LOOK_AGAIN_MS   60000
#define LATE_MAX_MS     1000

/* What it means for a collector that sends commands that there is no helper. */
static enum outcome no_helper_outcome(const struct link_status *status, int *ret_error)
{
	if (status->state == LINK_OFF) {
		*ret_error = -EOPNOTSUPP;
		return OUTCOME_DISABLED;
	}
	*ret_error = status->was_up ? -EHOSTDOWN : -EACCES;
	return status->was_up ? OUTCOME_FAILED : OUTCOME_DENIED;
}

/* What brings it back. */
static void advise(const struct link_status *status, struct text *text)
{
	if (status->state == LINK_OFF)
		text_str(text, "mode = auto in [helper]");
	else if (status->ended)
		text_str(text,
			 "start flashscoped anew, as root: it has given up what it would need "
			 "to start another one");
	else
		text_printf(text,
			    "as root: flashscoped starts it (again); or flashscope-helper --socket "
			    "%.100s --allow %u",
			    status->path, geteuid());
}

void sampler_say_no_helper(struct sampler *sampler, size_t index)
{
	const struct link_status *status = link_status(sampler->link);
	struct account *account = &sampler->accounts[index];
	char advice[PROBE_TEXT_MAX];
	struct text text = TEXT_IN(advice);
	int error;
	enum outcome outcome = no_helper_outcome(status, &error);

	probe_done(&account->lane_probe);
	account->helper_ready = false;
	if (probe_init(&account->lane_probe) < 0)
		return;
	advise(status, &text);
	probe_collector(&account->lane_probe, outcome, advice,
			"flashscope-helper asks the devices, by commands: %s",
			status->state == LINK_UP ? "it has not looked yet" : status->reason);
	sampler_take_probe(sampler, index, error, &account->lane_probe);
}

static void again(struct plan *plan, bool rest, int64_t at_ms)
{
	/* What has had no sample at all is asked as a whole. */
	plan->rest = rest && plan->answered;
	plan->out_of_turn = true;
	plan->out_of_turn_ms = at_ms;
}

static int64_t first_wait_ms(struct plan *plan)
{
	int64_t wait_ms = FIRST_AGAIN_MS << MIN(plan->n_tries, FIRST_DOUBLINGS);

	plan->n_tries++;
	return wait_ms;
}

static void again_if_needed(struct plan *plan, const struct wire_rows *head,
			    const struct sink *sink)
{
	bool refused = !sink->n_rows && head->error == -EAGAIN;

	if (sink->n_rows) {
		plan->answered = true;
		plan->n_tries = 0;
	}
	if (sink_has_asleep(sink) || (plan->asked_rest && refused))
		again(plan, true, head->at_ms + LOOK_AGAIN_MS);
	else if (!plan->answered)
		again(plan, false, head->at_ms + first_wait_ms(plan));
}

/* Only what was asked for last. */
static void helper_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	struct sampler *sampler = arg;
	struct plan *plan = &sampler->plans[head->group];

	int64_t t_ms = head->t_ms;

	if (!plan->schedule.period_ms || head->t_ms != plan->asked_ms)
		return;
	/* A device that took long, after the others: what it says stands at a time of its own, also
	 * where it came in the same millisecond. */
	if (plan->taken_ms == head->t_ms)
		t_ms = MAX(clock_boot_ms(), plan->rows_ms + 1);
	if (sink->n_rows) {
		plan->taken_ms = head->t_ms;
		plan->rows_ms = t_ms;
	}
	again_if_needed(plan, head, sink);
	sampler_take_rows(sampler, head->group, t_ms, MAX(t_ms, head->at_ms), head->duration_us,
			  head->error, sink);
}

/* Values that change in hours are not waited for until the next multiple of an hour. */
static void start_commands(struct sampler *sampler, size_t collector)
{
	for (size_t i = 0; i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];

		if (plan->collector != collector || !plan->by_command || plan->answered)
			continue;
		again(plan, false, 0);
		plan->out_of_turn = plan->schedule.period_ms > 0;
		plan->n_tries = 0;
		schedule_start(&plan->schedule, plan->schedule.period_ms, clock_boot_ms());
	}
}

static bool is_known(const struct node_table *nodes, const char *node)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (nodes->v[i].state != NODE_GONE && !strcmp(nodes->v[i].node, node))
			return true;
	return false;
}

/* A device that was plugged in is asked at once, too, and alone. */
static void look_for_new(struct sampler *sampler, size_t collector, const struct probe *probe)
{
	struct account *account = &sampler->accounts[collector];
	bool any = false;

	for (size_t i = 1; i < probe->n_items; i++)
		any = any || (probe->items[i].outcome == OUTCOME_OK &&
			      !is_known(&account->nodes, probe->items[i].node));
	for (size_t i = 0; any && i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];

		if (plan->collector == collector && plan->answered && plan->schedule.period_ms)
			again(plan, true, 0);
	}
	if (any)
		start_commands(sampler, collector);
}

/* A helper that may not ask any of its devices has something to list, and nothing to sample. */
static int denied_by_all(const struct probe *probe)
{
	int error = 0;

	for (size_t i = 1; i < probe->n_items; i++) {
		if (probe->items[i].outcome == OUTCOME_OK)
			return 0;
		if (probe->items[i].outcome == OUTCOME_DENIED)
			error = -EACCES;
	}
	return error;
}

static void helper_probed(void *arg, size_t collector, int error, struct probe *probe)
{
	struct sampler *sampler = arg;
	struct account *account = &sampler->accounts[collector];

	if (!account->enabled)
		return;
	if (error == 0 && account->by_command)
		error = denied_by_all(probe);
	account->helper_ready = error == 0;
	if (account->by_command && error == 0)
		look_for_new(sampler, collector, probe);
	sampler_take_far_probe(sampler, collector, account->by_command ? IN_HELPER : IN_LANE, error,
			       probe);
}

/* Its next tick may be a day away. */
static void look_at_hung(struct sampler *sampler, int group)
{
	if (group >= 0 && (size_t)group < sampler->n_plans &&
	    sampler->plans[group].schedule.period_ms)
		again(&sampler->plans[group], true, clock_boot_ms() + LOOK_AGAIN_MS);
}

static void helper_node(void *arg, const struct wire_node *node)
{
	if (node->hung)
		look_at_hung(arg, node->group);
	if (node->hung)
		sampler_take_hung(arg, node->collector, node->group, node->node, node->since_ms);
	else if (node->gone)
		sampler_take_gone(arg, node->collector, node->group, node->node);
	else
		sampler_take_back(arg, node->collector, node->group, node->node);
}

/* Without it, what it read as root is read by the lane again, as far as that may. */
static void helper_changed(void *arg)
{
	struct sampler *sampler = arg;

	sampler->callbacks.helper(sampler->callbacks.arg, link_status(sampler->link));
	if (link_status(sampler->link)->state == LINK_UP)
		return;
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++) {
		if (sampler->accounts[i].by_command && sampler->accounts[i].helper_ready)
			sampler_say_no_helper(sampler, i);
		sampler->accounts[i].helper_ready = false;
	}
	if (sampler->keeper)
		keeper_rescan(sampler->keeper);
}

static void helper_log(void *arg, int fd, int error)
{
	struct sampler *sampler = arg;

	if (sampler->callbacks.log)
		sampler->callbacks.log(sampler->callbacks.arg, fd, error);
	else
		closep(&fd);
}

static void helper_records(void *arg, int fd, int error)
{
	struct sampler *sampler = arg;

	if (sampler->callbacks.records)
		sampler->callbacks.records(sampler->callbacks.arg, fd, error);
	else
		closep(&fd);
}

struct link_events sampler_link_events(struct sampler *sampler)
{
	return (struct link_events){sampler,        helper_rows, helper_probed, helper_node,
				    helper_changed, helper_log,  helper_records};
}

/* A sample stands at its tick, but for one out of turn, or late since nobody could be asked at the
 * tick: that stands at the time when it is asked for. */
static bool take_due_of_helper(struct sampler *sampler, struct plan *plan, int64_t now_ms,
			       int64_t *ret_t_ms)
{
	if (!plan->out_of_turn || now_ms < plan->out_of_turn_ms) {
		bool due = sampler_take_due(sampler, plan, now_ms, ret_t_ms);

		plan->asked_rest = plan->asked_rest && !due;
		if (due && now_ms - *ret_t_ms >= LATE_MAX_MS)
			*ret_t_ms = now_ms;
		return due;
	}
	plan->out_of_turn = false;
	plan->asked_rest = plan->rest;
	*ret_t_ms = now_ms;
	return true;
}

void sampler_request_helper(struct sampler *sampler, int64_t now_ms)
{
	struct wire_tick tick = {0};

	for (size_t i = 0; i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];

		if (sampler_sampled_in(sampler, plan) != IN_HELPER ||
		    !link_serves(sampler->link, plan->collector) ||
		    !take_due_of_helper(sampler, plan, now_ms, &plan->asked_ms))
			continue;
		tick.groups[tick.n_groups].group = (uint16_t)i;
		tick.groups[tick.n_groups].rest = plan->asked_rest;
		tick.groups[tick.n_groups++].t_ms = plan->asked_ms;
	}
	if (tick.n_groups)
		link_request(sampler->link, &tick, now_ms);
}
