#include "helper/crew.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "helper/gather.h"
#include "sampling/hangs.h"

/* Until what could not be done at once is tried again. */
#define CHECK_MS 1000

/* For what is known of one device's answers; pages that are not used are not there. */
#define MEMORY_BYTES (512 * 1024)

struct worker {
	struct crew *crew;
	char device[NODE_NAME_MAX];       /* "" of the scout */
	struct keeper *keeper;            /* NULL before it is known what it has to ask */
	bool *listed;                     /* collectors whose last probe named the device */
	bool *wanted;                     /* those that the keeper was opened with */
	bool *lost;                       /* whose probe in the worker itself did not find it */
	bool *owes;                       /* groups that are asked for and not answered */
	bool *asked;                      /* those that it was asked for; not asleep, not hung */
	struct wire_tick waiting;         /* for a worker that is busy */
	struct wire_node hung[HANGS_MAX]; /* what was told, and not yet that it is back */
	size_t n_hung;
	void *memory; /* of its processes, one after the other; NULL of the scout */
	bool ending;  /* its device went; the kernel may hold its process */
};

struct crew {
	struct crew_options options;
	struct crew_events events;
	size_t n_collectors, n_groups;
	struct worker *workers[CREW_FDS_MAX]; /* the first is the scout */
	size_t n_workers;
	struct gather *gathers; /* by index of the group */
	bool *is_wanted;        /* collectors of which a group was asked for, ever */
	struct rate *rate;      /* when each group was asked for */
	bool changed;           /* the scout has named devices, or some less */
	bool left_out;          /* one of them had no place */
	uint64_t n_restarts;    /* of workers that are no more */
	int64_t cpu_us;
};

static void worker_free(struct worker *worker)
{
	if (!worker)
		return;
	keeper_close(worker->keeper);
	if (worker->memory)
		munmap(worker->memory, MEMORY_BYTES);
	free(worker->listed);
	free(worker->wanted);
	free(worker->lost);
	free(worker->owes);
	free(worker->asked);
	free(worker);
}

static void worker_freep(struct worker **worker)
{
	worker_free(*worker);
}

/* Goes with the worker, so a device that went and came is asked anew. */
static int open_memory(struct worker *worker)
{
	void *memory =
		mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	madvise(memory, MEMORY_BYTES, MADV_DONTFORK);
	worker->memory = memory;
	return 0;
}

static int worker_new(struct crew *crew, const char *device, struct worker **ret)
{
	CLEANUP(worker_freep) struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return -ENOMEM;
	worker->crew = crew;
	snprintf(worker->device, sizeof(worker->device), "%s", device);
	worker->listed = calloc(crew->n_collectors + 1, sizeof(bool));
	worker->wanted = calloc(crew->n_collectors + 1, sizeof(bool));
	worker->lost = calloc(crew->n_collectors + 1, sizeof(bool));
	worker->owes = calloc(crew->n_groups + 1, sizeof(bool));
	worker->asked = calloc(crew->n_groups + 1, sizeof(bool));
	if (!worker->listed || !worker->wanted || !worker->lost || !worker->owes || !worker->asked)
		return -ENOMEM;
	if (*device && open_memory(worker) < 0)
		return -ENOMEM;
	*ret = worker;
	worker = NULL;
	return 0;
}

static bool is_scout(const struct worker *worker)
{
	return worker == worker->crew->workers[0];
}

static size_t collector_of(const struct crew *crew, size_t group)
{
	const struct collector *collector;

	catalog_group_at(crew->options.catalog, group, &collector);
	for (size_t i = 0; i < crew->n_collectors; i++)
		if (crew->options.catalog->collectors[i] == collector)
			return i;
	return crew->n_collectors;
}

static bool sends_commands(const struct crew *crew, size_t collector)
{
	return collector_commands(crew->options.catalog->collectors[collector]);
}

