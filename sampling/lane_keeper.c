#include "sampling/lane_keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sampling/schedule.h"

#define HANGS_MAX        8
#define HANG_FIRST_MS    10000
#define HANG_MAX_MS      600000
#define STUCK_MS         1000 /* a killed process that lives longer was held by the kernel */
#define PROBE_DEADLINES  3    /* probing reads much more than a tick does */
#define RESTART_FIRST_MS 1000
#define RESTART_MAX_MS   60000
#define SETTLED_MS       60000
#define LEAVING_MAX      4
#define CLOSE_TRIES      20
#define CLOSE_TRY_US     5000
#define PACKETS_MAX      256 /* taken in one go, so that a mad lane cannot hold the loop */

/* Something that did not answer. */
struct hang {
	bool used;
	char path[HW_PATH_MAX]; /* avoided; a directory ends in '/'. "": the group is left out */
	char node[NODE_NAME_MAX];
	size_t collector;
	int group;       /* -1: while probing */
	bool avoided;    /* false: it is being tried again */
	bool was_stuck;  /* the kernel had held the process and has let it go */
	pid_t pid;       /* of the process that hangs in it, 0 when it is gone */
	int64_t left_ms; /* when the process was left alone */
	struct backoff backoff;
};

struct keeper {
	struct keeper_options options;
	struct keeper_events events;
	struct lane lane;
	int64_t started_ms;
	bool busy, probing;
	int64_t busy_since_ms;
	bool wants_rescan, wants_restart;
	struct backoff restart;
	bool started_once;
	struct hang hangs[HANGS_MAX];
	pid_t leaving[LEAVING_MAX]; /* lanes that were told to end */
	struct sink sink;
	struct probe probe;
	uint8_t *packet; /* WIRE_MESSAGE_MAX */
	bool *wanted;    /* collectors of the lane but for those whose probe hangs */
	uint64_t n_restarts;
	int64_t cpu_us, cpu_before_us; /* of this lane, of those before */
};

static void keeper_closep(struct keeper **keeper)
{
	keeper_close(*keeper);
}

int keeper_open(const struct keeper_options *options, const struct keeper_events *events,
		struct keeper **ret)
{
	CLEANUP(keeper_closep) struct keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return -ENOMEM;
	keeper->options = *options;
	keeper->events = *events;
	if (keeper->options.hang_first_ms <= 0)
		keeper->options.hang_first_ms = HANG_FIRST_MS;
	keeper->lane.fd = -1;
	keeper->packet = malloc(WIRE_MESSAGE_MAX);
	keeper->wanted = calloc(options->lane.catalog->n_collectors + 1, sizeof(bool));
	if (!keeper->packet || !keeper->wanted || sink_init(&keeper->sink) < 0)
		return -ENOMEM;
	*ret = keeper;
	keeper = NULL;
	return 0;
}

/* true when the process is gone and reaped, or is none of ours. */
static bool reap(pid_t pid)
{
	pid_t r = waitpid(pid, NULL, WNOHANG);

	return r == pid || (r < 0 && errno == ECHILD);
}

static void remember_leaving(struct keeper *keeper, pid_t pid)
{
	for (size_t i = 0; i < LEAVING_MAX; i++) {
		if (keeper->leaving[i])
			continue;
		keeper->leaving[i] = pid;
		return;
	}
}

/* Ends an idle lane. It sees the end of the socket and leaves. */
static void end_lane(struct keeper *keeper)
{
	pid_t pid = keeper->lane.pid;

	if (!pid)
		return;
	lane_leave(&keeper->lane);
	kill(pid, SIGKILL);
	if (!reap(pid))
		remember_leaving(keeper, pid);
	keeper->busy = false;
	keeper->cpu_before_us += keeper->cpu_us;
	keeper->cpu_us = 0;
}

/* A killed lane is gone in no time, unless the kernel holds it. */
static void wait_for_leaving(struct keeper *keeper)
{
	for (size_t tries = 0; tries < CLOSE_TRIES; tries++) {
		bool any = false;

		for (size_t i = 0; i < LEAVING_MAX; i++) {
			if (keeper->leaving[i] && reap(keeper->leaving[i]))
				keeper->leaving[i] = 0;
			any = any || keeper->leaving[i];
		}
		if (!any)
			return;
		usleep(CLOSE_TRY_US);
	}
}

