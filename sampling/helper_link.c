#include "sampling/helper_link.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/packet_socket.h"
#include "sampling/schedule.h"

#define AGAIN_FIRST_MS 1000
#define AGAIN_MAX_MS   60000
#define ANSWER_MAX_MS  40000 /* it answers within GATHER_MS (helper/gather.h) whatever hangs */
#define ASLEEP_MS      1000  /* of suspend, that is allowed for */
#define PACKETS_MAX    256   /* taken in one go */
#define LINK_HANGS_MAX 64

struct hung_node {
	size_t collector;
	char node[NODE_NAME_MAX];
};

struct link {
	struct link_options options;
	struct link_events events;
	struct link_status status;
	int fd; /* -1: none */
	bool greeted;
	bool wants_log, wants_records;
	int passed_fd; /* beside the packet that is being taken, -1: none */
	struct backoff again;
	int64_t *asked_ms; /* by group: when an answer was asked for that has not come; 0: none */
	size_t n_groups;
	bool *serves, *heard; /* by collector: something to sample; it was told of */
	struct hung_node hung[LINK_HANGS_MAX];
	size_t n_hung;
	int64_t greeting_ms; /* when it was connected to */
	int64_t asleep_ms;   /* this boot's time in suspend, as of the last check */
	struct sink sink;
	struct probe probe;
	uint8_t *packet; /* WIRE_MESSAGE_MAX */
};

const char *link_state_name(enum link_state state)
{
	static const char *const names[] = {
		[LINK_OFF] = "off", [LINK_DOWN] = "down", [LINK_UP] = "up"};

	return names[state];
}

static void link_closep(struct link **link)
{
	link_close(*link);
}

int link_open(const struct link_options *options, const struct link_events *events,
	      struct link **ret)
{
	CLEANUP(link_closep) struct link *link = calloc(1, sizeof(*link));

	if (!link)
		return -ENOMEM;
	link->fd = link->passed_fd = -1;
	link->options = *options;
	link->events = *events;
	link->n_groups = catalog_n_groups(options->catalog);
	link->asked_ms = calloc(link->n_groups + 1, sizeof(*link->asked_ms));
	link->serves = calloc(options->catalog->n_collectors + 1, sizeof(*link->serves));
	link->heard = calloc(options->catalog->n_collectors + 1, sizeof(*link->heard));
	link->packet = malloc(WIRE_MESSAGE_MAX);
	if (!link->asked_ms || !link->serves || !link->heard || !link->packet ||
	    sink_init(&link->sink) < 0)
		return -ENOMEM;
	link->status.state = options->path ? LINK_DOWN : LINK_OFF;
	snprintf(link->status.reason, sizeof(link->status.reason), "%s",
		 options->path ? "not connected yet" : options->off_reason);
	if (options->path && snprintf(link->status.path, sizeof(link->status.path), "%s",
				      options->path) >= (int)sizeof(link->status.path))
		return -ENAMETOOLONG;
	link->options.path = NULL;
	*ret = link;
	link = NULL;
	return 0;
}

void link_close(struct link *link)
{
	if (!link)
		return;
	if (link->fd >= 0)
		close(link->fd);
	sink_done(&link->sink);
	probe_done(&link->probe);
	free(link->asked_ms);
	free(link->serves);
	free(link->heard);
	free(link->packet);
	free(link);
}

PRINTF_LIKE(3, 4)
static void go_down(struct link *link, int64_t now_ms, const char *fmt, ...)
{
	bool was_up = link->status.state == LINK_UP;
	va_list args;

	va_start(args, fmt);
	vsnprintf(link->status.reason, sizeof(link->status.reason), fmt, args);
	va_end(args);
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
	link->greeted = false;
	link->status.state = LINK_DOWN;
	memset(link->asked_ms, 0, link->n_groups * sizeof(*link->asked_ms));
	memset(link->serves, 0, link->options.catalog->n_collectors * sizeof(*link->serves));
	memset(link->heard, 0, link->options.catalog->n_collectors * sizeof(*link->heard));
	link->n_hung = 0;
	link->status.account = (struct wire_account){0};
	link->status.monitored = (struct wire_monitored){0};
	backoff_fail(&link->again, now_ms, AGAIN_FIRST_MS, AGAIN_MAX_MS);
	if (!was_up)
		return;
	link->status.since_ms = now_ms;
	link->events.changed(link->events.arg);
}