/* A sample is complete, or has waited long enough: then the rest may still come. That nothing has
 * come yet is no failure, nor is it one of the others that a device has just gone. */
static void answer(struct crew *crew, size_t group)
{
	struct gather *gather = &crew->gathers[group];
	struct wire_rows *head = &gather->head;

	if (gather->sink.n_rows && (head->error == -ENXIO || head->error == -EAGAIN))
		head->error = 0;
	if (!gather->sink.n_rows && !head->error && gather->n_waited)
		head->error = -EAGAIN;
	gather->open = false;
	crew->events.rows(crew->events.arg, head, &gather->sink);
}

static void on_rows(void *arg, const struct wire_rows *head, const struct sink *sink)
{
	struct worker *worker = arg;

	/* One that was late for the sample before still owes this one. */
	if (!worker->owes[head->group] ||
	    head->t_ms != worker->crew->gathers[head->group].head.t_ms)
		return;
	worker->owes[head->group] = false;
	if (sink_has_asleep(sink))
		worker->asked[head->group] = false;
	if (!worker->crew->gathers[head->group].open)
		worker->crew->events.rows(worker->crew->events.arg, head, sink);
	else if (gather_take(&worker->crew->gathers[head->group], head, sink))
		answer(worker->crew, head->group);
}

static struct worker *find_worker(const struct crew *crew, const char *device)
{
	for (size_t i = 1; i < crew->n_workers; i++)
		if (!strcmp(crew->workers[i]->device, device))
			return crew->workers[i];
	return NULL;
}

/* A device beyond the last worker is not asked; its probe stands all the same. */
static void list_device(struct crew *crew, size_t collector, const char *device)
{
	struct worker *worker = find_worker(crew, device);

	if (!worker) {
		if (crew->n_workers == CREW_FDS_MAX || worker_new(crew, device, &worker) < 0) {
			crew->left_out = true;
			return;
		}
		crew->workers[crew->n_workers++] = worker;
	}
	worker->listed[collector] = true;
}

/* A look that failed says nothing of what there is. */
static bool knows(enum outcome outcome)
{
	return outcome != OUTCOME_FAILED && outcome != OUTCOME_DENIED;
}

static bool may_be_there(const struct probe *probe, const char *device)
{
	for (size_t i = 1; i < probe->n_items; i++)
		if (!strcmp(probe->items[i].node, device))
			return !knows(probe->items[i].outcome);
	return false;
}

/* Who was asked before is asked again when it is not known whether it went. */
static void list_devices(struct crew *crew, size_t collector, int error, const struct probe *probe)
{
	if (error && (!probe->n_items || !knows(probe->items[0].outcome)))
		return;
	for (size_t i = 1; i < crew->n_workers; i++) {
		struct worker *worker = crew->workers[i];

		worker->listed[collector] =
			worker->listed[collector] && may_be_there(probe, worker->device);
	}
	for (size_t i = 1; i < probe->n_items && !error; i++)
		if (probe->items[i].outcome == OUTCOME_OK)
			list_device(crew, collector, probe->items[i].node);
	crew->changed = true;
}

static void on_probed(void *arg, size_t collector, int error, bool news, struct probe *probe)
{
	struct worker *worker = arg;
	struct crew *crew = worker->crew;

	worker->lost[collector] = error != 0;
	if (!is_scout(worker)) {
		/* Its device went, or came back: what the scout told is old. */
		if (news)
			crew_rescan(crew);
		return;
	}
	if (sends_commands(crew, collector))
		list_devices(crew, collector, error, probe);
	crew->events.probed(crew->events.arg, collector, error, probe);
}

static bool is_same_hang(const struct wire_node *a, const struct wire_node *b)
{
	return a->collector == b->collector && a->group == b->group && !strcmp(a->node, b->node);
}

