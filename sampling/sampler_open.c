/* Setting a sampler up and taking it down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampling/sampler_state.h"

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

static void no_helper(void *arg, const struct link_status *status)
{
	(void)arg, (void)status;
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
	struct keeper_events events = sampler_lane_events(sampler);

	return keeper_open(&options, &events, &sampler->keeper);
}

static int open_link(struct sampler *sampler)
{
	struct link_options options = {
		.catalog = sampler->catalog,
		.path = sampler->options.helper_path,
		.off_reason = sampler->options.helper_off_reason
				      ? sampler->options.helper_off_reason
				      : "it is not wanted here",
	};
	struct link_events events = sampler_link_events(sampler);

	return link_open(&options, &events, &sampler->link);
}

static void plan_group(struct sampler *sampler, size_t index, size_t collector, size_t in_collector)
{
	struct plan *plan = &sampler->plans[index];
	struct account *account = &sampler->accounts[collector];
	const int64_t *period_ms = sampler->options.period_ms;

	plan->group = catalog_group_at(sampler->catalog, index, NULL);
	plan->collector = collector;
	plan->in_collector = in_collector;
	plan->by_command = plan->group->cost == COST_Q;
	plan->in_lane =
		plan->group->cost != COST_F && !plan->by_command && !sampler->options.no_lane;
	account->by_command = account->by_command || plan->by_command;
	if (!account->enabled)
		return;
	plan->schedule.period_ms =
		period_ms && period_ms[index] ? period_ms[index] : plan->group->period_ms;
	account->in_lane = account->in_lane || plan->in_lane;
	account->in_loop = account->in_loop || (!plan->in_lane && !plan->by_command);
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
		/* One that sends commands alone is probed there, which costs nothing, so that what
		 * is missing can be said without the helper, too. */
		sampler->loop_wanted[i] =
			account->in_loop || (account->enabled && !account->in_lane);
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
	if (!callbacks->helper)
		sampler->callbacks.helper = no_helper;
}

int sampler_open(const struct sampler_options *options, const struct catalog *catalog,
		 const struct sampler_callbacks *callbacks, struct sampler **ret)
{
	CLEANUP(sampler_closep) struct sampler *sampler = calloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return -ENOMEM;
	sampler->uevents.fd = -1;
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
	/* Before the first probe, so that nothing comes between the two. */
	if (r == 0)
		uevents_open(&sampler->uevents, hw_is_live(runner_hw(sampler->runner)));
	if (r == 0 && needs_lane)
		r = open_keeper(sampler);
	if (r == 0)
		r = open_link(sampler);
	if (r < 0)
		return r;
	if (sampler->keeper)
		keeper_check(sampler->keeper, clock_boot_ms());
	/* What belongs to the caller is not needed any more. */
	sampler->options.period_ms = NULL;
	sampler->options.disabled = NULL;
	sampler->options.helper_path = sampler->options.helper_off_reason = NULL;
	*ret = sampler;
	sampler = NULL;
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	if (!sampler)
		return;
	keeper_close(sampler->keeper);
	link_close(sampler->link);
	runner_close(sampler->runner);
	for (size_t i = 0; sampler->accounts && i < sampler->catalog->n_collectors; i++) {
		node_table_done(&sampler->accounts[i].nodes);
		probe_done(&sampler->accounts[i].lane_probe);
	}
	uevents_close(&sampler->uevents);
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
