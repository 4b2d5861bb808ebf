#include "sampling/sampler.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampling/lane_keeper.h"
#include "sampling/node_table.h"
#include "sampling/runner.h"
#include "sampling/schedule.h"

/* How often a lane that is not ready is looked after at least. */
#define CHECK_MS 1000

struct plan {
	const struct group *group;
	size_t collector;
	struct schedule schedule;
	bool in_lane;
	size_t in_collector; /* index of the group within its collector */
};

struct account {
	const struct collector *collector;
	bool enabled;
	bool in_loop, in_lane;       /* has groups there; a collector may have both */
	bool loop_ready, lane_ready; /* the last probe there found something to sample */
	bool probed;
	struct node_table nodes;
	struct probe lane_probe; /* of a collector that is probed in the lane alone */
	enum node_state state;
	int last_error;
	int64_t since_ms;
	int64_t last_sample_ms, last_duration_us;
	uint64_t n_samples, n_failures;
};

struct sampler {
	const struct catalog *catalog;
	struct sampler_callbacks callbacks;
	struct sampler_options options;
	char *root;
	struct plan *plans;
	size_t n_plans;
	struct account *accounts; /* by index of the collector */
	bool *loop_wanted, *lane_wanted;
	struct runner *runner;
	struct keeper *keeper; /* NULL without a lane */
	struct sink sink;
	struct schedule rescan;
	bool wants_rescan;
	int64_t checked_ms; /* when the lane was last looked after */
	struct sampler_stats stats;
};

static void no_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	(void)arg, (void)group, (void)t_ms, (void)late_ms, (void)step_ms, (void)sink;
}

static void no_state(void *arg, const struct collector *collector, const char *node,
		     enum node_state state, int error, int64_t since_ms)
{
	(void)arg, (void)collector, (void)node, (void)state, (void)error, (void)since_ms;
}

static void no_probed(void *arg, const struct collector *collector, const struct probe *probe,
		      int64_t t_ms)
{
	(void)arg, (void)collector, (void)probe, (void)t_ms;
}

/* Of one collector's nodes in one group. */
struct watch_arg {
	struct sampler *sampler;
	size_t collector;
};

static bool node_hangs(void *arg, const char *node)
{
	const struct watch_arg *watch = arg;

	return watch->sampler->keeper &&
	       keeper_hangs(watch->sampler->keeper, watch->collector, node);
}

static void node_said(void *arg, const struct node_entry *entry)
{
	const struct watch_arg *watch = arg;
	const struct sampler_callbacks *callbacks = &watch->sampler->callbacks;

	callbacks->state(callbacks->arg, watch->sampler->catalog->collectors[watch->collector],
			 entry->node, entry->state, entry->error, entry->since_ms);
}

static void set_collector_state(struct sampler *sampler, size_t index, enum node_state state,
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

/* What a probe of a collector means for its state. The first one says nothing: what it found goes
 * out as a whole. */
static void take_probe(struct sampler *sampler, size_t index, int error, const struct probe *probe)
{
	struct account *account = &sampler->accounts[index];
	int64_t now_ms = clock_boot_ms();
	enum node_state state = error ? node_state_of_error(error) : NODE_OK;
	enum outcome outcome = probe ? probe->items[0].outcome : OUTCOME_FAILED;

	if (error && outcome != OUTCOME_FAILED && outcome != OUTCOME_DENIED)
		state = NODE_UNSUPPORTED;
	set_collector_state(sampler, index, state, error, now_ms, account->probed);
	account->probed = true;
	if (probe)
		sampler->callbacks.probed(sampler->callbacks.arg, account->collector, probe,
					  now_ms);
}

static void probe_loop(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++) {
		if (!sampler->loop_wanted[i])
			continue;

		int r = runner_probe(sampler->runner, i);

		sampler->accounts[i].loop_ready = r == 0;
		take_probe(sampler, i, r, runner_probe_of(sampler->runner, i));
	}
}