/* For a daemon that comes later. */
static void note_hung(struct worker *worker, const struct wire_node *message)
{
	size_t i = 0;

	while (i < worker->n_hung && !is_same_hang(&worker->hung[i], message))
		i++;
	if (message->hung && i < HANGS_MAX) {
		worker->hung[i] = *message;
		worker->n_hung = MAX(worker->n_hung, i + 1);
	} else if (!message->hung && i < worker->n_hung) {
		worker->hung[i] = worker->hung[--worker->n_hung];
	}
}

static void tell_node(struct worker *worker, bool hung, size_t collector, int group,
		      const char *node, int64_t since_ms)
{
	struct wire_node message = {
		.hung = hung, .collector = collector, .group = group, .since_ms = since_ms};

	/* A worker has one device, whatever it was at. */
	snprintf(message.node, sizeof(message.node), "%s",
		 is_scout(worker) ? node : worker->device);
	note_hung(worker, &message);
	worker->crew->events.node(worker->crew->events.arg, &message);
}

static bool is_listed(const struct worker *worker)
{
	for (size_t i = 0; i < worker->crew->n_collectors; i++)
		if (worker->listed[i])
			return true;
	return false;
}

/* What hung goes with its worker, by a device that went: that is no answer. */
static void forget_hung(struct worker *worker)
{
	while (worker->n_hung) {
		struct wire_node node = worker->hung[--worker->n_hung];

		node.hung = false;
		node.gone = !is_listed(worker);
		worker->crew->events.node(worker->crew->events.arg, &node);
	}
}

void crew_tell_hung(const struct crew *crew)
{
	for (size_t i = 0; i < crew->n_workers; i++)
		for (size_t k = 0; k < crew->workers[i]->n_hung; k++)
			crew->events.node(crew->events.arg, &crew->workers[i]->hung[k]);
}

/* Of all that was asked for, nothing comes. */
static void miss_all(struct worker *worker)
{
	struct crew *crew = worker->crew;

	worker->waiting.n_groups = 0;
	for (size_t i = 0; i < crew->n_groups; i++) {
		if (!worker->owes[i])
			continue;
		worker->owes[i] = worker->asked[i] = false;
		if (gather_miss(&crew->gathers[i], -ETIMEDOUT))
			answer(crew, i);
	}
}

static bool is_waiting(const struct worker *worker, size_t group)
{
	for (size_t i = 0; i < worker->waiting.n_groups; i++)
		if (worker->waiting.groups[i].group == group)
			return true;
	return false;
}

/* One that died at work, or is done, answers no more of what it was asked for: nobody has to wait
 * for it. */
static void miss_unanswered(struct worker *worker)
{
	struct crew *crew = worker->crew;

	for (size_t i = 0; i < crew->n_groups && !keeper_is_busy(worker->keeper); i++) {
		if (!worker->owes[i] || is_waiting(worker, i))
			continue;
		worker->owes[i] = false;
		if (gather_miss(&crew->gathers[i], -EHOSTDOWN))
			answer(crew, i);
	}
}

static void on_hung(void *arg, size_t collector, int group, const char *node, int64_t since_ms)
{
	tell_node(arg, true, collector, group, node, since_ms);
	miss_all(arg);
}

static void on_back(void *arg, size_t collector, int group, const char *node)
{
	tell_node(arg, false, collector, group, node, 0);
}

static int open_keeper(struct worker *worker)
{
	const struct crew_options *options = &worker->crew->options;
	bool scout = is_scout(worker);
	struct keeper_options keeper = {
		.lane = {.catalog = options->catalog,
			 .root = options->root,
			 .wanted = worker->wanted,
			 .device = scout ? NULL : worker->device,
			 .memory = worker->memory,
			 .memory_bytes = worker->memory ? MEMORY_BYTES : 0,
			 /* The scout sends none, but its probes tell what workers may do. */
			 .commands = true,
			 .processes = scout},
		.deadline_ms = scout ? options->read_deadline_ms : options->command_deadline_ms,
		.hang_first_ms = options->hang_first_ms,
	};
	struct keeper_events events = {worker, on_rows, on_probed, on_hung, on_back};

	return keeper_open(&keeper, &events, &worker->keeper);
}

