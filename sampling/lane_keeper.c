#include "sampling/lane_keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sampling/hangs.h"
#include "sampling/schedule.h"

#define PROBE_DEADLINES  3    /* probing reads much more than a tick does */
#define TOTAL_DEADLINES  10   /* of a request as a whole, however well the lane gets on */
#define CHECK_MS         1000 /* of a lane at work */
#define ASLEEP_MS        3000 /* a loop that looks in no more often was itself stopped */
#define DEATHS_MAX       3    /* in a row; then what the lane was at is to blame */
#define RESTART_FIRST_MS 1000
#define RESTART_MAX_MS   60000
#define SETTLED_MS       60000
#define LEAVING_MAX      4
#define CLOSE_TRIES      20
#define CLOSE_TRY_US     5000
#define PACKETS_MAX      256 /* taken in one go, so that a mad lane cannot hold the loop */

struct keeper {
	struct keeper_options options;
	struct keeper_events events;
	struct lane lane;
	int64_t started_ms;
	bool busy, probing;
	int64_t stood_at;      /* what it had begun with before it was asked, -1: it is new */
	int64_t busy_since_ms; /* the same, later by what the machine slept */
	int64_t checked_ms;
	unsigned n_deaths; /* at work, since the last sample */
	bool wants_rescan, wants_restart;
	bool stopped;
	struct backoff restart;
	bool started_once;
	struct hangs hangs;
	struct keeper_held leaving[LEAVING_MAX]; /* lanes that were told to end */
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
	keeper->hangs.first_ms =
		options->hang_first_ms > 0 ? options->hang_first_ms : HANG_FIRST_MS;
	keeper->lane.fd = -1;
	keeper->packet = malloc(WIRE_MESSAGE_MAX);
	keeper->wanted = calloc(options->lane.catalog->n_collectors + 1, sizeof(bool));
	if (!keeper->packet || !keeper->wanted || sink_init(&keeper->sink) < 0)
		return -ENOMEM;
	*ret = keeper;
	keeper = NULL;
	return 0;
}

static void remember_leaving(struct keeper *keeper, const struct keeper_held *lane)
{
	for (size_t i = 0; i < LEAVING_MAX; i++) {
		if (keeper->leaving[i].pid)
			continue;
		keeper->leaving[i] = *lane;
		return;
	}
}

/* What the lane is at. A copy: the process may still write. */
static void place_of(const struct keeper *keeper, struct keeper_held *ret)
{
	const struct lane_place *place = keeper->lane.place;

	*ret = (struct keeper_held){.pid = keeper->lane.pid, .since_ms = place->since_ms};
	memcpy(ret->path, place->path, sizeof(ret->path));
	ret->path[sizeof(ret->path) - 1] = '\0';
}