/* Rows of a group from either lane. error is that of the sample. */
static void take_rows(struct sampler *sampler, size_t index, int64_t t_ms, int64_t at_ms,
		      int64_t duration_us, int error, const struct sink *sink)
{
	struct plan *plan = &sampler->plans[index];
	struct account *account = &sampler->accounts[plan->collector];
	struct watch_arg arg = {sampler, plan->collector};
	struct node_watch watch = {&arg, node_hangs, node_said};
	int64_t late_ms = MAX(at_ms - t_ms, 0);

	if (error == -ENXIO || error == -EAGAIN)
		return;
	account->n_samples++;
	account->last_sample_ms = at_ms;
	account->last_duration_us = duration_us;
	if (!plan->in_lane)
		sampler->stats.late_max_ms = MAX(sampler->stats.late_max_ms, late_ms);
	if (error && !sink->n_rows) {
		account->n_failures++;
		set_collector_state(sampler, plan->collector, node_state_of_error(error), error,
				    at_ms, true);
		return;
	}
	set_collector_state(sampler, plan->collector, NODE_OK, error, at_ms, true);
	sampler->callbacks.rows(sampler->callbacks.arg, plan->group, t_ms, late_ms,
				plan->schedule.period_ms, sink);
	node_table_update(&account->nodes, plan->in_collector, sink, at_ms, &watch);
}

static void sample_in_loop(struct sampler *sampler, size_t index, int64_t t_ms)
{
	size_t collector = sampler->plans[index].collector;
	int64_t start_us = clock_boot_us();
	int r = runner_sample(sampler->runner, index, start_us / 1000, &sampler->sink);
	int64_t end_us = clock_boot_us();

	if (runner_news(sampler->runner, collector)) {
		sampler->accounts[collector].loop_ready = r != -ENXIO;
		take_probe(sampler, collector, r == -ENXIO ? -ENXIO : 0,
			   runner_probe_of(sampler->runner, collector));
	}
	take_rows(sampler, index, t_ms, start_us / 1000, end_us - start_us, r, &sampler->sink);
}

/* Only what was asked for: the last tick that was taken of the group. */
static void lane_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	const struct sampler *sampler = arg;
	const struct plan *plan = &sampler->plans[head->group];

	if (!plan->in_lane || head->t_ms != plan->schedule.due_ms - plan->schedule.period_ms)
		return;
	take_rows(arg, head->group, head->t_ms, head->at_ms, head->duration_us, head->error, sink);
}

static void lane_probed(void *arg, size_t collector, int error, struct probe *probe)
{
	struct sampler *sampler = arg;
	struct account *account = &sampler->accounts[collector];

	account->lane_ready = error == 0;
	/* A collector with groups in both lanes shows the probe of the loop. */
	if (account->in_loop)
		return;
	probe_done(&account->lane_probe);
	account->lane_probe = *probe;
	*probe = (struct probe){0};
	take_probe(sampler, collector, error, &account->lane_probe);
}

static void lane_hung(void *arg, size_t collector, int group, const char *node, int64_t since_ms)
{
	struct sampler *sampler = arg;
	struct watch_arg watch_arg = {sampler, collector};
	struct node_watch watch = {&watch_arg, node_hangs, node_said};

	if (group < 0 || !node[0])
		set_collector_state(sampler, collector, NODE_HUNG, -ETIMEDOUT, since_ms, true);
	else
		node_table_set(&sampler->accounts[collector].nodes, node, NODE_HUNG, -ETIMEDOUT,
			       since_ms, &watch);
}

/* The rows that follow say the state of the node; a collector is told here. */
static void lane_back(void *arg, size_t collector, int group, const char *node)
{
	if (group < 0 || !node[0])
		set_collector_state(arg, collector, NODE_OK, 0, clock_boot_ms(), true);
}

static int open_keeper(struct sampler *sampler)
{
	struct keeper_options options = {
		.lane = {.catalog = sampler->catalog,
			 .root = sampler->root,
			 .wanted = sampler->lane_wanted,
			 .all_nodes = sampler->options.all_nodes},
		.deadline_ms = sampler->options.deadline_ms,
	};
	struct keeper_events events = {sampler, lane_rows, lane_probed, lane_hung, lane_back};

	return keeper_open(&options, &events, &sampler->keeper);
}