/* The scout probes what others ask, and samples what only root may read. */
static int open_scout(struct crew *crew)
{
	struct worker *scout;
	int r = worker_new(crew, "", &scout);

	if (r < 0)
		return r;
	crew->workers[crew->n_workers++] = scout;
	for (size_t i = 0; i < crew->n_collectors; i++)
		scout->wanted[i] = collector_is_helped(crew->options.catalog->collectors[i]);
	return open_keeper(scout);
}

static void crew_closep(struct crew **crew)
{
	crew_close(*crew);
}

int crew_open(const struct crew_options *options, const struct crew_events *events,
	      struct crew **ret)
{
	CLEANUP(crew_closep) struct crew *crew = calloc(1, sizeof(*crew));
	int r;

	if (!crew)
		return -ENOMEM;
	crew->options = *options;
	crew->events = *events;
	crew->n_collectors = options->catalog->n_collectors;
	crew->n_groups = catalog_n_groups(options->catalog);
	crew->gathers = calloc(crew->n_groups + 1, sizeof(*crew->gathers));
	crew->is_wanted = calloc(crew->n_collectors + 1, sizeof(*crew->is_wanted));
	if (!crew->gathers || !crew->is_wanted)
		return -ENOMEM;
	r = rate_new(options->catalog, options->rate, &crew->rate);
	if (r == 0)
		r = open_scout(crew);
	if (r < 0)
		return r;
	*ret = crew;
	crew = NULL;
	return 0;
}

void crew_close(struct crew *crew)
{
	if (!crew)
		return;
	for (size_t i = 0; i < crew->n_workers; i++)
		worker_free(crew->workers[i]);
	for (size_t i = 0; crew->gathers && i < crew->n_groups; i++)
		gather_done(&crew->gathers[i]);
	free(crew->gathers);
	rate_free(crew->rate);
	free(crew->is_wanted);
	free(crew);
}

/* Also one that is only just being started: it is asked when it is ready. */
static bool takes(const struct worker *worker, size_t collector, size_t group, bool look)
{
	const bool *asks = is_scout(worker) ? worker->wanted : worker->listed;

	return asks[collector] && !worker->lost[collector] && !(look && worker->asked[group]) &&
	       is_scout(worker) != sends_commands(worker->crew, collector) &&
	       !(worker->keeper && keeper_leaves_out(worker->keeper, collector, group));
}

/* A worker that is busy is asked when it is done; of a group only for the newest sample. */
static void put_off(struct worker *worker, size_t group, int64_t t_ms)
{
	struct wire_tick *tick = &worker->waiting;
	size_t i = 0;

	while (i < tick->n_groups && tick->groups[i].group != group)
		i++;
	if (i == WIRE_GROUPS_MAX)
		return;
	tick->groups[i].group = (uint16_t)group;
	tick->groups[i].t_ms = t_ms;
	tick->n_groups = MAX(tick->n_groups, i + 1);
	worker->owes[group] = true;
	worker->asked[group] = true;
}

static void refuse(struct crew *crew, size_t group, int64_t t_ms, int64_t now_ms, int error)
{
	struct wire_rows head = {.group = group, .t_ms = t_ms, .at_ms = now_ms, .error = error};
	struct sink none = {.group = catalog_group_at(crew->options.catalog, group, NULL)};

	crew->events.rows(crew->events.arg, &head, &none);
}

