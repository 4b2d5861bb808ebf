/* A sampler at work: ticks, requests, account. */
#include "sampling/sampler.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "base/clock.h"
#include "sampling/sampler_state.h"

/* How often a lane that is not ready is looked after at least. */
#define CHECK_MS 1000

static void probe_loop(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->catalog->n_collectors; i++) {
		if (!sampler->loop_wanted[i])
			continue;

		int r = runner_probe(sampler->runner, i);

		sampler->accounts[i].loop_ready = r == 0;
		if (sampler_is_passing(r))
			sampler_rescan_soon(sampler, clock_boot_ms(), false);
		if (!sampler->accounts[i].in_loop) {
			if (link_has_told(sampler->link, i))
				continue;
			if (r == 0) {
				sampler_say_no_helper(sampler, i);
				continue;
			}
			probe_done(&sampler->accounts[i].lane_probe);
			sampler->accounts[i].lane_probe = (struct probe){0};
		}
		sampler_take_probe(sampler, i, r, runner_probe_of(sampler->runner, i));
		sampler_end_missing(sampler, i, IN_LOOP, r, runner_probe_of(sampler->runner, i));
	}
}

static void sample_in_loop(struct sampler *sampler, size_t index, int64_t t_ms)
{
	size_t collector = sampler->plans[index].collector;
	int64_t start_us = clock_boot_us();
	int r = runner_sample(sampler->runner, index, start_us / 1000, &sampler->sink);
	int64_t end_us = clock_boot_us();

	if (runner_news(sampler->runner, collector)) {
		sampler_rescan_soon(sampler, end_us / 1000, false);
		sampler->accounts[collector].loop_ready = r != -ENXIO;
		sampler_take_probe(sampler, collector, r == -ENXIO ? -ENXIO : 0,
				   runner_probe_of(sampler->runner, collector));
		sampler_end_missing(sampler, collector, IN_LOOP, r == -ENXIO ? -ENXIO : 0,
				    runner_probe_of(sampler->runner, collector));
	}
	sampler_take_rows(sampler, index, t_ms, start_us / 1000, end_us - start_us, r,
			  &sampler->sink);
}

/* The first probes of lane and helper are waited for, so that the start can say what there is; not
 * longer than a lane may take for anything else. */
static void await_first_probes(struct sampler *sampler, int64_t until_ms)
{
	for (int64_t now_ms = clock_boot_ms(); now_ms < until_ms; now_ms = clock_boot_ms()) {
		bool lane = sampler->keeper && keeper_is_busy(sampler->keeper);
		bool helper = !link_is_settled(sampler->link);
		struct pollfd fds[] = {
			{.fd = lane ? keeper_fd(sampler->keeper) : -1, .events = POLLIN},
			{.fd = helper ? link_fd(sampler->link) : -1, .events = POLLIN}};

		if (!lane && !helper)
			return;
		poll(fds, ARRAY_SIZE(fds), (int)(until_ms - now_ms));
		if (lane)
			keeper_receive(sampler->keeper, clock_boot_ms());
		if (helper)
			link_receive(sampler->link, clock_boot_ms());
	}
}

int sampler_start(struct sampler *sampler, int64_t now_ms)
{
	sampler->checked_ms = sampler->rescanned_ms = now_ms;
	sampler->rescan_at_ms = INT64_MAX;
	sampler->asleep_ms = clock_asleep_ms();
	link_check(sampler->link, now_ms);
	await_first_probes(sampler, clock_boot_ms() + sampler->options.deadline_ms);
	probe_loop(sampler);
	for (size_t i = 0; i < sampler->n_plans; i++)
		schedule_start(&sampler->plans[i].schedule, sampler->plans[i].schedule.period_ms,
			       now_ms);
	sampler_set_rescan(sampler, sampler->options.rescan_ms, now_ms);
	return 0;
}

void sampler_set_period(struct sampler *sampler, size_t group, int64_t period_ms, int64_t now_ms)
{
	if (sampler->plans[group].schedule.period_ms)
		schedule_start(&sampler->plans[group].schedule, period_ms, now_ms);
}