void keeper_close(struct keeper *keeper)
{
	if (!keeper)
		return;
	end_lane(keeper);
	wait_for_leaving(keeper);
	sink_done(&keeper->sink);
	probe_done(&keeper->probe);
	free(keeper->packet);
	free(keeper->wanted);
	free(keeper);
}

static void set_busy(struct keeper *keeper, bool probing, int64_t now_ms)
{
	keeper->busy = true;
	keeper->probing = probing;
	keeper->busy_since_ms = now_ms;
}

static size_t avoided_paths(const struct keeper *keeper, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < HANGS_MAX; i++)
		if (keeper->hangs[i].used && keeper->hangs[i].avoided && keeper->hangs[i].path[0])
			ret[n++] = keeper->hangs[i].path;
	return n;
}

static void choose_collectors(struct keeper *keeper)
{
	const struct lane_config *config = &keeper->options.lane;

	for (size_t i = 0; i < config->catalog->n_collectors; i++)
		keeper->wanted[i] = config->wanted[i];
	for (size_t i = 0; i < HANGS_MAX; i++) {
		const struct hang *hang = &keeper->hangs[i];

		if (hang->used && hang->avoided && !hang->path[0] && hang->group < 0)
			keeper->wanted[hang->collector] = false;
	}
}

static void start_lane(struct keeper *keeper, int64_t now_ms)
{
	const char *avoid[HANGS_MAX];
	struct lane_config config = keeper->options.lane;

	choose_collectors(keeper);
	config.wanted = keeper->wanted;
	config.avoid = avoid;
	config.n_avoid = avoided_paths(keeper, avoid);
	keeper->wants_restart = false;
	keeper->wants_rescan = false;
	if (lane_start(&config, &keeper->lane) < 0) {
		backoff_fail(&keeper->restart, now_ms, RESTART_FIRST_MS, RESTART_MAX_MS);
		return;
	}
	keeper->n_restarts += keeper->started_once;
	keeper->started_once = true;
	keeper->started_ms = now_ms;
	set_busy(keeper, true, now_ms);
}

static size_t n_left(const struct keeper *keeper)
{
	size_t n = 0;

	for (size_t i = 0; i < HANGS_MAX; i++)
		n += keeper->hangs[i].used && keeper->hangs[i].pid;
	return n;
}

static bool has_free_hang(const struct keeper *keeper)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (!keeper->hangs[i].used)
			return true;
	return false;
}

/* The lane died, or talked nonsense. */
static void lane_died(struct keeper *keeper, int64_t now_ms)
{
	if (now_ms - keeper->started_ms >= SETTLED_MS)
		backoff_reset(&keeper->restart);
	backoff_fail(&keeper->restart, now_ms, RESTART_FIRST_MS, RESTART_MAX_MS);
	end_lane(keeper);
}

/* The directory of an attribute of sysfs, with its slash: a device that hangs in one attribute will
 * hang in the others. 0 for what is no such path. */
static size_t device_dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strncmp(path, "sys/", 4) ? (size_t)(slash - path) + 1 : 0;
}

/* Whether another attribute of the same device hangs already. */
static bool is_second_of_device(const struct keeper *keeper, const struct hang *hang)
{
	size_t len = device_dir_len(hang->path);

	for (size_t i = 0; len && i < HANGS_MAX; i++) {
		const struct hang *other = &keeper->hangs[i];

		if (other != hang && other->used && !strncmp(other->path, hang->path, len))
			return true;
	}
	return false;
}

static bool is_same(const struct hang *hang, const struct lane_place *place)
{
	size_t len = strlen(hang->path);

	if (hang->collector != (size_t)place->collector)
		return false;
	if (!len)
		return !place->path[0] && hang->group == place->group;
	return hang->path[len - 1] == '/' ? !strncmp(hang->path, place->path, len)
					  : !strcmp(hang->path, place->path);
}

/* What hung before and was tried again, else a free place. NULL when all are taken. */
static struct hang *hang_for(struct keeper *keeper, const struct lane_place *place)
{
	struct hang *free_hang = NULL;

	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &keeper->hangs[i];

		if (hang->used && !hang->pid && is_same(hang, place))
			return hang;
		if (!hang->used && !free_hang)
			free_hang = hang;
	}
	return free_hang;
}