static void request_group(struct crew *crew, size_t group, int64_t t_ms, bool rest, int64_t now_ms)
{
	struct gather *gather = &crew->gathers[group];
	size_t collector = collector_of(crew, group), n = 0;
	bool look = rate_is_look(crew->rate, group, rest);

	crew->changed |= !crew->is_wanted[collector] && sends_commands(crew, collector);
	crew->is_wanted[collector] = true;
	if (rate_too_soon(crew->rate, group, look, now_ms)) {
		refuse(crew, group, t_ms, now_ms, -EAGAIN);
		return;
	}
	if (gather->open)
		answer(crew, group);
	for (size_t i = 0; i < crew->n_workers; i++)
		n += takes(crew->workers[i], collector, group, look);
	if (!n || gather_open(gather, catalog_group_at(crew->options.catalog, group, NULL), group,
			      t_ms, n, now_ms) < 0) {
		refuse(crew, group, t_ms, now_ms, n ? -ENOMEM : -ENXIO);
		return;
	}
	if (crew->options.gather_ms > 0)
		gather->until_ms = now_ms + crew->options.gather_ms;
	rate_note(crew->rate, group, look, now_ms);
	for (size_t i = 0; i < crew->n_workers; i++)
		if (takes(crew->workers[i], collector, group, look))
			put_off(crew->workers[i], group, t_ms);
}

static void send_waiting(struct crew *crew, int64_t now_ms)
{
	for (size_t i = 0; i < crew->n_workers; i++) {
		struct worker *worker = crew->workers[i];

		if (!worker->waiting.n_groups || !worker->keeper ||
		    !keeper_is_ready(worker->keeper))
			continue;
		if (keeper_request(worker->keeper, &worker->waiting, now_ms) < 0)
			miss_all(worker);
		worker->waiting.n_groups = 0;
	}
}

void crew_request(struct crew *crew, const struct wire_tick *tick, int64_t now_ms)
{
	for (size_t i = 0; i < tick->n_groups; i++)
		request_group(crew, tick->groups[i].group, tick->groups[i].t_ms,
			      tick->groups[i].rest, now_ms);
	send_waiting(crew, now_ms);
}

void crew_rescan(struct crew *crew)
{
	for (size_t i = 0; i < crew->n_workers; i++)
		if (crew->workers[i]->keeper)
			keeper_rescan(crew->workers[i]->keeper);
}

size_t crew_fds(const struct crew *crew, struct pollfd *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < crew->n_workers; i++) {
		const struct worker *worker = crew->workers[i];

		if (worker->keeper && keeper_fd(worker->keeper) >= 0)
			ret[n++] =
				(struct pollfd){.fd = keeper_fd(worker->keeper), .events = POLLIN};
	}
	return n;
}

static void end_keeper(struct worker *worker)
{
	struct keeper_stats stats;

	miss_all(worker);
	forget_hung(worker);
	worker->ending = false;
	if (!worker->keeper)
		return;
	keeper_get_stats(worker->keeper, &stats);
	worker->crew->n_restarts += stats.n_restarts;
	worker->crew->cpu_us += stats.cpu_us;
	keeper_close(worker->keeper);
	worker->keeper = NULL;
}

static bool holds_process(const struct worker *worker)
{
	struct keeper_held held;

	return worker->keeper && keeper_held(worker->keeper, 0, &held);
}

/* Ends the process of a worker. One that the kernel holds is kept until it is let go: a device that
 * flaps must not leave more and more of them, and a stop has to tell of it. Returns whether it has
 * ended. */
static bool end_worker(struct worker *worker)
{
	if (worker->keeper && !worker->ending)
		keeper_stop(worker->keeper, clock_boot_ms());
	worker->ending = true;
	if (holds_process(worker))
		return false;
	end_keeper(worker);
	return true;
}

/* Whether anybody has asked for what it would sample. */
static bool is_wanted(const struct worker *worker)
{
	for (size_t i = 0; i < worker->crew->n_collectors; i++)
		if (worker->listed[i] && worker->crew->is_wanted[i])
			return true;
	return false;
}