/* Ends an idle lane. It sees the end of the socket and leaves. */
static void end_lane(struct keeper *keeper)
{
	struct keeper_held lane;

	if (!keeper->lane.pid)
		return;
	place_of(keeper, &lane);
	lane_leave(&keeper->lane);
	kill(lane.pid, SIGKILL);
	if (!lane_reap(lane.pid))
		remember_leaving(keeper, &lane);
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
			if (keeper->leaving[i].pid && lane_reap(keeper->leaving[i].pid))
				keeper->leaving[i].pid = 0;
			any = any || keeper->leaving[i].pid;
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

void keeper_stop(struct keeper *keeper, int64_t now_ms)
{
	keeper->stopped = true;
	end_lane(keeper);
	wait_for_leaving(keeper);
	hangs_reap(&keeper->hangs, now_ms);
}

static struct keeper_held held_of_hang(const struct hang *hang)
{
	struct keeper_held held = {.pid = hang->used ? hang->pid : 0, .since_ms = hang->left_ms};

	memcpy(held.path, hang->path, sizeof(held.path));
	return held;
}

bool keeper_held(struct keeper *keeper, size_t index, struct keeper_held *ret)
{
	for (size_t i = 0; i < LEAVING_MAX + HANGS_MAX; i++) {
		*ret = i < LEAVING_MAX ? keeper->leaving[i]
				       : held_of_hang(&keeper->hangs.v[i - LEAVING_MAX]);
		if (ret->pid && !lane_reap(ret->pid) && index-- == 0)
			return true;
	}
	return false;
}

static void set_busy(struct keeper *keeper, bool probing, int64_t now_ms)
{
	keeper->busy = true;
	keeper->probing = probing;
	keeper->busy_since_ms = now_ms;
}

static void choose_collectors(struct keeper *keeper)
{
	const struct lane_config *config = &keeper->options.lane;

	for (size_t i = 0; i < config->catalog->n_collectors; i++)
		keeper->wanted[i] = config->wanted[i] && !hangs_leave_out(&keeper->hangs, i, -1);
}

static void start_lane(struct keeper *keeper, int64_t now_ms)
{
	const char *avoid[HANGS_MAX];
	struct lane_config config = keeper->options.lane;

	choose_collectors(keeper);
	config.wanted = keeper->wanted;
	config.avoid = avoid;
	config.n_avoid = hangs_paths(&keeper->hangs, avoid);
	keeper->wants_restart = false;
	keeper->wants_rescan = false;
	if (lane_start(&config, &keeper->lane) < 0) {
		backoff_fail(&keeper->restart, now_ms, RESTART_FIRST_MS, RESTART_MAX_MS);
		return;
	}
	keeper->n_restarts += keeper->started_once;
	keeper->started_once = true;
	keeper->started_ms = now_ms;
	keeper->stood_at = -1;
	set_busy(keeper, true, now_ms);
}

static void restart_later(struct keeper *keeper, int64_t now_ms)
{
	if (now_ms - keeper->started_ms >= SETTLED_MS)
		backoff_reset(&keeper->restart);
	backoff_fail(&keeper->restart, now_ms, RESTART_FIRST_MS, RESTART_MAX_MS);
	end_lane(keeper);
}

/* Since when the lane is where it is. */
static int64_t stands_since_ms(const struct keeper *keeper, int64_t now_ms)
{
	int64_t since_ms = keeper->lane.place->since_ms;

	return MAX(keeper->busy_since_ms, MIN(since_ms, now_ms));
}

/* Leaves the lane alone and remembers what it was at. false when that is not known, or there is no
 * room for it. */
static bool leave_alone(struct keeper *keeper, int64_t now_ms)
{
	/* A copy: the process may still write. */
	struct lane_place place = *keeper->lane.place;

	/* It has not begun, as one that somebody stopped: where it stands is what answered last. */
	if (place.n_groups == keeper->stood_at)
		return false;

	int64_t since_ms = stands_since_ms(keeper, now_ms);
	const struct hang *hang;

	place.path[sizeof(place.path) - 1] = '\0';
	place.node[sizeof(place.node) - 1] = '\0';
	if ((size_t)place.collector >= keeper->options.lane.catalog->n_collectors ||
	    hangs_add(&keeper->hangs, &place, keeper->lane.pid, now_ms, &hang) < 0)
		return false;
	kill(keeper->lane.pid, SIGKILL);
	lane_leave(&keeper->lane);
	keeper->cpu_before_us += keeper->cpu_us;
	keeper->cpu_us = 0;
	keeper->busy = false;
	keeper->events.hung(keeper->events.arg, hang->collector, hang->group, hang->node, since_ms);
	return true;
}

/* The lane died, or talked nonsense. */
static void lane_died(struct keeper *keeper, int64_t now_ms)
{
	keeper->n_deaths += keeper->busy;
	if (!keeper->busy || keeper->n_deaths < DEATHS_MAX || !leave_alone(keeper, now_ms))
		restart_later(keeper, now_ms);
}

/* The deadline is over. */
static void lane_hangs(struct keeper *keeper, int64_t now_ms)
{
	if (!leave_alone(keeper, now_ms))
		restart_later(keeper, now_ms);
}

static void reap_leaving(struct keeper *keeper)
{
	for (size_t i = 0; i < LEAVING_MAX; i++)
		if (keeper->leaving[i].pid && lane_reap(keeper->leaving[i].pid))
			keeper->leaving[i].pid = 0;
}

/* One more would be waited for by nobody. */
static bool leaving_is_full(const struct keeper *keeper)
{
	for (size_t i = 0; i < LEAVING_MAX; i++)
		if (!keeper->leaving[i].pid)
			return false;
	return true;
}

static bool is_starved(const struct keeper *keeper)
{
	return leaving_is_full(keeper) || hangs_n_left(&keeper->hangs) >= LANES_LEFT_MAX ||
	       hangs_are_full(&keeper->hangs);
}

/* One that asks a single device by commands has little to probe, and its deadline is long. */
static int64_t deadline_ms(const struct keeper *keeper)
{
	bool longer = keeper->probing && !keeper->options.lane.device;

	return keeper->options.deadline_ms * (longer ? PROBE_DEADLINES : 1);
}

static bool is_overdue(const struct keeper *keeper, int64_t now_ms)
{
	return keeper->busy &&
	       (now_ms - stands_since_ms(keeper, now_ms) >= deadline_ms(keeper) ||
		now_ms - keeper->busy_since_ms >= keeper->options.deadline_ms * TOTAL_DEADLINES);
}

/* After a suspend, or when all processes were stopped, the lane has had no time either. */
static void allow_for_sleep(struct keeper *keeper, int64_t now_ms)
{
	if (keeper->busy && now_ms - keeper->checked_ms >= ASLEEP_MS)
		keeper->busy_since_ms = now_ms;
	keeper->checked_ms = now_ms;
}

static void send_rescan(struct keeper *keeper, int64_t now_ms)
{
	size_t len = wire_put_rescan(keeper->packet);

	keeper->wants_rescan = false;
	keeper->stood_at = keeper->lane.place->n_groups;
	if (send(keeper->lane.fd, keeper->packet, len, MSG_NOSIGNAL) < 0)
		lane_died(keeper, now_ms);
	else
		set_busy(keeper, true, now_ms);
}

void keeper_check(struct keeper *keeper, int64_t now_ms)
{
	if (keeper->stopped)
		return;
	reap_leaving(keeper);
	hangs_reap(&keeper->hangs, now_ms);
	allow_for_sleep(keeper, now_ms);
	if (is_overdue(keeper, now_ms))
		lane_hangs(keeper, now_ms);
	/* A lane at work still avoids it, and its answer would pass for that of what is tried. */
	if (!keeper->busy && hangs_lift(&keeper->hangs, now_ms))
		keeper->wants_restart = true;
	if (keeper->lane.pid && !keeper->busy && keeper->wants_restart)
		end_lane(keeper);
	if (!keeper->lane.pid && !is_starved(keeper) && !backoff_waits(&keeper->restart, now_ms))
		start_lane(keeper, now_ms);
	if (keeper->lane.pid && !keeper->busy && keeper->wants_rescan)
		send_rescan(keeper, now_ms);
}

/* What was tried again has answered. */
static void forget_hangs(struct keeper *keeper, size_t collector, int group)
{
	struct hang hang;

	while (hangs_take_answered(&keeper->hangs, collector, group, &hang))
		keeper->events.back(keeper->events.arg, collector, group, hang.node);
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

/* Not that it could not look. */
static bool found_nothing(int error, const struct probe *probe)
{
	enum outcome outcome = probe->items[0].outcome;

	return error && outcome != OUTCOME_FAILED && outcome != OUTCOME_DENIED;
}

static int take_probed(struct keeper *keeper, size_t len)
{
	struct wire_probed head;
	int r = wire_get_probed(keeper->packet, len, keeper->options.lane.catalog, &head,
				&keeper->probe);

	if (r < 0 || !head.last)
		return r;
	forget_hangs(keeper, head.collector, -1);
	if (found_nothing(head.error, &keeper->probe))
		hangs_forget(&keeper->hangs, head.collector);
	keeper->events.probed(keeper->events.arg, head.collector, head.error, !keeper->probing,
			      &keeper->probe);
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
	if (!keeper->probing)
		keeper->n_deaths = 0;
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
	keeper->stood_at = keeper->lane.place->n_groups;
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
	int64_t last_ms = keeper->busy_since_ms + keeper->options.deadline_ms * TOTAL_DEADLINES;

	return keeper->busy ? MIN(stands_since_ms(keeper, last_ms) + deadline_ms(keeper), last_ms)
			    : SCHEDULE_NEVER;
}

bool keeper_is_busy(const struct keeper *keeper)
{
	return keeper->busy;
}

bool keeper_is_ready(const struct keeper *keeper)
{
	return keeper->lane.pid && !keeper->busy;
}

/* Nothing tells that the kernel has let a process go. */
static int64_t leaving_next_ms(const struct keeper *keeper, int64_t now_ms)
{
	int64_t next_ms = SCHEDULE_NEVER;

	for (size_t i = 0; i < LEAVING_MAX; i++)
		if (keeper->leaving[i].pid)
			next_ms = MIN(next_ms, hangs_look_ms(keeper->leaving[i].since_ms, now_ms));
	return next_ms;
}

static int64_t lane_next_ms(const struct keeper *keeper, int64_t now_ms)
{
	if (keeper->lane.pid)
		return keeper->wants_rescan || keeper->wants_restart ? now_ms : SCHEDULE_NEVER;
	return is_starved(keeper) ? SCHEDULE_NEVER : MAX(keeper->restart.until_ms, now_ms);
}

int64_t keeper_next_ms(const struct keeper *keeper, int64_t now_ms)
{
	int64_t next_ms =
		MIN(leaving_next_ms(keeper, now_ms), hangs_next_ms(&keeper->hangs, now_ms));

	/* Nothing is lifted or started meanwhile. */
	if (keeper->busy)
		return now_ms + CHECK_MS;
	if (keeper->stopped)
		return next_ms == SCHEDULE_NEVER ? next_ms : MAX(next_ms, now_ms + CHECK_MS);
	return MIN(next_ms, lane_next_ms(keeper, now_ms));
}

bool keeper_is_starved(const struct keeper *keeper)
{
	return !keeper->lane.pid && is_starved(keeper);
}

bool keeper_hangs(const struct keeper *keeper, size_t collector, const char *node)
{
	return hangs_have(&keeper->hangs, collector, node);
}

bool keeper_leaves_out(const struct keeper *keeper, size_t collector, size_t group)
{
	return hangs_leave_out(&keeper->hangs, collector, (int)group);
}

void keeper_get_stats(const struct keeper *keeper, struct keeper_stats *ret)
{
	*ret = (struct keeper_stats){
		.n_restarts = keeper->n_restarts,
		.cpu_us = keeper->cpu_before_us + keeper->cpu_us,
		.n_left = hangs_n_left(&keeper->hangs),
	};
}
