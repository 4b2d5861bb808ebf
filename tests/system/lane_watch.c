/* The loop of a daemon around the sampler, without the daemon: says on stdout what comes out of it.
 * Usage: lane_watch ROOT SECONDS
 *
 *   MS state COLLECTOR NODE STATE age MS     a state changed
 *   MS rows GROUP late MS: NODE=VALUE...     of the groups in the lane; VALUE is the first field
 *   MS nodes NODE=STATE:AGE_MS...            every second, the nodes that are not ok
 *   end ticks N missed N lane_missed N late_max_ms N restarts N
 *
 * MS counts from the start. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/errno_name.h"
#include "base/parse.h"
#include "sampling/registry.h"
#include "sampling/sampler.h"

static int64_t start_ms;

static long long elapsed_ms(void)
{
	return (long long)(clock_boot_ms() - start_ms);
}

static void on_rows(void *arg, const struct group *group, int64_t t_ms, int64_t late_ms,
		    int64_t step_ms, const struct sink *sink)
{
	(void)arg, (void)t_ms, (void)step_ms;
	if (group->cost == COST_F)
		return;
	printf("%lld rows %s late %lld:", elapsed_ms(), group->name, (long long)late_ms);
	for (size_t i = 0; i < sink->n_rows; i++) {
		const struct value *value = &sink->rows[i]->values[0];

		if (value->type == VALUE_INT)
			printf(" %s=%lld", sink->rows[i]->node, (long long)value->i);
		else if (value->type == VALUE_FAULT)
			printf(" %s=%s", sink->rows[i]->node, errno_name((int)value->i));
	}
	putchar('\n');
}

static void on_state(void *arg, const struct collector *collector, const char *node,
		     enum node_state state, int error, int64_t since_ms)
{
	(void)arg, (void)error;
	printf("%lld state %s %s %s age %lld\n", elapsed_ms(), collector->name,
	       node[0] ? node : "-", node_state_name(state),
	       (long long)(clock_boot_ms() - since_ms));
}

static void print_nodes(const struct sampler *sampler)
{
	struct node_status status;

	printf("%lld nodes", elapsed_ms());
	for (size_t i = 0; sampler_node_status(sampler, i, &status) == 0; i++)
		if (status.state != NODE_OK)
			printf(" %s=%s:%lld", status.node, node_state_name(status.state),
			       (long long)(clock_boot_ms() - status.since_ms));
	putchar('\n');
}

static void run(struct sampler *sampler, int64_t until_ms)
{
	int64_t said_ms = start_ms;

	for (int64_t now_ms = clock_boot_ms(); now_ms < until_ms; now_ms = clock_boot_ms()) {
		int64_t next_ms = sampler_next_ms(sampler);
		struct pollfd fd = {.fd = sampler_lane_fd(sampler), .events = POLLIN};

		if (next_ms > now_ms)
			poll(&fd, 1, (int)(next_ms - now_ms < 1000 ? next_ms - now_ms : 1000));
		if (fd.revents)
			sampler_lane_input(sampler);
		if (clock_boot_ms() >= sampler_next_ms(sampler))
			sampler_tick(sampler, sampler_next_ms(sampler));
		if (now_ms - said_ms >= 1000) {
			print_nodes(sampler);
			said_ms = now_ms;
		}
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct sampler_callbacks callbacks = {.rows = on_rows, .state = on_state};
	struct sampler_options options = {.deadline_ms = 1000};
	struct sampler_stats stats;
	struct sampler *sampler;
	int64_t seconds;

	if (argc != 3 || parse_i64(argv[2], &seconds) < 0)
		return 2;
	options.root = argv[1];
	start_ms = clock_boot_ms();
	if (sampler_open(&options, registry(), &callbacks, &sampler) < 0 ||
	    sampler_start(sampler, start_ms) < 0)
		return 1;
	run(sampler, start_ms + seconds * 1000);
	sampler_get_stats(sampler, &stats);
	printf("end ticks %llu missed %llu lane_missed %llu late_max_ms %lld restarts %llu cpu_us "
	       "%lld lane %lld\n",
	       (unsigned long long)stats.n_ticks, (unsigned long long)stats.n_missed_ticks,
	       (unsigned long long)stats.n_lane_missed_ticks, (long long)stats.late_max_ms,
	       (unsigned long long)stats.n_lane_restarts, (long long)stats.cpu_us,
	       (long long)stats.lane_cpu_us);
	sampler_close(sampler);
	return 0;
}