static void fill_hang(struct keeper *keeper, struct hang *hang, const struct lane_place *place)
{
	*hang = (struct hang){
		.used = true, .collector = (size_t)place->collector, .group = place->group};
	snprintf(hang->node, sizeof(hang->node), "%s", place->node);
	snprintf(hang->path, sizeof(hang->path), "%s", place->path);
	if (is_second_of_device(keeper, hang))
		hang->path[device_dir_len(hang->path)] = '\0';
}

/* The deadline is over: leaves the lane alone and remembers what it was at. */
static void lane_hangs(struct keeper *keeper, int64_t now_ms)
{
	/* A copy: the process may still write. */
	struct lane_place place = *keeper->lane.place;
	struct hang *hang = hang_for(keeper, &place);
	bool known = (size_t)place.collector < keeper->options.lane.catalog->n_collectors;
	pid_t pid = keeper->lane.pid;

	if (!hang || !known) {
		lane_died(keeper, now_ms);
		return;
	}
	place.path[sizeof(place.path) - 1] = '\0';
	place.node[sizeof(place.node) - 1] = '\0';
	if (!hang->used)
		fill_hang(keeper, hang, &place);
	hang->avoided = true;
	hang->was_stuck = false;
	hang->left_ms = now_ms;
	hang->pid = pid;
	backoff_fail(&hang->backoff, now_ms, keeper->options.hang_first_ms, HANG_MAX_MS);
	kill(pid, SIGKILL);
	lane_leave(&keeper->lane);
	keeper->cpu_before_us += keeper->cpu_us;
	keeper->cpu_us = 0;
	keeper->busy = false;
	keeper->events.hung(keeper->events.arg, hang->collector, hang->group, hang->node,
			    keeper->busy_since_ms);
}

static void reap_all(struct keeper *keeper, int64_t now_ms)
{
	for (size_t i = 0; i < LEAVING_MAX; i++)
		if (keeper->leaving[i] && reap(keeper->leaving[i]))
			keeper->leaving[i] = 0;
	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &keeper->hangs[i];

		if (!hang->used || !hang->pid || !reap(hang->pid))
			continue;
		hang->pid = 0;
		hang->was_stuck = now_ms - hang->left_ms >= STUCK_MS;
	}
}

/* Lifts what may be tried again; a lane that avoids it has to be replaced. */
static void retry_hangs(struct keeper *keeper, int64_t now_ms)
{
	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &keeper->hangs[i];

		if (!hang->used || !hang->avoided || hang->pid ||
		    (!hang->was_stuck && backoff_waits(&hang->backoff, now_ms)))
			continue;
		hang->avoided = false;
		keeper->wants_restart = true;
	}
}

static int64_t deadline_ms(const struct keeper *keeper)
{
	return keeper->options.deadline_ms * (keeper->probing ? PROBE_DEADLINES : 1);
}

static void send_rescan(struct keeper *keeper, int64_t now_ms)
{
	size_t len = wire_put_rescan(keeper->packet);

	keeper->wants_rescan = false;
	if (send(keeper->lane.fd, keeper->packet, len, MSG_NOSIGNAL) < 0)
		lane_died(keeper, now_ms);
	else
		set_busy(keeper, true, now_ms);
}

void keeper_check(struct keeper *keeper, int64_t now_ms)
{
	reap_all(keeper, now_ms);
	if (keeper->busy && now_ms - keeper->busy_since_ms >= deadline_ms(keeper))
		lane_hangs(keeper, now_ms);
	retry_hangs(keeper, now_ms);
	if (keeper->lane.pid && !keeper->busy && keeper->wants_restart)
		end_lane(keeper);
	if (!keeper->lane.pid && n_left(keeper) < LANES_LEFT_MAX && has_free_hang(keeper) &&
	    !backoff_waits(&keeper->restart, now_ms))
		start_lane(keeper, now_ms);
	if (keeper->lane.pid && !keeper->busy && keeper->wants_rescan)
		send_rescan(keeper, now_ms);
}

/* What was tried again has answered. */
static void forget_hangs(struct keeper *keeper, size_t collector, int group)
{
	for (size_t i = 0; i < HANGS_MAX; i++) {
		struct hang *hang = &keeper->hangs[i];

		if (!hang->used || hang->avoided || hang->pid || hang->collector != collector ||
		    hang->group != group)
			continue;
		hang->used = false;
		keeper->events.back(keeper->events.arg, collector, group, hang->node);
	}
}