static void send_packet(struct link *link, size_t len, int64_t now_ms)
{
	int error;

	if (link->fd < 0 || send(link->fd, link->packet, len, MSG_NOSIGNAL) >= 0)
		return;
	error = errno;
	/* What it said before it hung up tells why. */
	link_receive(link, now_ms);
	if (link->fd >= 0)
		go_down(link, now_ms, "it takes no requests: %s", strerror(error));
}

static void try_connect(struct link *link, int64_t now_ms)
{
	struct wire_hello hello = {.digest = wire_digest(link->options.catalog)};
	int fd = packet_socket_connect(link->status.path);

	if (fd < 0) {
		go_down(link, now_ms, "it cannot be reached at %.180s: %s%s", link->status.path,
			strerror(-fd), link->status.ended ? "; " HELPER_ENDED : "");
		return;
	}
	snprintf(hello.version, sizeof(hello.version), "%s", FLASHSCOPE_VERSION);
	link->fd = fd;
	link->greeting_ms = now_ms;
	link->status.n_connects++;
	send_packet(link, wire_put_hello(link->packet, &hello), now_ms);
}

/* The helper answers even while all its devices hang: one that does not is stopped or mad. */
static bool is_silent(const struct link *link, int64_t now_ms)
{
	if (!link->greeted)
		return now_ms - link->greeting_ms >= ANSWER_MAX_MS;
	for (size_t i = 0; i < link->n_groups; i++)
		if (link->asked_ms[i] && now_ms - link->asked_ms[i] >= ANSWER_MAX_MS)
			return true;
	return false;
}

/* While the machine slept nobody could answer. */
static void allow_for_sleep(struct link *link, int64_t now_ms)
{
	int64_t asleep_ms = clock_asleep_ms();
	bool slept = asleep_ms - link->asleep_ms >= ASLEEP_MS;

	link->asleep_ms = asleep_ms;
	if (!slept)
		return;
	link->greeting_ms = now_ms;
	for (size_t i = 0; i < link->n_groups; i++)
		if (link->asked_ms[i])
			link->asked_ms[i] = now_ms;
}

void link_ended(struct link *link)
{
	link->status.ended = true;
}

void link_check(struct link *link, int64_t now_ms)
{
	if (link->status.state == LINK_OFF)
		return;
	allow_for_sleep(link, now_ms);
	if (link->fd >= 0 && is_silent(link, now_ms))
		go_down(link, now_ms, "it did not answer for %d s", ANSWER_MAX_MS / 1000);
	if (link->fd < 0 && !backoff_waits(&link->again, now_ms))
		try_connect(link, now_ms);
}

static int take_hello(struct link *link, size_t len, int64_t now_ms)
{
	struct wire_hello hello;
	int r = wire_get_hello(link->packet, len, &hello);

	if (r < 0)
		return r;
	/* It refuses others itself, and greets once; this is for one that does not. */
	if (link->greeted || hello.digest != wire_digest(link->options.catalog))
		return -EBADMSG;
	link->greeted = true;
	link->status.ended = false;
	link->status.state = LINK_UP;
	link->status.since_ms = now_ms;
	link->status.reason[0] = '\0';
	link->status.was_up = true;
	link->status.account = (struct wire_account){0};
	link->status.monitored = (struct wire_monitored){0};
	backoff_reset(&link->again);
	send_packet(link, wire_put_monitor(link->packet, &link->status.monitor), now_ms);
	if (link->fd >= 0 && link->wants_log)
		send_packet(link, wire_put_log(link->packet), now_ms);
	if (link->fd >= 0 && link->wants_records)
		send_packet(link, wire_put_records(link->packet), now_ms);
	if (link->fd >= 0)
		link->events.changed(link->events.arg);
	return 0;
}