static void plan_group(struct sampler *sampler, size_t index, size_t collector, size_t in_collector)
{
	struct plan *plan = &sampler->plans[index];
	struct account *account = &sampler->accounts[collector];
	const int64_t *period_ms = sampler->options.period_ms;

	plan->group = catalog_group_at(sampler->catalog, index, NULL);
	plan->collector = collector;
	plan->in_collector = in_collector;
	plan->in_lane = plan->group->cost != COST_F && !sampler->options.no_lane;
	if (!account->enabled || plan->group->cost == COST_Q)
		return;
	plan->schedule.period_ms =
		period_ms && period_ms[index] ? period_ms[index] : plan->group->period_ms;
	account->in_lane = account->in_lane || plan->in_lane;
	account->in_loop = account->in_loop || !plan->in_lane;
}

static bool make_plans(struct sampler *sampler)
{
	const struct catalog *catalog = sampler->catalog;
	size_t index = 0;
	bool needs_lane = false;

	for (size_t i = 0; i < catalog->n_collectors; i++) {
		struct account *account = &sampler->accounts[i];

		account->collector = catalog->collectors[i];
		account->enabled = !sampler->options.disabled || !sampler->options.disabled[i];
		for (size_t g = 0; g < account->collector->n_groups; g++)
			plan_group(sampler, index++, i, g);
		sampler->loop_wanted[i] = account->in_loop;
		sampler->lane_wanted[i] = account->in_lane;
		needs_lane = needs_lane || account->in_lane;
	}
	return needs_lane;
}

static int allocate(struct sampler *sampler)
{
	size_t n_collectors = sampler->catalog->n_collectors;

	sampler->n_plans = catalog_n_groups(sampler->catalog);
	if (sampler->n_plans > WIRE_GROUPS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < n_collectors; i++)
		if (sampler->catalog->collectors[i]->n_groups > NODE_GROUPS_MAX)
			return -E2BIG;
	sampler->root = strdup(sampler->options.root);
	sampler->plans = calloc(sampler->n_plans + 1, sizeof(*sampler->plans));
	sampler->accounts = calloc(n_collectors + 1, sizeof(*sampler->accounts));
	sampler->loop_wanted = calloc(n_collectors + 1, sizeof(bool));
	sampler->lane_wanted = calloc(n_collectors + 1, sizeof(bool));
	if (!sampler->root || !sampler->plans || !sampler->accounts || !sampler->loop_wanted ||
	    !sampler->lane_wanted)
		return -ENOMEM;
	return sink_init(&sampler->sink);
}

static void fill_callbacks(struct sampler *sampler, const struct sampler_callbacks *callbacks)
{
	sampler->callbacks = *callbacks;
	if (!callbacks->rows)
		sampler->callbacks.rows = no_rows;
	if (!callbacks->state)
		sampler->callbacks.state = no_state;
	if (!callbacks->probed)
		sampler->callbacks.probed = no_probed;
}

int sampler_open(const struct sampler_options *options, const struct catalog *catalog,
		 const struct sampler_callbacks *callbacks, struct sampler **ret)
{
	CLEANUP(sampler_closep) struct sampler *sampler = calloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return -ENOMEM;
	sampler->catalog = catalog;
	sampler->options = *options;
	if (sampler->options.deadline_ms <= 0)
		sampler->options.deadline_ms = SAMPLER_DEADLINE_MS;
	fill_callbacks(sampler, callbacks);
	r = allocate(sampler);
	if (r < 0)
		return r;

	bool needs_lane = make_plans(sampler);
	struct runner_options runner_options = {.root = sampler->root,
						.wanted = sampler->loop_wanted,
						.all_nodes = options->all_nodes};

	r = runner_open(&runner_options, catalog, &sampler->runner);
	if (r == 0 && needs_lane)
		r = open_keeper(sampler);
	if (r < 0)
		return r;
	if (sampler->keeper)
		keeper_check(sampler->keeper, clock_boot_ms());
	/* What belongs to the caller is not needed any more. */
	sampler->options.period_ms = NULL;
	sampler->options.disabled = NULL;
	*ret = sampler;
	sampler = NULL;
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	keeper_close(sampler->keeper);
	runner_close(sampler->runner);
	for (size_t i = 0; sampler->accounts && i < sampler->catalog->n_collectors; i++) {
		node_table_done(&sampler->accounts[i].nodes);
		probe_done(&sampler->accounts[i].lane_probe);
	}
	sink_done(&sampler->sink);
	free(sampler->plans);
	free(sampler->accounts);
	free(sampler->loop_wanted);
	free(sampler->lane_wanted);
	free(sampler->root);
	free(sampler);
}

