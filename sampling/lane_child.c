/* The inside of a lane process: waits for a request, samples, answers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sampling/lane.h"
#include "sampling/runner.h"
#include "sampling/wire.h"

struct child {
	const struct lane_config *config;
	struct runner *runner;
	struct sink sink;
	struct lane_place *place;
	int fd;
	uint8_t *packet; /* WIRE_MESSAGE_MAX */
};

static int send_packet(struct child *child, size_t len)
{
	ssize_t n;

	do
		n = send(child->fd, child->packet, len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int64_t cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int send_done(struct child *child)
{
	struct wire_done done = {.cpu_us = cpu_us()};

	return send_packet(child, wire_put_done(child->packet, &done));
}

static int send_probed(struct child *child, size_t collector, int error)
{
	const struct probe *probe = runner_probe_of(child->runner, collector);
	struct wire_probed head = {.collector = collector, .error = error};
	size_t next = 0;

	while (probe && !head.last) {
		int r = send_packet(child, wire_put_probed(child->packet, &head, probe, &next));

		if (r < 0)
			return r;
	}
	return 0;
}

static void set_place(struct child *child, size_t collector, int32_t group)
{
	child->place->path[0] = '\0';
	child->place->node[0] = '\0';
	child->place->collector = (int32_t)collector;
	child->place->group = group;
	child->place->since_ms = clock_boot_ms();
	child->place->n_groups++;
}

static int probe_all(struct child *child)
{
	for (size_t i = 0; i < child->config->catalog->n_collectors; i++) {
		int r;

		if (!runner_wants(child->runner, i))
			continue;
		set_place(child, i, -1);
		r = send_probed(child, i, runner_probe(child->runner, i));
		if (r < 0)
			return r;
	}
	return send_done(child);
}

static int send_rows(struct child *child, struct wire_rows *head)
{
	size_t next = 0;

	do {
		int r = send_packet(child, wire_put_rows(child->packet, head, &child->sink, &next));

		if (r < 0)
			return r;
	} while (!head->last);
	return 0;
}

static int sample_group(struct child *child, size_t group, int64_t t_ms)
{
	size_t collector = runner_collector_of(child->runner, group);
	int64_t start_us = clock_boot_us();
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = start_us / 1000};
	int r = 0;

	set_place(child, collector, (int32_t)group);
	head.error = runner_sample(child->runner, group, head.at_ms, &child->sink);
	head.duration_us = clock_boot_us() - start_us;
	if (runner_news(child->runner, collector))
		r = send_probed(child, collector, head.error == -ENXIO ? -ENXIO : 0);
	return r < 0 ? r : send_rows(child, &head);
}

static int sample_groups(struct child *child, const struct wire_tick *tick)
{
	for (size_t i = 0; i < tick->n_groups; i++) {
		int r = sample_group(child, tick->groups[i].group, tick->groups[i].t_ms);

		if (r < 0)
			return r;
	}
	return send_done(child);
}

/* 1 to go on, 0 at the end of the socket. */
static int serve(struct child *child)
{
	struct wire_tick tick;
	ssize_t n = recv(child->fd, child->packet, WIRE_MESSAGE_MAX, 0);
	int r;

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	if (n == 0)
		return 0;
	if (wire_type(child->packet, (size_t)n) == WIRE_RESCAN) {
		r = probe_all(child);
		return r < 0 ? r : 1;
	}
	r = wire_get_tick(child->packet, (size_t)n, child->config->catalog, &tick);
	if (r == 0)
		r = sample_groups(child, &tick);
	return r < 0 ? r : 1;
}

static void child_done(struct child *child)
{
	runner_close(child->runner);
	sink_done(&child->sink);
	free(child->packet);
}

static int child_open(struct child *child)
{
	const struct lane_config *config = child->config;
	struct runner_options options = {.root = config->root,
					 .wanted = config->wanted,
					 .all_nodes = config->all_nodes,
					 .device = config->device};
	int r = runner_open(&options, config->catalog, &child->runner);

	child->packet = malloc(WIRE_MESSAGE_MAX);
	if (r < 0)
		return r;
	if (!child->packet || sink_init(&child->sink) < 0)
		return -ENOMEM;
	child->sink.at_node = child->place->node;
	if (config->memory)
		hw_memory_keep(runner_hw(child->runner), config->memory, config->memory_bytes);
	hw_watch(runner_hw(child->runner), child->place->path, &child->place->since_ms);
	for (size_t i = 0; r == 0 && i < config->n_avoid; i++)
		r = hw_avoid(runner_hw(child->runner), config->avoid[i]);
	return r;
}

int lane_child_run(const struct lane_config *config, int fd, struct lane_place *place)
{
	CLEANUP(child_done) struct child child = {.config = config, .place = place, .fd = fd};
	int r = child_open(&child);

	if (r == 0)
		r = probe_all(&child);
	if (r == 0)
		do
			r = serve(&child);
		while (r > 0);
	return r < 0 ? 1 : 0;
}