/* Not at the next multiple of the boot clock: right now nothing is new. */
void sampler_set_rescan(struct sampler *sampler, int64_t rescan_ms, int64_t now_ms)
{
	schedule_start(&sampler->rescan, rescan_ms, now_ms);
	if (sampler->rescan.period_ms)
		sampler->rescan.due_ms += sampler->rescan.period_ms;
}

/* Whether anything comes of it when the plan is due. */
static bool may_run(const struct sampler *sampler, const struct plan *plan, bool lane_ready)
{
	switch (sampler_sampled_in(sampler, plan)) {
	case IN_LANE:
		return lane_ready;
	case IN_HELPER:
		return link_serves(sampler->link, plan->collector);
	case IN_LOOP:
		break;
	}
	return true;
}

static int64_t plan_due_ms(const struct plan *plan)
{
	return plan->out_of_turn ? MIN(plan->out_of_turn_ms, schedule_due_ms(&plan->schedule))
				 : schedule_due_ms(&plan->schedule);
}

int64_t sampler_next_ms(const struct sampler *sampler)
{
	bool lane_ready = sampler->keeper && keeper_is_ready(sampler->keeper);
	int64_t next_ms = MIN(schedule_due_ms(&sampler->rescan), uevents_due_ms(&sampler->uevents));

	next_ms = MIN(next_ms, link_due_ms(sampler->link));
	for (size_t i = 0; i < sampler->n_plans; i++)
		if (may_run(sampler, &sampler->plans[i], lane_ready))
			next_ms = MIN(next_ms, plan_due_ms(&sampler->plans[i]));
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
	if (all)
		link_rescan(sampler->link, now_ms);
}

bool sampler_take_due(struct sampler *sampler, struct plan *plan, int64_t now_ms, int64_t *ret_t_ms)
{
	int64_t late_ms = now_ms - schedule_due_ms(&plan->schedule);
	uint64_t *n_missed = sampler_place_of(plan) == IN_LOOP
				     ? &sampler->stats.n_missed_ticks
				     : &sampler->stats.n_lane_missed_ticks;

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

		if (sampler_sampled_in(sampler, plan) != IN_LANE ||
		    !sampler_take_due(sampler, plan, now_ms, &t_ms))
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
		if (sampler->accounts[i].in_lane && !sampler->accounts[i].in_loop &&
		    !link_serves(sampler->link, i))
			sampler_set_collector_state(sampler, i, NODE_HUNG, -ETIMEDOUT, now_ms,
						    true);
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
	link_receive(sampler->link, now_ms);
	link_check(sampler->link, now_ms);
	sampler_request_helper(sampler, now_ms);
	for (size_t i = 0; i < sampler->n_plans; i++) {
		struct plan *plan = &sampler->plans[i];
		int64_t planned_ms;

		if (sampler_place_of(plan) != IN_LOOP ||
		    !sampler_take_due(sampler, plan, now_ms, &planned_ms))
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

int sampler_helper_fd(const struct sampler *sampler)
{
	return link_fd(sampler->link);
}

void sampler_helper_input(struct sampler *sampler)
{
	int64_t cpu_us = thread_cpu_us();

	link_receive(sampler->link, clock_boot_ms());
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

void sampler_helper_ended(struct sampler *sampler)
{
	link_ended(sampler->link);
}

void sampler_monitor(struct sampler *sampler, const struct wire_monitor *monitor)
{
	link_monitor(sampler->link, monitor, clock_boot_ms());
}

void sampler_want_log(struct sampler *sampler, bool wanted)
{
	link_want_log(sampler->link, wanted, clock_boot_ms());
}

void sampler_want_records(struct sampler *sampler, bool wanted)
{
	link_want_records(sampler->link, wanted, clock_boot_ms());
}

struct hw *sampler_hw(struct sampler *sampler)
{
	return runner_hw(sampler->runner);
}

uint64_t sampler_n_rescans(const struct sampler *sampler)
{
	return sampler->n_rescans;
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
	ret->helper = *link_status(sampler->link);
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
		.probe = sampler_shown_probe(sampler, index),
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