void sampler_closep(struct sampler **sampler)
{
	sampler_close(*sampler);
}

/* The lane's first probes are waited for, so that the start can say what there is; not longer than
 * a lane may take for anything else. */
static void await_first_probes(struct sampler *sampler, int64_t until_ms)
{
	for (int64_t now_ms = clock_boot_ms(); keeper_is_busy(sampler->keeper) && now_ms < until_ms;
	     now_ms = clock_boot_ms()) {
		struct pollfd fd = {.fd = keeper_fd(sampler->keeper), .events = POLLIN};

		poll(&fd, 1, (int)(until_ms - now_ms));
		keeper_receive(sampler->keeper, clock_boot_ms());
	}
}

int sampler_start(struct sampler *sampler, int64_t now_ms)
{
	sampler->checked_ms = now_ms;
	probe_loop(sampler);
	if (sampler->keeper)
		await_first_probes(sampler, clock_boot_ms() + sampler->options.deadline_ms);
	for (size_t i = 0; i < sampler->n_plans; i++)
		schedule_start(&sampler->plans[i].schedule, sampler->plans[i].schedule.period_ms,
			       now_ms);
	/* Not at a multiple of the boot clock: right after the start nothing is new. */
	schedule_start(&sampler->rescan, sampler->options.rescan_ms, now_ms);
	if (sampler->rescan.period_ms)
		sampler->rescan.due_ms += sampler->rescan.period_ms;
	return 0;
}

int64_t sampler_next_ms(const struct sampler *sampler)
{
	bool lane_ready = sampler->keeper && keeper_is_ready(sampler->keeper);
	int64_t next_ms = schedule_due_ms(&sampler->rescan);

	for (size_t i = 0; i < sampler->n_plans; i++)
		if (!sampler->plans[i].in_lane || lane_ready)
			next_ms = MIN(next_ms, schedule_due_ms(&sampler->plans[i].schedule));
	if (sampler->keeper && !lane_ready)
		next_ms = MIN(next_ms,
			      MIN(keeper_due_ms(sampler->keeper), sampler->checked_ms + CHECK_MS));
	return next_ms;
}

static void rescan_if_due(struct sampler *sampler, int64_t now_ms)
{
	int64_t t_ms;

	if (!schedule_take(&sampler->rescan, now_ms, &t_ms) && !sampler->wants_rescan)
		return;
	sampler->wants_rescan = false;
	probe_loop(sampler);
	if (sampler->keeper)
		keeper_rescan(sampler->keeper);
}

/* Takes the newest due tick of a group; missed ones are counted. */
static bool take_due(struct sampler *sampler, struct plan *plan, int64_t now_ms, int64_t *ret_t_ms)
{
	uint64_t n_missed = plan->schedule.n_missed;
	bool due = schedule_take(&plan->schedule, now_ms, ret_t_ms);

	sampler->stats.n_missed_ticks += plan->schedule.n_missed - n_missed;
	return due;
}

/* All lane groups that are due go out in one request. While the lane is at work they stay due, so
 * that a rare one is late and not lost. */