static void fit_worker(struct worker *worker)
{
	size_t bytes = worker->crew->n_collectors * sizeof(bool);

	if (!worker->keeper && !is_wanted(worker))
		return;
	if (worker->keeper && !worker->ending && !memcmp(worker->listed, worker->wanted, bytes))
		return;
	if (worker->keeper && !end_worker(worker))
		return;
	memcpy(worker->wanted, worker->listed, bytes);
	memset(worker->lost, 0, bytes);
	if (open_keeper(worker) < 0)
		worker->crew->changed = true;
}

/* Workers for the devices that the scout has named, and for no others. Where one had no place
 * beside those that have gone, the scout names it again. */
static void fit_workers(struct crew *crew)
{
	size_t kept = 1;
	bool room;

	if (!crew->changed || keeper_is_busy(crew->workers[0]->keeper))
		return;
	crew->changed = false;
	for (size_t i = 1; i < crew->n_workers; i++) {
		struct worker *worker = crew->workers[i];

		if (!is_listed(worker) && end_worker(worker)) {
			worker_free(worker);
			continue;
		}
		crew->workers[kept++] = worker;
		if (is_listed(worker))
			fit_worker(worker);
	}
	room = kept < crew->n_workers;
	crew->n_workers = kept;
	if (!crew->left_out || !room)
		return;
	crew->left_out = false;
	crew_rescan(crew);
}

static void answer_late(struct crew *crew, int64_t now_ms)
{
	for (size_t i = 0; i < crew->n_groups; i++)
		if (gather_is_over(&crew->gathers[i], now_ms))
			answer(crew, i);
}

void crew_turn(struct crew *crew, int64_t now_ms)
{
	for (size_t i = 0; i < crew->n_workers; i++) {
		if (!crew->workers[i]->keeper)
			continue;
		keeper_receive(crew->workers[i]->keeper, now_ms);
		miss_unanswered(crew->workers[i]);
		keeper_check(crew->workers[i]->keeper, now_ms);
		if (crew->workers[i]->ending && !holds_process(crew->workers[i]))
			crew->changed = true;
	}
	fit_workers(crew);
	answer_late(crew, now_ms);
	send_waiting(crew, now_ms);
}

int64_t crew_due_ms(const struct crew *crew, int64_t now_ms)
{
	int64_t due_ms = INT64_MAX;

	if (crew->changed)
		due_ms = now_ms + CHECK_MS;
	for (size_t i = 0; i < crew->n_workers; i++)
		if (crew->workers[i]->keeper)
			due_ms = MIN(due_ms, keeper_next_ms(crew->workers[i]->keeper, now_ms));
	for (size_t i = 0; i < crew->n_groups; i++)
		if (crew->gathers[i].open)
			due_ms = MIN(due_ms, MAX(crew->gathers[i].until_ms, now_ms));
	return due_ms;
}

void crew_account(const struct crew *crew, struct wire_account *ret)
{
	*ret = (struct wire_account){.n_restarts = (int64_t)crew->n_restarts,
				     .cpu_us = crew->cpu_us};
	for (size_t i = 0; i < crew->n_workers; i++) {
		struct keeper_stats stats;

		if (!crew->workers[i]->keeper)
			continue;
		keeper_get_stats(crew->workers[i]->keeper, &stats);
		ret->n_workers++;
		ret->n_restarts += (int64_t)stats.n_restarts;
		ret->n_left += (int64_t)stats.n_left;
		ret->cpu_us += stats.cpu_us;
	}
}

void crew_stop(struct crew *crew, int64_t now_ms)
{
	for (size_t i = 0; i < crew->n_workers; i++)
		if (crew->workers[i]->keeper)
			keeper_stop(crew->workers[i]->keeper, now_ms);
}

bool crew_held(struct crew *crew, size_t index, struct crew_held *ret)
{
	for (size_t i = 0; i < crew->n_workers; i++) {
		struct worker *worker = crew->workers[i];

		ret->device = worker->device;
		for (size_t k = 0; worker->keeper && keeper_held(worker->keeper, k, &ret->process);
		     k++)
			if (index-- == 0)
				return true;
	}
	return false;
}