static int take_refused(struct link *link, size_t len, int64_t now_ms)
{
	struct wire_refused refused;
	int r = wire_get_refused(link->packet, len, &refused);

	if (r == 0)
		go_down(link, now_ms, "%s", refused.reason);
	return r;
}

static int take_rows(struct link *link, size_t len)
{
	struct wire_rows head;
	int r = wire_get_rows(link->packet, len, link->options.catalog, &head, &link->sink);

	if (r < 0 || !head.last)
		return r;
	link->asked_ms[head.group] = 0;
	/* What it lacks was not asked; the probes say what has gone. */
	link->sink.partial = link->sink.group->cost == COST_Q;
	link->events.rows(link->events.arg, &head, &link->sink);
	return 0;
}

static int take_probed(struct link *link, size_t len)
{
	struct wire_probed head;
	int r = wire_get_probed(link->packet, len, link->options.catalog, &head, &link->probe);

	if (r < 0 || !head.last)
		return r;
	link->serves[head.collector] = head.error == 0;
	link->heard[head.collector] = true;
	link->events.probed(link->events.arg, head.collector, head.error, &link->probe);
	return 0;
}

static size_t find_hung(const struct link *link, size_t collector, const char *node)
{
	size_t i = 0;

	while (i < link->n_hung &&
	       (link->hung[i].collector != collector || strcmp(link->hung[i].node, node) != 0))
		i++;
	return i;
}

static void note_hung(struct link *link, const struct wire_node *node)
{
	size_t i = find_hung(link, node->collector, node->node);

	if (node->hung && i == link->n_hung && i < LINK_HANGS_MAX) {
		link->hung[i].collector = node->collector;
		snprintf(link->hung[i].node, sizeof(link->hung[i].node), "%s", node->node);
		link->n_hung++;
	} else if (!node->hung && i < link->n_hung) {
		link->hung[i] = link->hung[--link->n_hung];
	}
}

static int take_node(struct link *link, size_t len)
{
	struct wire_node node;
	int r = wire_get_node(link->packet, len, link->options.catalog, &node);

	if (r < 0)
		return r;
	note_hung(link, &node);
	link->events.node(link->events.arg, &node);
	return 0;
}

/* It comes when it was asked for, with a descriptor or a reason. */
static int take_logged(struct link *link, size_t len)
{
	struct wire_logged logged;
	int r = wire_get_logged(link->packet, len, &logged), fd = link->passed_fd;

	if (r < 0 || (fd < 0) == (logged.error == 0))
		return -EBADMSG;
	if (!link->events.log)
		return 0;
	link->passed_fd = -1;
	link->events.log(link->events.arg, fd, logged.error);
	return 0;
}

static int take_gathered(struct link *link, size_t len)
{
	struct wire_logged gathered;
	int r = wire_get_gathered(link->packet, len, &gathered), fd = link->passed_fd;

	if (r < 0 || (fd < 0) == (gathered.error == 0))
		return -EBADMSG;
	if (!link->events.records)
		return 0;
	link->passed_fd = -1;
	link->events.records(link->events.arg, fd, gathered.error);
	return 0;
}

bool link_keeps_monitors(const struct link_status *status)
{
	return status->monitored.error != -ESRCH;
}

static int take_monitored(struct link *link, size_t len)
{
	bool kept = link_keeps_monitors(&link->status);
	int r = wire_get_monitored(link->packet, len, &link->status.monitored);

	if (r == 0 && kept != link_keeps_monitors(&link->status))
		link->events.changed(link->events.arg);
	return r;
}

static int take_packet(struct link *link, size_t len, int64_t now_ms)
{
	int type = wire_type(link->packet, len);

	if (type == WIRE_REFUSED)
		return take_refused(link, len, now_ms);
	if (type == WIRE_HELLO)
		return take_hello(link, len, now_ms);
	if (!link->greeted)
		return -EBADMSG;
	switch (type) {
	case WIRE_ROWS:
		return take_rows(link, len);
	case WIRE_PROBED:
		return take_probed(link, len);
	case WIRE_NODE:
		return take_node(link, len);
	case WIRE_ACCOUNT:
		return wire_get_account(link->packet, len, &link->status.account);
	case WIRE_MONITORED:
		return take_monitored(link, len);
	case WIRE_LOGGED:
		return take_logged(link, len);
	case WIRE_GATHERED:
		return take_gathered(link, len);
	default:
		return -EBADMSG;
	}
}