static void request_lane(struct sampler *sampler, int64_t now_ms)
{
	struct wire_tick tick = {0};

	if (!keeper_is_ready(sampler->keeper))
		return;
	for (size_t i = 0; i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];
		int64_t t_ms;

		if (!plan->in_lane || !take_due(sampler, plan, now_ms, &t_ms))
			continue;
		if (!sampler->accounts[plan->collector].lane_ready ||
		    keeper_leaves_out(sampler->keeper, i))
			continue;
		tick.groups[tick.n_groups].group = (uint16_t)i;
		tick.groups[tick.n_groups++].t_ms = t_ms;
	}
	if (tick.n_groups && keeper_request(sampler->keeper, &tick, now_ms) < 0)
		sampler->stats.n_missed_ticks += tick.n_groups;
}

/* Without a lane all of its collectors stand still; their next rows set them right. */
static void say_starved(struct sampler *sampler, int64_t now_ms)
{
	if (!keeper_is_starved(sampler->keeper))
		return;
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++)
		if (sampler->accounts[i].in_lane && !sampler->accounts[i].in_loop)
			set_collector_state(sampler, i, NODE_HUNG, -ETIMEDOUT, now_ms, true);
}

static int64_t thread_cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void sampler_tick(struct sampler *sampler, int64_t t_ms)
{
	int64_t cpu_us = thread_cpu_us(), now_ms = MAX(t_ms, clock_boot_ms());

	sampler->stats.n_ticks++;
	rescan_if_due(sampler, now_ms);
	if (sampler->keeper) {
		keeper_receive(sampler->keeper, now_ms);
		keeper_check(sampler->keeper, now_ms);
		sampler->checked_ms = now_ms;
		say_starved(sampler, now_ms);
		request_lane(sampler, now_ms);
	}
	for (size_t i = 0; i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];
		int64_t planned_ms;

		if (!plan->in_lane && take_due(sampler, plan, now_ms, &planned_ms) &&
		    sampler->accounts[plan->collector].loop_ready)
			sample_in_loop(sampler, i, planned_ms);
	}
	sampler->stats.cpu_us += thread_cpu_us() - cpu_us;
}

int sampler_lane_fd(const struct sampler *sampler)
{
	return sampler->keeper ? keeper_fd(sampler->keeper) : -1;
}

void sampler_lane_input(struct sampler *sampler)
{
	int64_t cpu_us = thread_cpu_us();

	if (sampler->keeper)
		keeper_receive(sampler->keeper, clock_boot_ms());
	sampler->stats.cpu_us += thread_cpu_us() - cpu_us;
}

void sampler_rescan(struct sampler *sampler)
{
	sampler->wants_rescan = true;
}

void sampler_get_stats(const struct sampler *sampler, struct sampler_stats *ret)
{
	struct keeper_stats keeper = {0};

	if (sampler->keeper)
		keeper_get_stats(sampler->keeper, &keeper);
	*ret = sampler->stats;
	ret->lane_cpu_us = keeper.cpu_us;
	ret->n_lane_restarts = keeper.n_restarts;
}

int sampler_collector_status(const struct sampler *sampler, size_t index,
			     struct collector_status *ret)
{
	const struct account *account;

	if (index >= sampler->catalog->n_collectors)
		return -ENOENT;
	account = &sampler->accounts[index];
	*ret = (struct collector_status){
		.collector = account->collector,
		.probe = account->in_loop            ? runner_probe_of(sampler->runner, index)
			 : account->lane_probe.items ? &account->lane_probe
						     : NULL,
		.state = account->state,
		.last_error = account->last_error,
		.since_ms = account->since_ms,
		.last_sample_ms = account->last_sample_ms,
		.last_duration_us = account->last_duration_us,
		.n_samples = account->n_samples,
		.n_failures = account->n_failures,
		.enabled = account->enabled,
	};
	return 0;
}

int sampler_node_status(const struct sampler *sampler, size_t index, struct node_status *ret)
{
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++) {
		const struct account *account = &sampler->accounts[i];
		const struct node_entry *entry;

		if (index >= account->nodes.n) {
			index -= account->nodes.n;
			continue;
		}
		entry = &account->nodes.v[index];
		*ret = (struct node_status){
			.collector = account->collector,
			.node = entry->node,
			.state = entry->state,
			.error = entry->error,
			.since_ms = entry->since_ms,
		};
		return 0;
	}
	return -ENOENT;
}
