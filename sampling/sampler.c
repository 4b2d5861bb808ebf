/* A sampler at work: ticks, what the lane answers, states, account. */
#include "sampling/sampler.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "sampling/sampler_state.h"

/* How often a lane that is not ready is looked after at least. */
#define CHECK_MS      1000
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

	return watch->sampler->keeper &&
	       keeper_hangs(watch->sampler->keeper, watch->collector, node);
}

static const struct probe *shown_probe(const struct sampler *sampler, size_t collector)
{
	const struct account *account = &sampler->accounts[collector];

	if (account->lane_probe.items && !account->in_loop)
		return &account->lane_probe;
	return sampler->loop_wanted[collector] ? runner_probe_of(sampler->runner, collector) : NULL;
}

/* A list that is full, or that of a probe which failed on the way, may lack any node. */
static bool node_is_listed(void *arg, const char *node)
{
	const struct watch_arg *watch = arg;
	const struct account *account = &watch->sampler->accounts[watch->collector];
	const struct probe *probe = shown_probe(watch->sampler, watch->collector);

	if (!probe || probe->n_items >= PROBE_ITEMS_MAX ||
	    !(account->in_loop ? account->loop_ready : account->lane_ready))
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

/* The state of a collector after a probe. */
static enum node_state state_of_probe(int error, const struct probe *probe)
{
	enum outcome outcome = probe ? probe->items[0].outcome : OUTCOME_FAILED;

	if (error && outcome != OUTCOME_FAILED && outcome != OUTCOME_DENIED)
		return NODE_UNSUPPORTED;
	return error ? node_state_of_error(error) : NODE_OK;
}

/* What a probe of a collector means for its state. The first one says nothing: what it found goes
 * out as a whole. */
static void take_probe(struct sampler *sampler, size_t index, int error, const struct probe *probe)
{
	struct account *account = &sampler->accounts[index];
	int64_t now_ms = clock_boot_ms();

	set_collector_state(sampler, index, state_of_probe(error, probe), error, now_ms,
			    account->probed);
	account->probed = true;
	if (probe)
		sampler->callbacks.probed(sampler->callbacks.arg, account->collector, probe,
					  now_ms);
}

/* Nodes that a probe in the loop or in the lane does not find any more have gone. One that failed
 * says nothing of them. */
static void end_missing(struct sampler *sampler, size_t collector, bool lane, int error,
			const struct probe *probe)
{
	struct node_table *nodes = &sampler->accounts[collector].nodes;
	struct watch_arg arg = {sampler, collector};
	struct node_watch watch = {&arg, node_hangs, node_is_listed, node_said};
	uint8_t groups = 0;

	for (size_t i = 0; i < sampler->n_plans; i++)
		if (sampler->plans[i].collector == collector && sampler->plans[i].in_lane == lane)
			groups |= (uint8_t)(1U << sampler->plans[i].in_collector);
	if (!error)
		node_table_probed(nodes, groups, clock_boot_ms(), &watch);
	else if (state_of_probe(error, probe) == NODE_UNSUPPORTED)
		node_table_emptied(nodes, groups, clock_boot_ms(), &watch);
}

/* One collector found that hardware or mounts have changed. That concerns those of the loop as
 * well: a partition that was mounted is sampled. The lane, whose probes may touch a bus, looks
 * again only with lane. A device that flaps does not make it a storm. */
static void rescan_soon(struct sampler *sampler, int64_t now_ms, bool lane)
{
	int64_t at_ms = MAX(now_ms, sampler->rescanned_ms + RESCAN_GAP_MS);

	sampler->rescan_at_ms = MIN(sampler->rescan_at_ms, at_ms);
	sampler->rescan_lane = sampler->rescan_lane || lane;
}

/* Whether a probe failed for want of something that comes back by itself, so that waiting for the
 * hourly scan would lose an hour. */
static bool is_passing(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EAGAIN ||
	       error == -EBUSY;
}

/* A collector that would send commands to devices was probed, which costs nothing; but it is not
 * sampled by a process that must not wait for a device. */
static void refuse_commands(struct sampler *sampler, size_t index)
{
	struct account *account = &sampler->accounts[index];
	struct probe *said = &account->lane_probe;

	if (probe_init(said) < 0)
		return;
	probe_collector(said, OUTCOME_DISABLED,
			"flashscope sample asks once, as root and with the name of the collector",
			"%s asks the devices themselves by commands; the daemon sends none",
			account->collector->name);
	take_probe(sampler, index, -EOPNOTSUPP, said);
}

static void probe_loop(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++) {
		if (!sampler->loop_wanted[i])
			continue;

		int r = runner_probe(sampler->runner, i);

		sampler->accounts[i].loop_ready = r == 0;
		if (is_passing(r))
			rescan_soon(sampler, clock_boot_ms(), false);
		if (!sampler->accounts[i].in_loop) {
			probe_done(&sampler->accounts[i].lane_probe);
			sampler->accounts[i].lane_probe = (struct probe){0};
		}
		if (r == 0 && !sampler->accounts[i].in_loop) {
			refuse_commands(sampler, i);
			continue;
		}
		take_probe(sampler, i, r, runner_probe_of(sampler->runner, i));
		end_missing(sampler, i, false, r, runner_probe_of(sampler->runner, i));
	}
}

