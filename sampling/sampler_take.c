/* What comes into a sampler, from whichever process: rows, probes, hangs. It makes the states of
 * nodes and collectors. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "sampling/sampler_state.h"

/* Between two scans that changes of the hardware ask for. */
#define RESCAN_GAP_MS 10000

/* Of one collector's nodes in one group. */
struct watch_arg {
	struct sampler *sampler;
	size_t collector;
};

static bool node_hangs(void *arg, const char *node)
{
	const struct watch_arg *watch = arg;

	return (watch->sampler->keeper &&
		keeper_hangs(watch->sampler->keeper, watch->collector, node)) ||
	       link_hangs(watch->sampler->link, watch->collector, node);
}

const struct probe *sampler_shown_probe(const struct sampler *sampler, size_t collector)
{
	const struct account *account = &sampler->accounts[collector];

	if (account->lane_probe.items && !account->in_loop)
		return &account->lane_probe;
	return sampler->loop_wanted[collector] ? runner_probe_of(sampler->runner, collector) : NULL;
}

/* Whether the probe that is shown found something to sample. */
static bool is_ready(const struct account *account)
{
	if (account->in_loop)
		return account->loop_ready;
	return account->by_command ? account->helper_ready : account->lane_ready;
}

/* A list that is full, or that of a probe which failed on the way, may lack any node. */
static bool node_is_listed(void *arg, const char *node)
{
	const struct watch_arg *watch = arg;
	const struct account *account = &watch->sampler->accounts[watch->collector];
	const struct probe *probe = sampler_shown_probe(watch->sampler, watch->collector);

	if (!probe || probe->n_items >= PROBE_ITEMS_MAX || !is_ready(account))
		return true;
	for (size_t i = 1; i < probe->n_items; i++)
		if (!strcmp(probe->items[i].node, node))
			return true;
	return false;
}

static void node_said(void *arg, const struct node_entry *entry)
{
	const struct watch_arg *watch = arg;
	const struct sampler_callbacks *callbacks = &watch->sampler->callbacks;

	callbacks->state(callbacks->arg, watch->sampler->catalog->collectors[watch->collector],
			 entry->node, entry->state, entry->error, entry->since_ms);
}

void sampler_set_collector_state(struct sampler *sampler, size_t index, enum node_state state,
				 int error, int64_t since_ms, bool say)
{
	struct account *account = &sampler->accounts[index];

	if (error)
		account->last_error = error;
	if (account->state == state)
		return;
	account->state = state;
	account->since_ms = since_ms;
	if (say)
		sampler->callbacks.state(sampler->callbacks.arg, account->collector, "", state,
					 error, since_ms);
}

/* The state of a collector after a probe. */
static enum node_state state_of_probe(int error, const struct probe *probe)
{
	enum outcome outcome = probe ? probe->items[0].outcome : OUTCOME_FAILED;

	if (error && outcome != OUTCOME_FAILED && outcome != OUTCOME_DENIED)
		return NODE_UNSUPPORTED;
	return error ? node_state_of_error(error) : NODE_OK;
}

void sampler_take_probe(struct sampler *sampler, size_t index, int error, const struct probe *probe)
{
	struct account *account = &sampler->accounts[index];
	int64_t now_ms = clock_boot_ms();

	sampler_set_collector_state(sampler, index, state_of_probe(error, probe), error, now_ms,
				    account->probed);
	account->probed = true;
	if (probe)
		sampler->callbacks.probed(sampler->callbacks.arg, account->collector, probe,
					  now_ms);
}

enum place sampler_place_of(const struct plan *plan)
{
	if (plan->by_command)
		return IN_HELPER;
	return plan->in_lane ? IN_LANE : IN_LOOP;
}

enum place sampler_sampled_in(const struct sampler *sampler, const struct plan *plan)
{
	if (sampler->accounts[plan->collector].collector->privileged &&
	    link_serves(sampler->link, plan->collector))
		return IN_HELPER;
	return sampler_place_of(plan);
}

void sampler_end_missing(struct sampler *sampler, size_t collector, enum place place, int error,
			 const struct probe *probe)
{
	struct node_table *nodes = &sampler->accounts[collector].nodes;
	struct watch_arg arg = {sampler, collector};
	struct node_watch watch = {&arg, node_hangs, node_is_listed, node_said};
	uint8_t groups = 0;

	for (size_t i = 0; i < sampler->n_plans; i++)
		if (sampler->plans[i].collector == collector &&
		    sampler_place_of(&sampler->plans[i]) == place)
			groups |= (uint8_t)(1U << sampler->plans[i].in_collector);
	if (!error)
		node_table_probed(nodes, groups, clock_boot_ms(), &watch);
	else if (state_of_probe(error, probe) == NODE_UNSUPPORTED)
		node_table_emptied(nodes, groups, clock_boot_ms(), &watch);
}

void sampler_rescan_soon(struct sampler *sampler, int64_t now_ms, bool lane)
{
	int64_t at_ms = MAX(now_ms, sampler->rescanned_ms + RESCAN_GAP_MS);

	sampler->rescan_at_ms = MIN(sampler->rescan_at_ms, at_ms);
	sampler->rescan_lane = sampler->rescan_lane || lane;
}

bool sampler_is_passing(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EAGAIN ||
	       error == -EBUSY;
}

/* What was not asked, or slept before it had answered all, is no sample; its state is told by the
 * table of the nodes. */