static int take_rows(struct keeper *keeper, size_t len)
{
	const struct catalog *catalog = keeper->options.lane.catalog;
	const struct collector *collector;
	struct wire_rows head;
	int r = wire_get_rows(keeper->packet, len, catalog, &head, &keeper->sink);

	if (r < 0 || !head.last)
		return r;
	catalog_group_at(catalog, head.group, &collector);
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (catalog->collectors[i] == collector && !head.error)
			forget_hangs(keeper, i, (int)head.group);
	keeper->events.rows(keeper->events.arg, &head, &keeper->sink);
	return 0;
}

static int take_probed(struct keeper *keeper, size_t len)
{
	struct wire_probed head;
	int r = wire_get_probed(keeper->packet, len, keeper->options.lane.catalog, &head,
				&keeper->probe);

	if (r < 0 || !head.last)
		return r;
	forget_hangs(keeper, head.collector, -1);
	keeper->events.probed(keeper->events.arg, head.collector, head.error, &keeper->probe);
	return 0;
}

static int take_done(struct keeper *keeper, size_t len)
{
	struct wire_done done;
	int r = wire_get_done(keeper->packet, len, &done);

	if (r < 0)
		return r;
	keeper->cpu_us = done.cpu_us;
	keeper->busy = false;
	return 0;
}

static int take_packet(struct keeper *keeper, size_t len)
{
	switch (wire_type(keeper->packet, len)) {
	case WIRE_ROWS:
		return take_rows(keeper, len);
	case WIRE_PROBED:
		return take_probed(keeper, len);
	case WIRE_DONE:
		return take_done(keeper, len);
	default:
		return -EBADMSG;
	}
}

void keeper_receive(struct keeper *keeper, int64_t now_ms)
{
	for (size_t i = 0; i < PACKETS_MAX && keeper->lane.fd >= 0; i++) {
		ssize_t n = recv(keeper->lane.fd, keeper->packet, WIRE_MESSAGE_MAX, MSG_TRUNC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0 || n > WIRE_MESSAGE_MAX || take_packet(keeper, (size_t)n) < 0)
			lane_died(keeper, now_ms);
	}
}

int keeper_request(struct keeper *keeper, const struct wire_tick *tick, int64_t now_ms)
{
	size_t len;

	if (!keeper->lane.pid)
		return -EHOSTDOWN;
	if (keeper->busy)
		return -EBUSY;
	len = wire_put_tick(keeper->packet, tick);
	if (send(keeper->lane.fd, keeper->packet, len, MSG_NOSIGNAL) < 0) {
		lane_died(keeper, now_ms);
		return -EHOSTDOWN;
	}
	set_busy(keeper, false, now_ms);
	return 0;
}

void keeper_rescan(struct keeper *keeper)
{
	keeper->wants_rescan = true;
}

int keeper_fd(const struct keeper *keeper)
{
	return keeper->lane.fd;
}

int64_t keeper_due_ms(const struct keeper *keeper)
{
	return keeper->busy ? keeper->busy_since_ms + deadline_ms(keeper) : SCHEDULE_NEVER;
}

bool keeper_is_busy(const struct keeper *keeper)
{
	return keeper->busy;
}

bool keeper_is_ready(const struct keeper *keeper)
{
	return keeper->lane.pid && !keeper->busy;
}

bool keeper_is_starved(const struct keeper *keeper)
{
	return !keeper->lane.pid && (n_left(keeper) >= LANES_LEFT_MAX || !has_free_hang(keeper));
}

bool keeper_hangs(const struct keeper *keeper, size_t collector, const char *node)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (keeper->hangs[i].used && keeper->hangs[i].collector == collector &&
		    !strcmp(keeper->hangs[i].node, node))
			return true;
	return false;
}

bool keeper_leaves_out(const struct keeper *keeper, size_t group)
{
	for (size_t i = 0; i < HANGS_MAX; i++)
		if (keeper->hangs[i].used && keeper->hangs[i].avoided &&
		    !keeper->hangs[i].path[0] && keeper->hangs[i].group == (int)group)
			return true;
	return false;
}

void keeper_get_stats(const struct keeper *keeper, struct keeper_stats *ret)
{
	*ret = (struct keeper_stats){
		.n_restarts = keeper->n_restarts,
		.cpu_us = keeper->cpu_before_us + keeper->cpu_us,
		.n_left = n_left(keeper),
	};
}