/* Rows of a group from either lane. error is that of the sample. */
static void take_rows(struct sampler *sampler, size_t index, int64_t t_ms, int64_t at_ms,
		      int64_t duration_us, int error, const struct sink *sink)
{
	struct plan *plan = &sampler->plans[index];
	struct account *account = &sampler->accounts[plan->collector];
	struct watch_arg arg = {sampler, plan->collector};
	struct node_watch watch = {&arg, node_hangs, node_is_listed, node_said};
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
		rescan_soon(sampler, end_us / 1000, false);
		sampler->accounts[collector].loop_ready = r != -ENXIO;
		take_probe(sampler, collector, r == -ENXIO ? -ENXIO : 0,
			   runner_probe_of(sampler->runner, collector));
		end_missing(sampler, collector, false, r == -ENXIO ? -ENXIO : 0,
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

static void lane_probed(void *arg, size_t collector, int error, bool news, struct probe *probe)
{
	struct sampler *sampler = arg;
	struct account *account = &sampler->accounts[collector];

	account->lane_ready = error == 0;
	if (news || is_passing(error))
		rescan_soon(sampler, clock_boot_ms(), is_passing(error));
	/* A collector with groups in both lanes shows the probe of the loop. */
	if (!account->in_loop) {
		probe_done(&account->lane_probe);
		account->lane_probe = *probe;
		*probe = (struct probe){0};
		probe = &account->lane_probe;
		take_probe(sampler, collector, error, probe);
	}
	end_missing(sampler, collector, true, error, probe);
}

static void lane_hung(void *arg, size_t collector, int group, const char *node, int64_t since_ms)
{
	struct sampler *sampler = arg;
	struct watch_arg watch_arg = {sampler, collector};
	struct node_watch watch = {&watch_arg, node_hangs, node_is_listed, node_said};

	if (group < 0 || (size_t)group >= sampler->n_plans || !node[0])
		set_collector_state(sampler, collector, NODE_HUNG, -ETIMEDOUT, since_ms, true);
	else
		node_table_hung(&sampler->accounts[collector].nodes,
				sampler->plans[group].in_collector, node, since_ms, &watch);
}

/* The rows that follow say the state of the node; a collector is told here. */
static void lane_back(void *arg, size_t collector, int group, const char *node)
{
	if (group < 0 || !node[0])
		set_collector_state(arg, collector, NODE_OK, 0, clock_boot_ms(), true);
}

struct keeper_events sampler_lane_events(struct sampler *sampler)
{
	return (struct keeper_events){sampler, lane_rows, lane_probed, lane_hung, lane_back};
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
	sampler->checked_ms = sampler->rescanned_ms = now_ms;
	sampler->rescan_at_ms = INT64_MAX;
	sampler->asleep_ms = clock_asleep_ms();
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
	int64_t next_ms = MIN(schedule_due_ms(&sampler->rescan), uevents_due_ms(&sampler->uevents));

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
	bool all = schedule_take(&sampler->rescan, now_ms, &t_ms);

	/* A driver that is bound has nodes in the lane as well. */
	all = uevents_take(&sampler->uevents, now_ms) || all;
	if (!all && now_ms < sampler->rescan_at_ms)
		return;
	all = all || sampler->rescan_lane;
	sampler->rescan_at_ms = INT64_MAX;
	sampler->rescan_lane = false;
	sampler->rescanned_ms = now_ms;
	sampler->n_rescans++;
	probe_loop(sampler);
	if (sampler->keeper && all)
		keeper_rescan(sampler->keeper);
}

/* Takes the newest due tick of a group; missed ones are counted, each to whom it belongs. */
static bool take_due(struct sampler *sampler, struct plan *plan, int64_t now_ms, int64_t *ret_t_ms)
{
	int64_t late_ms = now_ms - schedule_due_ms(&plan->schedule);
	uint64_t *n_missed = plan->in_lane ? &sampler->stats.n_lane_missed_ticks
					   : &sampler->stats.n_missed_ticks;

	if (!schedule_take(&plan->schedule, now_ms, ret_t_ms))
		return false;
	*n_missed += schedule_n_missed(&plan->schedule, late_ms, sampler->slept_ms);
	return true;
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
		    keeper_leaves_out(sampler->keeper, plan->collector, i))
			continue;
		tick.groups[tick.n_groups].group = (uint16_t)i;
		tick.groups[tick.n_groups++].t_ms = t_ms;
	}
	if (tick.n_groups && keeper_request(sampler->keeper, &tick, now_ms) < 0)
		sampler->stats.n_lane_missed_ticks += tick.n_groups;
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

/* How long the machine was in suspend since the last tick. */
static void take_sleep(struct sampler *sampler)
{
	int64_t asleep_ms = clock_asleep_ms();

	sampler->slept_ms = asleep_ms - sampler->asleep_ms;
	sampler->asleep_ms = asleep_ms;
}

void sampler_tick(struct sampler *sampler, int64_t t_ms)
{
	int64_t cpu_us = thread_cpu_us(), now_ms = MAX(t_ms, clock_boot_ms());

	sampler->stats.n_ticks++;
	take_sleep(sampler);
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

		if (plan->in_lane || !take_due(sampler, plan, now_ms, &planned_ms))
			continue;
		if (sampler->accounts[plan->collector].loop_ready)
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

int sampler_uevent_fd(const struct sampler *sampler)
{
	return uevents_fd(&sampler->uevents);
}

void sampler_uevent_input(struct sampler *sampler)
{
	uevents_receive(&sampler->uevents, clock_boot_ms());
}

void sampler_rescan(struct sampler *sampler)
{
	sampler->rescan_at_ms = 0;
	sampler->rescan_lane = true;
}

void sampler_get_stats(const struct sampler *sampler, struct sampler_stats *ret)
{
	struct keeper_stats keeper = {0};

	if (sampler->keeper)
		keeper_get_stats(sampler->keeper, &keeper);
	*ret = sampler->stats;
	ret->lane_cpu_us = keeper.cpu_us;
	ret->n_lane_restarts = keeper.n_restarts;
	ret->discovery = sampler->uevents.stats;
	ret->discovery.n_rescans = sampler->n_rescans;
	ret->discovery.last_rescan_ms = sampler->n_rescans ? sampler->rescanned_ms : 0;
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
		.probe = shown_probe(sampler, index),
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