void link_receive(struct link *link, int64_t now_ms)
{
	for (size_t i = 0; i < PACKETS_MAX && link->fd >= 0; i++) {
		ssize_t n = packet_socket_receive(link->fd, link->packet, WIRE_MESSAGE_MAX,
						  &link->passed_fd);

		/* A helper that refuses does not read the greeting, which the kernel tells first:
		 * the reason stands behind it. */
		if (n == -EINTR || n == -ECONNRESET)
			continue;
		if (n == -EAGAIN)
			return;
		if (n <= 0)
			go_down(link, now_ms, "it has gone");
		else if (n > WIRE_MESSAGE_MAX || take_packet(link, (size_t)n, now_ms) < 0)
			go_down(link, now_ms, "what it says cannot be understood");
		closep(&link->passed_fd);
		link->passed_fd = -1;
	}
}

void link_request(struct link *link, const struct wire_tick *tick, int64_t now_ms)
{
	if (!link->greeted)
		return;
	for (size_t i = 0; i < tick->n_groups; i++)
		if (!link->asked_ms[tick->groups[i].group])
			link->asked_ms[tick->groups[i].group] = now_ms;
	send_packet(link, wire_put_tick(link->packet, tick), now_ms);
}

void link_rescan(struct link *link, int64_t now_ms)
{
	if (link->greeted)
		send_packet(link, wire_put_rescan(link->packet), now_ms);
}

void link_monitor(struct link *link, const struct wire_monitor *monitor, int64_t now_ms)
{
	struct wire_monitor *known = &link->status.monitor;

	if (known->policy == monitor->policy && known->asked_until_ms == monitor->asked_until_ms)
		return;
	*known = *monitor;
	if (link->greeted)
		send_packet(link, wire_put_monitor(link->packet, known), now_ms);
}

void link_want_log(struct link *link, bool wanted, int64_t now_ms)
{
	bool asks = wanted && !link->wants_log;

	link->wants_log = wanted;
	if (asks && link->greeted)
		send_packet(link, wire_put_log(link->packet), now_ms);
}

void link_want_records(struct link *link, bool wanted, int64_t now_ms)
{
	bool asks = wanted && !link->wants_records;

	link->wants_records = wanted;
	if (asks && link->greeted)
		send_packet(link, wire_put_records(link->packet), now_ms);
}

int link_fd(const struct link *link)
{
	return link->fd;
}

int64_t link_due_ms(const struct link *link)
{
	int64_t due_ms = INT64_MAX;

	if (link->status.state == LINK_OFF)
		return due_ms;
	if (link->fd < 0)
		return link->again.until_ms;
	if (!link->greeted)
		return link->greeting_ms + ANSWER_MAX_MS;
	for (size_t i = 0; i < link->n_groups; i++)
		if (link->asked_ms[i])
			due_ms = MIN(due_ms, link->asked_ms[i] + ANSWER_MAX_MS);
	return due_ms;
}

const struct link_status *link_status(const struct link *link)
{
	return &link->status;
}

bool link_is_settled(const struct link *link)
{
	const struct catalog *catalog = link->options.catalog;

	if (link->fd < 0)
		return true;
	for (size_t i = 0; i < catalog->n_collectors; i++)
		if (!link->heard[i] && collector_is_helped(catalog->collectors[i]))
			return false;
	return true;
}

bool link_has_told(const struct link *link, size_t collector)
{
	return link->greeted && link->heard[collector];
}

bool link_serves(const struct link *link, size_t collector)
{
	return link->greeted && link->serves[collector];
}

bool link_hangs(const struct link *link, size_t collector, const char *node)
{
	return find_hung(link, collector, node) < link->n_hung;
}