static void pass_on(struct sampler *sampler, const struct plan *plan, int64_t t_ms, int64_t late_ms,
		    const struct sink *sink)
{
	struct row *rows[SINK_ROWS_MAX];
	struct sink awake = *sink;

	awake.rows = rows;
	awake.n_rows = 0;
	for (size_t i = 0; i < sink->n_rows; i++)
		if (!plan->by_command || !sink->rows[i]->suspended)
			rows[awake.n_rows++] = sink->rows[i];
	if (!awake.n_rows && sink->n_rows)
		return;
	awake.partial = sink->partial || awake.n_rows < sink->n_rows;
	sampler->callbacks.rows(sampler->callbacks.arg, plan->group, t_ms, late_ms,
				plan->schedule.period_ms, &awake);
}

void sampler_take_rows(struct sampler *sampler, size_t index, int64_t t_ms, int64_t at_ms,
		       int64_t duration_us, int error, const struct sink *sink)
{
	struct plan *plan = &sampler->plans[index];
	struct account *account = &sampler->accounts[plan->collector];
	struct watch_arg arg = {sampler, plan->collector};
	struct node_watch watch = {&arg, node_hangs, node_is_listed, node_said};
	int64_t late_ms = MAX(at_ms - t_ms, 0);

	if (!sink->n_rows && (error == -ENXIO || error == -EAGAIN))
		return;
	account->n_samples++;
	account->last_sample_ms = at_ms;
	account->last_duration_us = duration_us;
	if (sampler_place_of(plan) == IN_LOOP)
		sampler->stats.late_max_ms = MAX(sampler->stats.late_max_ms, late_ms);
	if (error && !sink->n_rows) {
		account->n_failures++;
		sampler_set_collector_state(sampler, plan->collector, node_state_of_error(error),
					    error, at_ms, true);
		return;
	}
	sampler_set_collector_state(sampler, plan->collector, NODE_OK, error, at_ms, true);
	pass_on(sampler, plan, t_ms, late_ms, sink);
	if (!plan->group->by_hour)
		node_table_update(&account->nodes, plan->in_collector, sink, at_ms, &watch);
}

/* Only what was asked for: the last tick that was taken of the group. */
static void lane_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	const struct sampler *sampler = arg;
	const struct plan *plan = &sampler->plans[head->group];

	if (!plan->in_lane || head->t_ms != plan->schedule.due_ms - plan->schedule.period_ms)
		return;
	sampler_take_rows(arg, head->group, head->t_ms, head->at_ms, head->duration_us, head->error,
			  sink);
}

void sampler_take_far_probe(struct sampler *sampler, size_t collector, enum place place, int error,
			    struct probe *probe)
{
	struct account *account = &sampler->accounts[collector];

	/* A collector with groups in both lanes shows the probe of the loop. */
	if (!account->in_loop) {
		probe_done(&account->lane_probe);
		account->lane_probe = *probe;
		*probe = (struct probe){0};
		probe = &account->lane_probe;
		sampler_take_probe(sampler, collector, error, probe);
	}
	sampler_end_missing(sampler, collector, place, error, probe);
}

static void lane_probed(void *arg, size_t collector, int error, bool news, struct probe *probe)
{
	struct sampler *sampler = arg;
	struct account *account = &sampler->accounts[collector];

	account->lane_ready = error == 0;
	if (news || sampler_is_passing(error))
		sampler_rescan_soon(sampler, clock_boot_ms(), sampler_is_passing(error));
	/* The helper, which sees more, looks itself. */
	if (!link_serves(sampler->link, collector))
		sampler_take_far_probe(sampler, collector, IN_LANE, error, probe);
}

void sampler_take_hung(struct sampler *sampler, size_t collector, int group, const char *node,
		       int64_t since_ms)
{
	struct watch_arg watch_arg = {sampler, collector};
	struct node_watch watch = {&watch_arg, node_hangs, node_is_listed, node_said};

	if (group < 0 || (size_t)group >= sampler->n_plans || !node[0])
		sampler_set_collector_state(sampler, collector, NODE_HUNG, -ETIMEDOUT, since_ms,
					    true);
	else
		node_table_hung(&sampler->accounts[collector].nodes,
				sampler->plans[group].in_collector, node, since_ms, &watch);
}

void sampler_take_back(void *arg, size_t collector, int group, const char *node)
{
	if (group < 0 || !node[0])
		sampler_set_collector_state(arg, collector, NODE_OK, 0, clock_boot_ms(), true);
}

void sampler_take_gone(struct sampler *sampler, size_t collector, int group, const char *node)
{
	struct account *account = &sampler->accounts[collector];
	struct watch_arg watch_arg = {sampler, collector};
	struct node_watch watch = {&watch_arg, node_hangs, node_is_listed, node_said};
	int64_t now_ms = clock_boot_ms();

	if (group >= 0 && *node) {
		node_table_gone(&account->nodes, node, now_ms, &watch);
		return;
	}
	if (account->state != NODE_HUNG)
		return;
	sampler_set_collector_state(sampler, collector, NODE_OK, 0, now_ms, false);
	sampler->callbacks.state(sampler->callbacks.arg, account->collector, "", NODE_GONE, -ENODEV,
				 now_ms);
}

static void lane_hung(void *arg, size_t collector, int group, const char *node, int64_t since_ms)
{
	sampler_take_hung(arg, collector, group, node, since_ms);
}

struct keeper_events sampler_lane_events(struct sampler *sampler)
{
	return (struct keeper_events){sampler, lane_rows, lane_probed, lane_hung,
				      sampler_take_back};
}
